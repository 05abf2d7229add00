/*
 * Tensor maps: how a tensor lies in global memory and which box of it a bulk copy takes. The
 * program holds one as 128 bytes that it does not look into (CUtensorMap) and hands kernels their
 * address. What boxes are is that of PTX ISA 9.0 section 5.5 (tiled mode), what a map may say that
 * of the CUDA driver's cuTensorMapEncodeTiled.
 */
#ifndef WARPCAP_TENSOR_H
#define WARPCAP_TENSOR_H

#include <stdint.h>

#define WCP_TENSOR_RANK	     5
#define WCP_TENSOR_BOX	     256		   /* most elements of a box along a dimension */
#define WCP_TENSOR_MAP_BYTES 128		   /* of a map */
#define WCP_TENSOR_MAP_ALIGN 64			   /* of its address, where a kernel uses it */
#define WCP_TENSOR_MAGIC     0x50414d2d52534e54ull /* of memory that holds a map */

/* The values of CUtensorMapDataType. */
enum wcp_tensor_type {
	WCP_TENSOR_U8,
	WCP_TENSOR_U16,
	WCP_TENSOR_U32,
	WCP_TENSOR_S32,
	WCP_TENSOR_U64,
	WCP_TENSOR_S64,
	WCP_TENSOR_F16,
	WCP_TENSOR_F32,
	WCP_TENSOR_F64,
	WCP_TENSOR_BF16,
	WCP_TENSOR_F32_FTZ,
	WCP_TENSOR_TF32,
	WCP_TENSOR_TF32_FTZ,
	WCP_TENSOR_TYPES
};

/* The values of CUtensorMapSwizzle: 16-byte pieces change places within so many bytes of shared
 * memory. */
enum wcp_tensor_swizzle {
	WCP_SWIZZLE_NONE,
	WCP_SWIZZLE_32,
	WCP_SWIZZLE_64,
	WCP_SWIZZLE_128,
	WCP_SWIZZLES
};

/* Dimension 0 is the innermost: its elements lie one after the other. */
struct wcp_tensor_map {
	uint64_t magic;			      /* WCP_TENSOR_MAGIC */
	uint64_t address;		      /* of element 0, 0, ... */
	uint64_t stride[WCP_TENSOR_RANK - 1]; /* bytes, of dimension 1 and up; multiples of 16 */
	uint32_t last[WCP_TENSOR_RANK];	      /* elements along a dimension, less one */
	uint16_t box[WCP_TENSOR_RANK]; /* elements of the box along it, 1 to WCP_TENSOR_BOX */
	uint8_t step[WCP_TENSOR_RANK]; /* of each so many is one taken; step[0] is 1 */
	uint8_t rank;		       /* 1 to WCP_TENSOR_RANK */
	uint8_t type;		       /* enum wcp_tensor_type */
	uint8_t swizzle;	       /* enum wcp_tensor_swizzle */
	uint8_t fill_nan; /* elements outside of the tensor are not zero but no numbers */
	uint8_t unused[36];
};

/* Of one element; 0: no such type. */
unsigned wcp_tensor_type_bytes(unsigned type);
/* Of the box's rows in shared memory, from one to the next: those of a swizzle, if there is one.
 * differs: for rows shorter than their swizzle the sources leave it open. */
unsigned wcp_tensor_row_bytes(const struct wcp_tensor_map *m);

#endif
