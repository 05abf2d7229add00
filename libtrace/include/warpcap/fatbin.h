/*
 * CUDA's fat binaries: the containers in which a program carries its kernels, and what a program's
 * file says of them. Layout as nvcc 11 to 13 writes it.
 *
 * A wrapper, which __cudaRegisterFatBinary is handed, points to containers; a container holds
 * entries: PTX and machine code for several architectures, raw or compressed. Nothing here trusts
 * lengths or offsets it reads.
 */
#ifndef WARPCAP_FATBIN_H
#define WARPCAP_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "warpcap/error.h"

enum wcp_fatbin_kind {
	WCP_FATBIN_PTX,
	WCP_FATBIN_CUBIN, /* machine code of one architecture: an ELF file */
	WCP_FATBIN_OTHER, /* intermediate code of link-time optimisation, and whatever comes */
};

enum wcp_fatbin_packing {
	WCP_FATBIN_RAW,
	WCP_FATBIN_LZ4,	 /* one raw block */
	WCP_FATBIN_ZSTD, /* one frame */
	WCP_FATBIN_OLD,	 /* compiled before CUDA 11: cannot be read */
};

enum wcp_fatbin_flags {
	WCP_FATBIN_DEBUG = 1 << 1,    /* compiled with -G */
	WCP_FATBIN_EXACT = 0x100000,  /* sm_90a: for this architecture alone */
	WCP_FATBIN_FAMILY = 0x200000, /* sm_100f: for later ones of its family too */
};

struct wcp_fatbin_entry {
	enum wcp_fatbin_kind kind;
	enum wcp_fatbin_packing packing;
	uint32_t container;	       /* which of the containers read, from 0 */
	uint32_t sm;		       /* architecture: 75 for sm_75, compute_75 */
	uint32_t isa_major, isa_minor; /* of PTX: .version */
	uint64_t flags;	 /* as in the file; enum wcp_fatbin_flags are those with a known meaning */
	uint64_t offset; /* of the entry, from the first byte that was read */
	const uint8_t *payload; /* in the caller's bytes */
	uint64_t stored_bytes;	/* of the payload, padding left out where that is known */
	uint64_t bytes;		/* once unpacked; raw PTX may end in NUL bytes */
	const char *name;	/* identifier, not terminated: usually the source file */
	uint32_t name_bytes;	/* 0: none */
	const char *options;	/* of the compilation, not terminated */
	uint32_t options_bytes;
};

struct wcp_fatbin {
	struct wcp_fatbin_entry *entry; /* [n] */
	uint32_t n, cap;
	uint32_t n_container; /* empty ones counted */
};

void wcp_fatbin_init(struct wcp_fatbin *f);
void wcp_fatbin_release(struct wcp_fatbin *f);

/* Adds the entries of the containers that lie one after the other in data, as a section of a
 * program has them; zero bytes between them are skipped. f points into data from then on. Returns
 * the number of containers; WCP_EDATA: e->offset is where it is damaged, and what was whole before
 * that is in f; WCP_ESYS. */
int wcp_fatbin_read(struct wcp_fatbin *f, const void *data, size_t bytes, struct wcp_error *e);

/* A wrapper as it lies in the program's memory, whose pointers are followed as they are. */
struct wcp_fatbin_wrapper {
	uint32_t magic;		/* 0x466243b1 */
	uint32_t version;	/* 1: data is the container; 2: aux is what was linked */
	const void *data;	/* version 2: machine code, linked; often an empty container */
	const void *const *aux; /* version 2: containers, one a module, up to a NULL */
};

/* Adds the entries of all containers of a wrapper: of aux in version 2, and of data where aux names
 * none. Returns the number of containers. A wrapper or container without its magic number, of
 * another version, or longer than what is readable from where it begins, is WCP_EDATA. */
int wcp_fatbin_read_wrapper(struct wcp_fatbin *f, const void *wrapper,
    bool (*readable)(const void *p, size_t bytes), struct wcp_error *e);

/*
 * The PTX entry of a container that suits a device of compute capability sm (75 for 7.5): the
 * highest architecture not above it, the plain one before sm_90a or sm_100f of the same number,
 * which suit their own number and their own family. WCP_ENO: the container holds nothing (no
 * message). WCP_EDATA: it has code but no suitable PTX; the text names the architectures that are
 * there and how to build with one that suits.
 */
int wcp_fatbin_best_ptx(
    const struct wcp_fatbin *f, uint32_t container, uint32_t sm, struct wcp_error *e);

/* The entry unpacked, with a NUL behind it that *bytes does not count and without the padding of
 * raw PTX; the caller frees it. NULL: WCP_EDATA, WCP_ESYS. */
char *wcp_fatbin_unpack(const struct wcp_fatbin_entry *entry, size_t *bytes, struct wcp_error *e);

/* Is this the PTX of NVIDIA's device runtime library, which every program with relocatable device
 * code and kernel launches on the device has among its modules? What it does is built in here; it
 * is not for the executor. */
bool wcp_fatbin_is_device_runtime(const char *ptx, size_t bytes);

/* What the file of a program or shared library says. */
struct wcp_cuda_file {
	bool has_device_code; /* a section with entries in it */
	bool relocatable;     /* modules that are linked by name (nvcc -rdc=true) */
	bool static_runtime;  /* it brings CUDA's runtime along instead of loading it */
	bool static_link;  /* no dynamic linking at all: nothing can be put before its libraries */
	bool needs_driver; /* loads libcuda.so.1 */
	uint32_t runtime_version; /* N of libcudart.so.N that it loads; 0: none. 11 for .so.11.0 */
	struct wcp_fatbin fatbin; /* of all sections; points into the file's bytes */
};

/*
 * Looks at an ELF file's bytes. WCP_EUSAGE: not a program for this machine (no ELF file, a script,
 * another architecture, an object file); the text says which. WCP_EDATA: damaged. On success the
 * caller releases c->fatbin.
 */
int
wcp_cuda_file_read(struct wcp_cuda_file *c, const void *data, size_t bytes, struct wcp_error *e);

/* Can the program run here on a device of capability sm? Else the reason and what to do about it:
 * WCP_EDATA for a runtime linked statically (relink with -cudart shared), for code without PTX that
 * suits. A file without device code can. */
int wcp_cuda_file_check(const struct wcp_cuda_file *c, uint32_t sm, struct wcp_error *e);

#endif
