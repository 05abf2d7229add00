# Zhang, Gao, Kim, Jung: CIAO, IPDPS 2018: its figures, drawn again.
#
#	make -f share/recipe/ciao.mk fig8 SIZE=small		in a few minutes, to try it: most slots are empty
#	make -j4 -f share/recipe/ciao.mk fig8 SIZE=medium	SMs as full as at the papers' sizes: an hour or two
#	make -f share/recipe/ciao.mk fig8			built-in workloads as they stand
#	make -j200 -f share/recipe/ciao.mk fig8 SIZE=paper RUN='srun -n1'
#
# Every workload is recorded once and replayed under each policy; each of these steps is a command
# line run through $(RUN). Results lie under $(O): fig8.tsv, what fig8.txt says for a reader, and
# fig8.svg. What a step needed is kept, so that another figure, or another try, begins there.

here := $(dir $(lastword $(MAKEFILE_LIST)))

SIZE    ?= default
O       ?= ciao-$(SIZE)
RUN     ?=
MACHINE ?= gtx480
# Limits on the number of warps among which Best-SWL is found, each FROM..TO or FROM..TO..STEP. Three of
# four runs are for it; near the top a warp more or less makes no difference that is worth as many.
SWL     ?= 1..12 16..48..4
THREADS ?= 1
WARPCAP   ?= warpcap
WARPSCHED ?= warpsched
WARPPLOT  ?= warpplot

# Table II, by class: large and small working sets, compute-intensive.
LWS := atax bicg mvt kmn kmeans
SWS := gesummv syr2k syrk ii pvc ss sm wc
CI  := gaussian 2dconv corr backprop hotspot lud nn nw

# In size medium an SM has as many warps as at the papers' sizes, with shorter loops, so that a run takes
# seconds. ATAX and BICG: rows for eight warps on each of 15 SMs, as 4096 give; of 1024 columns, because
# rows 4 KiB apart share L1D's sets as those 16 KiB apart do, and those 8 KiB apart do not. MVT and
# GESUMMV, which are square, stand as they are, with 1024: four SMs in the same state. What is not named
# here is as it stands.
medium_atax     := -D M=3840 -D N=1024
medium_bicg     := -D M=3840 -D N=1024
medium_syrk     := -D N=192 -D M=128
medium_syr2k    := -D N=192 -D M=128
medium_kmeans   := -D N=23040 -D ITERATIONS=1
medium_hotspot  := -D ITERATIONS=4

# Those of them that this warpcap has; WORKLOADS='atax corr' takes fewer.
known := $(shell $(WARPCAP) -l | cut -d' ' -f1)
WORKLOADS ?= $(filter $(LWS) $(SWS) $(CI),$(known))
# What the workload is recorded with.
capture_size = $(if $(filter medium,$(SIZE)),$(medium_$(1)),$(if $(filter default,$(SIZE)),,--size $(SIZE)))

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: fig8 clean
fig8: $(O)/fig8.txt $(O)/fig8.svg
	@cat $(O)/fig8.txt

clean:
	rm -rf $(O)

$(O):
	mkdir -p $@

# ---- steps -----------------------------------------------------------------------------------------

$(O)/%.wcp: | $(O)
	$(RUN) $(WARPCAP) -q -w $* $(call capture_size,$*) -o $@

# The limit on warps with which the workload is fastest.
$(O)/%.swl.tsv: $(O)/%.wcp
	$(RUN) $(WARPSCHED) -q --tsv -j $(THREADS) -m $(MACHINE) -p gto $(SWL:%=--sweep swl:n=%) -r $@ $<

# statPCAL gives as many warps a token as Best-SWL lets issue: the paper says of neither more than
# that their number is the best one.
best = $(shell awk -F'\t' '$$7 == "best" && $$1 != "input" && $$5 > ipc { ipc = $$5; n = $$3 } END { print n }' $(1))
$(O)/%.fig8.tsv: $(O)/%.wcp $(O)/%.swl.tsv
	$(RUN) $(WARPSCHED) -q --tsv -j $(THREADS) -m $(MACHINE) -r $@ \
	    -p gto,ccws,swl:n=$(call best,$(O)/$*.swl.tsv),statpcal:n=$(call best,$(O)/$*.swl.tsv),ciao-t,ciao-p,ciao-c $<

# ---- figures ---------------------------------------------------------------------------------------

$(O)/fig8.tsv: $(WORKLOADS:%=$(O)/%.fig8.tsv) $(here)ciao-fig8.awk
	awk -v lws='$(LWS)' -v sws='$(SWS)' -v ci='$(CI)' -f $(here)ciao-fig8.awk $(WORKLOADS:%=$(O)/%.fig8.tsv) >$@
$(O)/fig8.txt: $(O)/fig8.tsv $(here)ciao-table.awk
	awk -v size='$(SIZE)' -v machine='$(MACHINE)' -f $(here)ciao-table.awk $< >$@
$(O)/fig8.svg: $(O)/fig8.tsv
	$(WARPPLOT) --table fig8 --kind bars -x workload -y relative --by policy \
	    --title 'CIAO Fig. 8a: IPC over that of GTO' --size 1600x560 -o $@ $<
