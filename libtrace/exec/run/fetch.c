/*
 * Texture fetches, lane by lane. Coordinates, weights and address modes are those of the CUDA C++
 * Programming Guide, appendix "Texture Fetching": weights of linear filtering have 8 bits of
 * fraction. The arithmetic of filtering is binary32. The record of a fetch names, of each lane, the
 * texel of lowest coordinates that it reads, brought into the image.
 */
#include <math.h>
#include "access.h"
#include "exec/access.h"
#include "sample.h"

static float
f32_at(const char *file, uint32_t slot, unsigned lane)
{
	float f;
	memcpy(&f, file + slot + 4 * lane, 4);
	return f;
}

/* ---- finding what a handle names ---- */

static bool
open_view(struct warp *w, const struct insn *in, const struct exec_fetch *f, unsigned lane,
    bool surface, struct view *v)
{
	const struct exec_run *run = w->cta->run;
	uint64_t handle = run_get(w->file, f->handle, 8, lane);
	if (f->named) {
		const struct exec_alloc *a = exec_memory_find(run->memory, handle, 8);
		const uint64_t at = handle;
		handle = 0;
		if (a)
			memcpy(&handle, exec_alloc_at(a, at), 8);
	}
	if (v->image && v->handle == handle)
		return true;
	v->handle = handle;
	v->texture = surface ? NULL : wcp_texture_of(run->device, handle);
	v->image = surface	? wcp_surface_of(run->device, handle)
		   : v->texture ? &v->texture->image
				: NULL;
	if (v->image && texel_find(run, v))
		return true;
	exec_fault(w, FAULT_HANDLE, in, lane, handle, 0);
	return false;
}

/* ---- one level ---- */

/* A texel's index in one dimension; false: outside, with the border address mode. */
static bool
wrap(int64_t *i, uint32_t size, enum wcp_address_mode mode)
{
	const int64_t n = size;
	if (*i >= 0 && *i < n)
		return true;
	switch (mode) {
	case WCP_ADDRESS_WRAP: *i = (*i % n + n) % n; return true;
	case WCP_ADDRESS_MIRROR:
		*i = (*i % (2 * n) + 2 * n) % (2 * n);
		*i = *i < n ? *i : 2 * n - 1 - *i;
		return true;
	case WCP_ADDRESS_CLAMP: *i = *i < 0 ? 0 : n - 1; return true;
	case WCP_ADDRESS_BORDER: break;
	}
	*i = *i < 0 ? 0 : n - 1;
	return false;
}

struct place_in {
	const struct view *view;
	const struct wcp_image_level *level;
	uint32_t number; /* of the level */
	uint64_t slice;	 /* layer or face; of 3D added to depth */
	bool normalized; /* as the coordinates are */
	bool face;	 /* of a cube: never past its edges */
	uint64_t first;	 /* address of the first texel read; 0: none yet */
};

static void
border(const struct wcp_texture *t, struct texel *out)
{
	for (unsigned c = 0; c < 4; c++)
		if (texel_is_real(t))
			out->f[c] = t->border[c];
		else
			out->i[c] = (int32_t)t->border[c];
}

static float
from_srgb(float v)
{
	return v <= 0.04045f ? v / 12.92f : powf((v + 0.055f) / 1.055f, 2.4f);
}

/* index: x, y, z */
static void
read_texel(struct place_in *p, const int64_t *index, struct texel *out)
{
	const struct wcp_texture *t = p->view->texture;
	const struct wcp_image *image = p->view->image;
	int64_t i[3] = {index[0], index[1], index[2]};
	const uint32_t size[3] = {
	    p->level->width, p->level->height, image->dim == WCP_IMAGE_3D ? p->level->depth : 1};
	bool inside = true;
	for (unsigned a = 0; a < 3; a++)
		inside &= wrap(&i[a], size[a],
		    p->face || size[a] == 1
			? (a ? WCP_ADDRESS_CLAMP : sample_mode(t, a, p->normalized))
			: sample_mode(t, a, p->normalized));
	const uint64_t at = texel_address(
	    image, p->level, (uint64_t)i[0], (uint64_t)i[1], p->slice + (uint64_t)i[2]);
	p->first = p->first ? p->first : at;
	if (!inside) {
		border(t, out);
		return;
	}
	const char *host = run_host(at + p->view->bias[p->number]);
	const bool real = texel_is_real(t);
	memset(out, 0, sizeof *out);
	if (real)
		out->f[3] = 1;
	else
		out->i[3] = 1;
	for (unsigned c = 0; c < image->channels; c++) {
		texel_channel(image, host, c, out);
		if (texel_is_normalized(t))
			out->f[c] = texel_normalized(image, out->i[c]);
		if (t->srgb && image->channel_bits == 8 && c < 3 && real)
			out->f[c] = from_srgb(out->f[c]);
	}
}

