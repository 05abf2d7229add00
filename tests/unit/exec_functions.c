/* usage: exec_functions FILE.ptx: each kernel of tests/exec/functions.cu against the host's own
 * answer. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "exec/functions.h"
#include "exec_kit.h"

#define THREADS 1024u

static char *
read_text(const char *path)
{
	struct stat st;
	const int fd = open(path, O_RDONLY);
	if (fd < 0 || fstat(fd, &st)) {
		printf("%s: cannot be opened\n", path);
		exit(1);
	}
	char *text = malloc((size_t)st.st_size + 1);
	const ssize_t n = text ? read(fd, text, (size_t)st.st_size) : -1;
	if (!text || n != st.st_size) {
		printf("%s: cannot be read\n", path);
		exit(1);
	}
	text[n] = 0;
	close(fd);
	return text;
}

static void
compare(struct kit *k, const char *name, u32 (*host)(u32), uint64_t out)
{
	char kernel[64];
	snprintf(kernel, sizeof kernel, "k_%s", name);
	const u32 *o = wcp_device_host(k->device, out, 4 * THREADS);
	CHECK(
	    kit_launch(k, kernel, 4, THREADS / 4, 0, &out, 1) == 0, "%s: %s", name, k->error.text);
	for (u32 t = 0; t < THREADS; t++)
		CHECK(o[t] == host(t), "%s: thread %u: got %u, want %u", name, t, o[t], host(t));
}

int
main(int argc, char **argv)
{
	struct kit k;
	if (argc != 2)
		return 2;
	char *text = read_text(argv[1]);
	kit_open(&k, text, (struct wcp_device_options){0});
	const uint64_t out = kit_buffer(&k, 4 * THREADS, "out");
#define COMPARE(name) compare(&k, #name, name, out);
	EACH_FUNCTION(COMPARE)
	kit_close(&k);
	free(text);
	printf(kit_failures ? "%d failures\n" : "ok\n", kit_failures);
	return kit_failures != 0;
}
