/* Copies in the driver's words. */
#ifndef CUDART_DRIVER_COPY_H
#define CUDART_DRIVER_COPY_H

#include "abi.h"

/* Else it is whichever it is. */
enum { SIDE_HOST = 1, SIDE_DEVICE, SIDE_ARRAY };

/* cuda.h's CUDA_MEMCPY2D and CUDA_MEMCPY3D, a side of each; CUDA_MEMCPY3D_PEER has contexts for
 * what is reserved. */
struct side_2d {
	size_t x_bytes, y;
	int type;
	void *host, *device;
	struct cu_array *array;
	size_t pitch;
};
struct copy_2d {
	struct side_2d from, to;
	size_t width_bytes, height;
};
struct side_3d {
	size_t x_bytes, y, z, lod;
	int type;
	void *host, *device;
	struct cu_array *array;
	void *reserved;
	size_t pitch, height;
};
struct copy_3d {
	struct side_3d from, to;
	size_t width_bytes, height, depth;
};

/* The runtime's words for it, and back. The first fails where bytes are no whole elements. */
int driver_copy_in(struct cu_memcpy_3d *p, const struct copy_3d *c);
void driver_copy_out(struct copy_3d *c, const struct cu_memcpy_3d *p);

#endif
