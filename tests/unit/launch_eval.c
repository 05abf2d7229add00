/*
 * Expressions of launch files, one an argument: prints their values, or what is wrong with them. A
 * buffer b of four s32 elements 10, 11, 12, 13 is there, and i is 3. "--halves" checks the 16-bit
 * formats instead.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
/* The tool's parts as they are, without its main. */
/* NOLINTBEGIN(bugprone-suspicious-include) */
#include "../../tools/warpcap/random.c"
#include "../../tools/warpcap/launch/arena.c"
#include "../../tools/warpcap/launch/expr.c"
#include "../../tools/warpcap/launch/token.c"
#include "../../tools/warpcap/launch/parse.c"
#include "../../tools/warpcap/launch/element.c"
#include "../../tools/warpcap/launch/eval.c"
/* NOLINTEND(bugprone-suspicious-include) */

static void
print(const char *text)
{
	char file[512];
	struct wcp_error e = {0};
	int32_t now[4] = {10, 11, 12, 13};
	snprintf(file, sizeof file, "buffer b s32[4]\nfill b = %s\n", text);
	struct launch_file *f = launch_parse(file, strlen(file), &e);
	if (!f) {
		puts(e.text);
		return;
	}
	struct bound b = {true, PTX_S32, "b", 0x1000, 4, now, now};
	struct value scalar[8] = {{0}}, x = {0};
	struct eval v = {scalar, &b, 3, 1, &e};
	if (eval_node(&v, f->first->next->init.expr, &x) < 0)
		puts(e.text);
	else if (x.is_real)
		printf("%.17g\n", x.r);
	else
		printf("%" PRId64 "\n", x.i);
	launch_free(f);
}

/* Each pattern comes back; halfway between two neighbours the even one is taken, just beside it the
 * nearer. */
static int
check_halves(enum ptx_type type, uint16_t infinity)
{
	for (uint32_t bits = 0; bits < infinity; bits++) {
		uint16_t back, middle, above;
		struct value x = element_get(type, &bits), next;
		element_put(type, &back, x);
		bits++;
		next = element_get(type, &bits);
		bits--;
		if (bits + 1 == infinity) /* what would come after the largest */
			next.r = 2 * x.r - element_get(type, &(uint16_t){(uint16_t)(bits - 1)}).r;
		double half = (x.r + next.r) / 2;
		element_put(type, &middle, value_of_real(-half));
		element_put(type, &above, value_of_real(nextafter(half, INFINITY)));
		uint16_t even = (uint16_t)(bits + (bits & 1));
		if (back != bits || middle != (even | 0x8000) || above != bits + 1) {
			printf("%s 0x%04x: 0x%04x 0x%04x 0x%04x\n", ptx_type_name(type), bits, back,
			    middle, above);
			return 1;
		}
	}
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--halves"))
		return check_halves(PTX_F16, 0x7c00) || check_halves(PTX_BF16, 0x7f80);
	for (int k = 1; k < argc; k++)
		print(argv[k]);
	return 0;
}
