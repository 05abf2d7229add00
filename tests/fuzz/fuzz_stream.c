/* The stream reader on any bytes: nothing may crash, hang or take memory without bound. The first
 * byte says how it is read: threads, columns, whether blocks are skipped, and whether the checksums
 * of a raw stream are made right, so that its blocks are decoded at all. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>
#include "warpcap/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static bool
every_other(void *arg, const struct wcp_block_info *info)
{
	unsigned *calls = arg;
	return (++*calls + info->records) % 2;
}

/* Looks at everything an item holds, so that a sanitizer sees what is not there. */
static uint64_t
look(const struct wcp_item *item)
{
	uint64_t sum = 0, lane[WCP_LANES] = {0};
	if (item->type == WCP_ITEM_WARP)
		for (uint32_t i = 0; i < item->warp->n_mem; i++) {
			wcp_mem_expand(item->warp, i, lane);
			sum += lane[i % WCP_LANES] + item->warp->mem_pc[i];
		}
	if (item->type == WCP_ITEM_ACCESS && item->access->line)
		for (uint32_t i = 0; i < item->access->n; i++)
			sum += item->access->line[i];
	if (item->type == WCP_ITEM_PROGRAM)
		for (uint32_t i = 0; i < item->program->n_insn; i++)
			sum += (uint8_t)item->program->strings[item->program->insn[i].opcode];
	return sum;
}

static uint32_t
number(const uint8_t *p, bool swapped)
{
	uint32_t v;
	memcpy(&v, p, sizeof v);
	return swapped ? __builtin_bswap32(v) : v;
}

static void
mend(uint8_t *p, size_t n)
{
	if (n < 32 || (memcmp(p, "WRCP", 4) != 0 && memcmp(p, "PCRW", 4) != 0))
		return;
	bool swapped = p[0] == 'P';
	for (size_t i = 16; i + 16 <= n;) {
		uint32_t bytes = number(p + i + 4, swapped);
		if (bytes > n - i - 16)
			return;
		uint32_t sum = (uint32_t)XXH64(p + i + 16, bytes, XXH64(p + i, 12, 0));
		sum = swapped ? __builtin_bswap32(sum) : sum;
		memcpy(p + i + 12, &sum, sizeof sum);
		i += 16 + (size_t)bytes;
	}
}

static void
read_all(const uint8_t *data, size_t n, const struct wcp_read_options *o)
{
	char path[64];
	struct wcp_item item;
	volatile uint64_t sum = 0;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0 || write(fd, data, n) != (ssize_t)n)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	struct wcp_reader *r = wcp_reader_open(path, o, NULL);
	while (r && wcp_reader_next(r, &item, NULL) == 1)
		sum += look(&item);
	(void)sum;
	wcp_reader_close(r);
	close(fd);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	if (!n)
		return 0;
	unsigned calls = 0;
	struct wcp_read_options o = {.threads = data[0] & 1 ? 2 : 1,
	    .columns = data[0] & 2 ? WCP_COL(LINE) | WCP_COL(KERNEL) : 0,
	    .want = data[0] & 4 ? every_other : NULL,
	    .want_arg = &calls};
	uint8_t *copy = malloc(n);
	if (!copy)
		return 0;
	memcpy(copy, data, n);
	if (!(data[0] & 8))
		mend(copy + 1, n - 1);
	read_all(copy + 1, n - 1, &o);
	free(copy);
	return 0;
}
