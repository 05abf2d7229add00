/* Handles of textures and surfaces, and where images lie. */
#include <stdlib.h>
#include <string.h>
#include "exec/device.h"
#include "warpcap/texture.h"

#define ROW_ALIGN 32u
/* Handles start here, so that small numbers and addresses are none. */
#define TEXTURE_HANDLES 0x7e00000001ull
#define SURFACE_HANDLES 0x7f00000001ull

uint64_t
wcp_image_layout(struct wcp_image *image, uint64_t base)
{
	const uint64_t texel = image->channels * image->channel_bits / 8u;
	uint64_t at = 0;
	const uint32_t n = image->n_level < WCP_IMAGE_LEVELS ? image->n_level : WCP_IMAGE_LEVELS;
	for (uint32_t i = 0; i < n; i++) {
		struct wcp_image_level *l = &image->level[i];
		const struct wcp_image_level *up = &image->level[i ? i - 1 : 0];
		const uint32_t half = i != 0;
		l->width = up->width >> half ? up->width >> half : 1;
		l->height = up->height >> half ? up->height >> half : 1;
		l->depth = up->depth >> half ? up->depth >> half : 1;
		const uint64_t slices = (image->dim == WCP_IMAGE_3D ? l->depth : 1) *
					(image->layers ? image->layers : 1ull) *
					(image->dim == WCP_IMAGE_CUBE ? 6 : 1);
		l->row_bytes = (l->width * texel + ROW_ALIGN - 1) & ~(uint64_t)(ROW_ALIGN - 1);
		l->slice_bytes = l->row_bytes * l->height;
		l->address = base + at;
		at += l->slice_bytes * slices;
	}
	return at;
}

struct exec_texture {
	bool live;
	struct wcp_texture texture;
};

static struct exec_texture *
at_handle(const struct exec_textures *t, uint64_t first, uint64_t handle)
{
	const uint64_t i = handle - first;
	return i < t->n && t->list[i].live ? &t->list[i] : NULL;
}

/* Handles are not used twice: an old one is seen to be old. */
static uint64_t
add(struct exec_textures *t, uint64_t first, const struct wcp_texture *texture, struct wcp_error *e)
{
	if (t->n == t->cap) {
		const uint32_t cap = t->cap ? 2 * t->cap : 16;
		struct exec_texture *p = realloc(t->list, cap * sizeof *p);
		if (!p) {
			wcp_fail(e, WCP_ESYS, "out of memory");
			return 0;
		}
		t->list = p;
		t->cap = cap;
	}
	t->list[t->n] = (struct exec_texture){true, *texture};
	return first + t->n++;
}

static int
drop(
    struct exec_textures *t, uint64_t first, uint64_t handle, const char *what, struct wcp_error *e)
{
	struct exec_texture *at = at_handle(t, first, handle);
	if (!at)
		return wcp_fail(e, WCP_EUSAGE, "0x%llx is no %s", (unsigned long long)handle, what);
	at->live = false;
	return 0;
}

static int
check_image(const struct wcp_image *i, struct wcp_error *e)
{
	const unsigned c = i->channels, b = i->channel_bits;
	if ((c != 1 && c != 2 && c != 4) || (b != 8 && b != 16 && b != 32) ||
	    i->kind > WCP_CHANNEL_FLOAT || (i->kind == WCP_CHANNEL_FLOAT && b == 8))
		return wcp_fail(
		    e, WCP_EUSAGE, "texels of %u channels of %u bits, kind %u", c, b, i->kind);
	if (i->dim > WCP_IMAGE_CUBE || !i->n_level || i->n_level > WCP_IMAGE_LEVELS)
		return wcp_fail(
		    e, WCP_EUSAGE, "an image of kind %u with %u levels", i->dim, i->n_level);
	for (uint32_t k = 0; k < i->n_level; k++)
		if (!i->level[k].width || !i->level[k].height || !i->level[k].depth)
			return wcp_fail(e, WCP_EUSAGE, "an image without texels");
	return 0;
}

static int
check_texture(const struct wcp_texture *t, struct wcp_error *e)
{
	for (unsigned k = 0; k < 3; k++)
		if (t->address[k] > WCP_ADDRESS_BORDER)
			return wcp_fail(e, WCP_EUSAGE, "address mode %u", t->address[k]);
	if (t->filter > WCP_FILTER_LINEAR || t->mip_filter > WCP_FILTER_LINEAR ||
	    t->read > WCP_READ_NORMALIZED)
		return wcp_fail(e, WCP_EUSAGE, "filter mode %u, read mode %u", t->filter, t->read);
	return check_image(&t->image, e);
}

uint64_t
wcp_texture_new(struct wcp_device *d, const struct wcp_texture *texture, struct wcp_error *e)
{
	return check_texture(texture, e) ? 0 : add(&d->textures, TEXTURE_HANDLES, texture, e);
}

uint64_t
wcp_surface_new(struct wcp_device *d, const struct wcp_image *image, struct wcp_error *e)
{
	const struct wcp_texture t = {.image = *image};
	return check_image(image, e) ? 0 : add(&d->surfaces, SURFACE_HANDLES, &t, e);
}

int
wcp_texture_free(struct wcp_device *d, uint64_t handle, struct wcp_error *e)
{
	return drop(&d->textures, TEXTURE_HANDLES, handle, "texture", e);
}

int
wcp_surface_free(struct wcp_device *d, uint64_t handle, struct wcp_error *e)
{
	return drop(&d->surfaces, SURFACE_HANDLES, handle, "surface", e);
}

const struct wcp_texture *
wcp_texture_of(const struct wcp_device *d, uint64_t handle)
{
	const struct exec_texture *t = at_handle(&d->textures, TEXTURE_HANDLES, handle);
	return t ? &t->texture : NULL;
}

const struct wcp_image *
wcp_surface_of(const struct wcp_device *d, uint64_t handle)
{
	const struct exec_texture *t = at_handle(&d->surfaces, SURFACE_HANDLES, handle);
	return t ? &t->texture.image : NULL;
}

/* A .texref or .surfref holds the handle of what is bound to it. */
static int
bind(struct wcp_device *d, struct wcp_module *m, const char *name, enum ptx_type type,
    uint64_t handle, struct wcp_error *e)
{
	const struct ptx_symbol *s = ptx_find(m->ptx, name);
	uint64_t *at = s && s->kind == PTX_SYM_VAR && s->type == type
			   ? wcp_device_host(d, s->user, sizeof *at)
			   : NULL;
	if (!at)
		return wcp_fail(e, WCP_EUSAGE, "module '%s' has no .%s '%s'", m->name,
		    ptx_type_name(type), name);
	if (*at && type == PTX_TEXREF)
		wcp_texture_free(d, *at, NULL);
	else if (*at)
		wcp_surface_free(d, *at, NULL);
	*at = handle;
	return 0;
}

int
wcp_module_bind_texture(struct wcp_device *d, struct wcp_module *m, const char *name,
    const struct wcp_texture *texture, struct wcp_error *e)
{
	const uint64_t handle = wcp_texture_new(d, texture, e);
	return handle ? bind(d, m, name, PTX_TEXREF, handle, e) : WCP_EUSAGE;
}

int
wcp_module_bind_surface(struct wcp_device *d, struct wcp_module *m, const char *name,
    const struct wcp_image *image, struct wcp_error *e)
{
	const uint64_t handle = wcp_surface_new(d, image, e);
	return handle ? bind(d, m, name, PTX_SURFREF, handle, e) : WCP_EUSAGE;
}

void
exec_textures_release(struct wcp_device *d)
{
	free(d->textures.list);
	free(d->surfaces.list);
}
