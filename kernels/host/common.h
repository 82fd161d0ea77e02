/*
 * common.h - what every part of the program needs before anything else: the system's headers and
 * the one way to give up. A mistake in data, options or checkpoints ends in one line on standard
 * error and status 2.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool bar_is_drawn;	/* the cursor stands behind a progress bar */

__attribute__((format(printf, 1, 2), noreturn, unused)) static void
fail(const char *format, ...)
{
	va_list args;

	if (bar_is_drawn)
		putchar('\n');
	fflush(stdout);
	fprintf(stderr, "%s: ", PROGRAM);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(2);
}
