# CUDA's runtime with the executor inside, for programs that warpcap runs: only the runtime's own functions are seen, so
# that nothing of the library meets the program's symbols.
CUDART_SRC := $(sort $(wildcard tools/cudart/*.c))
CUDART_OBJ := $(CUDART_SRC:%.c=$(B)/%.o)
CUDART_SO  := $(B)/lib/warpcap/libcudart.so.13

$(B)/tools/cudart/%.o: ALL_CFLAGS += -fvisibility=hidden
$(CUDART_SO): $(CUDART_OBJ) $(LIB_A) tools/cudart/libcudart.map
	@mkdir -p $(@D)
	$(CC) -shared -Wl,-soname,libcudart.so.13 -Wl,--version-script=tools/cudart/libcudart.map -Wl,--exclude-libs,ALL \
	    $(ALL_LDFLAGS) -o $@ $(CUDART_OBJ) $(LIB_A) $(LIBS)
all: $(CUDART_SO)
-include $(CUDART_OBJ:.o=.d)
