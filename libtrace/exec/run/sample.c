/*
 * Texture fetches as most kernels make them, all lanes together: loops over lanes where fetch.c has
 * loops over the texels of a lane, the arithmetic the same, step by step. Every index is brought
 * into the image, so that inactive lanes may be read like the others.
 */
#include <math.h>
#include "access.h"
#include "exec/access.h"
#include "sample.h"

/* Texels of every lane at the lower (0) and the upper (1) of each axis. */
struct grid {
	int32_t index[2][3][WCP_LANES];
	uint32_t outside[2][WCP_LANES]; /* bit a: on axis a, with the border address mode */
	float weight[3][WCP_LANES];
	uint64_t slice[WCP_LANES]; /* bytes of the layer before it */
};

struct block {
	union {
		float f[4][WCP_LANES];
		int32_t i[4][WCP_LANES];
	};
};

bool
LEVELED(run_sample_fits)(const struct view *v, const struct exec_fetch *f)
{
	const struct wcp_texture *t = v->texture;
	const struct wcp_image_level *l = &v->image->level[0];
	if (f->dim == FETCH_CUBE || v->image->dim == WCP_IMAGE_CUBE || t->srgb)
		return false;
	if (f->n_coordinate > 2 && (v->image->dim != WCP_IMAGE_3D || !l->depth))
		return false;
	if (f->lod != LOD_BASE && v->image->n_level > 1)
		return false;
	if (l->width > INT32_MAX || l->height - 1u >= INT32_MAX || l->depth > INT32_MAX)
		return false;
	for (unsigned a = 0; a < f->n_coordinate; a++)
		if (f->offset[a] || (t->normalized && t->address[a] == WCP_ADDRESS_MIRROR))
			return false;
	return true;
}

/* ---- indices ---- */

static void
scale(const float *x, uint32_t size, bool wraps, float *at)
{
	const float n = (float)size;
	if (wraps)
		EACH_LANE at[l] = (x[l] - floorf(x[l])) * n;
	else
		EACH_LANE at[l] = x[l] * n;
}

static int32_t
whole(float x)
{
	const float f = floorf(x);
	const float low = f >= -1e9f ? f : -1e9f; /* what is no number, too */
	return (int32_t)(low <= 1e9f ? low : 1e9f);
}

static void
wrap_far(int32_t *i, int32_t n)
{
	EACH_LANE i[l] = (i[l] % n + n) % n;
}

/* Brings indices of an axis of n texels inside. */
static void
bring(int32_t *i, int32_t n, enum wcp_address_mode mode, unsigned axis, uint32_t *outside)
{
	if (mode == WCP_ADDRESS_BORDER)
		EACH_LANE outside[l] |= (uint32_t)(i[l] < 0 || i[l] >= n) << axis;
	if (mode == WCP_ADDRESS_WRAP) {
		uint32_t far = 0;
		EACH_LANE i[l] += i[l] < 0 ? n : i[l] >= n ? -n : 0;
		EACH_LANE far |= i[l] < 0 || i[l] >= n;
		if (far)
			wrap_far(i, n);
	}
	EACH_LANE i[l] = i[l] < 0 ? 0 : i[l];
	EACH_LANE i[l] = i[l] < n ? i[l] : n - 1;
}

static void
split(const float *at, int32_t *low, int32_t *high, float *weight)
{
	EACH_LANE
	{
		const float x = at[l] - 0.5f;
		low[l] = whole(x);
		high[l] = low[l] + 1;
		weight[l] = floorf((x - floorf(x)) * 256 + 0.5f) / 256;
	}
}

static void
aim(char *file, const struct exec_fetch *f, const struct view *v, bool linear, struct grid *g)
{
	const struct wcp_texture *t = v->texture;
	const struct wcp_image_level *level = &v->image->level[0];
	const uint32_t size[3] = {level->width, level->height, level->depth};
	const bool normalized = f->real && t->normalized;
	memset(g->outside, 0, sizeof g->outside);
	for (unsigned a = 0; a < f->n_coordinate; a++) {
		const enum wcp_address_mode told = sample_mode(t, a, normalized);
		const enum wcp_address_mode mode = a && size[a] == 1 ? WCP_ADDRESS_CLAMP : told;
		float x[WCP_LANES];
		memcpy(x, file + f->coordinate[a], sizeof x);
		if (normalized)
			scale(x, size[a], told == WCP_ADDRESS_WRAP, x);
		if (linear)
			split(x, g->index[0][a], g->index[1][a], g->weight[a]);
		else if (f->real)
			EACH_LANE g->index[0][a][l] = whole(x[l]);
		else
			memcpy(g->index[0][a], file + f->coordinate[a], sizeof x);
		for (unsigned k = 0; k < (linear ? 2u : 1u); k++)
			bring(g->index[k][a], (int32_t)size[a], mode, a, g->outside[k]);
	}
	const uint32_t layers = v->image->layers ? v->image->layers : 1;
	memset(g->slice, 0, sizeof g->slice);
	if (f->layered) {
		const uint32_t *layer = run_32(file, f->layer);
		EACH_LANE g->slice[l] = (layer[l] < layers	    ? layer[l]
					    : (int32_t)layer[l] < 0 ? 0
								    : layers - 1) *
					level->slice_bytes;
	}
}

