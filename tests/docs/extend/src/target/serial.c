/*
 * The serial target: the C program on one thread, for systems without threads.
 */
#include "target/target.h"

static void
makefile(struct text *t, const struct recipe *r)
{
	text_printf(t, "CFLAGS = -O3\n%s: %s.c\n\t$(CC) $(CFLAGS) -std=gnu11 -DNO_THREADS -o $@ %s.c -lm\n", r->program,
	    r->program, r->program);
}

const struct target target_serial = {
	.name = "serial",
	.brief = "a C program for one thread",
	.suffix = ".c",
	.alignment = 64,
	.needs = "a compiler",
	.defines = "",
	.options = "",
	.prologue = "host/prologue_c.h",
	.device = "host/device_c.c",
	.makefile = makefile,
};
