/*
 * Matrix instructions. wmma in every shape, type and layout against a plain product; mma with
 * fragments made by the figures of PTX ISA 9.0 section 9.7.14.5, each as it is printed; ldmatrix,
 * stmatrix and movmatrix. The numbers are small integers, exact in every format whatever the order.
 */
#include "matrix_kit.h"

/* ---- wmma ---- */

struct shape {
	unsigned m, n, k;
};

/* Elements a lane holds: as PTX ISA's table of fragments says. */
static unsigned
held(enum type t, unsigned elements)
{
	return t == F16 ? 16 : elements / 32;
}

static void
wmma_one(struct shape s, enum type ab, enum type cd, const char *la, const char *lb, const char *lc,
    const char *ld)
{
	char what[128], name[32];
	struct kit k;
	const unsigned pad = 32;
	const bool bits = ab == B1;
	const unsigned sa = (!strcmp(la, "row") ? s.k : s.m) + pad * (bits ? 4 : 1);
	const unsigned sb = (!strcmp(lb, "row") ? s.n : s.k) + pad * (bits ? 4 : 1);
	const unsigned sc = (!strcmp(lc, "row") ? s.n : s.m) + pad,
		       sd = (!strcmp(ld, "row") ? s.n : s.m) + pad;
	const unsigned na = held(ab, s.m * s.k) * types[ab].bits / (ab == F64 ? 64 : 32);
	const unsigned nb = held(ab, s.k * s.n) * types[ab].bits / (ab == F64 ? 64 : 32);
	const unsigned nc = s.m * s.n / 32 * types[cd].bits / (cd == F64 ? 64 : 32);
	snprintf(name, sizeof name, "m%un%uk%u", s.m, s.n, s.k);
	snprintf(what, sizeof what, "wmma %s.%s.%s %s %s %s %s", name, types[ab].name,
	    types[cd].name, la, lb, lc, ld);
	fill(s.m, s.n, s.k, ab, cd, bits);
	prepare();
	for (unsigned i = 0; i < s.m; i++)
		for (unsigned j = 0; j < s.k; j++)
			put(host[0], !strcmp(la, "row") ? i * sa + j : j * sa + i, ab, a[i][j]);
	for (unsigned i = 0; i < s.k; i++)
		for (unsigned j = 0; j < s.n; j++)
			put(host[1], !strcmp(lb, "row") ? i * sb + j : j * sb + i, ab, b[i][j]);
	for (unsigned i = 0; i < s.m; i++)
		for (unsigned j = 0; j < s.n; j++)
			put(host[2], !strcmp(lc, "row") ? i * sc + j : j * sc + i, cd, c[i][j]);
	head();
	say("wmma.load.a.sync.aligned.%s.%s.global.%s ", la, name, types[ab].name);
	vector(ab, 0, na);
	say(", [%%rd1], %u;\nwmma.load.b.sync.aligned.%s.%s.global.%s ", sa, lb, name,
	    types[ab].name);
	vector(ab, 20, nb);
	say(", [%%rd2], %u;\nwmma.load.c.sync.aligned.%s.%s.%s ", sb, lc, name, types[cd].name);
	vector(cd, 40, nc);
	say(", [%%rd3], %u;\nwmma.mma.%ssync.aligned.%s.%s.%s", sc, bits ? "xor.popc." : "", la, lb,
	    name);
	if (ab == F16)
		say(".%s.%s ", types[cd].name, types[cd].name);
	else
		say(".%s.%s.%s.%s ", types[cd].name, types[ab].name, types[ab].name,
		    types[cd].name);
	vector(cd, 60, nc);
	say(", ");
	vector(ab, 0, na);
	say(", ");
	vector(ab, 20, nb);
	say(", ");
	vector(cd, 40, nc);
	say(";\nwmma.store.d.sync.aligned.%s.%s.global.%s [%%rd4], ", ld, name, types[cd].name);
	vector(cd, 60, nc);
	say(", %u;\nret;\n}\n", sd);
	if (run(&k, what, 32)) {
		unsigned wrong = 0;
		for (unsigned i = 0; i < s.m; i++)
			for (unsigned j = 0; j < s.n; j++)
				wrong += get(host[3], !strcmp(ld, "row") ? i * sd + j : j * sd + i,
					     cd) != encode(cd, want[i][j]);
		CHECK(!wrong, "%s: %u of %u are wrong", what, wrong, s.m * s.n);
		CHECK(k.end.mem_insns == 8, "%s: %" PRIu64 " memory instructions", what,
		    k.end.mem_insns);
	}
	kit_close(&k);
}

