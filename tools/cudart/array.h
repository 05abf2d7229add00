/* CUDA arrays: elements in rows, slices and layers of device memory. */
#ifndef CUDART_ARRAY_H
#define CUDART_ARRAY_H

#include "runtime.h"

struct cu_array {
	struct handle handle;
	struct cu_channel_desc desc;
	struct cu_extent
	    extent; /* in elements, as asked for: 0 for dimensions that are not there */
	unsigned flags;
	uint32_t element_bytes;
	uint64_t pitch_bytes;
	void *address;
	bool part; /* level of a mipmapped array: its memory is not its own */
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

#endif
