#include "feed.h"

#include <stdlib.h>
#include <string.h>

struct piece {
	struct wcp_warp_batch batch;
	uint32_t users; /* stretches not walked to their end */
	uint64_t bytes;
	struct piece *next;  /* of those that are free */
	struct piece *other; /* of all there are */
};

/* A kernel that was read of and is not done with. Blocks of several may alternate: a parent's and
 * its children's. */
struct open_kernel {
	struct feed_kernel face; /* first: they are one to the caller */
	struct open_kernel *next;
	struct feed_cta *waiting, **waiting_end; /* read, not handed out */
	struct feed_cta *open;			 /* handed out or waiting, their end not read */
};

/* A command that was read and not told. */
struct untold {
	struct feed_command command;
	struct untold *next;
};

struct feed {
	struct wcp_reader *reader;
	struct open_kernel *first;
	struct untold *untold, **untold_end;
	bool ended;
	struct piece *free, *all;
	int status;
	struct wcp_error error;
	uint32_t end_flags;
	uint64_t bytes, peak_bytes;
};

struct feed *
feed_new(struct wcp_reader *r)
{
	struct feed *f = calloc(1, sizeof *f);
	if (!f)
		return NULL;
	f->reader = r;
	f->untold_end = &f->untold;
	return f;
}

uint64_t
feed_bytes(const struct feed *f)
{
	return f->bytes;
}

uint32_t
feed_end_flags(const struct feed *f)
{
	return f->end_flags;
}

uint64_t
feed_peak_bytes(const struct feed *f)
{
	return f->peak_bytes;
}

/* ---- pieces -------------------------------------------------------------------------------- */

static uint64_t
batch_bytes(const struct wcp_warp_batch *b)
{
	return (uint64_t)b->n_seg * 28 + (uint64_t)b->n_run * 12 + (uint64_t)b->n_guard * 4 +
	       (uint64_t)b->n_mem * 38 + (uint64_t)b->n_addr * 8 + (uint64_t)b->n_event * 14;
}

static struct piece *
piece_new(struct feed *f, const struct wcp_warp_batch *b)
{
	struct piece *p = f->free;
	if (p)
		f->free = p->next;
	else if ((p = calloc(1, sizeof *p))) {
		wcp_warp_batch_init(&p->batch);
		p->other = f->all;
		f->all = p;
	}
	if (!p) {
		wcp_fail(&f->error, WCP_ESYS, "out of memory");
		return NULL;
	}
	wcp_warp_batch_clear(&p->batch);
	p->batch.kernel = b->kernel;
	p->users = 0;
	if (wcp_warp_batch_append(&p->batch, b, 0, b->n_seg) < 0) {
		wcp_fail(&f->error, WCP_ESYS, "out of memory");
		p->next = f->free;
		f->free = p;
		return NULL;
	}
	wcp_warp_batch_end(&p->batch);
	p->bytes = batch_bytes(&p->batch);
	f->bytes += p->bytes;
	if (f->bytes > f->peak_bytes)
		f->peak_bytes = f->bytes;
	return p;
}

void
feed_drop(struct feed *f, struct piece *p)
{
	if (--p->users)
		return;
	f->bytes -= p->bytes;
	p->next = f->free;
	f->free = p;
}

struct piece *
feed_hold(struct feed_warp *w)
{
	w->piece->users++;
	return w->piece;
}

const struct wcp_warp_batch *
feed_batch(const struct piece *p)
{
	return &p->batch;
}

/* ---- CTAs ----------------------------------------------------------------------------------- */

static struct feed_cta *
cta_new(struct open_kernel *k, uint32_t linear)
{
	uint32_t n = k->face.warps_per_cta;
	struct feed_cta *c = calloc(1, sizeof *c + n * sizeof c->warp[0]);
	if (!c)
		return NULL;
	c->linear = linear;
	c->n_warp = n;
	c->kernel = &k->face;
	for (uint32_t w = 0; w < n; w++)
		c->warp[w].program = k->face.program;
	c->open = k->open;
	k->open = c;
	*k->waiting_end = c;
	k->waiting_end = &c->next;
	return c;
}

static void
cta_close(struct open_kernel *k, struct feed_cta *c)
{
	struct feed_cta **p = &k->open;
	while (*p && *p != c)
		p = &(*p)->open;
	if (*p)
		*p = c->open;
	c->closed = true;
	for (uint32_t w = 0; w < c->n_warp; w++)
		c->warp[w].closed = true;
}

static struct feed_cta *
cta_of(struct open_kernel *k, uint32_t linear)
{
	struct feed_cta *c = k->open;
	while (c && c->linear != linear)
		c = c->open;
	return c ? c : cta_new(k, linear);
}

