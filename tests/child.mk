# PTX of kernels that launch kernels, kept as data so that testing them needs no CUDA; make child-data writes it anew.
.PHONY: child-data
child-data:
	cd tests/child && for f in *.cu; do \
	    case $$f in *-v1.cu) o="-arch=compute_75 -DCUDA_FORCE_CDP1_IF_SUPPORTED -D__CDPRT_SUPPRESS_SYNC_DEPRECATION_WARNING";; *) o=-arch=compute_90;; esac; \
	    $(NVCC) -rdc=true -ptx $$o -o $${f%.cu}.ptx $$f || exit 1; done
