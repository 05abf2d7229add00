# warpcap: one non-recursive Makefile; everything is built under build/.
#
#   make setup         install what building and testing need (apt, when root or sudo is there)
#   make               library and tools
#   make demo          record, measure and draw a few kernels
#   make check         build and run the tests
#   make bench         measure speeds and sizes beside their floors
#   make lint          formatting, static analysis, man pages
#   make install       PREFIX=/usr/local DESTDIR=
#
#   make fuzz          run the fuzzers, ten minutes each
#   make setup SETUP=lint   also what lint and fuzz need
#
# Sanitizer builds: make SAN=address,undefined B=build/asan check

# setup comes first, and what it installed is seen by a make that starts after it.
ifneq ($(filter setup,$(MAKECMDGOALS)),)
AFTER := $(filter-out setup,$(MAKECMDGOALS))
.PHONY: setup after-setup $(AFTER)
setup:
	@.ci/setup $(SETUP)
after-setup: setup
	@$(if $(AFTER),$(MAKE) -j$$(nproc) $(AFTER),:)
$(AFTER): after-setup
	@:
else

B       ?= build
PREFIX  ?= /usr/local
VERSION := 0.1.0
SOMAJOR := 0
CC      ?= cc

-include config.mk

PKGS       := libzstd libxxhash liblz4 inih
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS   := $(shell pkg-config --libs $(PKGS) 2>/dev/null || echo -lzstd -lxxhash -llz4 -linih)

WARN := -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wvla -Wswitch-enum -Wcast-qual -Wformat=2 -Wpointer-arith -Wundef -Wno-missing-field-initializers
SAN  ?=
ifneq ($(SAN),)
# Instrumented loops are not vectorized; clang need not say so for each. gcc 12's second peepholes can make of an
# instrumented load, "and" and conditional move an "and" with a register that holds nothing.
# What is undefined traps (and is told with its line where addresses are watched, too): else each check has a record and
# a relocation, and those, with full debug information, are most of what a short run costs. SAN_SAYS=1 has it said what
# exactly was undefined.
SANFLAGS := -fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=undefined -g1 \
	$(if $(findstring clang,$(CC)),-Wno-pass-failed,-fno-peephole2 $(if $(SAN_SAYS),,-fsanitize-undefined-trap-on-error))
endif
OPT ?= -O2
ALL_CFLAGS = -std=c17 -D_GNU_SOURCE -Ilibtrace/include -Ilibtrace $(PKG_CFLAGS) -fPIC -pthread \
	-fno-strict-aliasing -ffp-contract=off -fno-math-errno -fno-trapping-math \
	$(OPT) -g $(WARN) $(SANFLAGS) -MMD -MP $(CFLAGS)
ALL_LDFLAGS = -pthread $(SANFLAGS) $(LDFLAGS)
LIBS = $(PKG_LIBS) -lm -ldl $(LDLIBS)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
MAKEFLAGS += --no-builtin-rules

# ---- library ---------------------------------------------------------------------------------

# Lane operations and the warp interpreter are compiled once per instruction-set level and chosen at run time.
LANE_SRC  := $(sort $(wildcard libtrace/exec/lanes/*.c libtrace/exec/run/*.c))
LIB_SRC   := $(sort $(wildcard libtrace/*/*.c libtrace/exec/lower/*.c libtrace/exec/child/*.c))
LIB_OBJ   := $(LIB_SRC:%.c=$(B)/%.o) $(foreach l,1 3 4,$(LANE_SRC:%.c=$(B)/%.v$(l).o))
LIB_A     := $(B)/libwarpcap.a
LIB_SO    := $(B)/libwarpcap.so.$(VERSION)
MARCH_1   := -march=x86-64
MARCH_3   := -march=x86-64-v3
MARCH_4   := -march=x86-64-v4 -mprefer-vector-width=512

$(LIB_A): $(LIB_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^
$(LIB_SO): $(LIB_OBJ) libtrace/libwarpcap.map
	$(CC) -shared -Wl,-soname,libwarpcap.so.$(SOMAJOR) -Wl,--version-script=libtrace/libwarpcap.map \
	    $(ALL_LDFLAGS) -o $@ $(LIB_OBJ) $(LIBS)

# ---- tools -----------------------------------------------------------------------------------

TOOLS      := $(sort $(filter-out common cudart,$(patsubst tools/%/,%,$(sort $(dir $(wildcard tools/*/*.c))))))
COMMON_SRC := $(sort $(wildcard tools/common/*.c))
COMMON_OBJ := $(COMMON_SRC:%.c=$(B)/%.o)
TOOL_BIN   := $(TOOLS:%=$(B)/bin/%)

define tool_rule
$(1)_OBJ := $$(patsubst %.c,$(B)/%.o,$$(sort $$(wildcard tools/$(1)/*.c tools/$(1)/*/*.c tools/$(1)/*/*/*.c)))
$(B)/bin/$(1): $$($(1)_OBJ) $(COMMON_OBJ) $(LIB_A)
	@mkdir -p $$(@D)
	$$(CC) $$(ALL_LDFLAGS) -o $$@ $$^ $$(LIBS)
endef
$(foreach t,$(TOOLS),$(eval $(call tool_rule,$(t))))

# ---- compiling -------------------------------------------------------------------------------