/* Texel coordinates of a float coordinate in one dimension. */
static float
scaled(float x, uint32_t size, bool normalized, enum wcp_address_mode mode)
{
	if (!normalized)
		return x;
	if (mode == WCP_ADDRESS_WRAP)
		x -= floorf(x);
	else if (mode == WCP_ADDRESS_MIRROR)
		x = fmodf(floorf(x), 2) == 0 ? x - floorf(x) : 1 - (x - floorf(x));
	return x * (float)size;
}

static int64_t
whole(float x)
{
	const float f = floorf(x);
	return f >= -1e9f && f <= 1e9f ? (int64_t)f : f > 0 ? 1000000000 : -1000000000;
}

struct sample {
	float at[3];	   /* texel coordinates */
	int32_t offset[3]; /* texels */
	unsigned n;	   /* dimensions */
};

static void
nearest(struct place_in *p, const struct sample *s, struct texel *out)
{
	int64_t i[3] = {0};
	for (unsigned a = 0; a < s->n; a++)
		i[a] = whole(s->at[a]) + s->offset[a];
	read_texel(p, i, out);
}

/* The lower corner and the weight of the upper texel, in 256ths of a texel. */
static void
corner(const struct sample *s, int64_t *low, float *weight)
{
	for (unsigned a = 0; a < s->n; a++) {
		const float x = s->at[a] - 0.5f;
		low[a] = whole(x) + s->offset[a];
		weight[a] = floorf((x - floorf(x)) * 256 + 0.5f) / 256;
	}
}

static void
linear(struct place_in *p, const struct sample *s, struct texel *out)
{
	int64_t low[3] = {0};
	float weight[3] = {0};
	struct texel sum = {.f = {0}};
	corner(s, low, weight);
	for (unsigned k = 0; k < 1u << s->n; k++) {
		int64_t i[3] = {0};
		float share = 1;
		struct texel t;
		for (unsigned a = 0; a < s->n; a++) {
			i[a] = low[a] + (k >> a & 1);
			share *= k >> a & 1 ? weight[a] : 1 - weight[a];
		}
		read_texel(p, i, &t);
		for (unsigned c = 0; c < 4; c++)
			sum.f[c] += share > 0 ? share * t.f[c] : 0;
	}
	*out = sum;
}

/* ---- coordinates ---- */

/* Of a cube: the face, and the place on it from 0 to 1. Table of the guide's "Cubemap Textures". */
static unsigned
face_of(const float *v, float *s, float *t)
{
	const float x = v[0], y = v[1], z = v[2];
	const float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
	unsigned face;
	float m;
	if (ax >= ay && ax >= az) {
		face = x < 0;
		m = ax;
		*s = x < 0 ? z : -z;
		*t = -y;
	} else if (ay >= az) {
		face = 2 + (y < 0);
		m = ay;
		*s = x;
		*t = y < 0 ? -z : z;
	} else {
		face = 4 + (z < 0);
		m = az;
		*s = z < 0 ? -x : x;
		*t = -y;
	}
	*s = m > 0 ? (*s / m + 1) / 2 : 0.5f;
	*t = m > 0 ? (*t / m + 1) / 2 : 0.5f;
	return face;
}

struct request {
	float coordinate[3];
	int32_t integer[3], offset[3];
	uint32_t layer;
	float lod;
};

