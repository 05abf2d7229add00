# What every bats file loads: the built tools on PATH, T the tests' directory, B the build directory, and an
# empty working directory for each test.
bats_require_minimum_version 1.5.0

ROOT=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
T=$ROOT/tests
B=${B:-build}
case $B in
/*) ;;
*) B=$ROOT/$B ;;
esac
PATH=$B/bin:$PATH
export ROOT T B PATH
export LC_ALL=C
# Built with traps, what is undefined is a signal: it is told with its line.
export ASAN_OPTIONS=${ASAN_OPTIONS:-handle_sigill=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-suppressions=$T/tsan-suppressions}

# sanitized asan|tsan: are the tools built so, whatever their directory is called?
sanitized() { grep -q "__$1_init" "$B/bin/warpcap"; }

if [ -n "${BATS_TEST_TMPDIR:-}" ]; then
	cd "$BATS_TEST_TMPDIR" || exit 1
elif [ -n "${BATS_FILE_TMPDIR:-}" ]; then
	cd "$BATS_FILE_TMPDIR" || exit 1
fi
