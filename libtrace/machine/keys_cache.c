#include "machine/machine.h"

static const char *
index_choice(unsigned i)
{
	return wcp_index_name((enum wcp_index)i);
}

static const char *
replacement_choice(unsigned i)
{
	return wcp_replacement_name((enum wcp_replacement)i);
}

static const char *
write_choice(unsigned i)
{
	return wcp_write_name((enum wcp_write_policy)i);
}

static const char *
allocate_choice(unsigned i)
{
	return i == WCP_NB_ON_MISS ? "miss" : i == WCP_NB_ON_FILL ? "fill" : "?";
}

#define AT(field) offsetof(struct wcp_level_config, field)
static const struct wcp_machine_key level_key[] = {
    {"size", WCP_KEY_U64, AT(size_bytes), "B", 1, 1ull << 40, .help = "capacity of all slices"},
    {"sets", WCP_KEY_U64, AT(cache.index.sets), NULL, 1, 1ull << 32, .help = "sets of a slice"},
    {"ways", WCP_KEY_U32, AT(cache.ways), NULL, 0, 1 << 24, .help = "lines in a set; 0: no bound"},
    {"line", WCP_KEY_U32, AT(cache.index.line_bytes), "B", 4, 1 << 20, .help = "line size"},
    {"sector", WCP_KEY_U32, AT(cache.sector_bytes), "B", 0, 1 << 20,
	.help = "what a miss fetches; 0: the line"},
    {"slices", WCP_KEY_U32, AT(slices), NULL, 1, 1 << 16,
	.help = "equal parts that share the addresses"},
    {"shared", WCP_KEY_BOOL, AT(shared), .help = "one for all cores, not one each"},
    {"index", WCP_KEY_ENUM, AT(cache.index.kind), .choice = index_choice,
	.help = "which set an address belongs to"},
    {"polynomial", WCP_KEY_U32, AT(cache.index.polynomial), NULL, 0, (1 << 17) - 1,
	.help = "index poly: the polynomial's coefficients; 0: the smallest irreducible"},
    {"index_bits", WCP_KEY_U32, AT(cache.index.address_bits), NULL, 0, 64,
	.help = "index poly: low address bits that are hashed; 0: all"},
    {"replacement", WCP_KEY_ENUM, AT(cache.replacement), .choice = replacement_choice,
	.help = "which line leaves"},
    {"write", WCP_KEY_ENUM, AT(cache.global_write), .choice = write_choice,
	.help = "what a store does"},
    {"write_local", WCP_KEY_ENUM, AT(cache.local_write), .choice = write_choice,
	.help = "what a store to local memory does"},
    {"bypass_uncached", WCP_KEY_BOOL, AT(cache.bypass_uncached),
	.help = "accesses whose operator passes L1 go past"},
    {"store_around", WCP_KEY_BOOL, AT(cache.store_around),
	.help = "a store that misses goes on and allocates nothing"},
    {"allocate", WCP_KEY_ENUM, AT(cache.allocate), .choice = allocate_choice,
	.help = "a line is taken on the miss or on the fill"},
    {"hit_latency", WCP_KEY_U32, AT(hit_ck), "ck", 0, 1 << 20, .help = "from access to hit"},
    {"fill_latency", WCP_KEY_U32, AT(fill_ck), "ck", 0, 1 << 20,
	.help = "from the next level's answer to the fill"},
    {"mshr_entries", WCP_KEY_U32, AT(cache.mshr_entries), NULL, 0, 1 << 20,
	.help = "misses in flight in a slice; 0: no limit"},
    {"mshr_merges", WCP_KEY_U32, AT(cache.mshr_merges), NULL, 0, 1 << 20,
	.help = "accesses that wait for one miss, its first included; 0: no limit"},
    {"mshr_by_sector", WCP_KEY_BOOL, AT(cache.mshr_by_sector),
	.help = "an entry is for a sector, not for a line"},
    {"miss_queue", WCP_KEY_U32, AT(cache.miss_queue), NULL, 0, 1 << 20,
	.help = "messages that wait to leave a slice; 0: no limit"},
    {"worst_case_room", WCP_KEY_BOOL, AT(cache.worst_case_room),
	.help = "an access needs the room in the miss queue that its kind may use at most"},
    {"port", WCP_KEY_U32, AT(cache.port_bytes), "B", 0, 1 << 20,
	.help = "width of data and fill port a cycle; 0: never busy"},
};
#undef AT

enum { LEVEL_KEYS = sizeof level_key / sizeof level_key[0] };
const struct wcp_machine_section keys_l1 = {
    "l1", "first level of data cache", level_key, LEVEL_KEYS, sizeof(struct wcp_level_config)};
const struct wcp_machine_section keys_l1c = {"l1c", "cache of constants and parameters", level_key,
    LEVEL_KEYS, sizeof(struct wcp_level_config)};
const struct wcp_machine_section keys_l1t = {
    "l1t", "texture cache", level_key, LEVEL_KEYS, sizeof(struct wcp_level_config)};
const struct wcp_machine_section keys_l1i = {
    "l1i", "instruction cache", level_key, LEVEL_KEYS, sizeof(struct wcp_level_config)};
const struct wcp_machine_section keys_l2 = {
    "l2", "second level", level_key, LEVEL_KEYS, sizeof(struct wcp_level_config)};
const struct wcp_machine_section keys_l3 = {
    "l3", "third level", level_key, LEVEL_KEYS, sizeof(struct wcp_level_config)};

static const struct wcp_machine_key clock_key[] = {
    {"core", WCP_KEY_DOUBLE, offsetof(struct wcp_clock_config, core_mhz), "MHz", 0.001, 1e6,
	.help = "clock of the cores: what a record's cycle counts"},
};
const struct wcp_machine_section keys_clock = {"clock", "clocks", clock_key,
    sizeof clock_key / sizeof clock_key[0], sizeof(struct wcp_clock_config)};
