/*
 * Textures and surfaces. Fetches against the formulas of the CUDA C++ Programming Guide's appendix
 * on texture fetching, in binary64, with texel values and coordinates for which every step is
 * exact; then element types, layers, cubes, levels, gathers, bounds, surfaces in every width,
 * queries and faults.
 */
#include <math.h>
#include "exec_kit.h"
#include "warpcap/texture.h"

#define N      256u
#define TEXELS 4096u
#define ENTRY(name, body)                                                                         \
	".visible .entry " name "(.param .u64 t, .param .u64 in, .param .u64 out)\n{\n"           \
	".reg .b64 %rd<20>;\n.reg .b32 %r<40>;\n.reg .f32 %f<40>;\n.reg .b16 %h<9>;\n.reg .pred " \
	"%p<4>;\n"                                                                                \
	"ld.param.u64 %rd1, [t];\nld.param.u64 %rd2, [in];\nld.param.u64 %rd3, [out];\n"          \
	"mov.u32 %r1, %tid.x;\nmad.wide.u32 %rd2, %r1, 16, %rd2;\nmad.wide.u32 %rd3, %r1, 16, "   \
	"%rd3;\n"                                                                                 \
	"ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd2];\nld.global.v4.b32 {%r5, %r6, %r7, %r8}, " \
	"[%rd2];\n" body "ret;\n}\n"
#define OUT_F "st.global.v4.f32 [%rd3], {%f10, %f11, %f12, %f13};\n"
#define OUT_I "st.global.v4.b32 [%rd3], {%r10, %r11, %r12, %r13};\n"
#define TO_F  "{%f10, %f11, %f12, %f13}, "
#define TO_I  "{%r10, %r11, %r12, %r13}, "

static const char ptx[] =
    ".version 7.8\n.target sm_75\n.address_size 64\n.global .texref named;\n" ENTRY(
	"t1", "tex.1d.v4.f32.f32 " TO_F "[%rd1, {%f1}];\n" OUT_F) ENTRY("t2",
	"tex.2d.v4.f32.f32 " TO_F "[%rd1, {%f1, %f2}];\n" OUT_F) ENTRY("t3",
	"tex.3d.v4.f32.f32 " TO_F "[%rd1, {%f1, %f2, %f3, %f3}];\n" OUT_F) ENTRY("ti",
	"tex.2d.v4.s32.f32 " TO_I "[%rd1, {%f1, %f2}];\n" OUT_I) ENTRY("ta1",
	"tex.a1d.v4.f32.f32 " TO_F "[%rd1, {%r8, %f1}];\n" OUT_F) ENTRY("ta2",
	"tex.a2d.v4.f32.f32 " TO_F "[%rd1, {%r8, %f1, %f2, %f2}];\n" OUT_F) ENTRY("tc",
	"tex.cube.v4.f32.f32 " TO_F "[%rd1, {%f1, %f2, %f3, %f3}];\n" OUT_F) ENTRY("tac",
	"tex.acube.v4.f32.f32 " TO_F "[%rd1, {%r8, %f1, %f2, %f3}];\n" OUT_F) ENTRY("fetch",
	"tex.1d.v4.f32.s32 " TO_F "[%rd1, {%r8}];\n" OUT_F) ENTRY("level",
	"tex.level.2d.v4.f32.f32 " TO_F "[%rd1, {%f1, %f2}], %f3;\n" OUT_F) ENTRY("grad",
	"mov.f32 %f20, 0f00000000;\ntex.grad.2d.v4.f32.f32 " TO_F
	"[%rd1, {%f1, %f2}], {%f3, %f20}, {%f20, %f3};\n" OUT_F) ENTRY("gather",
	"tld4.g.2d.v4.f32.f32 " TO_F "[%rd1, {%f1, %f2}];\n" OUT_F) ENTRY("offset",
	"tex.2d.v4.f32.f32 " TO_F "[%rd1, {%f1, %f2}], {2, -1};\n" OUT_F) ENTRY("resident",
	"tex.2d.v4.f32.f32 {%f10, %f11, %f12, %f13}|%p1, [%rd1, {%f1, %f2}];\n"
	"selp.f32 %f13, 0f40000000, 0f00000000, %p1;\n" OUT_F) ENTRY("by_name",
	"tex.2d.v4.f32.f32 " TO_F "[named, {%f1, %f2}];\n" OUT_F) ENTRY("query",
	"txq.width.b32 %r10, [%rd1];\ntxq.height.b32 %r11, [%rd1];\ntxq.depth.b32 %r12, [%rd1];\n"
	"txq.num_mipmap_levels.b32 %r13, [%rd1];\n" OUT_I) ENTRY("s_query",
	"suq.width.b32 %r10, [%rd1];\nsuq.height.b32 %r11, [%rd1];\nmov.u32 %r12, "
	"0;\nmov.u32 %r13, 0;\n" OUT_I) ENTRY("ld8",
	"suld.b.2d.v4.b8.zero {%h1, %h2, %h3, %h4}, [%rd1, {%r5, %r6}];\n"
	"cvt.u32.u16 %r10, %h1;\ncvt.u32.u16 %r11, %h2;\ncvt.u32.u16 %r12, %h3;\ncvt.u32.u16 "
	"%r13, %h4;\n" OUT_I) ENTRY("ld32c",
	"suld.b.2d.b32.clamp {%r10}, [%rd1, {%r5, %r6}];\nmov.u32 %r11, 0;\nmov.u32 %r12, 0;\n"
	"mov.u32 %r13, 0;\n" OUT_I) ENTRY("ld64t",
	"suld.b.2d.b64.trap {%rd4}, [%rd1, {%r5, %r6}];\nmov.b64 {%r10, %r11}, %rd4;\nmov.u32 "
	"%r12, 0;\n"
	"mov.u32 %r13, 0;\n" OUT_I)
	ENTRY("ld3", "suld.b.3d.v4.b32.trap " TO_I "[%rd1, {%r5, %r6, %r7, %r7}];\n" OUT_I) ENTRY(
	    "lda", "suld.b.a2d.v2.b32.trap {%r10, %r11}, "
		   "[%rd1, {%r7, %r5, %r6, %r6}];\nmov.u32 %r12, 0;\nmov.u32 %r13, 0;\n" OUT_I)
	    ENTRY("st32z", "sust.b.2d.b32.zero [%rd1, {%r5, %r6}], {%r8};\n")
		ENTRY("st16", "cvt.u16.u32 %h1, %r8;\nsust.b.1d.b16.trap [%rd1, {%r5}], {%h1};\n")
		    ENTRY("red", "sured.b.add.2d.u32.trap [%rd1, {%r5, %r6}], %r8;\n");

