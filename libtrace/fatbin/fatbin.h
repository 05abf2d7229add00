/* What the files of this module share. */
#ifndef FATBIN_FATBIN_H
#define FATBIN_FATBIN_H

#include <endian.h>
#include <string.h>
#include "warpcap/fatbin.h"

#define WRAPPER_MAGIC	0x466243b1u
#define CONTAINER_MAGIC 0xba55ed50u
#define CONTAINER_BYTES 16u

static inline uint16_t
le16(const void *p)
{
	uint16_t v;
	memcpy(&v, p, sizeof v);
	return le16toh(v);
}

static inline uint32_t
le32(const void *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof v);
	return le32toh(v);
}

static inline uint64_t
le64(const void *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof v);
	return le64toh(v);
}

/* data: CONTAINER_BYTES that can be read. */
bool fatbin_is_container(const void *data);
int
fatbin_container_bytes(const uint8_t *p, uint64_t *header, uint64_t *entries, struct wcp_error *e);

/* Entry that suits best, of one container or of all; -1: none. *any is set if there is an entry. */
#define FATBIN_ALL UINT32_MAX
int fatbin_best(const struct wcp_fatbin *f, uint32_t container, uint32_t sm, bool *any);
int fatbin_no_ptx(const struct wcp_fatbin *f, uint32_t container, uint32_t sm, struct wcp_error *e);

/* 75 -> "7.5" */
struct capability {
	char text[24];
};
struct capability fatbin_capability(uint32_t sm);

#endif
