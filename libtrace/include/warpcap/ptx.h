/*
 * PTX text as a tree: what the text says, names resolved, nothing interpreted. Any mnemonic is
 * accepted; whether it can be executed is decided when a kernel that can reach it is launched.
 * Source: NVIDIA, Parallel Thread Execution ISA 9.0, sections 4 to 11.
 */
#ifndef WARPCAP_PTX_H
#define WARPCAP_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include "warpcap/error.h"
#include "warpcap/types.h"

enum ptx_type {
	PTX_NONE,
	PTX_PRED,
	PTX_S8,
	PTX_S16,
	PTX_S32,
	PTX_S64,
	PTX_U8,
	PTX_U16,
	PTX_U32,
	PTX_U64,
	PTX_B8,
	PTX_B16,
	PTX_B32,
	PTX_B64,
	PTX_B128,
	PTX_F16,
	PTX_F16X2,
	PTX_BF16,
	PTX_BF16X2,
	PTX_TF32,
	PTX_F32,
	PTX_F64,
	PTX_TEXREF,
	PTX_SAMPLERREF,
	PTX_SURFREF,
	PTX_TYPE_COUNT
};
unsigned ptx_type_bytes(enum ptx_type type);	/* 0 for NONE and PRED */
enum ptx_type ptx_type_named(const char *name); /* "u32" -> PTX_U32; PTX_NONE if it is no type */
const char *ptx_type_name(enum ptx_type type);

enum ptx_operand_kind {
	PTX_OP_REG,    /* reg */
	PTX_OP_INT,    /* integer, with its bits as two's complement */
	PTX_OP_FLOAT,  /* real: f64 value; 0f and 0d literals keep their exact bits in integer,
			  is_f32 tells which */
	PTX_OP_SYMBOL, /* sym + integer: the address of a variable, parameter or function */
	PTX_OP_MEMORY, /* [reg + integer], [sym + integer], [integer]; sub[n_sub] is what follows
			* the base in a texture's [sym, {vec}] or [sym, sampler, {vec}] */
	PTX_OP_VECTOR, /* {a, b, ...}: sub[n_sub]; also a register declared .v2 or .v4 */
	PTX_OP_LABEL, /* branch target: integer is the index in fn->insn; fn->n_insn: the end of the
			 body */
	PTX_OP_SPECIAL, /* %tid.x: name, without % */
	PTX_OP_PAIR,	/* d|p : sub[2] */
	PTX_OP_LIST,	/* (a, b): argument list of a call: sub[n_sub] */
	PTX_OP_SINK,	/* _ */
	PTX_OP_TABLE,	/* .branchtargets or .calltargets: integer is the index in fn->table */
};

struct ptx_operand {
	enum ptx_operand_kind kind;
	bool negated;	 /* !p, or -r where the text has it */
	bool is_f32;	 /* FLOAT written as 0f: integer holds 32 bits; else 64 */
	bool has_reg;	 /* MEMORY: base is reg, else sym if sym is set, else absolute */
	uint32_t reg;	 /* index in fn->reg */
	int64_t integer; /* value, or offset of MEMORY and SYMBOL, or label's instruction */
	double real;
	const char *name; /* SPECIAL; or the symbol's name as written */
	struct ptx_symbol
	    *sym; /* SYMBOL, MEMORY without register: never NULL; an absolute address has no name */
	struct ptx_operand *sub;
	uint32_t n_sub;
	const char *selector; /* of a register in a video instruction: "b0", "h1", "b7632"; else
			       * NULL. A vector register's r.x is the REG of that element */
};

struct ptx_insn {
	const char *opcode;	/* whole spelling, "ld.global.v4.u32" */
	const char *base;	/* "ld" */
	const char *const *mod; /* "global", "v4", "u32": in the order written, "::" parts kept
				   ("sync", "shared::cta") */
	uint32_t n_mod;
	uint32_t guard; /* register index of @p, WCP_NONE32 if none */
	bool guard_negated;
	struct ptx_operand
	    *op; /* in the order written; call: [ret LIST] callee LIST [prototype SYMBOL] */
	uint32_t n_op;
	uint32_t line; /* in the PTX text, from 1 */
	uint32_t loc_file,
	    loc_line; /* nearest .loc before it: index in module->file, line; loc_line 0: none */
	uint32_t inlined_file, inlined_line; /* where that .loc's code was inlined, alike */
};

struct ptx_reg {
	const char *name; /* "%r12" */
	enum ptx_type type;
};

enum ptx_symbol_kind { PTX_SYM_VAR, PTX_SYM_PARAM, PTX_SYM_FUNC, PTX_SYM_PROTO };

