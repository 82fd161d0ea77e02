/*
 * The CUDA target. Offsets are aligned as cudaMalloc aligns, to 256 bytes, so that no kernel or
 * library sees a pointer that cudaMalloc would not return.
 */
#include "target/target.h"

/* Where a library's header lies, as the variable NAME says: a package of pip has the library under
 * its full name alone; that of the toolkit, of the system and of conda have a link. The compiler
 * knows the first two folders by itself, and those for Debian's architectures within. */
static void
put_search(struct text *t, const char *name, const char *header, const char *package)
{
	text_printf(t,
	    "%s_in  = $(if $(wildcard $(1)/include/%s $(1)/include/*-linux-gnu/%s),$(1))\n"
	    "%s    := $(or $(call %s_in,/usr),$(call %s_in,$(dir $(NVCC))..),$(call %s_in,$(CONDA_PREFIX)),\\\n"
	    "           $(call %s_in,$(shell python3 -c 'import %s as c; print(c.__path__[0])' 2>/dev/null)))\n"
	    "%s    := $(strip $(%s))\n", name, header, header, name, name, name, name, name, package, name, name);
}

/* Links the library, which is under that name in pip's package. */
static void
put_link(struct text *t, const char *name, const char *library, int version)
{
	text_printf(t,
	    "%s_LIB = $(notdir $(firstword $(wildcard $(%s)/lib/lib%s.so $(%s)/lib/lib%s.so.%d)))\n"
	    "ifneq ($(filter 1 /usr $(dir $(NVCC))..,$(%s)),)\n"
	    "LIBS  += -l%s\n"
	    "else\n"
	    "FLAGS += -I$(%s)/include\n"
	    "LIBS  += -L$(%s)/lib -Xlinker -l:$(%s_LIB) -Xlinker -rpath=$(%s)/lib\n"
	    "endif\n", name, name, library, name, library, version, name, library, name, name, name, name);
}

static void
put_cudnn(struct text *t)
{
	text_puts(t, "# cuDNN: in the system's folders, beside the toolkit, or a package of conda or of pip\n");
	put_search(t, "CUDNN", "cudnn_graph.h", "nvidia.cudnn");
	text_puts(t,
	    "LACKS    = $(if $(filter command,$(origin CUDNN)),make CUDNN= was asked for,no cudnn_graph.h was found)\n"
	    "ifeq ($(CUDNN),)\n"
	    "FLAGS += -DWITHOUT_CUDNN='\"$(LACKS)\"'\n"
	    "else\n"
	    "FLAGS += -DUSE_CUDNN\n");
	put_link(t, "CUDNN", "cudnn", 9);
	text_puts(t, "endif\n");
}

static void
put_nccl(struct text *t, const struct recipe *r)
{
	text_puts(t, "# NCCL: where cuDNN is looked for, too\n");
	put_search(t, "NCCL", "nccl.h", "nvidia.nccl");
	text_printf(t,
	    "ifeq ($(NCCL),)\n"
	    "NO_NCCL = $(error there is no nccl.h: %s trains on %lld ranks, and needs NCCL (libnccl-dev, or pip's nvidia-nccl); NCCL=DIR "
	    "says where it is)\n"
	    "endif\n", r->program, (long long)r->ranks);
	put_link(t, "NCCL", "nccl", 2);
}

/* How it is started. */
static void
put_ranks(struct text *t, const struct recipe *r)
{
	text_printf(t,
	    "# It trains as %lld processes together, a GPU each, on one machine or more (NCCL; NCCL=DIR says where it is):\n"
	    "#\n"
	    "#   torchrun --no-python --nproc-per-node %lld ./%s\n"
	    "#   srun -n %lld ./%s\n"
	    "#\n", (long long)r->ranks, (long long)r->ranks, r->program, (long long)r->ranks, r->program);
}