static struct kit k;
static uint64_t in_at, out_at, image_at;
static float (*in)[4], (*out)[4];
static int32_t (*in_i)[4], (*out_i)[4];
static char *image;

static uint32_t state = 7;

static uint32_t
next(void)
{
	state = state * 1664525u + 1013904223u;
	return state >> 8;
}

static int
launch(const char *kernel, uint64_t handle)
{
	const uint64_t arg[3] = {handle, in_at, out_at};
	return kit_launch(&k, kernel, 1, N, 0, arg, 3);
}

static void
must(const char *kernel, uint64_t handle)
{
	CHECK(handle && launch(kernel, handle) == 0, "%s: %s", kernel, k.error.text);
}

static struct wcp_texture
make(enum wcp_image_dim dim, uint32_t w, uint32_t h, uint32_t d, uint8_t channels, uint8_t bits,
    enum wcp_channel_kind kind)
{
	struct wcp_texture t = {.image = {.dim = (uint8_t)dim,
				    .channels = channels,
				    .channel_bits = bits,
				    .kind = (uint8_t)kind,
				    .n_level = 1,
				    .level[0] = {.width = w, .height = h, .depth = d}}};
	wcp_image_layout(&t.image, image_at);
	return t;
}

static uint64_t
handle_of(const struct wcp_texture *t)
{
	const uint64_t h = wcp_texture_new(k.device, t, &k.error);
	CHECK(h, "%s", k.error.text);
	return h;
}

/* ---- sampling ---- */

static float
value_at(uint32_t x, uint32_t y, uint32_t z, unsigned c)
{
	return (float)((x * 7 + y * 13 + z * 5 + c * 3) % 31);
}

