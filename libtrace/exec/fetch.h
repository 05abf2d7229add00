/* Texture and surface instructions. PTX ISA 9.0 sections 9.7.10 and 9.7.11. */
#ifndef EXEC_FETCH_H
#define EXEC_FETCH_H

#include <stdbool.h>
#include <stdint.h>

enum fetch_what {
	FETCH_TEXTURE,
	FETCH_GATHER, /* tld4 */
	FETCH_SURFACE_LOAD,
	FETCH_SURFACE_STORE,
	FETCH_SURFACE_REDUCE,
	FETCH_QUERY,
	FETCH_COUNT
};

enum fetch_dim { FETCH_1D, FETCH_2D, FETCH_3D, FETCH_CUBE };
enum fetch_lod { LOD_BASE, LOD_LEVEL, LOD_GRADIENT };
enum fetch_outside { OUTSIDE_TRAP, OUTSIDE_CLAMP, OUTSIDE_ZERO };
enum fetch_query {
	QUERY_WIDTH,
	QUERY_HEIGHT,
	QUERY_DEPTH,
	QUERY_CHANNEL_TYPE,
	QUERY_CHANNEL_ORDER,
	QUERY_NORMALIZED,
	QUERY_ARRAY_SIZE,
	QUERY_LEVELS,
	QUERY_SAMPLES,
	QUERY_BYTES, /* suq.memory_layout and others: 0 */
	QUERY_COUNT
};

struct exec_fetch {
	uint8_t dim;	 /* enum fetch_dim */
	bool layered;	 /* layer: u32 slot */
	bool real;	 /* coordinates are f32, else s32 */
	bool named;	 /* handle is the constant address of a .texref or .surfref */
	bool formatted;	 /* sust.p, sured.p: coordinates in texels */
	uint8_t lod;	 /* enum fetch_lod */
	uint8_t outside; /* enum fetch_outside */
	uint8_t component;
	uint8_t query;
	uint8_t type;  /* enum ptx_type of an element of data */
	uint8_t bytes; /* of one in memory: surfaces */
	uint8_t op;    /* enum atom_op of sured */
	uint8_t n;     /* elements of data */
	uint8_t n_coordinate;
	uint32_t handle; /* u64 slot */
	uint32_t layer;
	uint32_t coordinate[3];
	uint32_t level, gradient[2][3]; /* f32 slots */
	bool integer_level;
	uint32_t offset[3]; /* s32 slots, FILE_NONE: none */
	uint32_t reg[4];
	uint8_t reg_bytes[4]; /* 2, 4, 8; 0: not wanted */
};

#endif
