load helper

S=$B/tests/ratio_slow

# table NAME <REPORT.tsv: its rows
table() {
	awk -v name="#table $1" '/^#table /{on=$0==name;head=on;next} head{head=0;next} on&&NF&&!/^# /'
}

# The rows of a TSV report as ratio_slow prints them, of one level.
rows() { # LEVEL FILE
	local keys=1
	[ "$1" = cta ] && keys=2
	[ "$1" = warp ] && keys=3
	table ratio <"$2" | awk -F'\t' -v OFS='\t' -v l="$1" '$1 == l {$6 = ""; print "ratio\t" $0}' | sed 's/\t\t/\t/'
	table reuse <"$2" | awk -F'\t' -v OFS='\t' -v l="$1" '$1 == l {print "reuse", $1, $2, $3}'
	table chains <"$2" | awk -F'\t' -v OFS='\t' -v l="$1" '$1 == l {print "chains", $1, $2, $3, $5}'
	table pairs <"$2" | awk -F'\t' -v OFS='\t' -v n=$((2 * keys + 3)) '{NF = n; print "pairs", $0}'
}

@test "warpratio: Fig. 3.7: c1, c2, c3 of 100, 50 and 200 accesses have ratios 0.4, 0.6 and 0.6" {
	"$B/tests/mkstream" >s.wcp <<'END'
link access
program p
  insn call class=launch
kernel p
access line=0x900000
kernel c1 parent=0
kernel c2 parent=0
kernel c3 parent=0
repeat 20
access kernel=1 line=0x10000+128
access kernel=1 line=0x10000+128
access kernel=2 line=0x10000+128
access kernel=2 line=0x40000+128
done
repeat 10
access kernel=2 line=0x10000+128
done
repeat 60
access kernel=1 line=0x20000+128
access kernel=3 line=0x20000+128
access kernel=3 line=0x20000+128
done
repeat 80
access kernel=3 line=0x60000+128
done
END
	run -0 --separate-stderr warpratio --level kernel --list kernel --tsv s.wcp
	[ -z "$stderr" ]
	diff - <(table pairs <<<"$output" | grep ^sibling) <<END
$(printf 'sibling\t1\t2\t40\t100\t0.4\n')
$(printf 'sibling\t1\t3\t60\t100\t0.6\n')
$(printf 'sibling\t2\t1\t30\t50\t0.6\n')
$(printf 'sibling\t3\t1\t120\t200\t0.6\n')
END
	# 0.4 is bin b4 and not yet high: c1 and c2 are one chain for c2's sake
	diff - <(table ratio <<<"$output" | grep sibling) <<END
$(printf 'kernel\tsibling\t6\t2\t3\t%s\t2\t0\t0\t0\t1\t0\t3\t0\t0\t0' "$(table ratio <<<"$output" | awk '$2 == "sibling" {print $6}')")
END
	diff <(printf 'kernel\t2\t3\t2\t1\t3\n') <(table chains <<<"$output")
	# without c2's view of it, 0.4 joins nobody
	run -0 warpratio --level kernel --tsv --threshold 0.6 s.wcp
	diff <(printf 'kernel\t4\t1\t1\t0\t\n') <(table chains <<<"$output")
}

@test "warpratio: Fig. 3.3: siblings are children of one CTA, not of one kernel, and a child may be a parent" {
	"$B/tests/mkstream" >s.wcp <<'END'
link access
program p
  insn call class=launch
kernel p grid=2
access line=0x1000 cta=0
access line=0x2000 cta=1
kernel p parent=0 parent_cta=0 grid=2
access line=0x1000 cta=0
access line=0x3000 cta=1
kernel p parent=0 parent_cta=0
access line=0x3000
kernel p parent=0 parent_cta=1
access line=0x3000
access line=0x1000
kernel p parent=1 parent_cta=1
access line=0x3000
access line=0x1000
END
	run -0 --separate-stderr warpratio --level kernel,cta --list kernel --tsv s.wcp
	[ -z "$stderr" ]
	diff - <(table pairs <<<"$output" | cut -f 1-5) <<END
$(printf 'parent-child\t1\t0\t1\t2\n')
$(printf 'parent-child\t3\t0\t1\t2\n')
$(printf 'parent-child\t4\t1\t2\t2\n')
$(printf 'sibling\t1\t2\t1\t2\n')
$(printf 'sibling\t2\t1\t1\t1\n')
END
	diff - <(warpratio --list cta --tsv s.wcp | table pairs | cut -f 1-7) <<END
$(printf 'parent-child\t1\t0\t0\t0\t1\t1\n')
$(printf 'parent-child\t4\t0\t1\t1\t1\t2\n')
$(printf 'sibling\t1\t1\t2\t0\t1\t1\n')
$(printf 'sibling\t2\t0\t1\t1\t1\t1\n')
END
}