static void
wmma(void)
{
	static const struct shape shape[] = {{16, 16, 16}, {32, 8, 16}, {8, 32, 16}};
	static const char *const way[] = {"row", "col"};
	static const enum type ab[] = {F16, F16, S8, U8, BF16};
	static const enum type cd[] = {F16, F32, S32, S32, F32};
	for (unsigned s = 0; s < 3; s++)
		for (unsigned t = 0; t < 5; t++)
			for (unsigned w = 0; w < 16; w++)
				wmma_one(shape[s], ab[t], cd[t], way[w & 1], way[w >> 1 & 1],
				    way[w >> 2 & 1], way[w >> 3]);
	for (unsigned w = 0; w < 16; w++) {
		wmma_one((struct shape){16, 16, 8}, TF32, F32, way[w & 1], way[w >> 1 & 1],
		    way[w >> 2 & 1], way[w >> 3]);
		wmma_one((struct shape){8, 8, 4}, F64, F64, way[w & 1], way[w >> 1 & 1],
		    way[w >> 2 & 1], way[w >> 3]);
	}
	for (unsigned w = 0; w < 4; w++) {
		wmma_one((struct shape){8, 8, 32}, S4, S32, "row", "col", way[w & 1], way[w >> 1]);
		wmma_one((struct shape){8, 8, 32}, U4, S32, "row", "col", way[w & 1], way[w >> 1]);
		wmma_one((struct shape){8, 8, 128}, B1, S32, "row", "col", way[w & 1], way[w >> 1]);
	}
}

/* ---- mma ---- */

/* Row and column of element i of lane (group g, thread t in it), as the manual's figures say. */
struct figure {
	const char *shape;
	enum type ab, cd;
	struct shape s;
	unsigned na, nb, nc; /* elements a lane holds */
	unsigned (*a_row)(unsigned g, unsigned i), (*a_column)(unsigned t, unsigned i);
	unsigned (*b_row)(unsigned t, unsigned i);
};

static unsigned
row_g(unsigned g, unsigned i)
{
	(void)i;
	return g;
}
static unsigned
row_pairs2(unsigned g, unsigned i)
{
	return i < 2 ? g : g + 8;
}
static unsigned
row_pairs4(unsigned g, unsigned i)
{
	return i < 2 || (i >= 4 && i < 6) ? g : g + 8;
}
static unsigned
row_odd(unsigned g, unsigned i)
{
	return i == 0 || i == 2 ? g : g + 8;
}
static unsigned
row_four(unsigned g, unsigned i)
{
	return i < 4 ? g : g + 8;
}
static unsigned
row_fours(unsigned g, unsigned i)
{
	return i < 4 || (i >= 8 && i < 12) ? g : g + 8;
}
static unsigned
row_eights(unsigned g, unsigned i)
{
	return i < 8 || (i >= 16 && i < 24) ? g : g + 8;
}
static unsigned
row_words(unsigned g, unsigned i)
{
	return i < 32 || (i >= 64 && i < 96) ? g : g + 8;
}
static unsigned
col_2(unsigned t, unsigned i)
{
	return t * 2 + (i & 1);
}
static unsigned
col_2_8(unsigned t, unsigned i)
{
	return t * 2 + (i & 1) + (i < 4 ? 0 : 8);
}
static unsigned
col_t(unsigned t, unsigned i)
{
	(void)i;
	return t;
}
static unsigned
col_t_4(unsigned t, unsigned i)
{
	return i < 2 ? t : t + 4;
}
static unsigned
col_4(unsigned t, unsigned i)
{
	return t * 4 + (i & 3);
}
static unsigned
col_4_16(unsigned t, unsigned i)
{
	return t * 4 + (i & 3) + (i < 8 ? 0 : 16);
}
static unsigned
col_8(unsigned t, unsigned i)
{
	return t * 8 + (i & 7);
}
static unsigned
col_8_32(unsigned t, unsigned i)
{
	return t * 8 + (i & 7) + (i < 16 ? 0 : 32);
}
static unsigned
col_32(unsigned t, unsigned i)
{
	return t * 32 + (i & 31);
}
static unsigned
col_32_128(unsigned t, unsigned i)
{
	return t * 32 + (i & 31) + (i < 64 ? 0 : 128);
}
static unsigned
b_2_8(unsigned t, unsigned i)
{
	return t * 2 + (i & 1) + (i < 2 ? 0 : 8);
}
static unsigned
b_t_4(unsigned t, unsigned i)
{
	return i < 1 ? t : t + 4;
}
static unsigned
b_4_16(unsigned t, unsigned i)
{
	return t * 4 + (i & 3) + (i < 4 ? 0 : 16);
}
static unsigned
b_8_32(unsigned t, unsigned i)
{
	return t * 8 + (i & 7) + (i < 8 ? 0 : 32);
}
static unsigned
b_32_128(unsigned t, unsigned i)
{
	return t * 32 + (i & 31) + (i < 32 ? 0 : 128);
}
static unsigned
col_f64(unsigned t, unsigned i)
{
	return i / 2 * 4 + t;
}
static unsigned
row_f64(unsigned g, unsigned i)
{
	return i % 2 ? g + 8 : g;
}
static unsigned
b_f64(unsigned t, unsigned i)
{
	return t + 4 * i;
}

