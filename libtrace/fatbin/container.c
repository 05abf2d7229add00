/* Wrapper and container: which entries there are. Payloads are not looked at. */
#include <stdlib.h>
#include <string.h>
#include "fatbin/fatbin.h"

/* The entry's header as nvcc writes it; every number is little-endian. */
enum {
	AT_KIND = 0x00,
	AT_HEADER_BYTES = 0x04,
	AT_PAYLOAD_BYTES = 0x08,
	AT_PACKED_BYTES = 0x10,
	AT_OPTIONS = 0x14,
	AT_ISA_MINOR = 0x18,
	AT_ISA_MAJOR = 0x1a,
	AT_SM = 0x1c,
	AT_NAME = 0x20,
	AT_NAME_BYTES = 0x24,
	AT_FLAGS = 0x28,
	AT_BYTES = 0x38,
	ENTRY_BYTES = 0x40,
};

enum {
	FLAG_OLD = 0x1000,
	FLAG_LZ4 = 0x2000,
	FLAG_ZSTD = 0x8000,
};

void
wcp_fatbin_init(struct wcp_fatbin *f)
{
	*f = (struct wcp_fatbin){0};
}

void
wcp_fatbin_release(struct wcp_fatbin *f)
{
	free(f->entry);
	wcp_fatbin_init(f);
}

static struct wcp_fatbin_entry *
new_entry(struct wcp_fatbin *f)
{
	if (f->n == f->cap) {
		const uint32_t cap = f->cap ? 2 * f->cap : 8;
		struct wcp_fatbin_entry *p = realloc(f->entry, cap * sizeof *p);
		if (!p)
			return NULL;
		f->entry = p;
		f->cap = cap;
	}
	return &f->entry[f->n++];
}

static int
damaged(struct wcp_error *e, uint64_t offset, const char *what)
{
	const int r =
	    wcp_fail(e, WCP_EDATA, "fat binary: %s at byte %llu", what, (unsigned long long)offset);
	if (e)
		e->offset = offset;
	return r;
}

/* name and options lie inside the header; one that does not is left out. */
static const char *
text_in_header(const uint8_t *at, uint64_t header_bytes, uint64_t from, uint32_t *bytes)
{
	if (!*bytes || from < ENTRY_BYTES || from > header_bytes || *bytes > header_bytes - from) {
		*bytes = 0;
		return "";
	}
	return (const char *)at + from;
}

/* PTX has a record {u32 where in the header, u32 length} of the compiler's options. */
static void
read_options(struct wcp_fatbin_entry *en, const uint8_t *at, uint64_t header_bytes)
{
	const uint32_t record = le32(at + AT_OPTIONS);
	en->options = "";
	if (en->kind != WCP_FATBIN_PTX || record < ENTRY_BYTES || record > header_bytes ||
	    header_bytes - record < 8)
		return;
	en->options_bytes = le32(at + record + 4);
	en->options = text_in_header(at, header_bytes, le32(at + record), &en->options_bytes);
	while (en->options_bytes &&
	       (en->options[en->options_bytes - 1] == ' ' || !en->options[en->options_bytes - 1]))
		en->options_bytes--;
}

static enum wcp_fatbin_kind
kind_of(uint16_t kind)
{
	return kind == 1 ? WCP_FATBIN_PTX : kind == 2 ? WCP_FATBIN_CUBIN : WCP_FATBIN_OTHER;
}

static enum wcp_fatbin_packing
packing_of(uint64_t flags)
{
	return flags & FLAG_ZSTD  ? WCP_FATBIN_ZSTD
	       : flags & FLAG_LZ4 ? WCP_FATBIN_LZ4
	       : flags & FLAG_OLD ? WCP_FATBIN_OLD
				  : WCP_FATBIN_RAW;
}

/* One entry at data + *at, no further than end; *at moves behind it. */
static int
read_entry(
    struct wcp_fatbin *f, const uint8_t *data, uint64_t *at, uint64_t end, struct wcp_error *e)
{
	const uint8_t *p = data + *at;
	if (end - *at < ENTRY_BYTES)
		return damaged(e, *at, "an entry's header is cut short");
	const uint64_t header = le32(p + AT_HEADER_BYTES), payload = le64(p + AT_PAYLOAD_BYTES);
	const uint64_t packed = le32(p + AT_PACKED_BYTES), bytes = le64(p + AT_BYTES);
	if (header < ENTRY_BYTES || header > end - *at)
		return damaged(e, *at, "an entry's header has a wrong length");
	if (payload > end - *at - header)
		return damaged(e, *at, "an entry is longer than its container");
	if (packed > payload)
		return damaged(e, *at, "an entry's compressed size is larger than its room");
	struct wcp_fatbin_entry *en = new_entry(f);
	if (!en)
		return wcp_fail(e, WCP_ESYS, "out of memory");
	*en = (struct wcp_fatbin_entry){
	    .kind = kind_of(le16(p + AT_KIND)),
	    .packing = packing_of(le64(p + AT_FLAGS)),
	    .container = f->n_container,
	    .sm = le32(p + AT_SM),
	    .isa_major = le16(p + AT_ISA_MAJOR),
	    .isa_minor = le16(p + AT_ISA_MINOR),
	    .flags = le64(p + AT_FLAGS),
	    .offset = *at,
	    .payload = p + header,
	    .stored_bytes = packed ? packed : payload,
	};
	en->bytes = en->packing == WCP_FATBIN_RAW ? payload : bytes;
	en->name_bytes = le32(p + AT_NAME_BYTES);
	en->name = text_in_header(p, header, le32(p + AT_NAME), &en->name_bytes);
	read_options(en, p, header);
	*at += header + payload;
	return 0;
}

