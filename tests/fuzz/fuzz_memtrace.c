/* Lines of memory traces: read twice alike, and of one format only, so that the first line tells.
 */
#include <stdlib.h>
#include <string.h>
/* NOLINTBEGIN(bugprone-suspicious-include) */
#include "../../tools/warpdram/formats.c"
/* NOLINTEND(bugprone-suspicious-include) */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *line = malloc(size + 1);
	unsigned taken = 0;
	if (!line)
		return 0;
	memcpy(line, data, size);
	line[size] = 0;
	for (int f = FORMAT_AUTO; f <= FORMAT_COUNT; f++) {
		struct record a = {0}, b = {0};
		bool again = false, twice = false;
		/* Both were zeroed, padding and all.
		 * NOLINTBEGIN(bugprone-suspicious-memory-comparison) */
		bool is = format_line((enum format)f, line, &a, &again);
		if (is != format_line((enum format)f, line, &b, &twice) || again != twice ||
		    memcmp(&a, &b, sizeof a) != 0)
			abort();
		/* NOLINTEND(bugprone-suspicious-memory-comparison) */
		taken += is;
		if (is && again && (!format_line((enum format)f, line, &a, &again) || again))
			abort();
	}
	if (taken > 1)
		abort();
	free(line);
	return 0;
}
