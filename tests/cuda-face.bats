# CUDA programs as processes, and fat binaries kept as data, which a program of the tests registers as nvcc's start-up code
# does: everywhere, but for what names a program of tests/cuda.
load helper
load cuda.bash

face() { warpcap -o face.wcp -- "$B/tests/cudart_face" "$@"; }

@test "cuda: kernels of fat binaries, raw, LZ4, zstd and of several architectures, run and are recorded" {
	plain
	for f in raw lz4 archs debug; do
		run -0 --separate-stderr face "$T/fatbin/$f.fatbin" scale 1000
		[ "$output" = "sum 999000" ]
		[ -z "$stderr" ]
		run -0 --separate-stderr warpinfo face.wcp
		[[ $output == *" scale  16,1,1  64,1,1 "* ]]
	done
}

@test "cuda: relocatable device code is linked by name" {
	plain
	run -0 --separate-stderr face "$T/fatbin/left.fatbin" left 64 "$T/fatbin/right.fatbin"
	[ "$output" = "sum 253824" ]
}

@test "cuda: a fat binary without PTX, a damaged one and a kernel that is not there are told as what they are" {
	plain
	run -1 --separate-stderr face "$T/fatbin/cubin.fatbin" scale 10
	[ "$output" = "launch: cudaErrorNoKernelImageForDevice" ]
	[[ $stderr == "warpcap: device code of 'cudart_face': "*"sm_75, sm_90"* ]]
	head -c 200 "$T/fatbin/raw.fatbin" >cut.fatbin
	run -1 --separate-stderr face cut.fatbin scale 10
	[[ $output == "launch: cudaErrorInvalid"* ]]
	[[ $stderr == "warpcap: device code of 'cudart_face': "* ]]
	head -c 16 /dev/zero >none.fatbin
	head -c 8 "$T/fatbin/raw.fatbin" | dd of=none.fatbin conv=notrunc status=none
	run -1 --separate-stderr face none.fatbin scale 10
	[ "$output" = "launch: cudaErrorInvalidDeviceFunction" ]
	[ "$stderr" = "warpcap: kernel 'scale': the program's fat binary holds no device code" ]
	# a container whose length has 0x7f in its seventh byte, and one that is 16 MB longer than it is
	for at in "14 177" "10 377"; do
		cp "$T/fatbin/raw.fatbin" long.fatbin
		# shellcheck disable=SC2059
		printf "\\${at#* }" | dd of=long.fatbin bs=1 seek="${at% *}" conv=notrunc status=none
		run -1 --separate-stderr face long.fatbin scale 10
		[[ $output == "launch: cudaErrorInvalid"* ]]
		[[ $stderr == "warpcap: device code of 'cudart_face': fat binary: a"* ]]
		[ "${#stderr_lines[@]}" -eq 1 ]
	done
	run -1 --separate-stderr face "$T/fatbin/raw.fatbin" nosuch 10
	[ "$output" = "launch: cudaErrorInvalidDeviceFunction" ]
	[[ $stderr == *"has no kernel 'nosuch'; the nearest name is 'scale'" ]]
}

@test "cuda: --kernel, --launch and --skip-launches choose what is recorded, not what is executed" {
	plain
	face() { warpcap "${@:1:2}" -o face.wcp -- "$B/tests/cudart_face" "$T/fatbin/raw.fatbin" scale 100; }
	for o in "--kernel sca*" "--launch 0-0" "--launch 0-"; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr face $o
		[ "$output" = "sum 9900" ]
		[ "$(warpinfo face.wcp | grep -c '^ 0  scale ')" -eq 1 ]
	done
	for o in "--kernel x*" "--launch 1-" "--skip-launches 1" "-j1 --window"; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr face $o
		[ "$output" = "sum 9900" ]
		[ "$stderr" = "warpcap: warning: '$B/tests/cudart_face' launched 1 kernel, none of which --kernel, --launch, --skip-launches or --window selects: nothing was recorded" ]
		run -0 --separate-stderr warpinfo face.wcp
		! grep -q '^ 0  scale ' <<<"$output" || false
		[[ $output == *"records were left out on purpose"* ]]
	done
}

