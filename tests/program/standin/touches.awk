# Of an emitted CUDA program, what the calls of its steps touch, for touches.cc: a line for each buffer that a call of an instant
# reads or writes, INSTANT r|w OFFSET BYTES. It comes of the program's text alone: where arguments lie, what the comments above a
# call name, what it begins to have (LIVE) and has made (MADE), and the tables of buffers and of tensors.

# What stands behind the name of a row of a table.
function behind_name(s) {
	sub(/^\t\{"[^"]*", /, "", s)
	return s
}

function name_of(s) {
	sub(/^\t\{"/, "", s)
	sub(/".*/, "", s)
	return s
}

# The buffer that has that byte then.
function buffer_at(offset, instant,	k) {
	for (k = 0; k < buffers; k++)
		if (offset >= from[k] && offset < from[k] + bytes[k] && (for_good[k] || (first[k] <= instant && instant <= last[k])))
			return k
	return -1
}

function touch(how, k) {
	if (k >= 0)
		print at, how, from[k], bytes[k]
}

# Each number of calls of WHAT in S, behind one another in FOUND.
function numbers(s, what,	n, word) {
	for (n = 0; match(s, "(^|[^A-Za-z0-9_])" what "\\([0-9]+\\)"); s = substr(s, RSTART + RLENGTH)) {
		word = substr(s, RSTART, RLENGTH - 1)
		sub(/.*\(/, "", word)
		found[++n] = word + 0
	}
	return n
}

# What has the bytes of a tensor: a step has made what it reads, or the buffer is its own. What is made later, or whose bytes are
# something else by now, is another one of that name.
function home(k, name,	b) {
	b = k in made ? made[k] : buffer_at(tensor[k], at)
	return b >= 0 && (for_good[b] || (first[b] <= at && at <= last[b] && (k in made || name == of[b]))) ? b : -1
}

# The tensors that a comment names: what is read, and what is made of it.
function named(s,	n, i, word, tensors_of, k) {
	n = split(s, word, /[ ,:]+/)
	for (i = 1; i <= n; i++)
		if (word[i] in known)
			for (k = split(known[word[i]], tensors_of, " "); k > 0; k--)
				touch("r", home(tensors_of[k] + 0, word[i]))
}

/^static const struct buffer buffers\[\]/ { table = "buffers"; next }
/^const struct stowage_tensor stowage_tensors\[\]/ { table = "tensors"; next }
/^}/ { table = ""; step = 0; next }

table == "buffers" {
	split(behind_name($0), field, /, /)
	of[buffers] = name_of($0)
	from[buffers] = field[2] + 0
	bytes[buffers] = field[3] + 0
	first[buffers] = field[4] + 0
	last[buffers] = field[5] + 0
	for_good[buffers++] = field[6] ~ /^true/
}

table == "tensors" {
	rest = behind_name($0)
	sub(/^[^{]*\{[^}]*\}, /, "", rest)
	split(rest, field, /, /)
	if (field[1] >= 0)
		known[name_of($0)] = known[name_of($0)] " " tensors
	tensor[tensors++] = field[1] + 0
}

/^(train|update|validate|forward|backward)_step\(/ { step = 1; at = -1; said = "" }
!step { next }
/^\t\/\*/ { next }	# what it is of
/^\t \*/ {
	said = said " " $0
	next
}
/AT\(-?[0-9]+\);/ {
	line = $0
	sub(/.*AT\(/, "", line)
	at = line + 0
	if (at >= 0)
		named(said)
	said = ""
}
at >= 0 {
	for (i = numbers($0, "LIVE"); i > 0; i--)
		touch("w", found[i])
	for (i = numbers($0, "MADE"); i > 0; i--)
		if (tensor[found[i]] >= 0)
			touch("w", made[found[i]] = buffer_at(tensor[found[i]], at))
	for (i = numbers($0, "(F64|F32|F16|I32|U8)"); i > 0; i--)
		touch("r", buffer_at(found[i], at))
}
