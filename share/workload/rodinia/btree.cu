/*
 * Queries of a B+ tree of order 256, as Rodinia does it: a CTA a query, a thread a key of the node; the thread whose key and
 * next enclose the wanted one says through global memory which child is next.  Keys of a node are coalesced, nodes are
 * scattered below the top levels.
 */
#include "../device.h"

#define ORDER 256

struct node {
	int child[ORDER + 1], key[ORDER + 1], keys, leaf;
};

DEVICE void
descend(const struct node *node, int wanted, int height, volatile int *current, volatile int *next)
{
	ROLLED
	for (int level = 1; level < height; level++) {
		const struct node *here = &node[*current];
		if (here->key[TID_X] <= wanted && here->key[TID_X + 1] > wanted)
			*next = here->child[TID_X];
		BARRIER;
		if (TID_X == 0)
			*current = *next;
		BARRIER;
	}
}

KERNEL
btree_find(const struct node *node, const int *record, int height, int *current, int *next, const int *wanted, int *answer)
{
	int q = CTA_X;

	descend(node, wanted[q], height, &current[q], &next[q]);
	const struct node *leaf = &node[current[q]];
	if (leaf->key[TID_X] == wanted[q])
		answer[q] = record[leaf->child[TID_X]];
}

KERNEL
btree_find_range(const struct node *node, int height, int *current, int *next, int *current_end, int *next_end, const int *start,
    const int *end, int *first, int *length)
{
	int q = CTA_X;

	descend(node, start[q], height, &current[q], &next[q]);
	descend(node, end[q], height, &current_end[q], &next_end[q]);
	const struct node *leaf = &node[current[q]];
	if (leaf->key[TID_X] == start[q])
		first[q] = leaf->child[TID_X];
	BARRIER;
	const struct node *last = &node[current_end[q]];
	if (last->key[TID_X] == end[q])
		length[q] = last->child[TID_X] - first[q] + 1;
}
