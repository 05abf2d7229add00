/* What the executor records: laws that hold for any kernel, addresses against brute force, and that
 * neither threads nor the instruction set change a bit. */
#include "exec_kit.h"

/* Shapes: t is the thread. Each store goes to out + offset(t), masked or not. */
static const char shapes[] = HEAD KERNEL(
    "k") "st.global.u32 [%rd2], 1;\n" /* 4 t */
	 "and.b32 %r4, %r1, 7;\nshr.u32 %r5, %r1, 3;\nmul.lo.u32 %r5, %r5, "
	 "100;\nadd.u32 %r5, %r5, "
	 "%r4;\n"
	 "mul.wide.u32 %rd3, %r5, 4;\nadd.u64 %rd3, %rd1, %rd3;\nst.global.u32 [%rd3], "
	 "2;\n" /* 8
		   wide,
		   pitch
		   400
		 */
	 "mul.lo.u32 %r6, %r1, 40503;\nand.b32 %r6, %r6, 4095;\nmul.wide.u32 %rd4, %r6, "
	 "4;\nadd.u64 %rd4, %rd1, %rd4;\n"
	 "st.global.u32 [%rd4], 3;\n" /* scattered */
	 "and.b32 %r7, %r1, 5;\nsetp.ne.u32 %p1, %r7, 0;\n@%p1 st.global.u32 [%rd3+4], "
	 "4;\n"
	 "@%p1 st.global.u32 [%rd4], 5;\nsetp.eq.u32 %p2, %r7, 5;\n@%p2 ld.global.u32 "
	 "%r8, "
	 "[%rd2+-8];\n"
	 "@%p2 st.global.u64 [%rd1+8], %rd4;\n"
	 "setp.gt.u32 %p3, %r1, 100000;\n@%p3 st.global.u32 [%rd1], 6;\n" END;

#define N 256u

static uint64_t
offset(unsigned which, uint32_t t)
{
	const uint64_t tile = 4ull * (t / 8 * 100 + t % 8), scattered = 4ull * (t * 40503u & 4095);
	const uint64_t list[] = {4ull * t, tile, scattered, tile + 4, scattered, 4ull * t - 8, 8};
	return list[which];
}

static bool
takes_part(unsigned which, uint32_t t)
{
	return which < 3 || (which < 5 ? (t & 5) != 0 : (t & 5) == 5);
}

static void
brute_force(void)
{
	struct kit k;
	kit_open(&k, shapes, (struct wcp_device_options){0});
	uint64_t a = kit_buffer(&k, 1 << 16, "out"), at[WCP_LANES];
	CHECK(kit_launch(&k, "k", 2, N / 2, 0, &a, 1) == 0, "%s", k.error.text);
	const struct wcp_warp_batch *b = &k.all;
	CHECK(b->n_seg == N / 32, "%u segments", b->n_seg);
	for (uint32_t s = 0; s < b->n_seg; s++) {
		uint32_t m = b->seg_mem[s] + 1, warp = b->seg_cta[s] * 4 + b->seg_warp[s];
		CHECK(b->mem_space[m - 1] == WCP_SPACE_PARAM, "parameter");
		CHECK(b->seg_mem[s + 1] == m + 7, "%u memory records", b->seg_mem[s + 1] - m);
		for (unsigned i = 0; i < 7; i++, m++) {
			uint32_t mask = 0;
			wcp_mem_expand(b, m, at);
			for (uint32_t l = 0; l < WCP_LANES; l++)
				mask |= (uint32_t)takes_part(i, 32 * warp + l) << l;
			CHECK(b->mem_mask[m] == mask, "access %u: mask %x, not %x", i,
			    b->mem_mask[m], mask);
			for (uint32_t l = 0; l < WCP_LANES; l++)
				CHECK(!(mask >> l & 1) || at[l] == a + offset(i, 32 * warp + l),
				    "access %u warp %u lane %u: %" PRIx64, i, warp, l, at[l]);
		}
	}
	static const uint8_t want[7] = {WCP_MEM_AFFINE, WCP_MEM_TILE8, WCP_MEM_LIST, WCP_MEM_TILE8,
	    WCP_MEM_LIST, WCP_MEM_AFFINE, WCP_MEM_AFFINE};
	for (unsigned i = 0; i < 5; i++)
		CHECK(
		    b->mem_shape[1 + i] == want[i], "access %u: shape %u", i, b->mem_shape[1 + i]);
	kit_close(&k);
}