void
feed_cta_done(struct feed *f, struct feed_cta *c)
{
	if (!c->closed)
		cta_close((struct open_kernel *)c->kernel, c);
	for (uint32_t w = 0; w < c->n_warp; w++) {
		struct feed_warp *q = &c->warp[w];
		if (q->piece)
			feed_drop(f, q->piece);
		for (; q->n; q->n--, q->head = (q->head + 1) % q->cap)
			feed_drop(f, q->queue[q->head].piece);
		free(q->queue);
	}
	free(c);
}

static bool
queue_push(struct feed_warp *w, struct stretch s)
{
	if (w->n == w->cap) {
		uint32_t cap = w->cap ? 2 * w->cap : 4;
		struct stretch *grown = malloc(cap * sizeof *grown);
		if (!grown)
			return false;
		for (uint32_t i = 0; i < w->n; i++)
			grown[i] = w->queue[(w->head + i) % w->cap];
		free(w->queue);
		w->queue = grown;
		w->cap = cap;
		w->head = 0;
	}
	w->queue[(w->head + w->n++) % w->cap] = s;
	return true;
}

/* ---- reading -------------------------------------------------------------------------------- */

static int
take_segment(struct feed *f, struct open_kernel *k, struct piece *p, uint32_t s)
{
	const struct wcp_warp_batch *b = &p->batch;
	if (b->seg_alt[s])
		return 0;
	if (b->seg_warp[s] >= k->face.warps_per_cta)
		return wcp_fail(&f->error, WCP_EDATA,
		    "kernel %u has %u warps a CTA, but a segment is warp %u's", b->kernel,
		    k->face.warps_per_cta, b->seg_warp[s]);
	struct feed_cta *c = cta_of(k, b->seg_cta[s]);
	if (!c || !queue_push(&c->warp[b->seg_warp[s]], (struct stretch){p, s}))
		return wcp_fail(&f->error, WCP_ESYS, "out of memory");
	p->users++;
	if (b->seg_flags[s] & WCP_SEG_WARP_END)
		c->warp[b->seg_warp[s]].closed = true;
	if (b->seg_flags[s] & WCP_SEG_CTA_END)
		cta_close(k, c);
	return 0;
}

static struct open_kernel *
find_kernel(const struct feed *f, uint32_t id)
{
	struct open_kernel *k = f->first;
	while (k && k->face.kernel->id != id)
		k = k->next;
	return k && !k->face.ended ? k : NULL;
}

static int
take_batch(struct feed *f, const struct wcp_warp_batch *b)
{
	struct open_kernel *k = find_kernel(f, b->kernel);
	if (!k)
		return wcp_fail(&f->error, WCP_EDATA,
		    "a block belongs to kernel %u, which is not open", b->kernel);
	struct piece *p = piece_new(f, b);
	if (!p)
		return f->error.status;
	p->users = 1; /* ours, while we sort it */
	int status = 0;
	for (uint32_t s = 0; s < b->n_seg && !status; s++)
		status = take_segment(f, k, p, s);
	feed_drop(f, p);
	return status;
}

static void
close_kernel(struct open_kernel *k)
{
	while (k->open)
		cta_close(k, k->open);
	k->face.ended = true;
}

static int
tell(struct feed *f, struct feed_command command)
{
	struct untold *u = calloc(1, sizeof *u);
	if (!u)
		return wcp_fail(&f->error, WCP_ESYS, "out of memory");
	const char *label = command.host.label;
	u->command = command;
	u->command.label = label && *label ? strdup(label) : NULL;
	u->command.host.label = u->command.label ? u->command.label : "";
	*f->untold_end = u;
	f->untold_end = &u->next;
	return 0;
}

static int
take_kernel(struct feed *f, const struct wcp_kernel *kernel)
{
	struct open_kernel *k = calloc(1, sizeof *k);
	if (!k)
		return wcp_fail(&f->error, WCP_ESYS, "out of memory");
	uint64_t threads = (uint64_t)kernel->block[0] * kernel->block[1] * kernel->block[2];
	uint64_t warps = (threads + WCP_LANES - 1) / WCP_LANES;
	k->waiting_end = &k->waiting;
	k->face = (struct feed_kernel){
	    .kernel = kernel,
	    .program = wcp_reader_program(f->reader, kernel->program),
	    .warps_per_cta = warps && warps < WCP_NONE16 ? (uint32_t)warps : 1,
	};
	k->next = f->first;
	f->first = k;
	return tell(f, (struct feed_command){.kernel = &k->face});
}

