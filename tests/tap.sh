# What every script of the tests shares; each begins with
#
#	. "${top_srcdir:-.}/tests/tap.sh"
#
# and ends with `finish`. What it finds: the program in $STOWAGE, the trees in $top_srcdir and
# $top_builddir, compilers in $CC and $CXX, and a folder of its own, $work, that is gone afterwards;
# all paths are absolute. How it reports, in TAP:
#
#	ok NAME COMMAND...		a test: the command must succeed; its output is shown if not
#	result STATUS NAME [FILE...]	a test that was done before: files (or $work's out, err and log)
#					explain a failure
#	skip NAME WHY			a test that cannot be done here
#	skip_all WHY			none can: ends the script
#	include FILE			what another program reported in TAP
#	extended			is this `make check-extended`, which does what takes long?
#	more NAME COMMAND...		as ok, in the extended run alone: what others already show the like of
#	deep				all of this script goes into one matter that others touch: `make check` leaves it to
#					`make check-extended` and .ci/run (a line of its own, by which ./bootstrap lists it)
#
# A command that is not there is a test that fails, also where what follows does not ask how it went. What a script says
# on standard error comes at its end, therefore. To see whether there is a program: command -v.
#
# With TIMED in the environment each test is followed by the processor time that it took, in seconds.
: "${top_srcdir:=.}" "${top_builddir:=.}" "${CC:=cc}" "${CXX:=c++}"
: "${STOWAGE:=$top_builddir/stowage}"
top_srcdir=$(cd "$top_srcdir" && pwd) || exit 99
top_builddir=$(cd "$top_builddir" && pwd) || exit 99
case $STOWAGE in
/*) ;;
*) STOWAGE=$(pwd)/$STOWAGE ;;
esac
work=$(mktemp -d "${TMPDIR:-/tmp}/stowage-$(basename "$0" .test).XXXXXX") || exit 99
work=$(cd "$work" && pwd -P) || exit 99
exec 3>&2 2> "$work/said"
leave() {
	cat "$work/said" >&3
	chmod -R u+w "$work"
	rm -rf "$work"
}
trap leave EXIT
trap 'exit 99' HUP INT TERM
n=0

# Which commands of a script the shell did not find, by what it said: dash and bash each in their words.
unknown() { # FILE
	grep '^[^ ]*\.\(test\|sh\): \(line \)\{0,1\}[0-9]*: [^ ]*: \(command \)\{0,1\}not found$' "$1"
}

# nothing of the caller's is to decide what is printed, nor how an emitted program is built
unset NO_COLOR FORCE_COLOR CLICOLOR_FORCE STOWAGE_RULES_URL
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES STOWAGE_MAKEFLAGS
# threads that wait for work do not take the processor from those that have some
OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive PYTHONDONTWRITEBYTECODE=1
export STOWAGE CC top_srcdir top_builddir OMP_NUM_THREADS OMP_WAIT_POLICY PYTHONDONTWRITEBYTECODE

# The shell's own time and its children's, since the last test.
spent() {
	times > "$work/times"
	awk -v before="${spent_before:-0}" '{ for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); sum += 60 * t[1] + t[2] } }
		END { printf "%.2f %.2f", sum, (sum > before ? sum - before : 0) }' "$work/times" > "$work/spent"
	read -r spent_before spent_now < "$work/spent"
	echo "# $spent_now s"
}

result() {
	n=$((n + 1))
	[ -z "${TIMED-}" ] || spent
	[ "$1" = 0 ] && echo "ok $n - $2" && return
	echo "not ok $n - $2"
	shift 2
	[ $# -gt 0 ] || set -- "$work/out" "$work/err" "$work/log"
	for shown; do
		[ ! -f "$shown" ] || tail -n 40 "$shown" | cat -v | sed "s/^/# $(basename "$shown"): /"
	done
}

ok() {
	tap_name=$1
	shift
	"$@" > "$work/log" 2>&1
	tap_status=$?
	! unknown "$work/log" > /dev/null || tap_status=127
	result $tap_status "$tap_name" "$work/log"
}

skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

include() {
	awk -v n="$n" '/^1\.\./ { next } /^(not )?ok/ { sub(/ok( [0-9]+)?/, "ok " ++n) } { print }' "$1"
	n=$((n + $(grep -c '^\(not \)\{0,1\}ok' "$1")))
}

extended() {
	[ -n "${EXTENDED-}" ]
}

# Many tests build a program to run it for a moment, and most of their time is the compiler's. clang takes
# half of gcc's without optimisation: where it builds programs, $quick_cc is clang (quick_cc). Under make check configure
# has found that out.
quick_cc=$CC quick_cxx=$CXX
find_quick_cc() {
	case ${QUICK_CC-} in
	no) return ;;
	?*) quick_by "$QUICK_CC"; return ;;
	esac
	echo 'int main(void) { return 0; }' > "$work/quick.c"
	clang -std=gnu11 -O0 -march=native -fopenmp-simd -pthread -o "$work/quick" "$work/quick.c" 2> /dev/null &&
		"$work/quick" && quick_by clang
	rm -f "$work/quick" "$work/quick.c"
}

quick_by() { # CLANG
	case $CC in
	*gcc | cc)
		quick_cc=$top_srcdir/tests/quick_cc QUICK_CLANG=$1 QUICK_LINKER=$CC
		export QUICK_CLANG QUICK_LINKER ;;
	*) quick_cc=$1 ;;
	esac
	[ "$1" != clang ] || ! command -v clang++ > /dev/null || quick_cxx=clang++
}

# Of the two sanitizers of check builds the one that sees no reads takes three fifths of the time to compile: e2e.test
# has both, and the extended run. What follows FLAGS decides.
address_alone=LDFLAGS=-fno-sanitize=undefined
! extended || address_alone=

# Where a script builds the same programs again and again, $quick_cc compiles each source once by the same words.
find_quick_cc_once() {
	find_quick_cc
	mkdir "$work/compiled" && printf '#!/bin/sh\nkept=%s compiler="%s"\n' "$work/compiled" "$quick_cc" > "$work/quick_cc" &&
		cat >> "$work/quick_cc" <<-'END' && chmod +x "$work/quick_cc" && quick_cc=$work/quick_cc
		out= before=
		for word; do
			[ "$before" != -o ] || out=$word
			before=$word
		done
		kept=$kept/$({ echo "$@"; for word; do case $word in *.c) cat "$word" ;; esac; done; } | cksum | tr ' ' -)
		[ -e "$kept" ] || { $compiler "$@" && cp "$out" "$kept"; } || exit
		cp "$kept" "$out"
		END
}

deep() {
	:
}

more() {
	! extended || ok "$@"
}

finish() {
	! unknown "$work/said" > "$work/unknown" || result 1 "each command is there" "$work/unknown"
	echo "1..$n"
}
