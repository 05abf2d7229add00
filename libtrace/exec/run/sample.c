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
	uint32_t outside[2][WCP_LANES]; /* bit a: on axis a; only where borders is set */
	float weight[3][WCP_LANES];
	uint64_t offset[2][3][WCP_LANES]; /* bytes of the index */
	uint64_t slice[WCP_LANES];	  /* bytes of the layer before it; only of layers */
	uint64_t at[WCP_LANES];		  /* scratch: addresses of the texels of a corner */
	bool borders;			  /* an axis has the border address mode */
};

/* The channels of all lanes. */
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
	if (l->row_bytes > UINT32_MAX || l->slice_bytes > UINT32_MAX)
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
	const uint32_t step[3] = {
	    texel_bytes(v->image), (uint32_t)level->row_bytes, (uint32_t)level->slice_bytes};
	const bool normalized = f->real && t->normalized;
	g->borders = false;
	for (unsigned a = 0; a < f->n_coordinate; a++)
		g->borders |= sample_mode(t, a, normalized) == WCP_ADDRESS_BORDER;
	if (g->borders)
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
		for (unsigned k = 0; k < (linear ? 2u : 1u); k++) {
			const int32_t *i = g->index[k][a];
			const uint32_t by = step[a];
			bring(g->index[k][a], (int32_t)size[a], mode, a, g->outside[k]);
			EACH_LANE g->offset[k][a][l] = (uint64_t)(uint32_t)i[l] * by;
		}
	}
	const uint32_t layers = v->image->layers ? v->image->layers : 1;
	if (f->layered) {
		const uint32_t *layer = run_32(file, f->layer);
		EACH_LANE g->slice[l] = (layer[l] < layers	    ? layer[l]
					    : (int32_t)layer[l] < 0 ? 0
								    : layers - 1) *
					level->slice_bytes;
	}
}

/* ---- texels ---- */

/* Bytes of texels, as words of the host; row c of raw is bytes 4 c on. All are inside the image,
 * of inactive lanes too. */
static void
load_texels(const uint64_t *host, unsigned bytes, int32_t (*raw)[WCP_LANES])
{
	const bool packed = host[1] - host[0] == bytes && run_affine_all(host);
	const char *first = run_host(host[0]);
	if (packed && bytes == 4)
		memcpy(raw[0], first, sizeof raw[0]);
	else if (packed && bytes == 1)
		EACH_LANE raw[0][l] = (uint8_t)first[l];
	else if (bytes == 1)
		EACH_LANE raw[0][l] = *(const uint8_t *)run_host(host[l]);
	else if (bytes == 2)
		EACH_LANE raw[0][l] = *(const uint16_t *)run_host(host[l]);
	else
		for (unsigned k = 0; k < bytes / 4; k++)
			EACH_LANE raw[k][l] = ((const int32_t *)run_host(host[l]))[k];
}

