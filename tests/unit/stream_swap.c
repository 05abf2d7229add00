/* usage: stream_swap <RAW >RAW: the same stream as a machine of the other byte order writes it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

static void
swap(uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		uint8_t t = p[i];
		p[i] = p[n - 1 - i];
		p[n - 1 - i] = t;
	}
}

static uint32_t
get(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

int
main(void)
{
	static uint8_t b[64 << 20];
	size_t n = fread(b, 1, sizeof b, stdin), i = 16;
	swap(b, 4);
	swap(b + 4, 2);
	swap(b + 6, 2);
	swap(b + 8, 4);
	swap(b + 12, 4);
	while (i + 16 <= n) {
		uint32_t columns = b[i + 2] | (uint32_t)b[i + 3] << 8, bytes = get(b + i + 4);
		for (uint32_t c = 0; c < columns; c++) {
			swap(b + i + 16 + 16 * c + 8, 4);
			swap(b + i + 16 + 16 * c + 12, 4);
		}
		swap(b + i + 2, 2);
		swap(b + i + 4, 4);
		swap(b + i + 8, 4);
		uint32_t sum = (uint32_t)XXH64(b + i + 16, bytes, XXH64(b + i, 12, 0));
		for (unsigned k = 0; k < 4; k++)
			b[i + 12 + k] = (uint8_t)(sum >> (24 - 8 * k));
		i += 16 + (size_t)bytes;
	}
	return fwrite(b, 1, n, stdout) == n ? 0 : 4;
}
