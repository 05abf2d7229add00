#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "argument.h"
#include "element.h"

/* Where an argument stands, for messages. */
struct place {
	uint32_t line, number;
};

/* Stores x as type; an integer must fit the type's width, signed or not. */
static int
store(struct eval *v, struct place at, enum ptx_type type, struct value x, void *to)
{
	unsigned bits = 8 * ptx_type_bytes(type);
	if (!element_is_real(type)) {
		if (x.is_real)
			return wcp_fail(v->error, WCP_EDATA,
			    "line %u: argument %u is %g, but the parameter is .%s", at.line,
			    at.number, x.r, ptx_type_name(type));
		bool fits =
		    bits >= 64 || (x.i >= -((int64_t)1 << (bits - 1)) && x.i < (int64_t)1 << bits);
		if (!fits)
			return wcp_fail(v->error, WCP_EDATA,
			    "line %u: argument %u is %" PRId64 ", too large for the .%s parameter",
			    at.line, at.number, x.i, ptx_type_name(type));
	}
	element_put(type, to, x);
	return 0;
}

/* Members at their natural alignment, as C lays out a structure. */
static int
encode_structure(struct eval *v, const struct argument *a, const struct ptx_symbol *param,
    struct place at, char *to)
{
	uint64_t offset = 0, align = 1;
	memset(to, 0, param->bytes);
	for (uint32_t k = 0; k < a->n_member; k++) {
		unsigned bytes = ptx_type_bytes(a->member[k].type);
		struct value x;
		offset = (offset + bytes - 1) / bytes * bytes;
		align = bytes > align ? bytes : align;
		if (offset + bytes > param->bytes)
			break;
		int status = eval_node(v, a->member[k].expr, &x);
		if (status == 0)
			status = store(v, at, a->member[k].type, x, to + offset);
		if (status < 0)
			return status;
		offset += bytes;
	}
	offset = (offset + align - 1) / align * align;
	if (offset != param->bytes)
		return wcp_fail(v->error, WCP_EDATA,
		    "line %u: argument %u does not have the parameter's %" PRIu64 " bytes", at.line,
		    at.number, param->bytes);
	return 0;
}

int
argument_encode(struct eval *v, const struct argument *a, const struct ptx_symbol *param,
    uint32_t number, uint32_t line, void *to)
{
	struct place at = {line, number};
	struct value x;
	if (!a->expr)
		return encode_structure(v, a, param, at, to);
	if (param->is_array && a->type == PTX_NONE)
		return wcp_fail(v->error, WCP_EDATA,
		    "line %u: argument %u: the parameter is a structure of %" PRIu64
		    " bytes: {TYPE VALUE, ...}",
		    line, number, param->bytes);
	enum ptx_type type = a->type != PTX_NONE ? a->type : param->type;
	if (ptx_type_bytes(type) == 0 || ptx_type_bytes(type) > 8)
		return wcp_fail(v->error, WCP_EDATA,
		    "line %u: argument %u: no value can be given for a .%s parameter", line, number,
		    ptx_type_name(type));
	if (ptx_type_bytes(type) != param->bytes)
		return wcp_fail(v->error, WCP_EDATA,
		    "line %u: argument %u is .%s, but the parameter has %" PRIu64 " bytes", line,
		    number, ptx_type_name(type), param->bytes);
	int status = eval_node(v, a->expr, &x);
	return status < 0 ? status : store(v, at, type, x, to);
}