static void
fill_floats(const struct wcp_image *i, uint32_t slices)
{
	const struct wcp_image_level *l = &i->level[0];
	for (uint32_t z = 0; z < slices; z++)
		for (uint32_t y = 0; y < l->height; y++)
			for (uint32_t x = 0; x < l->width; x++)
				for (unsigned c = 0; c < i->channels; c++) {
					const float v = value_at(x, y, z, c);
					memcpy(image + z * l->slice_bytes + y * l->row_bytes +
						   (x * i->channels + c) * 4,
					    &v, 4);
				}
}

static bool
index_by_mode(long *i, long n, unsigned mode)
{
	if (mode == WCP_ADDRESS_WRAP) {
		*i = ((*i % n) + n) % n;
	} else if (mode == WCP_ADDRESS_MIRROR) {
		const long m = ((*i % (2 * n)) + 2 * n) % (2 * n);
		*i = m < n ? m : 2 * n - 1 - m;
	} else if (*i < 0 || *i >= n) {
		if (mode == WCP_ADDRESS_BORDER)
			return false;
		*i = *i < 0 ? 0 : n - 1;
	}
	return true;
}

static double
texel(const struct wcp_texture *t, const long *index, unsigned c)
{
	const struct wcp_image_level *l = &t->image.level[0];
	long i[3] = {index[0], index[1], index[2]};
	if (!index_by_mode(&i[0], l->width, t->address[0]) ||
	    !index_by_mode(&i[1], l->height, l->height > 1 ? t->address[1] : 1) ||
	    !index_by_mode(&i[2], l->depth, l->depth > 1 ? t->address[2] : 1))
		return (double)t->border[c];
	return (double)value_at((uint32_t)i[0], (uint32_t)i[1], (uint32_t)i[2], c);
}

/* Nearest: floor. Linear: the texels around x - 1/2, weighted by the fraction. */
static double
sampled(const struct wcp_texture *t, const float *at, unsigned dims, unsigned c)
{
	const struct wcp_image_level *l = &t->image.level[0];
	const double size[3] = {l->width, l->height, l->depth};
	double x[3] = {0.5, 0.5, 0.5}, sum = 0;
	for (unsigned a = 0; a < dims; a++)
		x[a] = (double)at[a] * (t->normalized ? size[a] : 1);
	long low[3];
	if (t->filter == WCP_FILTER_POINT) {
		for (unsigned a = 0; a < 3; a++)
			low[a] = (long)floor(x[a]);
		return texel(t, low, c);
	}
	for (unsigned k8 = 0; k8 < 1u << dims; k8++) {
		double share = 1;
		long i[3] = {0, 0, 0};
		for (unsigned a = 0; a < dims; a++) {
			const double b = x[a] - 0.5, f = b - floor(b);
			i[a] = (long)floor(b) + (k8 >> a & 1);
			share *= k8 >> a & 1 ? f : 1 - f;
		}
		sum += share * texel(t, i, c);
	}
	return sum;
}

/* Coordinates in odd 32nds of a texel, never on an edge, from well before the image to well behind.
 */
static void
coordinates(const struct wcp_texture *t, unsigned dims)
{
	const struct wcp_image_level *l = &t->image.level[0];
	const uint32_t size[3] = {l->width, l->height, l->depth};
	for (unsigned i = 0; i < N; i++)
		for (unsigned a = 0; a < 3; a++) {
			const int texels16 =
			    (int)(next() % (size[a] * 5 * 16)) - (int)(size[a] * 2 * 16);
			in[i][a] = a < dims ? ((float)texels16 + 0.5f) / 16.0f /
						  (t->normalized ? (float)size[a] : 1.0f)
					    : 0;
		}
}

