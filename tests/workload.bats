load helper

# Every workload of a suite at its small size: results are those of the reference, and the stream is the same for any number of threads.
# The thread sanitizer has nothing to see in one thread.
right() {
	local file name
	for file in "$ROOT/share/workload/$1"/*.cu; do
		name=$(basename "$file" .cu)
		warpcap -w "$name" --size small --verify -j 8 >eight
		! sanitized tsan || continue
		warpcap -w "$name" --size small --verify -j 1 >one
		cmp one eight
	done
}

@test "workloads: those of PolyBench are right at their small size and the same for any -j" { right polybench; }
@test "workloads: those of Rodinia are right at their small size and the same for any -j" { right rodinia; }
@test "workloads: those of Mars are right at their small size and the same for any -j" { right mars; }
@test "workloads: those of the SDK are right at their small size and the same for any -j" { right sdk; }
@test "workloads: those of SHOC are right at their small size and the same for any -j" { right shoc; }
@test "workloads: those whose kernels launch kernels are right at their small size and the same for any -j" { right dynamic; }

@test "workloads: every kind of graph and matrix gives the reference's result" {
	warpcap -n --verify -w bfs -D V=3000 -D E=9000 -D GRAPH=citation
	warpcap -n --verify -w bfs -D V=5 -D E=1 -D GRAPH=citation
	warpcap -n --verify -w bfs -D V=64 -D GRAPH=dense
	warpcap -n --verify -w bfs -D V=1 -D GRAPH=dense
	warpcap -n --verify -w spmv -D N=3000 -D MATRIX=fem -D BAND=40
	warpcap -n --verify -w spmv -D N=30 -D NNZ=40 -D MATRIX=fem
	warpcap -n --verify -w spmv -D N=3000 -D MATRIX=stencil27 -D FORM=vector
	warpcap -n --verify -w kmeans --size small -D LAYOUT=columns
}

# counts FILE ARG...: what the kernels executed, which trip counts decide
counts() {
	warpcap "${@:2}" --verify -o c.wcp && "$B/tests/warp_counts" c.wcp | grep -v '^host' >"$1"
}

@test "workloads: one graph in three kinds of file runs the same" {
	printf '%%%%MatrixMarket matrix coordinate pattern symmetric\n%% a path and a chord\n4 4 4\n2 1\n3 2\n4 3\n4 1\n' >g.mtx
	printf 'c a path and a chord\np edge 4 4\ne 2 1\ne 3 2\ne 4 3\ne 4 1\n' >g.col
	printf '# a path and a chord\r\n1 0\r\n2 1\r\n\r\n3 2\r\n3 0' >g.txt
	for kind in mtx col txt; do counts "$kind" -w bfs -D "FILE=g.$kind" -D SOURCE=0; done
	cmp mtx col
	cmp mtx txt
}

@test "workloads: values of a matrix file are those that are multiplied" {
	printf '%%%%MatrixMarket matrix coordinate real general\n3 2 4\n1 1 2.5\n3 2 -1e3\n3 1 4\n2 2 7\n' >m.mtx
	printf 'p sp 3 2\na 1 2 5\na 3 1 7\n' >m.gr
	printf '%%%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 2\n2 1 5\n3 1 -2\n' >s.mtx
	for f in m.mtx m.gr s.mtx; do warpcap -n --verify -w spmv -D FILE=$f; done
}

# launches FILE: kernels, those launched by kernels, their depth
launches() { warpinfo --tsv --summary "$1" | awk -F'\t' '/^(kernels|launched_by_kernels|launch_depth)\t/ {printf "%s ", $2}'; }

@test "workloads: no threshold, no form and no refused launch changes what is found in graphs" {
	for graph in '-D GRAPH=citation -D V=800 -D E=2500' '-D V=600' '-D GRAPH=dense -D V=40'; do
		for name in bfs-dp gc sssp; do
			for form in 'flat' 'child -D THRESHOLD=0' 'child -D THRESHOLD=20' 'fallback -D THRESHOLD=9' 'fallback -D THRESHOLD=3 -D PENDING=2'; do
				# shellcheck disable=SC2086
				warpcap -n --verify -w $name $graph -D FORM=$form
			done
		done
	done
}

@test "workloads: bfs-dp launches a child kernel for each vertex with more edges than the threshold" {
	# complete, 40 vertices: all have 39 edges, two levels of a parent and a barrier kernel
	small() { warpcap -w bfs-dp -D GRAPH=dense -D V=40 "$@"; }
	small -D THRESHOLD=38 -o s.wcp
	[ "$(launches s.wcp)" = "44 40 1 " ]
	small -D THRESHOLD=39 -o s.wcp
	[ "$(launches s.wcp)" = "4 " ]
	small -D THRESHOLD=0 -D FORM=flat -o s.wcp
	[ "$(launches s.wcp)" = "4 " ]
	# the source's child, those of the 2 that ask next, and none of the other 37
	small -D THRESHOLD=0 -D FORM=fallback -D PENDING=2 -o s.wcp
	[ "$(launches s.wcp)" = "7 3 1 " ]
	warpdump s.wcp >text
	[ "$(grep -c refused text)" = 37 ]
	grep -q '^kernel 1 bfs_edges grid 1,1,1 block 64,1,1 .* from kernel 0 .* workload 39' text
	# what the threads would have done themselves, beside each launch
	small -D THRESHOLD=0 -D FORM=fallback --alternatives -o s.wcp
	warpdump s.wcp >text
	[ "$(grep -c ' workload 39 alternative$' text)" = 40 ]
	grep -q 'alternative of launch site' text
}

# forms NAME ARG...: right in each form for several thresholds, and where launches are refused
forms() {
	local threshold
	for threshold in 0 20 100000; do
		warpcap -n --verify -w "$@" -D FORM=child -D THRESHOLD=$threshold
		warpcap -n --verify -w "$@" -D FORM=fallback -D THRESHOLD=$threshold
	done
	warpcap -n --verify -w "$@" -D FORM=flat -D THRESHOLD=20
	warpcap -n --verify -w "$@" -D FORM=fallback -D THRESHOLD=3 -D PENDING=2
}

@test "workloads: no threshold, no form and no refused launch changes what join, spmm and align give" {
	forms join -D R=900 -D S=700 -D BUCKETS=50 -D KEYS=gaussian -D SIGMA=5 -D ROOM=10
	forms join -D R=500 -D S=600 -D BUCKETS=40 -D WIDTH=9
	forms spmm -D M=40 -D N=70 -D K=30 -D NNZ=5
	forms align -D BASES=6000 -D READS=50 -D SEED=5 -D LENGTH=33 -D ERRORS=3
}

@test "workloads: no threshold, no form and no refused launch changes what quicksort and radixsort give" {
	forms quicksort -D N=600
	forms quicksort -D N=300 -D RANGE=3
	forms radixsort -D N=600 -D BITS=12
	forms radixsort -D N=300 -D BITS=28 -D KEYS=uniform
}

@test "workloads: every bucket, row, side and read above the threshold is a child kernel, and nothing else" {
	# as many buckets as keys, each with tuples: a parent and a barrier kernel beside
	warpcap -w join -D R=2000 -D S=2000 -D BUCKETS=20 -D WIDTH=1 -D THRESHOLD=0 -o s.wcp
	[ "$(launches s.wcp)" = "22 20 1 " ]
	# too little room: again
	warpcap -w join -D R=2000 -D S=2000 -D BUCKETS=20 -D WIDTH=1 -D THRESHOLD=0 -D ROOM=1 -o s.wcp
	[ "$(launches s.wcp)" = "44 40 1 " ]
	# dense: all rows alike
	warpcap -w spmm -D M=33 -D N=20 -D K=8 -D NNZ=8 -D THRESHOLD=7 -o s.wcp
	[ "$(launches s.wcp)" = "34 33 1 " ]
	warpcap -w spmm -D M=33 -D N=20 -D K=8 -D NNZ=8 -D THRESHOLD=8 -o s.wcp
	[ "$(launches s.wcp)" = "1 " ]
	# one key in a thousand places: nothing is left to sort beside them
	warpcap -w quicksort -D N=1000 -D RANGE=1 -D THRESHOLD=1 -o s.wcp
	[ "$(launches s.wcp)" = "1 " ]
	# keys that begin with many zeros: as deep as launches nest, and then alone
	for form in child fallback; do
		warpcap -w radixsort -D N=500 -D BITS=30 -D THRESHOLD=0 -D FORM=$form --verify -o s.wcp
		[[ "$(launches s.wcp)" = *" 24 " ]]
	done
	warpcap -w align -D BASES=3000 -D READS=40 -D SEED=3 -D THRESHOLD=0 -o s.wcp
	[ "$(launches s.wcp)" = "41 40 1 " ]
}

@test "workloads: a genome of one's own is aligned with, a matrix of one's own multiplied with its transpose" {
	printf '>one\nACGTTGCATGCCATGACNNACGTTAGCATGGCATTACG\n;two\nacgttgcatgccatgac\n' >g.fa
	warpcap -n --verify -w align -D FILE=g.fa -D LENGTH=16 -D SEED=4 -D ERRORS=2 -D READS=30 -D RATE=0.1 -D THRESHOLD=3
	printf '>one\nACGT\n' >short.fa
	run -3 --separate-stderr warpcap -w align -D FILE=short.fa -o x.wcp
	[ "$stderr" = "warpcap: short.fa: fewer bases (4) than a read has" ]
	[ ! -e x.wcp ]
	printf '%%%%MatrixMarket matrix coordinate real general\n3 2 5\n1 1 2.5\n3 2 -1e3\n3 1 4\n2 2 7\n3 2 8\n' >m.mtx
	warpcap -n --verify -w spmm -D FILE=m.mtx
}

@test "workloads: squares of the Mandelbrot set are child kernels of child kernels, or not, with the same result" {
	for form in 'flat' 'child -D THRESHOLD=0' 'child -D THRESHOLD=16 -D LEAF=2' 'child -D SQUARE=128' 'fallback -D THRESHOLD=0 -D PENDING=1'; do
		# shellcheck disable=SC2086
		warpcap -n --verify -w mandel -D N=128 -D ITERATIONS=40 -D FORM=$form
	done
	# quarters of quarters: a square of 32 is a child of the host's kernel, of 8 its grandchild's child
	warpcap -w mandel -D N=64 -D ITERATIONS=40 -D SQUARE=64 -D THRESHOLD=8 -o m.wcp
	launches m.wcp | grep -q ' 3 $'
}

@test "workloads: cells of the burning gas are child kernels of child kernels, or not, with the same result" {
	forms amr -D N=128 -D SQUARE=64 -D KERNELS=20
	forms amr -D N=96 -D SQUARE=32 -D LEAF=4 -D SAMPLES=2 -D STEEP=0.2 -D STEPS=3
	# any difference divides: a child for each of the 4 cells of 8 points, 16 of 4, 64 of 2; gas without a front is not divided
	warpcap -w amr -D N=16 -D SQUARE=8 -D STEEP=0 -D THRESHOLD=1 --verify -o a.wcp
	[ "$(launches a.wcp)" = "85 84 3 " ]
	warpcap -w amr -D N=16 -D SQUARE=8 -D STEEP=0 -D THRESHOLD=4 --verify -o a.wcp
	[ "$(launches a.wcp)" = "5 4 1 " ]
	warpcap -w amr -D N=16 -D SQUARE=8 -D STEEP=0 -D THRESHOLD=1 -D KERNELS=0 --verify -o a.wcp
	[ "$(launches a.wcp)" = "1 " ]
}

@test "workloads: weights of paths are a file's, whole and not negative" {
	# 0 to 2 is 4 by way of 1, 9 as the edge goes
	printf 'p sp 3 3\na 1 2 3\na 2 3 1\na 1 3 9\n' >w.gr
	for form in flat child; do warpcap -n --verify -w sssp -D FILE=w.gr -D SOURCE=0 -D THRESHOLD=0 -D FORM=$form; done
	for w in 1.5 -2 3e7; do
		printf '0 1 %s\n' $w >w.txt
		run -3 --separate-stderr warpcap -w sssp -D FILE=w.txt -o x.wcp
		[[ $stderr == "warpcap: w.txt: "*" is no weight: whole numbers from 0 to 2^24 wanted" ]]
		[ ! -e x.wcp ]
	done
}

@test "workloads: malformed files are told with file and line, status 3, before anything runs" {
	while IFS='|' read -r text message; do
		printf "$text" >bad
		run -3 --separate-stderr warpcap -w bfs -D FILE=bad -o x.wcp
		[ -z "$output" ]
		[ "$stderr" = "warpcap: bad: $message" ] || { echo "$text: $stderr"; false; }
		[ ! -e x.wcp ]
	done <<'EOT'
|the file has no entries
# nothing\n|the file has no entries
1 2\n3\n|two whole numbers wanted, line 2
1 x\n|two whole numbers wanted, line 1
1 2\n-1 4\n|numbers from 0 wanted, line 2
1 99999999999\n|numbers from 0 wanted, line 1
1 2 3 4\n|more than an entry on the line, line 1
1 2 3\n\n1 2\n|a number as value wanted, line 3
%%%%MatrixMarket matrix array real general\n|a matrix in coordinates wanted, line 1
%%%%MatrixMarket matrix coordinate complex general\n|real, integer or pattern wanted, line 1
%%%%MatrixMarket matrix coordinate real hermitian\n|general, symmetric or skew-symmetric wanted, line 1
%%%%MatrixMarket matrix coordinate real general\n%% no more\n|the line of sizes is missing, line 2
%%%%MatrixMarket matrix coordinate real general\n3 3\n|rows, columns and entries wanted, line 2
%%%%MatrixMarket matrix coordinate real general\n0 3 1\n|the sizes are no sizes of a matrix, line 2
%%%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n|1 entries, the header says 2, line 3
%%%%MatrixMarket matrix coordinate real general\n3 3 1\n4 1 1\n|4 is not below the 3 that the header says, line 3
%%%%MatrixMarket matrix coordinate real general\n3 3 1\n0 1 1\n|numbers from 1 wanted, line 3
%%%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 nan\n|a number as value wanted, line 3
p sp 3\n|vertices and edges wanted, line 1
p max 3 4\n|p sp, p edge or p col wanted, line 1
c\na 1 2 3\n|an edge before the p line, line 2
c\n|the p line is missing, line 1
p edge 3 1\na 1 2\n|c or e wanted, line 2
p sp 3 1\np sp 3 1\n|a second p line, line 2
p sp 3 1\na 1 2\n|a number as value wanted, line 2
EOT
	printf '1 2\n\0\n' >bad
	run -3 --separate-stderr warpcap -w bfs -D FILE=bad -n
	[ "$stderr" = "warpcap: bad: the file is no text" ]
	: >bad
	run -3 --separate-stderr warpcap -w wc -D FILE=bad -n
	[ "$stderr" = "warpcap: bad: the file is empty" ]
	run -4 --separate-stderr warpcap -w wc -D FILE=nix -n
	[[ $stderr == "warpcap: nix: "*"No such file"* ]]
}

@test "workloads: a text file is counted as it is, with and without a last line feed" {
	printf 'one two\n\nTwo three, three.\n three' >t
	warpcap -n --verify -w wc -D FILE=t
	printf '\n\n' >t
	warpcap -n --verify -w wc -D FILE=t
	printf 'GET\n<a href="x">\nhref="unclosed' >t
	warpcap -n --verify -w ii -D FILE=t
	warpcap -n --verify -w sm -D FILE=t
	warpcap -n --verify -w pvc -D FILE=t
}

@test "workloads: sizes that cannot be are refused before anything runs, status 2" {
	while IFS='|' read -r args message; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr warpcap -o x.wcp -w $args
		[ "$stderr" = "warpcap: $message" ] || { echo "$args: $stderr"; false; }
		[ ! -e x.wcp ]
	done <<'EOT'
lud -D N=17|lud: N is no multiple of 16
nw -D N=100|nw: N is no multiple of 16
srad2 -D N=100|srad2: N is no multiple of 16
backprop -D IN=100|backprop: IN is no multiple of 16
convsep -D WIDTH=200|convsep: WIDTH is no multiple of 128
convsep -D HEIGHT=100|convsep: HEIGHT is no multiple of 64
kmeans -D N=3|kmeans: more CLUSTERS than points
kmeans -D N=10M -D FEATURES=1000|kmeans: 40.0 GB do not fit the device, which has 17.2 GB
kmeans -D N=3M -D FEATURES=1000|kmeans: N times FEATURES is not below 2^31
kmn -D N=3|kmn: more CLUSTERS than points
streamcluster -D N=16 -D CENTRES=17|streamcluster: more CENTRES than points
pathfinder -D COLUMNS=10M -D ROWS=300|pathfinder: COLUMNS times ROWS is not below 2^31
hotspot3d -D N=2000 -D LAYERS=400|hotspot3d: 19.2 GB do not fit the device, which has 17.2 GB
scalarprod -D VECTORS=65535 -D N=100000|scalarprod: 52.4 GB do not fit the device, which has 17.2 GB
fwt -D LOG2N=4 -D LOG2K=5|fwt: the kernel is longer than the data
lbm -D NX=512 -D NY=512 -D NZ=512|lbm: 20.5 GB do not fit the device, which has 17.2 GB
spmv -D N=1M -D NNZ=2000|spmv: N times NNZ is not below 2^30
spmv -D N=100M -D MATRIX=stencil27|spmv: N times 27 is not below 2^30
bfs-dp -D SOURCE=5 -D V=5|bfs-dp: SOURCE 5 is no vertex of 5
bfs-dp -D V=20M -D DEGREE=110|bfs-dp: V times DEGREE is not below 2^31
sssp -D V=2M -D DEGREE=1 -D WEIGHT=4096|sssp: vertices times their highest weight are not below 2^31
mandel -D N=100|mandel: N is no multiple of SQUARE
mandel -D N=96 -D SQUARE=48|mandel: SQUARE and LEAF are not both powers of two
mandel -D SQUARE=4 -D LEAF=8|mandel: LEAF is more than SQUARE
amr -D N=100|amr: N is no multiple of SQUARE
amr -D N=96 -D SQUARE=48|amr: SQUARE and LEAF are not both powers of two
amr -D LEAF=512|amr: LEAF is more than SQUARE
amr -D SAMPLES=3|amr: SAMPLES is no power of two
amr -D STEEP=2|-D STEEP=2: not between 0 and 1
bfs-dp -D THRESHOLD=-1|-D THRESHOLD=-1: not between 0 and 1073741824
join -D BUCKETS=1M -D WIDTH=1M|join: BUCKETS times WIDTH is not below 2^31 - 1
join -D R=60000 -D S=60000 -D BUCKETS=1 -D WIDTH=1|join: 3.6e+09 pairs are more than 2^30
spmm -D K=10|spmm: NNZ is above K
spmm -D M=1M -D K=4096 -D NNZ=2000 -D N=1|spmm: M times NNZ is not below 2^30
quicksort -D N=100k -D THRESHOLD=70k|quicksort: THRESHOLD above 65536: bubble sort of so many keys
align -D SEED=9 -D LENGTH=8|align: SEED is above LENGTH
align -D ERRORS=16 -D LENGTH=16|align: ERRORS is not below LENGTH
align -D READS=16Mi -D LENGTH=64|align: READS times LENGTH is not below 2^30
align -D BASES=63|align: BASES is below LENGTH
bfs-dp -D FORM=both|-D FORM=both: one of flat, child, fallback wanted
EOT
}

@test "workloads: the manual page is the one that kernels and tables give" {
	cd "$ROOT"
	share/workload/page | diff - man/warpcap-workload.7
}

@test "workloads: the table has a line for each" {
	for name in $(warpcap -l | cut -d' ' -f1); do
		grep -q "^$name " "$ROOT/share/workload/README" || { echo "$name"; false; }
	done
}

@test "workloads: a genome has repeats, reads have errors, fronts of a flame are thin" {
	"$B/tests/workload_input" genome
	"$B/tests/workload_input" mesh
}

@test "workloads: FASTA files are read, what is wrong in them told with file and line" {
	printf '>one\nACGTacgt\nRYN\r\n>two\nuU\n\nGG' >g.fa
	run -0 "$B/tests/workload_input" fasta g.fa
	[ "$output" = ACGTACGTNNNTTGG ]
	while IFS='|' read -r text message; do
		printf "$text" >bad
		run -3 --separate-stderr "$B/tests/workload_input" fasta bad
		[ "$stderr" = "input: bad: $message" ] || { echo "$text: $stderr"; false; }
	done <<'EOT'
|the file has no bases
>x\n\n|the file has no bases
ACGT\n|a header wanted, which begins with >, line 1
>x\nAC-T\n|byte 3 is no base, line 2
>x\nACGT\nAC1\n|byte 3 is no base, line 3
>x\nAC\0G\n|byte 3 is no base, line 2
EOT
}
