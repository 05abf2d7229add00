/* Numbers of the stream format; warpcap-stream(5) is the specification. */
#ifndef STREAM_FORMAT_H
#define STREAM_FORMAT_H

#include <stdint.h>
#include <string.h>

#define STREAM_MAGIC	     0x50435257u /* "WRCP" in a little-endian stream */
#define STREAM_MAGIC_SWAPPED 0x57524350u
#define STREAM_MAJOR	     2
#define STREAM_MINOR	     1
#define STREAM_HEADER_BYTES  16 /* magic u32, major u16, minor u16, link u32, flags u32 */
#define STREAM_BLOCK_BYTES \
	16 /* type u8, flags u8, columns u16, payload bytes u32, records u32, checksum u32 */
#define STREAM_COLUMN_BYTES                                                                       \
	16 /* id u8, encoding u8, element u8, width u8, shift u8, width2 u8, zero u16, count u32, \
	      bytes u32 */

#define STREAM_PAYLOAD_MAX (64u << 20)			     /* bytes of a block's payload */
#define STREAM_FRAME_MAX   (STREAM_PAYLOAD_MAX + (1u << 20)) /* bytes of a frame's blocks */
#define STREAM_RECORDS_MAX (1u << 19)			     /* records of a data block */
#define STREAM_COLUMNS_MAX 64
#define STREAM_ID_MAX	   (1u << 24) /* kernel and program ids are below this */

/* The leading skippable frame and the seek table. */
#define ZSTD_FRAME_MAGIC  0xfd2fb528u
#define SKIPPABLE_MAGIC	  0x184d2a50u /* the low four bits are free */
#define SEEK_TABLE_MAGIC  0x184d2a5eu
#define SEEK_FOOTER_MAGIC 0x8f92eab1u
#define SEEK_FOOTER_BYTES 9
#define SEEK_ENTRY_BYTES  8

enum block_type {
	BLOCK_END = 1,
	BLOCK_PROVENANCE = 2,
	BLOCK_PROGRAM = 3,
	BLOCK_KERNEL = 4,
	BLOCK_KERNEL_END = 5,
	BLOCK_HOST = 6,
	BLOCK_INDEX = 7,
	BLOCK_WARP = 16,
	BLOCK_ACCESS = 17,
	BLOCK_STATE = 18,
};

enum encoding {
	ENC_CONST,  /* width bytes: the value of all */
	ENC_PLANES, /* base u64, then width planes of count bytes: base + (value << shift) */
	ENC_DELTA,  /* base u64, then planes: base, then sums of unzigzag(value) << shift */
	ENC_RLE,    /* planes of n values (width), planes of n lengths (width2) */
	ENC_COUNT
};

/* Inside columns everything is little-endian. */
static inline uint64_t
get_le(const uint8_t *p, unsigned bytes)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}

static inline void
put_le(uint8_t *p, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		p[i] = (uint8_t)(v >> (8 * i));
}

static inline unsigned
bytes_for(uint64_t v)
{
	return v ? (unsigned)(71 - __builtin_clzll(v)) / 8 : 0;
}

static inline uint64_t
zigzag(uint64_t d)
{
	return (d << 1) ^ (0 - (d >> 63));
}

static inline uint64_t
unzigzag(uint64_t z)
{
	return (z >> 1) ^ (0 - (z & 1));
}

#endif
