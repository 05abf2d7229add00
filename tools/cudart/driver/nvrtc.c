/*
 * NVRTC's answer to programs that ask it for machine code, which cannot be executed here: they get
 * the PTX that the machine code came from and give it to the driver, which takes either. NVRTC
 * keeps it beside the machine code. It is the program's own library, found behind this one.
 */
#include <dlfcn.h>
#include <stddef.h>
#include "abi.h"

enum { NVRTC_SUCCESS, NVRTC_INTERNAL_ERROR = 11 };

union function {
	void *found;
	int (*size)(void *program, size_t *bytes);
	int (*text)(void *program, char *out);
};

static union function
nvrtc(const char *name)
{
	return (union function){.found = dlsym(RTLD_NEXT, name)};
}

API int nvrtcGetCUBINSize(void *program, size_t *bytes);
API int nvrtcGetCUBIN(void *program, char *out);

/* 0 bytes for a virtual architecture, as NVRTC says: such a program asks for PTX itself. */
int
nvrtcGetCUBINSize(void *program, size_t *bytes)
{
	const union function cubin = nvrtc("nvrtcGetCUBINSize"), ptx = nvrtc("nvrtcGetPTXSize");
	if (!cubin.found || !ptx.found)
		return NVRTC_INTERNAL_ERROR;
	const int s = cubin.size(program, bytes);
	return s || !*bytes ? s : ptx.size(program, bytes);
}

int
nvrtcGetCUBIN(void *program, char *out)
{
	const union function ptx = nvrtc("nvrtcGetPTX");
	return ptx.found ? ptx.text(program, out) : NVRTC_INTERNAL_ERROR;
}
