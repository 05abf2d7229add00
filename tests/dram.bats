load helper

@test "dram: scenarios worked out by hand, cycle for cycle, by the model and by the naive channel" {
	run -0 "$B/tests/dram_steps"
	[[ $output == *' scenarios, 0 differ' ]]
}

@test "dram: all cores in one bank take tRC a request; each in its own bank go side by side" {
	run -0 "$B/tests/dram_steps" banks
	# 50 requests a core. One bank: (50 n - 1) * 56 + 38. Own banks: 49 * 56 + 38 and the last core's first ACT,
	# 4 and 12 (tRRD_S); with eight cores tFAW makes that 38, and commands that meet on the bus a cycle a round.
	[ "${lines[0]}" = "2 cores: one bank 5582 cycles, BLP 1.00; own banks 2786 cycles, BLP 1.96" ]
	[ "${lines[1]}" = "4 cores: one bank 11182 cycles, BLP 1.00; own banks 2794 cycles, BLP 3.91" ]
	[ "${lines[2]}" = "8 cores: one bank 22382 cycles, BLP 1.00; own banks 2869 cycles, BLP 7.64" ]
}

@test "dram: the model does what a channel written for being read does, under every scheduler, also played in pieces" {
	run -0 "$B/tests/dram_same" run 0 60 200
	[ -z "$output" ]
}

@test "dram: long traffic, few requests, one at a time: the same" {
	run -0 "$B/tests/dram_same" run 1000 8 1500
	[ -z "$output" ]
	run -0 "$B/tests/dram_same" run 2000 60 12
	[ -z "$output" ]
}

@test "dram: idle for many refresh intervals, which are left out: the same counts, and the same traffic after them" {
	run -0 "$B/tests/dram_same" gaps 0 12 15
	[ -z "$output" ]
}

@test "dram: addresses lie where bit-by-bit arithmetic has them, in mappings of every form" {
	run -0 "$B/tests/dram_map" same 300
	[ -z "$output" ]
}

@test "dram: no two atoms share a place, and none is outside" {
	run -0 "$B/tests/dram_map" all 100
	[ -z "$output" ]
}

@test "dram: GPGPU-Sim's mask of a GTX 480 with 6, 8 and 11 channels" {
	run -0 "$B/tests/dram_map" gpgpusim
	[ -z "$output" ]
}

@test "dram: texts that are no mapping are refused, each with its reason" {
	run -0 "$B/tests/dram_map" bad
	[[ $output != *taken* ]]
	grep -qF 'loses bit 8' <<<"$output"
	grep -qF 'bit 13 for bank and for row' <<<"$output"
	grep -qF 'mapping has row twice' <<<"$output"
	grep -qF 'mapping has bit 15 twice for bank' <<<"$output"
	grep -qF 'mapping gpgpusim has no mask behind it' <<<"$output"
}

@test "dram: beside controllers with Ramulator 2's and DRAMsim3's rules, sequential, random and conflict streams take the same cycles to 0.5 %" {
	run -0 "$B/tests/dram_rules" ramulator2
	[ "${#lines[@]}" = 9 ]
	awk '$NF > 5 {exit 1}' <<<"$output"
	# 17 + 9,999 * 4 + 17 + 4; 9,999 * 56 + 17 + 17 + 4
	[ "${lines[0]}" = "sequential 0% writes: 40034 40034, 0.0" ]
	[ "${lines[6]}" = "conflict 0% writes: 559982 559982, 0.0" ]
	run -0 "$B/tests/dram_rules" ramulator2-refresh
	[ "${#lines[@]}" = 9 ]
	awk '$NF > 5 {exit 1}' <<<"$output"
	run -0 "$B/tests/dram_rules" dramsim3
	[ "${#lines[@]}" = 5 ]
	awk '$NF > 5 {exit 1}' <<<"$output"
}

log() { # of a memory of two banks; commands on standard input, "cycle kind bank row column"
	printf '# %s\n' channels=1 pseudo_channels=1 ranks=1 bank_groups=1 banks=2 rows=8 row_bytes=1024 \
	    bus_bits=64 burst_length=8 rate=2 t_cl=5 t_cwl=4 t_rcd=5 t_rp=5 t_ras=12 t_rrd_s=3 t_ccd_s=4 \
	    t_rtp=4 t_wr=6 t_wtr_s=3 refresh=none
	awk -v OFS='\t' '{print $1, $2, 0, 0, $3, $4, $5, NR}'
}

