# Takes the files of kernels/ apart, for embed.sh: which lines are one definition, what it defines,
# and which names that kernels define each of its lines uses. emit/parts.c finds by these tables
# what a program needs; so no kernel is scanned when a program is written.
#
# The files are written so that this can be seen without a parser: a definition begins at the left
# edge and ends with a line that begins with a closing brace, or with a semicolon. What defines no
# single name (a typedef, an enumeration, a macro's call) has none here, and always stays.
#
# A name that ## puts together is no word of the text: where a definition could be meant, that is an
# error here.

BEGIN {
	names = files = lines = uses = 0
	pieces = 1	# 0: a blank line between pieces
	kind_of[0] = "BLANK"
	name_of[0] = -1
	# what the emitter's own text defines for kernels, and leaves out where nothing uses it
	i = split("PREDICTIONS SAMPLES_ROOM SPEC_FOLDER THREADS USE_DOUBLE USE_TF32 VALIDATE_BATCH predictions", given, " ")
	for (; i > 0; i--)
		name_it(given[i])
}

FNR == 1 {
	end_file()
	first_line[files++] = lines
	file = FILENAME
	first = lines
	commented = 0
}

{
	raw[lines] = $0
	code[lines] = bare($0)
	open_end[lines] = commented || $0 ~ /\\$/
	lines++
}

END {
	if (failed)
		exit 1
	end_file()
	check_pasted()
	if (failed)
		exit 1
	print_tables()
}

function fail(line, what) {
	printf "%s:%d: %s\n", file, line - first + 1, what | "cat >&2"
	failed = 1
}