static const struct figure figures[] = {
    {"m16n8k8", F16, F32, {16, 8, 8}, 4, 2, 4, row_pairs2, col_2, col_2},
    {"m16n8k8", F16, F16, {16, 8, 8}, 4, 2, 4, row_pairs2, col_2, col_2},
    {"m16n8k16", F16, F32, {16, 8, 16}, 8, 4, 4, row_pairs4, col_2_8, b_2_8},
    {"m16n8k16", F16, F16, {16, 8, 16}, 8, 4, 4, row_pairs4, col_2_8, b_2_8},
    {"m16n8k8", BF16, F32, {16, 8, 8}, 4, 2, 4, row_pairs2, col_2, col_2},
    {"m16n8k16", BF16, F32, {16, 8, 16}, 8, 4, 4, row_pairs4, col_2_8, b_2_8},
    {"m16n8k4", TF32, F32, {16, 8, 4}, 2, 1, 4, row_f64, col_t, col_t},
    {"m16n8k8", TF32, F32, {16, 8, 8}, 4, 2, 4, row_odd, col_t_4, b_t_4},
    {"m8n8k16", S8, S32, {8, 8, 16}, 4, 4, 2, row_g, col_4, col_4},
    {"m8n8k16", U8, S32, {8, 8, 16}, 4, 4, 2, row_g, col_4, col_4},
    {"m16n8k16", S8, S32, {16, 8, 16}, 8, 4, 4, row_four, col_4, col_4},
    {"m16n8k32", S8, S32, {16, 8, 32}, 16, 8, 4, row_fours, col_4_16, b_4_16},
    {"m16n8k32", U8, S32, {16, 8, 32}, 16, 8, 4, row_fours, col_4_16, b_4_16},
    {"m8n8k32", S4, S32, {8, 8, 32}, 8, 8, 2, row_g, col_8, col_8},
    {"m16n8k64", U4, S32, {16, 8, 64}, 32, 16, 4, row_eights, col_8_32, b_8_32},
    {"m8n8k128", B1, S32, {8, 8, 128}, 32, 32, 2, row_g, col_32, col_32},
    {"m16n8k256", B1, S32, {16, 8, 256}, 128, 64, 4, row_words, col_32_128, b_32_128},
    {"m8n8k4", F64, F64, {8, 8, 4}, 1, 1, 2, row_g, col_t, col_t},
    {"m16n8k4", F64, F64, {16, 8, 4}, 2, 1, 4, row_f64, col_t, col_t},
    {"m16n8k8", F64, F64, {16, 8, 8}, 4, 2, 4, row_f64, col_f64, b_f64},
    {"m16n8k16", F64, F64, {16, 8, 16}, 8, 4, 4, row_f64, col_f64, b_f64},
};