static void
read_request(const char *file, const struct exec_fetch *f, unsigned lane, struct request *r)
{
	*r = (struct request){.layer = 0};
	for (unsigned a = 0; a < f->n_coordinate; a++) {
		r->coordinate[a] = f32_at(file, f->coordinate[a], lane);
		r->integer[a] = (int32_t)run_get(file, f->coordinate[a], 4, lane);
		if (f->offset[a])
			r->offset[a] = (int32_t)run_get(file, f->offset[a], 4, lane);
	}
	if (f->layered)
		r->layer = (uint32_t)run_get(file, f->layer, 4, lane);
	if (f->lod == LOD_LEVEL)
		r->lod = f->integer_level ? (float)(int32_t)run_get(file, f->level, 4, lane)
					  : f32_at(file, f->level, lane);
}

/* The level of detail that gradients mean: log2 of the longer of the two footprints, in texels. */
static float
gradient_lod(const char *file, const struct exec_fetch *f, unsigned lane, const struct view *v)
{
	const struct wcp_image_level *l = &v->image->level[0];
	const float size[3] = {(float)l->width, (float)l->height, (float)l->depth};
	float longest = 0;
	for (unsigned g = 0; g < 2; g++) {
		float sum = 0;
		for (unsigned a = 0; a < f->n_coordinate; a++) {
			const float d = f32_at(file, f->gradient[g][a], lane) *
					(v->texture->normalized ? size[a] : 1);
			sum += d * d;
		}
		longest = sqrtf(sum) > longest ? sqrtf(sum) : longest;
	}
	return longest > 0 ? log2f(longest) : 0;
}

static uint64_t
slice_of(const struct wcp_image *image, uint32_t layer, unsigned face)
{
	const uint32_t layers = image->layers ? image->layers : 1;
	const uint64_t l = layer < layers ? layer : (int32_t)layer < 0 ? 0 : layers - 1;
	return image->dim == WCP_IMAGE_CUBE ? 6 * l + face : l;
}

/* Where in a level a request lies. */
static void
aim(const struct view *v, const struct exec_fetch *f, const struct request *r, uint32_t level,
    struct place_in *p, struct sample *s)
{
	const struct wcp_texture *t = v->texture;
	const struct wcp_image_level *l = &v->image->level[level];
	const uint32_t size[3] = {l->width, l->height, l->depth};
	const bool cube = f->dim == FETCH_CUBE, normalized = cube || (f->real && t->normalized);
	float at[3] = {r->coordinate[0], r->coordinate[1], r->coordinate[2]};
	unsigned face = 0;
	*s = (struct sample){.n = cube ? 2 : f->n_coordinate};
	if (cube)
		face = face_of(r->coordinate, &at[0], &at[1]);
	for (unsigned a = 0; a < s->n; a++) {
		const enum wcp_address_mode m =
		    cube ? WCP_ADDRESS_CLAMP : sample_mode(t, a, normalized);
		s->at[a] = f->real ? scaled(at[a], size[a], normalized, m) : (float)r->integer[a];
		s->offset[a] = r->offset[a];
	}
	*p = (struct place_in){.view = v,
	    .level = l,
	    .number = level,
	    .slice = slice_of(v->image, r->layer, face),
	    .normalized = normalized,
	    .face = cube,
	    .first = p->first};
}

/* tex1Dfetch: what is not there is 0. */
static void
fetch_linear(struct place_in *p, const struct request *r, struct texel *out)
{
	const int64_t i[3] = {r->integer[0]};
	int64_t within[3] = {i[0]};
	const int64_t n = p->level->width;
	within[0] = i[0] < 0 ? 0 : i[0] >= n ? n - 1 : i[0];
	read_texel(p, within, out);
	if (i[0] != within[0])
		memset(out, 0, sizeof *out);
}

