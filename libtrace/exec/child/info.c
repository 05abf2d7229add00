/* What kernels ask about errors, the device and functions. */
#include "exec/child/child.h"

/* ---- errors ---- */

static uint64_t
last_error(struct child_call *t)
{
	const uint32_t e = t->cta->error[t->thread];
	t->cta->error[t->thread] = 0;
	return e;
}

static uint64_t
peek_error(struct child_call *t)
{
	return t->cta->error[t->thread];
}

static const struct {
	uint32_t status;
	const char *name, *text;
} error_text[] = {
    {CHILD_SUCCESS, "cudaSuccess", "no error"},
    {CHILD_INVALID_VALUE, "cudaErrorInvalidValue", "invalid argument"},
    {CHILD_OUT_OF_MEMORY, "cudaErrorMemoryAllocation", "out of memory"},
    {CHILD_INVALID_CONFIGURATION, "cudaErrorInvalidConfiguration",
	"invalid configuration argument"},
    {CHILD_MAX_DEPTH, "cudaErrorLaunchMaxDepthExceeded",
	"launch would exceed maximum depth of nested launches"},
    {CHILD_PENDING_COUNT, "cudaErrorLaunchPendingCountExceeded",
	"launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount"},
    {CHILD_INVALID_FUNCTION, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {CHILD_INVALID_DEVICE, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {CHILD_UNSUPPORTED_LIMIT, "cudaErrorUnsupportedLimit",
	"limit is not supported on this architecture"},
    {CHILD_INVALID_HANDLE, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {CHILD_NOT_SUPPORTED, "cudaErrorNotSupported", "operation not supported"},
    {UINT32_MAX, "unrecognized error code", "unrecognized error code"},
};
#define N_ERRORS  (sizeof error_text / sizeof error_text[0])
#define TEXT_ROOM 128u

/* The texts lie in device memory once one is asked for; 0: no memory. */
static uint64_t
error_address(struct child_call *t, bool name)
{
	struct wcp_device *d = t->grid->device;
	const uint32_t status = (uint32_t)child_arg(t, 0);
	uint32_t i = 0;
	if (!d->error_texts && (d->error_texts = exec_memory_alloc(
				    &d->memory, 2 * N_ERRORS * TEXT_ROOM, "names of errors", NULL)))
		for (uint32_t k = 0; k < N_ERRORS; k++) {
			char *at = exec_memory_at(&d->memory, d->error_texts) + 2 * k * TEXT_ROOM;
			memcpy(at, error_text[k].name, strlen(error_text[k].name) + 1);
			memcpy(at + TEXT_ROOM, error_text[k].text, strlen(error_text[k].text) + 1);
		}
	while (i + 1 < N_ERRORS && error_text[i].status != status)
		i++;
	return d->error_texts ? d->error_texts + (2 * i + !name) * TEXT_ROOM : 0;
}

static uint64_t
error_name(struct child_call *t)
{
	return error_address(t, true);
}

static uint64_t
error_string(struct child_call *t)
{
	return error_address(t, false);
}

/* ---- the device ---- */

static uint64_t
put32(struct child_call *t, uint32_t value)
{
	child_write(t, child_arg(t, 0), &value, 4);
	return CHILD_SUCCESS;
}

static uint64_t
device_count(struct child_call *t)
{
	return put32(t, 1);
}

static uint64_t
device(struct child_call *t)
{
	return put32(t, 0);
}

static uint64_t
version(struct child_call *t)
{
	return put32(t, 13000);
}

static uint64_t
cache_config(struct child_call *t)
{
	return put32(t, 0);
}

/* cudaDeviceAttr: those that the executor itself sets, and an SM of compute capability 8.0. */
static const struct {
	uint32_t attribute;
	int32_t value;
} attribute_value[] = {
    {1, 1024},
    {2, 1024},
    {3, 1024},
    {4, 64},
    {5, 0x7fffffff},
    {6, 65535},
    {7, 65535},
    {8, 49152},
    {9, 65536},
    {10, 32},
    {12, 65536},
    {16, 16},
    {31, 1},
    {39, 2048},
    {81, 167936},
    {82, 65536},
    {95, 1},
    {97, 232448},
    {106, 32},
    {111, 1024},
};

static bool
attribute_of(const struct wcp_device *d, uint32_t attribute, int32_t *value)
{
	const struct wcp_device_options *o = &d->options;
	if (o->attribute && o->attribute(o->attribute_arg, attribute, value))
		return true;
	for (size_t i = 0; i < sizeof attribute_value / sizeof attribute_value[0]; i++)
		if (attribute_value[i].attribute == attribute) {
			*value = attribute_value[i].value;
			return true;
		}
	return false;
}

/* DeviceGetAttribute(int *, attribute, device) */
static uint64_t
attribute(struct child_call *t)
{
	int32_t value;
	if (child_arg(t, 2))
		return child_fail(t, CHILD_INVALID_DEVICE);
	if (!attribute_of(t->grid->device, (uint32_t)child_arg(t, 1), &value))
		return child_fail(t, CHILD_INVALID_VALUE);
	return put32(t, (uint32_t)value);
}

/* DeviceGetLimit(size_t *, limit) */
static uint64_t
limit(struct child_call *t)
{
	const struct wcp_device *d = t->grid->device;
	const uint64_t value[] = {1024, 1u << 20, d->heap_bytes, 2,
	    d->options.pending_launches ? d->options.pending_launches : CHILD_PENDING_MAX};
	const uint64_t which = child_arg(t, 1);
	if (which >= sizeof value / sizeof value[0])
		return child_fail(t, CHILD_UNSUPPORTED_LIMIT);
	child_write(t, child_arg(t, 0), &value[which], 8);
	return CHILD_SUCCESS;
}

/* ---- functions ---- */

/* The kernel whose address is argument i; NULL and an error if there is none. */
static struct exec_code *
kernel_of(struct child_call *t, unsigned i)
{
	struct wcp_error ignored;
	struct exec_code *c = child_code(t->grid->device, child_arg(t, i), &ignored);
	if (!c)
		child_fail(t, CHILD_INVALID_FUNCTION);
	return c;
}

/* The first fields of cudaFuncAttributes, which all versions have. */
struct function_attributes {
	uint64_t shared_bytes, const_bytes, local_bytes;
	int32_t max_threads, n_reg, ptx_version, binary_version, cache_mode, max_dynamic_shared;
};

/* FuncGetAttributes(attributes *, function) */
static uint64_t
function_attributes(struct child_call *t)
{
	const struct exec_code *c = kernel_of(t, 1);
	if (!c)
		return CHILD_INVALID_FUNCTION;
	const struct function_attributes a = {.shared_bytes = c->static_shared_bytes,
	    .local_bytes = c->local_bytes,
	    .max_threads = (int32_t)(c->max_threads ? c->max_threads : 1024),
	    .n_reg = (int32_t)c->regs_per_thread,
	    .max_dynamic_shared = (int32_t)(49152 - c->static_shared_bytes)};
	child_write(t, child_arg(t, 0), &a, sizeof a);
	return CHILD_SUCCESS;
}

static uint32_t
least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t
fit(const struct child_call *t, uint32_t attribute, uint64_t each)
{
	int32_t value = 0;
	attribute_of(t->grid->device, attribute, &value);
	return each ? (uint32_t)((uint64_t)value / each) : UINT32_MAX;
}

/* OccupancyMaxActiveBlocksPerMultiprocessor[WithFlags](int *, function, threads, shared bytes) */
static uint64_t
occupancy(struct child_call *t)
{
	const struct exec_code *c = kernel_of(t, 1);
	const uint32_t threads = (uint32_t)child_arg(t, 2);
	if (!c)
		return CHILD_INVALID_FUNCTION;
	if (!threads || threads > 1024)
		return child_fail(t, CHILD_INVALID_VALUE);
	const uint32_t warps = (threads + WCP_LANES - 1) / WCP_LANES;
	const uint32_t regs = (c->regs_per_thread * WCP_LANES + 255) & ~255u;
	uint32_t n = fit(t, 39, warps * WCP_LANES);
	n = least(n, fit(t, 106, 1));
	n = least(n, fit(t, 82, (uint64_t)regs * warps));
	n = least(n, fit(t, 81, c->static_shared_bytes + child_arg(t, 3)));
	return put32(t, n);
}

const struct child_builtin child_info_table[] = {
    {{"GetLastError", {0}, 4, true, WCP_OP_CALL, child_run_call}, last_error},
    {{"PeekAtLastError", {0}, 4, true, WCP_OP_CALL, child_run_call}, peek_error},
    {{"GetErrorName", {4}, 8, true, WCP_OP_CALL, child_run_call}, error_name},
    {{"GetErrorString", {4}, 8, true, WCP_OP_CALL, child_run_call}, error_string},
    {{"GetDeviceCount", {8}, 4, true, WCP_OP_CALL, child_run_call}, device_count},
    {{"GetDevice", {8}, 4, true, WCP_OP_CALL, child_run_call}, device},
    {{"RuntimeGetVersion", {8}, 4, true, WCP_OP_CALL, child_run_call}, version},
    {{"DeviceGetCacheConfig", {8}, 4, true, WCP_OP_CALL, child_run_call}, cache_config},
    {{"DeviceGetSharedMemConfig", {8}, 4, true, WCP_OP_CALL, child_run_call}, cache_config},
    {{"DeviceGetAttribute", {8, 4, 4}, 4, true, WCP_OP_CALL, child_run_call}, attribute},
    {{"DeviceGetLimit", {8, 4}, 4, true, WCP_OP_CALL, child_run_call}, limit},
    {{"FuncGetAttributes", {8, 8}, 4, true, WCP_OP_CALL, child_run_call}, function_attributes},
    {{"OccupancyMaxActiveBlocksPerMultiprocessor", {8, 8, 4, 8}, 4, true, WCP_OP_CALL,
	 child_run_call},
	occupancy},
    {{"OccupancyMaxActiveBlocksPerMultiprocessorWithFlags", {8, 8, 4, 8, 4}, 4, true, WCP_OP_CALL,
	 child_run_call},
	occupancy},
    {{NULL}, NULL},
};
