/* Numbers on the command line. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "private.h"

static bool
suffix_factor(const char *text, uint64_t *factor)
{
	static const struct {
		const char *name;
		uint64_t factor;
	} suffix[] = {
	    {"", 1},
	    {"k", 1000},
	    {"K", 1000},
	    {"M", 1000000},
	    {"G", 1000000000},
	    {"T", 1000000000000},
	    {"Ki", 1ull << 10},
	    {"Mi", 1ull << 20},
	    {"Gi", 1ull << 30},
	    {"Ti", 1ull << 40},
	};
	/* 16KiB and 16Ki are the same. */
	size_t length = strlen(text);
	if (length && text[length - 1] == 'B')
		length--;
	for (size_t i = 0; i < sizeof suffix / sizeof suffix[0]; i++) {
		if (strlen(suffix[i].name) == length && !strncmp(text, suffix[i].name, length)) {
			*factor = suffix[i].factor;
			return true;
		}
	}
	return false;
}

/* An unsigned number with suffix; 0, EINVAL if the text is none, ERANGE if it is too large. */
static int
scan_u64(const char *text, uint64_t *value)
{
	if (*text < '0' || *text > '9')
		return EINVAL;
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	char *end;
	errno = 0;
	uint64_t n = strtoull(text, &end, hex ? 16 : 10);
	bool large = errno == ERANGE;
	uint64_t factor;
	if (!suffix_factor(end, &factor))
		return EINVAL;
	return large || __builtin_mul_overflow(n, factor, value) ? ERANGE : 0;
}

int
tool_u64(const struct tool *t, const char *option, const char *text, uint64_t min, uint64_t max,
    uint64_t *value)
{
	uint64_t n;
	int wrong = scan_u64(text, &n);
	if (wrong == ERANGE)
		return tool_usage(t, "%s: %s is too large", option, text);
	if (wrong)
		return tool_usage(t, "%s: '%s' is not a number", option, text);
	if (n < min || n > max) {
		if (max == UINT64_MAX)
			return tool_usage(t, "%s: %s is less than %" PRIu64, option, text, min);
		return tool_usage(
		    t, "%s: %s is not in %" PRIu64 "..%" PRIu64, option, text, min, max);
	}
	*value = n;
	return 0;
}

int
tool_double(const struct tool *t, const char *option, const char *text, double min, double max,
    double *value)
{
	char *end;
	double x = strtod(text, &end);
	uint64_t factor;
	if (end == text || *text == ' ' || !suffix_factor(end, &factor))
		return tool_usage(t, "%s: '%s' is not a number", option, text);
	x *= (double)factor;
	if (!(x >= min && x <= max))
		return tool_usage(t, "%s: %s is not in %g..%g", option, text, min, max);
	*value = x;
	return 0;
}

int
tool_range(
    const struct tool *t, const char *option, const char *text, uint64_t *first, uint64_t *last)
{
	char low[64];
	const char *dash = strchr(text, '-');
	size_t n = dash ? (size_t)(dash - text) : strlen(text);
	uint64_t a = 0, b = UINT64_MAX;
	bool ok = n < sizeof low && text[0] && strcmp(text, "-");
	if (ok && n) {
		memcpy(low, text, n);
		low[n] = 0;
		ok = !scan_u64(low, &a);
	}
	if (ok && !dash)
		b = a;
	if (ok && dash && dash[1])
		ok = !scan_u64(dash + 1, &b);
	if (!ok)
		return tool_usage(t, "%s: '%s' is not a range A-B", option, text);
	if (a > b)
		return tool_usage(t, "%s: range %s ends before it begins", option, text);
	*first = a;
	*last = b;
	return 0;
}
