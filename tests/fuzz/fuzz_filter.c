/* The filter compiler on any text; what compiles runs on a small batch of either kind. */
#include <stdlib.h>
#include <string.h>
#include "warpcap/filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char strings[] = "\0ld.global.f32\0src/a.cu";

static const struct wcp_insn insn[] = {
    {.opcode = 1,
	.op_class = WCP_OP_LOAD,
	.kind = WCP_LOAD,
	.space = WCP_SPACE_GLOBAL,
	.flags = WCP_INSN_MEMORY | WCP_INSN_GUARDED,
	.bytes = 4,
	.file = 15,
	.line = 7},
    {.op_class = WCP_OP_INT, .file = WCP_NONE32},
};

static void
run_access(const struct wcp_filter *f)
{
	struct wcp_access_batch b;
	uint32_t index[70];
	wcp_access_batch_init(&b);
	if (wcp_access_batch_reserve(&b, 70) < 0)
		abort();
	b.n = 70;
	for (uint32_t i = 0; i < b.n; i++) {
		b.cycle[i] = b.id[i] = i;
		b.sm[i] = b.warp[i] = b.slot[i] = (uint16_t)(i * 977);
		b.kernel[i] = i % 3;
		b.cta[i] = b.tag[i] = i;
		b.pc[i] = i % 4;
		b.line[i] = i * 0x123456789abull;
		b.sectors[i] = b.lanes[i] = b.outcome[i] = i * 2654435761u;
		b.kind[i] = b.space[i] = (uint8_t)i;
		b.flags[i] = b.bytes[i] = (uint16_t)i;
		b.victim[i] = i ? i : UINT64_MAX;
		b.victim_owner[i] = i;
	}
	if (wcp_filter_access(f, &b, index) > b.n)
		abort();
	wcp_access_batch_release(&b);
}

static void
run_warp(const struct wcp_filter *f, const struct wcp_program *p, const struct wcp_kernel *k)
{
	struct wcp_warp_batch b, out;
	wcp_warp_batch_init(&b);
	wcp_warp_batch_init(&out);
	b.kernel = k->id;
	if (wcp_warp_batch_segment(&b, 5, 1, WCP_SEG_CTA_BEGIN, 0) < 0 ||
	    wcp_warp_batch_reserve_run(&b, 1) < 0 || wcp_warp_batch_reserve_guard(&b, 1) < 0 ||
	    wcp_warp_batch_reserve_mem(&b, 1) < 0)
		abort();
	b.run_pc[0] = 0;
	b.run_len[0] = 2;
	b.run_mask[b.n_run++] = WCP_FULL_MASK;
	b.guard_mask[b.n_guard++] = 0xff;
	b.mem_pc[0] = 0;
	b.mem_mask[0] = 0xff;
	b.mem_shape[0] = WCP_MEM_AFFINE;
	b.mem_space[0] = WCP_SPACE_GLOBAL;
	b.mem_flags[0] = 0;
	b.mem_base[0] = 0x7000;
	b.mem_stride[0] = 256;
	b.mem_pitch[0] = 0;
	b.mem_addr[0] = 0;
	b.n_mem = 1;
	wcp_warp_batch_end(&b);
	if (wcp_filter_warp(f, p, k, &b, &out, NULL) < 0)
		abort();
	wcp_warp_batch_release(&b);
	wcp_warp_batch_release(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct wcp_program p = {
	    .name = "k", .n_insn = 2, .insn = insn, .n_string = sizeof strings, .strings = strings};
	const struct wcp_kernel k = {.id = 1, .name = "atax_kernel1", .grid = {4, 2, 1}};
	const struct wcp_block_info info = {.type = WCP_ITEM_WARP, .kernel = 1, .hi = 9};
	char *text = malloc(size + 1);
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	for (int link = WCP_LINK_ANY; link <= WCP_LINK_ACCESS; link++) {
		struct wcp_error e = {0};
		struct wcp_filter *f = wcp_filter_compile(text, (enum wcp_link)link, &e);
		if (!f && (e.status != WCP_EUSAGE || e.offset > size))
			abort();
		if (f) {
			if (wcp_filter_kernel(f, &k, &p, &e) < 0)
				abort();
			wcp_filter_block(f, &info);
			if (link != WCP_LINK_WARP)
				run_access(f);
			if (link == WCP_LINK_WARP)
				run_warp(f, &p, &k);
		}
		wcp_filter_free(f);
	}
	free(text);
	return 0;
}