/* Row i of raw becomes channel c of texels of 8 or 16 bits: texel_channel of all lanes. */
static void
take_channel(const struct wcp_image *image, const int32_t *raw, unsigned c, struct block *out)
{
	const unsigned bits = image->channel_bits, shift = c * bits % 32, up = 32 - bits;
	int32_t *to = out->i[c];
	if (image->kind == WCP_CHANNEL_FLOAT)
		EACH_LANE out->f[c][l] = texel_half((uint16_t)((uint32_t)raw[l] >> shift));
	else if (image->kind == WCP_CHANNEL_SIGNED)
		EACH_LANE to[l] = (int32_t)((uint32_t)raw[l] >> shift << up) >> up;
	else
		EACH_LANE to[l] = (int32_t)((uint32_t)raw[l] >> shift << up >> up);
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

/* Where the texels of corner k are: bit a is set where axis a has its upper one. */
static void
place(const struct exec_fetch *f, const struct view *v, const struct grid *g, unsigned k,
    uint64_t *at)
{
	const uint64_t base = v->image->level[0].address;
	const uint64_t *x = g->offset[k & 1][0], *y = g->offset[k >> 1 & 1][1],
		       *z = g->offset[k >> 2][2];
	if (f->n_coordinate == 1)
		EACH_LANE at[l] = base + x[l];
	else if (f->n_coordinate == 2)
		EACH_LANE at[l] = base + x[l] + y[l];
	else
		EACH_LANE at[l] = base + x[l] + y[l] + z[l];
	if (f->layered)
		EACH_LANE at[l] += g->slice[l];
}

/* The texels of corner k that lie at at. Channels that the image lacks are left alone. */
static void
corner(const struct exec_fetch *f, const struct view *v, const struct grid *g, unsigned k,
    const uint64_t *at, struct block *out)
{
	const struct wcp_image *image = v->image;
	const bool whole_words = image->channel_bits == 32;
	int32_t raw[4][WCP_LANES];
	uint64_t host[WCP_LANES];
	EACH_LANE host[l] = at[l] + v->bias[0];
	load_texels(host, texel_bytes(image), whole_words ? out->i : raw);
	for (unsigned c = 0; c < image->channels && !whole_words; c++) {
		take_channel(image, raw[c * image->channel_bits / 32], c, out);
		if (texel_is_normalized(v->texture))
			EACH_LANE out->f[c][l] = texel_normalized(image, out->i[c][l]);
	}
	if (!g->borders)
		return;
	for (uint32_t l = 0; l < WCP_LANES; l++) {
		uint32_t out_of = 0;
		for (unsigned a = 0; a < f->n_coordinate; a++)
			out_of |= g->outside[k >> a & 1][l] & 1u << a;
		if (out_of)
			outside(v->texture, l, false, out);
	}
}

/* What channels that the image lacks hold. */
static void
lacking(const struct view *v, struct block *out)
{
	const int32_t one = texel_is_real(v->texture) ? 0x3f800000 : 1; /* 1.0f */
	for (unsigned c = v->image->channels; c < 4; c++) {
		const int32_t none = c < 3 ? 0 : one;
		EACH_LANE out->i[c][l] = none;
	}
}

/* The share of corner k; false: it is nothing, of all lanes. */
static bool
share_of(const struct exec_fetch *f, const struct grid *g, unsigned k, float *share)
{
	uint32_t any = 0;
	EACH_LANE share[l] = 1;
	for (unsigned a = 0; a < f->n_coordinate; a++) {
		const float *w = g->weight[a];
		if (k >> a & 1)
			EACH_LANE share[l] *= w[l];
		else
			EACH_LANE share[l] *= 1 - w[l];
	}
	EACH_LANE any |= share[l] > 0;
	return any;
}

static void
add_share(const float *share, const float *t, bool first, float *sum)
{
	EACH_LANE
	{
		const float old = first ? 0 : sum[l];
		sum[l] = old + (share[l] > 0 ? share[l] * t[l] : 0);
	}
}

/* A sum is never -0: a corner that has no share in it changes nothing. Of channels that the image
 * lacks, colours are 0 and alpha is the sum of the shares. */
static void
linear(const struct exec_fetch *f, const struct view *v, struct grid *g, uint64_t *first,
    struct block *sum)
{
	const unsigned channels = g->borders ? 4 : v->image->channels;
	struct block t;
	lacking(v, &t);
	lacking(v, sum);
	for (unsigned k = 0; k < 1u << f->n_coordinate; k++) {
		float share[WCP_LANES];
		if (!share_of(f, g, k, share) && k)
			continue;
		place(f, v, g, k, g->at);
		if (!k)
			memcpy(first, g->at, sizeof g->at);
		if (g->borders && k)
			lacking(v, &t);
		corner(f, v, g, k, g->at, &t);
		for (unsigned c = 0; c < channels; c++)
			add_share(share, t.f[c], !k, sum->f[c]);
		if (channels < 4)
			add_share(share, t.f[3], !k, sum->f[3]);
	}
}

/* tex1Dfetch: what is not there is 0. */
static void
blank(const uint32_t *x, const struct view *v, struct block *out)
{
	const uint32_t width = v->image->level[0].width;
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
	if (filters) {
		linear(f, v, &g, w->addr, &out);
	} else {
		place(f, v, &g, 0, w->addr);
		lacking(v, &out);
		corner(f, v, &g, 0, w->addr, &out);
	}
	if (!f->real && f->dim == FETCH_1D && v->image->dim == WCP_IMAGE_LINEAR)
		blank(run_32(w->file, f->coordinate[0]), v, &out);
	for (unsigned k = 0; k < f->n; k++)
		if (f->reg_bytes[k] && mask == WCP_FULL_MASK)
			memcpy(w->file + f->reg[k], out.i[k], sizeof out.i[k]);
		else if (f->reg_bytes[k])
			EACH_SET(l, mask) run_put(w->file, f->reg[k], 4, l, (uint32_t)out.i[k][l]);
}
