# What the tests of editors share, after tap.sh: specs to colour and to indent, under names of their own.
#
#	make_specs	$work/specs/: every word of the language, laid out in three ways, and some of specs/*.nn; $coloured
#			lists two of the former, in the extended run all. False where there is no python3.
#	laid_out	$work/laid/: specs as `stowage fmt` lays them out; $work/bare/: the same without
#			the blanks that begin lines
#	write_long	$work/long.nn: 10,000 lines, laid out
#	check KIND COLOURS
#	write_specs FOLDER
here=$top_srcdir/tests/editors

some_specs() { # every tenth
	ls "$top_srcdir"/specs/*.nn | { if extended; then cat; else awk 'NR % 10 == 1'; fi; }
}

make_specs() {
	command -v python3 > /dev/null 2>&1 || return 1
	mkdir -p "$work/specs"
	python3 "$here/every.py" > "$work/specs/every.nn" &&
		python3 "$here/every.py" many > "$work/specs/every-many.nn" || exit 99
	"$STOWAGE" fmt - < "$work/specs/every.nn" > "$work/specs/every-laid.nn" 2> "$work/err"
	cp $(some_specs) "$work/specs"
	coloured=$(ls "$work/specs/every.nn" "$work/specs/every-many.nn")
	! extended || coloured=$(ls "$work"/specs/*.nn)
}

laid_out() {
	mkdir -p "$work/laid" "$work/bare"
	for spec in $(some_specs) "$top_srcdir"/tests/golden/fmt/*.nn "$work"/specs/every.nn; do
		[ -f "$spec" ] || continue
		"$STOWAGE" fmt - < "$spec" > "$work/laid/$(basename "$spec")" 2> /dev/null ||
			rm "$work/laid/$(basename "$spec")"
	done
	# where lines that go on begin is the author's choice between two places in these, which is
	# not seen once their blanks are gone
	for spec in "$work"/laid/*.nn; do
		case $(basename "$spec") in
		alexnet.nn | columns.nn | comments.nn) ;;
		*) sed 's/^[ 	]*//' "$spec" > "$work/bare/$(basename "$spec")" ;;
		esac
	done
	bare=$(ls "$work/bare")
}

# every laid-out spec in FOLDER is as it was
same_as_laid() { # FOLDER NAME...
	folder=$1
	shift
	for spec; do
		diff -u "$work/laid/$spec" "$folder/$spec" || return
	done
	[ $# -gt 5 ]
}

# $work/long.nn: so many lines, laid out, that what takes time by their square takes minutes
write_long() {
	awk 'BEGIN {
		print "network n {\n  input x0 : f32[4]"
		for (i = 0; i < 2000; i++)
			print "  # a comment"
		for (i = 1; i < 4000; i++)
			print "  y = x -> dense(4)\n        -> relu"
		print "}"
	}' > "$work/long.nn"
}

check() { # KIND COLOURS
	python3 "$here/check.py" "$1" "$2" $coloured
}

# Small specs into a folder: with two errors, imported, importing, without findings, not laid out.
write_specs() {
	printf '%s\n' '# außen' 'network n { # é → 層' '  input x : f32[4]' '  target t : f32[4]' \
		'  y = x -> dens(4)' '  loss mse(y, "日本é", nowhere)' '}' > "$1/broken.nn"
	printf 'block shared { out = in -> relu }\n' > "$1/blocks.nn"
	printf 'use "blocks.nn"\nnetwork n { input x : f32[4]\n y = x -> shared }\n' > "$1/uses.nn"
	printf 'network n { input x : f32[4]\n y=x->relu\n\n\n z = y\n}\ntrain{batch 3}\n' > "$1/loose.nn"
	printf 'param n = 4\nnetwork n1 { input x : f32[n]\n y = x -> dense(n) }\n' > "$1/fine.nn"
	: > "$1/.stowage"
}