/* Loads or stores n registers of lane l at [base + l * n * bytes]. */
static void
registers(enum type t, unsigned base, unsigned first, unsigned n, bool store)
{
	const unsigned bytes = t == F64 ? 8 : 4;
	say("mad.wide.u32 %%rd20, %%r90, %u, %%rd%u;\n", n * bytes, base);
	for (unsigned i = 0; i < n; i++)
		if (store)
			say("st.global.%s [%%rd20+%u], %%%s%u;\n", t == F64 ? "f64" : "b32",
			    i * bytes, t == F64 ? "fd" : "r", first + i);
		else
			say("ld.global.%s %%%s%u, [%%rd20+%u];\n", t == F64 ? "f64" : "b32",
			    t == F64 ? "fd" : "r", first + i, i * bytes);
}

static void
mma_one(const struct figure *f)
{
	char what[128];
	struct kit k;
	const unsigned wide = f->ab == F64 ? 64 : 32, wide_c = f->cd == F64 ? 64 : 32;
	const unsigned ra = f->na * types[f->ab].bits / wide, rb = f->nb * types[f->ab].bits / wide,
		       rc = f->nc * types[f->cd].bits / wide_c;
	snprintf(what, sizeof what, "mma %s.%s.%s", f->shape, types[f->ab].name, types[f->cd].name);
	fill(f->s.m, f->s.n, f->s.k, f->ab, f->cd, f->ab == B1);
	prepare();
	for (unsigned l = 0; l < 32; l++) {
		const unsigned g = l / 4, t = l % 4;
		for (unsigned i = 0; i < f->na; i++)
			put(host[0], l * f->na + i, f->ab, a[f->a_row(g, i)][f->a_column(t, i)]);
		for (unsigned i = 0; i < f->nb; i++)
			put(host[1], l * f->nb + i, f->ab, b[f->b_row(t, i)][g]);
		for (unsigned i = 0; i < f->nc; i++)
			put(host[2], l * f->nc + i, f->cd, c[i < 2 ? g : g + 8][t * 2 + (i & 1)]);
	}
	head();
	registers(f->ab, 1, 0, ra, false);
	registers(f->ab, 2, 20, rb, false);
	registers(f->cd, 3, 40, rc, false);
	say("mma.sync.aligned.%s.row.col.%s.%s.%s.%s%s ", f->shape, types[f->cd].name,
	    types[f->ab].name, types[f->ab].name, types[f->cd].name,
	    f->ab == B1 ? ".xor.popc" : "");
	vector(f->cd, 60, rc);
	say(", ");
	vector(f->ab, 0, ra);
	say(", ");
	vector(f->ab, 20, rb);
	say(", ");
	vector(f->cd, 40, rc);
	say(";\n");
	registers(f->cd, 4, 60, rc, true);
	say("ret;\n}\n");
	if (run(&k, what, 32)) {
		unsigned wrong = 0;
		for (unsigned l = 0; l < 32; l++)
			for (unsigned i = 0; i < f->nc; i++)
				wrong += get(host[3], l * f->nc + i, f->cd) !=
					 encode(f->cd,
					     want[i < 2 ? l / 4 : l / 4 + 8][l % 4 * 2 + (i & 1)]);
		CHECK(!wrong, "%s: %u are wrong", what, wrong);
	}
	kit_close(&k);
}

/* ---- mma.sp ---- */

/*
 * a is made with as many elements as mma.sp keeps, where the metadata says; its registers are those
 * of the dense shape half as deep. lanes: how many of four have metadata, as the manual says for
 * each shape; group: columns that four bits tell of.
 */
struct sparse_figure {
	unsigned dense; /* of figures: a's places; b's and c's rule is the same, deeper */
	const char *shape;
	unsigned k, nb, lanes, group;
};

static const struct sparse_figure sparse_figures[] = {
    {0, "m16n8k16", 16, 4, 1, 4},
    {3, "m16n8k32", 32, 8, 2, 4},
    {5, "m16n8k32", 32, 8, 2, 4},
    {6, "m16n8k8", 8, 2, 1, 2},
    {7, "m16n8k16", 16, 4, 2, 2},
    {10, "m16n8k32", 32, 8, 2, 4},
    {12, "m16n8k64", 64, 16, 4, 4},
    {14, "m16n8k128", 128, 32, 4, 8},
};