/* ---- texels ---- */

static void
load_channel(const struct wcp_image *image, const uint64_t *host, unsigned c, struct block *out)
{
	if (image->channel_bits == 32) {
		EACH_LANE memcpy(&out->i[c][l], run_host(host[l] + 4 * c), 4);
		return;
	}
	EACH_LANE
	{
		struct texel t;
		texel_channel(image, run_host(host[l]), c, &t);
		out->i[c][l] = t.i[c];
	}
}

/* Those that are outside have the border's colour; of linear memory nothing. */
static void
outside(const struct wcp_texture *t, uint32_t lane, bool blank, struct block *out)
{
	for (unsigned c = 0; c < 4; c++)
		if (blank)
			out->i[c][lane] = 0;
		else if (texel_is_real(t))
			out->f[c][lane] = t->border[c];
		else
			out->i[c][lane] = (int32_t)t->border[c];
}

/* The texels of corner k: bit a is set where axis a has its upper one. */
static void
corner(const struct exec_fetch *f, const struct view *v, const struct grid *g, unsigned k,
    uint64_t *at, struct block *out)
{
	const struct wcp_image *image = v->image;
	const struct wcp_image_level *level = &image->level[0];
	const uint64_t step[3] = {texel_bytes(image), level->row_bytes, level->slice_bytes};
	const bool real = texel_is_real(v->texture);
	uint64_t host[WCP_LANES];
	uint32_t out_of[WCP_LANES] = {0}, any = 0;
	EACH_LANE at[l] = level->address + g->slice[l];
	for (unsigned a = 0; a < f->n_coordinate; a++) {
		const int32_t *i = g->index[k >> a & 1][a];
		const uint32_t *o = g->outside[k >> a & 1];
		EACH_LANE at[l] += (uint64_t)(uint32_t)i[l] * step[a];
		EACH_LANE out_of[l] |= o[l] & 1u << a;
	}
	EACH_LANE any |= out_of[l];
	EACH_LANE host[l] = at[l] + v->bias[0];
	for (unsigned c = 0; c < 4; c++) {
		const int32_t none = c < 3 ? 0 : real ? 0x3f800000 : 1; /* 1.0f */
		if (c < image->channels)
			load_channel(image, host, c, out);
		else
			EACH_LANE out->i[c][l] = none;
		if (c < image->channels && texel_is_normalized(v->texture))
			EACH_LANE out->f[c][l] = texel_normalized(image, out->i[c][l]);
	}
	if (any)
		for (uint32_t l = 0; l < WCP_LANES; l++)
			if (out_of[l])
				outside(v->texture, l, false, out);
}

static void
linear(const struct exec_fetch *f, const struct view *v, const struct grid *g, uint64_t *at,
    struct block *sum)
{
	uint64_t scratch[WCP_LANES] = {0};
	memset(sum, 0, sizeof *sum);
	for (unsigned k = 0; k < 1u << f->n_coordinate; k++) {
		struct block t;
		float share[WCP_LANES];
		corner(f, v, g, k, k ? scratch : at, &t);
		EACH_LANE share[l] = 1;
		for (unsigned a = 0; a < f->n_coordinate; a++) {
			const float *w = g->weight[a];
			if (k >> a & 1)
				EACH_LANE share[l] *= w[l];
			else
				EACH_LANE share[l] *= 1 - w[l];
		}
		for (unsigned c = 0; c < 4; c++)
			EACH_LANE sum->f[c][l] += share[l] > 0 ? share[l] * t.f[c][l] : 0;
	}
}

/* tex1Dfetch: what is not there is 0. */
static void
blank(char *file, const struct exec_fetch *f, const struct view *v, struct block *out)
{
	const uint32_t *x = run_32(file, f->coordinate[0]), width = v->image->level[0].width;
	for (uint32_t l = 0; l < WCP_LANES; l++)
		if (x[l] >= width)
			outside(v->texture, l, true, out);
}

void
LEVELED(run_sample)(struct warp *w, const struct exec_fetch *f, const struct view *v, uint32_t mask)
{
	const bool filters =
	    f->real && v->texture->filter == WCP_FILTER_LINEAR && texel_is_real(v->texture);
	struct grid g;
	struct block out;
	aim(w->file, f, v, filters, &g);
	if (filters)
		linear(f, v, &g, w->addr, &out);
	else
		corner(f, v, &g, 0, w->addr, &out);
	if (!f->real && f->dim == FETCH_1D && v->image->dim == WCP_IMAGE_LINEAR)
		blank(w->file, f, v, &out);
	for (unsigned k = 0; k < f->n; k++)
		if (f->reg_bytes[k] && mask == WCP_FULL_MASK)
			memcpy(w->file + f->reg[k], out.i[k], sizeof out.i[k]);
		else if (f->reg_bytes[k])
			EACH_SET(l, mask) run_put(w->file, f->reg[k], 4, l, (uint32_t)out.i[k][l]);
}
