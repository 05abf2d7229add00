/*
 * Boxes of tensors: where a bulk copy puts them, what is recorded of them, and maps that are none.
 */
#include "exec_kit.h"
#include "warpcap/tensor.h"

enum { W = 24, H = 10, BOX_W = 16, BOX_H = 4, BOX = BOX_W * BOX_H };

/* k(map, out, x): box x, -1 of the tensor, 64 words of 4 bytes, and back to where it came from with
 * its words added. */
#define TENSOR(rank, coordinates)                                                              \
	".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 map, "   \
	".param .u64 out, .param .u64 x)\n{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .pred " \
	"%p;\n.shared .align 128 .b8 s[256];\n.shared .align 8 .b64 b;\n"                      \
	"ld.param.u64 %rd1, [map];\nld.param.u64 %rd2, [out];\nld.param.u32 %r1, [x];\n"       \
	"mov.u32 %r2, s;\nmov.u32 %r3, -1;\nmbarrier.init.shared.b64 [b], 1;\n"                \
	"prefetch.tensormap [%rd1];\n"                                                         \
	"cp.async.bulk.tensor." rank                                                           \
	".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r2], [%rd1, "             \
	"{" coordinates "}], [b];\n"                                                           \
	"mbarrier.arrive.expect_tx.shared.b64 _, [b], 256;\nWAIT:\n"                           \
	"mbarrier.try_wait.parity.shared.b64 %p, [b], 0;\n@!%p bra WAIT;\n"                    \
	"mbarrier.inval.shared.b64 [b];\nmov.u32 %r4, 0;\nNEXT:\nadd.u32 %r5, %r2, %r4;\n"     \
	"ld.shared.u32 %r6, [%r5];\nst.global.u32 [%rd2], %r6;\nadd.u64 %rd2, %rd2, 4;\n"      \
	"add.u32 %r4, %r4, 4;\nsetp.lt.u32 %p, %r4, 256;\n@%p bra NEXT;\n"                     \
	"cp.reduce.async.bulk.tensor." rank ".global.shared::cta.add.tile.bulk_group [%rd1, "  \
	"{" coordinates "}], [%r2];\ncp.async.bulk.commit_group;\nret;\n}\n"

static struct kit k;
static uint64_t map, data, out;

static struct wcp_tensor_map *
begin(const char *ptx)
{
	kit_open(&k, ptx, (struct wcp_device_options){.max_insns = 1u << 20});
	map = kit_buffer(&k, WCP_TENSOR_MAP_BYTES, "map");
	data = kit_buffer(&k, W * H * 4, "data");
	out = kit_buffer(&k, BOX * 4, "out");
	uint32_t *words = (uint32_t *)wcp_device_host(k.device, data, W * H * 4);
	for (uint32_t i = 0; i < W * H; i++)
		words[i] = i + 1;
	struct wcp_tensor_map *m = (struct wcp_tensor_map *)wcp_device_host(k.device, map, 128);
	*m = (struct wcp_tensor_map){.magic = WCP_TENSOR_MAGIC,
	    .address = data,
	    .stride = {W * 4},
	    .last = {W - 1, H - 1},
	    .box = {BOX_W, BOX_H * 2},
	    .step = {1, 2},
	    .rank = 2,
	    .type = WCP_TENSOR_U32,
	    .swizzle = WCP_SWIZZLE_64};
	return m;
}

static int
run(int64_t x)
{
	const uint64_t arg[] = {map, out, (uint64_t)x};
	return kit_launch(&k, "k", 1, 1, 0, arg, 3);
}

static void
there_and_back(int x)
{
	begin(TENSOR("2d", "%r1, %r3"));
	CHECK(run(x) == 0, "%s", k.error.text);
	const uint32_t *got = (uint32_t *)wcp_device_host(k.device, out, BOX * 4);
	const uint32_t *now = (uint32_t *)wcp_device_host(k.device, data, W * H * 4);
	for (int i = 0; i < BOX; i++) {
		/* every second row from -1; of two rows, the pieces of four words change places */
		const int row = i / BOX_W, column = (i % BOX_W) ^ (row / 2 << 2);
		const int in_x = x + column, in_y = -1 + 2 * row;
		const bool inside = in_x >= 0 && in_x < W && in_y >= 0;
		const uint32_t want = inside ? (uint32_t)(in_y * W + in_x) + 1 : 0;
		CHECK(got[i] == want, "x %d, word %d: %u, not %u", x, i, got[i], want);
		if (inside)
			CHECK(now[in_y * W + in_x] == 2 * want, "x %d, word %d added", x, i);
	}
	uint32_t lines = 0;
	for (uint32_t i = 0; i < k.all.n_mem; i++)
		lines += k.all.mem_space[i] == WCP_SPACE_GLOBAL;
	/* 64 stores of what came; rows of 96 bytes from byte 96, 288 and 480 on, there and back */
	CHECK(lines == BOX + 2 * (x == 0 ? 5 : 3), "x %d: %u lines", x, lines);
	kit_close(&k);
}

static void
refused(const char *ptx, void (*spoil)(struct wcp_tensor_map *), int64_t x, const char *why)
{
	struct wcp_tensor_map *m = begin(ptx);
	if (spoil)
		spoil(m);
	CHECK(run(x) == WCP_ENO && strstr(k.error.text, why), "%s: %s", why, k.error.text);
	kit_close(&k);
}

static void
no_map(struct wcp_tensor_map *m)
{
	m->magic = 0;
}

static void
wide_box(struct wcp_tensor_map *m)
{
	m->box[0] = 32;
}

static void
past_end(struct wcp_tensor_map *m)
{
	m->last[1] = 4 * H;
	m->address += W * 4 * (H - 3);
}

static void
elsewhere(struct wcp_tensor_map *m)
{
	(void)m;
	map += 16;
}

int
main(void)
{
	static const char two[] = TENSOR("2d", "%r1, %r3"), three[] = TENSOR("3d", "%r1, %r3, %r3");
	there_and_back(0);
	there_and_back(-8);
	there_and_back(12);
	refused(three, NULL, 0, "is no map of a tensor of so many dimensions");
	refused(two, no_map, 0, "is no map of a tensor");
	refused(two, wide_box, 0, "is no map of a tensor");
	refused(two, elsewhere, 0, "is no map of a tensor");
	refused(two, past_end, 0, "load of 64 bytes");
	refused(two, NULL, 2, "misaligned load of 64 bytes");
	printf(kit_failures ? "%d failures\n" : "ok\n", kit_failures);
	return kit_failures != 0;
}
