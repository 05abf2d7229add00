/* CUDA arrays: images in device memory. */
#ifndef CUDART_ARRAY_H
#define CUDART_ARRAY_H

#include "runtime.h"
#include "warpcap/texture.h"

struct cu_array {
	struct handle handle;
	struct cu_channel_desc desc;
	struct cu_extent
	    extent; /* in elements, as asked for: 0 for dimensions that are not there */
	unsigned flags;
	uint32_t element_bytes;
	struct wcp_image image;
	void *memory; /* NULL: that of a mipmapped array */
};

struct cu_mipmapped {
	struct handle handle;
	struct cu_array whole;
	struct cu_array *level[WCP_IMAGE_LEVELS]; /* handed out so far */
};

enum {
	ARRAY_LAYERED = 1,
	ARRAY_SURFACE = 2,
	ARRAY_CUBE = 4,
	ARRAY_GATHER = 8,
};

static inline size_t
array_height(const struct cu_array *a)
{
	return a->extent.height ? a->extent.height : 1;
}

static inline size_t
array_depth(const struct cu_array *a)
{
	return a->extent.depth ? a->extent.depth : 1;
}

/* The image's channels; CU_INVALID_CHANNEL_DESCRIPTOR if it cannot have such. */
int channel_image(const struct cu_channel_desc *desc, struct wcp_image *image);
int array_free(struct cu_array *a);

#endif