static void
sample_one(unsigned dims, unsigned filter, unsigned mode, bool normalized)
{
	static const char *const kernel[] = {"", "t1", "t2", "t3"};
	struct wcp_texture t = make((enum wcp_image_dim)dims, 16, dims > 1 ? 8 : 1,
	    dims > 2 ? 4 : 1, 4, 32, WCP_CHANNEL_FLOAT);
	for (unsigned a = 0; a < 3; a++)
		t.address[a] = (uint8_t)mode;
	t.filter = (uint8_t)filter;
	t.normalized = normalized;
	t.border[0] = 5;
	t.border[3] = 9;
	fill_floats(&t.image, 4);
	coordinates(&t, dims);
	const uint64_t h = handle_of(&t);
	must(kernel[dims], h);
	/* without normalized coordinates, wrapping and mirroring are clamping */
	if (!normalized && mode != WCP_ADDRESS_BORDER)
		t.address[0] = t.address[1] = t.address[2] = WCP_ADDRESS_CLAMP;
	for (unsigned i = 0; i < N; i++)
		for (unsigned c = 0; c < 4; c++)
			CHECK((double)out[i][c] == sampled(&t, in[i], dims, c),
			    "%uD filter %u mode %u normalized %d at (%g, %g, %g): %g, want %g",
			    dims, filter, mode, normalized, (double)in[i][0], (double)in[i][1],
			    (double)in[i][2], (double)out[i][c], sampled(&t, in[i], dims, c));
	CHECK(wcp_texture_free(k.device, h, &k.error) == 0, "free");
}

static void
sampling(void)
{
	for (unsigned dims = 1; dims <= 3; dims++)
		for (unsigned mode = 0; mode < 4; mode++)
			for (unsigned filter = 0; filter < 2; filter++)
				for (unsigned normalized = 0; normalized < 2; normalized++)
					sample_one(dims, filter, mode, normalized);
}

/* Weights have 8 bits: a coordinate 1/1024 past a texel's middle gives the texel itself. */
static void
weights(void)
{
	struct wcp_texture t = make(WCP_IMAGE_1D, 4, 1, 1, 1, 32, WCP_CHANNEL_FLOAT);
	const float v[4] = {0, 1024, 0, 0};
	memcpy(image, v, sizeof v);
	t.filter = WCP_FILTER_LINEAR;
	t.address[0] = WCP_ADDRESS_CLAMP;
	for (unsigned i = 0; i < N; i++)
		in[i][0] = 0.5f + (float)i / 1024.0f;
	must("t1", handle_of(&t));
	for (unsigned i = 0; i < N; i++)
		CHECK(out[i][0] == floorf((float)i / 4 + 0.5f) * 4, "weight %u: %g", i,
		    (double)out[i][0]);
}

/* ---- element types ---- */

static void
elements(void)
{
	static const struct {
		uint8_t channels, bits;
		enum wcp_channel_kind kind;
	} form[] = {{4, 8, WCP_CHANNEL_UNSIGNED}, {4, 8, WCP_CHANNEL_SIGNED},
	    {2, 16, WCP_CHANNEL_UNSIGNED}, {1, 16, WCP_CHANNEL_SIGNED},
	    {2, 8, WCP_CHANNEL_UNSIGNED}, {2, 32, WCP_CHANNEL_SIGNED}};
	for (unsigned f = 0; f < sizeof form / sizeof form[0]; f++) {
		struct wcp_texture t =
		    make(WCP_IMAGE_2D, 16, 16, 1, form[f].channels, form[f].bits, form[f].kind);
		const unsigned bytes = form[f].bits / 8;
		for (unsigned i = 0; i < TEXELS; i++)
			image[i] = (char)next();
		for (unsigned i = 0; i < N; i++) {
			in[i][0] = (float)(i % 16) + 0.25f;
			in[i][1] = (float)(i >> 4) + 0.75f;
		}
		for (unsigned normalized = 0; normalized < 2; normalized++) {
			t.read = normalized ? WCP_READ_NORMALIZED : WCP_READ_ELEMENT;
			must(normalized ? "t2" : "ti", handle_of(&t));
			for (unsigned i = 0; i < N; i++)
				for (unsigned c = 0; c < form[f].channels; c++) {
					const bool sign = form[f].kind == WCP_CHANNEL_SIGNED;
					uint32_t raw = 0;
					memcpy(&raw,
					    image + i / 16 * t.image.level[0].row_bytes +
						(i % 16 * form[f].channels + c) * bytes,
					    bytes);
					const unsigned shift = 32 - form[f].bits;
					const int32_t v =
					    sign ? (int32_t)(raw << shift) >> shift : (int32_t)raw;
					double real = (double)v /
						      (sign ? (double)(1u << (form[f].bits - 1)) - 1
							    : (double)(1ull << form[f].bits) - 1);
					real = real < -1 ? -1 : real;
					if (!normalized || bytes == 4)
						CHECK(out_i[i][c] == v, "form %u: %d, want %d", f,
						    out_i[i][c], v);
					else
						CHECK(out[i][c] == (float)real,
						    "form %u: %g, want %g", f, (double)out[i][c],
						    real);
				}
		}
	}
	/* halves */
	struct wcp_texture t = make(WCP_IMAGE_1D, 4, 1, 1, 1, 16, WCP_CHANNEL_FLOAT);
	const uint16_t h[4] = {0x3c00, 0xc200, 0x0001, 0x7bff};
	const float want[4] = {1, -3, 0x1p-24f, 65504};
	memcpy(image, h, sizeof h);
	for (unsigned i = 0; i < N; i++)
		in[i][0] = (float)(i % 4) + 0.5f;
	must("t1", handle_of(&t));
	for (unsigned i = 0; i < N; i++)
		CHECK(out[i][0] == want[i % 4], "half %u: %g", i % 4, (double)out[i][0]);
}

