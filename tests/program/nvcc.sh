# What scripts that compile CUDA programs share: sourced by them after tap.sh. Most of the time of a compilation is the
# optimisers' and the assembler's, so an nvcc that can is told to be quick ($quickly); another one is quickest with -O1 before an
# assembler that does not optimise. Where no card will run the code, nvcc reads it and makes none ($alone): half the time or less.
: "${NVCC:=nvcc}"
command -v "$NVCC" > /dev/null || NVCC=/usr/local/cuda/bin/nvcc
command -v "$NVCC" > /dev/null || skip_all "no nvcc"
"$NVCC" --help > "$work/help"
# shellcheck disable=SC2034
quickly='-Ofc max' alone=-fdevice-syntax-only
grep -q -e '(-Ofc)' "$work/help" || quickly='-Xcicc -O1 -Xptxas -O0'
grep -q -e "$alone" "$work/help" || alone=$quickly
