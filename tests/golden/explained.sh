# The answers to all logs of tests/golden/logs, in one process (explain.c): sourced after tap.sh.
logs=$top_srcdir/tests/golden/logs

explained() { # FOLDER, or --json: leaves in $work/explained what explain.c prints
	sanitize=$(sed -n 's/^sanitize = //p' "$top_builddir/Makefile")
	# shellcheck disable=SC2086	# words
	$CC -std=gnu11 -D_GNU_SOURCE -I"$top_srcdir/src" -I"$top_builddir" $sanitize -o "$work/explain" \
		"$top_srcdir/tests/golden/explain.c" "$top_builddir/libstowage.a" -lm &&
		(cd "$logs" && "$work/explain" "$1" *.txt) > "$work/explained"
}