/* ---- layers, cubes, levels ---- */

static void
layers(void)
{
	struct wcp_texture t = make(WCP_IMAGE_2D, 8, 4, 1, 4, 32, WCP_CHANNEL_FLOAT);
	t.image.layers = 5;
	wcp_image_layout(&t.image, image_at);
	fill_floats(&t.image, 5);
	t.address[0] = t.address[1] = WCP_ADDRESS_CLAMP;
	for (unsigned i = 0; i < N; i++) {
		in[i][0] = (float)(i % 8) + 0.5f;
		in[i][1] = (float)(i / 8 % 4) + 0.5f;
		in_i[i][3] = (int32_t)(i / 32) - 1; /* from before the first to behind the last */
	}
	must("ta2", handle_of(&t));
	for (unsigned i = 0; i < N; i++) {
		const int layer = in_i[i][3] < 0 ? 0 : in_i[i][3] > 4 ? 4 : in_i[i][3];
		CHECK(out[i][1] == value_at(i % 8, i / 8 % 4, (uint32_t)layer, 1), "layer %d: %g",
		    layer, (double)out[i][1]);
	}
	t = make(WCP_IMAGE_1D, 8, 1, 1, 4, 32, WCP_CHANNEL_FLOAT);
	t.image.layers = 5;
	wcp_image_layout(&t.image, image_at);
	fill_floats(&t.image, 5);
	must("ta1", handle_of(&t));
	for (unsigned i = 32; i < 192; i++)
		CHECK(out[i][2] == value_at(i % 8, 0, i / 32 - 1, 2), "a1d: %u: %g", i,
		    (double)out[i][2]);
}

/* Directions through the middle of each texel of each face, by the guide's table: face, major axis,
 * what s and t are. */
static void
cubes(void)
{
	struct wcp_texture t = make(WCP_IMAGE_CUBE, 4, 4, 1, 1, 32, WCP_CHANNEL_FLOAT);
	t.image.layers = 2;
	const uint64_t slice = 128;
	wcp_image_layout(&t.image, image_at);
	CHECK(t.image.level[0].slice_bytes == slice, "slice of %llu bytes",
	    (unsigned long long)t.image.level[0].slice_bytes);
	for (unsigned f = 0; f < 12; f++)
		for (unsigned i = 0; i < 16; i++) {
			const float v = (float)(f * 16 + i);
			memcpy(image + f * slice + i / 4 * 32 + i % 4 * 4, &v, 4);
		}
	for (unsigned i = 0; i < N; i++) {
		const float s = ((float)(i % 4) + 0.5f) / 2 - 1,
			    q = ((float)(i / 4 % 4) + 0.5f) / 2 - 1;
		const float v[6][3] = {
		    {1, -q, -s}, {-1, -q, s}, {s, 1, q}, {s, -1, -q}, {s, -q, 1}, {-s, -q, -1}};
		for (unsigned a = 0; a < 3; a++)
			in[i][a] = v[i / 16 % 6][a] * 3;
		in_i[i][3] = (int32_t)(i / 96 % 2);
	}
	must("tac", handle_of(&t));
	for (unsigned i = 0; i < 192; i++)
		CHECK(out[i][0] == (float)i, "acube %u: %g", i, (double)out[i][0]);
	t.image.layers = 0;
	must("tc", handle_of(&t));
	for (unsigned i = 0; i < 192; i++)
		CHECK(out[i][0] == (float)(i % 96), "cube %u: %g", i, (double)out[i][0]);
}

