/*
 * Words of memory that streams wait for and write. A wait that is not over when it is asked for is
 * a kernel of ours that looks until it is, so that it waits as kernels do that wait for the host.
 */
#include "driver/functions.h"
#include "memory.h"
#include "queue/queue.h"

enum { WAIT_GREATER, WAIT_EQUAL, WAIT_AND, WAIT_NOR, WAIT_HOW = 3 };
enum { WAIT_FLUSHES = 1 << 30 };
enum { WRITE_LOOSELY = 1 };

static const char wait_ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry wait_for_word(.param .u64 at, .param .u64 value, .param .u32 how,\n"
    "    .param .u32 wide)\n"
    "{\n"
    "	.reg .pred %p<4>;\n"
    "	.reg .b32 %r<4>;\n"
    "	.reg .b64 %rd<6>;\n"
    "	ld.param.u64 %rd1, [at];\n"
    "	ld.param.u64 %rd2, [value];\n"
    "	ld.param.u32 %r1, [how];\n"
    "	ld.param.u32 %r2, [wide];\n"
    "	setp.ne.u32 %p1, %r2, 0;\n"
    "look:\n"
    "	@%p1 ld.volatile.u64 %rd3, [%rd1];\n"
    "	@!%p1 ld.volatile.u32 %r3, [%rd1];\n"
    "	@!%p1 cvt.s64.s32 %rd3, %r3;\n"
    "	setp.eq.u32 %p2, %r1, 1;\n"
    "	@%p2 bra equal;\n"
    "	setp.eq.u32 %p2, %r1, 2;\n"
    "	@%p2 bra both;\n"
    "	setp.eq.u32 %p2, %r1, 3;\n"
    "	@%p2 bra neither;\n"
    "	sub.s64 %rd4, %rd3, %rd2;\n"
    "	@!%p1 cvt.u32.u64 %r3, %rd4;\n"
    "	@!%p1 cvt.s64.s32 %rd4, %r3;\n"
    "	setp.ge.s64 %p3, %rd4, 0;\n"
    "	bra.uni looked;\n"
    "equal:\n"
    "	setp.eq.s64 %p3, %rd3, %rd2;\n"
    "	bra.uni looked;\n"
    "both:\n"
    "	and.b64 %rd4, %rd3, %rd2;\n"
    "	setp.ne.s64 %p3, %rd4, 0;\n"
    "	bra.uni looked;\n"
    "neither:\n"
    "	or.b64 %rd4, %rd3, %rd2;\n"
    "	setp.ne.s64 %p3, %rd4, -1;\n"
    "looked:\n"
    "	@!%p3 bra look;\n"
    "	ret;\n"
    "}\n";

/* The kernel; the lock is held. */
static int
waiter(struct kernel **k)
{
	static struct module *module;
	int s = module ? CU_OK : module_load_data(wait_ptx, sizeof wait_ptx, &module);
	if (!s)
		s = module_named_kernel(module, "wait_for_word", k);
	if (!s)
		s = module_kernel(*k, k);
	if (!s)
		(*k)->aside = true;
	return s;
}

/* As the kernel has it. */
static bool
is_over(uint64_t there, uint64_t value, int how, bool wide)
{
	const uint64_t difference = there - value;
	switch (how) {
	case WAIT_EQUAL: return there == value;
	case WAIT_AND: return (there & value) != 0;
	case WAIT_NOR: return ~(there | value) != 0;
	default: return wide ? (int64_t)difference >= 0 : (int32_t)difference >= 0;
	}
}

static uint64_t
widen(uint64_t value, bool wide)
{
	return wide ? value : (uint64_t)(int64_t)(int32_t)value;
}

static uint64_t
read_word(const void *at, bool wide)
{
	return wide ? *(const volatile uint64_t *)at : widen(*(const volatile uint32_t *)at, false);
}

static int
wait_for(void *stream, void *at, uint64_t value, unsigned flags, bool wide)
{
	int s = rt_enter(), how = (int)(flags & WAIT_HOW), is_wide = wide;
	struct kernel *k = NULL;
	const struct stream *st = stream_get(stream);
	const uint64_t number = (uint64_t)(uintptr_t)at;
	uint64_t wanted = widen(value, wide);
	if (!s && !st)
		s = CU_INVALID_RESOURCE_HANDLE;
	if (!s && (flags & ~(unsigned)(WAIT_HOW | WAIT_FLUSHES) || number % (wide ? 8 : 4)))
		s = CU_INVALID_VALUE;
	const void *here = s || !memory_on_device(at) ? NULL : memory_at(at, wide ? 8 : 4);
	if (!s && !here)
		s = CU_INVALID_VALUE;
	if (!s && !st->capture && !queue_holds(st) &&
	    is_over(read_word(here, wide), wanted, how, wide))
		return rt_leave(CU_OK);
	if (!s)
		s = waiter(&k);
	void *arg[] = {&at, &wanted, &how, &is_wide};
	const struct op op = {.type = CU_NODE_KERNEL,
	    .of.kernel = {{.kernel = k, .grid = {1, 1, 1}, .block = {1, 1, 1}}, arg}};
	return rt_leave(s ? s : submit(stream, &op));
}

API int
cuStreamWaitValue32_v2(void *stream, void *at, uint32_t value, unsigned flags)
{
	return DRIVER(wait_for(stream, at, value, flags, false));
}

API int
cuStreamWaitValue32(void *stream, void *at, uint32_t value, unsigned flags)
{
	return cuStreamWaitValue32_v2(stream, at, value, flags);
}

API int
cuStreamWaitValue64_v2(void *stream, void *at, uint64_t value, unsigned flags)
{
	return DRIVER(wait_for(stream, at, value, flags, true));
}

API int
cuStreamWaitValue64(void *stream, void *at, uint64_t value, unsigned flags)
{
	return cuStreamWaitValue64_v2(stream, at, value, flags);
}

API int
cuStreamWriteValue32_v2(void *stream, void *at, uint32_t value, unsigned flags)
{
	return flags > WRITE_LOOSELY ? CU_INVALID_VALUE : cuMemsetD32Async(at, value, 1, stream);
}

API int
cuStreamWriteValue32(void *stream, void *at, uint32_t value, unsigned flags)
{
	return cuStreamWriteValue32_v2(stream, at, value, flags);
}

static bool
is_captured(void *stream)
{
	rt_lock();
	const struct stream *s = stream_get(stream);
	const bool is = s && s->capture;
	rt_unlock();
	return is;
}

/* A copy of one word, which is written at once. A graph cannot keep the word: differs: there the
 * upper half comes first. */
API int
cuStreamWriteValue64_v2(void *stream, void *at, uint64_t value, unsigned flags)
{
	if (flags > WRITE_LOOSELY || (uintptr_t)at % 8)
		return CU_INVALID_VALUE;
	if (!is_captured(stream))
		return cuMemcpyHtoDAsync_v2(at, &value, sizeof value, stream);
	const int s = cuMemsetD32Async((char *)at + 4, (uint32_t)(value >> 32), 1, stream);
	return s ? s : cuMemsetD32Async(at, (uint32_t)value, 1, stream);
}

API int
cuStreamWriteValue64(void *stream, void *at, uint64_t value, unsigned flags)
{
	return cuStreamWriteValue64_v2(stream, at, value, flags);
}

enum { OP_WAIT_32 = 1, OP_WRITE_32, OP_FLUSH, OP_WAIT_64, OP_WRITE_64, OP_BARRIER };

API int
cuStreamBatchMemOp_v2(void *stream, unsigned n, const struct memory_op *list, unsigned flags)
{
	int s = n && list && !flags ? CU_OK : CU_INVALID_VALUE;
	for (unsigned i = 0; !s && i < n; i++) {
		const struct memory_op *o = &list[i];
		switch (o->operation) {
		case OP_WAIT_32:
			s = cuStreamWaitValue32_v2(stream, o->at, (uint32_t)o->value, o->flags);
			break;
		case OP_WAIT_64:
			s = cuStreamWaitValue64_v2(stream, o->at, o->value, o->flags);
			break;
		case OP_WRITE_32:
			s = cuStreamWriteValue32_v2(stream, o->at, (uint32_t)o->value, o->flags);
			break;
		case OP_WRITE_64:
			s = cuStreamWriteValue64_v2(stream, o->at, o->value, o->flags);
			break;
		case OP_FLUSH:
		case OP_BARRIER: break;
		default: s = CU_INVALID_VALUE;
		}
	}
	return s;
}

API int
cuStreamBatchMemOp(void *stream, unsigned n, const struct memory_op *list, unsigned flags)
{
	return cuStreamBatchMemOp_v2(stream, n, list, flags);
}
