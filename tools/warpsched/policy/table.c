/* The policies there are, and how one is chosen. */
#include "policy/policy.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

extern const struct wcp_policy policy_lrr, policy_gto, policy_oldest, policy_two_level, policy_swl,
    policy_ccws, policy_statpcal, policy_ciao_p, policy_ciao_t, policy_ciao_c;

const struct wcp_policy *const policy_table[] = {
    &policy_lrr,
    &policy_gto,
    &policy_oldest,
    &policy_two_level,
    &policy_swl,
    &policy_ccws,
    &policy_statpcal,
    &policy_ciao_p,
    &policy_ciao_t,
    &policy_ciao_c,
    NULL,
};

static const char *
text(const char *may_be_null)
{
	return may_be_null ? may_be_null : "";
}

static void
print_help(const struct wcp_policy *p)
{
	printf("%-12s%s\n", p->name, text(p->summary));
	if (p->source)
		printf("%-12s  after %s\n", "", p->source);
	for (const struct wcp_policy_parameter *k = p->parameter; k && k->name; k++)
		printf("%-12s  %s=%g  %s, %g to %g\n", "", k->name, k->value, text(k->help), k->min,
		    k->max);
}

static int
load(struct tool *t, struct choice *c, const char *path)
{
	c->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!c->handle)
		return tool_fail(t, -WCP_EUSAGE, "%s", dlerror());
	c->policy = dlsym(c->handle, "warpcap_policy");
	if (!c->policy)
		return tool_fail(t, -WCP_EUSAGE, "%s: it defines no warpcap_policy", path);
	if (c->policy->version != WCP_POLICY_VERSION)
		return tool_fail(t, -WCP_EUSAGE,
		    "%s: it was built for version %u of the policy interface, this is version %u",
		    path, c->policy->version, WCP_POLICY_VERSION);
	if (!c->policy->pick || !c->policy->name)
		return tool_fail(t, -WCP_EUSAGE, "%s: its policy has no name or no pick", path);
	const struct wcp_policy_parameter *k = c->policy->parameter;
	for (unsigned n = 0; k && k[n].name; n++) {
		if (n == WCP_POLICY_PARAMETERS_MAX)
			return tool_fail(t, -WCP_EUSAGE,
			    "%s: its policy has more than %d parameters", path,
			    WCP_POLICY_PARAMETERS_MAX);
	}
	return 0;
}

static int
find(struct tool *t, struct choice *c, const char *name)
{
	if (strchr(name, '/'))
		return load(t, c, name);
	for (const struct wcp_policy *const *p = policy_table; *p; p++) {
		if (!strcmp((*p)->name, name)) {
			c->policy = *p;
			return 0;
		}
	}
	size_t n = strlen(name);
	if (n > 3 && !strcmp(name + n - 3, ".so"))
		return tool_usage(
		    t, "there is no policy '%s'; a file is named with a slash: ./%s", name, name);
	return tool_usage(t, "there is no policy '%s'; -p help lists them", name);
}

bool
policy_help_wanted(const char *text)
{
	size_t n = strlen(text);
	return !strcmp(text, "help") || (n > 5 && !strcmp(text + n - 5, ":help"));
}

int
policy_help(struct tool *t, const char *text)
{
	if (!strcmp(text, "help")) {
		for (const struct wcp_policy *const *p = policy_table; *p; p++)
			print_help(*p);
		return 0;
	}
	struct choice c = {.label = strndup(text, strlen(text) - 5)};
	int status = c.label ? find(t, &c, c.label) : tool_fail(t, -WCP_ESYS, "out of memory");
	if (!status && c.policy)
		print_help(c.policy);
	choice_release(&c);
	return status;
}

static int
set_parameter(struct tool *t, struct choice *c, char *text)
{
	char *eq = strchr(text, '=');
	if (!eq)
		return tool_usage(t, "policy %s: '%s' is not KEY=VALUE", c->policy->name, text);
	*eq = 0;
	const struct wcp_policy_parameter *k = c->policy->parameter;
	for (unsigned i = 0; k && k[i].name; i++) {
		if (!strcmp(k[i].name, text))
			return tool_double(t, text, eq + 1, k[i].min, k[i].max, &c->parameter[i]);
	}
	return tool_usage(t, "policy %s has no parameter '%s'; -p %.*s:help lists them",
	    c->policy->name, text, (int)strcspn(c->label, ":"), c->label);
}

int
choice_parse(struct tool *t, struct choice *c, const char *text)
{
	char *copy = strdup(text), *rest = copy;
	if (!copy || !(c->label = strdup(text)))
		return tool_fail(t, -WCP_ESYS, "out of memory");
	char *word = strsep(&rest, ":");
	int status = find(t, c, word);
	const struct wcp_policy_parameter *k = status ? NULL : c->policy->parameter;
	for (unsigned i = 0; k && k[i].name; i++)
		c->parameter[i] = k[i].value;
	while (!status && (word = strsep(&rest, ":")))
		status = set_parameter(t, c, word);
	free(copy);
	return status;
}

void
choice_release(struct choice *c)
{
	free(c->label);
	if (c->handle)
		dlclose(c->handle);
}
