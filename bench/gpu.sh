#!/bin/sh
# Everything that only a machine with an NVIDIA GPU can show of the emitted CUDA programs, in one
# table: bench/README.md says what is looked at and how. Status 0: all is well; 1: something is
# not; 77: there is no GPU here, and what could be done without one was.
#
#     bench/gpu.sh                    emits what it needs with ./stowage, and runs
#     bench/gpu.sh --prepare DIR      emits into DIR; copy DIR to a machine with a GPU
#     DIR/gpu.sh                      runs there, without Stowage
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 8))' > /dev/null 2>&1; then
	echo "gpu.sh: SKIPPED: $python is not Python 3.8 or later; set PYTHON. THE GPU FIGURES ARE DUE." >&2
	exit 77
fi
PYTHONDONTWRITEBYTECODE=1 exec "$python" "$here/gpu.py" "$@"
