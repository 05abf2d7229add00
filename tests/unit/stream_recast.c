/* usage: stream_recast swap|later|major <RAW >RAW
 * swap: the same stream as a machine of the other byte order writes it. later: as a later minor
 * version might, with blocks, columns and fields of its own. major: as the next major version. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static uint8_t in[64 << 20], out[128 << 20];
static size_t n_out;

static uint32_t
get(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void
put(uint8_t *p, uint32_t v)
{
	for (unsigned k = 0; k < 4; k++)
		p[k] = (uint8_t)(v >> (8 * k));
}

static void
swap(uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		uint8_t t = p[i];
		p[i] = p[n - 1 - i];
		p[n - 1 - i] = t;
	}
}

static void
finish(uint8_t *block, uint32_t bytes, int swapped)
{
	put(block + 12, (uint32_t)XXH64(block + 16, bytes, XXH64(block, 12, 0)));
	if (swapped)
		swap(block + 12, 4);
	n_out += 16 + (size_t)bytes;
}

static void
swap_block(const uint8_t *p, uint32_t columns, uint32_t bytes)
{
	uint8_t *b = out + n_out;
	memcpy(b, p, 16 + (size_t)bytes);
	for (uint32_t c = 0; c < columns; c++) {
		swap(b + 16 + 16 * c + 8, 4);
		swap(b + 16 + 16 * c + 12, 4);
	}
	swap(b + 2, 2);
	swap(b + 4, 4);
	swap(b + 8, 4);
	finish(b, bytes, 1);
}

/* A column in front that nobody knows, in an encoding that nobody knows; and a block of its kind.
 */
static void
later_block(const uint8_t *p, uint32_t columns, uint32_t bytes)
{
	const uint8_t entry[16] = {200, 99, 4, 3, 2, 1, 0, 0, 5, 0, 0, 0, 4, 0, 0, 0};
	uint8_t *b = out + n_out;
	uint32_t directory = 16 * columns;
	memcpy(b, p, 16);
	memcpy(b + 16, entry, 16);
	memcpy(b + 32, p + 16, directory);
	memset(b + 32 + directory, '?', 4);
	memcpy(b + 36 + directory, p + 16 + directory, bytes - directory);
	b[2]++;
	put(b + 4, bytes + 20);
	finish(b, bytes + 20, 0);
	b = out + n_out;
	memset(b, 0, 16);
	b[0] = 99;
	b[2] = 1;
	put(b + 4, 20);
	memcpy(b + 16, entry, 16);
	memset(b + 32, '?', 4);
	finish(b, 20, 0);
}

int
main(int argc, char **argv)
{
	size_t n = fread(in, 1, sizeof in, stdin), i = 16;
	int later = argc > 1 && strcmp(argv[1], "later") == 0,
	    major = argc > 1 && strcmp(argv[1], "major") == 0;
	memcpy(out, in, 16);
	n_out = 16;
	if (later || major) {
		out[major ? 4 : 6] = (uint8_t)(out[major ? 4 : 6] + (major ? 2 : 1));
	} else {
		swap(out, 4);
		swap(out + 4, 2);
		swap(out + 6, 2);
		swap(out + 8, 4);
		swap(out + 12, 4);
	}
	while (i + 16 <= n) {
		uint32_t columns = in[i + 2] | (uint32_t)in[i + 3] << 8, bytes = get(in + i + 4);
		int end = in[i] == 1;
		if (later && !end)
			later_block(in + i, columns, bytes);
		else if (later || major)
			memcpy(out + n_out, in + i, 16 + (size_t)bytes),
			    n_out += 16 + (size_t)bytes;
		else
			swap_block(in + i, columns, bytes);
		i += 16 + (size_t)bytes;
	}
	return fwrite(out, 1, n_out, stdout) == n_out ? 0 : 4;
}
