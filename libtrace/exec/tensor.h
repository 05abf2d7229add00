/* Boxes of tensors: where their rows lie. */
#ifndef EXEC_TENSOR_H
#define EXEC_TENSOR_H

#include <stdbool.h>
#include "exec/warp.h"
#include "warpcap/tensor.h"

/* The map at a generic address, and what a kernel can see of it; NULL: there is none. */
const struct wcp_tensor_map *exec_tensor_map(const struct warp *w, uint64_t address);

/* Where a box lies whose first element has the coordinates at. */
struct tensor_box {
	const struct wcp_tensor_map *map;
	int64_t at[WCP_TENSOR_RANK];
	uint32_t rows, row_bytes; /* of dimension 0; row_bytes: what is copied of one */
	uint32_t pitch;		  /* from row to row in shared memory */
};
/* What of row i lies in the tensor: bytes from global on, the row's first skip bytes do not. */
struct tensor_row {
	uint64_t global;
	uint32_t skip, bytes;
};
void exec_tensor_box(struct tensor_box *b);
void exec_tensor_row(const struct tensor_box *b, uint32_t i, struct tensor_row *row);

/* Where a swizzle puts what belongs at a shared address. */
uint64_t exec_tensor_swizzled(const struct wcp_tensor_map *m, uint64_t address);
/* A row's worth of what elements outside of the tensor are. */
void exec_tensor_fill(const struct wcp_tensor_map *m, char *row, uint32_t bytes);

#endif
