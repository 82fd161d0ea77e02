/*
 * stowage plan --buffers: the packer on its own, for instances in the exchange format of
 * google/minimalloc. The report goes to standard output, or to standard error when the offsets do.
 * Nothing is written unless packing_check() has found the offsets right.
 */
#include "commands/buffers.h"

#include <string.h>
#include <time.h>

#include "base/text.h"
#include "cli/compile.h"
#include "cli/replace.h"
#include "pack/packing_csv.h"
#include "findings/report.h"

/* Without --timeout: about ten seconds' worth for the smallest arena, a minute's or two for a yes
 * or no. */
#define VISITS			((int64_t)5000000000)
#define VISITS_TO_CAPACITY	((int64_t)60000000000)

struct buffers_job {
	const struct buffers_args *args;
	const char *output;
	int64_t capacity;	/* 0: none was given */
	FILE *report;
	struct packing_csv csv;
	struct packing_result result;
	int64_t timeout;	/* seconds; 0: a fixed effort */
	double seconds;		/* that it took */
};

static double
seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void
row(const struct buffers_job *b, const char *name, int64_t bytes)
{
	char exact[SIZE_TEXT], human[SIZE_TEXT];

	fprintf(b->report, "  %-14s %22s B  %s", name, size_commas(exact, bytes),
	    bytes < 1024 ? "" : size_human(human, bytes));
}

static void
print_verdict(const struct buffers_job *b)
{
	const struct packing_result *r = &b->result;
	char number[SIZE_TEXT];

	if (b->capacity && r->height > b->capacity) {
		fprintf(b->report, "  does not fit: %s\n", r->bound > b->capacity ?
		    "proved impossible within the capacity" :
		    "no answer within the capacity was found, nor proved impossible; a longer "
		    "--timeout may find one");
		return;
	}
	if (b->capacity)
		fprintf(b->report, "  fits the capacity\n");
	if (r->optimal)
		fprintf(b->report, "  proved optimal\n");
	else if (!b->capacity)
		fprintf(b->report, "  not proved optimal: an arena between %s B and this is not "
		    "ruled out (gap %.2f %%)\n", size_commas(number, r->bound),
		    100.0 * (double)(r->height - r->bound) / (double)r->bound);
}

static void
print_report(const struct buffers_job *b)
{
	const struct packing_result *r = &b->result;
	double bound = (double)(r->max_live ? r->max_live : 1);
	char number[SIZE_TEXT];

	fprintf(b->report, "buffers of %s\n", b->csv.header.src->path);
	fprintf(b->report, "  %-14s %22s\n", "buffers", size_commas(number, b->csv.packing.n));
	row(b, "lower bound", r->max_live);
	fprintf(b->report, "\n");
	if (r->bound > r->max_live) {
		row(b, "proved bound", r->bound);
		fprintf(b->report, "\n");
	}
	if (b->capacity) {
		row(b, "capacity", b->capacity);
		fprintf(b->report, "\n");
	}
	row(b, "arena", r->height);
	fprintf(b->report, "  arena / bound = %.4f\n", r->max_live ? (double)r->height / bound : 1.0);
	print_verdict(b);
	fprintf(b->report, "  %-14s %22.3f s\n", "time", b->seconds);
}

static bool
write_offsets(struct arena *a, const struct buffers_job *b)
{
	struct text t;

	text_init(&t, a);
	packing_csv_write(&t, &b->csv);
	if (strcmp(b->output, "-") == 0)
		return fwrite(t.s, 1, t.n, stdout) == t.n;
	return replace_text(b->output, t.s, t.n);
}

/* The status, for offsets that the packer gave. */
static int
check_and_print(struct arena *a, struct buffers_job *b)
{
	const struct packing *p = &b->csv.packing;
	const char *path = b->csv.header.src->path;
	int first, second;

	if (packing_check(a, p, b->result.height, &first, &second) != PACKING_RIGHT) {
		fprintf(stderr, "stowage: %s:%d: internal error: the offset found for this buffer "
		    "is wrong; please report it\n", path, loc_line(b->csv.row[first]));
		return 2;
	}
	if (b->capacity && b->result.height > b->capacity) {
		print_report(b);
		return 1;
	}
	if (b->output && !write_offsets(a, b))
		return 2;
	print_report(b);
	return 0;
}

static int
pack(struct arena *a, void *context)
{
	struct buffers_job *b = context;
	struct packing_options o = { .capacity = b->capacity,
		.visits = b->capacity ? VISITS_TO_CAPACITY : VISITS };
	struct source *src = compile_read(a, b->args->input, NULL);
	struct diags d;
	double start;

	if (!src)
		return 2;
	diags_init(&d, a);
	if (!packing_csv_read(a, &d, src, &b->csv)) {
		compile_failed(src->path, &d);
		return 2;
	}
	if (b->timeout) {
		o.visits = INT64_MAX / 2;
		o.seconds = (double)b->timeout;
	}
	start = seconds_now();
	b->result = packing_solve(a, &b->csv.packing, &o);
	b->seconds = seconds_now() - start;
	return check_and_print(a, b);
}

int
buffers_run(const struct command *c, const struct buffers_args *args, const char *output, int64_t seconds)
{
	struct buffers_job b = { .args = args, .output = output, .report = stdout, .timeout = seconds };

	if (args->capacity && (!size_parse(args->capacity, &b.capacity) || b.capacity == 0))
		return usage_error(c, "--capacity expects a size such as 1048576 or 1MiB, got '%s'",
		    args->capacity);
	if (output && strcmp(output, "-") == 0)
		b.report = stderr;
	return compile_in_arena(pack, &b);
}
