/* The one device, the lock around it, errors as CUDA keeps them. */
#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include "leak.h"
#include "memory.h"
#include "queue/queue.h"

struct runtime rt = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local int last_error;
static _Thread_local int error_marked; /* the last one when rt_mark was called */
static _Thread_local bool marked;      /* a call of the driver is under way */
static _Thread_local bool used;	       /* the runtime itself, by this thread */
static _Thread_local struct rt_call called;

static void
forked(void)
{
	const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
	rt.lock = fresh;
	if (rt.ready)
		rt.forked = true;
	queue_forget();
	link_forget();
}

/* A runtime or driver that the program loaded by its path is another one than this. */
static void
name_other(const char *path, const char *ours)
{
	static char told[256];
	const char *name = strrchr(path, '/') + 1;
	const size_t directory = (size_t)(strrchr(ours, '/') + 1 - ours);
	if ((strncmp(name, "libcudart.so", 12) != 0 && strncmp(name, "libcuda.so", 10) != 0) ||
	    !strncmp(path, ours, directory) || !strncmp(path, told, sizeof told - 1))
		return;
	snprintf(told, sizeof told, "%s", path);
	link_note(LINK_LEVEL_WARNING, false,
	    "the program loaded '%s' by its path: what it asks of that is not answered here, but "
	    "of "
	    "libcudart.so.13 and libcuda.so.1 without a path",
	    path);
}

static void
name_others(void)
{
	char line[4352];
	Dl_info own;
	FILE *f = getenv(LINK_ENVIRONMENT) ? fopen("/proc/self/maps", "re") : NULL;
	if (!f)
		return;
	if (dladdr((const void *)&rt, &own) && strchr(own.dli_fname, '/'))
		while (fgets(line, sizeof line, f)) {
			const char *path = strchr(line, '/');
			line[strcspn(line, "\n")] = 0;
			if (path)
				name_other(path, own.dli_fname);
		}
	fclose(f);
}

/* After the program's own destructors, which may free what it has. */
__attribute__((destructor)) static void
leave_in_order(void)
{
	name_others();
	if (!rt.ready || rt.forked)
		return;
	queue_end();
	rt_lock();
	print_flush();
	leak_report();
	link_bye();
	rt_unlock();
}

/* The host used an address of the device's: it says so before the program ends as it would. */
static void
on_wild_host(int number, siginfo_t *info, void *context)
{
	static const char digits[] = "0123456789abcdef";
	char text[] = "warpcap: the program used device memory itself, not through the runtime: "
		      "0x000000000000\n";
	const uint64_t at = (uint64_t)(uintptr_t)info->si_addr;
	(void)context;
	for (unsigned i = 0; i < 12; i++)
		text[sizeof text - 3 - i] = digits[at >> 4 * i & 15];
	if (memory_is_device(info->si_addr))
		(void)!write(STDERR_FILENO, text, sizeof text - 1);
	signal(number, SIG_DFL);
	if (info->si_code <= 0) /* sent, not met: it will not come again */
		raise(number);
}

static void
catch_wild_host(void)
{
	struct sigaction old, ours = {.sa_flags = SA_SIGINFO};
	ours.sa_sigaction = on_wild_host;
	if (sigaction(SIGSEGV, NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) &&
	    old.sa_handler == SIG_DFL)
		sigaction(SIGSEGV, &ours, NULL);
}

static bool
memory_of_host(void *arg, uint64_t address)
{
	union {
		uint64_t number;
		const void *pointer;
	} at = {address};
	(void)arg;
	return !memory_is_device(at.pointer) && rt_readable(at.pointer, 1);
}

/* Under a limit of address space there is as much device memory as there is room for: its addresses
 * are reserved twice, and a quarter is left to the program. */
static void
fit_memory(struct link_device *d)
{
	const uint64_t unit = 2u << 20, least = 8 * unit;
	struct rlimit limit;
	unsigned long long pages = 0;
	FILE *f = NULL;
	if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		f = fopen("/proc/self/statm", "re");
	if (!f)
		return;
	const bool read = fscanf(f, "%llu", &pages) == 1;
	fclose(f);
	const uint64_t taken = pages * (uint64_t)sysconf(_SC_PAGESIZE),
		       left = taken < limit.rlim_cur ? limit.rlim_cur - taken : 0,
		       most = left / 8 * 3 / unit * unit;
	if (!read || most < least || most >= d->memory_bytes)
		return;
	link_note(LINK_LEVEL_WARNING, false,
	    "the limit on address space leaves room for %llu MiB of device memory instead of %llu",
	    (unsigned long long)(most >> 20), (unsigned long long)(d->memory_bytes >> 20));
	d->memory_bytes = most;
}

