/* The file of a program: what it loads and what device code it carries. */
#include <elf.h>
#include <stdlib.h>
#include "fatbin/fatbin.h"

struct file {
	const uint8_t *data;
	uint64_t bytes;
	struct wcp_error *e;
};

struct section {
	const uint8_t *data; /* NULL: there is none, or it takes no room in the file */
	uint64_t bytes, entry_bytes;
	uint32_t link;
};

/* n entries of size bytes at offset lie in the file? */
static const uint8_t *
inside(const struct file *f, uint64_t offset, uint64_t n, uint64_t size)
{
	if (offset > f->bytes || (size && n > (f->bytes - offset) / size))
		return NULL;
	return f->data + offset;
}

static const char *
machine_name(uint16_t machine)
{
	switch (machine) {
	case EM_386: return "32-bit x86";
	case EM_X86_64: return "x86-64";
	case EM_ARM: return "32-bit ARM";
	case EM_AARCH64: return "AArch64";
	case EM_PPC64: return "PowerPC 64";
	case EM_RISCV: return "RISC-V";
	case EM_CUDA: return "a GPU: it is machine code, not a program";
	default: return NULL;
	}
}

#if defined(__x86_64__)
#define OWN_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#elif defined(__riscv)
#define OWN_MACHINE EM_RISCV
#else
#define OWN_MACHINE EM_PPC64
#endif

static int
not_elf(const struct file *f)
{
	const char *data = (const char *)f->data;
	if (f->bytes >= 2 && data[0] == '#' && data[1] == '!')
		return wcp_fail(f->e, WCP_EUSAGE, "it is a script, not a program");
	if (f->bytes >= 8 && !memcmp(data, "!<arch>\n", 8))
		return wcp_fail(f->e, WCP_EUSAGE, "it is an archive, not a program");
	return wcp_fail(f->e, WCP_EUSAGE, "it is not a program: no ELF file");
}

static int
check_kind(const struct file *f, Elf64_Ehdr *h)
{
	if (f->bytes < EI_NIDENT || memcmp(f->data, ELFMAG, SELFMAG) != 0)
		return not_elf(f);
	/* type and machine lie at the same place in both classes */
	if (f->bytes < offsetof(Elf64_Ehdr, e_version))
		return wcp_fail(f->e, WCP_EDATA, "its ELF header is cut short");
	const uint16_t type = le16(f->data + offsetof(Elf64_Ehdr, e_type));
	const uint16_t machine = le16(f->data + offsetof(Elf64_Ehdr, e_machine));
	if (machine != OWN_MACHINE) {
		const char *name = machine_name(machine);
		if (!name)
			return wcp_fail(f->e, WCP_EUSAGE,
			    "it is for another processor (ELF machine %u)", machine);
		return wcp_fail(f->e, WCP_EUSAGE, "it is for %s, not for this machine (%s)", name,
		    machine_name(OWN_MACHINE));
	}
	if (f->data[EI_CLASS] != ELFCLASS64 || f->data[EI_DATA] != ELFDATA2LSB)
		return wcp_fail(f->e, WCP_EUSAGE, "it is a 32-bit program, not a 64-bit one");
	if (type == ET_REL)
		return wcp_fail(f->e, WCP_EUSAGE, "it is an object file: link it first");
	if (type != ET_EXEC && type != ET_DYN)
		return wcp_fail(f->e, WCP_EUSAGE, "it is no program (ELF type %u)", type);
	if (f->bytes < sizeof *h)
		return wcp_fail(f->e, WCP_EDATA, "its ELF header is cut short");
	memcpy(h, f->data, sizeof *h);
	return 0;
}

/* ---- sections ---- */

struct sections {
	const uint8_t *header; /* [n] of size bytes */
	uint32_t n;
	uint16_t size;
	const char *name;
	uint64_t name_bytes;
};

static struct section
section(const struct file *f, const struct sections *s, uint32_t i)
{
	Elf64_Shdr h;
	struct section out = {NULL, 0, 0, 0};
	if (i >= s->n)
		return out;
	memcpy(&h, s->header + (size_t)i * s->size, sizeof h);
	if (h.sh_type != SHT_NOBITS && (out.data = inside(f, h.sh_offset, h.sh_size, 1))) {
		out.bytes = h.sh_size;
		out.entry_bytes = h.sh_entsize;
		out.link = h.sh_link;
	}
	return out;
}

/* A text in a table of texts; "" if it is not all inside. */
static const char *
text_at(const char *table, uint64_t bytes, uint64_t at)
{
	return table && at < bytes && memchr(table + at, 0, bytes - at) ? table + at : "";
}

static int
find_sections(const struct file *f, const Elf64_Ehdr *h, struct sections *s)
{
	*s = (struct sections){.size = h->e_shentsize};
	if (!h->e_shoff || !h->e_shnum)
		return 0; /* sstrip: only what the loader needs is left */
	s->n = h->e_shnum;
	s->header = inside(f, h->e_shoff, s->n, s->size);
	if (s->size < sizeof(Elf64_Shdr) || !s->header)
		return wcp_fail(f->e, WCP_EDATA, "its ELF section table is damaged");
	const struct section names = section(f, s, h->e_shstrndx);
	s->name = (const char *)names.data;
	s->name_bytes = names.bytes;
	return 0;
}

