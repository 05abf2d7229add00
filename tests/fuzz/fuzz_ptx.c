/* The PTX parser under any text: it fails with a line number or gives a module that prints and
 * parses again. */
#include <stdlib.h>
#include "../ptx_print.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct wcp_error e = {0};
	struct ptx_module *m = ptx_parse((const char *)data, bytes, &e);
	if (!m) {
		if (strncmp(e.text, "line ", 5) || e.offset > bytes)
			abort();
		return 0;
	}
	char *text;
	size_t text_bytes;
	FILE *f = open_memstream(&text, &text_bytes);
	print_module(f, m);
	fclose(f);
	ptx_free(m);
	m = text_bytes < 1u << 20 ? ptx_parse(text, text_bytes, &e) : NULL;
	ptx_free(m);
	free(text);
	return 0;
}