/* Runs follow the program, guards and memory records belong to instructions that have them, sums
 * agree. */
static void
laws(const char *name, const struct kit *k, uint32_t ctas, uint32_t warps)
{
	const struct wcp_warp_batch *b = &k->all;
	const struct wcp_program *p = k->program;
	uint64_t warp_insns = 0, thread_insns = 0, mem_insns = 0;
	uint32_t begun = 0, ended = 0, cta_begun = 0, cta_ended = 0;
	for (uint32_t s = 0; s < b->n_seg; s++) {
		uint32_t g = b->seg_guard[s], m = b->seg_mem[s];
		begun += !!(b->seg_flags[s] & WCP_SEG_WARP_BEGIN);
		ended += !!(b->seg_flags[s] & WCP_SEG_WARP_END);
		cta_begun += !!(b->seg_flags[s] & WCP_SEG_CTA_BEGIN);
		cta_ended += !!(b->seg_flags[s] & WCP_SEG_CTA_END);
		for (uint32_t r = b->seg_run[s]; r < b->seg_run[s + 1]; r++) {
			CHECK(b->run_len[r] && b->run_pc[r] + b->run_len[r] <= p->n_insn &&
				  b->run_mask[r],
			    "%s: run", name);
			warp_insns += b->run_len[r];
			for (uint32_t i = 0; i < b->run_len[r]; i++) {
				const struct wcp_insn *in = &p->insn[b->run_pc[r] + i];
				uint32_t mask = b->run_mask[r];
				if (in->flags & WCP_INSN_GUARDED) {
					CHECK((b->guard_mask[g] & ~mask) == 0,
					    "%s: guard outside of the run", name);
					mask = b->guard_mask[g++];
				}
				thread_insns += (unsigned)__builtin_popcount(mask);
				if (!(in->flags & WCP_INSN_MEMORY) || !mask)
					continue;
				mem_insns++;
				uint32_t lanes = b->mem_mask[m];
				while (b->mem_flags[m] & WCP_MEM_MORE)
					lanes |= b->mem_mask[++m];
				CHECK(lanes == mask && b->mem_pc[m] == b->run_pc[r] + i,
				    "%s: memory record", name);
				m++;
			}
		}
		CHECK(g == b->seg_guard[s + 1] && m == b->seg_mem[s + 1], "%s: lists of segment %u",
		    name, s);
	}
	CHECK(warp_insns == k->end.warp_insns && warp_insns == b->warp_insns,
	    "%s: warp instructions", name);
	CHECK(thread_insns == k->end.thread_insns && thread_insns == b->thread_insns,
	    "%s: thread instructions %" PRIu64 " %" PRIu64, name, thread_insns,
	    k->end.thread_insns);
	CHECK(mem_insns == k->end.mem_insns, "%s: memory instructions", name);
	CHECK(begun == ctas * warps && ended == begun, "%s: %u warps begin, %u end", name, begun,
	    ended);
	CHECK(cta_begun == ctas && cta_ended == ctas && k->end.ctas == ctas, "%s: CTAs", name);
}

