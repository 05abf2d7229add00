/* The driver's arrays, textures and surfaces: the runtime's, described in other words. */
#include <string.h>
#include "driver/driver.h"

enum { READ_AS_INTEGER = 1, NORMALIZED = 2, SRGB = 0x10, NO_TRILINEAR = 0x20, SEAMLESS = 0x40 };
enum { FORMAT_SIGNED = 8, FORMAT_FLOAT = 0x10, FORMAT_FLOAT_LAST = 0x20 };
enum { RESOURCE_ARRAY, RESOURCE_MIPMAPPED, RESOURCE_LINEAR, RESOURCE_PITCH };

/* cuda.h's CUDA_ARRAY3D_DESCRIPTOR and CUDA_ARRAY_DESCRIPTOR. */
struct array_3d {
	size_t width, height, depth;
	int format; /* CUarray_format */
	unsigned channels, flags;
};
struct array_2d {
	size_t width, height;
	int format;
	unsigned channels;
};

/* CUarray_format: 1 to 3 and 8 to 10 are integers of 8, 16 and 32 bits, 0x10 and 0x20 halves and
 * floats. */
int
driver_describe(struct cu_channel_desc *d, int format, unsigned channels)
{
	const bool real = format == FORMAT_FLOAT || format == FORMAT_FLOAT_LAST;
	const bool is_signed = !real && format >= FORMAT_SIGNED;
	const int size = is_signed ? format - FORMAT_SIGNED + 1 : format;
	if ((!real && (size < 1 || size > 3)) || channels < 1 || channels > 4 || channels == 3)
		return CU_INVALID_VALUE;
	const int bits = real ? format : 4 << size;
	*d = (struct cu_channel_desc){.x = bits,
	    .y = channels > 1 ? bits : 0,
	    .z = channels > 2 ? bits : 0,
	    .w = channels > 2 ? bits : 0,
	    .kind = real ? 2 : !is_signed};
	return CU_OK;
}

API int
cuArray3DCreate_v2(struct cu_array **out, const struct array_3d *a)
{
	struct cu_channel_desc d;
	if (!a || driver_describe(&d, a->format, a->channels))
		return CU_INVALID_VALUE;
	const struct cu_extent x = {a->width, a->height, a->depth};
	return DRIVER(cudaMalloc3DArray(out, &d, x, a->flags));
}

API int
cuArrayCreate_v2(struct cu_array **out, const struct array_2d *a)
{
	struct cu_channel_desc d;
	if (!a || driver_describe(&d, a->format, a->channels))
		return CU_INVALID_VALUE;
	const struct cu_extent x = {a->width, a->height, 0};
	return DRIVER(cudaMalloc3DArray(out, &d, x, 0));
}

API int
cuArrayDestroy(struct cu_array *array)
{
	return DRIVER(cudaFreeArray(array));
}

API int
cuArray3DGetDescriptor_v2(struct array_3d *out, struct cu_array *array)
{
	struct cu_channel_desc d;
	struct cu_extent x;
	unsigned flags;
	const int s = DRIVER(cudaArrayGetInfo(&d, &x, &flags, array));
	if (s || !out)
		return s ? s : CU_INVALID_VALUE;
	const int size = d.x == 8 ? 1 : d.x == 16 ? 2 : 3;
	*out = (struct array_3d){.width = x.width,
	    .height = x.height,
	    .depth = x.depth,
	    .format = d.kind == 2   ? d.x
		      : d.kind == 0 ? size + FORMAT_SIGNED - 1
				    : size,
	    .channels = 1u + (d.y > 0) + (d.z > 0) + (d.w > 0),
	    .flags = flags};
	return CU_OK;
}

API int
cuArrayGetDescriptor_v2(struct array_2d *out, struct cu_array *array)
{
	struct array_3d a;
	const int s = cuArray3DGetDescriptor_v2(&a, array);
	if (s || !out)
		return s ? s : CU_INVALID_VALUE;
	*out = (struct array_2d){a.width, a.height, a.format, a.channels};
	return CU_OK;
}

API int
cuMipmappedArrayCreate(struct cu_mipmapped **out, const struct array_3d *a, unsigned levels)
{
	struct cu_channel_desc d;
	if (!a || driver_describe(&d, a->format, a->channels))
		return CU_INVALID_VALUE;
	const struct cu_extent x = {a->width, a->height, a->depth};
	return DRIVER(cudaMallocMipmappedArray(out, &d, x, levels, a->flags));
}

API int
cuMipmappedArrayDestroy(struct cu_mipmapped *mipmapped)
{
	return DRIVER(cudaFreeMipmappedArray(mipmapped));
}

