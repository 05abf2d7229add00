/*
 * usage: fatbin list FILE           the entries of the containers in the file
 *        fatbin text FILE SM        the PTX of each container that suits
 *        fatbin program FILE SM     what a program's file says, and whether it can run
 *        fatbin wrapper VERSION SM FILE...
 *                                   the same as text for a wrapper in memory, one container a file
 *        fatbin damage FILE [program]
 *                                   reads every beginning of the file and the file with each byte
 *                                   changed: none may crash
 * What fails: "OFFSET: MESSAGE", and the status of the error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "warpcap/fatbin.h"

static char *
read_file(const char *path, size_t *bytes)
{
	FILE *f = fopen(path, "rb");
	char *data = malloc(64u << 20);
	if (!f || !data)
		exit(4);
	*bytes = fread(data, 1, 64u << 20, f);
	fclose(f);
	char *exact = realloc(data, *bytes + 1); /* so that a sanitizer sees a read past the end */
	return exact ? exact : data;
}

static int
failed(const struct wcp_error *e)
{
	printf("%llu: %s\n", (unsigned long long)e->offset, e->text);
	return -e->status;
}

static void
print_entry(const struct wcp_fatbin_entry *en)
{
	static const char *const kind[] = {"ptx", "cubin", "other"};
	static const char *const packing[] = {"raw", "lz4", "zstd", "old"};
	printf("%u %s %u%s%s %s isa %u.%u bytes %llu%s%s name '%.*s' options '%.*s'\n",
	    en->container, kind[en->kind], en->sm, en->flags & WCP_FATBIN_EXACT ? "a" : "",
	    en->flags & WCP_FATBIN_FAMILY ? "f" : "", packing[en->packing], en->isa_major,
	    en->isa_minor, (unsigned long long)en->bytes,
	    en->stored_bytes < en->bytes ? " packed" : "",
	    en->flags & WCP_FATBIN_DEBUG ? " debug" : "", (int)en->name_bytes, en->name,
	    (int)en->options_bytes, en->options);
}

static int
list(const char *data, size_t bytes)
{
	struct wcp_fatbin f;
	struct wcp_error e = {0};
	wcp_fatbin_init(&f);
	const int r = wcp_fatbin_read(&f, data, bytes, &e);
	for (uint32_t i = 0; i < f.n; i++)
		print_entry(&f.entry[i]);
	if (r >= 0)
		printf("%d containers\n", r);
	wcp_fatbin_release(&f);
	return r < 0 ? failed(&e) : 0;
}

static int
print_text(const struct wcp_fatbin *f, uint32_t sm)
{
	for (uint32_t c = 0; c < f->n_container; c++) {
		struct wcp_error e = {0};
		size_t bytes;
		const int i = wcp_fatbin_best_ptx(f, c, sm, &e);
		if (i == WCP_ENO) {
			printf("%u: empty\n", c);
			continue;
		}
		char *text = i < 0 ? NULL : wcp_fatbin_unpack(&f->entry[i], &bytes, &e);
		if (!text)
			return failed(&e);
		printf("%u: %zu bytes for %u%s\n%s", c, bytes, f->entry[i].sm,
		    wcp_fatbin_is_device_runtime(text, bytes) ? ", the device runtime" : "", text);
		free(text);
	}
	return 0;
}

static int
text_of(const char *data, size_t bytes, uint32_t sm)
{
	struct wcp_fatbin f;
	struct wcp_error e = {0};
	wcp_fatbin_init(&f);
	const int r = wcp_fatbin_read(&f, data, bytes, &e);
	const int status = r < 0 ? failed(&e) : print_text(&f, sm);
	wcp_fatbin_release(&f);
	return status;
}

static bool
believed(const void *p, size_t bytes)
{
	return p && bytes < 1 << 20;
}

