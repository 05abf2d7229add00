/*
 * Functions of the device runtime by name. Three spellings lead to one row: cudaX of CUDA before
 * 12,
 * __cudaCDP2X since, and either with _ptsz where the default stream is a thread's own; __cudaX is
 * what the runtime's own headers call.
 */
#include "exec/child/child.h"

/* n characters of name say what the row is called? */
static bool
is_named(const struct child_builtin *b, const char *name, size_t n)
{
	return strlen(b->row.name) == n && !memcmp(b->row.name, name, n);
}

const struct exec_builtin *
exec_child_builtin(const char *name)
{
	static const char *const prefix[] = {"__cudaCDP2", "__cuda", "cuda"};
	const struct child_builtin *const table[] = {
	    child_launch_table, child_stream_table, child_info_table};
	unsigned p = 0;
	while (p < 3 && strncmp(name, prefix[p], strlen(prefix[p])) != 0)
		p++;
	if (p == 3)
		return NULL;
	name += strlen(prefix[p]);
	size_t n = strlen(name);
	n -= n > 5 && !strcmp(name + n - 5, "_ptsz") ? 5 : 0;
	for (unsigned i = 0; i < 3; i++)
		for (const struct child_builtin *b = table[i]; b->row.name; b++)
			if (is_named(b, name, n))
				return &b->row;
	return NULL;
}