/* A loop with trip counts by thread, gathers, shared memory, barriers, a commutative reduction. */
static const char mixed[] = HEAD ".global .align 4 .u32 total;\n" KERNEL(
    "k") ".shared .align 4 .b8 s[1024];\nmov.u32 %r4, %tid.x;\nmov.u32 %r5, s;\nmad.lo.u32 %r5, "
	 "%r4, 4, %r5;\n"
	 "st.shared.u32 [%r5], %r1;\nbar.sync 0;\nmul.lo.u32 %r6, %r1, 2654435761;\nshr.u32 %r7, "
	 "%r6, 27;\nmov.u32 %r8, 0;\n"
	 "LOOP:\nsetp.ge.u32 %p1, %r8, %r7;\n@%p1 bra DONE;\nmad.lo.u32 %r6, %r6, 1664525, "
	 "1013904223;\n"
	 "shr.u32 %r9, %r6, 24;\nshl.b32 %r9, %r9, 2;\nmov.u32 %r10, s;\nadd.u32 %r10, %r10, "
	 "%r9;\nld.shared.u32 %r11, [%r10];\n"
	 "and.b32 %r12, %r11, 1;\nsetp.eq.u32 %p2, %r12, 0;\n@%p2 bra SKIP;\nadd.u32 %r13, %r13, "
	 "%r11;\n"
	 "@%p2 mul.lo.u32 %r13, %r13, 3;\nSKIP:\nadd.u32 %r8, %r8, 1;\nbra LOOP;\n"
	 "DONE:\nbar.sync 0;\nred.global.add.u32 [total], %r13;\n" PUT("%r13") END;

/* Columns of n and m entries */
static bool
same_column(const void *a, const void *b, uint32_t n, uint32_t m, size_t size)
{
	return n == m && (!n || !memcmp(a, b, n * size));
}

static bool
same(const struct wcp_warp_batch *a, const struct wcp_warp_batch *b)
{
	bool ok = a->warp_insns == b->warp_insns && a->thread_insns == b->thread_insns;
#define SAME(x, n) ok = ok && same_column(a->x, b->x, a->n, b->n, sizeof *a->x)
	SAME(seg_cta, n_seg);
	SAME(seg_warp, n_seg);
	SAME(seg_flags, n_seg);
	SAME(seg_run, n_seg);
	SAME(seg_guard, n_seg);
	SAME(seg_mem, n_seg);
	SAME(run_pc, n_run);
	SAME(run_len, n_run);
	SAME(run_mask, n_run);
	SAME(guard_mask, n_guard);
	SAME(mem_pc, n_mem);
	SAME(mem_mask, n_mem);
	SAME(mem_shape, n_mem);
	SAME(mem_space, n_mem);
	SAME(mem_flags, n_mem);
	SAME(mem_base, n_mem);
	SAME(mem_stride, n_mem);
	SAME(mem_pitch, n_mem);
	SAME(addr, n_addr);
	SAME(event_at, n_event);
	return ok;
}

static bool
same_end(const struct wcp_kernel_end *a, const struct wcp_kernel_end *b)
{
	return a->kernel == b->kernel && a->warp_insns == b->warp_insns &&
	       a->thread_insns == b->thread_insns && a->mem_insns == b->mem_insns &&
	       a->ctas == b->ctas;
}

#define CTAS 70u

static void
same_for_all(void)
{
	static const unsigned level[] = {1, 3, 4}, threads[] = {1, 2, 8};
	struct kit first;
	uint32_t *memory = malloc(4 * CTAS * 256);
	uint64_t a;
	kit_open(&first, mixed, (struct wcp_device_options){0});
	a = kit_buffer(&first, 4 * CTAS * 256, "out");
	CHECK(kit_launch(&first, "k", CTAS, 256, 0, &a, 1) == 0, "%s", first.error.text);
	laws("mixed", &first, CTAS, 8);
	memcpy(memory, wcp_device_host(first.device, a, 4 * CTAS * 256), 4 * CTAS * 256);
	for (unsigned i = 0; i < 9; i++) {
		struct kit k;
		struct wcp_error e;
		const struct wcp_device_options o = {
		    .isa_level = level[i / 3], .threads = threads[i % 3]};
		struct wcp_device *probe = wcp_device_new(&o, &e);
		if (!probe)
			continue; /* this CPU has no such level */
		wcp_device_free(probe);
		kit_open(&k, mixed, o);
		a = kit_buffer(&k, 4 * CTAS * 256, "out");
		CHECK(kit_launch(&k, "k", CTAS, 256, 0, &a, 1) == 0, "%s", k.error.text);
		CHECK(!memcmp(memory, wcp_device_host(k.device, a, 4 * CTAS * 256), 4 * CTAS * 256),
		    "memory at level %u, %u threads", level[i / 3], threads[i % 3]);
		CHECK(same(&first.all, &k.all), "recording at level %u, %u threads", level[i / 3],
		    threads[i % 3]);
		CHECK(same_end(&first.end, &k.end), "totals at level %u, %u threads", level[i / 3],
		    threads[i % 3]);
		kit_close(&k);
	}
	kit_close(&first);
	free(memory);
}

