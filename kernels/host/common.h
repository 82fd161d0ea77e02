/*
 * common.h - what every part of the program needs before anything else: the system's headers and
 * the one way to give up. A mistake in data, options or checkpoints ends in one line on standard
 * error and status 2. What it quotes may be anybody's: names of files, contents of data.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifdef INFERS
#include <setjmp.h>

static char net_message[1 << 12];	/* what went wrong last: net_error() */
static jmp_buf net_failed;		/* where the function that was called goes on */
#endif

#ifdef RANKS
static void ranks_speak(void);
static void ranks_abort(int status);
#endif

static volatile sig_atomic_t interrupted;	/* the signal that told it to end; 0: none */
static bool bar_is_drawn;	/* the cursor stands behind a progress bar */

/* How many bytes the character of UTF-8 has that begins here, if it can be seen; 0: none, or one
 * that a terminal obeys (a control), or that turns the direction of what follows. */
static int
safe_length(const unsigned char *p)
{
	int n = *p < 0x80 ? 1 : *p < 0xc2 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : *p < 0xf5 ? 4 : 0;
	long code = n == 1 ? *p : *p & (0xff >> (n + 1));

	for (int i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3f);
	}
	if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xfeff)
		return 0;
	if ((code >= 0x200b && code < 0x2010) || (code >= 0x2028 && code < 0x202f) ||
	    (code >= 0x2060 && code < 0x2070) || (code >= 0xd800 && code < 0xe000))
		return 0;
	return n;
}

/* Prints TEXT so that it is seen as it is, and does nothing to a terminal. */
static void
put_safe(FILE *to, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	int n;

	for (; *p; p += n) {
		n = safe_length(p);
		if (n) {
			fwrite(p, 1, (size_t)n, to);
		} else {
			fprintf(to, "\\x%02x", *p);
			n = 1;
		}
	}
}

__attribute__((format(printf, 1, 2), noreturn, unused)) static void
fail(const char *format, ...)
{
	va_list args;

#ifdef INFERS
	va_start(args, format);
	vsnprintf(net_message, sizeof(net_message), format, args);
	va_end(args);
	longjmp(net_failed, 1);
#else
	static char message[1 << 14];

	if (bar_is_drawn)
		putchar('\n');
	fflush(stdout);
#ifdef RANKS
	ranks_speak();
#endif
	fprintf(stderr, "%s: ", PROGRAM);
	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	put_safe(stderr, message);
	fputc('\n', stderr);
#ifdef RANKS
	ranks_abort(2);
#endif
	exit(2);
#endif
}
