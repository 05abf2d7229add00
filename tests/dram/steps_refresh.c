/*
 * Refresh. DDR4-2400: tRCD 17, tRP 17, tRAS 39, tRTP 9, WR to PRE 34; all-bank with tREFI 1000 and
 * tRFC 420, due at 1000, 2000 ...; per bank with 4 banks, tREFI 400, tRFCpb 60 and tRREFD 10, due
 * at 400, 500, 600, 700, 800 ...
 */
#include <stddef.h>
#include "steps.h"

#define ALL  "ddr4 refresh=all-bank t_refi=1000 t_rfc=420 "
#define EACH "ddr4 refresh=per-bank banks=4 bank_groups=2 t_refi=400 t_rfc_pb=60 t_rrefd=10 "

const struct step_case step_refresh[] = {
    {"tRFC: REF 1000, ACT 1420", ALL, "R0:5:0@1001", "REF.0@1000 ACT.0@1420 RD.0@1437", "1458"},
    {"a due rank takes no RD: PREA at tRAS, REF tRP later", ALL, "R0:5:0@990",
	"ACT.0@990 PREA.0@1029 REF.0@1046 ACT.0@1466 RD.0@1483", "1504"},
    {"PREA closes all open banks", ALL, "R0:5:0 R4:5:0 R0:5:1@1001",
	"ACT.0@0 ACT.4@4 RD.0@17 RD.4@21 PREA.0@1000 REF.0@1017 ACT.0@1437 RD.0@1454",
	"38 42 1475"},
    {"PREA waits for the last of them: WR 977, PREA 977 + 34", ALL,
	"R4:5:0@900 W0:5:0@960 R0:5:1@1001",
	"ACT.4@900 RD.4@917 ACT.0@960 WR.0@977 PREA.0@1011 REF.0@1028 ACT.0@1448 RD.0@1465",
	"938 993 1486"},
    {"RDA: REF tRP after its precharge, max(980 + 39, 997 + 9) + 17", ALL "page=closed",
	"R0:5:0@980 R0:6:0@999", "ACT.0@980 RDA.0@997 REF.0@1036 ACT.0@1456 RDA.0@1473",
	"1018 1494"},
    {"WRA: REF tRP after its precharge, 997 + 34 + 17", ALL "page=closed", "W0:5:0@980 R0:6:0@999",
	"ACT.0@980 WRA.0@997 REF.0@1048 ACT.0@1468 RDA.0@1485", "1013 1506"},
    {"ranks are due in turn, the other goes on", ALL "ranks=2", "R16:5:0@1001 R0:5:0@1501",
	"REF.0@1000 ACT.16@1001 RD.16@1018 PREA.16@1500 ACT.0@1501 REF.16@1517 RD.0@1518",
	"1039 1539"},
    {"the refresh has the bus before the request", ALL "ranks=2", "R16:5:0@983",
	"ACT.16@983 REF.0@1000 RD.16@1001", "1022"},
    {"but not the bus of columns", ALL "ranks=2 dual_command=1", "R16:5:0@983",
	"ACT.16@983 REF.0@1000 RD.16@1000", "1021"},
    {"the shortest tREFI there is, 420 + 17 + 39 + 17 + 18: a row opened before 511 is used before "
     "1022",
	"ddr4 refresh=all-bank t_refi=511 t_rfc=420", "R0:5:0@510",
	"ACT.0@510 PREA.0@549 REF.0@566 ACT.0@986 RD.0@1003", "1024"},
    {"tRFCpb for the bank, tRREFD for another", EACH, "R0:5:0@401 R1:5:0@401",
	"REFpb.0@400 ACT.1@410 RD.1@427 ACT.0@460 RD.0@477", "448 498"},
    {"a due bank takes no RD; ACT also tRREFD after the other's REFpb at 500", EACH, "R0:5:0@390",
	"ACT.0@390 PRE.0@429 REFpb.0@446 REFpb.1@500 ACT.0@510 RD.0@527", "548"},
    {"two due: REFpb tRREFD after REFpb (tRAS 100)", EACH "t_ras=100 t_rc=0", "R0:5:0@390",
	"ACT.0@390 PRE.0@490 REFpb.0@507 REFpb.1@517 ACT.0@567 RD.0@584 REFpb.2@600", "605"},
    {"a bank is held back in its turn only (tRAS 100, bank 1 due at 500)", EACH "t_ras=100 t_rc=0",
	"R0:5:0@390 R1:5:0@485",
	"ACT.0@390 ACT.1@485 PRE.0@490 RD.1@502 REFpb.0@507 ACT.0@567 RD.0@584 PRE.1@585 "
	"REFpb.1@602",
	"523 605"},
    {"tRREFD is tRRD_L where not given", EACH "t_rrefd=0", "R1:5:0@401",
	"REFpb.0@400 ACT.1@406 RD.1@423", "444"},
    {"RDA: REFpb tRP after its precharge, 370 + 39 + 17", EACH "page=closed",
	"R0:5:0@370 R0:6:0@380", "ACT.0@370 RDA.0@387 REFpb.0@426 ACT.0@486 REFpb.1@500 RDA.0@503",
	"408 524"},
    {NULL, NULL, NULL, NULL, NULL},
};
