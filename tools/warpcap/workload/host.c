/* The host side that every workload is written against. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "workload.h"

enum { PARAMETERS_MAX = 16 };

struct memory {
	struct memory *next;
	double align[]; /* what the caller sees begins here */
};

struct host {
	const struct workload *workload;
	double value[PARAMETERS_MAX]; /* of workload->parameter */
	const char *file[PARAMETERS_MAX];
	const char *subject; /* what the error is about; NULL: the workload */
	void *prepared;
	uint64_t seed;
	struct capture *capture;
	struct wcp_module *module;
	struct memory *memory;
	struct wcp_error *error;
	int status; /* of the first failure, 0 if none */
	bool differs;
};

const struct workload *
workload_find(const char *name)
{
	for (const struct workload *const *w = workload_table; *w; w++)
		if (!strcmp((*w)->name, name))
			return *w;
	return NULL;
}

struct host *
host_new(const struct workload *w, uint64_t seed, struct wcp_error *e)
{
	struct host *h = calloc(1, sizeof *h);
	if (!h) {
		wcp_fail(e, WCP_ESYS, "out of memory");
		return NULL;
	}
	h->workload = w;
	h->seed = seed;
	for (int k = 0; w->parameter[k].name; k++)
		h->value[k] = w->parameter[k].value;
	return h;
}

void
host_free(struct host *h)
{
	if (!h)
		return;
	for (struct memory *m = h->memory, *next; m; m = next) {
		next = m->next;
		free(m);
	}
	free(h);
}

/* ---- parameters ---------------------------------------------------------------------------- */

static int
find_parameter(const struct workload *w, const char *name, size_t n)
{
	for (int k = 0; w->parameter[k].name; k++)
		if (strlen(w->parameter[k].name) == n && !memcmp(w->parameter[k].name, name, n))
			return k;
	return -1;
}

static int
define_choice(const struct parameter *p, const char *text, double *value, struct wcp_error *e)
{
	char list[120] = "";
	for (int k = 0; p->choice[k]; k++) {
		if (!strcmp(p->choice[k], text)) {
			*value = k;
			return 0;
		}
		if (strlen(list) + strlen(p->choice[k]) + 3 < sizeof list) {
			strcat(list, k ? ", " : "");
			strcat(list, p->choice[k]);
		}
	}
	return wcp_fail(e, WCP_EUSAGE, "-D %s=%s: one of %s wanted", p->name, text, list);
}

/* Numbers may end in k, M, G or Ki, Mi, Gi. */
static bool
parse_number(const char *text, double *value)
{
	static const char unit[] = "kMG";
	char *end;
	*value = strtod(text, &end);
	if (end == text || !isfinite(*value))
		return false;
	const char *u = *end ? strchr(unit, *end) : NULL;
	if (u) {
		bool binary = end[1] == 'i';
		for (const char *k = unit; k <= u; k++)
			*value *= binary ? 1024 : 1000;
		end += binary ? 2 : 1;
	}
	return *end == 0;
}

static int
define_number(const struct parameter *p, const char *definition, const char *text, double *result,
    struct wcp_error *e)
{
	double value;
	if (!parse_number(text, &value))
		return wcp_fail(e, WCP_EUSAGE, "-D %s: the value is no number", definition);
	if (p->type == PARAMETER_INTEGER && value != floor(value))
		return wcp_fail(e, WCP_EUSAGE, "-D %s: the value is no integer", definition);
	if (value < p->min || value > p->max)
		return wcp_fail(e, WCP_EUSAGE, "-D %s: not between %.15g and %.15g", definition,
		    p->min, p->max);
	*result = value;
	return 0;
}

int
host_define(struct host *h, const char *definition, struct wcp_error *e)
{
	const char *equals = strchr(definition, '=');
	if (!equals || equals == definition)
		return wcp_fail(e, WCP_EUSAGE, "-D %s: NAME=VALUE wanted", definition);
	size_t n = (size_t)(equals - definition);
	int k = find_parameter(h->workload, definition, n);
	if (k < 0)
		return wcp_fail(e, WCP_EUSAGE,
		    "-D %s: workload %s has no parameter '%.*s'; see warpcap -l %s", definition,
		    h->workload->name, (int)n, definition, h->workload->name);
	const struct parameter *p = &h->workload->parameter[k];
	if (p->type == PARAMETER_CHOICE)
		return define_choice(p, equals + 1, &h->value[k], e);
	if (p->type == PARAMETER_FILE) {
		h->file[k] = equals + 1;
		return 0;
	}
	return define_number(p, definition, equals + 1, &h->value[k], e);
}

