load helper

setup_file() {
	cd "$BATS_FILE_TMPDIR" || exit 1
	mkdir stage
	# One install serves all tests here; everything is built already, so nothing is written under B.
	env -u MAKEFLAGS -u MFLAGS make -s -C "$ROOT" B="$B" DESTDIR="$PWD/stage" PREFIX=/opt/warpcap install >install.log 2>&1
	export STAGE=$PWD/stage/opt/warpcap DEST=$PWD/stage
	cp -r stage/opt/warpcap installed
	sed -i "s|/opt/warpcap|$PWD/installed|" installed/lib/pkgconfig/warpcap.pc
	export INSTALLED=$PWD/installed
}

@test "install: tools, library, headers, pages, completion and magic lie where they belong" {
	for tool in "$B"/bin/*; do
		[ -x "$STAGE/bin/$(basename "$tool")" ]
		[ -e "$STAGE/share/bash-completion/completions/$(basename "$tool")" ]
	done
	for page in "$ROOT"/man/*.[1-8]; do
		[ -e "$STAGE/share/man/man${page##*.}/$(basename "$page")" ]
	done
	[ -e "$STAGE/lib/libwarpcap.a" ]
	[ "$(readlink "$STAGE/lib/libwarpcap.so")" = libwarpcap.so.0 ]
	[ -e "$STAGE/lib/$(readlink "$STAGE/lib/libwarpcap.so.0")" ]
	[ "$(ls "$STAGE/include/warpcap")" = "$(ls "$ROOT/libtrace/include/warpcap")" ]
	[ -e "$STAGE/lib/pkgconfig/warpcap.pc" ]
	[ -e "$STAGE/share/warpcap/magic" ]
}

# Under a sanitizer the library needs its runtime in programs too.
plain() { ! { sanitized asan || sanitized tsan; } || skip "built with a sanitizer"; }

@test "install: a program finds the library with pkg-config, shared and static, and reads a stream" {
	plain
	# the program is the one that README.md shows
	awk '/^```c$/{on = 1; next} /^```/{on = 0} on' "$ROOT/README.md" >count.c
	[ -s count.c ]
	"$B/tests/mkstream" -o two.wcp <<'EOF'
link access
program k
insn ld.global.u32 bytes=4
kernel k grid=1 block=32
access line=0x1000
access line=0x2000
end_kernel
EOF
	export PKG_CONFIG_PATH=$INSTALLED/lib/pkgconfig
	# shellcheck disable=SC2046
	cc -o shared count.c $(pkg-config --cflags --libs warpcap)
	run -0 env LD_LIBRARY_PATH="$INSTALLED/lib" ./shared two.wcp
	[ "$output" = 2 ]
	# shellcheck disable=SC2046
	cc -o static count.c $(pkg-config --cflags warpcap) "$INSTALLED/lib/libwarpcap.a" $(pkg-config --static --libs-only-l libzstd libxxhash liblz4 inih) -pthread -lm -ldl
	run -0 ./static two.wcp
	[ "$output" = 2 ]
}

@test "install: the shared library shows its own names only" {
	run -0 bash -c "nm -D --defined-only '$STAGE/lib/libwarpcap.so' | awk '{print \$3}' | grep -vE '^(wcp_|ptx_|WARPCAP|LIBWARPCAP|__|_init|_fini)' || true"
	[ -z "$output" ]
}

@test "install: each header compiles alone" {
	for h in "$STAGE"/include/warpcap/*.h; do
		echo "#include <warpcap/$(basename "$h")>" >one.c
		cc -std=c17 -Wall -Wextra -pedantic -Werror -fsyntax-only -I"$STAGE/include" one.c
	done
}

@test "install: file(1) knows streams by the magic entry" {
	command -v file >/dev/null || skip "file is not there"
	"$B/tests/mkstream" -o a.wcp <<'EOF'
link access
program k
insn ld.global.u32 bytes=4
kernel k grid=1 block=32
access line=0x1000
end_kernel
EOF
	run -0 file -b -m "$STAGE/share/warpcap/magic" a.wcp
	[[ $output == *warpcap*ACCESS* ]]
}

@test "install: completion offers a tool's options and its files" {
	# shellcheck disable=SC1091
	source "$STAGE/share/bash-completion/completions/warpflat"
	COMP_WORDS=(warpflat --or) COMP_CWORD=1 COMPREPLY=()
	_warpcap warpflat --or warpflat
	[ "${COMPREPLY[*]}" = "--order" ]
	touch trace.wcp
	_warpcap warpflat tr --order
	[ "${#COMPREPLY[@]}" -eq 0 ]
	_warpcap warpflat tr -o
	[ "${COMPREPLY[*]}" = "trace.wcp" ]
}

@test "install: uninstall takes everything away" {
	env -u MAKEFLAGS -u MFLAGS make -s -C "$ROOT" B="$B" DESTDIR="$DEST" PREFIX=/opt/warpcap uninstall
	run -0 find "$DEST" -type f -o -type l
	[ -z "$output" ]
}
