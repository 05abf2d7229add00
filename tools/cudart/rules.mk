# CUDA's runtime with the executor inside, for programs that warpcap runs: only the runtime's own functions are seen, so
# that nothing of the library meets the program's symbols.
CUDART_SRC := $(sort $(wildcard tools/cudart/*.c tools/cudart/*/*.c))
CUDART_OBJ := $(CUDART_SRC:%.c=$(B)/%.o)
CUDART_SO  := $(B)/lib/warpcap/libcudart.so.13
CUDA_SO    := $(B)/lib/warpcap/libcuda.so.1

$(B)/tools/cudart/%.o: ALL_CFLAGS += -fvisibility=hidden
$(CUDART_SO): $(CUDART_OBJ) $(LIB_A) tools/cudart/libcudart.map
	@mkdir -p $(@D)
	$(CC) -shared -Wl,-soname,libcudart.so.13 -Wl,--version-script=tools/cudart/libcudart.map -Wl,--exclude-libs,ALL \
	    $(ALL_LDFLAGS) -o $@ $(CUDART_OBJ) $(LIB_A) $(LIBS)
all: $(CUDART_SO) $(CUDA_SO)

# The driver's name for the same library: empty, so that what is looked for in it is found there.
$(CUDA_SO): $(CUDART_SO)
	$(CC) -shared -nostdlib -Wl,-soname,libcuda.so.1 -Wl,--no-as-needed -Wl,-rpath,'$$ORIGIN' -o $@ $(CUDART_SO)
-include $(CUDART_OBJ:.o=.d)