/* Bits of row r and group j of columns: the lane, and where in it. */
static unsigned
metadata_lane(const struct sparse_figure *f, unsigned bits, unsigned r, unsigned j, unsigned *shift)
{
	const unsigned per = bits >= 16 ? 4 : 8; /* groups of one row that a lane has */
	*shift = j % per * 4 + (bits >= 16 && r >= 8 ? 16 : 0);
	return r % 8 * 4 + (bits >= 16 ? j / per : j / per * 2 + r / 8) % f->lanes;
}

/* a as mma.sp takes it, [row][kept], from where the metadata puts it in a[][] */
static int narrow[16][DEPTH];
static void
thin_out(const struct sparse_figure *f, enum type t, unsigned selector, uint32_t *metadata)
{
	static const unsigned four[] = {4, 8, 9, 12, 13, 14};
	const unsigned unit = f->group == 8 ? 2 : 1, bits = types[t].bits;
	for (unsigned r = 0; r < 16; r++)
		for (unsigned j = 0, n = 0; j < f->k / f->group; j++) {
			const unsigned code =
			    f->group == 2 ? (next() & 1 ? 14 : 4) : four[next() % 6];
			unsigned shift, lane = metadata_lane(f, bits, r, j, &shift);
			metadata[lane + selector * f->lanes] |= code << shift;
			int *from = &a[r][j * f->group], kept[8] = {0};
			for (unsigned i = 0; i < f->group; i++) {
				const unsigned pair = i / unit;
				const bool stays = f->group == 2
						       ? (code == 14) == (i == 1)
						       : (code & 3) == pair || code >> 2 == pair;
				kept[i] = stays ? from[i] : 0;
				if (stays)
					narrow[r][n++] = from[i];
			}
			memcpy(from, kept, f->group * sizeof *from);
		}
}

static void
sparse_fill(const struct sparse_figure *f, const struct figure *d, unsigned selector)
{
	uint32_t metadata[WCP_LANES] = {0};
	const unsigned per = 32 / types[d->ab].bits;
	fill(16, 8, f->k, d->ab, d->cd, false);
	thin_out(f, d->ab, selector, metadata);
	for (unsigned i = 0; i < 16; i++)
		for (unsigned j = 0; j < 8; j++) {
			want[i][j] = c[i][j];
			for (unsigned x = 0; x < f->k; x++)
				want[i][j] += a[i][x] * b[x][j];
		}
	prepare();
	for (unsigned l = 0; l < 32; l++) {
		const unsigned g = l / 4, t = l % 4;
		for (unsigned i = 0; i < d->na; i++)
			put(host[0], l * d->na + i, d->ab,
			    narrow[d->a_row(g, i)][d->a_column(t, i)]);
		for (unsigned i = 0; i < f->nb; i++)
			put(host[1], l * f->nb + i, d->ab,
			    b[t * per + i % per + 4 * per * (i / per)][g]);
		for (unsigned i = 0; i < 4; i++)
			put(host[2], l * 4 + i, d->cd, c[i < 2 ? g : g + 8][t * 2 + (i & 1)]);
	}
	memcpy(host[3] + BYTES / 2, metadata, sizeof metadata);
}

static void
sparse_one(const struct sparse_figure *f, unsigned selector, bool ordered)
{
	const struct figure *d = &figures[f->dense];
	char what[128];
	struct kit k;
	const unsigned bits = types[d->ab].bits, ra = d->na * bits / 32, rb = f->nb * bits / 32;
	const unsigned rc = 4 * types[d->cd].bits / 32;
	snprintf(what, sizeof what, "mma.sp %s.%s.%s %u", f->shape, types[d->cd].name,
	    types[d->ab].name, selector);
	sparse_fill(f, d, selector);
	head();
	registers(d->ab, 1, 0, ra, false);
	registers(d->ab, 2, 20, rb, false);
	registers(d->cd, 3, 40, rc, false);
	say("mad.wide.u32 %%rd20, %%r90, 4, %%rd4;\nld.global.b32 %%r80, [%%rd20+%u];\n",
	    BYTES / 2);
	say("mma.sp%s.sync.aligned.%s.row.col.%s.%s.%s.%s ", ordered ? "::ordered_metadata" : "",
	    f->shape, types[d->cd].name, types[d->ab].name, types[d->ab].name, types[d->cd].name);
	vector(d->cd, 60, rc);
	say(", ");
	vector(d->ab, 0, ra);
	say(", ");
	vector(d->ab, 20, rb);
	say(", ");
	vector(d->cd, 40, rc);
	say(", %%r80, 0x%x;\n", selector);
	registers(d->cd, 4, 60, rc, true);
	say("ret;\n}\n");
	if (run(&k, what, 32)) {
		unsigned wrong = 0;
		for (unsigned l = 0; l < 32; l++)
			for (unsigned i = 0; i < 4; i++)
				wrong += get(host[3], l * 4 + i, d->cd) !=
					 encode(d->cd,
					     want[i < 2 ? l / 4 : l / 4 + 8][l % 4 * 2 + (i & 1)]);
		CHECK(!wrong, "%s: %u are wrong", what, wrong);
	}
	kit_close(&k);
}