/* For which cards, and with what. */
static void
put_flags(struct text *t, const struct recipe *r)
{
	text_puts(t, "KNOWN   := $(patsubst sm_%,%,$(shell $(NVCC) --list-gpu-code 2> /dev/null))\n");
	if (r->arch)
		text_printf(t, "ARCH     = %d\n", r->arch);
	else
		text_puts(t, "# of these, all that this nvcc knows; and in a form that drivers of newer cards translate\n"
		    "ARCH    := $(or $(filter 75 80 86 89 90 100 120,$(KNOWN)),75)\n"
		    "ifeq ($(origin ARCH),file)\n"
		    "NEWER    = -gencode arch=compute_$(lastword $(ARCH)),code=compute_$(lastword $(ARCH))\n"
		    "endif\n");
	text_printf(t,
	    "UNKNOWN  = $(if $(KNOWN),$(filter-out $(KNOWN) $(KNOWN:=a) $(KNOWN:=f),$(ARCH)))\n"
	    "NO_CODE  = $(if $(UNKNOWN),$(error $(NVCC) has no code for ARCH=$(UNKNOWN); it knows $(KNOWN)))\n"
	    "# code of 9.0 is that of sm_90a, where this nvcc has it: for the same cards, with instructions that sm_90 lacks\n"
	    "OWN     := $(if $(filter 90,$(ARCH)),$(shell $(NVCC) -arch=sm_90a -dryrun -E -x cu /dev/null > /dev/null 2>&1 && echo 90a))\n"
	    "CODE     = $(patsubst 90,$(or $(OWN),90),$(ARCH))\n"
	    "%s"
	    "CFLAGS   = -O3\n"
	    "# the host's threads read and convert the next batch\n"
	    "THREADS  = -Xcompiler -fopenmp\n"
	    "FLAGS    = -std=c++17 $(NO_CODE)$(foreach a,$(CODE),-gencode arch=compute_$(a),code=sm_$(a)) $(NEWER)\n"
	    "LIBS     =\n"
	    "PROGRAM  = %s\n\n", r->libraries ? "CUBLASLT = 1\n" : "", r->program);
}

static void
makefile(struct text *t, const struct recipe *r)
{
	text_printf(t, "# Builds %s, which trains what %s says, for NVIDIA GPUs.\n", r->program, r->spec);
	text_printf(t, "#\n"
	    "#   make                the program\n"
	    "#   make ARCH=86        for cards of compute capability 8.6 alone\n"
	    "%s%s"
	    "#   make CHECK=1        %s-check: a buffer is NaN outside its lifetime\n",
	    r->libraries ? "#   make CUBLASLT=      matrix products without cuBLASLt\n" : "",
	    r->libraries ? "#   make CUDNN=         convolutions without cuDNN; CUDNN=DIR says where it is\n" : "", r->program);
	if (r->ranks <= 1)
		text_printf(t, "#   make lib            lib%s.so, to be driven step by step\n", r->program);
	text_puts(t, "#\n");
	if (r->ranks > 1)
		put_ranks(t, r);
	text_puts(t,
	    "# After a change of options, make -B.\n"
	    "NVCC     = $(firstword $(shell command -v nvcc) /usr/local/cuda/bin/nvcc)\n");
	put_flags(t, r);
	text_puts(t, !r->libraries ? "" :
	    "ifneq ($(CUBLASLT),)\n"
	    "FLAGS += -DUSE_CUBLASLT\n"
	    "LIBS  += -lcublasLt\n"
	    "endif\n");
	if (r->convolves)
		put_cudnn(t);
	if (r->ranks > 1)
		put_nccl(t, r);
	text_puts(t,
	    "ifdef CHECK\n"
	    "FLAGS += -DCHECK -lineinfo\n"
	    "SUFFIX = -check\n"
	    "endif\n\n");
	if (r->stages > 1)
		recipe_put_stages(t, r, "cu", "$(NO_NCCL)$(NVCC) $(CFLAGS) $(THREADS) $(FLAGS) $(CPPFLAGS)",
		    "$(NVCC) $(CFLAGS) $(THREADS) $(FLAGS) $(CPPFLAGS)");
	else
		text_printf(t,
	    "$(PROGRAM)$(SUFFIX): $(PROGRAM).cu\n"
	    "\t%s$(NVCC) $(CFLAGS) $(THREADS) $(FLAGS) $(CPPFLAGS) -o $@ $< $(LIBS)\n"
	    "%s\n", r->ranks > 1 ? "$(NO_NCCL)" : "", r->convolves ? "\t$(if $(CUDNN),,@echo 'note: $@ is without cuDNN ($(LACKS)): convolutions run by kernels of "
	    "its own')\n" : "");
	if (r->ranks <= 1)
		text_puts(t,
	    "lib: lib$(PROGRAM).so\n"
	    "lib$(PROGRAM).so: $(PROGRAM).cu\n"
	    "\t$(NVCC) $(CFLAGS) $(FLAGS) $(CPPFLAGS) -DLIBRARY -DTRACE \\\n"
	    "\t    -shared -Xcompiler -fPIC -o $@ $< $(LIBS)\n\n");
	text_printf(t,
	    "clean:\n"
	    "\trm -f $(PROGRAM) $(PROGRAM)-check lib$(PROGRAM).so%s\n\n"
	    ".PHONY: %sclean\n", r->stages > 1 ? " $(PROGRAM)*.o" : "", r->ranks > 1 ? "" : "lib ");
}

