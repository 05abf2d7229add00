/* Arguments of a launch, laid out as the kernel's .param list wants them. */
#ifndef ARGUMENT_H
#define ARGUMENT_H

#include "eval.h"

/* Writes the bytes of parameter number (from 1) to to, which has room for param->bytes. */
int argument_encode(struct eval *v, const struct argument *a, const struct ptx_symbol *param,
    uint32_t number, uint32_t line, void *to);

#endif