static void
sparse(void)
{
	for (size_t i = 0; i < sizeof sparse_figures / sizeof sparse_figures[0]; i++)
		for (unsigned s = 0; s < 4 / sparse_figures[i].lanes; s++)
			sparse_one(&sparse_figures[i], s, (i + s) % 2);
}

/* ---- mma.m8n8k4 of f16 ---- */

/* Four products at once, each of other numbers: the figures of the manual for a lane of either
 * quad. */
static void
quads_one(enum type cd, bool a_by_column, bool b_by_column)
{
	static int qa[4][8][4], qb[4][4][8], qc[4][8][8];
	struct kit k;
	char what[64];
	const unsigned rc = cd == F16 ? 4 : 8;
	snprintf(
	    what, sizeof what, "mma m8n8k4.%s %d %d", types[cd].name, a_by_column, b_by_column);
	prepare();
	for (unsigned l = 0; l < 32; l++) {
		const unsigned q = l / 4 % 4, t = l % 4, high = l < 16 ? 0 : 4;
		for (unsigned i = 0; i < 4; i++) {
			const int x = value_for(F16), y = value_for(F16);
			qa[q][a_by_column ? i + high : t + high][a_by_column ? t : i] = x;
			qb[q][b_by_column ? i : t][b_by_column ? t + high : i + high] = y;
			put(host[0], l * 4 + i, F16, x);
			put(host[1], l * 4 + i, F16, y);
		}
		for (unsigned i = 0; i < 8; i++) {
			const int x = value_for(F16);
			const unsigned row = cd == F16 ? t + high : (l & 1) + (i & 2) + high;
			qc[q][row][cd == F16 ? i : (i & 4) + (l & 2) + (i & 1)] = x;
			put(host[2], l * 8 + i, cd, x);
		}
	}
	head();
	registers(F16, 1, 0, 2, false);
	registers(F16, 2, 20, 2, false);
	registers(cd, 3, 40, rc, false);
	say("mma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s ", a_by_column ? "col" : "row",
	    b_by_column ? "col" : "row", types[cd].name, types[cd].name);
	vector(cd, 60, rc);
	say(", ");
	vector(F16, 0, 2);
	say(", ");
	vector(F16, 20, 2);
	say(", ");
	vector(cd, 40, rc);
	say(";\n");
	registers(cd, 4, 60, rc, true);
	say("ret;\n}\n");
	if (run(&k, what, 32)) {
		unsigned wrong = 0;
		for (unsigned l = 0; l < 32; l++)
			for (unsigned i = 0; i < 8; i++) {
				const unsigned q = l / 4 % 4, high = l < 16 ? 0 : 4;
				const unsigned row =
				    cd == F16 ? l % 4 + high : (l & 1) + (i & 2) + high;
				const unsigned column = cd == F16 ? i : (i & 4) + (l & 2) + (i & 1);
				int sum = qc[q][row][column];
				for (unsigned x = 0; x < 4; x++)
					sum += qa[q][row][x] * qb[q][x][column];
				wrong += get(host[3], l * 8 + i, cd) != encode(cd, sum);
			}
		CHECK(!wrong, "%s: %u are wrong", what, wrong);
	}
	kit_close(&k);
}

/* ---- 8 x 8 ---- */