bool
fatbin_is_container(const void *data)
{
	return le32(data) == CONTAINER_MAGIC;
}

int
fatbin_container_bytes(const uint8_t *p, uint64_t *header, uint64_t *entries, struct wcp_error *e)
{
	const uint16_t version = le16(p + 4);
	*header = le16(p + 6);
	*entries = le64(p + 8);
	if (version < 1 || version > 2)
		return wcp_fail(
		    e, WCP_EDATA, "fat binary: container version %u is not known", version);
	if (*header < CONTAINER_BYTES)
		return wcp_fail(e, WCP_EDATA, "fat binary: a container's header of %u bytes",
		    (unsigned)*header);
	return 0;
}

/* The container at data + *at; *at moves behind it. */
static int
read_container(
    struct wcp_fatbin *f, const uint8_t *data, uint64_t *at, uint64_t bytes, struct wcp_error *e)
{
	uint64_t header, entries, start = *at;
	if (fatbin_container_bytes(data + start, &header, &entries, e)) {
		if (e)
			e->offset = start;
		return WCP_EDATA;
	}
	if (header > bytes - start || entries > bytes - start - header)
		return damaged(e, start, "a container is cut short");
	const uint64_t end = start + header + entries;
	for (*at = start + header; *at < end;) {
		const int r = read_entry(f, data, at, end, e);
		if (r)
			return r;
	}
	f->n_container++;
	return 0;
}

int
wcp_fatbin_read(struct wcp_fatbin *f, const void *data, size_t bytes, struct wcp_error *e)
{
	const uint8_t *p = data;
	const uint32_t before = f->n_container;
	for (uint64_t at = 0; at < bytes;) {
		if (!p[at]) {
			at++;
			continue;
		}
		if (bytes - at < CONTAINER_BYTES)
			return damaged(e, at, "a container is cut short");
		if (!fatbin_is_container(p + at))
			return damaged(e, at, "no container's magic number");
		const int r = read_container(f, p, &at, bytes, e);
		if (r)
			return r;
	}
	return (int)(f->n_container - before);
}

typedef bool readable_fn(const void *p, size_t bytes);

/* A container in memory says itself how long it is, which may be damage. */
static int
read_in_memory(
    struct wcp_fatbin *f, const void *container, readable_fn *readable, struct wcp_error *e)
{
	uint64_t header, entries, bytes, at = 0;
	if (!readable(container, CONTAINER_BYTES))
		return wcp_fail(e, WCP_EDATA, "fat binary: a container lies outside the memory");
	if (!fatbin_is_container(container))
		return wcp_fail(e, WCP_EDATA,
		    "fat binary: a container begins with 0x%08x, not with 0x%08x", le32(container),
		    CONTAINER_MAGIC);
	const int r = fatbin_container_bytes(container, &header, &entries, e);
	if (r)
		return r;
	if (__builtin_add_overflow(header, entries, &bytes) || !readable(container, bytes))
		return wcp_fail(e, WCP_EDATA,
		    "fat binary: a container of %llu bytes is longer than the memory that it is in",
		    (unsigned long long)entries);
	return read_container(f, container, &at, bytes, e);
}

int
wcp_fatbin_read_wrapper(
    struct wcp_fatbin *f, const void *wrapper, readable_fn *readable, struct wcp_error *e)
{
	struct wcp_fatbin_wrapper w;
	int n = 0, r = 0;
	memcpy(&w, wrapper, sizeof w);
	if (w.magic != WRAPPER_MAGIC)
		return wcp_fail(e, WCP_EDATA, "fat binary: it begins with 0x%08x, not with 0x%08x",
		    w.magic, WRAPPER_MAGIC);
	if (w.version < 1 || w.version > 2)
		return wcp_fail(
		    e, WCP_EDATA, "fat binary: wrapper version %u is not known", w.version);
	for (; !r && w.version == 2 && w.aux && w.aux[n]; n++)
		r = read_in_memory(f, w.aux[n], readable, e);
	if (!r && !n && w.data) {
		r = read_in_memory(f, w.data, readable, e);
		n++;
	}
	return r ? r : n;
}