API int
cuMipmappedArrayGetLevel(
    struct cu_array **out, const struct cu_mipmapped *mipmapped, unsigned level)
{
	return DRIVER(cudaGetMipmappedArrayLevel(out, mipmapped, level));
}

API int
cuArrayGetMemoryRequirements(struct requirements *out, struct cu_array *array, int device)
{
	return DRIVER(cudaArrayGetMemoryRequirements(out, array, device));
}

/* ---- objects -------------------------------------------------------------------------------- */

/* cuda.h's CUDA_RESOURCE_DESC and CUDA_TEXTURE_DESC. */
struct resource {
	int type;
	union {
		void *array; /* or mipmapped array */
		struct {
			void *pointer;
			int format;
			unsigned channels;
			size_t width, height, pitch; /* linear memory has its bytes for width */
		} memory;
		int reserved[32];
	} of;
	unsigned flags;
};
struct texture {
	int address[3], filter;
	unsigned flags, max_anisotropy;
	int mipmap_filter;
	float mipmap_bias, mipmap_min, mipmap_max, border[4];
	int reserved[12];
};

static int
resource(struct cu_resource_desc *to, const struct resource *r, bool *promotes)
{
	struct cu_channel_desc d = {0};
	*to = (struct cu_resource_desc){.type = r->type};
	if (r->type >= RESOURCE_LINEAR &&
	    driver_describe(&d, r->of.memory.format, r->of.memory.channels))
		return CU_INVALID_VALUE;
	switch (r->type) {
	case RESOURCE_ARRAY: to->of.array = r->of.array; break;
	case RESOURCE_MIPMAPPED: to->of.mipmapped = r->of.array; break;
	case RESOURCE_LINEAR:
		to->of.linear.pointer = r->of.memory.pointer;
		to->of.linear.desc = d;
		to->of.linear.bytes = r->of.memory.width;
		break;
	case RESOURCE_PITCH:
		to->of.pitch.pointer = r->of.memory.pointer;
		to->of.pitch.desc = d;
		to->of.pitch.width = r->of.memory.width;
		to->of.pitch.height = r->of.memory.height;
		to->of.pitch.pitch_bytes = r->of.memory.pitch;
		break;
	default: return CU_INVALID_VALUE;
	}
	if (r->type == RESOURCE_ARRAY) {
		struct cu_extent x;
		unsigned flags;
		const int s = cudaArrayGetInfo(&d, &x, &flags, r->of.array);
		if (s)
			return s;
	}
	*promotes = d.x && d.x < 32 && d.kind != 2;
	return CU_OK;
}

static int
texture_new(uint64_t *out, const struct resource *r, const struct texture *t,
    const struct cu_resource_view_desc *view)
{
	struct cu_resource_desc from;
	bool promotes;
	const int s = resource(&from, r, &promotes);
	if (s)
		return s;
	struct cu_texture_desc d = {.filter_mode = t->filter,
	    .read_mode = promotes && !(t->flags & READ_AS_INTEGER),
	    .srgb = (t->flags & SRGB) != 0,
	    .normalized = (t->flags & NORMALIZED) != 0,
	    .max_anisotropy = t->max_anisotropy,
	    .mipmap_filter = t->mipmap_filter,
	    .mipmap_bias = t->mipmap_bias,
	    .mipmap_min = t->mipmap_min,
	    .mipmap_max = t->mipmap_max,
	    .disable_trilinear = (t->flags & NO_TRILINEAR) != 0,
	    .seamless_cubemap = (t->flags & SEAMLESS) != 0};
	memcpy(d.address_mode, t->address, sizeof d.address_mode);
	memcpy(d.border, t->border, sizeof d.border);
	return cudaCreateTextureObject(out, &from, &d, view);
}

API int
cuTexObjectCreate(uint64_t *out, const struct resource *r, const struct texture *t,
    const struct cu_resource_view_desc *view)
{
	return out && r && t ? DRIVER(texture_new(out, r, t, view)) : CU_INVALID_VALUE;
}

API int
cuTexObjectDestroy(uint64_t handle)
{
	return DRIVER(cudaDestroyTextureObject(handle));
}

static int
surface_new(uint64_t *out, const struct resource *r)
{
	struct cu_resource_desc from;
	bool promotes;
	const int s = resource(&from, r, &promotes);
	return s ? s : cudaCreateSurfaceObject(out, &from);
}

API int
cuSurfObjectCreate(uint64_t *out, const struct resource *r)
{
	return out && r ? DRIVER(surface_new(out, r)) : CU_INVALID_VALUE;
}

API int
cuSurfObjectDestroy(uint64_t handle)
{
	return DRIVER(cudaDestroySurfaceObject(handle));
}
