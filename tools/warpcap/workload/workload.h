/*
 * Built-in workloads. Each is one file in the room of its suite that exports a const struct
 * workload, and one line of the table in table.c; its kernels are share/workload/SUITE/NAME.cu,
 * whose PTX the file carries. What several of them read or draw is made in input/.
 *
 * A workload's run function reads as the host program would: take parameters, make inputs, copy,
 * launch, copy back, compare. The first failure sticks: everything called after it does nothing, so
 * that only memory that is used by the function itself has to be asked for (host_failed).
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include "../capture.h"
#include "../random.h"

struct host;

enum parameter_type { PARAMETER_INTEGER, PARAMETER_REAL, PARAMETER_CHOICE, PARAMETER_FILE };

struct parameter {
	const char *name;
	const char *help;
	enum parameter_type type;
	double value; /* default; CHOICE: index in choices; FILE: none */
	double min, max;
	const char *const *choice; /* CHOICE: NULL-terminated */
};

struct workload {
	const char *name;
	const char *summary;		   /* one line: what it computes, how */
	const char *origin;		   /* whose structure it follows */
	const struct parameter *parameter; /* the last has no name */
	/* What --size sets, "NAME=VALUE ...": for tests, and as in the papers that name it. */
	const char *small, *paper;
	const char *footprint; /* device bytes as a formula in the parameters */
	const char *check;     /* how --verify compares */
	const char *ptx, *ptx_end;
	uint64_t (*footprint_bytes)(const struct host *h); /* the formula's value */
	/* Before anything runs or is written: refuses what cannot be, reads files, draws inputs
	 * that a refusal may depend on. What it returns is host_prepared's. NULL: nothing to do. */
	void *(*prepare)(struct host *h);
	void (*run)(struct host *h);
};

extern const struct workload *const workload_table[];	/* the last is NULL */
const struct workload *workload_find(const char *name); /* NULL: none */

/* Makes symbols sym_ptx and sym_ptx_end for the text of share/workload/FILE. */
#define WORKLOAD_PTX(sym, file)                                                                   \
	__asm__(                                                                                  \
	    ".pushsection .rodata,\"a\",@progbits\n" #sym "_ptx:\n.incbin \"share/workload/" file \
	    "\"\n" #sym "_ptx_end:\n.byte 0\n.popsection\n");                                     \
	extern const char sym##_ptx[], sym##_ptx_end[]

/* ---- what a run function calls -------------------------------------------------------------- */

/* Parameters; the name must be one of the workload's. */
int64_t host_integer(const struct host *h, const char *name);
double host_real(const struct host *h, const char *name);
bool host_chosen(const struct host *h, const char *name, const char *choice);
const char *host_file(const struct host *h, const char *name); /* its path; NULL: not given */
uint64_t host_seed(const struct host *h);
void *host_prepared(const struct host *h);

bool host_failed(const struct host *h);
void host_fail(struct host *h, enum wcp_status status, const char *format, ...) WCP_PRINTF(3, 4);

/* The same, about line (from 1; 0: none) of a file that was read: status 3. */
void host_fail_at(struct host *h, const char *path, uint64_t line, const char *format, ...)
    WCP_PRINTF(4, 5);

/* All of a file, with a NUL behind it; NULL after a failure. Freed after the run. */
uint8_t *host_read_file(struct host *h, const char *path, uint64_t *bytes);

/* Zeroed host memory, freed after the run; NULL after a failure. */
void *host_memory(struct host *h, uint64_t count, size_t bytes);
/* count floats in [low, high), the same for the same seed and stream. NULL after a failure. */
float *host_uniform(struct host *h, uint64_t count, uint64_t stream, double low, double high);
/* count integers from low to high. */
int32_t *host_integers(struct host *h, uint64_t count, uint64_t stream, int32_t low, int32_t high);

/* Device memory; 0 after a failure. */
uint64_t host_device(struct host *h, const char *label, uint64_t bytes); /* as it comes: zero */
uint64_t
host_input(struct host *h, const char *label, const void *data, uint64_t bytes); /* copied to it */
void host_write(struct host *h, uint64_t to, const void *data, uint64_t bytes);
void host_read(struct host *h, void *to, uint64_t from, uint64_t bytes);
/* The program reads a result that only its user wants. */
void host_download(struct host *h, uint64_t from, uint64_t bytes);
void host_set(struct host *h, uint64_t to, uint8_t value, uint64_t bytes);
/* Is there another round, of rounds from 0 on that end with the one in which no kernel set the byte
 * at flag? The byte is then zero. */
bool host_again(struct host *h, uint64_t flag, int32_t round);

/* One launch; arguments are pointers to the parameters' values, in order: ARGUMENTS(&a, &n). */
struct host_shape {
	uint32_t grid[3], block[3];
	uint32_t dynamic_shared_bytes;
};
#define ARGUMENTS(...)                      \
	(const void *const[]){__VA_ARGS__}, \
	    (uint32_t)(sizeof((const void *const[]){__VA_ARGS__}) / sizeof(const void *))
#define SHAPE(threads, block_size)                                              \
	(struct host_shape)                                                     \
	{                                                                       \
		{host_blocks(threads, block_size), 1, 1}, {block_size, 1, 1}, 0 \
	}
#define SHAPE_2D(width, height, block_width, block_height)                               \
	(struct host_shape)                                                              \
	{                                                                                \
		{host_blocks(width, block_width), host_blocks(height, block_height), 1}, \
		    {block_width, block_height, 1}, 0                                    \
	}
static inline uint32_t
host_blocks(int64_t threads, uint32_t block)
{
	return (uint32_t)((threads + block - 1) / block);
}
void host_launch(struct host *h, const char *kernel, struct host_shape shape,
    const void *const *arg, uint32_t n_arg);

/* Of the launches by kernels, how many may wait; more are refused. 0: any number. */
void host_limit_pending(struct host *h, uint32_t launches);

/* Does the run compare with a reference? */
bool host_verifies(const struct host *h);
/* Compares device memory with what the reference says; a difference of at most relative * |wanted|
 * is none, host_expect_near: of at most relative * |wanted| + absolute. */
void host_expect_f32(struct host *h, const char *what, uint64_t from, const float *wanted,
    uint64_t count, double relative);
void host_expect_near(struct host *h, const char *what, uint64_t from, const float *wanted,
    uint64_t count, double relative, double absolute);
void host_expect_s32(
    struct host *h, const char *what, uint64_t from, const int32_t *wanted, uint64_t count);
/* The same with what was read back, and put in order, before. */
void host_same_s32(
    struct host *h, const char *what, const int32_t *got, const int32_t *wanted, uint64_t count);

/* ---- for warpcap itself --------------------------------------------------------------------- */

/* Sets NAME=VALUE; WCP_EUSAGE if that cannot be. h->defined keeps it until the run. */
struct host *host_new(const struct workload *w, uint64_t seed, struct wcp_error *e);
void host_free(struct host *h);
int host_define(struct host *h, const char *definition, struct wcp_error *e);
/* Sets what size says: "small" or "paper"; WCP_EUSAGE if it is neither, or the workload has none.
 */
int host_size(struct host *h, const char *size, struct wcp_error *e);
/* Refuses what cannot be, before a capture is opened; a negative status. */
int host_prepare(struct host *h, struct wcp_error *e);
/* What errors are about: a file that was read, or the workload. */
const char *host_subject(const struct host *h);
/* 0: as expected, or not compared; 1: compared and found different, said on standard error;
 * negative: failed. */
int host_run(struct host *h, struct capture *c, struct wcp_error *e);

#endif