static int
take_item(struct feed *f, const struct wcp_item *item)
{
	struct open_kernel *k;
	switch (item->type) {
	case WCP_ITEM_WARP: return take_batch(f, item->warp);
	case WCP_ITEM_KERNEL: return take_kernel(f, item->kernel);
	case WCP_ITEM_KERNEL_END:
		k = find_kernel(f, item->kernel_end->kernel);
		if (k) {
			k->face.end = *item->kernel_end;
			close_kernel(k);
		}
		return 0;
	case WCP_ITEM_HOST: return tell(f, (struct feed_command){.host = *item->host});
	case WCP_ITEM_END: f->end_flags |= item->end->flags; return 0;
	case WCP_ITEM_PROGRAM:
	case WCP_ITEM_ACCESS:
	case WCP_ITEM_STATE: return 0;
	}
	return 0;
}

static void
read_one(struct feed *f)
{
	struct wcp_item item;
	int got = wcp_reader_next(f->reader, &item, &f->error);
	if (got > 0) {
		int status = take_item(f, &item);
		got = status < 0 ? status : 1;
	}
	if (got > 0)
		return;
	f->status = got;
	f->ended = true;
	for (struct open_kernel *k = f->first; k; k = k->next)
		close_kernel(k);
}

int
feed_status(const struct feed *f, struct wcp_error *e)
{
	if (f->status < 0)
		*e = f->error;
	return f->status;
}

bool
feed_command(struct feed *f, struct feed_command *command, uint64_t most_bytes)
{
	while (!f->untold && !f->ended && f->bytes <= most_bytes)
		read_one(f);
	struct untold *u = f->untold;
	if (!u)
		return false;
	*command = u->command;
	f->untold = u->next;
	if (!f->untold)
		f->untold_end = &f->untold;
	free(u);
	return true;
}

bool
feed_ended(const struct feed *f)
{
	return f->ended;
}

const struct wcp_kernel *
feed_described(const struct feed *f, uint64_t id)
{
	return id < wcp_reader_kernels(f->reader) ? wcp_reader_kernel(f->reader, (uint32_t)id)
						  : NULL;
}

struct feed_cta *
feed_cta(struct feed *f, struct feed_kernel *face)
{
	struct open_kernel *k = (struct open_kernel *)face;
	const uint32_t *grid = face->kernel->grid;
	/* That there are no more need not be read: it would be behind all of the last one. */
	bool all = face->ctas_taken >= (uint64_t)grid[0] * grid[1] * grid[2];
	while (!k->waiting && !k->face.ended && !all)
		read_one(f);
	struct feed_cta *c = k->waiting;
	if (!c)
		return NULL;
	k->waiting = c->next;
	if (!k->waiting)
		k->waiting_end = &k->waiting;
	k->face.ctas_taken++;
	return c;
}

void
feed_kernel_end(struct feed *f, const struct feed_kernel *k)
{
	while (!k->ended)
		read_one(f);
}

void
feed_kernel_done(struct feed *f, struct feed_kernel *face)
{
	struct open_kernel *k = (struct open_kernel *)face, **p = &f->first;
	while (*p != k)
		p = &(*p)->next;
	*p = k->next;
	while (k->waiting) {
		struct feed_cta *c = k->waiting;
		k->waiting = c->next;
		feed_cta_done(f, c);
	}
	free(k);
}

/* ---- walking -------------------------------------------------------------------------------- */

static bool
next_stretch(struct feed *f, struct feed_warp *w)
{
	if (w->piece)
		feed_drop(f, w->piece);
	w->piece = NULL;
	while (!w->n && !w->closed)
		read_one(f);
	if (!w->n)
		return false;
	struct stretch s = w->queue[w->head];
	w->head = (w->head + 1) % w->cap;
	w->n--;
	w->piece = s.piece;
	wcp_walk_start(&w->walk, &s.piece->batch, w->program, s.segment);
	return true;
}

bool
feed_next(struct feed *f, struct feed_warp *w)
{
	while (!w->piece || !wcp_walk_next(&w->walk)) {
		if (!next_stretch(f, w))
			return false;
	}
	return true;
}

void
feed_free(struct feed *f)
{
	if (!f)
		return;
	while (f->first)
		feed_kernel_done(f, &f->first->face);
	for (struct untold *u = f->untold, *next; u; u = next) {
		next = u->next;
		free(u->command.label);
		free(u);
	}
	for (struct piece *p = f->all, *next; p; p = next) {
		next = p->other;
		wcp_warp_batch_release(&p->batch);
		free(p);
	}
	free(f);
}