struct ptx_init { /* one scalar of an initialiser, at byte offset */
	uint64_t offset;
	enum ptx_type type;
	uint64_t bits;
	struct ptx_symbol *sym; /* not NULL: address of sym + bits */
	uint64_t mask_shift; /* 0: whole; else the mask() operator's byte mask, as in 0xFF00(sym) */
	bool generic;	     /* generic(sym) */
};

struct ptx_symbol {
	enum ptx_symbol_kind kind;
	const char *name;
	enum wcp_space space; /* VAR: GLOBAL, CONST, SHARED, LOCAL; PARAM: PARAM (also .param
				 declared in bodies) */
	enum ptx_type type;
	uint64_t bytes; /* of the whole array; 0 for "[]": dynamic shared memory or extern of
			   unknown size */
	uint32_t align;
	bool is_array;
	bool is_extern, is_visible, is_weak, is_common;
	bool is_managed; /* VAR: .attribute(.managed) */
	struct ptx_init *init;
	uint32_t n_init;
	struct ptx_func
	    *func; /* FUNC (of an .alias: its target); PROTO: only name, sig and line are set */
	uint32_t line;
	const char
	    *module;	/* of a module-scope symbol after ptx_link: where it is from; else NULL */
	uint32_t index; /* PARAM of a header: its place; PARAM and VAR of a body: running number in
			   fn->local */
	uint32_t reg;	/* PARAM declared .reg (space NONE): index in func->reg; else WCP_NONE32 */
	uint64_t user;	/* for whoever lowers the module: an address, an id */
};

/* .callprototype; also the shape of every function's header */
struct ptx_signature {
	struct ptx_symbol **ret, **param;
	uint32_t n_ret, n_param;
};

struct ptx_func {
	const char *name;
	bool is_entry, is_visible, is_weak, is_extern, is_noreturn;
	bool has_body;
	struct ptx_signature sig;
	/* Those in use, members of parametrised names (%r<10>) among them; names repeat if scopes
	 * redeclare them. */
	struct ptx_reg *reg;
	uint32_t n_reg;
	struct ptx_symbol **local;
	uint32_t n_local; /* variables and .param space of the body */
	struct ptx_insn *insn;
	uint32_t n_insn; /* running past the last returns */
	/* .branchtargets: name -> list of instruction indices; .calltargets: name -> list of
	 * functions */
	struct ptx_table {
		const char *name;
		uint32_t *target;
		uint32_t n;
		struct ptx_symbol **callee;
	} * table;
	uint32_t n_table;
	uint32_t maxntid[3], reqntid[3]; /* 0 if not given */
	uint32_t cluster[3];		 /* .reqnctapercluster; 0 if not given */
	uint32_t minnctapersm, maxnctapersm, maxnreg;
	uint32_t line;
};

struct ptx_module {
	uint32_t version_major, version_minor;
	const char *target;    /* "sm_75" */
	uint32_t sm;	       /* 75 */
	uint32_t address_size; /* 32 or 64 */
	const char **file;
	uint32_t n_file; /* .file table; holes are "" */
	struct ptx_symbol **sym;
	uint32_t n_sym; /* module scope, in order: variables and functions */
	struct ptx_func **func;
	uint32_t n_func;
	struct ptx_arena *arena;  /* owns everything above */
	struct ptx_module **part; /* [n_part] that were linked, and what they own; else NULL */
	uint32_t n_part;
};

/* Parses text[0..bytes) (a NUL ends it early). On failure NULL; e->text says "line N: ...",
 * e->offset the byte. */
struct ptx_module *ptx_parse(const char *text, size_t bytes, struct wcp_error *e);
/*
 * One module of n, whose names are for messages: what one declares .extern is what another defines
 * .visible, .weak or .common. Of several weak definitions the first stays, of common ones the
 * largest. A definition that is none of these is its module's own; where the name is another's too,
 * it becomes NAME@K in module K. What no module defines stays as it was declared. Takes the
 * modules, on failure too: WCP_EDATA for two definitions and for declarations that do not fit,
 * WCP_ESYS.
 */
struct ptx_module *
ptx_link(struct ptx_module *const *m, const char *const *name, uint32_t n, struct wcp_error *e);
void ptx_free(struct ptx_module *m);
struct ptx_symbol *
ptx_find(const struct ptx_module *m, const char *name); /* module scope; NULL if absent */

/* Does the instruction carry this modifier? */
bool ptx_has(const struct ptx_insn *in, const char *mod);
/* The i-th modifier that is a type, counted from 0; PTX_NONE past the last. */
enum ptx_type ptx_insn_type(const struct ptx_insn *in, uint32_t i);

#endif
