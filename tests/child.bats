load helper

C=$T/child

# record NAME: runs the kernels of NAME.ptx as NAME.launch says, which checks the results, into NAME.wcp.
record() { run -0 warpcap --ptx "$C/$1.ptx" --launch "$C/$1.launch" -o "$1.wcp" "${@:2}"; }

@test "children: a tree of grids, a chain to depth 24 and a tail of a hundred steps do their work" {
	record tree
	[ -z "$output" ]
}

@test "children: a parent that synchronizes sees what its children did (CUDA before 12)" {
	record sync-v1
	[ -z "$output" ]
	warpdump sync-v1.wcp >one.txt
	record sync-v1 -j 8
	cmp one.txt <(warpdump sync-v1.wcp)
	# kernel 1 is over before its parent goes on
	run -0 bash -c 'grep -n -m 1 "^end of kernel 0 " one.txt; grep -n -m 1 "^end of kernel 1 " one.txt'
	[ "${lines[0]%%:*}" -gt "${lines[1]%%:*}" ]
	run -0 warpflat sync-v1.wcp -o sync.acc
	run -0 warpinfo sync.acc
	run -0 warpcut sync-v1.wcp -o copy.wcp
	cmp one.txt <(warpdump copy.wcp)
}

@test "children: streams, events, copies, attributes and errors on the device are CUDA's" {
	record api
	[ -z "$output" ]
}

@test "children: limits, failures of a child, parents that wait, CUDA's oldest entry points" {
	run -0 "$B/tests/exec_child"
	[ "$output" = ok ]
}

@test "children: kernels name their parent and where in it they were launched" {
	record tree
	run -0 bash -c 'warpdump -v tree.wcp | grep -m 3 "^kernel . tree"'
	diff - <(echo "$output") <<'END'
kernel 0 tree grid 1,1,1 block 1,1,1 regs 10 shared 0 local 0 stream 0 program 0 ordered
kernel 1 tree grid 1,1,1 block 1,1,1 regs 10 shared 0 local 0 stream 0 program 0 from kernel 0 cta 0 warp 0 lane 0 pc 33 depth 1 launch 0 site 0 ordered
kernel 2 tree grid 1,1,1 block 1,1,1 regs 10 shared 0 local 0 stream 0 program 0 from kernel 0 cta 0 warp 0 lane 0 pc 56 depth 1 launch 1 site 1 ordered
END
	# the launches of the last kernel of the host: 32 to fire and forget, 32 plain ones, one to the tail
	run -0 bash -c 'warpdump -v tree.wcp | grep "^kernel [0-9]* \(_Z3addPii\|step\|order\)" |
	    awk "{ s=\$2; for (i=1;i<NF;i++) if (\$i==\"stream\") t[\$3\" \"\$(i+1)]++ } END { for (k in t) print k, t[k] }" | sort'
	diff - <(echo "$output") <<'END'
_Z3addPii 0 32
_Z3addPii 4 32
order 0 1
step 3 99
END
}

@test "children: streams of parents and children are the same for any number of threads and pass all tools" {
	record tree -j 1
	mv tree.wcp one.wcp
	record tree -j 8
	warpdump one.wcp >one.txt
	warpdump tree.wcp >eight.txt
	cmp one.txt eight.txt
	run -0 warpflat tree.wcp -o tree.acc
	run -0 warpinfo tree.wcp
	[[ "$output" == *"kernels                        2236"* ]]
	run -0 warpcut tree.wcp -o copy.wcp
	warpdump copy.wcp >copy.txt
	cmp one.txt copy.txt
	run -0 warpreuse tree.acc
	run -0 warpcache tree.acc
}

@test "children: a program's own estimate of the work goes with the launch that follows it" {
	record fallback
	run -0 bash -c 'warpdump fallback.wcp | sed -n "s/^kernel \([0-9]*\) fill .* lane \([0-9]*\) .* workload \([0-9]*\)$/\1 \2 \3/p"'
	[ "${#lines[@]}" -eq 19 ]
	[ "${lines[0]}" = "1 1 21" ]
	[ "${lines[18]}" = "19 19 39" ]
}

@test "children: alternatives are what a refused thread does, thread by thread, and change nothing else" {
	record fallback
	mv fallback.wcp plain.wcp
	record fallback --alternatives -j 1
	mv fallback.wcp one.wcp
	record fallback --alternatives -j 8
	cmp <(warpdump one.wcp) <(warpdump fallback.wcp)
	warpdump fallback.wcp >all.txt
	run -0 grep -c " alternative of launch site " all.txt
	[ "$output" = 58 ]
	# the children ran all the same
	[ "$(grep -c "^kernel [0-9]* [a-z].* alternative$" all.txt)" -gt 0 ]
	! grep -q "^kernel .* from kernel .* refused$" all.txt || false
	# rows 21 to 38 of the first kernel: a store an item
	awk '/ alternative of launch site /{on=1; row++} on && /st.global.u32/{stores[row]++}
	    END{for (r=1;r<=18;r++) print stores[r]}' all.txt >stores
	diff <(seq 21 38) stores
	# the executed part is the same as without
	for f in plain fallback; do
		warpflat "$f.wcp" -o - | warpdump - | grep -v "^kernel [0-9]* [a-z]" >"$f.flat"
	done
	cmp plain.flat fallback.flat
	cmp <(warpinfo --tsv plain.wcp | grep insn) <(warpinfo --tsv fallback.wcp | grep insn)
}