static void
fetch_level(const struct view *v, const struct exec_fetch *f, const struct request *r,
    uint32_t level, uint64_t *first, struct texel *out)
{
	struct place_in p = {.first = *first};
	struct sample s;
	aim(v, f, r, level, &p, &s);
	if (!f->real && f->dim == FETCH_1D && v->image->dim == WCP_IMAGE_LINEAR)
		fetch_linear(&p, r, out);
	else if (f->real && v->texture->filter == WCP_FILTER_LINEAR && texel_is_real(v->texture))
		linear(&p, &s, out);
	else if (f->real)
		nearest(&p, &s, out);
	else
		read_texel(&p,
		    (const int64_t[3]){r->integer[0] + (int64_t)r->offset[0],
			s.n > 1 ? r->integer[1] + (int64_t)r->offset[1] : 0,
			s.n > 2 ? r->integer[2] + (int64_t)r->offset[2] : 0},
		    out);
	*first = p.first;
}

/* Between two levels, or the nearest one. */
static void
fetch_texture(const struct view *v, const struct exec_fetch *f, const struct request *r,
    uint64_t *first, struct texel *out)
{
	const struct wcp_texture *t = v->texture;
	const uint32_t last = v->image->n_level - 1;
	float lod = r->lod;
	if (f->lod == LOD_BASE || !last) {
		fetch_level(v, f, r, 0, first, out);
		return;
	}
	if (f->real) {
		lod += t->level_bias;
		lod = lod > t->max_level ? t->max_level : lod;
		lod = lod < t->min_level ? t->min_level : lod;
	}
	lod = lod > 0 ? lod : 0;
	lod = lod < (float)last ? lod : (float)last;
	if (t->mip_filter == WCP_FILTER_POINT || !texel_is_real(t) || !f->real) {
		fetch_level(v, f, r, (uint32_t)(lod + 0.5f), first, out);
		return;
	}
	const uint32_t low = (uint32_t)lod;
	const float share = floorf((lod - (float)low) * 256 + 0.5f) / 256;
	struct texel upper;
	fetch_level(v, f, r, low, first, out);
	if (share <= 0)
		return;
	fetch_level(v, f, r, low + 1, first, &upper);
	for (unsigned c = 0; c < 4; c++)
		out->f[c] = (1 - share) * out->f[c] + share * upper.f[c];
}

/* The four texels that linear filtering would read: lower left, lower right, upper right, upper
 * left, one component. */
static void
gather(const struct view *v, const struct exec_fetch *f, const struct request *r, uint64_t *first,
    struct texel *out)
{
	static const uint8_t order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
	struct place_in p = {.first = *first};
	struct sample s;
	int64_t low[3] = {0};
	float weight[3];
	struct texel t;
	aim(v, f, r, 0, &p, &s);
	corner(&s, low, weight);
	read_texel(&p, low, &t);
	for (unsigned k = 0; k < 4; k++) {
		const int64_t i[3] = {low[0] + order[k][0], low[1] + order[k][1], 0};
		read_texel(&p, i, &t);
		out->i[k] = t.i[f->component];
	}
	*first = p.first;
}

static void
record(struct warp *w, const struct insn *in, uint32_t mask)
{
	struct place p = {.space = w->code->mem[in->e].space};
	if (mask == WCP_FULL_MASK)
		run_shape_all(w->addr, &p);
	else
		run_shape_some(w->addr, mask, &p);
	run_record(w, in, mask, &p, 0, 0);
}

static bool
one_handle(char *file, const struct exec_fetch *f, uint32_t mask)
{
	const uint64_t *h = run_64(file, f->handle);
	const uint64_t first = h[__builtin_ctz(mask)];
	uint64_t other = 0;
	EACH_LANE other |= (mask >> l & 1) ? h[l] ^ first : 0;
	return !other;
}