static void
eight(unsigned n, bool transposed)
{
	struct kit k;
	char what[64];
	snprintf(what, sizeof what, "ldmatrix.x%u%s", n, transposed ? ".trans" : "");
	prepare();
	for (unsigned i = 0; i < 1024; i++)
		((uint16_t *)(void *)host[0])[i] = (uint16_t)(i * 7 + 3);
	head();
	/* row r of matrix m lies at 16 (8 m + r); lane l names row l % 8 of matrix l / 8 */
	say(".shared .align 16 .b8 s[1024];\nmad.wide.u32 %%rd5, %%r90, 16, %%rd1;\n"
	    "ld.global.v4.u32 {%%r1, %%r2, %%r3, %%r4}, [%%rd5];\nmov.u32 %%r80, s;\n"
	    "mad.lo.u32 %%r81, %%r90, 16, %%r80;\nst.shared.v4.u32 [%%r81], {%%r1, %%r2, %%r3, "
	    "%%r4};\nbar.warp.sync -1;\nldmatrix.sync.aligned.m8n8.x%u%s.shared.b16 ",
	    n, transposed ? ".trans" : "");
	vector(F16, 10, n);
	say(", [%%r81];\nstmatrix.sync.aligned.m8n8.x%u%s.shared.b16 [%%r81+512], ", n,
	    transposed ? ".trans" : "");
	vector(F16, 10, n);
	say(";\nmovmatrix.sync.aligned.m8n8.trans.b16 %%r30, %%r10;\n");
	registers(F16, 4, 10, n, true);
	say("ld.shared.v4.u32 {%%r1, %%r2, %%r3, %%r4}, [%%r81+512];\nmad.wide.u32 %%rd6, %%r90, "
	    "16, "
	    "%%rd2;\nst.global.v4.u32 [%%rd6], {%%r1, %%r2, %%r3, %%r4};\n");
	registers(F16, 3, 30, 1, true);
	say("ret;\n}\n");
	if (!run(&k, what, 32))
		return kit_close(&k);
	const uint16_t *in = (const uint16_t *)(const void *)host[0],
		       *out = (const uint16_t *)(const void *)host[3],
		       *back = (const uint16_t *)(const void *)host[1],
		       *moved = (const uint16_t *)(const void *)host[2];
	for (unsigned l = 0; l < 32; l++)
		for (unsigned e = 0; e < 2; e++) {
			const unsigned row = l / 4, column = l % 4 * 2 + e;
			for (unsigned m = 0; m < n; m++) {
				const uint16_t x = transposed ? in[64 * m + 8 * column + row]
							      : in[64 * m + 8 * row + column];
				CHECK(out[(l * n + m) * 2 + e] == x, "%s: lane %u", what, l);
			}
			const uint16_t x = transposed ? in[8 * row + column] : in[8 * column + row];
			CHECK(moved[2 * l + e] == x, "movmatrix after %s: lane %u", what, l);
		}
	CHECK(!memcmp(in, back, n * 128), "stmatrix after %s", what);
	kit_close(&k);
}

/* Half of a warp is not enough; an address outside is told as ever. */
static void
faults(void)
{
	struct kit k;
	for (unsigned i = 0; i < 2; i++) {
		prepare();
		head();
		say("wmma.load.a.sync.aligned.row.m16n16k16.global.f16 ");
		vector(F16, 0, 8);
		say(", [%%rd1], %u;\nret;\n}\n", i ? 1u << 20 : 16);
		kit_open(&k, text, (struct wcp_device_options){0});
		for (unsigned j = 0; j < 4; j++) {
			free(host[j]);
			at[j] = kit_buffer(&k, BYTES, "matrix");
		}
		CHECK(kit_launch(&k, "k", 1, i ? 32 : 16, 0, at, 4) == WCP_ENO, "fault %u", i);
		CHECK(strstr(
			  k.error.text, i ? "load of 32 bytes at 0x2000001f"
					  : "matrix instruction that only some threads of the warp "
					    "come to (lanes 0x0000ffff)") != NULL ||
			  i,
		    "%s", k.error.text);
		CHECK(!i || strstr(k.error.text, "load of 32 bytes at 0x20"), "%s", k.error.text);
		kit_close(&k);
	}
}

int
main(void)
{
	wmma();
	for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
		mma_one(&figures[i]);
	sparse();
	for (unsigned i = 0; i < 8; i++)
		quads_one(i & 1 ? F16 : F32, i & 2, i & 4);
	for (unsigned n = 1; n <= 4; n *= 2) {
		eight(n, false);
		eight(n, true);
	}
	faults();
	printf(kit_failures ? "%d failures\n" : "ok\n", kit_failures);
	return kit_failures != 0;
}
