/* Texture and surface objects. */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "memory.h"
#include "queue/queue.h"

/* What the program asked for, to be asked back. */
struct object {
	struct handle handle;
	struct cu_resource_desc resource;
	struct cu_texture_desc texture;
	struct cu_resource_view_desc view;
	bool has_view;
};

static struct table textures, surfaces;

static void *
key_of(uint64_t handle)
{
	union {
		uint64_t number;
		void *pointer;
	} u = {handle};
	return u.pointer;
}

static int
linear_image(struct wcp_image *image, const struct cu_resource_desc *r)
{
	const int s = channel_image(&r->of.linear.desc, image);
	const uint32_t element = image->channels * image->channel_bits / 8u;
	if (s || !memory_at(r->of.linear.pointer, r->of.linear.bytes))
		return s ? s : CU_INVALID_VALUE;
	const size_t width = r->of.linear.bytes / element;
	image->dim = WCP_IMAGE_LINEAR;
	image->n_level = 1;
	image->level[0] =
	    (struct wcp_image_level){.address = (uint64_t)(uintptr_t)r->of.linear.pointer,
		.width = width < 1u << 28 ? (uint32_t)width : 1u << 28,
		.height = 1,
		.depth = 1,
		.row_bytes = r->of.linear.bytes,
		.slice_bytes = r->of.linear.bytes};
	return CU_OK;
}

static int
pitch_image(struct wcp_image *image, const struct cu_resource_desc *r)
{
	const int s = channel_image(&r->of.pitch.desc, image);
	const size_t width = r->of.pitch.width, height = r->of.pitch.height,
		     pitch = r->of.pitch.pitch_bytes,
		     row = width * (image->channels * image->channel_bits / 8u);
	if (s || !width || !height || width > 1u << 17 || height > 65000 || pitch < row ||
	    !memory_at(r->of.pitch.pointer, pitch * (height - 1) + row))
		return s ? s : CU_INVALID_VALUE;
	image->dim = WCP_IMAGE_2D;
	image->n_level = 1;
	image->level[0] =
	    (struct wcp_image_level){.address = (uint64_t)(uintptr_t)r->of.pitch.pointer,
		.width = (uint32_t)width,
		.height = (uint32_t)height,
		.depth = 1,
		.row_bytes = pitch,
		.slice_bytes = pitch * height};
	return CU_OK;
}

static int
image_of(struct wcp_image *image, const struct cu_resource_desc *r)
{
	const struct cu_array *a;
	const struct cu_mipmapped *m;
	switch ((enum cu_resource_type)r->type) {
	case CU_RESOURCE_ARRAY:
		a = handle_get(r->of.array, HANDLE_ARRAY);
		if (a)
			*image = a->image;
		return a ? CU_OK : CU_INVALID_RESOURCE_HANDLE;
	case CU_RESOURCE_MIPMAPPED:
		m = handle_get(r->of.mipmapped, HANDLE_MIPMAPPED);
		if (m)
			*image = m->whole.image;
		return m ? CU_OK : CU_INVALID_RESOURCE_HANDLE;
	case CU_RESOURCE_LINEAR: return linear_image(image, r);
	case CU_RESOURCE_PITCH_2D: return pitch_image(image, r);
	}
	return CU_INVALID_VALUE;
}

/* Levels and layers that a view leaves over; it does not change how texels are read. */
static int
apply_view(struct wcp_image *image, const struct cu_resource_view_desc *v)
{
	if (v->first_level > v->last_level || v->last_level >= image->n_level ||
	    v->first_layer > v->last_layer || v->last_layer >= (image->layers ? image->layers : 1))
		return CU_INVALID_VALUE;
	image->n_level = v->last_level - v->first_level + 1;
	for (uint32_t i = 0; i < image->n_level; i++) {
		image->level[i] = image->level[i + v->first_level];
		image->level[i].address += v->first_layer * image->level[i].slice_bytes *
					   (image->dim == WCP_IMAGE_CUBE ? 6 : 1);
	}
	if (image->layers)
		image->layers = v->last_layer - v->first_layer + 1;
	return CU_OK;
}

static struct wcp_texture
texture_of(const struct wcp_image *image, const struct cu_texture_desc *d)
{
	struct wcp_texture t = {.image = *image,
	    .filter = (uint8_t)d->filter_mode,
	    .mip_filter = (uint8_t)d->mipmap_filter,
	    .read = (uint8_t)d->read_mode,
	    .normalized = d->normalized != 0,
	    .srgb = d->srgb != 0,
	    .seamless = d->seamless_cubemap != 0,
	    .min_level = d->mipmap_min,
	    .max_level = d->mipmap_max,
	    .level_bias = d->mipmap_bias};
	for (int i = 0; i < 3; i++)
		t.address[i] = (uint8_t)d->address_mode[i];
	memcpy(t.border, d->border, sizeof t.border);
	return t;
}

