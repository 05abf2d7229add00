/*
 * A second reader of warpcap streams, written from warpcap-stream(5) alone: small, slow, without
 * the library. It prints every record as text, and with -x the bytes with what they mean.
 */
#ifndef DECODER_H
#define DECODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COLUMN_IDS = 256, LANES = 32, SLOTS = 64 };

/* One column of a block, decoded. */
struct column {
	bool there;
	uint64_t *value; /* [n] */
	uint32_t n;
};

struct block {
	unsigned type;
	uint32_t records;
	struct column column[COLUMN_IDS];
};

struct instruction {
	char *text, *file;
	uint64_t field[15]; /* columns 5.. of a PROGRAM block: class, space, kind, ... */
};

struct program {
	uint32_t id, n;
	char *name;
	struct instruction *insn;
	uint64_t *reg;
};

struct kernel {
	uint32_t id, program;
};

/* Ends the program with status 3. */
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void *need(size_t bytes);

/* Element i of a column; 0 if the column is not there, die() past its end. */
uint64_t at(const struct block *b, unsigned id, uint32_t i);
uint32_t length(const struct block *b, unsigned id);
/* A column of bytes as a string. */
char *text(const struct block *b, unsigned id);

/* Columns of a payload; explain: print the bytes with their meaning. offset: of the payload in the
 * stream. */
void read_columns(struct block *b, const uint8_t *payload, uint32_t bytes, unsigned columns,
    bool swapped, bool explain, uint64_t offset);
void free_columns(struct block *b);
uint64_t number(const uint8_t *p, unsigned bytes, bool swapped);
/* A line of the annotated dump. */
void hex_line(uint64_t offset, const uint8_t *p, uint32_t n, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Prints a WARP block's records; returns through the pointers what the totals need. */
struct sums {
	uint64_t records, kernels, warp_insns, thread_insns, mem_insns, ctas, accesses;
};
void print_warp(const struct block *b, const struct program *p, uint32_t kernel,
    uint32_t kernel_base, struct sums *sums);

#endif
