# The naive DRAM channel and the checker of command logs, for the tests of the model.
DRAM_TEST_A   := $(B)/libdramtest.a
DRAM_TEST_OBJ := $(patsubst %.c,$(B)/%.o,$(sort $(wildcard tests/dram/*.c)))
$(B)/tests/dram/%.o: tests/dram/%.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<
$(DRAM_TEST_A): $(DRAM_TEST_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^
-include $(DRAM_TEST_OBJ:.o=.d)

# It stands before the library that it uses.
DRAM_TEST_BIN := $(patsubst tests/unit/%.c,$(B)/tests/%,$(wildcard tests/unit/dram_*.c))
$(DRAM_TEST_BIN): $(DRAM_TEST_A)
$(DRAM_TEST_BIN): LIBS := $(DRAM_TEST_A) $(LIB_A) $(LIBS)
$(B)/bench/dram: $(DRAM_TEST_A)
$(B)/bench/dram: LIBS := $(DRAM_TEST_A) $(LIB_A) $(LIBS)
