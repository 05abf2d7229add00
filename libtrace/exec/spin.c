/*
 * Loops that wait. A loop in which, from one round to the next, no live register of the path
 * changes and nothing was stored can only end by someone else's store. Loops that count their
 * rounds are caught by many looks at memory without any progress.
 */
#include <string.h>
#include "exec/warp.h"

#define FIRST_CHECK  8u
#define SEARCH_LIMIT 64u /* branches back until the same loop head is given up */
#define POLLS_LIMIT  16384u
#define PERIOD_LIMIT 4096u

static void
forget(struct warp *w)
{
	w->back = 0;
	w->check_at = FIRST_CHECK;
	w->snapshot_at = NULL;
	w->polls_from = w->polls;
	w->progress_from = w->progress;
}

static void
take(struct warp *w, const struct insn *head, const struct live_set *live, uint32_t mask)
{
	char *to = w->snapshot;
	for (uint32_t i = 0; i < live->n; i++) {
		memcpy(to, w->file + live->offset[i], live->bytes[i]);
		to += live->bytes[i];
	}
	w->snapshot_at = head;
	w->snapshot_mask = mask;
	w->snapshot_back = w->back;
	w->snapshot_progress = w->progress;
}

static bool
unchanged(const struct warp *w, const struct live_set *live)
{
	const char *old = w->snapshot;
	for (uint32_t i = 0; i < live->n; i++) {
		if (memcmp(old, w->file + live->offset[i], live->bytes[i]) != 0)
			return false;
		old += live->bytes[i];
	}
	return true;
}

bool
exec_spins(struct warp *w, const struct insn *branch, uint32_t mask)
{
	const struct insn *head = w->code->insn + branch->imm;
	const struct live_set *live = &w->code->live[branch->c];
	bool waits = false;
	if (w->progress != w->progress_from) {
		w->progress_from = w->progress;
		w->polls_from = w->polls;
		w->rotations = 0;
	}
	if (w->snapshot_at == head && w->snapshot_mask == mask) {
		waits = w->snapshot_progress == w->progress && unchanged(w, live);
		w->snapshot_at = NULL;
		w->check_at = w->back + (w->back < PERIOD_LIMIT ? w->back : PERIOD_LIMIT) + 1;
	} else if (!w->snapshot_at) {
		take(w, head, live, mask);
		w->check_at = w->back + 1;
	} else if (w->back - w->snapshot_back < SEARCH_LIMIT) {
		w->check_at = w->back + 1;
	} else {
		w->snapshot_at = NULL; /* that head does not come again soon */
		w->check_at = w->back + PERIOD_LIMIT;
	}
	waits |= w->polls - w->polls_from > POLLS_LIMIT;
	if (waits || w->back > 1u << 30)
		forget(w);
	return waits;
}

bool
exec_rotate(struct warp *w)
{
	struct path spinner = *exec_top(w);
	memmove(w->path + 1, w->path, (w->n_path - 1) * sizeof *w->path);
	w->path[0] = spinner;
	if (w->rotations++ < 2 * w->n_path)
		for (uint32_t i = 1; i < w->n_path; i++)
			if (w->path[i].state == PATH_READY)
				return true;
	w->rotations = 0;
	return exec_release(w);
}