@test "dram: the checker takes a good log and counts what bound" {
	log <<-'END' >a.log
		0 ACT 0 1 0
		3 ACT 1 1 0
		5 RD 0 1 0
		9 RD 1 1 0
		13 PRE 0 0 0
		18 ACT 0 2 0
	END
	run -0 "$B/tests/dram_check" a.log
	[[ ${lines[1]} == 'tRCD '*' 2 '*' 1 '*' 1 '* ]]
	[[ ${lines[-1]} == 'commands 6, violations 0, '* ]]
	run -1 "$B/tests/dram_check" -e a.log
	[[ $output == *'tRAS was never at its minimum'* ]]
}

@test "dram: the checker finds each kind of fault, and names both commands" {
	check() { # what it says of a log
		log >b.log
		run -1 "$B/tests/dram_check" b.log
		[[ ${lines[-1]} == "first: $1"* ]] || {
			echo "$output"
			return 1
		}
	}
	check '4 RD channel 0 rank 0 bank 0 row 1 column 0: tRCD after 0 ACT channel 0 rank 0 bank 0' <<-'END'
		0 ACT 0 1 0
		4 RD 0 1 0
	END
	check '2 ACT channel 0 rank 0 bank 1 row 1 column 0: tRRD_L after 0 ACT' <<-'END'
		0 ACT 0 1 0
		2 ACT 1 1 0
	END
	check '11 PRE channel 0 rank 0 bank 0 row 0 column 0: tRAS after' <<-'END'
		0 ACT 0 1 0
		11 PRE 0 0 0
	END
	check '5 RD channel 0 rank 0 bank 0 row 1 column 0: no row is open' <<-'END'
		5 RD 0 1 0
	END
	check '5 RD channel 0 rank 0 bank 0 row 2 column 0: another row is open' <<-'END'
		0 ACT 0 1 0
		5 RD 0 2 0
	END
	check '20 ACT channel 0 rank 0 bank 0 row 2 column 0: ACT of an open bank' <<-'END'
		0 ACT 0 1 0
		20 ACT 0 2 0
	END
	check '5 WR channel 0 rank 0 bank 0 row 1 column 0: a second command on its bus' <<-'END'
		0 ACT 0 1 0
		5 RD 0 1 0
		5 WR 0 1 0
	END
	check '4 PRE channel 0 rank 0 bank 1 row 0 column 0: earlier than the command before it' <<-'END'
		5 ACT 0 1 0
		4 PRE 1 0 0
	END
	check '0 ACT channel 0 rank 0 bank 2 row 1 column 0: there is no such place' <<-'END'
		0 ACT 2 1 0
	END
	check '0 REF channel 0 rank 0 bank 0 row 0 column 0: a refresh, but none is done' <<-'END'
		0 REF 0 0 0
	END
}

@test "dram: what is no log is no log to the checker" {
	for text in '1 2 3' '# t_cl=x' '# t_nothing=1' $'0\tACT\t0\t0\t0\t0\t0\t0' $'# banks=3\n# bank_groups=2\n0\tACT\t0\t0\t0\t0\t0\t0'; do
		run -3 "$B/tests/dram_check" - <<<"$text"
		[[ $output == 'dram_check: line '* ]]
	done
}

@test "dram: no command of any machine breaks a rule, and each rule is met at its exact minimum somewhere" {
	run -0 "$B/tests/dram_cover" "$ROOT/share/machine" 300
	[ "$(wc -l <<<"$output")" -ge 10 ]
	run -0 "$B/tests/dram_cover" "$T/dram/machine" 300
	[ "${#lines[@]}" -eq 2 ]
}

@test "dram: what warpdram writes with --commands passes the checker, under every scheduler and page policy" {
	awk 'BEGIN { srand(7); for (i = 0; i < 4000; i++) printf "0x%x %s %d\n", int(rand() * 2 ^ 18) * 64 * int(1 + rand() * 4), rand() < .3 ? "WRITE" : "READ", i * 4 }' >a.trc
	for m in ddr4-2400 gddr5 xeon12; do
		for s in fcfs frfcfs parbs tcm; do
			for p in open closed timeout; do
				run -0 warpdram -m "$ROOT/share/machine/$m.conf" --set "dram.scheduler=$s" --set "dram.page=$p" \
				    --set dram.page_timeout=50 --commands a.log -r report a.trc
				run -0 "$B/tests/dram_check" -m "$ROOT/share/machine/$m.conf" a.log
				[[ ${lines[-1]} == *', violations 0, '* ]]
				awk '$3 ~ /^(RD|WR)A?$/ { n++ } END { exit n != 4000 }' a.log
			done
		done
	done
}