static bool
is_texture_desc(const struct cu_texture_desc *d)
{
	for (int i = 0; i < 3; i++)
		if ((unsigned)d->address_mode[i] > WCP_ADDRESS_BORDER)
			return false;
	return (unsigned)d->filter_mode <= WCP_FILTER_LINEAR &&
	       (unsigned)d->mipmap_filter <= WCP_FILTER_LINEAR &&
	       (unsigned)d->read_mode <= WCP_READ_NORMALIZED;
}

static int
remember(struct table *in, uint64_t handle, const struct object *what)
{
	struct object *o = malloc(sizeof *o);
	if (!o || !table_set(in, key_of(handle), o)) {
		free(o);
		return CU_MEMORY_ALLOCATION;
	}
	*o = *what;
	return CU_OK;
}

API int
cudaCreateTextureObject(uint64_t *out, const struct cu_resource_desc *r,
    const struct cu_texture_desc *d, const struct cu_resource_view_desc *view)
{
	struct wcp_error e;
	struct wcp_image image = {0};
	int s = rt_enter();
	if (!s && (!out || !r || !d || !is_texture_desc(d)))
		s = CU_INVALID_VALUE;
	if (!s)
		s = image_of(&image, r);
	if (!s && view)
		s = apply_view(&image, view);
	if (s)
		return rt_leave(s);
	const struct wcp_texture t = texture_of(&image, d);
	const uint64_t handle = wcp_texture_new(rt.device, &t, &e);
	if (!handle)
		return rt_leave(rt_status(&e, CU_INVALID_VALUE));
	struct object o = {.resource = *r, .texture = *d, .has_view = view != NULL};
	if (view)
		o.view = *view;
	*out = handle;
	return rt_leave(remember(&textures, handle, &o));
}

/* No object from now on; kernels that were given it before keep it. */
static int
destroy(struct table *in, uint64_t handle, void (*fn)(uint64_t handle))
{
	const int s = rt_enter();
	struct object *o = table_get(in, key_of(handle));
	if (s || !handle)
		return rt_leave(s);
	if (!o)
		return rt_leave(CU_INVALID_VALUE);
	free(o);
	table_remove(in, key_of(handle));
	return rt_leave(queue_afterwards(fn, handle));
}

static void
free_texture(uint64_t handle)
{
	wcp_texture_free(rt.device, handle, NULL);
}

static void
free_surface(uint64_t handle)
{
	wcp_surface_free(rt.device, handle, NULL);
}

API int
cudaDestroyTextureObject(uint64_t handle)
{
	return destroy(&textures, handle, free_texture);
}

/* Begins a question about an object; *o is it if the answer is CU_OK. */
static int
enter_object(const struct table *in, uint64_t handle, const void *out, const struct object **o)
{
	const int s = rt_enter();
	*o = table_get(in, key_of(handle));
	return s ? s : *o && out ? CU_OK : CU_INVALID_VALUE;
}

API int
cudaGetTextureObjectResourceDesc(struct cu_resource_desc *out, uint64_t handle)
{
	const struct object *o;
	const int s = enter_object(&textures, handle, out, &o);
	if (!s)
		*out = o->resource;
	return rt_leave(s);
}

API int
cudaGetTextureObjectTextureDesc(struct cu_texture_desc *out, uint64_t handle)
{
	const struct object *o;
	const int s = enter_object(&textures, handle, out, &o);
	if (!s)
		*out = o->texture;
	return rt_leave(s);
}

API int
cudaGetTextureObjectResourceViewDesc(struct cu_resource_view_desc *out, uint64_t handle)
{
	const struct object *o;
	const int s = enter_object(&textures, handle, out, &o);
	if (!s && o->has_view)
		*out = o->view;
	return rt_leave(s ? s : o->has_view ? CU_OK : CU_INVALID_VALUE);
}

API int
cudaCreateSurfaceObject(uint64_t *out, const struct cu_resource_desc *r)
{
	struct wcp_error e;
	int s = rt_enter();
	if (s || !out || !r || r->type != CU_RESOURCE_ARRAY)
		return rt_leave(s ? s : CU_INVALID_VALUE);
	const struct cu_array *a = handle_get(r->of.array, HANDLE_ARRAY);
	if (!a || !(a->flags & ARRAY_SURFACE))
		return rt_leave(a ? CU_INVALID_VALUE : CU_INVALID_RESOURCE_HANDLE);
	const uint64_t handle = wcp_surface_new(rt.device, &a->image, &e);
	if (!handle)
		return rt_leave(rt_status(&e, CU_INVALID_VALUE));
	const struct object o = {.resource = *r};
	*out = handle;
	return rt_leave(remember(&surfaces, handle, &o));
}

API int
cudaDestroySurfaceObject(uint64_t handle)
{
	return destroy(&surfaces, handle, free_surface);
}

API int
cudaGetSurfaceObjectResourceDesc(struct cu_resource_desc *out, uint64_t handle)
{
	const struct object *o;
	const int s = enter_object(&surfaces, handle, out, &o);
	if (!s)
		*out = o->resource;
	return rt_leave(s);
}