static void
levels(void)
{
	struct wcp_texture t = make(WCP_IMAGE_2D, 8, 8, 1, 1, 32, WCP_CHANNEL_FLOAT);
	t.image.n_level = 4;
	t.normalized = true;
	t.max_level = 10;
	const uint64_t bytes = wcp_image_layout(&t.image, image_at);
	CHECK(t.image.level[3].width == 1 && bytes == 8 * 32 + 4 * 32 + 2 * 32 + 32, "layout");
	for (unsigned l = 0; l < 4; l++)
		for (unsigned i = 0; i < 64u >> 2 * l; i++) {
			const struct wcp_image_level *level = &t.image.level[l];
			const float v = (float)(64 * l);
			memcpy(image + (level->address - image_at) + i / level->width * 32 +
				   i % level->width * 4,
			    &v, 4);
		}
	for (unsigned i = 0; i < N; i++) {
		in[i][0] = in[i][1] = 0.25f;
		in[i][2] = (float)i / 32 - 2;
	}
	for (unsigned linear = 0; linear < 2; linear++) {
		t.mip_filter = (uint8_t)linear;
		must("level", handle_of(&t));
		for (unsigned i = 0; i < N; i++) {
			float lod = in[i][2] < 0 ? 0 : in[i][2] > 3 ? 3 : in[i][2];
			lod = linear ? lod : floorf(lod + 0.5f);
			CHECK(out[i][0] == 64 * lod, "level %g: %g", (double)in[i][2],
			    (double)out[i][0]);
		}
	}
	/* a footprint of 1, 2, 4, 8 texels */
	t.mip_filter = 0;
	for (unsigned i = 0; i < N; i++)
		in[i][2] = (float)(1u << i % 4) / 8;
	must("grad", handle_of(&t));
	for (unsigned i = 0; i < N; i++)
		CHECK(out[i][0] == 64.0f * (float)(i % 4), "gradient %u: %g", i % 4,
		    (double)out[i][0]);
	must("query", handle_of(&t));
	CHECK(out_i[3][0] == 8 && out_i[3][1] == 8 && out_i[3][2] == 1 && out_i[3][3] == 4,
	    "query: %d %d %d %d", out_i[3][0], out_i[3][1], out_i[3][2], out_i[3][3]);
}

static void
others(void)
{
	struct wcp_texture t = make(WCP_IMAGE_2D, 8, 8, 1, 4, 32, WCP_CHANNEL_FLOAT);
	fill_floats(&t.image, 1);
	t.address[0] = t.address[1] = WCP_ADDRESS_CLAMP;
	for (unsigned i = 0; i < N; i++) {
		in[i][0] = (float)(i % 8) + 1.0f;
		in[i][1] = (float)(i / 8 % 8) + 1.0f;
	}
	must("gather", handle_of(&t));
	for (unsigned i = 0; i < N; i++) {
		const uint32_t x = i % 8, y = i / 8 % 8, x1 = x < 7 ? x + 1 : 7,
			       y1 = y < 7 ? y + 1 : 7;
		CHECK(out[i][0] == value_at(x, y1, 0, 1) && out[i][1] == value_at(x1, y1, 0, 1) &&
			  out[i][2] == value_at(x1, y, 0, 1) && out[i][3] == value_at(x, y, 0, 1),
		    "gather %u", i);
	}
	for (unsigned i = 0; i < N; i++)
		in[i][0] -= 0.5f, in[i][1] -= 0.5f;
	must("offset", handle_of(&t));
	for (unsigned i = 0; i < N; i++) {
		const uint32_t x = i % 8, y = i / 8 % 8;
		CHECK(
		    out[i][2] == value_at(x < 6 ? x + 2 : 7, y ? y - 1 : 0, 0, 2), "offset %u", i);
	}
	must("resident", handle_of(&t));
	CHECK(out[9][0] == value_at(1, 1, 0, 0) && out[9][3] == 2, "resident");
	CHECK(wcp_module_bind_texture(k.device, k.module, "named", &t, &k.error) == 0, "%s",
	    k.error.text);
	must("by_name", 1);
	CHECK(out[9][0] == value_at(1, 1, 0, 0), "by name");
	CHECK(wcp_module_bind_texture(k.device, k.module, "other", &t, &k.error) == WCP_EUSAGE,
	    "a name that is not there");
	/* linear memory */
	t = make(WCP_IMAGE_LINEAR, 100, 1, 1, 1, 32, WCP_CHANNEL_FLOAT);
	for (unsigned i = 0; i < 128; i++) {
		const float v = (float)i + 1;
		memcpy(image + 4 * i, &v, 4);
	}
	for (unsigned i = 0; i < N; i++)
		in_i[i][3] = (int32_t)i - 20;
	must("fetch", handle_of(&t));
	for (unsigned i = 0; i < N; i++)
		CHECK(out[i][0] == (i >= 20 && i < 120 ? (float)(i - 19) : 0), "fetch %u: %g", i,
		    (double)out[i][0]);
	/* the record: one address a lane, in texture space */
	CHECK(k.all.n_mem > 0, "nothing recorded");
	uint32_t seen = 0;
	for (uint32_t i = 0; i < k.all.n_mem; i++)
		seen += k.all.mem_space[i] == WCP_SPACE_TEXTURE;
	CHECK(seen, "no texture accesses recorded");
}

