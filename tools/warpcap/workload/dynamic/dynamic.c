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