static int
wrapper(int n, char **arg)
{
	const uint32_t version = (uint32_t)atoi(arg[0]), sm = (uint32_t)atoi(arg[1]);
	static const uint64_t empty[2] = {0x00100001ba55ed50, 0};
	char *read[16] = {NULL};
	const void *container[16] = {NULL};
	size_t bytes;
	for (int i = 2; i < n && i < 16; i++)
		container[i - 2] = read[i - 2] = read_file(arg[i], &bytes);
	const struct wcp_fatbin_wrapper w = {
	    0x466243b1, version, version == 2 ? empty : container[0], container};
	struct wcp_fatbin f;
	struct wcp_error e = {0};
	wcp_fatbin_init(&f);
	const int r = wcp_fatbin_read_wrapper(&f, &w, believed, &e);
	const int status = r < 0 ? failed(&e) : print_text(&f, sm);
	wcp_fatbin_release(&f);
	for (int i = 0; i < 16; i++)
		free(read[i]);
	return status;
}

static int
program(const char *data, size_t bytes, uint32_t sm)
{
	struct wcp_cuda_file c;
	struct wcp_error e = {0};
	if (wcp_cuda_file_read(&c, data, bytes, &e))
		return failed(&e);
	printf("code %d relocatable %d static runtime %d static %d driver %d runtime %u\n",
	    c.has_device_code, c.relocatable, c.static_runtime, c.static_link, c.needs_driver,
	    c.runtime_version);
	const int r = wcp_cuda_file_check(&c, sm, &e);
	wcp_fatbin_release(&c.fatbin);
	return r ? failed(&e) : 0;
}

/* Reads and unpacks all that can be; whether it fails is not the question. */
static bool
survives(const char *data, size_t bytes, bool is_program)
{
	struct wcp_cuda_file c = {0};
	struct wcp_error e = {0};
	wcp_fatbin_init(&c.fatbin);
	const int r = is_program ? wcp_cuda_file_read(&c, data, bytes, &e)
				 : wcp_fatbin_read(&c.fatbin, data, bytes, &e);
	if (r < 0 && (e.status != r || !e.text[0] || e.offset > bytes))
		exit(1);
	for (uint32_t i = 0; i < c.fatbin.n; i++) {
		size_t n;
		free(wcp_fatbin_unpack(&c.fatbin.entry[i], &n, &e));
	}
	wcp_cuda_file_check(&c, 75, &e);
	wcp_fatbin_release(&c.fatbin);
	return r >= 0;
}

static int
damage(const char *data, size_t bytes, bool is_program)
{
	size_t whole = 0;
	for (size_t n = 0; n <= bytes; n += is_program ? 13 : 1) {
		char *copy = malloc(n + 1);
		if (!copy)
			return 4;
		memcpy(copy, data, n);
		whole += survives(copy, n, is_program);
		free(copy);
	}
	char *copy = malloc(bytes + 1);
	if (!copy)
		return 4;
	for (size_t n = 0; n < bytes; n += is_program && n > 4096 ? 61 : 1) {
		memcpy(copy, data, bytes);
		for (unsigned bit = 0; bit < 8; bit += 3) {
			copy[n] = (char)(data[n] ^ 1 << bit);
			survives(copy, bytes, is_program);
		}
		copy[n] = (char)0xff;
		survives(copy, bytes, is_program);
	}
	free(copy);
	if (!is_program)
		printf("%zu of %zu beginnings are whole\n", whole, bytes + 1);
	return 0;
}

int
main(int argc, char **argv)
{
	size_t bytes;
	if (argc < 3)
		return 2;
	if (!strcmp(argv[1], "wrapper"))
		return wrapper(argc - 2, argv + 2);
	char *data = read_file(argv[2], &bytes);
	const uint32_t sm = argc > 3 ? (uint32_t)atoi(argv[3]) : 0;
	int status = 2;
	if (!strcmp(argv[1], "list"))
		status = list(data, bytes);
	else if (!strcmp(argv[1], "text"))
		status = text_of(data, bytes, sm);
	else if (!strcmp(argv[1], "program"))
		status = program(data, bytes, sm);
	else if (!strcmp(argv[1], "damage"))
		status = damage(data, bytes, argc > 3);
	free(data);
	return status;
}
