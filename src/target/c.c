/*
 * The C target: POSIX threads, any C11 compiler that supports GCC's extensions. Offsets are aligned to a
 * cache line, which is also the widest vector.
 */
#include "target/target.h"

static void
makefile(struct text *t, const struct recipe *r)
{
	text_printf(t, "# Builds %s, which trains what %s says.\n", r->program, r->spec);
	text_printf(t, "#\n"
	    "#   make               the program, for this machine\n"
	    "#   make PORTABLE=1    for any machine of this architecture\n"
	    "#   make CBLAS=1       matrix products by OpenBLAS\n"
	    "#   make CHECK=1       %s-check: every buffer is poisoned outside its lifetime\n"
	    "#   make lib           lib%s.so, to be driven step by step\n"
	    "#\n"
	    "# After a change of options, make -B.\n"
	    "CC     = cc\n"
	    "CFLAGS = -O3\n"
	    "FLAGS  = -std=gnu11 -fopenmp-simd -pthread -fno-math-errno -fno-trapping-math\n"
	    "LIBS   = -lm\n"
	    "PROGRAM = %s\n\n", r->program, r->program, r->program);
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
	text_puts(t,
	    "$(PROGRAM)$(SUFFIX): $(PROGRAM).c\n"
	    "\t$(CC) $(CFLAGS) $(FLAGS) $(CPPFLAGS) $(LDFLAGS) -o $@ $< $(LIBS)\n\n"
	    "lib: lib$(PROGRAM).so\n"
	    "lib$(PROGRAM).so: $(PROGRAM).c\n"
	    "\t$(CC) $(CFLAGS) $(FLAGS) $(CPPFLAGS) $(LDFLAGS) -DLIBRARY -DTRACE \\\n"
	    "\t    -shared -fPIC -o $@ $< $(LIBS)\n\n"
	    "clean:\n"
	    "\trm -f $(PROGRAM) $(PROGRAM)-check lib$(PROGRAM).so\n\n"
	    ".PHONY: lib clean\n");
}

const struct target target_c = {
	.name = "c",
	.brief = "a C program for CPUs",
	.suffix = ".c",
	.alignment = 64,
	.needs = "a compiler",
	.defines = "",
	.options = "USE_CBLAS",
	.prologue = "host/prologue_c.h",
	.device = "host/device_c.c",
	.makefile = makefile,
};
