#!/bin/sh
# Writes the table of all records of a kind: tables.sh KIND HEADER FILE...
# A record is found by its definition, `const struct KIND KIND_NAME = {` at the start of a line. The table
# is needed because a static library drops objects that nothing refers to.
set -eu
kind=$1 header=$2
shift 2
names=$(sed -n "s/^const struct $kind ${kind}_\([a-z0-9_]*\) = {.*/\1/p" "$@" | LC_ALL=C sort)
echo "/* Made by src/tables.sh: do not edit. */"
echo "#include \"$header\""
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