@test "warpratio: bins, reuse, chains and pairs are those of comparing every unit with every other" {
	for seed in 1 2 3; do
		"$S" make $seed >s.wcp
		for level in kernel cta warp; do
			"$S" $level <s.wcp | sort >want
			warpratio --tsv --list $level s.wcp >got.tsv
			diff -u want <(rows $level got.tsv | sort) || { echo "seed $seed level $level"; return 1; }
		done
	done
}

@test "warpratio: sketches that hold all lines give what exact footprints give" {
	for seed in 1 2; do
		"$S" make $seed >s.wcp
		# sums of ratios may be rounded otherwise
		warpratio --tsv --list cta s.wcp | grep -v '^\(#\|lines\|sketch\)' |
		    awk -F'\t' -v OFS='\t' 'NF == 16 && $6 + 0 > 0 {$6 = sprintf("%.9f", $6)} {print}' >want
		# a column of errors, all of them 0
		warpratio --tsv --list cta --approx=100k s.wcp | grep -v '^\(#\|lines\|sketch\)' |
		    awk -F'\t' -v OFS='\t' '$2 ~ /self|intra|inter|parent|sibling/ && NF == 17 {if ($7 != 0) exit 1; for (i = 7; i < 17; i++) $i = $(i + 1); NF = 16}
		        NF == 16 && $6 + 0 > 0 {$6 = sprintf("%.9f", $6)} {print}' |
		    sed 's/\terror\t/\t/' >got
		diff want got
	done
}

@test "warpratio: estimates lie within a few standard errors of what is exact, and say how large these are" {
	{
		printf 'link access\nprogram p\ninsn call class=launch\nkernel p\naccess line=0x900000\n'
		for c in 1 2 3 4 5 6; do
			printf 'kernel p parent=0\nrepeat 6000\naccess line=0x100000~%d*128\ndone\n' $((2000 * c))
			printf 'repeat 3000\naccess line=0x%x~4000*128\ndone\n' $((c * 0x4000000))
		done
	} | "$B/tests/mkstream" >s.wcp
	warpratio --tsv --level kernel --list kernel s.wcp | table pairs | grep ^sibling >exact
	for seed in 1 2 3; do
		run -0 warpratio --tsv --level kernel --list kernel --approx=256 --seed $seed s.wcp
		error=$(table ratio <<<"$output" | awk -F'\t' '$2 == "sibling" {print $7}')
		awk -v e="$error" 'BEGIN {exit !(e > 0.005 && e < 0.05)}'
		join -t: <(cut -f 2,3,6 exact | sed 's/\t/-/; s/\t/:/' | sort) \
		    <(table pairs <<<"$output" | grep ^sibling | cut -f 2,3,6 | sed 's/\t/-/; s/\t/:/' | sort) >both
		[ "$(wc -l <both)" -eq 30 ]
		awk -F: -v e="$error" '{d = $2 - $3; s += d * d; if (d > 5 * e || d < -5 * e) exit 1} END {exit !(sqrt(s / NR) < 1.6 * e)}' both
		# uniq(M) is estimated, too
		warpratio --tsv --level kernel s.wcp | table ratio | awk -F'\t' '$2 == "self" {print $6}' >self
		table ratio <<<"$output" | awk -F'\t' -v want="$(cat self)" '$2 == "self" {d = $6 - want; exit !(d < 0.1 && d > -0.1)}'
	done
}

@test "warpratio: WARP gives what it gives flattened, and local memory is no other kernel's" {
	warpcap -q -w spmv -D N=2000 -o s.wcp
	diff <(warpratio --tsv s.wcp | grep -v '^#') <(warpflat -q s.wcp | warpratio --tsv | grep -v '^#')
	"$B/tests/mkstream" >l.wcp <<'END'
link access
program p
  insn call class=launch
kernel p
access line=0x400000000000 space=local
kernel p parent=0
access line=0x400000000000 space=local
access line=0x400000000000 space=local
kernel p parent=0
access line=0x400000000000 space=local
END
	run -0 warpratio --tsv --level kernel --list kernel l.wcp
	diff <(printf 'self\t1\t1\t1\t2\t0.5\n') <(table pairs <<<"$output")
}

