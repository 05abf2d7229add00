/* Workloads that sort by parts (share/workload/dynamic/parts.h). */
#ifndef SORT_H
#define SORT_H

#include "dynamic.h"

/* Bytes on the device: keys and as many spare. */
uint64_t sort_footprint(const struct host *h);

/* For a workload's prepare: refuses parts whose bubble sort would not end. */
void *sort_prepare(struct host *h);

/* Sorts N keys from 0 up with kernel NAME_FORM, whose sorts by digits begin with digit, and
 * compares.
 */
void sort_run(struct host *h, const char *kernel, int32_t *key, int32_t digit);

#endif
