#!/bin/sh
# Writes the text of every file of a folder as C:
#
#	[ONLY=c] [PREFIX=std/] [SUFFIX=.nn] embed.sh FOLDER TABLE HEADER [AWK PROGRAM] > texts.c
#
# where TABLE is declared in HEADER, files end in ONLY or are of any kind that is carried, names begin with PREFIX and lack SUFFIX, and what the awk PROGRAM writes
# of the files follows. The compiler carries kernels, the blocks of std/, templates and the page of a plan
# along, so that what it writes needs nothing of the installation.
set -eu
program=${5+$(cd "$(dirname "$5")" && pwd)/${5##*/}}
cd "$1"
files=$(find . -type f \( -name '*.cu' -o -name '*.[ch]' -o -name '*.html' -o -name '*.css' \
	-o -name '*.js' -o -name '*.nn' -o -name '*.map' \) -name "*${ONLY:+.$ONLY}" | sed 's|^\./||' | LC_ALL=C sort)
echo "/* Made by src/emit/embed.sh from ${1##*/}/: do not edit. */"
echo "#include \"$3\""
k=0
for file in $files; do
	printf '\nstatic const char text_%d[] =	/* %s */\n' "$k" "$file"
	sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/?/\\?/g' -e 's/^/	"/' -e 's/$/\\n"/' "$file"
	echo '	"";'
	k=$((k + 1))
done
printf '\nconst struct embedded %s[] = {\n' "$2"
k=0
for file in $files; do
	printf '\t{ "%s", text_%d },\n' "${PREFIX-}${file%"${SUFFIX-}"}" "$k"
	k=$((k + 1))
done
printf '\t{ NULL, NULL }\n};\n'
[ -z "$program" ] || LC_ALL=C $4 -f "$program" $files
