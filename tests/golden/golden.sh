#!/bin/sh
# Golden tests: what stowage prints for a spec, compared with what it should. Prints TAP.
#
#	sh tests/golden/golden.sh FOLDER		runs tests/golden/FOLDER/*.nn, or *.txt where there are no specs
#	sh tests/golden/golden.sh FOLDER args	runs those of them that have options of their own
#	UPDATE=1 sh tests/golden/golden.sh FOLDER	writes the expected files anew (read the diff!)
#
# For a spec NAME.nn, or a log NAME.txt:
#
#	NAME.args	the command line, the word FILE standing for it; without it that of
#			default.args of the folder, or "lint FILE"
#	NAME.out	standard output and standard error together, errors first
#	NAME.status	the exit status; without it 0
#
# NAME.VARIANT.args, .out and .status run the same another way. Commands run in the folder,
# so that paths in the output are short and the same everywhere.
set -u
. "${top_srcdir:-.}/tests/tap.sh"
folder=${1:?usage: golden.sh FOLDER [args]} only=${2-}
LC_ALL=C
export LC_ALL

words_of() { # FILE
	words=
	while read -r line || [ "$line" ]; do
		words="$words $line"
	done < "$1"
}

# Only what differs starts other programs: there are a thousand of these.
run() { # TEST FILE: leaves out in $work, and $status
	words='lint FILE' file=$2
	for args in default.args "$1.args"; do
		[ ! -f "$args" ] || words_of "$args"
	done
	set -f
	set -- $words
	set +f
	for word; do
		shift
		[ "$word" != FILE ] || word=$file
		set -- "$@" "$word"
	done
	"$STOWAGE" "$@" > "$work/stdout" 2> "$work/out" < /dev/null
	status=$?
	[ ! -s "$work/stdout" ] || cat "$work/stdout" >> "$work/out"
}

check() { # TEST: compares out and status
	want=0
	[ ! -f "$1.status" ] || read -r want < "$1.status"
	if [ "$status" = "$want" ] && cmp -s "$1.out" "$work/out"; then
		result 0 "$folder/$1"
		return
	fi
	if [ -f "$1.out" ]; then diff -u "$1.out" "$work/out"; else echo "there is no $1.out"; fi > "$work/diff"
	[ "$status" = "$want" ] || echo "status $status, expected $want" >> "$work/diff"
	result 1 "$folder/$1" "$work/diff"
}

update() { # TEST: what was printed becomes what is expected
	cp "$work/out" "$1.out"
	rm -f "$1.status"
	[ "$status" = 0 ] || echo "$status" > "$1.status"
}

cd "$top_srcdir/tests/golden/$folder" || exit 2
all_args=" $(echo *.args) "	# once: a folder has thousands of files
set -- *.nn
[ -e "$1" ] || set -- *.txt
for file; do
	[ -e "$file" ] || continue
	name=${file%.*}
	tests=
	case $all_args in
	*" $name."*.args\ *)
		for args in "$name".*.args; do
			[ ! -e "$args" ] || tests="$tests ${args%.args}"
		done ;;
	esac
	# what has variants needs no test of its own name
	[ -n "$tests" ] && [ ! -f "$name.out" ] && [ ! -f "$name.args" ] || tests="$name $tests"
	for test in $tests; do
		[ "$only" != args ] || [ -f "$test.args" ] || continue
		run "$test" "$file"
		if [ -n "${UPDATE-}" ]; then
			update "$test"
		else
			check "$test"
		fi
	done
done
[ -n "${UPDATE-}" ] || finish
