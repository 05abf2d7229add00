/* Arrays and mipmapped arrays: made, freed, described. */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "memory.h"
#include "queue/queue.h"

int
channel_image(const struct cu_channel_desc *d, struct wcp_image *image)
{
	const int bits[4] = {d->x, d->y, d->z, d->w};
	uint8_t n = 0;
	while (n < 4 && bits[n])
		n++;
	for (int i = 0; i < 4; i++)
		if (bits[i] != (i < n ? bits[0] : 0))
			return CU_INVALID_CHANNEL_DESCRIPTOR;
	const bool float_ok = d->kind != CU_CHANNEL_FLOAT || bits[0] != 8;
	if ((n != 1 && n != 2 && n != 4) || (bits[0] != 8 && bits[0] != 16 && bits[0] != 32) ||
	    (unsigned)d->kind > CU_CHANNEL_FLOAT || !float_ok)
		return CU_INVALID_CHANNEL_DESCRIPTOR;
	image->channels = n;
	image->channel_bits = (uint8_t)bits[0];
	image->kind = (uint8_t)d->kind;
	return CU_OK;
}

static int
shape(struct wcp_image *image, struct cu_extent x, unsigned flags)
{
	const bool cube = flags & ARRAY_CUBE, layered = flags & ARRAY_LAYERED;
	if (!x.width || x.width > 1u << 27 || x.height > 1u << 17 || x.depth > 1u << 15 ||
	    (cube &&
		(x.width != x.height || !x.depth || x.depth % 6 || (!layered && x.depth != 6))) ||
	    (layered && !x.depth) || (!layered && !cube && x.depth && !x.height))
		return CU_INVALID_VALUE;
	image->dim = cube		   ? WCP_IMAGE_CUBE
		     : x.depth && !layered ? WCP_IMAGE_3D
		     : x.height		   ? WCP_IMAGE_2D
					   : WCP_IMAGE_1D;
	image->layers = layered ? (uint32_t)(cube ? x.depth / 6 : x.depth) : 0;
	image->level[0].width = (uint32_t)x.width;
	image->level[0].height = x.height ? (uint32_t)x.height : 1;
	image->level[0].depth = image->dim == WCP_IMAGE_3D ? (uint32_t)x.depth : 1;
	return CU_OK;
}

static int
fill(struct cu_array *a, const struct cu_channel_desc *desc, struct cu_extent x, unsigned flags,
    unsigned levels)
{
	int s = channel_image(desc, &a->image);
	if (!s)
		s = shape(&a->image, x, flags);
	if (s)
		return s;
	a->image.n_level = levels;
	a->desc = *desc;
	a->extent = x;
	a->flags = flags;
	a->element_bytes = a->image.channels * a->image.channel_bits / 8u;
	s = device_new(&a->memory, wcp_image_layout(&a->image, 0));
	if (!s)
		wcp_image_layout(&a->image, (uint64_t)(uintptr_t)a->memory);
	return s;
}

static int
array_new(
    struct cu_array **out, const struct cu_channel_desc *desc, struct cu_extent x, unsigned flags)
{
	int s = rt_enter();
	if (s || !out || !desc || flags & ~0xffu)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	struct cu_array *a = handle_new(HANDLE_ARRAY, sizeof *a);
	s = a ? fill(a, desc, x, flags, 1) : CU_MEMORY_ALLOCATION;
	if (s && a)
		handle_free(a);
	else
		*out = a;
	return rt_leave(s);
}

API int
cudaMallocArray(struct cu_array **out, const struct cu_channel_desc *desc, size_t width,
    size_t height, unsigned flags)
{
	return array_new(out, desc, (struct cu_extent){width, height, 0}, flags);
}

API int
cudaMalloc3DArray(struct cu_array **out, const struct cu_channel_desc *desc,
    struct cu_extent extent, unsigned flags)
{
	return array_new(out, desc, extent, flags);
}

int
array_free(struct cu_array *a)
{
	const int s = a->memory ? device_release(a->memory) : CU_OK;
	handle_free(a);
	return s;
}

API int
cudaFreeArray(struct cu_array *array)
{
	const int s = array ? queue_enter() : rt_enter();
	struct cu_array *a = handle_get(array, HANDLE_ARRAY);
	if (s || !array)
		return rt_leave(s);
	return rt_leave(a && a->memory ? array_free(a) : CU_INVALID_RESOURCE_HANDLE);
}

API int
cudaArrayGetInfo(
    struct cu_channel_desc *desc, struct cu_extent *extent, unsigned *flags, struct cu_array *array)
{
	const int s = rt_enter();
	const struct cu_array *a = handle_get(array, HANDLE_ARRAY);
	if (s || !a)
		return rt_leave(s ? s : CU_INVALID_RESOURCE_HANDLE);
	if (desc)
		*desc = a->desc;
	if (extent)
		*extent = a->extent;
	if (flags)
		*flags = a->flags;
	return rt_leave(CU_OK);
}

