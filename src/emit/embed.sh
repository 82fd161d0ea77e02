#!/bin/sh
# Writes the text of every kernel file as C: embed.sh FOLDER > texts.c. The compiler carries them
# along, so that an emitted program needs nothing of the installation.
set -eu
cd "$1"
files=$(find . -type f \( -name '*.cu' -o -name '*.h' -o -name '*.c' \) | sed 's|^\./||' | LC_ALL=C sort)
echo '/* Made by src/emit/embed.sh from kernels/: do not edit. */'
echo '#include "emit/emit.h"'
k=0
for file in $files; do
	printf '\nstatic const char text_%d[] =	/* %s */\n' "$k" "$file"
	sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/?/\\?/g' -e 's/^/	"/' -e 's/$/\\n"/' "$file"
	echo '	"";'
	k=$((k + 1))
done
printf '\nconst struct embedded embedded_table[] = {\n'
k=0
for file in $files; do
	printf '\t{ "%s", text_%d },\n' "$file" "$k"
	k=$((k + 1))
done
printf '\t{ NULL, NULL }\n};\n'
