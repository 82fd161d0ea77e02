# Sourced by tests that run what the documentation shows (readme.test, man.test): a folder $work/run
# that holds specs/, of which the usual run has those that the documentation names, and tests/packing/, where the
# caller is afterwards, with the program on the path;
# and how an example is run and its output compared. Reports in TAP.
. "${top_srcdir:-.}/tests/tap.sh"
mkdir "$work/bin" "$work/run" "$work/run/tests" || exit 2
ln -s "$STOWAGE" "$work/bin/stowage"
cp -R "$top_srcdir/specs" "$work/run/specs" &&
	cp -R "$top_srcdir/tests/packing" "$work/run/tests/packing" &&
	chmod -R u+w "$work/run" || exit 2
docs=$top_srcdir
extended || for spec in "$work"/run/specs/*.nn; do
	grep -qF "${spec##*/}" "$docs/README.md" "$docs"/man/*.[157] || rm "$spec"
done
PATH=$work/bin:$PATH
LC_ALL=C.UTF-8		# the curve of live bytes is drawn in it
STOWAGE_MAKEFLAGS=CFLAGS=-O1	# of the programs that examples build: less to compile than to run
export PATH LC_ALL STOWAGE_MAKEFLAGS
cd "$work/run" || exit 2

run() { # WHERE STATUS SCRIPT [EXPECTED]
	sh -e "$3" > "$work/out" 2>&1 < /dev/null
	status=$?
	if [ "$status" != "$2" ]; then
		echo "exit status $status, not $2" >> "$work/out"
		result 1 "$1" "$work/out"
	elif [ -n "${4-}" ] && ! matches "$4" "$work/out" > "$work/differ"; then
		result 1 "$1" "$work/differ"
	else
		result 0 "$1"
	fi
}

matches() { # EXPECTED OUTPUT: line by line; "..." skips to the next line that is as expected
	awk -v expected="$1" '
		BEGIN { while ((getline line < expected) > 0) want[++wants] = line }
		{ sub(/[ \t]+$/, ""); got[++gots] = $0 }
		END {
			i = 1
			for (k = 1; k <= wants; k++) {
				sub(/[ \t]+$/, "", want[k])
				if (want[k] == "...") {
					skip = 1
					continue
				}
				while (skip && i <= gots && got[i] != want[k])
					i++
				if (i > gots || got[i] != want[k]) {
					print "expected: " want[k]
					print "found:    " (i > gots ? "(the end)" : got[i])
					exit 1
				}
				i++
				skip = 0
			}
			if (!skip && i <= gots) {
				print "not expected: " got[i]
				exit 1
			}
		}' "$2"
}