int
host_size(struct host *h, const char *size, struct wcp_error *e)
{
	const char *at = !strcmp(size, "small")	  ? h->workload->small
			 : !strcmp(size, "paper") ? h->workload->paper
						  : NULL;
	if (!at)
		return wcp_fail(e, WCP_EUSAGE, "--size %s: small or paper wanted", size);
	while (*at) {
		char definition[80];
		const size_t n = strcspn(at, " ");
		snprintf(definition, sizeof definition, "%.*s", (int)n, at);
		int status = host_define(h, definition, e);
		if (status < 0)
			return status;
		at += n;
		at += strspn(at, " ");
	}
	return 0;
}

double
host_real(const struct host *h, const char *name)
{
	int k = find_parameter(h->workload, name, strlen(name));
	return k < 0 ? 0 : h->value[k];
}

int64_t
host_integer(const struct host *h, const char *name)
{
	return (int64_t)host_real(h, name);
}

bool
host_chosen(const struct host *h, const char *name, const char *choice)
{
	int k = find_parameter(h->workload, name, strlen(name));
	return k >= 0 && !strcmp(h->workload->parameter[k].choice[(int)h->value[k]], choice);
}

const char *
host_file(const struct host *h, const char *name)
{
	int k = find_parameter(h->workload, name, strlen(name));
	return k < 0 ? NULL : h->file[k];
}

void *
host_prepared(const struct host *h)
{
	return h->prepared;
}

uint64_t
host_seed(const struct host *h)
{
	return h->seed;
}

/* ---- failures, memory ------------------------------------------------------------------------ */

bool
host_failed(const struct host *h)
{
	return h->status != 0;
}

void
host_fail(struct host *h, enum wcp_status status, const char *format, ...)
{
	if (h->status)
		return;
	char text[300];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	h->status = wcp_fail(h->error, status, "%s", text);
}

void
host_fail_at(struct host *h, const char *path, uint64_t line, const char *format, ...)
{
	if (h->status)
		return;
	char text[300];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	h->subject = path;
	if (line)
		h->status = wcp_fail(h->error, WCP_EDATA, "%s, line %" PRIu64, text, line);
	else
		h->status = wcp_fail(h->error, WCP_EDATA, "%s", text);
}

const char *
host_subject(const struct host *h)
{
	return h->subject ? h->subject : h->workload->name;
}

void *
host_memory(struct host *h, uint64_t count, size_t bytes)
{
	if (h->status)
		return NULL;
	struct memory *m = NULL;
	if (bytes && count < (SIZE_MAX - sizeof *m) / bytes)
		m = calloc(1, sizeof *m + count * bytes);
	if (!m) {
		host_fail(
		    h, WCP_ESYS, "no memory for %" PRIu64 " elements of %zu bytes", count, bytes);
		return NULL;
	}
	m->next = h->memory;
	h->memory = m;
	return m->align;
}

uint8_t *
host_read_file(struct host *h, const char *path, uint64_t *bytes)
{
	if (h->status)
		return NULL;
	size_t n;
	char *text = capture_read_file(path, &n, h->error);
	if (!text) {
		h->subject = path;
		h->status = h->error->status;
		return NULL;
	}
	uint8_t *kept = host_memory(h, n + 1, 1);
	if (kept)
		memcpy(kept, text, n + 1);
	free(text);
	*bytes = n;
	return kept;
}

float *
host_uniform(struct host *h, uint64_t count, uint64_t stream, double low, double high)
{
	float *data = host_memory(h, count, sizeof *data);
	uint64_t seed = random_at(h->seed, stream);
	for (uint64_t k = 0; data && k < count; k++)
		data[k] = (float)(low + (high - low) * random_unit(seed, k));
	return data;
}

int32_t *
host_integers(struct host *h, uint64_t count, uint64_t stream, int32_t low, int32_t high)
{
	int32_t *data = host_memory(h, count, sizeof *data);
	uint64_t seed = random_at(h->seed, stream), span = (uint64_t)((int64_t)high - low + 1);
	for (uint64_t k = 0; data && k < count; k++)
		data[k] = (int32_t)(low + (int64_t)random_below(random_at(seed, k), span));
	return data;
}

/* ---- device --------------------------------------------------------------------------------- */

uint64_t
host_device(struct host *h, const char *label, uint64_t bytes)
{
	if (h->status)
		return 0;
	uint64_t address = wcp_device_alloc(h->capture->device, bytes, label, h->error);
	if (!address)
		h->status = h->error->status;
	return address;
}

uint64_t
host_input(struct host *h, const char *label, const void *data, uint64_t bytes)
{
	uint64_t address = host_device(h, label, bytes);
	host_write(h, address, data, bytes);
	return address;
}

void
host_write(struct host *h, uint64_t to, const void *data, uint64_t bytes)
{
	if (!h->status)
		h->status = wcp_device_copy_in(h->capture->device, to, data, bytes, h->error);
}

void
host_read(struct host *h, void *to, uint64_t from, uint64_t bytes)
{
	if (!h->status)
		h->status = wcp_device_copy_out(h->capture->device, to, from, bytes, h->error);
}