static void
all_lanes(RUN_ARGS, bool gathers)
{
	struct warp *w = run_warp(file);
	const struct exec_fetch *f = &w->code->fetch[in->b];
	struct texel out[WCP_LANES];
	struct view v = {.image = NULL};
	if (!gathers && one_handle(file, f, mask)) {
		if (!open_view(w, in, f, (unsigned)__builtin_ctz(mask), false, &v))
			return;
		if (LEVELED(run_sample_fits)(&v, f)) {
			LEVELED(run_sample)(w, f, &v, mask);
			record(w, in, mask);
			return;
		}
	}
	EACH_SET(l, mask)
	{
		struct request r;
		uint64_t first = 0;
		if (!open_view(w, in, f, l, false, &v))
			return;
		read_request(file, f, l, &r);
		if (f->lod == LOD_GRADIENT)
			r.lod = gradient_lod(file, f, l, &v);
		if (gathers)
			gather(&v, f, &r, &first, &out[l]);
		else
			fetch_texture(&v, f, &r, &first, &out[l]);
		w->addr[l] = first;
	}
	record(w, in, mask);
	for (unsigned k = 0; k < f->n; k++)
		if (f->reg_bytes[k])
			EACH_SET(l, mask)
	run_put(file, f->reg[k], 4, l, (uint32_t)out[l].i[k]);
}

static void
texture(RUN_ARGS)
{
	all_lanes(in, file, mask, false);
}

static void
texture_gather(RUN_ARGS)
{
	all_lanes(in, file, mask, true);
}

/* ---- surfaces ---- */

/* Limits n to [0, most]; false: it was outside. */
static bool
limit(int64_t *n, int64_t most)
{
	const int64_t old = *n;
	*n = old < 0 ? 0 : old > most ? most : old;
	return old == *n;
}

/*
 * Where a lane's access goes: byte coordinate x, row y, slice. With .clamp the nearest that is
 * inside, with .zero *inside is false; with .trap outside is a fault. False: w->fault.
 */
static bool
surface_place(struct warp *w, const struct insn *in, const struct exec_fetch *f, unsigned lane,
    struct view *v, char **at, bool *inside)
{
	const unsigned bytes = f->bytes * f->n;
	if (!open_view(w, in, f, lane, true, v))
		return false;
	const struct wcp_image_level *l = &v->image->level[0];
	const int64_t row = (int64_t)l->width * texel_bytes(v->image);
	const uint64_t slices = texel_slices(v->image, l);
	int64_t c[3] = {0};
	for (unsigned a = 0; a < f->n_coordinate; a++)
		c[a] = (int32_t)run_get(w->file, f->coordinate[a], 4, lane);
	const uint64_t told = (uint32_t)c[0] | (uint64_t)c[1] << 32;
	if (f->layered)
		c[2] = (int32_t)run_get(w->file, f->layer, 4, lane);
	const bool misaligned = c[0] % (int64_t)bytes != 0;
	*inside = row >= bytes && limit(&c[0], row - bytes);
	*inside &= limit(&c[1], (int64_t)l->height - 1);
	*inside &= limit(&c[2], (int64_t)slices - 1);
	if (row < bytes || misaligned || (!*inside && f->outside == OUTSIDE_TRAP)) {
		exec_fault(w, FAULT_SURFACE, in, lane, told, 0);
		return false;
	}
	*inside |= f->outside == OUTSIDE_CLAMP;
	c[0] -= c[0] % (int64_t)bytes;
	w->addr[lane] = l->address + (uint64_t)c[2] * l->slice_bytes +
			(uint64_t)c[1] * l->row_bytes + (uint64_t)c[0];
	*at = run_host(w->addr[lane] + v->bias[0]);
	return true;
}

/* Fills at; lanes of *there have bytes to go to. False: w->fault. */
static bool
surface_places(struct warp *w, const struct insn *in, uint32_t mask, uint32_t *there)
{
	const struct exec_fetch *f = &w->code->fetch[in->b];
	struct view v = {.image = NULL};
	*there = 0;
	EACH_SET(l, mask)
	{
		bool inside;
		if (!surface_place(w, in, f, l, &v, &w->at[l], &inside))
			return false;
		*there |= (uint32_t)inside << l;
	}
	record(w, in, mask);
	return true;
}

static void
surface_load(RUN_ARGS)
{
	struct warp *w = run_warp(file);
	const struct exec_fetch *f = &w->code->fetch[in->b];
	uint32_t there;
	if (!surface_places(w, in, mask, &there))
		return;
	for (unsigned k = 0; k < f->n; k++)
		EACH_SET(l, mask)
		{
			uint64_t x = 0;
			if (there >> l & 1)
				memcpy(&x, w->at[l] + k * f->bytes, f->bytes);
			if (f->reg_bytes[k])
				run_put(file, f->reg[k], f->reg_bytes[k], l, x);
		}
}