/* ---- surfaces ---- */

static uint64_t
surface_of(const struct wcp_texture *t)
{
	const uint64_t h = wcp_surface_new(k.device, &t->image, &k.error);
	CHECK(h, "%s", k.error.text);
	return h;
}

static void
surfaces(void)
{
	struct wcp_texture t = make(WCP_IMAGE_2D, 16, 8, 1, 4, 8, WCP_CHANNEL_UNSIGNED);
	const uint64_t row = t.image.level[0].row_bytes;
	for (unsigned i = 0; i < TEXELS; i++)
		image[i] = (char)next();
	for (unsigned i = 0; i < N; i++) {
		in_i[i][0] = 4 * ((int)(i % 20) - 2);
		in_i[i][1] = (int)(i / 20) - 2;
		in_i[i][3] = (int)i;
	}
	must("ld8", surface_of(&t));
	for (unsigned i = 0; i < N; i++) {
		const int x = in_i[i][0], y = in_i[i][1];
		const bool inside = x >= 0 && x < 64 && y >= 0 && y < 8;
		for (unsigned c = 0; c < 4; c++)
			CHECK(
			    out_i[i][c] ==
				(inside ? (uint8_t)image[(unsigned)y * row + (unsigned)x + c] : 0),
			    "ld8 (%d, %d)", x, y);
	}
	must("ld32c", surface_of(&t));
	for (unsigned i = 0; i < N; i++) {
		const int x = in_i[i][0] < 0 ? 0 : in_i[i][0] > 60 ? 60 : in_i[i][0];
		const int y = in_i[i][1] < 0 ? 0 : in_i[i][1] > 7 ? 7 : in_i[i][1];
		int32_t v;
		memcpy(&v, image + (unsigned)y * row + (unsigned)x, 4);
		CHECK(out_i[i][0] == v, "ld32 (%d, %d)", x, y);
	}
	memset(image, 0, TEXELS);
	must("st32z", surface_of(&t));
	for (unsigned i = 0; i < N; i++) {
		const int x = in_i[i][0], y = in_i[i][1];
		int32_t v;
		if (x < 0 || x >= 64 || y < 0 || y >= 8)
			continue;
		memcpy(&v, image + (unsigned)y * row + (unsigned)x, 4);
		CHECK(v == (int32_t)i, "st32 (%d, %d): %d", x, y, v);
	}
	CHECK(launch("ld64t", surface_of(&t)) == WCP_ENO, "outside");
	CHECK(
	    strstr(k.error.text, "access outside of the surface: x -8, y -2"), "%s", k.error.text);
	for (unsigned i = 0; i < N; i++) {
		in_i[i][0] = 8 * (int)(i % 8);
		in_i[i][1] = (int)(i / 8 % 8);
		in_i[i][3] = 3;
	}
	must("ld64t", surface_of(&t));
	must("s_query", surface_of(&t));
	CHECK(out_i[0][0] == 16 && out_i[0][1] == 8, "suq");
	memset(image, 0, TEXELS);
	must("red", surface_of(&t));
	for (unsigned i = 0; i < 64; i++) {
		int32_t v;
		memcpy(&v, image + i / 8 * row + i % 8 * 8, 4);
		CHECK(v == 12, "sured %u: %d", i, v);
	}
	t = make(WCP_IMAGE_2D, 8, 4, 1, 2, 32, WCP_CHANNEL_UNSIGNED);
	t.image.layers = 3;
	wcp_image_layout(&t.image, image_at);
	for (unsigned i = 0; i < TEXELS / 4; i++)
		memcpy(image + 4 * i, &i, 4);
	for (unsigned i = 0; i < N; i++) {
		in_i[i][0] = 8 * (int)(i % 8);
		in_i[i][1] = (int)(i / 8 % 4);
		in_i[i][2] = (int)(i / 32 % 3);
	}
	must("lda", surface_of(&t));
	for (unsigned i = 0; i < N; i++)
		CHECK(out_i[i][0] == (int)(i / 32 % 3 * 64 + i / 8 % 4 * 16 + i % 8 * 2) &&
			  out_i[i][1] == out_i[i][0] + 1,
		    "a2d %u: %d", i, out_i[i][0]);
	t = make(WCP_IMAGE_3D, 4, 4, 4, 4, 32, WCP_CHANNEL_UNSIGNED);
	for (unsigned i = 0; i < N; i++) {
		in_i[i][0] = 16 * (int)(i % 4);
		in_i[i][1] = (int)(i / 4 % 4);
		in_i[i][2] = (int)(i / 16 % 4);
	}
	must("ld3", surface_of(&t));
	for (unsigned i = 0; i < N; i++)
		CHECK(out_i[i][3] == (int)(i % 64 * 4 + 3), "3d %u: %d", i, out_i[i][3]);
	t = make(WCP_IMAGE_1D, 256, 1, 1, 1, 16, WCP_CHANNEL_UNSIGNED);
	for (unsigned i = 0; i < N; i++) {
		in_i[i][0] = 2 * (int)i;
		in_i[i][3] = (int)(i * 257);
	}
	must("st16", surface_of(&t));
	for (unsigned i = 0; i < N; i++) {
		uint16_t v;
		memcpy(&v, image + 2 * i, 2);
		CHECK(v == (uint16_t)(i * 257), "st16 %u", i);
	}
}