# The line without comments and literals. A comment that stays open is continued: COMMENTED.
function bare(s,	out, at) {
	out = ""
	while (1) {
		if (commented) {
			if (!(at = index(s, "*/")))
				return out
			s = substr(s, at + 2)
			commented = 0
		}
		if (!match(s, /\/\*|["']/))
			return out s
		out = out substr(s, 1, RSTART - 1) " "
		s = substr(s, RSTART)
		if (substr(s, 1, 1) == "/") {
			commented = 1
			s = substr(s, 3)
		} else if (match(s, /^"([^"\\]|\\.)*"/) || match(s, /^'([^'\\]|\\.)*'/)) {
			s = substr(s, RLENGTH + 1)
		} else {
			return out
		}
	}
}

# ---- pieces ----

function end_file(	i) {
	for (i = first; file != "" && i < lines; )
		i = raw[i] == "" ? i + 1 : read_piece(i)
}

# The line behind the one at I and those that continue it: by a backslash, or in a comment.
function behind(i) {
	while (open_end[i] && i + 1 < lines)
		i++
	return i + 1
}

# Takes lines FROM to END as a piece.
function add_piece(from, end, kind, name) {
	kind_of[pieces] = kind
	name_of[pieces] = name == "" || name == "main" || name ~ /^stowage_/ ? -1 : name_it(name)
	for (; from < end; from++)
		piece_of[from] = pieces
	pieces++
	return end
}

function name_it(name) {
	if (!(name in name_number)) {
		name_text[names] = name
		name_number[name] = names++
	}
	return name_number[name]
}

function read_piece(i,	end, name) {
	end = behind(i)
	if (raw[i] ~ /^\/\*/)
		return add_piece(i, end, comment_kind(i), "")
	if (raw[i] !~ /^#/)
		return read_definition(i)
	if (raw[i] !~ /^#define/)
		return add_piece(i, end, "DIRECTIVE", "")
	name = code[i]
	sub(/^#define[ \t]*/, "", name)
	sub(/[^A-Za-z0-9_].*/, "", name)
	note_pasted(name, i, end)
	return add_piece(i, end, "DEFINITION", name)
}

# "name.cu - what it is" opens a file.
function comment_kind(i) {
	if (raw[i] == "/*" && raw[i + 1] ~ /^ \* [^ ]*\.[^ ]* - /)
		return "OPENING"
	return raw[i] ~ /^\/\* ----/ ? "SECTION" : "COMMENT"
}

function read_definition(i,	from, next_line, text, last, open, ends, depth) {
	from = i
	text = ""
	while (i < lines && !ends) {
		next_line = behind(i)
		depth += (raw[i] ~ /^#if/) - (raw[i] ~ /^#endif/)
		last = text_of(i, next_line)
		text = text last
		sub(/[ \t\n]*$/, "", last)
		last = substr(last, length(last))
		ends = raw[i] ~ /^\}/ || (!open && (last ~ /[;}]/ || raw[i] ~ /^extern "C" \{/))
		open = open || last == "{"
		i = next_line
		if (!open && !ends && i < lines && raw[i] ~ /^(#|$)/)
			break
	}
	if (depth || (open && !ends))
		fail(from, "an #if or the end of the file cuts this definition")
	return add_piece(from, i, "DEFINITION", ends ? defined_name(text, raw[i - 1]) : "")
}

function text_of(i, end,	text) {
	for (text = ""; i < end; i++)
		text = text code[i] "\n"
	return text
}

# ---- names ----

# What follows the bracket that closes the one that S begins with.
function closed(s, opening, closing,	depth, i, c) {
	for (i = 1; i <= length(s); i++) {
		c = substr(s, i, 1)
		depth += (c == opening) - (c == closing)
		if (!depth)
			break
	}
	return substr(s, i + 1)
}

# What a definition defines: the word before its arguments, its length, its value or, of a
# structure, its members; "" if that is not one name.
function defined_name(s, last_line,	name, structure) {
	name = ""
	while (s !~ /^[=;{[]/) {
		if (match(s, /^[ \t\n*&]+/)) {
			s = substr(s, RLENGTH + 1)
		} else if (match(s, /^[A-Za-z0-9_]+/)) {
			name = substr(s, 1, RLENGTH)
			s = substr(s, RLENGTH + 1)
			if (name ~ /^(enum|typedef|extern|operator)$/)
				return ""
			structure = structure || name == "struct" || name == "union"
		} else if (s ~ /^</) {
			s = closed(s, "<", ">")
		} else if (s !~ /^\(/) {
			return ""
		} else if (name ~ /^(alignas|__align__|__attribute__|__launch_bounds__)$/) {
			s = closed(s, "(", ")")
		} else {
			break
		}
	}
	# a function by its value, or a variable of the structure that is defined
	if (s ~ /^\{/ && (!structure || last_line !~ /\};$/))
		return ""
	if (s ~ /^\(/ && (s ~ /^\(\*/ || name ~ /^(KERNELS?|COLUMN_KERNEL|LISTED)$/)) {
		sub(/^[^A-Za-z_]*/, "", s)
		name = s
		sub(/[^A-Za-z0-9_].*/, "", name)
	}
	return name
}

# ---- names that ## puts together ----

# Of the macro of that name, lines I to END: what stands beside a ##, and its arguments.
function note_pasted(name, i, end,	s, arguments, word) {
	s = text_of(i, end)
	if (s !~ /##/)
		return
	match(s, /\([^)]*\)/)
	arguments = substr(s, RSTART, RLENGTH)
	gsub(/[^A-Za-z0-9_]+/, " ", arguments)
	while (match(s, /[A-Za-z0-9_]*[ \t]*##[ \t]*[A-Za-z0-9_]*/)) {
		word = substr(s, RSTART, RLENGTH)
		s = substr(s, RSTART + RLENGTH)
		gsub(/[ \t]/, "", word)
		pasted[word] = arguments
		pasted_by[word] = name
		pasted_at[word] = file
	}
}

function check_pasted(	word, half, name, i, n) {
	for (word in pasted) {
		for (i = 0; i < lines && !n; i++)
			note_words(code[i])
		n = 1
		split(word, half, "##")
		for (i = 1; i <= 2; i++)
			if (index(pasted[word], " " half[i] " "))
				half[i] = ""
		for (name in name_number)
			if (name != pasted_by[word] && could_be(name, half[1], half[2])) {
				printf "%s: %s could be %s, which no line names\n", pasted_at[word],
				    word, name | "cat >&2"
				failed = 1
			}
	}
}

function note_words(s,	word, i) {
	for (i = split(s, word, /[^A-Za-z0-9_]+/); i > 0; i--)
		is_word[word[i]] = 1
}

# Is NAME a word of the text with HEAD before or TAIL behind it?
function could_be(name, head, tail,	stem) {
	stem = length(name) - length(head) - length(tail)
	if (stem <= 0 || substr(name, 1, length(head)) != head ||
	    substr(name, length(head) + stem + 1) != tail)
		return 0
	return substr(name, length(head) + 1, stem) in is_word
}

# ---- tables ----

function print_tables(	i) {
	print "\nconst char *const kernel_names[] = {"
	for (i = 0; i < names; i++)
		printf "\t\"%s\",\n", name_text[i]
	print "};\nconst int kernel_name_count = sizeof(kernel_names) / sizeof(kernel_names[0]);"
	print "\nconst struct kernel_piece kernel_pieces[] = {"
	for (i = 0; i < pieces; i++)
		printf "\t{ PIECE_%s, %d },\n", kind_of[i], name_of[i]
	print "};\n\nconst int kernel_first_lines[] = {"
	for (i = 0; i < files; i++)
		printf "\t%d,\n", first_line[i]
	print "};"
	print_uses()
	print "\nconst struct kernel_line kernel_lines[] = {"
	for (i = 0; i < lines; i++)
		printf "\t{ %d, %d, %d },\n", length(raw[i]) + 1, piece_of[i], first_use[i]
	printf "\t{ 0, 0, %d }\n};\n", uses
}

function print_uses(	i) {
	print "\nconst unsigned short kernel_uses[] = {"
	for (i = 0; i < lines; i++) {
		first_use[i] = uses
		print_uses_of(i)
	}
	print "\t0\n};"
}

function print_uses_of(line,	word, n, i, name) {
	n = split(code[line], word, /[^A-Za-z0-9_]+/)
	for (i = 1; i <= n; i++) {
		if (!(word[i] in name_number))
			continue
		name = name_number[word[i]]
		if (used_at[name] == line + 1)
			continue
		used_at[name] = line + 1
		printf "\t%d,\n", name
		uses++
	}
}
