load helper

make_streams() {
	"$B/tests/mkstream" -o v.wcp "$T/streams/vec.txt"
	"$B/tests/mkstream" -o a.wcp "$T/streams/two.txt"
}

# What of v.wcp matches: "pc cta warp" of each instruction.
pcs() { warpdump -x --tsv -F "$1" v.wcp | awk 'NR > 1 {print $5 "." $3 "." $4}' | tr '\n' ' '; }
# How many records of a.wcp match.
count() { warpdump --records -F "$1" a.wcp | wc -l; }

@test "filter: random expressions agree with an evaluator that walks trees" {
	run -0 "$B/tests/filter"
	[ "$output" = "400 expressions agree on 3000 records" ]
}

@test "filter: instructions by place" {
	make_streams
	[ "$(pcs 'kernel vec and cta 1 and warp 0')" = "0.1.0 1.1.0 2.1.0 3.1.0 4.1.0 " ]
	[ "$(pcs 'kernel v?c cta 0,0,0 pc 1')" = "1.0.0 1.0.1 " ]
	[ "$(pcs 'cta 1,0,0 and pc >= 3 and warp != 1')" = "3.1.0 4.1.0 " ]
	[ "$(pcs 'kernel "0"')" = "" ]
	[ "$(pcs 'kernel 0 pc 4 cta 0')" = "4.0.0 4.0.1 " ]
	[ "$(pcs 'cta 0,1,0 or cta 2,0,0')" = "" ]
}

@test "filter: instructions by what they are" {
	make_streams
	[ "$(pcs 'cta 0 and store')" = "3.0.0 3.0.1 " ]
	[ "$(pcs 'cta 0 and (atomic or opcode ld.g*)')" = "2.0.0 2.0.1 " ]
	[ "$(pcs 'cta 0 not memory')" = "1.0.0 4.0.0 1.0.1 4.0.1 " ]
	[ "$(pcs 'cta 0 class exit')" = "4.0.0 4.0.1 " ]
	[ "$(pcs 'guarded cta 0')" = "3.0.0 3.0.1 " ]
	[ "$(pcs 'line vec.cu:12-13 cta 0 warp 0')" = "2.0.0 3.0.0 " ]
	[ "$(pcs 'line 14 cta 0')" = "4.0.0 4.0.1 " ]
	[ "$(pcs 'line other.cu:14')" = "" ]
	[ "$(pcs 'bytes 8 cta 0')" = "0.0.0 0.0.1 " ]
}

@test "filter: instructions by what they touch" {
	make_streams
	[ "$(pcs 'param and cta 0')" = "0.0.0 0.0.1 " ]
	[ "$(pcs 'global and cta 0 and warp 0')" = "2.0.0 3.0.0 " ]
	# CTA 0's first load covers 0x..00 to 0x..7f, CTA 1's 0x..80 to 0x..ff; the list touches 100, 204, 308.
	[ "$(pcs 'addr 0x200000000000-0x20000000000f')" = "2.0.0 " ]
	[ "$(pcs 'addr 0x200000000080')" = "2.1.0 " ]
	[ "$(pcs 'addr 0x20000000007e-0x200000000081 warp 0')" = "2.0.0 2.1.0 " ]
	[ "$(pcs 'addr 0x200000000103')" = "2.0.1 2.1.1 " ]
	[ "$(pcs 'addr 0x200000000104-0x200000000203')" = "" ]
	[ "$(pcs 'lanes 2')" = "3.0.1 3.1.1 " ]
	[ "$(pcs 'lanes > 8 and memory and global')" = "2.0.0 2.1.0 " ]
	# four lines by the list, one by the affine and the tiled accesses
	[ "$(pcs divergent)" = "2.0.1 2.1.1 " ]
}

@test "filter: precedence, juxtaposition and repeated words" {
	make_streams
	[ "$(pcs 'pc 0 or pc 1 and warp 1 cta 0')" = "0.0.0 0.0.1 1.0.1 0.1.0 0.1.1 " ]
	[ "$(pcs '(pc 0 or pc 1) and warp 1 cta 0')" = "0.0.1 1.0.1 " ]
	[ "$(pcs '(pc 0 or 1) warp 1 cta 0')" = "0.0.1 1.0.1 " ]
	[ "$(pcs '(pc 0 or 3-4) warp 1 cta 0')" = "0.0.1 3.0.1 4.0.1 " ]
	[ "$(pcs 'not pc 0-3 && !warp 1')" = "4.0.0 4.1.0 " ]
	[ "$(pcs 'not not pc 4 and cta 1')" = "4.1.0 4.1.1 " ]
	[ "$(pcs '' | wc -w)" = 20 ]
}