$(B)/tools/%.o: tools/%.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -Itools/common -Itools/$(firstword $(subst /, ,$*)) -DWARPCAP_VERSION='"$(VERSION)"' -DWARPCAP_DATADIR='"$(datadir)"' -c -o $@ $<
$(B)/%.v1.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LANE_OPT) -DLANE_LEVEL=1 $(MARCH_1) -c -o $@ $<
$(B)/%.v3.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LANE_OPT) -DLANE_LEVEL=3 $(MARCH_3) -c -o $@ $<
$(B)/%.v4.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LANE_OPT) -DLANE_LEVEL=4 $(MARCH_4) -c -o $@ $<
$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<
LANE_OPT := -O3
# Played command by command, millions a second.
$(B)/libtrace/dram/%.o: OPT = -O3
# Loops over columns become vector code.
$(B)/libtrace/stream/column_get.o $(B)/libtrace/stream/column_put.o $(B)/libtrace/stream/access_codec.o $(B)/libtrace/stream/decode.o: OPT = -O3
$(B)/libtrace/nbcache/%.o $(B)/libtrace/cache/cache.o $(B)/libtrace/cache/setindex.o $(B)/tools/common/levels_batch.o: OPT = -O3
$(B)/tools/warpcache/%.o $(B)/tools/warpintf/%.o $(B)/tools/warplocal/%.o $(B)/tools/warpcap/program/record.o: OPT = -O3

-include $(LIB_OBJ:.o=.d) $(COMMON_OBJ:.o=.d) $(foreach t,$(TOOLS),$($(t)_OBJ:.o=.d))

# Each room may bring rules of its own.
-include $(sort $(wildcard tests/*.mk tools/*/rules.mk share/*/rules.mk))

# ---- goals -----------------------------------------------------------------------------------

.PHONY: all check bench lint install uninstall clean demo
all: $(LIB_A) $(LIB_SO) $(TOOL_BIN)

clean:
	rm -rf $(B)

lint:
	@CFLAGS='$(filter-out -MMD -MP,$(ALL_CFLAGS))' tests/lint

bench: all $(BENCH_BIN)
	+@B=$(B) tests/bench/run

demo: all
	@B=$(B) share/demo

# ---- installing ------------------------------------------------------------------------------

bindir     ?= $(PREFIX)/bin
libdir     ?= $(PREFIX)/lib
includedir ?= $(PREFIX)/include
datadir    ?= $(PREFIX)/share
mandir     ?= $(datadir)/man

INSTALL ?= install
HEADERS := $(sort $(wildcard libtrace/include/warpcap/*.h))
PAGES   := $(sort $(wildcard man/*.[1-8]))
SHARED  := $(sort $(filter-out $(wildcard share/workload/*/.),$(wildcard share/machine/* share/workload/README share/workload/*.h share/workload/*/* share/plot/* share/recipe/* share/policy/* share/magic)))

# Directory by directory: what is installed is what uninstall removes, and no directory but our own.
INSTALLED = $(TOOLS:%=$(bindir)/%) $(HEADERS:libtrace/include/%=$(includedir)/%) \
	$(foreach p,$(PAGES),$(mandir)/man$(subst .,,$(suffix $(p)))/$(notdir $(p))) \
	$(SHARED:share/%=$(datadir)/warpcap/%) \
	$(addprefix $(libdir)/,libwarpcap.a libwarpcap.so libwarpcap.so.$(SOMAJOR) libwarpcap.so.$(VERSION)) \
	$(libdir)/warpcap/$(notdir $(CUDART_SO)) $(libdir)/warpcap/$(notdir $(CUDA_SO)) $(libdir)/pkgconfig/warpcap.pc $(TOOLS:%=$(datadir)/bash-completion/completions/%)

install: all
	$(INSTALL) -d $(sort $(dir $(INSTALLED:%=$(DESTDIR)%)))
	$(INSTALL) -m 755 $(TOOL_BIN) $(DESTDIR)$(bindir)
	$(INSTALL) -m 644 $(HEADERS) $(DESTDIR)$(includedir)/warpcap
	$(INSTALL) -m 644 $(LIB_A) $(DESTDIR)$(libdir)
	$(INSTALL) -m 755 $(LIB_SO) $(DESTDIR)$(libdir)
	$(INSTALL) -m 755 $(CUDART_SO) $(CUDA_SO) $(DESTDIR)$(libdir)/warpcap
	ln -sf libwarpcap.so.$(VERSION) $(DESTDIR)$(libdir)/libwarpcap.so.$(SOMAJOR)
	ln -sf libwarpcap.so.$(SOMAJOR) $(DESTDIR)$(libdir)/libwarpcap.so
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(libdir)|' -e 's|@INCLUDEDIR@|$(includedir)|' \
	    -e 's|@VERSION@|$(VERSION)|' share/warpcap.pc.in >$(DESTDIR)$(libdir)/pkgconfig/warpcap.pc
	$(foreach p,$(PAGES),$(INSTALL) -m 644 $(p) $(DESTDIR)$(mandir)/man$(subst .,,$(suffix $(p))) &&) :
	$(foreach f,$(SHARED),$(INSTALL) -m 644 $(f) $(DESTDIR)$(datadir)/warpcap/$(dir $(f:share/%=%)) &&) :
	$(foreach t,$(TOOLS),$(INSTALL) -m 644 share/completion/warpcap.bash \
	    $(DESTDIR)$(datadir)/bash-completion/completions/$(t) &&) :

uninstall:
	rm -f $(INSTALLED:%=$(DESTDIR)%)
	-rmdir -p --ignore-fail-on-non-empty $(sort $(dir $(filter $(includedir)/warpcap/% $(datadir)/warpcap/% $(libdir)/warpcap/%,$(INSTALLED:%=$(DESTDIR)%)))) 2>/dev/null

endif