API int
cudaGetChannelDesc(struct cu_channel_desc *desc, const struct cu_array *array)
{
	const int s = rt_enter();
	const struct cu_array *a = handle_get(array, HANDLE_ARRAY);
	if (s || !a || !desc)
		return rt_leave(s ? s : a ? CU_INVALID_VALUE : CU_INVALID_RESOURCE_HANDLE);
	*desc = a->desc;
	return rt_leave(CU_OK);
}

API struct cu_channel_desc
cudaCreateChannelDesc(int x, int y, int z, int w, int kind)
{
	return (struct cu_channel_desc){x, y, z, w, kind};
}

struct requirements {
	size_t bytes, alignment;
	unsigned reserved[4];
};

API int
cudaArrayGetMemoryRequirements(struct requirements *out, struct cu_array *array, int device)
{
	const int s = rt_enter();
	struct cu_array *a = handle_get(array, HANDLE_ARRAY);
	if (s || !a || !out || device)
		return rt_leave(s ? s : device ? CU_INVALID_DEVICE : CU_INVALID_VALUE);
	struct wcp_image image = a->image;
	*out = (struct requirements){.bytes = wcp_image_layout(&image, 0), .alignment = 512};
	return rt_leave(CU_OK);
}

/* ---- mipmapped ------------------------------------------------------------------------------ */

static unsigned
levels_of(struct cu_extent x, unsigned flags)
{
	size_t most = x.width > x.height ? x.width : x.height;
	unsigned n = 1;
	if (!(flags & (ARRAY_LAYERED | ARRAY_CUBE)) && x.depth > most)
		most = x.depth;
	for (; most > 1; most /= 2)
		n++;
	return n < WCP_IMAGE_LEVELS ? n : WCP_IMAGE_LEVELS;
}

API int
cudaMallocMipmappedArray(struct cu_mipmapped **out, const struct cu_channel_desc *desc,
    struct cu_extent extent, unsigned levels, unsigned flags)
{
	int s = rt_enter();
	if (s || !out || !desc || !levels)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	const unsigned most = levels_of(extent, flags);
	struct cu_mipmapped *m = handle_new(HANDLE_MIPMAPPED, sizeof *m);
	s = m ? fill(&m->whole, desc, extent, flags, levels < most ? levels : most)
	      : CU_MEMORY_ALLOCATION;
	if (s && m)
		handle_free(m);
	else
		*out = m;
	return rt_leave(s);
}

API int
cudaFreeMipmappedArray(struct cu_mipmapped *mipmapped)
{
	const int s = mipmapped ? queue_enter() : rt_enter();
	struct cu_mipmapped *m = handle_get(mipmapped, HANDLE_MIPMAPPED);
	if (s || !mipmapped)
		return rt_leave(s);
	if (!m)
		return rt_leave(CU_INVALID_RESOURCE_HANDLE);
	for (unsigned i = 0; i < WCP_IMAGE_LEVELS; i++)
		if (m->level[i])
			handle_free(m->level[i]);
	device_release(m->whole.memory);
	handle_free(m);
	return rt_leave(CU_OK);
}

static size_t
halved(size_t n, unsigned level)
{
	return !n ? 0 : n >> level ? n >> level : 1;
}

static struct cu_array *
level_new(const struct cu_mipmapped *m, unsigned level)
{
	struct cu_array *a = handle_new(HANDLE_ARRAY, sizeof *a);
	if (!a)
		return NULL;
	const struct handle own = a->handle;
	*a = m->whole;
	a->handle = own;
	a->memory = NULL;
	a->image.n_level = 1;
	a->image.level[0] = m->whole.image.level[level];
	a->extent.width = halved(a->extent.width, level);
	a->extent.height = halved(a->extent.height, level);
	if (a->image.dim == WCP_IMAGE_3D)
		a->extent.depth = halved(a->extent.depth, level);
	return a;
}

API int
cudaGetMipmappedArrayLevel(
    struct cu_array **out, const struct cu_mipmapped *mipmapped, unsigned level)
{
	const int s = rt_enter();
	struct cu_mipmapped *m = handle_get(mipmapped, HANDLE_MIPMAPPED);
	if (s || !out || !m || level >= m->whole.image.n_level)
		return rt_leave(s ? s : m ? CU_INVALID_VALUE : CU_INVALID_RESOURCE_HANDLE);
	if (!m->level[level])
		m->level[level] = level_new(m, level);
	*out = m->level[level];
	return rt_leave(*out ? CU_OK : CU_MEMORY_ALLOCATION);
}