@test "filter: ACCESS terms, and a filter and its negation part the records" {
	make_streams
	[ "$(count 'cycle < 100')" = 50 ]
	[ "$(count 'cycle 1k-1999')" = 500 ]
	[ "$(count 'kernel b*')" = 1000 ]
	[ "$(count 'hit l1')" = 1000 ]
	[ "$(count 'hit')" = 2000 ]
	[ "$(count 'miss 1 and hit 2')" = 1000 ]
	[ "$(count 'miss l2')" = 0 ]
	[ "$(count 'first or divergent')" = 2000 ]
	[ "$(count 'evict')" = 0 ]
	[ "$(count 'addr 0x200000000000-0x200000001fff')" = 2000 ]
	for x in 'sm 1' 'store' 'cta 3,1,0' 'addr 0x200000000040' 'warp 1 and not (sm 2 or 3)' 'lanes < 32'; do
		[ $(($(count "$x") + $(count "not ($x)"))) = 2000 ]
	done
}

@test "filter: mistakes are shown with a caret under the place" {
	make_streams
	bad() { # FILE EXPRESSION MESSAGE CARET
		run -2 --separate-stderr warpdump -F "$2" "$1"
		[ "$output" = "" ]
		[ "$stderr" = "$(printf 'warpdump: -F: %s\n    %s\n    %*s^' "$3" "$2" "$4" '')" ]
	}
	bad a.wcp 'sm 3 and and' "unknown word 'and'" 9
	bad a.wcp 'sm' "expected a number or range, not the end" 2
	bad a.wcp 'sm x' "expected a number or range, not 'x'" 3
	bad a.wcp 'sm 5-3' "expected a number or range, not '5-3'" 3
	bad a.wcp 'lane 3' "unknown word 'lane'" 0
	bad a.wcp '(load' "expected ')' or another term, not the end" 5
	bad a.wcp 'load)' "expected the end, not ')'" 4
	bad a.wcp 'load or 3' "no word says what this is a number of: '3'" 8
	bad a.wcp 'sm 3 4' "no word says what this is a number of: '4'" 5
	bad a.wcp 'hit l9' "levels are l1 to l8, not 'l9'" 4
	bad a.wcp 'space moon' "expected a space, not 'moon'" 6
	bad a.wcp 'cycle > 99999999999999999999' "expected a number, not '99999999999999999999'" 8
	bad a.wcp 'load & store' "expected a term, not '&'" 5
	bad a.wcp 'kernel "x' "expected a kernel's name, number or range, not '\"'" 7
	bad a.wcp 'class fma' "an ACCESS stream holds transactions, not instructions, and cannot answer 'class'" 0
	bad v.wcp 'load and hit l1' "a WARP stream has no time, place or outcome and cannot answer 'hit'" 9
	bad v.wcp 'class moon' "expected an op class, not 'moon'" 6
	run -2 warpdump -F $'load\n and\tmoon' a.wcp
	[ "$output" = $'warpdump: -F: unknown word \'moon\'\n     and\tmoon\n        \t^' ]
}

@test "filter: nesting and length are bounded" {
	make_streams
	deep=$(printf '(%.0s' {1..31})load$(printf ')%.0s' {1..31})
	run -0 warpdump -F "$deep" a.wcp
	run -2 warpdump -F "($deep)" a.wcp
	[[ $output == *"parentheses are nested too deeply"* ]]
	long="sm 0$(printf ' or %s' $(seq 1500))"
	run -2 warpdump -F "$long" a.wcp
	[[ $output == *"the expression is too long"* ]]
}

@test "filter: a source line asks for the program" {
	make_streams
	run -3 --separate-stderr warpdump -F 'line 4' a.wcp
	[[ $stderr == *"kernel 1 (bicg) has no static program"* ]]
}
