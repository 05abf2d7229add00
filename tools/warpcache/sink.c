#include <stdlib.h>
#include <string.h>
#include "sink.h"
#include "tally.h"

static void
count_passed(struct sink *s, const struct wcp_access_batch *b)
{
	for (uint32_t i = 0; i < b->n; i++) {
		uint32_t kernel = b->kernel[i];
		if (kernel == WCP_NONE32)
			continue;
		if (kernel >= s->n_passed) {
			s->passed = must_alloc(s->passed, (kernel + 1ull) * sizeof *s->passed);
			memset(s->passed + s->n_passed, 0,
			    (kernel + 1ull - s->n_passed) * sizeof *s->passed);
			s->n_passed = kernel + 1;
		}
		s->passed[kernel]++;
	}
}

static int
kernel_end(struct sink *s, const struct wcp_kernel_end *end, struct wcp_error *e)
{
	struct wcp_kernel_end out = *end;
	out.accesses = end->kernel < s->n_passed ? s->passed[end->kernel] : 0;
	return wcp_writer_kernel_end(s->writer, &out, e);
}

int
sink_item(struct sink *s, const struct wcp_item *item, struct wcp_error *e)
{
	if (!s->writer)
		return 0;
	switch (item->type) {
	case WCP_ITEM_ACCESS:
		count_passed(s, item->access);
		return item->access->n ? wcp_writer_access(s->writer, item->access, e) : 0;
	case WCP_ITEM_KERNEL: return wcp_writer_kernel(s->writer, item->kernel, e);
	case WCP_ITEM_KERNEL_END: return kernel_end(s, item->kernel_end, e);
	case WCP_ITEM_PROGRAM: return wcp_writer_program(s->writer, item->program, e);
	case WCP_ITEM_HOST: return wcp_writer_host(s->writer, item->host, e);
	case WCP_ITEM_STATE: return wcp_writer_state(s->writer, item->state, item->n_state, e);
	case WCP_ITEM_END:
	case WCP_ITEM_WARP: break;
	}
	return 0;
}

void
sink_release(struct sink *s)
{
	free(s->passed);
}
