/* Who goes first. DDR4-2400; "5:38" in the ends is request 5, counted from 0. */
#include <stddef.h>
#include "steps.h"

const struct step_case step_control[] = {
    {"frfcfs: the younger hit first", "ddr4 scheduler=frfcfs", "R0:5:0 R0:6:0 R0:5:1",
	"ACT.0@0 RD.0@17 RD.0@23 PRE.0@39 ACT.0@56 RD.0@73", "0:38 2:44 1:94"},
    {"fcfs: each bank in order", "ddr4 scheduler=fcfs", "R0:5:0 R0:6:0 R0:5:1",
	"ACT.0@0 RD.0@17 PRE.0@39 ACT.0@56 RD.0@73 PRE.0@95 ACT.0@112 RD.0@129", "0:38 1:94 2:150"},
    {"fcfs: other banks do not wait", "ddr4 scheduler=fcfs", "R0:5:0 R0:6:0 R4:5:0",
	"ACT.0@0 ACT.4@4 RD.0@17 RD.4@21 PRE.0@39 ACT.0@56 RD.0@73", "0:38 2:42 1:94"},
    {"frfcfs with a cap of 2: two columns of row 5, then row 6, then the rest",
	"ddr4 scheduler=frfcfs frfcfs_cap=2", "R0:5:0 R0:6:0 R0:5:1 R0:5:2 R0:5:3",
	"ACT.0@0 RD.0@17 RD.0@23 PRE.0@39 ACT.0@56 RD.0@73 PRE.0@95 ACT.0@112 RD.0@129 RD.0@135",
	"0:38 2:44 1:94 3:150 4:156"},
    {"writes wait for reads", "ddr4 write_queue=4 write_high=3 write_low=1", "W0:5:0 W0:5:1 R4:5:0",
	"ACT.4@0 RD.4@17 ACT.0@18 WR.0@35 WR.0@41", "2:38 0:51 1:57"},
    {"draining: from three writes to one, then the read (23 + 19), then the rest (42 + 11)",
	"ddr4 write_queue=4 write_high=3 write_low=1", "W0:5:0 W0:5:1 W0:5:2 R4:5:0",
	"ACT.0@0 WR.0@17 WR.0@23 ACT.4@24 RD.4@42 WR.0@53", "0:33 1:39 3:63 2:69"},
    {"a row opened for a write is written before the read of another row has it closed: 17 + 34",
	"ddr4 write_queue=4 write_high=3 write_low=1", "W0:5:0 R0:6:0@2",
	"ACT.0@0 WR.0@17 PRE.0@51 ACT.0@68 RD.0@85", "0:33 1:106"},
    {"and before a read of that row, 17 + 25; another bank's read need not wait for either",
	"ddr4 write_queue=4 write_high=3 write_low=1", "W0:5:0 R0:5:1@2 R4:5:0@2",
	"ACT.0@0 ACT.4@4 WR.0@17 RD.4@36 RD.0@42", "0:33 2:57 1:63"},
    {"a row opened for a read while draining ends is not lost to the writes behind it",
	"ddr4 write_queue=4 write_high=3 write_low=1", "R0:5:0 W0:6:0@2 W0:6:1@2 W0:6:2@2",
	"ACT.0@0 RD.0@17 PRE.0@39 ACT.0@56 WR.0@73 WR.0@79 WR.0@85", "0:38 1:89 2:95 3:101"},
    {"a full queue: the second request enters the cycle after the first's column command",
	"ddr4 read_queue=1", "R0:5:0 R4:5:0", "ACT.0@0 RD.0@17 ACT.4@18 RD.4@35", "38 56"},
    {"frees_at_act: it enters the cycle after the first's ACT, tRRD_S is longer",
	"ddr4 read_queue=1 frees_at_act=yes", "R0:5:0 R4:5:0", "ACT.0@0 ACT.4@4 RD.0@17 RD.4@21",
	"38 42"},
    {"frees_at_act: two opened writes are none of the three that begin to drain",
	"ddr4 write_queue=4 write_high=3 write_low=1 frees_at_act=yes",
	"W0:5:0 W4:5:0 R8:5:0@5 R8:5:1@5 W0:5:1@6 W0:5:2@6",
	"ACT.0@0 ACT.4@4 ACT.8@8 WR.0@17 WR.4@21 RD.8@40 RD.8@46 WR.0@57 WR.0@63",
	"0:33 1:37 2:61 3:67 4:73 5:79"},
    {"parbs: the shorter job first, marked before hits, the batch to its end",
	"ddr4 scheduler=parbs parbs_cap=2 requesters=3",
	"R0:1:0#0 R0:2:0#0 R0:3:0#0 R0:4:0#1 R4:4:0#1 R0:4:1@20#2",
	/* marked: 0 1 of #0 (at most 2 in a bank), 3 4 of #1 (1); 5 is a hit, but of no batch */
	"ACT.0@0 ACT.4@4 RD.0@17 RD.4@21 PRE.0@39 ACT.0@56 RD.0@73 PRE.0@95 ACT.0@112 RD.0@129 "
	/* second batch: #0 and #2 have one each, no hit, the lower number first */
	"PRE.0@151 ACT.0@168 RD.0@185 PRE.0@207 ACT.0@224 RD.0@241",
	"3:38 4:42 0:94 1:150 2:206 5:262"},
    {"tcm: who asked for little goes before the other's hit",
	"ddr4 scheduler=tcm tcm_quantum_ck=200 tcm_shuffle_ck=200 tcm_cluster=0.5 requesters=2",
	"R0:5:0#0 R0:5:1#0 R0:5:2#0 R0:5:3#0 R4:5:0@100#1 R0:5:4@210#0 R0:6:0@210#1",
	/* cycles in service 38 + 27 + 27 + 27 of #0 and 38 of #1, which is less than half */
	"ACT.0@0 RD.0@17 RD.0@23 RD.0@29 RD.0@35 ACT.4@100 RD.4@117 PRE.0@210 ACT.0@227 RD.0@244 "
	"PRE.0@266 ACT.0@283 RD.0@300",
	"0:38 1:44 2:50 3:56 4:138 6:265 5:321"},
    {"tcm, the first quantum: hit, age",
	"ddr4 scheduler=tcm tcm_quantum_ck=500 tcm_shuffle_ck=500 tcm_cluster=0.5 requesters=2",
	"R0:5:0#0 R0:5:1#0 R0:5:2#0 R0:5:3#0 R4:5:0@100#1 R0:6:0@210#1 R0:5:4@210#0",
	"ACT.0@0 RD.0@17 RD.0@23 RD.0@29 RD.0@35 ACT.4@100 RD.4@117 RD.0@210 PRE.0@219 ACT.0@236 "
	"RD.0@253",
	"0:38 1:44 2:50 3:56 4:138 6:231 5:274"},
    {NULL, NULL, NULL, NULL, NULL},
};