@test "cuda: the reported device follows the machine" {
	built device
	run -0 --separate-stderr warpcap -n -m gtx480 -- "$B/cuda/device" print
	[ "${lines[0]}" = "15 SMs, 1536 threads, 49152 bytes shared, 1536 MiB, 786432 bytes of L2, 384 bits" ]
	run -0 --separate-stderr warpcap -n -m k20-dp --set sm.sms=7 -- "$B/cuda/device" print
	[[ ${lines[0]} == "7 SMs, 2048 threads, "* ]]
	run -2 --separate-stderr warpcap -n -m nosuch -- "$B/cuda/vectoradd"
	[[ $stderr == *nosuch* ]]
}

@test "cuda: what cannot run is told before it runs" {
	plain
	echo text >text
	chmod +x text
	printf '#!/bin/sh\nexit 7\n' >script
	chmod +x script
	run -2 --separate-stderr warpcap -n -- ./text
	[[ $stderr == "warpcap: ./text: "* ]]
	run -2 --separate-stderr warpcap -n -- ./nosuch
	[ "$stderr" = "warpcap: ./nosuch: No such file or directory" ]
	run -2 --separate-stderr warpcap -n -- "$T/cuda.bats"
	[ "$stderr" = "warpcap: $T/cuda.bats: Permission denied" ]
	run -7 --separate-stderr warpcap -n -- ./script
	[ "$stderr" = "warpcap: warning: './script' has not used CUDA's runtime: nothing was recorded" ]
	run -2 --separate-stderr warpcap -n --check= -- ./script
	[ "$stderr" = "warpcap: --check: mem, sync or shared, not '' (try 'warpcap -h')" ]
	run -2 --separate-stderr warpcap -o x -w atax -- ./script
	[ ! -e x ]
}

@test "cuda: libraries that a program needs and that are not there are named before it runs" {
	plain
	[ -n "$(command -v cc)" ] || skip "no C compiler"
	echo 'int gone(void); int gone(void) { return 0; }' >gone.c
	echo 'int gone(void); int main(void) { return gone(); }' >main.c
	cc -shared -fPIC -o libgone.so gone.c
	cp libgone.so libaway.so
	cc main.c -L. -Wl,--no-as-needed -lgone -laway -o main
	rm libgone.so libaway.so
	run -3 --separate-stderr warpcap -o main.wcp -- ./main
	[ "$stderr" = "warpcap: ./main: libraries that it needs are not installed here: libgone.so, libaway.so" ]
	[ ! -e main.wcp ]
}

@test "cuda: a program that is linked with the driver alone runs" {
	plain
	[ -n "$(command -v cc)" ] || skip "no C compiler"
	cat >main.c <<'END'
#include <stdio.h>
int cuInit(unsigned), cuDeviceGetCount(int *);
int main(void)
{
	int n = 0;
	const int s = cuInit(0);
	return s || cuDeviceGetCount(&n) ? 1 : printf("%d\n", n) < 0;
}
END
	echo 'int cuInit(unsigned f) { return 1 + (int)f; } int cuDeviceGetCount(int *n) { return *n; }' >stub.c
	cc -w -shared -fPIC -Wl,-soname,libcuda.so.1 -o libcuda.so stub.c
	cc main.c -L. -lcuda -o main
	rm libcuda.so
	run -0 --separate-stderr warpcap -n -- ./main
	[ "$output" = 1 ]
	[ -z "$stderr" ]
	# a name of the driver's is the driver's, though the program has something of that name
	cat >own.c <<'END'
int cuCtxSynchronize = 7;
int cuInit(unsigned), cuGetProcAddress_v2(const char *, void **, int, unsigned long long, int *);
int main(void)
{
	void *p = 0;
	return cuInit(0) || cuGetProcAddress_v2("cuCtxSynchronize", &p, 13000, 0, 0) || !p || p == &cuCtxSynchronize;
}
END
	echo 'int cuInit(unsigned f) { return (int)f; } int cuGetProcAddress_v2(void) { return 1; }' >stub.c
	cc -w -shared -fPIC -Wl,-soname,libcuda.so.1 -o libcuda.so stub.c
	cc -w -rdynamic own.c -L. -lcuda -o own
	rm libcuda.so
	run -0 --separate-stderr warpcap -n -- ./own
}