void
host_download(struct host *h, uint64_t from, uint64_t bytes)
{
	host_read(h, host_memory(h, bytes, 1), from, bytes);
}

void
host_set(struct host *h, uint64_t to, uint8_t value, uint64_t bytes)
{
	if (!h->status)
		h->status = wcp_device_set(h->capture->device, to, value, bytes, h->error);
}

bool
host_again(struct host *h, uint64_t flag, int32_t round)
{
	uint8_t more = round == 0;
	if (!more)
		host_read(h, &more, flag, 1);
	if (more)
		host_write(h, flag, &(uint8_t){0}, 1);
	return more && !h->status;
}

void
host_launch(struct host *h, const char *kernel, struct host_shape shape, const void *const *arg,
    uint32_t n_arg)
{
	if (h->status)
		return;
	struct wcp_launch l = {
	    .module = h->module,
	    .kernel = kernel,
	    .grid = {shape.grid[0], shape.grid[1], shape.grid[2]},
	    .block = {shape.block[0], shape.block[1], shape.block[2]},
	    .dynamic_shared_bytes = shape.dynamic_shared_bytes,
	    .arg = arg,
	    .n_arg = n_arg,
	    .record = true,
	};
	h->status = capture_launch(h->capture, &l, h->error);
}

void
host_limit_pending(struct host *h, uint32_t launches)
{
	if (!h->status)
		wcp_device_set_pending(h->capture->device, launches);
}

/* ---- comparing ------------------------------------------------------------------------------ */

bool
host_verifies(const struct host *h)
{
	return !h->status && h->capture->options.verify;
}

static void
say_difference(struct host *h, const char *what, uint64_t at, double got, double wanted,
    uint64_t differ, uint64_t count)
{
	h->differs = true;
	tool_fail(h->capture->tool, 1,
	    "%s: %s[%" PRIu64 "] is %.9g, the reference says %.9g (%" PRIu64 " of %" PRIu64
	    " differ)",
	    h->workload->name, what, at, got, wanted, differ, count);
}

void
host_expect_f32(struct host *h, const char *what, uint64_t from, const float *wanted,
    uint64_t count, double relative)
{
	host_expect_near(h, what, from, wanted, count, relative, 0);
}

void
host_expect_near(struct host *h, const char *what, uint64_t from, const float *wanted,
    uint64_t count, double relative, double absolute)
{
	const float *got =
	    h->status ? NULL : wcp_device_host(h->capture->device, from, count * sizeof *got);
	uint64_t differ = 0, first = 0;
	for (uint64_t k = 0; got && k < count; k++) {
		double w = (double)wanted[k], g = (double)got[k];
		if (g == w || (isnan(g) && isnan(w)) ||
		    fabs(g - w) <= relative * fabs(w) + absolute)
			continue;
		if (!differ++)
			first = k;
	}
	if (differ)
		say_difference(
		    h, what, first, (double)got[first], (double)wanted[first], differ, count);
}

void
host_expect_s32(
    struct host *h, const char *what, uint64_t from, const int32_t *wanted, uint64_t count)
{
	const int32_t *got =
	    h->status ? NULL : wcp_device_host(h->capture->device, from, count * sizeof *got);
	if (got)
		host_same_s32(h, what, got, wanted, count);
}

void
host_same_s32(
    struct host *h, const char *what, const int32_t *got, const int32_t *wanted, uint64_t count)
{
	uint64_t differ = 0, first = 0;
	for (uint64_t k = 0; k < count; k++)
		if (got[k] != wanted[k] && !differ++)
			first = k;
	if (differ)
		say_difference(h, what, first, got[first], wanted[first], differ, count);
}

/* ---- running -------------------------------------------------------------------------------- */

/* What the device has: warpcap gives it no other size. */
static const uint64_t device_bytes = (uint64_t)16 << 30;

int
host_prepare(struct host *h, struct wcp_error *e)
{
	const struct workload *w = h->workload;
	h->error = e;
	const uint64_t bytes = w->footprint_bytes ? w->footprint_bytes(h) : 0;
	if (bytes > device_bytes)
		host_fail(h, WCP_EUSAGE, "%s: %.1f GB do not fit the device, which has %.1f GB",
		    w->name, (double)bytes / 1e9, (double)device_bytes / 1e9);
	else if (w->prepare)
		h->prepared = w->prepare(h);
	return h->status;
}

int
host_run(struct host *h, struct capture *c, struct wcp_error *e)
{
	const struct workload *w = h->workload;
	h->capture = c;
	h->error = e;
	h->module = wcp_device_load(c->device, w->ptx, (size_t)(w->ptx_end - w->ptx), w->name, e);
	if (!h->module)
		return e->status;
	w->run(h);
	return h->status ? h->status : h->differs;
}
