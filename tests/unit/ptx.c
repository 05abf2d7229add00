/*
 * usage: ptx print FILE       the module in canonical form
 *        ptx roundtrip FILE   print, parse, print: 1 unless both are the same
 *        ptx lengths FILE     parse every beginning of the text: none may crash
 *        ptx inits FILE       the bits of every initialiser
 *        ptx names FILE       registers and places by name
 * A text that does not parse: "OFFSET: MESSAGE", status 3.
 */
#include <stdlib.h>
#include "ptx_print.h"

static char *
read_file(const char *path, size_t *bytes)
{
	FILE *f = fopen(path, "rb");
	char *text = malloc(64u << 20);
	if (!f || !text)
		exit(4);
	*bytes = fread(text, 1, 64u << 20, f);
	fclose(f);
	return text;
}

static struct ptx_module *
parse(const char *text, size_t bytes)
{
	struct wcp_error e;
	struct ptx_module *m = ptx_parse(text, bytes, &e);
	if (!m) {
		printf("%llu: %s\n", (unsigned long long)e.offset, e.text);
		exit(-e.status);
	}
	return m;
}

static char *
print_again(const char *text, size_t bytes, size_t *printed_bytes)
{
	struct ptx_module *m = parse(text, bytes);
	char *printed;
	FILE *f = open_memstream(&printed, printed_bytes);
	print_module(f, m);
	fclose(f);
	ptx_free(m);
	return printed;
}

static int
roundtrip(const char *text, size_t bytes)
{
	size_t n, n2;
	char *once = print_again(text, bytes, &n);
	char *twice = print_again(once, n, &n2);
	bool same = n == n2 && !memcmp(once, twice, n);
	if (!same)
		fputs(twice, stdout);
	free(once);
	free(twice);
	return !same;
}

static int
lengths(const char *text, size_t bytes)
{
	size_t good = 0;
	for (size_t n = 0; n <= bytes; n++) {
		char *copy = malloc(n + 1); /* so that a sanitizer sees a read past the end */
		if (!copy)
			return 4;
		memcpy(copy, text, n);
		struct wcp_error e;
		struct ptx_module *m = ptx_parse(copy, n, &e);
		good += m != NULL;
		if (!m && (strncmp(e.text, "line ", 5) || e.offset > n))
			return 1;
		ptx_free(m);
		free(copy);
	}
	printf("%zu of %zu beginnings are modules\n", good, bytes + 1);
	return 0;
}

static void
print_bits(const struct ptx_symbol *sym)
{
	printf("%s %s %llu %u", sym->name, wcp_space_name(sym->space),
	    (unsigned long long)sym->bytes, sym->align);
	for (uint32_t i = 0; i < sym->n_init; i++) {
		const struct ptx_init *init = &sym->init[i];
		printf(" %llu:", (unsigned long long)init->offset);
		if (init->mask_shift)
			printf("%llx&", (unsigned long long)init->mask_shift);
		if (init->sym)
			printf("%s%s+", init->generic ? "@" : "", init->sym->name);
		printf("%llx", (unsigned long long)init->bits);
	}
	putchar('\n');
}

static void
print_names(const struct ptx_func *fn)
{
	printf("%s:", fn->name);
	for (uint32_t i = 0; i < fn->n_reg; i++)
		printf(" %s.%s", fn->reg[i].name, ptx_type_name(fn->reg[i].type));
	for (uint32_t i = 0; i < fn->n_local; i++)
		printf(" %s", fn->local[i]->name);
	putchar('\n');
}

int
main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	size_t bytes, printed;
	char *text = read_file(argv[2], &bytes);
	int status = 0;
	if (!strcmp(argv[1], "roundtrip")) {
		status = roundtrip(text, bytes);
	} else if (!strcmp(argv[1], "lengths")) {
		status = lengths(text, bytes);
	} else if (!strcmp(argv[1], "print")) {
		char *again = print_again(text, bytes, &printed);
		fputs(again, stdout);
		free(again);
	} else {
		struct ptx_module *m = parse(text, bytes);
		for (uint32_t i = 0; !strcmp(argv[1], "inits") && i < m->n_sym; i++)
			if (m->sym[i]->kind == PTX_SYM_VAR)
				print_bits(m->sym[i]);
		for (uint32_t i = 0; !strcmp(argv[1], "names") && i < m->n_func; i++)
			if (m->func[i]->has_body)
				print_names(m->func[i]);
		ptx_free(m);
	}
	free(text);
	return status;
}
