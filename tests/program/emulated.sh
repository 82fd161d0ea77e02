# CUDA programs on this machine, whose kernels are emulated (tests/program/emulated/cuda_runtime.h): sourced by the tests of
# them, after tap.sh. For those of a pass, $pass is its name, and `spec PRECISION` prints a network, whose program is
# net.cu.
command -v "$CXX" > /dev/null || skip_all "no C++ compiler"
find_quick_cc

emulated() { # NAME SOURCE [OPTION...]: launches, and reductions by shuffles, are what a C++ compiler cannot have
	name=$1
	sed 's/gpu_product_kernel<SIDE><<</gpu_product_kernel<SIDE, Job><<</
		s/\([a-z_]*\(<SIDE, Job>\|<Body, BYTES>\)\{0,1\}\)<<<\(.*\), [A-Z_]*, \(0\|room\), stream>>>/emulated_launch(\3, \4, stream, \1)/
		s/extern __shared__ __align__(128) char gpu_given\[\];/unsigned char *gpu_given = emulated_given;/
		/^template <typename T> DEVICE T$/,/^}$/d' "$2" > "$name.cc"
	shift 2
	compiler=$CXX	# which is sooner done where it optimises
	[ "${optimised-}" ] || compiler=$quick_cxx
	"$compiler" -std=c++17 -w "${optimised:--O0}" "$@" -I"$top_srcdir/tests/program/emulated" \
		-I"$top_srcdir/tests/program/standin" -o "$name" "$name.cc" -pthread -ldl
}

emulated_stages() { # NAME SOURCE N [OPTION...]: each stage's names are its own, as in an object of nvcc's
	stages_name=$1 stages_source=$2 stages=$3
	shift 3
	echo '{ global: _Z*stage_*; _Z*stowage_stage*; local: *; };' > "$stages_name.map"
	for k in $(seq 0 $((stages - 1))); do
		emulated "$stages_name.$k.so" "$stages_source" "-DSTAGE=$k" -shared -fPIC "-Wl,--version-script=$stages_name.map" "$@" || return
	done
	emulated "$stages_name" "$stages_source" "$@" -Wl,--no-as-needed $(seq -f "$stages_name.%g.so" 0 $((stages - 1)))
}

emitted() { # FOLDER PRECISION [OPTION...]
	folder=$1
	spec "$2" > net.nn
	shift 2
	"$STOWAGE" emit --target cuda --layout channels-last "$@" net.nn -o "$folder/"
}

calls() { # FOLDER: of norms and pooling, in a step
	sed -n '/^train_step(/,/^}/s/.*\(\(batchnorm\|maxpool\)_[a-z_]*\)(.*/\1/p' "$1/net.cu" | sort | uniq -c | tr -s ' \n' ' ' > found
	cat found && echo
}

trained() { # FOLDER: losses of two updates, or four, and all that a checkpoint has
	epochs=1
	! extended || epochs=2
	rm -f "$1.log" "$1.safetensors"
	emulated "$1/net" "$1/net.cu" && "$1/net" --epochs $epochs --log "$1.log" --save "$1.safetensors" > "$1.out" 2>&1 ||
		{ cat "$1.out"; return 1; }
	sed -n 's/.*"event":"update".*"loss":\([^,}]*\).*/\1/p' "$1.log" > "$1.losses"
	cat "$1.losses"
	[ "$(wc -l < "$1.losses")" = $((2 * epochs)) ]
}

both_trained() { # PRECISION: with the pass and without it
	emitted with "$1" && emitted without "$1" --without "$pass" && trained with && trained without
}

same_bits() {
	both_trained f32 && cmp with.losses without.losses && cmp with.safetensors without.safetensors
}

as_near() {
	both_trained bf16 &&
		paste with.losses without.losses | awk '{ d = $1 - $2; if (d < 0) d = -d; if (!(d < 0.01 * $2)) exit 1 }'
}
