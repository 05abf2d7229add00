#include "warpcap/types.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static const char *const space_name[] = {
    [WCP_SPACE_NONE] = "none",
    [WCP_SPACE_GLOBAL] = "global",
    [WCP_SPACE_SHARED] = "shared",
    [WCP_SPACE_LOCAL] = "local",
    [WCP_SPACE_CONST] = "const",
    [WCP_SPACE_PARAM] = "param",
    [WCP_SPACE_GENERIC] = "generic",
    [WCP_SPACE_TEXTURE] = "texture",
    [WCP_SPACE_SURFACE] = "surface",
};

static const char *const kind_name[] = {
    [WCP_LOAD] = "load",
    [WCP_STORE] = "store",
    [WCP_ATOMIC] = "atomic",
    [WCP_REDUCE] = "reduce",
    [WCP_PREFETCH] = "prefetch",
    [WCP_WRITEBACK] = "writeback",
    [WCP_FILL] = "fill",
};

static const char *const op_class_name[] = {
    [WCP_OP_MOVE] = "move",
    [WCP_OP_INT] = "int",
    [WCP_OP_IMUL] = "imul",
    [WCP_OP_IDIV] = "idiv",
    [WCP_OP_FADD] = "fadd",
    [WCP_OP_FMUL] = "fmul",
    [WCP_OP_FMA] = "fma",
    [WCP_OP_FDIV] = "fdiv",
    [WCP_OP_SFU] = "sfu",
    [WCP_OP_HALF] = "half",
    [WCP_OP_DADD] = "dadd",
    [WCP_OP_DDIV] = "ddiv",
    [WCP_OP_CVT] = "cvt",
    [WCP_OP_TENSOR] = "tensor",
    [WCP_OP_SHUFFLE] = "shuffle",
    [WCP_OP_LOAD] = "load",
    [WCP_OP_STORE] = "store",
    [WCP_OP_ATOMIC] = "atomic",
    [WCP_OP_TEXTURE] = "texture",
    [WCP_OP_BARRIER] = "barrier",
    [WCP_OP_FENCE] = "fence",
    [WCP_OP_BRANCH] = "branch",
    [WCP_OP_CALL] = "call",
    [WCP_OP_LAUNCH] = "launch",
    [WCP_OP_EXIT] = "exit",
    [WCP_OP_OTHER] = "other",
};

const char *
wcp_space_name(enum wcp_space space)
{
	return (unsigned)space < COUNT(space_name) ? space_name[space] : "?";
}

const char *
wcp_kind_name(enum wcp_access_kind kind)
{
	return (unsigned)kind < COUNT(kind_name) ? kind_name[kind] : "?";
}

const char *
wcp_op_class_name(enum wcp_op_class op_class)
{
	return (unsigned)op_class < COUNT(op_class_name) ? op_class_name[op_class] : "?";
}