@test "warpratio: kernels that launch kernels: what was executed, interleaved or in turn" {
	warpcap -q --ptx "$T/child/tree.ptx" --launch "$T/child/tree.launch" -o tree.wcp
	warpratio --tsv tree.wcp | grep -v '^#' >want
	diff want <(warpflat -q tree.wcp | warpratio --tsv | grep -v '^#')
	[ "$(awk -F'\t' '$1 == "children" {print $2}' want)" -eq 2233 ]
	# every child has a parent here
	diff <(echo 2233) <(awk -F'\t' '$1 == "kernel" && $2 == "parent-child" && NF == 16 {print $3}' want)
}

@test "warpratio: files, pipes and any -j give the same report" {
	"$S" make 7 >s.wcp
	warpratio --tsv --list warp s.wcp >want
	diff want <(warpratio --tsv --list warp <s.wcp)
	diff want <(warpratio --tsv --list warp -j 8 - <s.wcp)
	diff want <(warpcut -q -Z 0 s.wcp | warpratio --tsv --list warp -j 2)
	warpratio --json s.wcp | python3 -c 'import json, sys; t = json.load(sys.stdin)["tables"]; assert len(t["ratio"]) == 9'
}

@test "warpratio: kinds, filter and line size leave out and join what they say" {
	"$B/tests/mkstream" >s.wcp <<'END'
link access
kernel k
access line=0x1000
access line=0x1000 kind=store
access line=0x1080
access line=0x1080 warp=1
END
	summary() { warpratio --tsv "$@" s.wcp | awk -F'\t' '$1 ~ /^(accesses|lines|warps)$/ && NF == 3 {printf "%s ", $2}'; }
	[ "$(summary)" = "4 2 2 " ]
	[ "$(summary --kinds load)" = "3 2 2 " ]
	[ "$(summary -F 'warp 0')" = "3 2 1 " ]
	[ "$(summary --line 256)" = "4 1 2 " ]
	run -0 warpratio --line 4096 s.wcp
	[[ $output == *"2 accesses to shorter lines were counted by the 4096-byte line they lie in (--line)"* ]]
}

@test "warpratio: accesses of nobody, children of nobody and numbers as large as they come" {
	"$B/tests/mkstream" >s.wcp <<'END'
link access
kernel k
kernel k parent=7
access line=0x1000 kernel=4294967295
access line=0x1000 cta=4294967295 kernel=0 kind=writeback
access line=0xffffffffffffff80 kernel=0 cta=4294967294 warp=65535
access line=0xffffffffffffff80 kernel=1
END
	run -0 --separate-stderr warpratio --list warp s.wcp
	[ -z "$stderr" ]
	[[ $output == *"2 accesses of no kernel or CTA were left out"* ]]
	[[ $output == *"1 children's parents are not in the stream"* ]]
	[ "$(awk '$1 == "accesses" && NF == 2 {print $2}' <<<"$output")" -eq 2 ]
}

@test "warpratio: what cannot be is refused in one line" {
	"$S" make 1 >s.wcp
	for wrong in "--level sm" "--list all" "--level cta --list warp" "--line 100" "--threshold 2" "--approx=3" "--kinds loads" "--above x" "s.wcp s.wcp"; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr warpratio $wrong
		[ -z "$output" ]
		[ "${#stderr_lines[@]}" -eq 1 ]
	done
	run -4 --separate-stderr warpratio nothing.wcp
	[ "$stderr" = "warpratio: nothing.wcp: cannot open: No such file or directory" ]
	"$B/tests/mkstream" >late.wcp <<'END'
link access
kernel k
access line=0x1000
flush
end_kernel
access line=0x1000
END
	run -3 --separate-stderr warpratio late.wcp
	[ "$stderr" = "warpratio: late.wcp: an access of kernel 0 after its end" ]
}

@test "warpratio: a stream cut anywhere is reported up to there, with status 3" {
	"$S" make 2 >s.wcp
	size=$(stat -c %s s.wcp)
	for n in 10 $((size / 3)) $((size / 2)) $((size - 60)) $((size - 1)); do
		head -c $n s.wcp >cut.wcp
		run -3 --separate-stderr warpratio cut.wcp
		[ "${#stderr_lines[@]}" -eq 1 ]
		[ -z "$output" ] || [[ $output == *"the input was not whole: this covers what was read"* ]]
	done
}
