#!/bin/sh
# Writes the table of all records of a kind: tables.sh KIND, where src/ is.
# A record is found by its definition, `const struct KIND KIND_NAME = {` at the start of a line, or by its row,
# `KIND_ROW(NAME, `, in capitals, where a macro of that name makes one. The table is needed because a static
# library drops objects that nothing refers to.
#
# Records stand by name. Where people know another order, a file ORDER beside them has it, a name a
# line: those come first.
set -eu
kind=$1
# the header that declares the table, and the files that have records
header=$(grep -lF "struct $kind *const ${kind}_table[]" src/*/*.h)
row=$(echo "$kind" | tr a-z A-Z)_ROW
set -- $(grep -lE "^(const struct $kind ${kind}_[a-z0-9_]* = \{|$row\()" src/*/*.c)
order=$(dirname "$1")/ORDER
names=$(sed -n "s/^const struct $kind ${kind}_\([a-z0-9_]*\) = {.*/\1/p; s/^$row(\([a-z0-9_]*\),.*/\1/p" "$@" |
	LC_ALL=C sort)
if [ -f "$order" ]; then
	names=$(echo "$names" | awk -v order="$order" '
		{ there[$1] = 1; name[NR] = $1 }
		END {
			while ((getline line < order) > 0) {
				if (!there[line]) {
					print order ": there is no " line | "cat >&2"
					exit 1
				}
				print line
				delete there[line]
			}
			for (i = 1; i <= NR; i++)
				if (there[name[i]])
					print name[i]
		}')
fi
echo "/* Made by src/tables.sh: do not edit. */"
echo "#include \"${header#src/}\""
echo
for name in $names; do
	echo "extern const struct $kind ${kind}_$name;"
done
echo
echo "const struct $kind *const ${kind}_table[] = {"
for name in $names; do
	echo "	&${kind}_$name,"
done
echo "	NULL"
echo "};"
echo
echo "const int ${kind}_count = sizeof(${kind}_table) / sizeof(*${kind}_table) - 1;"
