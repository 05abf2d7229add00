load helper

# A machine with make and little else: commands are links in a directory of their own.
bare() {
	mkdir -p bin
	for c in bash sh env make sed sort id printf nproc cat rm mkdir dirname tail; do
		ln -sf "$(command -v $c)" bin/
	done
}

stub() { # NAME BODY
	printf '#!/bin/bash\n%s\n' "$2" >"bin/$1"
	chmod +x "bin/$1"
}

@test "setup: does nothing when all is there" {
	command -v gnuplot mandoc bats jq file zstd pkg-config || skip "something is missing here"
	run -0 "$ROOT/.ci/setup"
	[ -z "$output" ]
}

@test "setup: without root prints the one line to run, and fails for want of a compiler" {
	bare
	stub id 'echo 1000'
	stub apt-get 'echo "must not run" >&2; exit 1'
	run -1 env -i PATH="$PWD/bin" "$ROOT/.ci/setup"
	[ "${#lines[@]}" -eq 2 ]
	[[ ${lines[1]} == "setup: on Debian or Ubuntu, as root, run:  apt-get install -y --no-install-recommends "*" gcc "* ]]
	[[ ${lines[1]} == *libzstd-dev* ]]
}

@test "setup: as root installs what is missing, and tries each name if one is unknown" {
	bare
	stub id 'echo 0'
	stub apt-get 'echo "$*" >>log; case "$*" in *gnuplot-nox*) exit 100;; esac'
	run -0 env -i PATH="$PWD/bin" "$ROOT/.ci/setup"
	[[ $(head -n 1 log) == update* ]]
	grep -q 'install .* gcc$' log
	[[ $output == *"setup: gnuplot-nox could not be installed" ]]
	stub apt-get 'case "$*" in *libzstd-dev*) exit 100;; esac'
	run -4 env -i PATH="$PWD/bin" "$ROOT/.ci/setup"
}

@test "setup: the other goals start after it, in a make that sees what it installed" {
	bare
	stub id 'echo 0'
	stub apt-get 'exit 0'
	run -0 env -i PATH="$PWD/bin" make -s -C "$ROOT" -n setup demo
	[[ $output == *".ci/setup"*"make -j"*demo* ]]
	# the whole Makefile can be read where there is no compiler
	run -0 env -i PATH="$PWD/bin" make -s -C "$ROOT" -n clean
	[[ $output == "rm -rf build" ]]
}
