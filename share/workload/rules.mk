# Workloads: a room a suite. PTX is committed beside its source; "make ptx" makes it again with clang's NVPTX backend.

WORKLOADS := $(patsubst share/workload/%.cu,%,$(sort $(wildcard share/workload/*/*.cu)))
PTX_CLANG ?= clang
PTX_OUT   ?= share/workload
PTX_FLAGS := -x cuda --cuda-path=/nonexistent --cuda-device-only -nocudainc -nocudalib -O2 -S -fdeclspec \
	-ffp-contract=off -gline-tables-only -fdebug-compilation-dir=.

# Shuffles want sm_70 and PTX 6.3; the rest stays readable by the oldest tools.
PTX_WARP  := sdk/reduction shoc/spmv
ptx_arch   = $(if $(filter $(PTX_WARP),$(1)),sm_70 -Xclang -target-feature -Xclang +ptx63,sm_35)

.PHONY: ptx $(WORKLOADS:%=ptx-%)
ptx: $(WORKLOADS:%=ptx-%)
$(WORKLOADS:%=ptx-%): ptx-%:
	@mkdir -p $(dir $(PTX_OUT)/$*)
	$(PTX_CLANG) $(PTX_FLAGS) --cuda-gpu-arch=$(call ptx_arch,$*) -o $(PTX_OUT)/$*.ptx share/workload/$*.cu
	@sed -i -e 's|"\./|"|' -e 's|"\(share/workload\)/[a-z0-9]*/\.\./|"\1/|' $(PTX_OUT)/$*.ptx

# Each driver carries its kernels' text.
$(WORKLOADS:%=$(B)/tools/warpcap/workload/%.o): $(B)/tools/warpcap/workload/%.o: share/workload/%.ptx

# What the papers' sizes give: checked, and measured for share/workload/README. Minutes.
WORKLOAD_INFO := $(WORKLOADS:%=$(B)/workload/%.tsv)
.PHONY: workloads-check workload-table $(WORKLOADS:%=check-%)
workloads-check: $(WORKLOADS:%=check-%)
$(WORKLOADS:%=check-%): check-%: $(B)/bin/warpcap
	$(B)/bin/warpcap --no-progress -n --verify --size paper -w $(notdir $*)
$(WORKLOAD_INFO): $(B)/workload/%.tsv: share/workload/%.ptx share/workload/measure | $(B)/bin/warpcap $(B)/bin/warpinfo
	@mkdir -p $(@D)
	B=$(B) share/workload/measure $(notdir $*) >$@
$(B)/workload/launches: $(WORKLOADS:%=share/workload/%.ptx) share/workload/tang.tsv share/workload/launches | $(B)/bin/warpcap $(B)/bin/warpinfo
	@mkdir -p $(@D)
	B=$(B) share/workload/launches >$@
workload-table: $(WORKLOAD_INFO) $(B)/workload/launches
	share/workload/table $(B)/workload >share/workload/README

# The manual page of the workloads, once the table is there.
.PHONY: workload-page
workload-page: $(B)/bin/warpcap
	B=$(B) share/workload/page >man/warpcap-workload.7