/* A part of a launch: by CTA, by thread instructions. Execution stays complete. */
static void
parts(void)
{
	struct kit k;
	uint64_t a;
	kit_open(&k, mixed,
	    (struct wcp_device_options){.record_cta_first = 3, .record_cta_last = 5, .threads = 2});
	a = kit_buffer(&k, 4 * CTAS * 256, "out");
	CHECK(kit_launch(&k, "k", CTAS, 256, 0, &a, 1) == 0, "%s", k.error.text);
	CHECK(k.all.n_seg && k.all.seg_cta[0] == 3 && k.all.seg_cta[k.all.n_seg - 1] == 5,
	    "CTAs 3 to 5");
	CHECK(k.end.ctas == CTAS && k.kernel.flags & WCP_KERNEL_PARTIAL, "complete and marked");
	kit_close(&k);
	uint64_t taken[3] = {0};
	for (unsigned i = 0; i < 3; i++) {
		const struct wcp_device_options o = {.record_skip_insns = i == 1 ? 0
									  : i	 ? 500000
										 : 0,
		    .record_max_insns = i == 1 ? 500000 : 0};
		kit_open(&k, mixed, o);
		a = kit_buffer(&k, 4 * CTAS * 256, "out");
		CHECK(kit_launch(&k, "k", CTAS, 256, 0, &a, 1) == 0, "%s", k.error.text);
		taken[i] = k.all.thread_insns;
		kit_close(&k);
	}
	CHECK(taken[0] == taken[1] + taken[2] && taken[1] >= 500000 && taken[1] < 500000 + 200000,
	    "%" PRIu64 " %" PRIu64 " %" PRIu64, taken[0], taken[1], taken[2]);
}

/* Before a fault everything is handed over, and the same whatever the number of threads. */
static void
before_a_fault(void)
{
	static const char ptx[] =
	    HEAD KERNEL("k") PUT("%r1") "setp.eq.u32 %p1, %r1, 2500;\nmov.u64 %rd3, 0;\n"
					"@%p1 ld.global.u32 %r4, [%rd3];\n" PUT("%r1") END;
	struct kit k[2];
	for (unsigned i = 0; i < 2; i++) {
		kit_open(&k[i], ptx, (struct wcp_device_options){.threads = i ? 8 : 1});
		uint64_t a = kit_buffer(&k[i], 4 * 64 * 64, "out");
		CHECK(kit_launch(&k[i], "k", 64, 64, 0, &a, 1) == WCP_ENO, "no fault");
		CHECK(
		    strstr(k[i].error.text, "CTA (39,0,0) thread (4,0,0): load of 4 bytes at 0x0"),
		    "%s", k[i].error.text);
		CHECK(k[i].ends == 1 && k[i].end.ctas == 39 &&
			  k[i].end.thread_insns == k[i].all.thread_insns,
		    "%" PRIu64 " CTAs", k[i].end.ctas);
		const struct wcp_warp_batch *b = &k[i].all;
		CHECK(b->seg_cta[b->n_seg - 1] == 39 &&
			  !(b->seg_flags[b->n_seg - 1] & WCP_SEG_WARP_END),
		    "last segment");
	}
	CHECK(same(&k[0].all, &k[1].all) && same_end(&k[0].end, &k[1].end), "threads change it");
	kit_close(&k[0]);
	kit_close(&k[1]);
}

