#!/bin/sh
# Golden tests: what stowage prints for a spec, compared with what it should. Prints TAP.
#
#	sh tests/golden/golden.sh FOLDER		runs tests/golden/FOLDER/*.nn
#	UPDATE=1 sh tests/golden/golden.sh FOLDER	writes the expected files anew (read the diff!)
#
# For a spec NAME.nn:
#
#	NAME.args	the command line, the word FILE standing for the spec; without it that of
#			default.args of the folder, or "lint FILE"
#	NAME.out	standard output and standard error together, errors first
#	NAME.status	the exit status; without it 0
#
# NAME.VARIANT.args, .out and .status run the same spec another way. Commands run in the folder,
# so that paths in the output are short and the same everywhere.
set -u
. "${top_srcdir:-.}/tests/tap.sh"
folder=${1:?usage: golden.sh FOLDER}
LC_ALL=C
export LC_ALL

command_of() { # TEST SPEC: the words of its command line
	if [ -f "$1.args" ]; then
		words=$(cat "$1.args")
	elif [ -f default.args ]; then
		words=$(cat default.args)
	else
		words='lint FILE'
	fi
	set -f
	for word in $words; do
		[ "$word" = FILE ] && word=$2
		printf '%s\n' "$word"
	done
	set +f
}

run() { # TEST SPEC: leaves out and status in $work
	command_of "$1" "$2" > "$work/words"
	set --
	while IFS= read -r word; do
		set -- "$@" "$word"
	done < "$work/words"
	"$STOWAGE" "$@" > "$work/stdout" 2> "$work/out" < /dev/null
	echo $? > "$work/status"
	cat "$work/stdout" >> "$work/out"
}

check() { # TEST: compares out and status
	[ -f "$1.status" ] && cp "$1.status" "$work/want" || echo 0 > "$work/want"
	: > "$work/diff"
	[ -f "$1.out" ] || echo "there is no $1.out" >> "$work/diff"
	[ ! -f "$1.out" ] || diff -u "$1.out" "$work/out" >> "$work/diff"
	cmp -s "$work/want" "$work/status" ||
		echo "status $(cat "$work/status"), expected $(cat "$work/want")" >> "$work/diff"
	[ ! -s "$work/diff" ]
	result $? "$folder/$1" "$work/diff"
}

update() { # TEST: what was printed becomes what is expected
	cp "$work/out" "$1.out"
	if [ "$(cat "$work/status")" = 0 ]; then
		rm -f "$1.status"
	else
		cp "$work/status" "$1.status"
	fi
}

cd "$top_srcdir/tests/golden/$folder" || exit 2
for spec in *.nn; do
	[ -e "$spec" ] || continue
	name=${spec%.nn}
	tests=$(ls "$name".*.args 2>/dev/null | sed 's/\.args$//')
	# a spec with variants needs no test of its own name
	[ -n "$tests" ] && [ ! -f "$name.out" ] && [ ! -f "$name.args" ] || tests="$name $tests"
	for test in $tests; do
		run "$test" "$spec"
		if [ -n "${UPDATE-}" ]; then
			update "$test"
		else
			check "$test"
		fi
	done
done
[ -n "${UPDATE-}" ] || finish
