/* Images while an instruction reads them: where texels are in the host and what they hold. */
#ifndef EXEC_RUN_TEXEL_H
#define EXEC_RUN_TEXEL_H

#include "exec/device.h"
#include "run.h"
#include "warpcap/texture.h"

struct texel {
	union {
		float f[4];
		int32_t i[4];
	};
};

/* An image with its levels' memory found. */
struct view {
	const struct wcp_texture *texture; /* NULL: a surface */
	const struct wcp_image *image;
	uint64_t handle;
	uint64_t bias[WCP_IMAGE_LEVELS]; /* host address minus device address */
};

/* Depth slices, layers or faces of a level. */
static inline uint64_t
texel_slices(const struct wcp_image *image, const struct wcp_image_level *level)
{
	return (image->dim == WCP_IMAGE_3D ? level->depth : 1ull) *
	       (image->layers ? image->layers : 1) * (image->dim == WCP_IMAGE_CUBE ? 6 : 1);
}

static inline unsigned
texel_bytes(const struct wcp_image *image)
{
	return image->channels * image->channel_bits / 8u;
}

static inline uint64_t
texel_address(const struct wcp_image *image, const struct wcp_image_level *level, uint64_t x,
    uint64_t y, uint64_t slice)
{
	return level->address + slice * level->slice_bytes + y * level->row_bytes +
	       x * texel_bytes(image);
}

/* All of a level must be in one allocation. */
static inline bool
texel_find(const struct exec_run *run, struct view *v)
{
	for (uint32_t i = 0; i < v->image->n_level; i++) {
		const struct wcp_image_level *l = &v->image->level[i];
		const uint64_t bytes = (texel_slices(v->image, l) - 1) * l->slice_bytes +
				       (l->height - 1ull) * l->row_bytes +
				       (uint64_t)l->width * texel_bytes(v->image);
		const struct exec_alloc *a = exec_memory_find(run->memory, l->address, bytes);
		if (!a)
			return false;
		v->bias[i] = (uint64_t)(uintptr_t)exec_alloc_at(a, a->base) - a->base;
	}
	return true;
}

static inline float
texel_half(uint16_t h)
{
	const uint32_t magnitude = h & 0x7fff, bits = magnitude << 13;
	float f;
	const uint32_t special = bits | 0x7f800000;
	memcpy(&f, magnitude >= 0x7c00 ? &special : &bits, 4);
	f = magnitude >= 0x7c00 ? f : f * 0x1p112f;
	return h & 0x8000 ? -f : f;
}

/* One channel, raw: integers sign- or zero-extended, halves as f32. */
static inline void
texel_channel(const struct wcp_image *image, const char *at, unsigned c, struct texel *t)
{
	const bool sign = image->kind == WCP_CHANNEL_SIGNED;
	uint32_t v = 0;
	uint16_t h;
	switch (image->channel_bits) {
	case 8: v = sign ? (uint32_t)(int8_t)at[c] : (uint8_t)at[c]; break;
	case 16:
		memcpy(&h, at + 2 * c, 2);
		v = sign ? (uint32_t)(int16_t)h : h;
		break;
	default: memcpy(&v, at + 4 * c, 4); break;
	}
	t->i[c] = (int32_t)v;
	if (image->kind == WCP_CHANNEL_FLOAT && image->channel_bits == 16)
		t->f[c] = texel_half((uint16_t)v);
}

/* To [0, 1] or [-1, 1]: CUDA C++ Programming Guide, "Texture Object API", read mode. */
static inline float
texel_normalized(const struct wcp_image *image, int32_t v)
{
	const float most = image->kind == WCP_CHANNEL_SIGNED
			       ? (float)((1 << (image->channel_bits - 1)) - 1)
			       : (float)((1u << image->channel_bits) - 1);
	const float f = (float)v / most;
	return f < -1 ? -1 : f;
}

static inline bool
texel_is_normalized(const struct wcp_texture *t)
{
	return t->read == WCP_READ_NORMALIZED && t->image.channel_bits < 32 &&
	       t->image.kind != WCP_CHANNEL_FLOAT;
}

/* Does a fetch give numbers that can be filtered? */
static inline bool
texel_is_real(const struct wcp_texture *t)
{
	return t->image.kind == WCP_CHANNEL_FLOAT || texel_is_normalized(t);
}

#endif
