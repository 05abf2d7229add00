#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include "machine/machine.h"

static const char *
skip_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

static const char *
unit_of(const struct wcp_machine_key *key)
{
	return key->unit ? key->unit : "";
}

/* What stands behind a number: nothing, the key's unit, or a multiple of bytes. */
static bool
read_suffix(const struct wcp_machine_key *key, const char *text, uint64_t *factor)
{
	static const char prefix[] = "KMGT";
	text = skip_blanks(text);
	*factor = 1;
	if (!*text || !strcmp(text, unit_of(key)))
		return true;
	const char *which = strcmp(unit_of(key), "B") ? NULL : strchr(prefix, *text);
	if (!which || text[1] != 'i' || (strcmp(text + 2, "B") && text[2]))
		return false;
	*factor = 1ull << 10 * (which - prefix + 1);
	return true;
}

static bool
not_a_number(const struct wcp_machine_key *key, const char *text, char reason[MACHINE_REASON])
{
	const char *unit = unit_of(key);
	bool bytes = !strcmp(unit, "B");
	snprintf(reason, MACHINE_REASON, "'%.80s' is not a number%s%s%s", text, *unit ? " of " : "",
	    bytes ? "bytes (KiB: 1024)" : unit,
	    key->type == WCP_KEY_DOUBLE ? ""
	    : bytes			? ""
					: " without fraction");
	return false;
}

static bool
not_in_range(const struct wcp_machine_key *key, const char *text, char reason[MACHINE_REASON])
{
	snprintf(reason, MACHINE_REASON, "%.80s is not in %.15g..%.15g", text, key->min, key->max);
	return false;
}

static bool
read_integer(
    const struct wcp_machine_key *key, const char *text, void *field, char reason[MACHINE_REASON])
{
	if (*text < '0' || *text > '9')
		return not_a_number(key, text, reason);
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	char *end;
	uint64_t factor, n;
	errno = 0;
	n = strtoull(text, &end, hex ? 16 : 10);
	bool large = errno == ERANGE;
	if ((hex && end < text + 3) || !read_suffix(key, end, &factor))
		return not_a_number(key, text, reason);
	if (large || __builtin_mul_overflow(n, factor, &n) || (double)n < key->min ||
	    (double)n > key->max)
		return not_in_range(key, text, reason);
	if (field && key->type == WCP_KEY_U32)
		memcpy(field, &(uint32_t){(uint32_t)n}, sizeof(uint32_t));
	else if (field)
		memcpy(field, &n, sizeof n);
	return true;
}

/* strtod takes more than a machine file may say: hexadecimal, infinity, not a number. */
static bool
read_double(
    const struct wcp_machine_key *key, const char *text, void *field, char reason[MACHINE_REASON])
{
	size_t length = strspn(text, "0123456789.eE+-");
	bool plain = length && strchr("0123456789.", *text) && text[length] != 'x';
	char *end;
	double x = strtod(text, &end);
	uint64_t factor = 1;
	bool period = !strcmp(unit_of(key), "ns") && !strcmp(skip_blanks(end), "MHz");
	if (!plain || end == text || (!period && !read_suffix(key, end, &factor)))
		return not_a_number(key, text, reason);
	x = period ? 1000 / x : x * (double)factor;
	if (!isfinite(x) || x < key->min || x > key->max)
		return not_in_range(key, text, reason);
	if (field)
		memcpy(field, &x, sizeof x);
	return true;
}

static bool
read_bool(const char *text, void *field, char reason[MACHINE_REASON])
{
	bool yes = !strcmp(text, "yes") || !strcmp(text, "true");
	if (!yes && strcmp(text, "no") && strcmp(text, "false")) {
		snprintf(reason, MACHINE_REASON, "'%.80s' is neither yes nor no", text);
		return false;
	}
	if (field)
		memcpy(field, &yes, sizeof yes);
	return true;
}

static bool
read_choice(
    const struct wcp_machine_key *key, const char *text, void *field, char reason[MACHINE_REASON])
{
	int n = snprintf(reason, MACHINE_REASON, "'%.40s' is none of", text);
	for (unsigned i = 0; strcmp(key->choice(i), "?"); i++) {
		if (!strcmp(key->choice(i), text)) {
			if (field)
				memcpy(field, &i, sizeof i);
			return true;
		}
		if (n < MACHINE_REASON)
			n += snprintf(reason + n, (size_t)(MACHINE_REASON - n), "%s %s",
			    i ? "," : "", key->choice(i));
	}
	return false;
}

static bool
read_text(
    const struct wcp_machine_key *key, const char *text, void *field, char reason[MACHINE_REASON])
{
	if (key->choice && !read_choice(key, text, NULL, reason))
		return false;
	if (field)
		memcpy(field, &text, sizeof text);
	return true;
}

bool
value_read(
    const struct wcp_machine_key *key, const char *text, void *field, char reason[MACHINE_REASON])
{
	switch (key->type) {
	case WCP_KEY_U32:
	case WCP_KEY_U64: return read_integer(key, text, field, reason);
	case WCP_KEY_DOUBLE: return read_double(key, text, field, reason);
	case WCP_KEY_BOOL: return read_bool(text, field, reason);
	case WCP_KEY_ENUM: return read_choice(key, text, field, reason);
	case WCP_KEY_TEXT: return read_text(key, text, field, reason);
	}
	return false;
}

void
wcp_machine_format(const struct wcp_machine_key *key, const void *config, char *text, size_t bytes)
{
	const char *field = (const char *)config + key->offset;
	uint64_t n = 0;
	uint32_t small = 0;
	double x = 0;
	bool yes = false;
	const char *word = NULL;
	switch (key->type) {
	case WCP_KEY_U32:
		memcpy(&small, field, sizeof small);
		snprintf(text, bytes, "%" PRIu32, small);
		return;
	case WCP_KEY_U64:
		memcpy(&n, field, sizeof n);
		snprintf(text, bytes, "%" PRIu64, n);
		return;
	case WCP_KEY_DOUBLE:
		memcpy(&x, field, sizeof x);
		snprintf(text, bytes, "%.15g", x);
		return;
	case WCP_KEY_BOOL:
		memcpy(&yes, field, sizeof yes);
		snprintf(text, bytes, "%s", yes ? "yes" : "no");
		return;
	case WCP_KEY_ENUM:
		memcpy(&small, field, sizeof small);
		snprintf(text, bytes, "%s", key->choice(small));
		return;
	case WCP_KEY_TEXT:
		memcpy(&word, field, sizeof word);
		snprintf(text, bytes, "%s", word ? word : "");
		return;
	}
}
