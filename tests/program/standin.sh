# CUDA programs that run without a GPU, on what stands for the runtime, cuBLASLt and cuDNN ($work/standin.so) and, where there
# is a header of it, for NCCL, too ($work/ranks.so): sourced by the tests of them, after tap.sh. It leaves the caller in $work.
. "$top_srcdir/tests/program/nvcc.sh"
here=$top_srcdir/tests/program/standin
cd "$work" || exit 99
unset XDG_CACHE_HOME

stands_in() { # NAME.so [PART]: of what all have, and of that
	shared=$1
	shift
	set -- card queues touches properties libraries "$@"
	for part; do
		[ -e "$part.o" ] || "$CXX" -std=c++17 -O1 -fPIC -I"$(dirname "$(command -v "$NVCC")")/../include" -c "$here/$part.cc" || return
	done > log 2>&1
	# shellcheck disable=SC2046
	"$CXX" -shared -o "$shared" $(printf '%s.o ' "$@") > log 2>&1
}
stands_in standin.so || skip_all "no cuDNN 9 and cuBLASLt beside nvcc: NO PROGRAM WAS RUN ON STAND-INS"

stands_for_nccl() {
	echo '#include <nccl.h>' | "$NVCC" -x cu -E - > /dev/null 2>&1 && stands_in ranks.so nccl
}

compiled() { # NAME OPTION...: NAME/NAME.cu, without a word; of kernels, which do nothing here, no code is made
	name=$1
	shift
	told='static void (*told)(int) = (void (*)(int))dlsym(RTLD_DEFAULT, "standin_at"); if (told) told(instant);'
	awk -f "$here/touches.awk" "$name/$name.cu" > "$name/touches" &&
		sed "/^#define AT(instant)/s/do {/& $told/" "$name/$name.cu" > "$name/told.cu" || return
	# shellcheck disable=SC2086
	"$NVCC" -std=c++17 $alone -arch=sm_90 -cudart shared -Xcompiler -fopenmp -DUSE_CUBLASLT "$@" \
		-o "$name/$name" "$name/told.cu" -lcublasLt -lcudnn > log 2>&1 && [ ! -s log ]
}