@test "cuda: the program's exit status and signals are its own" {
	plain
	run -3 --separate-stderr warpcap -n -- sh -c 'exit 3'
	run -137 --separate-stderr warpcap -o killed.wcp -- sh -c "$B/tests/cudart_face $T/fatbin/raw.fatbin scale 100; kill -9 \$\$"
	[ "$output" = "sum 9900" ]
	[[ $stderr == *"'sh' was ended by signal 9 (Killed)" ]]
	run -0 --separate-stderr warpinfo killed.wcp
	[[ $output == *" scale "* ]]
	[[ $output == *interrupted* ]]
	warpcap -o passed.wcp -- sh -c 'trap "exit 5" TERM; echo ready >ready; while :; do sleep 0.1; done' 3>&- &
	pid=$!
	while [ ! -e ready ]; do sleep 0.1; done
	kill -TERM $pid
	status=0
	wait $pid || status=$?
	[ $status -eq 5 ]
}

@test "cuda: the stream holds the program's kernels and what its host did" {
	passes vectoradd
	[[ $output == *"_Z3addPKfS0_Pfi  40,1,1  256,1,1 "* ]]
	grep -q '^alloc  *3 ' <<<"$output"
	grep -q '^copy_in  *2 ' <<<"$output"
	grep -q '^copy_out  *1 ' <<<"$output"
	grep -q '^free  *3 ' <<<"$output"
}

@test "cuda: without -o the stream goes to standard output, and the program's output to standard error" {
	built vectoradd
	warpcap -- "$B/cuda/vectoradd" 2>words | warpinfo - >info
	[ "$(cat words)" = passed ]
	grep -q '^kernels  *1$' info
}

@test "cuda: a program that closes what it does not know goes on unrecorded, and its own files are left alone" {
	plain
	export FACE_CLOSES=own
	run -0 --separate-stderr face "$T/fatbin/raw.fatbin" scale 1000
	[ "$output" = "sum 999000" ]
	[ "$stderr" = "warpcap: 'cudart_face' has closed its connection to the recorder; what it does from here on is not recorded" ]
	[ "$(wc -c <own)" -eq 1021 ]
}

@test "cuda: under a limit of address space there is less device memory" {
	plain
	run -0 --separate-stderr bash -c "ulimit -v 4000000; warpcap -n -- $B/tests/cudart_face $T/fatbin/raw.fatbin scale 100"
	[ "$output" = "sum 9900" ]
	[[ $stderr == "warpcap: warning: the limit on address space leaves room for 1"*" MiB of device memory instead of 16384" ]]
	run -0 --separate-stderr bash -c "ulimit -v 8000000; warpcap -n -m gtx480 -- $B/tests/cudart_face $T/fatbin/raw.fatbin scale 100"
	[ -z "$stderr" ]
}

@test "cuda: a program with its owner's rights is refused; closed standard streams and a folder that is not ours do no harm" {
	plain
	cp "$B/tests/cudart_face" own
	chmod 755 own
	mkdir locked
	for closed in '<&-' '2>&-' '<&- 2>&-'; do
		run -0 --separate-stderr bash -c "chmod 555 locked; cd locked; warpcap -o ../face.wcp -- ../own $T/fatbin/raw.fatbin scale 100 $closed"
		[ "$output" = "sum 9900" ]
		run -0 warpinfo face.wcp
		[[ $output == *"whole "*" yes"$'\n'* ]]
	done
	[ "$(id -u)" -eq 0 ] || skip "only the superuser gives files away"
	chown nobody own
	chmod u+s own
	run -3 --separate-stderr warpcap -n -- ./own "$T/fatbin/raw.fatbin" scale 100
	[[ $stderr == "warpcap: ./own: runs with its owner's rights (setuid or setgid): "* ]]
}

