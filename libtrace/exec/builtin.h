/*
 * Functions that kernels call and no PTX defines: the device runtime's. One table; a row is a name,
 * the sizes of its parameters and what it does.
 */
#ifndef EXEC_BUILTIN_H
#define EXEC_BUILTIN_H

#include <string.h>
#include "exec/warp.h"

struct exec_builtin {
	const char *name;
	uint8_t arg_bytes[EXEC_BUILTIN_ARGS]; /* 0 after the last */
	uint8_t ret_bytes;		      /* 0: none */
	bool one_by_one;		      /* changes what all CTAs share */
	uint8_t op_class;		      /* enum wcp_op_class */
	/* Does it for the lanes of mask. FAULT: w->fault says why. */
	enum builtin_end (*run)(
	    struct warp *w, const struct insn *in, const struct builtin_call *call, uint32_t mask);
};

/* NULL: there is none of that name. */
const struct exec_builtin *exec_builtin_named(const char *name);

/* child/table.c: the functions of CUDA's device runtime */
const struct exec_builtin *exec_child_builtin(const char *name);

/* bytes of argument i, from offset on */
static inline void
builtin_arg(const struct warp *w, const struct builtin_call *call, unsigned i, unsigned lane,
    unsigned offset, void *to, unsigned bytes)
{
	char *out = to;
	for (unsigned k = offset; k < offset + bytes; k++)
		*out++ = w->file[call->arg[i] + 256 * (k / 8) + 8 * lane + k % 8];
}

static inline uint64_t
builtin_u64(const struct warp *w, const struct builtin_call *call, unsigned i, unsigned lane)
{
	uint64_t v = 0;
	builtin_arg(w, call, i, lane, 0, &v, call->what->arg_bytes[i]);
	return v;
}

static inline void
builtin_return(struct warp *w, const struct builtin_call *call, unsigned lane, uint64_t v)
{
	if (call->ret != FILE_NONE)
		memcpy(w->file + call->ret + 8 * lane, &v, call->what->ret_bytes);
}

/* The host's view of a lane's generic address; *left: bytes up to the end of what holds it. NULL:
 * nothing is there. */
char *exec_generic(struct warp *w, uint32_t lane, uint64_t address, uint64_t *left);

/* From the heap of malloc, for an instruction of a lane; 0: it is used up. */
uint64_t exec_heap_take(struct warp *w, const struct insn *in, uint32_t lane, uint64_t bytes);
/* fault.c: what such an allocation is called where checks are on. */
void exec_describe_malloc(
    const struct warp *w, const struct insn *in, uint32_t lane, char *out, size_t room);

/* printf.c: the table's rows of text */
enum builtin_end builtin_vprintf(
    struct warp *w, const struct insn *in, const struct builtin_call *call, uint32_t mask);

/* Appends; false: no memory. */
bool exec_text_add(struct exec_text *t, const char *text, size_t n);

/* The text that a lane's generic address holds, at most cap - 1 characters. */
void builtin_string(struct warp *w, uint32_t lane, uint64_t address, char *to, size_t cap);

#endif
