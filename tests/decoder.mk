# The second decoder: from the format's specification alone, without the library.
DECODER_SRC := $(sort $(wildcard tests/decoder/*.c))
$(B)/tests/decoder: $(DECODER_SRC) tests/decoder/decoder.h
	@mkdir -p $(@D)
	$(CC) $(filter-out -MMD -MP -Ilibtrace -Ilibtrace/include,$(ALL_CFLAGS)) $(ALL_LDFLAGS) -o $@ $(DECODER_SRC) \
	    -lzstd $(LDLIBS)
check-programs: $(B)/tests/decoder