/* The static program: operands, guards, targets, barriers. */
static void
program(void)
{
	struct kit k;
	kit_open(&k, mixed, (struct wcp_device_options){0});
	uint64_t a = kit_buffer(&k, 1024, "out");
	CHECK(kit_launch(&k, "k", 1, 256, 0, &a, 1) == 0, "%s", k.error.text);
	const struct wcp_program *p = k.program;
	CHECK(!strcmp(p->name, "k") && !strcmp(p->strings + p->insn[0].opcode, "ld.param.u64"),
	    "name");
	const struct wcp_insn *branch = NULL, *barrier = NULL, *load = NULL;
	for (uint32_t i = 0; i < p->n_insn; i++) {
		branch = p->insn[i].op_class == WCP_OP_BRANCH && !branch ? &p->insn[i] : branch;
		barrier = p->insn[i].op_class == WCP_OP_BARRIER ? &p->insn[i] : barrier;
		load = p->insn[i].space == WCP_SPACE_SHARED && p->insn[i].kind == WCP_LOAD
			   ? &p->insn[i]
			   : load;
	}
	CHECK(branch && branch->nsrc == 1 && branch->ndst == 0 &&
		  branch->target == branch->reconverge &&
		  p->insn[branch->target].op_class == WCP_OP_BARRIER &&
		  (branch->flags & WCP_INSN_GUARDED),
	    "branch");
	CHECK(barrier && barrier->bar_id == 0 && barrier->bar_count == 0, "barrier");
	CHECK(load && load->bytes == 4 && load->ndst == 1 && load->nsrc == 1 &&
		  load->flags == WCP_INSN_MEMORY,
	    "load");
	CHECK(k.kernel.static_shared_bytes == 1024 && k.kernel.regs_per_thread >= 8 &&
		  k.kernel.regs_per_thread <= 16 && k.kernel.flags == 0,
	    "kernel: %u registers, flags %x", k.kernel.regs_per_thread, k.kernel.flags);
	kit_close(&k);
}

/* A hundred values that live at once, within what its directives leave room for. */
static uint32_t
registers(const char *directives, uint32_t regs_per_sm)
{
	char ptx[8192];
	struct kit k;
	struct wcp_kernel_info info = {0};
	int n = snprintf(ptx, sizeof ptx,
	    HEAD ".visible .entry k(.param .u64 out)\n%s\n{\n.reg .b32 %%r<101>;\n.reg .b64 %%a;\n"
		 "ld.param.u64 %%a, [out];\n",
	    directives);
	for (int i = 0; i < 100; i++)
		n += snprintf(
		    ptx + n, sizeof ptx - (size_t)n, "ld.volatile.global.u32 %%r%d, [%%a];\n", i);
	for (int i = 1; i < 100; i++)
		n += snprintf(ptx + n, sizeof ptx - (size_t)n, "add.u32 %%r0, %%r0, %%r%d;\n", i);
	snprintf(ptx + n, sizeof ptx - (size_t)n, "st.global.u32 [%%a], %%r0;\n" END);
	kit_open(&k, ptx, (struct wcp_device_options){.regs_per_sm = regs_per_sm});
	CHECK(wcp_kernel_info(k.device, k.module, "k", &info, &k.error) == 0, "%s", k.error.text);
	kit_close(&k);
	return info.regs_per_thread;
}

/* By hand: registers / 32 lanes / warps, in eights; warps in fours. */
static void
within_directives(void)
{
	const uint32_t free = registers("", 0);
	CHECK(free >= 100 && free < 110, "%u", free);
	CHECK(registers("", 32768) == free, "no promise");
	CHECK(registers(".maxntid 1024", 0) == 64, "threads");
	CHECK(registers(".reqntid 1024", 0) == 64, "threads required");
	CHECK(registers(".reqntid 32, 32", 32768) == 32, "threads required of a smaller device");
	CHECK(registers(".maxntid 1024", 32768) == 32, "threads of a smaller device");
	CHECK(registers(".maxntid 256\n.minnctapersm 5", 0) == 48, "blocks");
	CHECK(registers(".maxntid 33", 65536) == free, "room enough");
	CHECK(registers(".maxnreg 40", 0) == 40, "registers");
}

int
main(void)
{
	within_directives();
	brute_force();
	same_for_all();
	parts();
	before_a_fault();
	program();
	printf(kit_failures ? "%d failures\n" : "ok\n", kit_failures);
	return kit_failures != 0;
}