static int
start_device(void)
{
	struct wcp_error e = {0};
	const struct link_settings *s = &rt.settings;
	link_open(&rt.settings);
	fit_memory(&rt.settings.device);
	struct wcp_device_options o = {
	    .threads = s->threads,
	    .memory_bytes = s->device.memory_bytes,
	    .max_insns = s->limit_insns,
	    .regs_per_sm = s->device.regs_per_sm,
	    .max_warp_insns = s->limit_warp_insns,
	    .hide_memory = true,
	    .relaxed = s->flags & LINK_RELAXED,
	    .alternatives = s->flags & LINK_ALTERNATIVES,
	    .check_shared = s->flags & LINK_CHECK_SHARED,
	    .check_sync = s->flags & LINK_CHECK_SYNC,
	    .record_ctas = s->flags & LINK_CTAS,
	    .record_cta_first = s->flags & LINK_CTAS ? s->cta_first : 0,
	    .record_cta_last = s->flags & LINK_CTAS ? s->cta_last : 0,
	    .record_skip_insns = s->skip_insns,
	    .record_max_insns = s->max_insns,
	};
	o.place = module_place;
	o.attribute = device_attribute;
	o.print = print_add;
	o.host_memory = memory_of_host;
	o.check_memory = s->flags & LINK_CHECK_MEMORY;
	link_sink(&o.sink);
	rt.device = wcp_device_new(&o, &e);
	if (!rt.device) {
		link_note(LINK_LEVEL_ERROR, false, "%s", e.text);
		return CU_INITIALIZATION_ERROR;
	}
	const char *blocking = getenv("CUDA_LAUNCH_BLOCKING");
	rt.blocking = blocking && atoi(blocking) != 0;
	rt.recording = (s->flags & LINK_RECORD) && !(s->flags & LINK_WINDOW);
	rt.partial = !rt.recording || o.record_ctas || o.record_skip_insns || o.record_max_insns;
	pthread_atfork(NULL, NULL, forked);
	catch_wild_host();
	rt.ready = true;
	return CU_OK;
}

int
rt_enter(void)
{
	rt_lock();
	used |= !marked;
	if (rt.forked)
		return CU_INITIALIZATION_ERROR;
	if (rt.fault)
		return rt.fault;
	return rt.ready ? CU_OK : start_device();
}

int
rt_leave(int status)
{
	rt_unlock();
	return rt_latch(status);
}

int
rt_latch(int status)
{
	called.name = NULL;
	if (status != CU_OK && status != CU_NOT_READY)
		last_error = status;
	return status;
}

void
rt_mark(void)
{
	error_marked = last_error;
	marked = true;
}

void
rt_unmark(bool forget)
{
	marked = false;
	if (forget)
		last_error = rt.fault ? rt.fault : error_marked;
}

bool
rt_used(void)
{
	return used;
}

/* ---- naming what the program does ----------------------------------------------------------- */

static bool
is_ours(const void *place)
{
	Dl_info ours, its;
	return dladdr((const void *)&rt, &ours) && dladdr(place, &its) &&
	       ours.dli_fbase == its.dli_fbase;
}

void
rt_called(const char *name, const void *place)
{
	if (called.name)
		return;
	called.name = name;
	called.place = place;
}

struct rt_call
rt_call_under_way(void)
{
	return called;
}

void
rt_place(char *text, size_t room)
{
	Dl_info where;
	*text = 0;
	if (!(rt.settings.flags & LINK_CHECK_MEMORY) || !called.name || is_ours(called.place) ||
	    !dladdr(called.place, &where) || !where.dli_fname)
		return;
	const char *slash = strrchr(where.dli_fname, '/');
	snprintf(text, room, " of %s+0x%llx", slash ? slash + 1 : where.dli_fname,
	    (unsigned long long)((uintptr_t)called.place - (uintptr_t)where.dli_fbase));
}

enum { COMPLAINTS_MAX = 50 };

void
rt_complain(const char *format, ...)
{
	static unsigned n;
	char text[512], place[120];
	va_list ap;
	rt.found += (rt.settings.flags & LINK_CHECK_MEMORY) != 0;
	if (n++ >= COMPLAINTS_MAX)
		return;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	rt_place(place, sizeof place);
	const char *name = called.name ? called.name : "a call";
	link_note(LINK_LEVEL_WARNING, false, "%s%s: %s%s", name + strspn(name, "_"), place, text,
	    n == COMPLAINTS_MAX ? " (more of this kind is not shown)" : "");
}

int
rt_status(const struct wcp_error *e, int otherwise)
{
	return e->status == WCP_ESYS ? CU_MEMORY_ALLOCATION : otherwise;
}

int
rt_unsupported(const char *name)
{
	static struct table said;
	rt_lock();
	if (!rt.ready && !rt.forked)
		start_device();
	if (!table_get(&said, name) && table_set(&said, name, &said))
		link_note(LINK_LEVEL_VERBOSE, false, "%s is not supported", name);
	return rt_leave(CU_NOT_SUPPORTED);
}

bool
rt_readable(const void *p, size_t bytes)
{
	const uintptr_t page = 4096, from = (uintptr_t)p & ~(page - 1), to = (uintptr_t)p + bytes;
	union {
		uintptr_t number;
		void *pointer;
	} at = {from};
	return !bytes || (to > (uintptr_t)p && from && msync(at.pointer, to - from, MS_ASYNC) == 0);
}

API int
cudaGetLastError(void)
{
	const int error = last_error;
	last_error = __atomic_load_n(&rt.fault, __ATOMIC_RELAXED);
	return error;
}

API int
cudaPeekAtLastError(void)
{
	return last_error;
}
