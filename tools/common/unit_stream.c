#include <inttypes.h>
#include <string.h>
#include "private.h"
#include "unit.h"

uint32_t
unit_columns(enum unit unit)
{
	switch (unit) {
	case UNIT_SM: return WCP_COL(SM);
	case UNIT_KERNEL: return WCP_COL(KERNEL);
	case UNIT_CTA: return WCP_COL(KERNEL) | WCP_COL(CTA);
	case UNIT_WARP: return WCP_COL(KERNEL) | WCP_COL(CTA) | WCP_COL(WARP);
	case UNIT_PC: return WCP_COL(KERNEL) | WCP_COL(PC);
	case UNIT_NONE:
	case UNIT_COUNT: break;
	}
	return 0;
}

/* Kernels share programs; one whose program is lost stands for itself, told apart by the top bit.
 */
static uint32_t
program_of(const struct wcp_reader *r, uint32_t kernel)
{
	const struct wcp_kernel *k = wcp_reader_kernel(r, kernel);
	return k && k->program != WCP_NONE32 ? k->program : kernel | 1u << 31;
}

static void
number_warps(struct keys *keys, const struct wcp_access_batch *b, const uint32_t *index, uint32_t n,
    uint32_t *number)
{
	const uint32_t *kernel = b->kernel, *cta = b->cta;
	const uint16_t *warp = b->warp;
	const struct key_slot *slot = keys->slot;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = index ? index[i] : i;
		struct key key = {kernel[at], cta[at], warp[at]};
		const struct key_slot *s = slot ? &slot[keys_home(keys, key)] : NULL;
		if (s && s->number && key_equal(s->key, key)) {
			number[i] = s->number - 1;
			continue;
		}
		number[i] = keys_number(keys, key);
		slot = keys->slot;
	}
}

void
unit_numbers(struct keys *keys, const struct wcp_reader *r, const struct wcp_access_batch *b,
    const uint32_t *index, uint32_t n, uint32_t *number)
{
	uint32_t kernel = WCP_NONE32, program = 0;
	enum unit what = keys->what;
	if (what == UNIT_WARP) {
		number_warps(keys, b, index, n, number);
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = index ? index[i] : i;
		struct key key = {0, 0, 0};
		switch (what) {
		case UNIT_SM: key.unit = b->sm[at]; break;
		case UNIT_KERNEL: key.group = b->kernel[at]; break;
		case UNIT_CTA: key = (struct key){b->kernel[at], b->cta[at], 0}; break;
		case UNIT_PC:
			if (b->kernel[at] != kernel || !i) {
				kernel = b->kernel[at];
				program = program_of(r, kernel);
			}
			key = (struct key){program, 0, b->pc[at]};
			break;
		case UNIT_WARP:
		case UNIT_NONE:
		case UNIT_COUNT: break;
		}
		number[i] = keys_number_fast(keys, key);
	}
}

void
unit_kernel(struct names *kernels, struct names *programs, const struct wcp_reader *r,
    const struct wcp_kernel *k)
{
	const struct wcp_program *program = wcp_reader_program(r, k->program);
	names_set(kernels, k->id, k->name);
	if (program)
		names_set(programs, program->id, program->name);
}

void
unit_sources(struct keys *k, const struct wcp_reader *r)
{
	for (uint32_t i = 0; k->what == UNIT_PC && i < k->n; i++) {
		const struct wcp_program *program = wcp_reader_program(r, k->key[i].group);
		uint32_t pc = k->key[i].unit;
		if (!program || pc >= program->n_insn)
			continue;
		const struct wcp_insn *insn = &program->insn[pc];
		if (insn->file == WCP_NONE32)
			continue;
		char text[4096];
		snprintf(
		    text, sizeof text, "%s:%" PRIu32, program->strings + insn->file, insn->line);
		k->source[i] = strcpy(must_alloc(NULL, strlen(text) + 1), text);
	}
}
