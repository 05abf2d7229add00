/* Genomes and reads of them: drawn, the same for the same seed on every machine, or from FASTA
 * files.
 */
#ifndef GENOME_H
#define GENOME_H

#include "../workload.h"

struct genome {
	uint8_t *base; /* [bases]: 0 A, 1 C, 2 G, 3 T, 4 any other */
	uint32_t bases;
};

/* Reads: pieces of a genome with errors. */
struct reads {
	uint8_t *base;	 /* [reads][length], 0 to 4 */
	uint32_t *place; /* [reads]: where each was taken; NULL: from a file */
	uint32_t reads, length;
};

/* Bases in the shares of a plant's genome (0.32 A and T each), and a third of all in copies of
 * earlier stretches of 64 to 1087 bases with one base in 32 changed, so that places repeat. */
void genome_draw(struct host *h, struct genome *g, uint32_t bases);
/* All sequences of a FASTA file, one behind the other (Pearson, Lipman 1988). The first thing that
 * is wrong fails, with its line. */
void genome_load(struct host *h, struct genome *g, const char *path);

/* Reads from uniform places, each base another with probability errors. length <= g->bases. */
void genome_reads(struct host *h, struct reads *r, const struct genome *g, uint32_t reads,
    uint32_t length, double errors);

#endif
