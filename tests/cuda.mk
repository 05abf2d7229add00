# CUDA programs that check themselves: tests/cuda/NAME.cu -> $(B)/cuda/NAME, where nvcc is. A first line
# "// nvcc FLAGS" adds flags.
NVCC ?= $(or $(shell command -v nvcc),/usr/local/cuda/bin/nvcc)
CUDA_SRC := $(sort $(wildcard tests/cuda/*.cu))
CUDA_BIN := $(CUDA_SRC:tests/cuda/%.cu=$(B)/cuda/%)
$(B)/cuda/%: tests/cuda/%.cu $(wildcard tests/cuda/*.h)
	@mkdir -p $(@D)
	$(NVCC) -cudart shared -std=c++17 -Itests/cuda $$(sed -n '1s|^// nvcc ||p' $<) -o $@ $<
$(B)/cuda/abi: tools/cudart/abi.h
# Under a sanitizer they are not run; for another compiler of ours they would be the same; other CUDA versions' runtimes
# are not ours.
NVCC_13 = $(if $(wildcard $(NVCC)),$(findstring release 13,$(shell $(NVCC) --version)))
ifneq ($(if $(SAN),,$(NVCC_13)),)
check: $(CUDA_BIN)
endif
