#include <stdlib.h>
#include "stream/reader.h"

bool
stream_job_is_data(const struct job *j)
{
	return !j->part && j->status == 0 &&
	       (j->in.type == BLOCK_WARP || j->in.type == BLOCK_ACCESS ||
		   j->in.type == BLOCK_STATE);
}

static int
classify_program(struct wcp_reader *r, struct job *j, struct wcp_error *why)
{
	struct wcp_program *p = stream_program_decode(&j->in, why);
	if (!p)
		return why->status;
	if (p->id == WCP_NONE32 || p->id >= STREAM_ID_MAX - r->program_base) {
		free(p);
		return wcp_fail(why, WCP_EDATA, "program numbered too high");
	}
	p->id += r->program_base;
	int s = stream_registry_add_program(&r->known, p, p, WCP_EDATA, why);
	if (s < 0)
		free(p);
	else
		j->program = stream_registry_program(&r->known, p->id);
	return s;
}

static int
classify_kernel(struct wcp_reader *r, struct job *j, struct wcp_error *why)
{
	struct wcp_kernel *k = stream_kernel_decode(&j->in, why);
	if (!k)
		return why->status;
	int s = 0;
	if (k->id >= STREAM_ID_MAX - r->kernel_base)
		s = wcp_fail(why, WCP_EDATA, "kernel numbered too high");
	k->id += r->kernel_base;
	if (k->program != WCP_NONE32)
		k->program += r->program_base;
	if (k->parent != WCP_NONE32)
		k->parent += r->kernel_base;
	if (s == 0)
		s = stream_registry_add_kernel(&r->known, k, k, WCP_EDATA, why);
	if (s < 0)
		free(k);
	else
		j->kernel = stream_registry_kernel(&r->known, k->id);
	return s;
}

static int
classify_kernel_end(struct wcp_reader *r, struct job *j, struct wcp_error *why)
{
	int s = stream_kernel_end_decode(&j->in, &j->kernel_end, why);
	j->kernel_end.kernel += r->kernel_base;
	if (s == 0 && !stream_registry_kernel(&r->known, j->kernel_end.kernel))
		return wcp_fail(why, WCP_EDATA, "end of a kernel that has not begun");
	return s;
}

/* What a data block says of itself, and the kernel it belongs to. */
static int
classify_data(
    struct wcp_reader *r, struct job *j, struct wcp_block_info *info, struct wcp_error *why)
{
	struct warp_head w;
	struct access_head a;
	bool warp = j->in.type == BLOCK_WARP;
	int s = 0;
	j->kernel_base = r->kernel_base;
	j->kernels = stream_registry_kernels(&r->known);
	if (warp != (r->link == WCP_LINK_WARP))
		return wcp_fail(why, WCP_EDATA, "a block of the other stream kind");
	if (j->in.type == BLOCK_STATE)
		return 0;
	s = warp ? stream_warp_head(&j->in, &w, why) : stream_access_head(&j->in, &a, why);
	if (s < 0)
		return s;
	if (!warp) {
		*info = (struct wcp_block_info){
		    WCP_ITEM_ACCESS, a.kernel, a.first_cycle, a.last_cycle, j->in.records};
		stream_rebase(&info->kernel, 1, r->kernel_base, 0);
		return 0;
	}
	*info = (struct wcp_block_info){
	    WCP_ITEM_WARP, w.kernel + r->kernel_base, w.first_cta, w.last_cta, j->in.records};
	j->kernel = stream_registry_kernel(&r->known, info->kernel);
	j->program = j->kernel ? j->kernel->program : NULL;
	return j->program ? 0
			  : wcp_fail(why, WCP_EDATA, "records of kernel %u, which has no program",
				info->kernel);
}

static int
classify_part(struct wcp_reader *r, struct job *j, struct wcp_error *why)
{
	j->skip = true;
	if (r->part_open)
		return wcp_fail(
		    why, WCP_EDATA, "truncated: another stream begins before the END block");
	if (j->link != r->link)
		return wcp_fail(why, WCP_EDATA, "a stream of the other kind follows");
	r->part_open = true;
	r->kernel_base = stream_registry_kernels(&r->known);
	r->program_base = stream_registry_programs(&r->known);
	return 0;
}

