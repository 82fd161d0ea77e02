# One network of many: what stands in the networks of the files becomes one whose name is in NAME, so that one program
# does what each file's would. Names that a network gives get its own behind them, "y" of conv is "y_conv", so that
# weights and inputs begin with the same numbers whatever they are put together with. Each file has one
# network, whose brace ends it at the beginning of a line; the last line that begins with "train" is that of all.

function defined(line,	head) { # NAME = ..., NAME, NAME = ..., input NAME : ..., in the middle of no parentheses
	sub(/^[ \t]+/, "", line)
	if (line ~ /^(input|target) /) {
		sub(/^[a-z]+ +/, "", line)
		sub(/[ \t]*:.*/, "", line)
	} else if (line ~ /^[A-Za-z_][A-Za-z_0-9, \t]*=/)
		sub(/[ \t]*=.*/, "", line)
	else
		return
	split(line, head, /[ \t]*,[ \t]*/)
	for (k in head)
		own[head[k]] = 1
}

# LINE with the network's own names in full: not in quotes, not before the "=" of an operator's attribute, nor what
# stands behind "->" or before "(", which are operators, nor behind a dot.
function renamed(line,	out, word, before) {
	out = ""
	while (match(line, /"[^"]*"|[A-Za-z_][A-Za-z_0-9]*|[()]/)) {
		out = out substr(line, 1, RSTART - 1)
		word = substr(line, RSTART, RLENGTH)
		line = substr(line, RSTART + RLENGTH)
		depth += (word == "(") - (word == ")")
		if (word in own && out !~ /(->[ \t]*|[.0-9])$/ && line !~ /^\(/ && !(depth && line ~ /^[ \t]*=[^=]/))
			word = word "_" network
		out = out word
	}
	return out line
}

function ended(	i) {
	for (i = 1; i <= lines; i++)
		body = body renamed(text[i]) "\n"
	lines = inside = depth = 0
	split("", own)
}

/^network / { network = $2; inside = 1; next }
/^train/ { train = $0 }
/^}/ { ended(); next }
inside {
	sub(/#.*/, "")
	if (!deep)
		defined($0)
	line = $0
	deep += gsub(/\(/, "", line) - gsub(/\)/, "", line)
	text[++lines] = $0
}
END { printf "network %s {\n%s}\n%s\n", name, body, train }
