# Programs of the tests: tests/unit/NAME.c -> $(B)/tests/NAME, tests/bench/NAME.c -> $(B)/bench/NAME,
# tests/fuzz/fuzz_NAME.c -> $(B)/fuzz/fuzz_NAME (only when asked for, with clang). Each has its own main
# and may use the library, the tools' skeleton (tools/common) and private headers of the library.

UNIT_SRC  := $(sort $(wildcard tests/unit/*.c))
BENCH_SRC := $(sort $(wildcard tests/bench/*.c))
FUZZ_SRC  := $(sort $(wildcard tests/fuzz/fuzz_*.c))
UNIT_BIN  := $(UNIT_SRC:tests/unit/%.c=$(B)/tests/%)
BENCH_BIN := $(BENCH_SRC:tests/bench/%.c=$(B)/bench/%)
COMMON_A  := $(B)/libcommon.a
TEST_OBJ   = $(UNIT_SRC:%.c=$(B)/%.o) $(BENCH_SRC:%.c=$(B)/%.o)

$(COMMON_A): $(COMMON_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^
$(B)/tests/unit/%.o $(B)/tests/bench/%.o: TEST_CFLAGS = -Itools/common -Itests -DWARPCAP_VERSION='"$(VERSION)"'
$(B)/tests/unit/%.o: tests/unit/%.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(TEST_CFLAGS) -c -o $@ $<
$(B)/tests/bench/%.o: tests/bench/%.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(TEST_CFLAGS) -c -o $@ $<
$(UNIT_BIN): $(B)/tests/%: $(B)/tests/unit/%.o $(COMMON_A) $(LIB_A)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)
$(BENCH_BIN): $(B)/bench/%: $(B)/tests/bench/%.o $(COMMON_A) $(LIB_A)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)
# Policies that are tested by themselves.
$(B)/tests/ciao_steps: $(patsubst %,$(B)/tools/warpsched/policy/%.o,ciao ciao_p ciao_t ciao_c)
$(B)/tests/policies: $(patsubst %,$(B)/tools/warpsched/policy/%.o,lrr gto oldest two_level swl ccws statpcal)
-include $(TEST_OBJ:.o=.d)

# The fuzzers bring a library of their own, instrumented by clang, in $(B)/fuzz/lib.
FUZZ_BIN    := $(FUZZ_SRC:tests/fuzz/%.c=$(B)/fuzz/%)
FUZZ_CC     ?= clang
FUZZ_SAN    := fuzzer-no-link,address,undefined
FUZZ_SECONDS ?= 600
.PHONY: fuzz fuzz-build
fuzz-build:
	$(MAKE) B=$(B)/fuzz/lib CC=$(FUZZ_CC) SAN=$(FUZZ_SAN) $(B)/fuzz/lib/libwarpcap.a
	@mkdir -p $(B)/fuzz
	set -e; for f in $(FUZZ_SRC); do n=$$(basename $$f .c); \
	  $(FUZZ_CC) $(filter-out -MMD -MP,$(ALL_CFLAGS)) -fsanitize=fuzzer,address,undefined \
	  -Itools/common -o $(B)/fuzz/$$n $$f $(B)/fuzz/lib/libwarpcap.a $(LIBS); done
fuzz: fuzz-build
	tests/run-fuzz $(B) $(FUZZ_SECONDS)

.PHONY: check-programs
check-programs: all $(UNIT_BIN)
check: check-programs
	+B=$(B) FILTER='$(FILTER)' tests/run