static void
faults(void)
{
	struct wcp_texture t = make(WCP_IMAGE_2D, 8, 8, 1, 4, 32, WCP_CHANNEL_FLOAT);
	const uint64_t h = handle_of(&t);
	CHECK(wcp_texture_free(k.device, h, &k.error) == 0, "free");
	CHECK(wcp_texture_free(k.device, h, &k.error) == WCP_EUSAGE, "free twice");
	CHECK(launch("t2", h) == WCP_ENO && strstr(k.error.text, "is no texture or surface"), "%s",
	    k.error.text);
	CHECK(wcp_device_fault(k.device) == WCP_FAULT_ADDRESS, "fault");
	CHECK(launch("query", 17) == WCP_ENO && strstr(k.error.text, "0x11 is no texture"), "%s",
	    k.error.text);
	t.image.level[0].height = 1000000; /* beyond the allocation */
	CHECK(launch("t2", handle_of(&t)) == WCP_ENO, "too large");
	t.image.channels = 3;
	CHECK(!wcp_texture_new(k.device, &t, &k.error), "three channels");
	t.image.channels = 4;
	t.image.channel_bits = 8;
	CHECK(!wcp_texture_new(k.device, &t, &k.error), "floats of 8 bits");
}

int
main(void)
{
	kit_open(&k, ptx, (struct wcp_device_options){0});
	in_at = kit_buffer(&k, N * 16, "in");
	out_at = kit_buffer(&k, N * 16, "out");
	image_at = kit_buffer(&k, 65536, "image");
	in = wcp_device_host(k.device, in_at, N * 16);
	out = wcp_device_host(k.device, out_at, N * 16);
	in_i = wcp_device_host(k.device, in_at, N * 16);
	out_i = wcp_device_host(k.device, out_at, N * 16);
	image = wcp_device_host(k.device, image_at, 65536);
	sampling();
	weights();
	elements();
	layers();
	cubes();
	levels();
	others();
	surfaces();
	faults();
	kit_close(&k);
	printf(kit_failures ? "%d failures\n" : "ok\n", kit_failures);
	return kit_failures != 0;
}
