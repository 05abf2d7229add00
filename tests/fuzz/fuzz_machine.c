/* Any bytes as a machine file: read or refused with a place, and what is read makes a memory or is
 * refused, never more. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "warpcap/machine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Memories that are small enough to be made thousands of times. */
static void
make_memory(const struct wcp_machine *m)
{
	struct wcp_dram_config c;
	struct wcp_error e = {0};
	wcp_machine_dram(m, &c);
	if (c.organisation.channels > 64 || c.organisation.ranks > 16 || c.organisation.banks > 64)
		return;
	struct wcp_dram *d = wcp_dram_new(&c, &e);
	if (!d && !e.text[0])
		__builtin_trap();
	if (!d)
		wcp_machine_blame(m, wcp_machine_section_named("dram"), &e);
	wcp_dram_free(d);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char path[64];
	struct wcp_error e = {0};
	int fd = memfd_create("machine", 0);
	if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes)
		__builtin_trap();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	struct wcp_machine *m = wcp_machine_open(path, NULL, 0, &e);
	if (!m && (!e.text[0] || (e.status == WCP_EDATA && !strchr(e.text, ':'))))
		__builtin_trap();
	if (m)
		make_memory(m);
	wcp_machine_free(m);
	close(fd);
	return 0;
}
