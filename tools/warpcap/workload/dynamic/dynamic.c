#include "dynamic.h"
#include <stdio.h>

const char *const dynamic_forms[] = {"flat", "child", "fallback", NULL};

void
dynamic_launch(struct host *h, const char *kernel, struct host_shape shape, const void *const *arg,
    uint32_t n_arg)
{
	char name[80];
	const char *form = dynamic_forms[host_integer(h, "FORM")];
	snprintf(name, sizeof name, "%s_%s", kernel, form);
	host_limit_pending(h, (uint32_t)host_integer(h, "PENDING"));
	host_launch(h, name, shape, arg, n_arg);
}

static bool
power_of_two(int64_t n)
{
	return (n & (n - 1)) == 0;
}

void *
dynamic_squares(struct host *h)
{
	const int64_t square = host_integer(h, "SQUARE"), leaf = host_integer(h, "LEAF");
	const char *name = host_subject(h);
	if (!power_of_two(square) || !power_of_two(leaf))
		host_fail(h, WCP_EUSAGE, "%s: SQUARE and LEAF are not both powers of two", name);
	else if (leaf > square)
		host_fail(h, WCP_EUSAGE, "%s: LEAF is more than SQUARE", name);
	else if (host_integer(h, "N") % square)
		host_fail(h, WCP_EUSAGE, "%s: N is no multiple of SQUARE", name);
	return NULL;
}
