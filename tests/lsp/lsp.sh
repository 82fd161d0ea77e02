# What the tests of the language server share, after tap.sh:
#
#	speaks NAME [ARGUMENT...]	runs tests/lsp/NAME.py, which speaks to the server and reports in TAP
#
# Where there is no python3, or the program has no language server, all is skipped.
if ! python3 -c 'import json, queue, subprocess, threading' > /dev/null 2>&1; then
	skip_all "no python3: THE LANGUAGE SERVER WAS NOT TESTED"
fi
if "$STOWAGE" lsp < /dev/null 2>&1 | grep -q 'built without jansson'; then
	skip_all "built without jansson: THERE IS NO LANGUAGE SERVER TO TEST"
fi

speaks() { # NAME [ARGUMENT...]
	spoken=$1
	shift
	mkdir -p "$work/$spoken"
	(cd "$work/$spoken" && timeout "${lsp_limit:-300}" python3 "$top_srcdir/tests/lsp/$spoken.py" "$@") \
		> "$work/tap" 2> "$work/err"
	status=$?
	include "$work/tap"
	[ $status = 0 ] && [ ! -s "$work/err" ]
	result $? "$spoken.py ran to its end" "$work/err"
}