static struct section
section_named(const struct file *f, const struct sections *s, const char *name)
{
	for (uint32_t i = 0; i < s->n; i++) {
		Elf64_Shdr h;
		memcpy(&h, s->header + (size_t)i * s->size, sizeof h);
		if (!strcmp(text_at(s->name, s->name_bytes, h.sh_name), name))
			return section(f, s, i);
	}
	return (struct section){NULL, 0, 0, 0};
}

/* ---- what it loads ---- */

static void
note_library(struct wcp_cuda_file *c, const char *name)
{
	static const char runtime[] = "libcudart.so";
	if (!strcmp(name, "libcuda.so.1"))
		c->needs_driver = true;
	if (strncmp(name, runtime, sizeof runtime - 1) != 0)
		return;
	const char *version = name + sizeof runtime - 1;
	c->runtime_version = *version == '.' ? (uint32_t)strtoul(version + 1, NULL, 10) : 0;
}

static void
read_needed(const struct file *f, const struct sections *s, struct wcp_cuda_file *c)
{
	const struct section dynamic = section_named(f, s, ".dynamic");
	const struct section text = section(f, s, dynamic.link);
	for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic.bytes; at += sizeof(Elf64_Dyn)) {
		Elf64_Dyn d;
		memcpy(&d, dynamic.data + at, sizeof d);
		if (d.d_tag == DT_NULL)
			break;
		if (d.d_tag == DT_NEEDED)
			note_library(c, text_at((const char *)text.data, text.bytes, d.d_un.d_val));
	}
}

/* Does it ask another file for this function? */
static bool
imports(const struct file *f, const struct sections *s, const char *name)
{
	const struct section symbols = section_named(f, s, ".dynsym");
	const struct section text = section(f, s, symbols.link);
	for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols.bytes; at += sizeof(Elf64_Sym)) {
		Elf64_Sym sym;
		memcpy(&sym, symbols.data + at, sizeof sym);
		if (sym.st_shndx == SHN_UNDEF &&
		    !strcmp(text_at((const char *)text.data, text.bytes, sym.st_name), name))
			return true;
	}
	return false;
}

/* The runtime asks the driver for its functions by this name, wherever it is linked into. */
static bool
mentions_driver(const struct file *f, const struct sections *s)
{
	static const char ask[] = "cuGetProcAddress_v2";
	const struct section text = section_named(f, s, ".rodata");
	return text.data && memmem(text.data, text.bytes, ask, sizeof ask) != NULL;
}

static int
read_code(const struct file *f, const struct sections *s, struct wcp_cuda_file *c)
{
	static const char *const name[] = {".nv_fatbin", "__nv_relfatbin"};
	for (unsigned i = 0; i < 2; i++) {
		const struct section code = section_named(f, s, name[i]);
		const uint32_t before = c->fatbin.n;
		if (!code.data)
			continue;
		const int r = wcp_fatbin_read(&c->fatbin, code.data, code.bytes, f->e);
		if (r < 0) {
			if (r == WCP_EDATA && f->e)
				f->e->offset += (uint64_t)(code.data - f->data);
			return r;
		}
		for (uint32_t k = before; k < c->fatbin.n; k++)
			c->fatbin.entry[k].offset += (uint64_t)(code.data - f->data);
		c->has_device_code |= c->fatbin.n > before;
		c->relocatable |= i == 1 && c->fatbin.n > before;
	}
	return 0;
}

int
wcp_cuda_file_read(struct wcp_cuda_file *c, const void *data, size_t bytes, struct wcp_error *e)
{
	const struct file f = {data, bytes, e};
	struct sections s;
	Elf64_Ehdr h = {0};
	*c = (struct wcp_cuda_file){0};
	int r = check_kind(&f, &h);
	if (!r)
		r = find_sections(&f, &h, &s);
	if (!r)
		r = read_code(&f, &s, c);
	if (r) {
		wcp_fatbin_release(&c->fatbin);
		return r;
	}
	read_needed(&f, &s, c);
	c->static_link = s.n && !section_named(&f, &s, ".dynamic").data;
	/* nvcc links programs without kernels so that they have code that is never registered */
	if (!imports(&f, &s, "__cudaRegisterFatBinary") &&
	    imports(&f, &s, "__cudaUnregisterFatBinary"))
		c->has_device_code = false;
	if (c->has_device_code)
		c->static_runtime = !imports(&f, &s, "__cudaRegisterFatBinary");
	else
		c->static_runtime = !c->runtime_version && mentions_driver(&f, &s);
	return 0;
}

int
wcp_cuda_file_check(const struct wcp_cuda_file *c, uint32_t sm, struct wcp_error *e)
{
	bool any = false;
	if (c->static_runtime)
		return wcp_fail(e, WCP_EDATA,
		    "CUDA's runtime is linked into it, so that it cannot be replaced; link it "
		    "again "
		    "with nvcc -cudart shared");
	if (!c->has_device_code || fatbin_best(&c->fatbin, FATBIN_ALL, sm, &any) >= 0)
		return 0;
	return fatbin_no_ptx(&c->fatbin, FATBIN_ALL, sm, e);
}
