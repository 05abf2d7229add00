/*
 * Partial reports: text, one item a line, in this order; ids are numbers of this file alone.
 *
 *	warpreuse-partial 1
 *	line BYTES
 *	kinds MASK
 *	by UNIT
 *	private UNIT
 *	input access|warp
 *	whole 0|1
 *	origin HASH                            of the input's provenance, in hexadecimal
 *	filter TEXT
 *	kernel ID NAME ...                     where keys hold kernels
 *	program ID NAME ...                    where they hold programs
 *	by GROUP CTA UNIT SOURCE ...           keys, numbered from 0
 *	stack GROUP CTA UNIT N                 for each stack, its N distinct lines twice:
 *	LINE BY ...                            in order of first reference, and by whom
 *	LINE ...                               in order of last reference, oldest first
 *	hist all N                             references whose earlier one is in this input too:
 *	DISTANCE COUNT ...                     N distances
 *	hist BY N                              the same for each key
 *	DISTANCE COUNT ...
 *	end XXH3                               of all bytes before
 *
 * Lines are line numbers in hexadecimal. Merging replays a stack's first references on the state
 *that earlier inputs left, which gives their distances, then its last ones, which gives the new
 *state. Files of one origin number kernels and programs alike; others are known to mean the same
 *program by its name alone, and the same kernel by nothing. In TEXT, NAME and SOURCE a backslash
 *stands before n for a new line and before itself.
 */
#ifndef WARPREUSE_PARTIAL_H
#define WARPREUSE_PARTIAL_H

#define PARTIAL_MAGIC "warpreuse-partial 1"

#endif
