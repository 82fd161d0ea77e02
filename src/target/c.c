/*
 * The C target: POSIX threads, any C11 compiler that supports GCC's extensions. Offsets are aligned
 * to a cache line, which is also the widest vector.
 */
#include "target/target.h"

/* What can be made, and by which compiler: that of MPI knows where its headers and libraries
 * are. */
static void
put_uses(struct text *t, const struct recipe *r)
{
	text_printf(t, "# Builds %s, which trains what %s says.\n", r->program, r->spec);
	text_printf(t, "#\n"
	    "#   make               the program, for this machine\n"
	    "#   make PORTABLE=1    for any machine of this architecture\n"
	    "#   make CBLAS=1       matrix products by OpenBLAS\n"
	    "#   make CHECK=1       %s-check: every buffer is poisoned outside its lifetime\n", r->program);
	if (r->ranks > 1)
		text_printf(t, "#\n# It trains as %lld processes together, on one machine or more (Open MPI or MPICH):\n"
		    "#\n#   mpirun -n %lld ./%s\n", (long long)r->ranks, (long long)r->ranks, r->program);
	else
		text_printf(t, "#   make lib           lib%s.so, to be driven step by step\n", r->program);
	text_printf(t, "#\n# After a change of options, make -B.\nCC     = %s\n", r->ranks > 1 ? "mpicc" : "cc");
	if (r->ranks > 1)
		text_printf(t, "ifeq ($(shell command -v $(firstword $(CC))),)\n"
		    "NO_MPI = $(error there is no $(CC): %s trains on %lld ranks, and needs MPI (libopenmpi-dev, openmpi-bin))\n"
		    "endif\n", r->program, (long long)r->ranks);
}

static void
makefile(struct text *t, const struct recipe *r)
{
	put_uses(t, r);
	text_printf(t, "CFLAGS = -O3\n"
	    "FLAGS  = -std=gnu11 -fopenmp-simd -pthread -fno-math-errno -fno-trapping-math\n"
	    "LIBS   = -lm\n"
	    "PROGRAM = %s\n\n", r->program);
	text_puts(t,
	    "ifndef PORTABLE\n"
	    "FLAGS += -march=native\n"
	    "endif\n"
	    "ifdef CBLAS\n"
	    "FLAGS += -DUSE_CBLAS $(shell pkg-config --cflags openblas 2>/dev/null)\n"
	    "LIBS  += $(shell pkg-config --libs openblas 2>/dev/null || echo -lopenblas)\n"
	    "endif\n"
	    "ifdef CHECK\n"
	    "CFLAGS = -O1 -g\n"
	    "FLAGS += -DCHECK -fsanitize=address,undefined -fno-sanitize-recover=undefined\n"
	    "SUFFIX = -check\n"
	    "endif\n\n");
	if (r->stages > 1)
		recipe_put_stages(t, r, "c", "$(NO_MPI)$(CC) $(CFLAGS) $(FLAGS) $(CPPFLAGS)",
		    "$(CC) $(CFLAGS) $(FLAGS) $(CPPFLAGS) $(LDFLAGS)");
	else
		text_printf(t,
		    "$(PROGRAM)$(SUFFIX): $(PROGRAM).c\n"
		    "\t%s$(CC) $(CFLAGS) $(FLAGS) $(CPPFLAGS) $(LDFLAGS) -o $@ $< $(LIBS)\n\n", r->ranks > 1 ? "$(NO_MPI)" : "");
	if (r->ranks <= 1)
		text_puts(t,
	    "lib: lib$(PROGRAM).so\n"
	    "lib$(PROGRAM).so: $(PROGRAM).c\n"
	    "\t$(CC) $(CFLAGS) $(FLAGS) $(CPPFLAGS) $(LDFLAGS) -DLIBRARY -DTRACE \\\n"
	    "\t    -shared -fPIC -o $@ $< $(LIBS)\n\n");
	text_printf(t,
	    "clean:\n"
	    "\trm -f $(PROGRAM) $(PROGRAM)-check lib$(PROGRAM).so%s\n\n"
	    ".PHONY: %sclean\n", r->stages > 1 ? " $(PROGRAM)*.o" : "", r->ranks > 1 ? "" : "lib ");
}

const struct target target_c = {
	.name = "c",
	.brief = "a C program for CPUs",
	.suffix = ".c",
	.alignment = 64,
	.needs = "a compiler",
	.ranks_by = "MPI",
	.defines = "",
	.options = "USE_CBLAS",
	.prologue = "host/prologue_c.h",
	.device = "host/device_c.c",
	.makefile = makefile,
};
