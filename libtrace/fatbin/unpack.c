/* An entry's payload as it was before compression. */
#include <lz4.h>
#include <stdlib.h>
#include <zstd.h>
#include "fatbin/fatbin.h"

/* Beyond any module; a damaged length must not ask for the machine's memory. */
#define BYTES_MAX (1ull << 30)

/* LZ4 never makes more than 255 bytes of one. */
#define LZ4_RATIO_MAX 255u

static const char wrong_length[] = "fat binary: an entry unpacks to another length than it says";

static int
unpack_zstd(const struct wcp_fatbin_entry *en, char *to, struct wcp_error *e)
{
	const size_t n = ZSTD_decompress(to, en->bytes, en->payload, en->stored_bytes);
	if (ZSTD_isError(n))
		return wcp_fail(e, WCP_EDATA, "fat binary: zstd: %s", ZSTD_getErrorName(n));
	return n == en->bytes ? 0 : wcp_fail(e, WCP_EDATA, wrong_length);
}

static int
unpack_lz4(const struct wcp_fatbin_entry *en, char *to, struct wcp_error *e)
{
	const int n = LZ4_decompress_safe(
	    (const char *)en->payload, to, (int)en->stored_bytes, (int)en->bytes);
	if (n < 0)
		return wcp_fail(e, WCP_EDATA, "fat binary: a damaged LZ4 block");
	return (uint64_t)n == en->bytes ? 0 : wcp_fail(e, WCP_EDATA, wrong_length);
}

/* What the payload itself allows, so that nothing is allocated on a damaged length's word. */
static int
check_length(const struct wcp_fatbin_entry *en, struct wcp_error *e)
{
	if (en->packing == WCP_FATBIN_OLD)
		return wcp_fail(e, WCP_EDATA,
		    "fat binary: compressed as before CUDA 11, which cannot be read; build it "
		    "with a newer nvcc or with -no-compress");
	if (en->bytes > BYTES_MAX || en->stored_bytes > BYTES_MAX)
		return wcp_fail(e, WCP_EDATA, "fat binary: an entry of %llu bytes",
		    (unsigned long long)(en->bytes > BYTES_MAX ? en->bytes : en->stored_bytes));
	if (en->packing == WCP_FATBIN_LZ4 && en->bytes / LZ4_RATIO_MAX > en->stored_bytes)
		return wcp_fail(e, WCP_EDATA, wrong_length);
	if (en->packing != WCP_FATBIN_ZSTD)
		return 0;
	const unsigned long long n = ZSTD_getFrameContentSize(en->payload, en->stored_bytes);
	if (n == ZSTD_CONTENTSIZE_ERROR)
		return wcp_fail(
		    e, WCP_EDATA, "fat binary: an entry is not the zstd frame it should be");
	if (n != ZSTD_CONTENTSIZE_UNKNOWN && n != en->bytes)
		return wcp_fail(e, WCP_EDATA, wrong_length);
	return 0;
}

char *
wcp_fatbin_unpack(const struct wcp_fatbin_entry *en, size_t *bytes, struct wcp_error *e)
{
	int r = check_length(en, e);
	if (r)
		return NULL;
	char *to = malloc(en->bytes + 1);
	if (!to) {
		wcp_fail(e, WCP_ESYS, "out of memory");
		return NULL;
	}
	if (en->packing == WCP_FATBIN_ZSTD)
		r = unpack_zstd(en, to, e);
	else if (en->packing == WCP_FATBIN_LZ4)
		r = unpack_lz4(en, to, e);
	else
		memcpy(to, en->payload, en->bytes);
	if (r) {
		free(to);
		return NULL;
	}
	*bytes = en->bytes;
	while (en->kind == WCP_FATBIN_PTX && *bytes && !to[*bytes - 1])
		--*bytes;
	to[*bytes] = 0;
	return to;
}

bool
wcp_fatbin_is_device_runtime(const char *ptx, size_t bytes)
{
	static const char mark[] = "__CNPRT_VERSION_NUMBER__";
	return memmem(ptx, bytes, mark, sizeof mark - 1) != NULL;
}
