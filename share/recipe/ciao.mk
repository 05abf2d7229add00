# Zhang, Gao, Kim, Jung: CIAO, IPDPS 2018: its figures, drawn again.
#
#	make -f share/recipe/ciao.mk fig8			built-in workloads as they stand
#	make -f share/recipe/ciao.mk fig8 SIZE=small		in a few minutes
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
# Limits on the number of warps among which Best-SWL is found.
SWL     ?= 1..48
THREADS ?= 1
WARPCAP   ?= warpcap
WARPSCHED ?= warpsched
WARPPLOT  ?= warpplot

# Table II, by class: large and small working sets, compute-intensive.
LWS := atax bicg mvt kmn kmeans
SWS := gesummv syr2k syrk ii pvc ss sm wc
CI  := gaussian 2dconv corr backprop hotspot lud nn nw

# Those of them that this warpcap has; WORKLOADS='atax corr' takes fewer.
known := $(shell $(WARPCAP) -l | cut -d' ' -f1)
WORKLOADS ?= $(filter $(LWS) $(SWS) $(CI),$(known))
capture_size := $(if $(filter default,$(SIZE)),,--size $(SIZE))

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
	$(RUN) $(WARPCAP) -q -w $* $(capture_size) -o $@

# The limit on warps with which the workload is fastest.
$(O)/%.swl.tsv: $(O)/%.wcp
	$(RUN) $(WARPSCHED) -q --tsv -j $(THREADS) -m $(MACHINE) -p gto --sweep swl:n=$(SWL) -r $@ $<

# statPCAL gives as many warps a token as Best-SWL lets issue: the paper says of neither more than
# that their number is the best one.
best = $(shell awk -F'\t' '$$7 == "best" && $$1 != "input" { print $$3 }' $(1))
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
