/* Elements of buffers: one value in memory of a given type. */
#ifndef ELEMENT_H
#define ELEMENT_H

#include "launch.h"

struct value element_get(enum ptx_type type, const void *from);
/* Integers wrap, reals are cut towards zero for integer types and rounded to nearest even for real
 * ones. */
void element_put(enum ptx_type type, void *to, struct value v);
bool element_is_real(enum ptx_type type);

static inline double
value_real(struct value v)
{
	return v.is_real ? v.r : (double)v.i;
}

static inline struct value
value_of_real(double r)
{
	return (struct value){.is_real = true, .r = r};
}

static inline struct value
value_of_integer(int64_t i)
{
	return (struct value){.i = i};
}

#endif
