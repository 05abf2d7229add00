#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine/machine.h"

static size_t
all_keys(void)
{
	size_t n = 0;
	const struct wcp_machine_section *s;
	for (size_t i = 0; (s = wcp_machine_section(i)); i++)
		n += s->n_key;
	return n;
}

static struct wcp_machine *
new_machine(void)
{
	size_t n = all_keys();
	struct wcp_machine *m = calloc(1, sizeof *m + n * sizeof m->slot[0]);
	if (!m)
		return NULL;
	const struct wcp_machine_section *s;
	for (size_t i = 0; (s = wcp_machine_section(i)); i++)
		for (size_t k = 0; k < s->n_key; k++) {
			struct slot *slot = &m->slot[m->n_slot++];
			slot->value.section = s;
			slot->value.key = &s->key[k];
		}
	return m;
}

struct wcp_machine *
wcp_machine_open(
    const char *name, const char *const *directory, size_t n_directory, struct wcp_error *e)
{
	struct search where = {directory, n_directory};
	struct wcp_machine *m = new_machine();
	char *copy = m ? strdup(name ? name : "") : NULL;
	if (!copy) {
		free(m);
		wcp_fail(e, WCP_ESYS, "out of memory");
		return NULL;
	}
	m->name = copy;
	if (name && machine_read(m, name, &where, e)) {
		wcp_machine_free(m);
		return NULL;
	}
	return m;
}

void
wcp_machine_free(struct wcp_machine *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->n_slot; i++) {
		free(m->slot[i].text);
		free(m->slot[i].source);
	}
	for (unsigned i = 0; i < m->n_file; i++)
		free(m->file[i]);
	free(m->file);
	free(m->name);
	free(m->about);
	free(m);
}

const char *
wcp_machine_name(const struct wcp_machine *m)
{
	return m->name;
}

const char *
wcp_machine_about(const struct wcp_machine *m)
{
	return m->about ? m->about : "";
}

static struct slot *
find_slot(const struct wcp_machine *m, const char *section, const char *key)
{
	for (size_t i = 0; i < m->n_slot; i++) {
		const struct wcp_machine_value *v = &m->slot[i].value;
		if (!strcmp(v->section->name, section) && !strcmp(v->key->name, key)) {
			const struct slot *found = &m->slot[i];
			return (struct slot *)(uintptr_t)found;
		}
	}
	return NULL;
}

static int
unknown_section(const char *section, struct wcp_error *e)
{
	struct near near = {.word = section};
	const struct wcp_machine_section *s;
	for (size_t i = 0; (s = wcp_machine_section(i)); i++)
		near_offer(&near, s->name);
	const char *meant = near_found(&near);
	if (meant)
		return wcp_fail(e, WCP_EUSAGE, "there is no section [%.50s]; did you mean [%s]?",
		    section, meant);
	return wcp_fail(e, WCP_EUSAGE, "there is no section [%.50s]", section);
}

/* The nearest key of the section; if another section's is nearer or the same, that. */
static int
unknown_key(const char *section, const char *key, struct wcp_error *e)
{
	struct near own = {.word = key}, other = {.word = key};
	const struct wcp_machine_section *s, *elsewhere = NULL;
	for (size_t i = 0; (s = wcp_machine_section(i)); i++)
		for (size_t k = 0; k < s->n_key; k++) {
			struct near *near = strcmp(s->name, section) ? &other : &own;
			const char *best = near->best;
			near_offer(near, s->key[k].name);
			if (near == &other && near->best != best)
				elsewhere = s;
		}
	const char *mine = near_found(&own), *meant = elsewhere ? near_found(&other) : NULL;
	if (meant && !other.distance && (!mine || own.distance > 2))
		return wcp_fail(e, WCP_EUSAGE, "section [%s] has no key '%.50s', but [%s] has one",
		    section, key, elsewhere->name);
	if (meant && (!mine || own.distance > other.distance + 1))
		return wcp_fail(e, WCP_EUSAGE,
		    "section [%s] has no key '%.50s'; did you mean '%s' of [%s]?", section, key,
		    meant, elsewhere->name);
	if (mine)
		return wcp_fail(e, WCP_EUSAGE,
		    "section [%s] has no key '%.50s'; did you mean '%s'?", section, key, mine);
	return wcp_fail(e, WCP_EUSAGE, "section [%s] has no key '%.50s'", section, key);
}