static int
classify_other(struct wcp_reader *r, struct job *j, struct wcp_error *why)
{
	uint64_t index_blocks;
	int s = 0;
	switch (j->in.type) {
	case BLOCK_PROGRAM: return classify_program(r, j, why);
	case BLOCK_KERNEL: return classify_kernel(r, j, why);
	case BLOCK_KERNEL_END: return classify_kernel_end(r, j, why);
	case BLOCK_HOST:
		j->owned = stream_host_decode(&j->in, why);
		return j->owned ? 0 : why->status;
	case BLOCK_PROVENANCE: {
		char *text = NULL;
		s = stream_provenance_decode(&j->in, &text, &j->lines, why);
		j->owned = text;
		return s;
	}
	case BLOCK_END:
		r->part_open = false;
		return stream_end_decode(&j->in, &j->end, &index_blocks, why);
	case BLOCK_INDEX: j->skip = true; return 0;
	default: /* from a later version */
		j->skip = true;
		r->skipped = true;
		return 0;
	}
}

/* Has everything before ring position n that want() may depend on been delivered? */
bool
stream_only_data_before(const struct wcp_reader *r, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		const struct job *j = &r->job[(r->head + i) % r->jobs];
		if (!j->wanted &&
		    (j->stage == STAGE_UNPACKING || !stream_job_is_data(j) || j->more))
			return false;
	}
	return true;
}

static void
classified(struct wcp_reader *r, struct job *j, int s, const struct wcp_error *why)
{
	if (s < 0)
		stream_fail_block(j, why->status, why->text);
	j->stage = STAGE_READY;
	r->classified++;
}

/* Blocks of one frame come one at a time: another thread would not be any help. */
static void
decode(struct wcp_reader *r, struct job *j)
{
	j->stage = STAGE_DECODING;
	if (!j->shared) {
		pool_submit(r->pool, &j->task);
		return;
	}
	stream_run_job(&j->task, r->codecs - 1);
	j->stage = STAGE_READY;
}

static void
classify_block(struct wcp_reader *r, struct job *j)
{
	struct wcp_block_info info = {0};
	struct wcp_error why;
	r->blocks += j->passed;
	j->number = r->blocks++;
	if (j->damaged) {
		why = j->error;
		stream_fail_block(j, why.status, why.text);
	}
	if (j->status == 0 && !r->part_open) {
		stream_fail_block(j, WCP_EDATA, "a block after the END block");
		classified(r, j, 0, NULL);
		return;
	}
	if (!stream_job_is_data(j)) {
		int s = j->status == 0 ? classify_other(r, j, &why) : 0;
		classified(r, j, s, &why);
		return;
	}
	int s = classify_data(r, j, &info, &why);
	bool ask = s == 0 && r->options.want && !j->wanted && j->in.type != BLOCK_STATE;
	j->skip = ask && !r->options.want(r->options.want_arg, &info);
	classified(r, j, s, &why);
	if (j->status == 0 && !j->skip)
		decode(r, j);
	r->skipped |= j->skip;
}

/* Classifies what can be, in order. */
void
stream_classify(struct wcp_reader *r)
{
	while (r->classified < r->in_flight) {
		struct job *j = &r->job[(r->head + r->classified) % r->jobs];
		struct wcp_error why;
		if (r->classified && r->job[(r->head + r->classified - 1) % r->jobs].more)
			return;
		if (j->part) {
			int s = classify_part(r, j, &why);
			classified(r, j, s, &why);
			continue;
		}
		if (j->stage == STAGE_UNPACKING) {
			if (!pool_done(r->pool, &j->task))
				return;
			j->stage = STAGE_UNPACKED;
		}
		if (stream_job_is_data(j) && r->options.want && !j->wanted &&
		    !stream_only_data_before(r, r->classified))
			return;
		classify_block(r, j);
	}
}
