load helper

model=$B/tests/dram_model

@test "dram: Mutlu and Moscibroda sec. 4.3 without row hits, four threads stall for 1 2 4 7 accesses in a batch, 4 4 5 7 in order of arrival" {
	run -0 "$model" parbs
	[ "$output" = "fcfs 4 4 5 7
parbs 1 2 4 7" ]
}

@test "dram: Mutlu and Moscibroda Fig. 3: the stall times and means they print, for each of three schedulers" {
	run -0 "$model" batch
	[ "$output" = "fcfs 4 4 5 7, mean 5
frfcfs 5.5 3 4.5 4.5, mean 4.375
parbs 1 2 4 5.5, mean 3.125" ]
}

@test "dram: a light requester among heavy ones waits least under TCM, less under PAR-BS than in order of arrival" {
	run -0 "$model" light
	[ "$output" = "tcm < parbs < fcfs" ]
}

@test "dram: memories and controllers that cannot be are refused, and the value is named" {
	run -0 "$model" bad
	diff - <(echo "$output") <<'EOF'
taken
-2 tRAS + tRP = 39 + 17 is more than tRC = 55
-2 tCK = 0 is no length of a cycle
-2 tRRD_L = 3 is less than tRRD_S = 4
-2 tCCD_L = 3 is less than tCCD_S = 4
-2 tWTR_L = 2 is less than tWTR_S = 3
-2 tRTW = 8 lets a write's data meet a read's: tCL = 17, burst 4, tCWL = 12
-2 tREFI = 0 with refresh
-2 tRFC = 0 with refresh
taken
-2 tREFI = 528 leaves no time to use a row between refreshes: with tRFC = 420, tRP = 17, tRAS = 39 and tRCD = 17 it is at least 529
-2 tFAW = 1073741824 is more than 16777216 cycles
-2 tRFCpb = 0 with refresh
-2 tRFCpb = 200 is less than tRREFD = 300
taken
-2 tREFI = 688 leaves no time to use a row between refreshes: with tRFCpb = 200, tRP = 17, tRAS = 39, tRCD = 17 and tRREFD = 20 for each of banks = 16 it is at least 689
-2 channels = 0 is not from 1 to 65536
-2 banks = 0 is no power of two
-2 rows = 1000 is no power of two
-2 bank_groups = 32 are more than banks = 16
-2 row_bytes = 32 holds no burst of 64 bytes
-2 bus_bits = 0 is no power of two
-2 ranks = 1024 of banks = 16 are more than 4096 banks
-2 rows = 2147483648 of row_bytes = 2147483648 in all banks are more than 2^62 bytes
-2 mapping gives column 0 bits where the organisation has 4
-2 bank_hash = 7 is no hash
-2 read_queue = 0 is not from 1 to 4096
-2 write_queue = 5000 is more than 4096
-2 write_high = 33 is more than write_queue = 32
-2 write_low = 24 is not below write_high = 24
-2 scheduler = frfcf is none of fcfs, frfcfs, parbs, tcm
-2 parbs_cap = 0 marks nothing
-2 requesters = 0 leaves nobody to rank
-2 tcm_quantum = 0 is no time
-2 tcm_shuffle = 0 is no time
-2 tcm_cluster = 1.5 is no share from 0 to 1
EOF
}

@test "dram: channels may be played by threads of their own" {
	run -0 "$model" threads
	[ "$output" = same ]
}

@test "dram: channels played far apart in time have the same means over all" {
	run -0 "$model" apart
	[ "$output" = "cycles of both" ]
}

@test "dram: an idle memory is refreshed on time, rank by rank" {
	run -0 "$model" idle
	[ "$output" = "2000000 refreshes, 9364009364 cycles idle, next 1" ]
}
