# Fat binaries of our own kernels, kept as data so that nothing here needs CUDA; make fatbin-data writes them anew.
FATBIN := tests/fatbin
.PHONY: fatbin-data
fatbin-data:
	cd $(FATBIN) && $(NVCC) -fatbin --compress-mode=none -gencode arch=compute_75,code=compute_75 -o raw.fatbin scale.cu
	cd $(FATBIN) && $(NVCC) -fatbin --compress-mode=speed -gencode arch=compute_75,code=compute_75 -o lz4.fatbin scale.cu
	cd $(FATBIN) && $(NVCC) -fatbin -gencode arch=compute_75,code=compute_75 -o rates.fatbin rates.cu
	cd $(FATBIN) && $(NVCC) -fatbin -gencode arch=compute_75,code=compute_75 -gencode arch=compute_90,code=compute_90 \
	    -gencode arch=compute_90a,code=compute_90a -gencode arch=compute_100,code=compute_100 \
	    -gencode arch=compute_120f,code=compute_120f -o archs.fatbin scale.cu
	cd $(FATBIN) && $(NVCC) -fatbin -gencode arch=compute_75,code=sm_75 -gencode arch=compute_90,code=sm_90 -o cubin.fatbin scale.cu
	cd $(FATBIN) && $(NVCC) -fatbin -G -gencode arch=compute_75,code=compute_75 -gencode arch=compute_75,code=sm_75 -o debug.fatbin scale.cu
	cd $(FATBIN) && for f in left right; do $(NVCC) -fatbin -rdc=true -gencode arch=compute_75,code=compute_75 \
	    -o $$f.fatbin $$f.cu || exit 1; done
