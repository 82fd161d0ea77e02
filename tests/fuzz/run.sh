#!/bin/sh
# Builds the fuzzers with the library they fuzz, by clang with libFuzzer, or by $CC with driver.c where
# there is no clang, and lets each try so many texts. What fails is left in the folder that is named.
#
#	sh tests/fuzz/run.sh RUNS [fuzz_NAME...]
#
# Each begins with the texts of corpus/NAME, and of the tree where that has such. FUZZ_BUILD is a folder that
# keeps the library and what was found from one run to the next. FUZZ_TREE is a tree that was built
# with --enable-sanitize: then its library is fuzzed as it is, by driver.c, and nothing is built anew.
set -u
runs=${1:?usage: run.sh RUNS [fuzz_NAME...]}
shift
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
build=${FUZZ_BUILD:-$(mktemp -d "${TMPDIR:-/tmp}/stowage-fuzz.XXXXXX")} || exit 2
[ $# -gt 0 ] || set -- $(cd "$top/tests/fuzz" && ls fuzz_*.c | sed 's/\.c$//')
mkdir -p "$build" && cd "$build" || exit 2
sanitize='-fsanitize=address,undefined -fno-sanitize-recover=undefined'
engine=$top/tests/fuzz/driver.c
cc=${CC:-gcc} library=
if [ "${FUZZ_TREE-}" ]; then
	ln -sfn "$FUZZ_TREE" tree || exit 2
elif clang -fsanitize=fuzzer,address -x c -o probe - 2> /dev/null <<-EOF
	int LLVMFuzzerTestOneInput(const unsigned char *text, unsigned long n) { return n && !text; }
	EOF
then
	cc=clang engine=-fsanitize=fuzzer library=-fsanitize-coverage=inline-8bit-counters,pc-table
fi
flags="-std=gnu11 -O1 -g -Wall -Wextra -D_GNU_SOURCE $sanitize"

[ -e tree/Makefile ] || (cd "$top" && tar -cf - --exclude=.git --exclude='*.[oa]' --exclude='.deps' \
	--exclude=./config.status --exclude=./Makefile --exclude='*_table.c' --exclude=texts.c .) |
	(mkdir -p tree && cd tree && tar -xf - && { [ -x configure ] || ./bootstrap --lists && autoreconf --install --force; } &&
		./configure --quiet CC=$cc CFLAGS="-O1 -g -w $sanitize $library") > configure.log 2>&1 ||
	{ tail -n 20 configure.log; exit 2; }
{ [ "${FUZZ_TREE-}" ] && [ -e tree/libstowage.a ]; } || make -s -C tree libstowage.a > make.log 2>&1 ||
	{ tail -n 20 make.log; exit 2; }

texts() { # NAME: the folder of what it begins with
	mkdir -p "texts.$1" && case $1 in
	*buffers*) cp "$top"/tests/packing/*.csv "texts.$1" ;;
	*oom*) cp "$top"/tests/golden/autopsy/*.txt "$top"/tests/golden/logs/*.txt "texts.$1" ;;
	*_archive) cp "$top"/tests/cli/models/tiny*.keras "texts.$1" ;;
	*_counts) cp "$top"/tests/fuzz/corpus/coco/* "$top"/tests/fuzz/corpus/voc/* "texts.$1" ;;
	*_import) cp "$top"/tests/cli/models/*.onnx "texts.$1" ;;
	*_ir) cp "$top"/tests/golden/ir/*.in "$top"/tests/golden/ir/*.out "texts.$1" ;;
	*_spec|*_fmt|*_fix|*_lsp|*_parse|*_suppress)
		# a large network is planned for seconds: long runs alone begin with such
		for spec in $([ "$runs" -lt 10000 ] || ls "$top"/specs/*.nn) "$top"/tests/ops/*.nn "$top"/tests/golden/lang/*.nn; do
			cp "$spec" "texts.$1/$(basename "$(dirname "$spec")")-$(basename "$spec")"
		done ;;
	esac &&
		for text in "$top/tests/fuzz/corpus/${1#fuzz_}"/*; do
			[ ! -e "$text" ] || cp "$text" "texts.$1" || return
		done
}

# what all of them share is compiled once
shared=
for source in "$top/tests/fuzz/fuzz.c" "$top/tests/fuzz/tree.c" $engine; do
	case $source in
	-*) shared="$shared $source" ;;
	*)
		object=$(basename "$source" .c).o
		[ "$object" -nt "$source" ] && [ "$object" -nt tree/libstowage.a ] ||
			# shellcheck disable=SC2086	# words
			$cc $flags -I"$top/src" -I"$top" -Itree -Itree/grammar -c -o "$object" "$source" > make.log 2>&1 ||
			{ tail -n 20 make.log; exit 2; }
		shared="$shared $object" ;;
	esac
done
libraries="$(sed -n 's/^JANSSON_LIBS = //p; s/^PROTOBUF_C_LIBS = //p' tree/Makefile | tr '\n' ' ') -lm"
failed=0
LSAN_OPTIONS=suppressions=$top/tests/leaks.supp:print_suppressions=0
FUZZ_PATH=$top/tests/golden/lang/fuzzed.nn	# what specs import lies there
export LSAN_OPTIONS FUZZ_PATH
for name; do
	case $name in
	fuzz_lsp|fuzz_keras|fuzz_archive) ! grep -q 'define HAVE_JANSSON' tree/config.h ;;
	*) false ;;
	esac && {
		echo "skipped $name: built without jansson"
		continue
	}
	[ "$name" != fuzz_import ] || grep -q 'define HAVE_PROTOBUF_C' tree/config.h || {
		echo "skipped $name: built without protobuf-c"
		continue
	}
	case $name in
	fuzz_coco|fuzz_voc) pictures='-ljpeg -lpng' ;;	# what the program's own files decode pictures with
	*) pictures= ;;
	esac
	[ -z "$pictures" ] || pkg-config --exists libjpeg libpng || {
		echo "skipped $name: there is no libjpeg or libpng"
		continue
	}
	# shellcheck disable=SC2086	# words
	$cc $flags -I"$top/src" -I"$top" -I"$top/kernels" -Itree -Itree/grammar -o "$name" "$top/tests/fuzz/$name.c" \
		$shared tree/libstowage.a $libraries $pictures > "$name.log" 2>&1 && texts "$name" &&
		"./$name" -runs="$runs" -seed=1 -max_len=65536 -timeout=300 -rss_limit_mb=4096 -verbosity=0 \
			-artifact_prefix="$build/$name." "texts.$name" >> "$name.log" 2>&1
	if [ $? = 0 ]; then
		echo "ok      $name: $(grep -o '[0-9]* texts tried.*' "$name.log")"
	else
		failed=1
		echo "FAILED  $name, in $build"
		tail -n 30 "$name.log"
	fi
done
[ -n "${FUZZ_BUILD-}" ] || [ $failed = 1 ] || rm -rf "$build"
exit $failed