static void
surface_store(RUN_ARGS)
{
	struct warp *w = run_warp(file);
	const struct exec_fetch *f = &w->code->fetch[in->b];
	uint32_t there;
	if (!surface_places(w, in, mask, &there))
		return;
	w->progress++;
	EACH_SET(l, there)
	for (unsigned k = 0; k < f->n; k++) {
		const uint64_t x = run_get(file, f->reg[k], f->reg_bytes[k], l);
		memcpy(w->at[l] + k * f->bytes, &x, f->bytes);
	}
}

static void
surface_reduce(RUN_ARGS)
{
	struct warp *w = run_warp(file);
	const struct exec_fetch *f = &w->code->fetch[in->b];
	const struct mem_op *m = &w->code->mem[in->e];
	uint32_t there;
	if (!surface_places(w, in, mask, &there))
		return;
	w->progress++;
	EACH_SET(l, there)
	{
		uint64_t x = 0;
		memcpy(&x, w->at[l], f->bytes);
		x = LEVELED(run_combine)(m, x, run_get(file, f->reg[0], f->reg_bytes[0], l), 0);
		memcpy(w->at[l], &x, f->bytes);
	}
}

/* ---- queries ---- */

static uint32_t
order_of(const struct wcp_image *i)
{
	/* CL_R, CL_RG, CL_RGBA */
	return i->channels == 1 ? 0x10b0 : i->channels == 2 ? 0x10b2 : 0x10b5;
}

static uint32_t
type_of(const struct wcp_image *i)
{
	/* CL_SIGNED_INT8 and the following, CL_HALF_FLOAT, CL_FLOAT */
	const uint32_t size = i->channel_bits == 8 ? 0 : i->channel_bits == 16 ? 1 : 2;
	if (i->kind == WCP_CHANNEL_FLOAT)
		return size == 1 ? 0x10dd : 0x10de;
	return 0x10d7 + size + (i->kind == WCP_CHANNEL_UNSIGNED ? 3 : 0);
}

static uint32_t
answer(const struct view *v, const struct exec_fetch *f, uint32_t level)
{
	const struct wcp_image *i = v->image;
	const struct wcp_image_level *l = &i->level[level < i->n_level ? level : i->n_level - 1];
	switch ((enum fetch_query)f->query) {
	case QUERY_WIDTH: return l->width;
	case QUERY_HEIGHT: return l->height;
	case QUERY_DEPTH: return l->depth;
	case QUERY_CHANNEL_TYPE: return type_of(i);
	case QUERY_CHANNEL_ORDER: return order_of(i);
	case QUERY_NORMALIZED: return v->texture && v->texture->normalized;
	case QUERY_ARRAY_SIZE: return i->layers;
	case QUERY_LEVELS: return i->n_level;
	case QUERY_SAMPLES: return 1;
	case QUERY_BYTES:
	case QUERY_COUNT: break;
	}
	return 0;
}

static void
query(RUN_ARGS)
{
	struct warp *w = run_warp(file);
	const struct exec_fetch *f = &w->code->fetch[in->b];
	struct view v = {.image = NULL};
	EACH_SET(l, mask)
	{
		if (!open_view(w, in, f, l, f->formatted, &v))
			return;
		const uint32_t level = f->level ? (uint32_t)run_get(file, f->level, 4, l) : 0;
		if (f->reg_bytes[0])
			run_put(file, f->reg[0], f->reg_bytes[0], l, answer(&v, f, level));
	}
}

extern lane_fn *const LEVELED(run_fetch)[FETCH_COUNT];
lane_fn *const LEVELED(run_fetch)[FETCH_COUNT] = {[FETCH_TEXTURE] = texture,
    [FETCH_GATHER] = texture_gather,
    [FETCH_SURFACE_LOAD] = surface_load,
    [FETCH_SURFACE_STORE] = surface_store,
    [FETCH_SURFACE_REDUCE] = surface_reduce,
    [FETCH_QUERY] = query};