/*
 * Estimates, since they depend on card, driver and library. The driver's share is what nvidia-smi
 * counts and CUDA does not: drivers of 2025 keep 439 MiB of an RTX 2080 Ti's 11,264 and 495 of an
 * RTX 4090's 24,564, those of 2020 kept 245 and 300. The table of cards is without it; where a spec
 * says the memory, it is taken for nvidia-smi's, and the rule of target/gpu.c counts. A context
 * takes about 300 MiB since CUDA 11.7, which loads a kernel's code when it first runs (over 1 GB
 * before that, by users' reports); then there is that code, and what the libraries load of theirs
 * when they first run something: no card was at hand to measure it, and 192 MiB is meant to be
 * enough. Workspaces are in the arena.
 *
 * A context grows with the card, since it keeps a stack for each thread that may be on it at once:
 * on Linux, by cudaMemGetInfo against NVML, it is 107 MiB on an RTX 4060 Ti of 34 multiprocessors
 * and 555 MiB on an RTX PRO 6000 of 188 (pull request 23604 of ggml-org/llama.cpp). Both are 8 MiB
 * and 1987 bytes a thread. A card that is not named is taken for one of about 100 multiprocessors.
 *
 * NCCL's buffers grow with its channels, up to 32 of them, which it chooses by what joins the
 * cards: by users' reports a process that has added up over all ranks holds 1.06 GB on an H100, or
 * 1.6, its context with it (issues 1685 and 864 of NVIDIA/nccl).
 */
static const struct reserve reserve[] = {
	{ .what = "the driver's share of the card", .bytes = INT64_C(400) << 20, .part = 128,
	  .reported = true },
	{ .what = "CUDA context", .bytes = INT64_C(304) << 20, .a_thread = 1987,
	  .beside = INT64_C(8) << 20 },
	{ .what = "code of kernels, cuBLASLt and cuDNN", .bytes = INT64_C(192) << 20, .loaded = true },
	{ .what = "NCCL's buffers", .bytes = INT64_C(1024) << 20, .loaded = true, .of_ranks = true },
	{ .what = NULL }
};

const struct target target_cuda = {
	.name = "cuda",
	.brief = "a CUDA program for NVIDIA GPUs from compute capability 7.5",
	.suffix = ".cu",
	.alignment = 256,
	.reserve = reserve,
	.is_gpu = true,
	.libraries = true,
	.splits_sums = true,
	.lands_batches = true,
	.concurrent = true,
	.lists_calls = true,
	.tensor_cores = true,
	.sums_bias = true,
	.oldest_arch = 75,
	.ranks_by = "NCCL",
	.needs = "the CUDA toolkit, and cuDNN if that is there",
	.defines = "__CUDACC__ __cplusplus",
	.options = "USE_CUBLASLT USE_CUDNN WITHOUT_CUDNN",
	.prologue = "host/prologue_cuda.h",
	.steps = "host/branches_cuda.cu",
	.feed = "host/feed_cuda.cu",
	.device = "host/device_cuda.cu",
	.makefile = makefile,
};