static int
take(struct slot *slot, const char *text, const char *source, struct wcp_error *e)
{
	char *t = strdup(text), *s = strdup(source);
	if (!t || !s) {
		free(t);
		free(s);
		return wcp_fail(e, WCP_ESYS, "out of memory");
	}
	free(slot->text);
	free(slot->source);
	slot->value.text = slot->text = t;
	slot->value.source = slot->source = s;
	return 0;
}

int
machine_give(struct wcp_machine *m, const char *section, const char *key, const char *text,
    const char *source, const char *file, unsigned line, struct wcp_error *e)
{
	char reason[MACHINE_REASON];
	if (!wcp_machine_section_named(section))
		return unknown_section(section, e);
	struct slot *slot = find_slot(m, section, key);
	if (!slot)
		return unknown_key(section, key, e);
	if (line && slot->value.line && slot->value.file == file)
		return wcp_fail(e, WCP_EUSAGE, "%s.%s stands in line %u already", section, key,
		    slot->value.line);
	if (!value_read(slot->value.key, text, NULL, reason))
		return wcp_fail(e, WCP_EUSAGE, "%s.%s: %s", section, key, reason);
	if (take(slot, text, source, e))
		return WCP_ESYS;
	slot->value.file = file;
	slot->value.line = line;
	return 0;
}

int
wcp_machine_set(struct wcp_machine *m, const char *setting, struct wcp_error *e)
{
	char section[64], key[64];
	const char *equals = strchr(setting, '=');
	const char *dot = equals ? memchr(setting, '.', (size_t)(equals - setting)) : NULL;
	size_t n = dot ? (size_t)(dot - setting) : sizeof section;
	size_t k = dot ? (size_t)(equals - dot - 1) : sizeof key;
	if (!dot || n >= sizeof section || k >= sizeof key)
		return wcp_fail(e, WCP_EUSAGE, "'%.80s' is not SECTION.KEY=VALUE", setting);
	memcpy(section, setting, n);
	section[n] = 0;
	memcpy(key, dot + 1, k);
	key[k] = 0;
	return machine_give(m, section, key, equals + 1, "", "--set", 0, e);
}

size_t
wcp_machine_bind(
    const struct wcp_machine *m, const struct wcp_machine_section *section, void *config)
{
	char reason[MACHINE_REASON];
	size_t n = 0;
	for (size_t i = 0; i < m->n_slot; i++) {
		const struct wcp_machine_value *v = &m->slot[i].value;
		if (v->section == section && v->text)
			n += value_read(v->key, v->text, (char *)config + v->key->offset, reason);
	}
	return n;
}

const struct wcp_machine_value *
wcp_machine_find(const struct wcp_machine *m, const char *section, const char *key)
{
	const struct slot *slot = find_slot(m, section, key);
	return slot && slot->value.text ? &slot->value : NULL;
}

