/* Any bytes as containers and as a program's file; what can be read is unpacked. */
#include <stdlib.h>
#include "warpcap/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
use(const struct wcp_fatbin *f, size_t size)
{
	for (uint32_t i = 0; i < f->n; i++) {
		const struct wcp_fatbin_entry *en = &f->entry[i];
		struct wcp_error e = {0};
		size_t bytes;
		if (en->offset > size || en->stored_bytes > size ||
		    en->container >= f->n_container + 1)
			abort();
		char *text = en->bytes < 1u << 20 ? wcp_fatbin_unpack(en, &bytes, &e) : NULL;
		if (text && (bytes > en->bytes || text[bytes]))
			abort();
		if (text)
			wcp_fatbin_is_device_runtime(text, bytes);
		free(text);
	}
	for (uint32_t c = 0; c < f->n_container && c < 16; c++) {
		struct wcp_error e = {0};
		const int best = wcp_fatbin_best_ptx(f, c, 90, &e);
		if (best >= 0 && f->entry[best].kind != WCP_FATBIN_PTX)
			abort();
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wcp_error e = {0};
	struct wcp_cuda_file c;
	struct wcp_fatbin f;
	wcp_fatbin_init(&f);
	const int r = wcp_fatbin_read(&f, data, size, &e);
	if (r < 0 && (e.status != r || e.offset > size))
		abort();
	use(&f, size);
	wcp_fatbin_release(&f);
	if (!wcp_cuda_file_read(&c, data, size, &e)) {
		use(&c.fatbin, size);
		wcp_cuda_file_check(&c, 90, &e);
		wcp_fatbin_release(&c.fatbin);
	}
	return 0;
}