@test "cuda: a runtime that a program loads by its path is named, ours by name is found" {
	plain
	[ -n "$(command -v cc)" ] || skip "no C compiler"
	cat >main.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	int n = 0;
	void *h = dlopen(argv[argc - 1], RTLD_NOW);
	int (*count)(int *) = (int (*)(int *))dlsym(h, "cudaGetDeviceCount");
	const int s = count(&n);
	return printf("%d %d\n", s, n) < 0;
}
END
	cc main.c -ldl -o main
	echo 'int cudaGetDeviceCount(int *n) { return 100 + *n; }' >other.c
	cc -shared -fPIC other.c -o libcudart.so.13
	run -0 --separate-stderr warpcap -n -- ./main libcudart.so.13
	[ "$output" = "0 1" ]
	[ -z "$stderr" ]
	run -0 --separate-stderr warpcap -n -- ./main "$PWD/libcudart.so.13"
	[ "$output" = "100 0" ]
	[[ ${stderr_lines[0]} == "warpcap: warning: the program loaded '$PWD/libcudart.so.13' by its path: "* ]]
}

@test "cuda: a program under a small limit of its files' size or number runs" {
	plain
	# the shared memory of the link is a file too
	run -0 --separate-stderr bash -c "ulimit -f 100; warpcap -o face.wcp -- $B/tests/cudart_face $T/fatbin/raw.fatbin scale 100"
	[ "$output" = "sum 9900" ]
	[[ $stderr == *"the recorder cannot be reached; 'cudart_face' runs without it"* ]]
	run -0 --separate-stderr bash -c "for ((i = 3; i < 10; i++)); do eval \"exec \$i>&-\"; done; ulimit -n 7
		timeout 60 warpcap -o face.wcp -- $B/tests/cudart_face $T/fatbin/raw.fatbin scale 100"
	[ "$output" = "sum 9900" ]
	[[ $stderr == *"more processes than there may be open files: some are not recorded"* ]]
}

@test "cuda: every function that CUDA's headers declare is there" {
	plain
	nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
	{ [ -x "$nvcc" ] && "$nvcc" --version | grep -q 'release 13'; } || skip "no nvcc of CUDA 13"
	printf '#include <%s>\n' cuda_runtime_api.h cuda_profiler_api.h cuda.h cudaProfiler.h >all.c
	"$nvcc" -E all.c >both.i
	"$nvcc" -DCUDA_API_PER_THREAD_DEFAULT_STREAM -E all.c >>both.i
	tr '\n' ' ' <both.i | grep -oE '(cudaError_t|CUresult) +cu[A-Za-z0-9_]+ *\(' | sed 's/.* \(cu[A-Za-z0-9_]*\) *(/\1/' | sort -u >declared
	nm -D --defined-only "$B/lib/warpcap/libcudart.so.13" | sed 's/.* //; s/@.*//' | sort -u >there
	[ "$(wc -l <declared)" -gt 800 ]
	run -0 comm -23 declared there
	[ -z "$output" ]
}

@test "cuda: a program that takes machine code from NVRTC is given PTX" {
	plain
	[ -n "$(command -v cc)" ] || skip "no C compiler"
	# code of a program 0 is for a virtual architecture only: there is no machine code of it
	cat >nvrtc.c <<'END'
#include <string.h>
int nvrtcGetPTXSize(void *p, size_t *n) { return *n = p ? 4 : 0, 0; }
int nvrtcGetPTX(void *p, char *to) { return strcpy(to, "ptx"), 0; }
int nvrtcGetCUBINSize(void *p, size_t *n) { return *n = p ? 9 : 0, 0; }
int nvrtcGetCUBIN(void *p, char *to) { return strcpy(to, "machine!"), 0; }
END
	cat >main.c <<'END'
#include <stdio.h>
int nvrtcGetCUBINSize(void *, size_t *), nvrtcGetCUBIN(void *, char *);
int main(int n, char **v)
{
	char code[16] = "";
	size_t bytes = 7, none = 7;
	const int s = nvrtcGetCUBINSize(v, &bytes) || nvrtcGetCUBIN(v, code) || nvrtcGetCUBINSize(0, &none);
	printf("%d %zu %s %zu\n", s, bytes, code, none);
}
END
	echo 'libnvrtc.so.13 { global: *; };' >map
	cc -w -shared -fPIC -Wl,-soname,libnvrtc.so.13 -Wl,--version-script=map -o libnvrtc.so.13 nvrtc.c
	cc -w main.c ./libnvrtc.so.13 -Wl,-rpath,"$PWD" -o main
	run -0 ./main
	[ "$output" = "0 9 machine! 0" ]
	run -0 --separate-stderr warpcap -n -- ./main
	[ "$output" = "0 4 ptx 0" ]
}