const struct wcp_machine_value *
wcp_machine_value(const struct wcp_machine *m, size_t i)
{
	for (size_t k = 0; k < m->n_slot; k++)
		if (m->slot[k].value.text && i-- == 0)
			return &m->slot[k].value;
	return NULL;
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* Is the word at text this name, but for case and underscores? A field's name may end in its unit.
 */
static bool
same_word(const char *text, const char *name)
{
	for (;; text++, name++) {
		while (*text == '_')
			text++;
		while (*name == '_')
			name++;
		if (!*name)
			break;
		if (tolower((unsigned char)*text) != tolower((unsigned char)*name))
			return false;
	}
	bool unit = !strncmp(text, "ck", 2) || !strncmp(text, "ns", 2);
	return !is_letter(*text) || (text[-1] == '_' && unit && !is_letter(text[2]));
}

/* Where the name stands in text as a word; NULL if nowhere. */
static const char *
find_word(const char *text, const char *name)
{
	for (const char *p = text; *p; p++)
		if (is_letter(*p) && (p == text || !is_letter(p[-1])) && same_word(p, name))
			return p;
	return NULL;
}

/* A value that a message names. */
struct named {
	const struct wcp_machine_value *value;
	const char *at;
	unsigned file; /* 0: a setting; from 1: that of the file asked for, then its bases' */
};

static unsigned
number_of_file(const struct wcp_machine *m, const struct wcp_machine_value *v)
{
	unsigned n = 0;
	while (v->line && n < m->n_file && m->file[n] != v->file)
		n++;
	return v->line ? n + 1 : 0;
}

/* Those that were given, in the order in which the text names them. */
static size_t
find_named(const struct wcp_machine *m, const struct wcp_machine_section *section, const char *text,
    struct named *named, size_t max)
{
	size_t n = 0;
	for (size_t i = 0; i < m->n_slot && n < max; i++) {
		const struct wcp_machine_value *v = &m->slot[i].value;
		bool given = v->section == section && v->text;
		const char *at = given ? find_word(text, v->key->name) : NULL;
		size_t k = n;
		if (!at)
			continue;
		for (; k && named[k - 1].at > at; k--)
			named[k] = named[k - 1];
		named[k] = (struct named){v, at, number_of_file(m, v)};
		n++;
	}
	return n;
}

/* " (tRP line 17, tRC base.conf:18)": where the others stand, as far as there is room. */
static void
list_others(const struct named *named, size_t n, size_t blamed, char *text, size_t room)
{
	size_t used = 0;
	for (size_t i = 0; i < n; i++) {
		const struct wcp_machine_value *v = named[i].value;
		char place[300];
		if (i == blamed)
			continue;
		if (!v->line)
			snprintf(place, sizeof place, "--set");
		else if (v->file == named[blamed].value->file)
			snprintf(place, sizeof place, "line %u", v->line);
		else
			snprintf(place, sizeof place, "%.200s:%u", v->file, v->line);
		if (used + strlen(v->key->name) + strlen(place) + 5 > room)
			break;
		used += (size_t)snprintf(
		    text + used, room - used, "%s%s %s", used ? ", " : " (", v->key->name, place);
	}
	snprintf(text + used, room - used, "%s", used ? ")" : "");
}

int
wcp_machine_blame(
    const struct wcp_machine *m, const struct wcp_machine_section *section, struct wcp_error *e)
{
	struct named named[12];
	char text[sizeof e->text], others[sizeof e->text / 2];
	size_t n = find_named(m, section, e->text, named, sizeof named / sizeof named[0]);
	size_t blamed = 0;
	if (!n)
		return e->status;
	for (size_t i = 1; i < n; i++)
		if (named[i].file < named[blamed].file)
			blamed = i;
	const struct wcp_machine_value *v = named[blamed].value;
	memcpy(text, e->text, sizeof text);
	list_others(named, n, blamed, others, sizeof others);
	if (v->line)
		return wcp_fail(e, WCP_EDATA, "%.200s:%u: [%s] %s%s", v->file, v->line,
		    section->name, text, others);
	return wcp_fail(e, WCP_EUSAGE, "--set: [%s] %s%s", section->name, text, others);
}

void
wcp_machine_dram(const struct wcp_machine *m, struct wcp_dram_config *config)
{
	*config = (struct wcp_dram_config){
	    .organisation = {.channels = 1,
		.pseudo_channels = 1,
		.ranks = 1,
		.bank_groups = 1,
		.banks = 8,
		.rows = 65536,
		.row_bytes = 8192,
		.bus_bits = 64,
		.burst_length = 8,
		.rate = 2},
	    .timing = {.t_ck_ns = 1},
	    .mapping = "row rank bank column pseudo channel",
	    .controller = {.read_queue = 64,
		.scheduler = "frfcfs",
		.parbs_cap = 5,
		.tcm_quantum_ck = 1000000,
		.tcm_shuffle_ck = 800,
		.tcm_cluster = 4. / 24,
		.requesters = 1,
		.seed = 1},
	};
	wcp_machine_bind(m, &keys_dram, config);
}
