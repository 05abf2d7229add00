/* Any bytes as a launch file: read or refused, never more. */
/* The tool's parts as they are, without its main. */
/* NOLINTBEGIN(bugprone-suspicious-include) */
#include "../../tools/warpcap/launch/arena.c"
#include "../../tools/warpcap/launch/expr.c"
#include "../../tools/warpcap/launch/token.c"
#include "../../tools/warpcap/launch/parse.c"
/* NOLINTEND(bugprone-suspicious-include) */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct wcp_error e = {0};
	struct launch_file *f = launch_parse((const char *)data, bytes, &e);
	if (!f && (!e.text[0] || e.status != WCP_EDATA))
		__builtin_trap();
	if (f && launch_define(f, "N=3 + 4", &e) == 0 && !f->n_scalar)
		__builtin_trap();
	launch_free(f);
	return 0;
}
