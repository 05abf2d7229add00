/* usage: stream_damage [-j THREADS] FILE
 * Truncates the stream at every byte and flips every bit: the reader must fail with a message or
 * give what the whole stream gives; what it gives before it fails must be the beginning of that. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "stream_text.h"

static unsigned threads;

struct answer {
	char *text;
	size_t n;
	int status;
	char why[480];
};

static struct answer
read_bytes(const uint8_t *data, size_t n)
{
	struct wcp_read_options o = {.threads = threads};
	struct wcp_error e = {0};
	struct wcp_item item;
	struct answer a = {0};
	char path[64];
	int fd = memfd_create("stream", 0);
	if (fd < 0 || write(fd, data, n) != (ssize_t)n)
		exit(4);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	FILE *f = open_memstream(&a.text, &a.n);
	struct wcp_reader *r = wcp_reader_open(path, &o, &e);
	a.status = r ? 1 : e.status;
	while (a.status > 0 && (a.status = wcp_reader_next(r, &item, &e)) == 1)
		text_item(f, &item);
	wcp_reader_close(r);
	fclose(f);
	close(fd);
	memcpy(a.why, e.text, sizeof a.why);
	return a;
}

static int
compare(const struct answer *whole, struct answer a, const char *what, size_t place)
{
	const char *bad = NULL;
	if (a.status == 0 && (a.n != whole->n || memcmp(a.text, whole->text, a.n) != 0))
		bad = "other content without a message";
	else if (a.status < 0 && (a.n > whole->n || memcmp(a.text, whole->text, a.n) != 0))
		bad = "content before the fault is not that of the stream";
	else if (a.status < 0 && (!*a.why || strchr(a.why, '\n')))
		bad = "no message of one line";
	else if (a.status < 0 && a.status != WCP_EDATA)
		bad = "not called bad data";
	if (bad)
		printf("%s %zu: %s (%s)\n", what, place, bad, a.why);
	free(a.text);
	return bad != NULL;
}

int
main(int argc, char **argv)
{
	static uint8_t data[1 << 16];
	while (getopt(argc, argv, "j:") == 'j')
		threads = (unsigned)atoi(optarg);
	FILE *f = fopen(argv[optind], "rb");
	if (!f)
		return 4;
	size_t n = fread(data, 1, sizeof data, f);
	int bad = 0;
	fclose(f);
	struct answer whole = read_bytes(data, n);
	if (whole.status != 0 || n == sizeof data)
		return 3;
	for (size_t i = 0; i < n; i++)
		bad += compare(&whole, read_bytes(data, i), "truncated at", i);
	for (size_t i = 0; i < 8 * n; i++) {
		data[i / 8] ^= (uint8_t)(1u << i % 8);
		bad += compare(&whole, read_bytes(data, n), "bit", i);
		data[i / 8] ^= (uint8_t)(1u << i % 8);
	}
	free(whole.text);
	return bad ? 1 : 0;
}
