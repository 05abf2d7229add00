/*
 * Textures and surfaces: what a handle that a kernel is given names. Images lie in device memory,
 * row after row; the host fills them like any other allocation. How texels are found, filtered and
 * returned is that of the CUDA C++ Programming Guide, appendix "Texture Fetching", and of PTX
 * ISA 9.0 sections 9.7.10 (tex, tld4, txq) and 9.7.11 (suld, sust, sured, suq).
 */
#ifndef WARPCAP_TEXTURE_H
#define WARPCAP_TEXTURE_H

#include "warpcap/exec.h"

#define WCP_IMAGE_LEVELS 16

enum wcp_image_dim { WCP_IMAGE_LINEAR, WCP_IMAGE_1D, WCP_IMAGE_2D, WCP_IMAGE_3D, WCP_IMAGE_CUBE };
enum wcp_channel_kind { WCP_CHANNEL_SIGNED, WCP_CHANNEL_UNSIGNED, WCP_CHANNEL_FLOAT };

/* One level of detail. */
struct wcp_image_level {
	uint64_t address;	       /* device address of its first texel */
	uint32_t width, height, depth; /* texels, at least 1 */
	uint64_t row_bytes;	       /* from a row to the next */
	uint64_t slice_bytes;	       /* from a depth slice, layer or cube face to the next */
};

struct wcp_image {
	uint8_t dim;	      /* enum wcp_image_dim; LINEAR: memory that tex1Dfetch reads */
	uint8_t channels;     /* 1, 2 or 4 */
	uint8_t channel_bits; /* 8, 16 or 32 */
	uint8_t kind;	      /* enum wcp_channel_kind; FLOAT of 16 bits is IEEE half */
	uint32_t layers;      /* 0: not layered; of a layered cube: cubes, six slices each */
	uint32_t n_level;     /* at least 1 */
	struct wcp_image_level level[WCP_IMAGE_LEVELS];
};

/* Fills row_bytes (a multiple of 32) and slice_bytes of n_level levels, each half as large as the
 * one before, from width, height and depth of the first, and their addresses from base. Returns the
 * bytes of all of it. */
uint64_t wcp_image_layout(struct wcp_image *image, uint64_t base);

/* The values of cudaTextureAddressMode, cudaTextureFilterMode and cudaTextureReadMode. */
enum wcp_address_mode {
	WCP_ADDRESS_WRAP,
	WCP_ADDRESS_CLAMP,
	WCP_ADDRESS_MIRROR,
	WCP_ADDRESS_BORDER
};
enum wcp_filter_mode { WCP_FILTER_POINT, WCP_FILTER_LINEAR };
enum wcp_read_mode { WCP_READ_ELEMENT, WCP_READ_NORMALIZED };

struct wcp_texture {
	struct wcp_image image;
	uint8_t address[3];	    /* enum wcp_address_mode of x, y, z */
	uint8_t filter, mip_filter; /* enum wcp_filter_mode */
	uint8_t read;	 /* enum wcp_read_mode; integers of 32 bits are never normalized */
	bool normalized; /* coordinates are in [0, 1) */
	bool srgb;	 /* 8-bit colours are sRGB; alpha is not */
	bool seamless;	 /* cube: filtering crosses from face to face; taken as false */
	float border[4];
	float min_level, max_level, level_bias;
};

/* Handles for kernels; the texture is copied. 0 on failure. */
uint64_t
wcp_texture_new(struct wcp_device *d, const struct wcp_texture *texture, struct wcp_error *e);
uint64_t wcp_surface_new(struct wcp_device *d, const struct wcp_image *image, struct wcp_error *e);
int wcp_texture_free(struct wcp_device *d, uint64_t handle, struct wcp_error *e);
int wcp_surface_free(struct wcp_device *d, uint64_t handle, struct wcp_error *e);
/* What a handle stands for; NULL if it is none. Valid until the handle is freed or another is made.
 */
const struct wcp_texture *wcp_texture_of(const struct wcp_device *d, uint64_t handle);
const struct wcp_image *wcp_surface_of(const struct wcp_device *d, uint64_t handle);

/* A module's own .texref or .surfref from now on means this; the next binding replaces it. */
int wcp_module_bind_texture(struct wcp_device *d, struct wcp_module *m, const char *name,
    const struct wcp_texture *texture, struct wcp_error *e);
int wcp_module_bind_surface(struct wcp_device *d, struct wcp_module *m, const char *name,
    const struct wcp_image *image, struct wcp_error *e);

#endif
