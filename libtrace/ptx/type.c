#include <string.h>
#include "warpcap/ptx.h"

static const struct {
	const char *name;
	unsigned bytes;
} type_info[PTX_TYPE_COUNT] = {
    [PTX_NONE] = {"", 0},
    [PTX_PRED] = {"pred", 0},
    [PTX_S8] = {"s8", 1},
    [PTX_S16] = {"s16", 2},
    [PTX_S32] = {"s32", 4},
    [PTX_S64] = {"s64", 8},
    [PTX_U8] = {"u8", 1},
    [PTX_U16] = {"u16", 2},
    [PTX_U32] = {"u32", 4},
    [PTX_U64] = {"u64", 8},
    [PTX_B8] = {"b8", 1},
    [PTX_B16] = {"b16", 2},
    [PTX_B32] = {"b32", 4},
    [PTX_B64] = {"b64", 8},
    [PTX_B128] = {"b128", 16},
    [PTX_F16] = {"f16", 2},
    [PTX_F16X2] = {"f16x2", 4},
    [PTX_BF16] = {"bf16", 2},
    [PTX_BF16X2] = {"bf16x2", 4},
    [PTX_TF32] = {"tf32", 4},
    [PTX_F32] = {"f32", 4},
    [PTX_F64] = {"f64", 8},
    [PTX_TEXREF] = {"texref", 8},
    [PTX_SAMPLERREF] = {"samplerref", 8},
    [PTX_SURFREF] = {"surfref", 8},
};

unsigned
ptx_type_bytes(enum ptx_type type)
{
	return (unsigned)type < PTX_TYPE_COUNT ? type_info[type].bytes : 0;
}

enum ptx_type
ptx_type_named(const char *name)
{
	for (unsigned i = PTX_NONE + 1; i < PTX_TYPE_COUNT; i++)
		if (!strcmp(type_info[i].name, name))
			return (enum ptx_type)i;
	return PTX_NONE;
}

const char *
ptx_type_name(enum ptx_type type)
{
	return (unsigned)type < PTX_TYPE_COUNT ? type_info[type].name : "?";
}

bool
ptx_has(const struct ptx_insn *in, const char *mod)
{
	for (uint32_t i = 0; i < in->n_mod; i++)
		if (!strcmp(in->mod[i], mod))
			return true;
	return false;
}

enum ptx_type
ptx_insn_type(const struct ptx_insn *in, uint32_t i)
{
	for (uint32_t m = 0; m < in->n_mod; m++) {
		enum ptx_type type = ptx_type_named(in->mod[m]);
		if (type != PTX_NONE && i-- == 0)
			return type;
	}
	return PTX_NONE;
}
