/*
 * What the program of one operator computes, held against something else. Compiled with an emitted
 * program, built with --input-gradients, -DLIBRARY and -DTRACE:
 *
 *	cc -DLIBRARY -DTRACE -DPROGRAM_FILE='"conv.c"' tests/program/operators.c -lm
 *
 * `gradients`, for a program in double precision, compares its gradients with central differences.
 * Each parameter and each float input is nudged both ways, element by element (a spread of them when
 * there are many), the step is run, and the change of the loss is held against the gradient that the
 * program computed. The learning rate of the spec must be 0. `directions` does the same for many operators in one
 * program, in few steps: all elements of a tensor are nudged, each by a number of its own.
 *
 * `save FILE` and `compare FILE 1e-2` hold a program of 16-bit elements against the same network in
 * f64. Inputs and weights are the same numbers, of eight bits, so that both hold them exactly. One
 * step is run; every tensor that it makes, gradients too, is compared with the one of that name.
 */
#include PROGRAM_FILE

#define MOST_ELEMENTS	40	/* nudged per tensor */
#define STEP		1e-5
#define DIRECTIONS	5	/* most that are tried */
#define TOLERANCE	1e-6	/* relative; central differences are good to about STEP^2 */
#define SCALE		64	/* of the loss, where it is scaled: no gradient here overflows */

struct made {
	double *value;		/* as it was made last */
	int64_t n;
};

static struct made *made;
static bool keeps = true;	/* what a step makes: of one that is asked for its loss alone nothing is */
static double scale = 1;	/* of gradients, which it is taken out of */

static bool
is(const struct stowage_tensor *t, const char *kind)
{
	return strcmp(t->kind, kind) == 0;
}

static int
type_of(const struct stowage_tensor *t)
{
	for (int k = 0; k < (int)(sizeof(type_table) / sizeof(type_table[0])); k++)
		if (strcmp(type_table[k].name, t->type) == 0)
			return k;
	abort();
}

static int64_t
elements(const struct stowage_tensor *t)
{
	int64_t n = t->batched ? TRAIN_BATCH : 1;

	for (int i = 0; i < t->rank; i++)
		n *= t->dim[i];
	return n;
}

static double
number_at(int type, const void *from, int64_t i)
{
	switch (type) {
	case TYPE_F32: return ((const float *)from)[i];
	case TYPE_F64: return ((const double *)from)[i];
	case TYPE_I32: return ((const int32_t *)from)[i];
	case TYPE_U8: return ((const uint8_t *)from)[i];
	default: return VALUE(((const elem *)from)[i]);
	}
}

static void
put_number(int type, void *to, int64_t i, double x)
{
	switch (type) {
	case TYPE_F32: ((float *)to)[i] = (float)x; return;
	case TYPE_F64: ((double *)to)[i] = x; return;
	case TYPE_I32: ((int32_t *)to)[i] = (int32_t)x; return;
	case TYPE_U8: ((uint8_t *)to)[i] = (uint8_t)x; return;
	default: ((elem *)to)[i] = ELEM((real)x);
	}
}

static void
keep(int k)
{
	const struct stowage_tensor *t = &stowage_tensors[k];
	int type = type_of(t);
	int64_t n = elements(t), bytes = n * type_table[type].bytes;
	void *raw;

	if (t->offset < 0 || !keeps)
		return;
	raw = malloc((size_t)bytes + 1);
	stowage_read(raw, t->offset, bytes);
	if (!made[k].value)
		made[k].value = (double *)malloc((size_t)n * sizeof(double) + 1);
	made[k].n = n;
	for (int64_t i = 0; i < n; i++)
		made[k].value[i] = number_at(type, raw, i) /
		    (is(t, "gradient") || is(t, "activation-gradient") ? scale : 1);
	free(raw);
}

static uint64_t state = 12345;

/* What T begins with depends on nothing but its name, whatever it is put together with. */
static void
draw_for(const struct stowage_tensor *t)
{
	state = 0;
	for (const char *c = t->name; *c; c++)
		state = (state ^ (unsigned char)*c) * 1099511628211u;	/* FNV-1a */
}

static double
uniform(void)			/* away from 0 and from each other: kinks lie at 0 and at ties */
{
	double x;

	state = state * 6364136223846793005u + 1442695040888963407u;
	x = (double)(state >> 11) / 9007199254740992.0 * 2 - 1;
	return x < 0 ? x - 0.05 : x + 0.05;
}

/* ---- gradients, by central differences ---- */

static const double *
last_made(const char *name)
{
	const double *found = NULL;
	int i;

	for (i = 0; i < stowage_tensor_count; i++)
		if (strcmp(stowage_tensors[i].name, name) == 0 && made[i].value)
			found = made[i].value;
	return found;
}

/* The gradient of tensor K: the last tensor made under its name with ".grad" behind. A parameter
 * that is itself the value of its operator has that value's gradient. */
static const double *
gradient_of(int k)
{
	const double *found;
	char name[512];

	snprintf(name, sizeof(name) - 8, "%s", stowage_tensors[k].name);
	found = last_made(strcat(name, ".grad"));
	if (found || !strstr(name, ".weight.grad"))
		return found;
	strcpy(strstr(name, ".weight.grad"), ".grad");
	return last_made(name);
}

/* Inputs do not outlive a step, so all of them are put back before each. */
static double **staged;
static void **staged_labels;	/* of the input's own type */

static double
loss(void)
{
	double value = 0;
	int k;

	for (k = 0; k < stowage_tensor_count; k++) {
		const struct stowage_tensor *t = &stowage_tensors[k];
		int64_t n = elements(t);

		if (staged[k])
			stowage_write(t->offset, staged[k], n * (int64_t)sizeof(double));
		if (staged_labels[k])
			stowage_write(t->offset, staged_labels[k], n * type_table[type_of(t)].bytes);
	}
	stowage_train_step(TRAIN_BATCH, 0, 1, 1, 1, 0);
	stowage_read(&value, train_results[0].offset, sizeof(value));
	return value;
}

static void
stage_inputs(bool by_name)
{
	int k, c;
	int64_t i;

	for (k = 0; k < stowage_tensor_count; k++) {
		const struct stowage_tensor *t = &stowage_tensors[k];
		int64_t n = elements(t);
		int classes = 2;

		if (strcmp(t->graph, "train") != 0 || (!is(t, "input") && !is(t, "target")))
			continue;
		for (c = 0; c < (int)(sizeof(train_inputs) / sizeof(*train_inputs)); c++)
			if (strcmp(train_inputs[c].name, t->name) == 0 && train_inputs[c].classes)
				classes = train_inputs[c].classes;
		if (by_name)
			draw_for(t);
		if (strcmp(t->type, "f64") == 0) {
			staged[k] = (double *)malloc((size_t)n * sizeof(double));
			for (i = 0; i < n; i++)
				staged[k][i] = uniform();
		} else {
			staged_labels[k] = calloc((size_t)n, sizeof(double));
			for (i = 0; i < n; i++)
				put_number(type_of(t), staged_labels[k], i, (int)((uniform() + 2) * 1000) % classes);
		}
	}
}

/* A weight that starts at 1, or a bias at 0, hides what it does; so those which start alike do
 * not. */
static double
unlike(double x, double first, int64_t i)
{
	return x == first ? x + 0.3 * sin(1.7 * (double)(i + 1)) : x;
}

static void
spread_weights(void)
{
	for (int k = 0; k < stowage_tensor_count; k++) {
		const struct stowage_tensor *t = &stowage_tensors[k];
		int64_t n = elements(t);
		double *x;

		if (!is(t, "parameter") || strcmp(t->type, "f64") != 0)
			continue;
		x = (double *)malloc((size_t)n * sizeof(double));
		stowage_read(x, t->offset, n * (int64_t)sizeof(double));
		for (int64_t i = n - 1; i >= 0; i--)
			x[i] = unlike(x[i], x[0], i);
		stowage_write(t->offset, x, n * (int64_t)sizeof(double));
		free(x);
	}
}

/* Where element I of tensor K is nudged: in the staged copy of an input, else in the arena. */
static void
nudge(int k, int64_t i, double by)
{
	const struct stowage_tensor *t = &stowage_tensors[k];
	int64_t at = t->offset + i * (int64_t)sizeof(double);
	double x;

	if (staged[k]) {
		staged[k][i] += by;
		return;
	}
	stowage_read(&x, at, sizeof(x));
	x += by;
	stowage_write(at, &x, sizeof(x));
}

static int
check(int k)
{
	const struct stowage_tensor *t = &stowage_tensors[k];
	int64_t n = elements(t), i, stride = n > MOST_ELEMENTS ? n / MOST_ELEMENTS : 1;
	const double *from = gradient_of(k);
	double *gradient, difference = 0, norm = 0;

	if (!from) {
		printf("%s has no gradient\n", t->name);
		return 1;
	}
	gradient = (double *)malloc((size_t)n * sizeof(double));
	memcpy(gradient, from, (size_t)n * sizeof(double));	/* later steps overwrite it */
	keeps = false;
	for (i = 0; i < n; i += stride) {
		double up, down, central;

		nudge(k, i, STEP);
		up = loss();
		nudge(k, i, -2 * STEP);
		down = loss();
		nudge(k, i, STEP);
		central = (up - down) / (2 * STEP);
		difference += (central - gradient[i]) * (central - gradient[i]);
		norm += central * central;
	}
	keeps = true;
	free(gradient);
	difference = sqrt(difference);
	norm = sqrt(norm);
	if (!(difference <= TOLERANCE * norm + 1e-9)) {
		printf("%s: gradient is off by %.3g of %.3g\n", t->name, difference, norm);
		return 1;
	}
	return 0;
}

static void
nudge_all(int k, const double *direction, int64_t n, double by)
{
	for (int64_t i = 0; i < n; i++)
		nudge(k, i, by * direction[i]);
}

/* Along a direction all elements of tensor K together change the loss as the gradient says; what is
 * wrong in any one of them is seen, as no two weigh the same. On some the loss has a kink: a wrong
 * gradient is wrong along all. */
static int
check_along(int k)
{
	const struct stowage_tensor *t = &stowage_tensors[k];
	int64_t n = elements(t);
	const double *gradient = gradient_of(k);
	double *direction, off = 0, size = 0;

	if (!gradient) {
		printf("%s has no gradient\n", t->name);
		return 1;
	}
	direction = (double *)malloc((size_t)n * sizeof(double));
	draw_for(t);
	keeps = false;
	for (int attempt = 0; attempt < DIRECTIONS; attempt++) {
		double up, down, slope = 0;

		size = 0;
		for (int64_t i = 0; i < n; i++) {
			direction[i] = uniform();
			slope += gradient[i] * direction[i];
			size += gradient[i] * direction[i] * gradient[i] * direction[i];
		}
		size = sqrt(size);
		nudge_all(k, direction, n, STEP);
		up = loss();
		nudge_all(k, direction, n, -2 * STEP);
		down = loss();
		nudge_all(k, direction, n, STEP);
		off = fabs((up - down) / (2 * STEP) - slope);
		if (off <= TOLERANCE * size + 1e-9)
			break;
	}
	keeps = true;
	free(direction);
	if (off <= TOLERANCE * size + 1e-9)
		return 0;
	printf("%s: along a direction the gradient is off by %.3g of %.3g\n", t->name, off, size);
	return 1;
}

/* Of every parameter and every input of floats; true if all agree. */
static bool
gradients(int checks(int k))
{
	int checked = 0, failed = 0;

	staged = (double **)calloc((size_t)stowage_tensor_count, sizeof(*staged));
	staged_labels = (void **)calloc((size_t)stowage_tensor_count, sizeof(*staged_labels));
	stage_inputs(checks == check_along);
	spread_weights();
	loss();
	for (int k = 0; k < stowage_tensor_count; k++) {
		const struct stowage_tensor *t = &stowage_tensors[k];

		if (strcmp(t->type, "f64") == 0 && (is(t, "parameter") || (is(t, "input") && staged[k]))) {
			loss();
			failed += checks(k);
			checked++;
		}
	}
	if (!checked)
		printf("nothing was checked\n");
	return checked && !failed;
}

/* ---- 16 bits, by what double precision has ---- */

/* Eight bits of X. */
static double
eight_bits(double x)
{
	int exponent;
	double part = frexp(x, &exponent);

	return ldexp(rint(part * 256) / 256, exponent);
}

static void
fill(const struct stowage_tensor *t, int classes)
{
	int64_t n = elements(t);
	int type = type_of(t);
	void *raw = calloc((size_t)n, 8);
	const struct persistent *p = NULL;

	for (int k = 0; k < PERSISTENT; k++)
		if (strcmp(persistent[k].name, t->name) == 0)
			p = &persistent[k];
	for (int64_t i = 0; i < n; i++)
		put_number(type, raw, i, p ? eight_bits(start_value(p, 7, seed_stream(p->drawn_for), i)) :
		    type == TYPE_I32 || type == TYPE_U8 ? (int)((uniform() + 2) * 1000) % classes :
		    eight_bits(uniform()));
	stowage_write(t->offset, raw, n * type_table[type].bytes);
	free(raw);
}

static bool
ends(const char *name, const char *with)
{
	size_t n = strlen(name), m = strlen(with);

	return n > m && strcmp(name + n - m, with) == 0;
}

static void
stage(void)
{
	for (int k = 0; k < stowage_tensor_count; k++) {
		const struct stowage_tensor *t = &stowage_tensors[k];
		int classes = 2;

		for (int c = 0; c < (int)(sizeof(train_inputs) / sizeof(*train_inputs)); c++)
			if (strcmp(train_inputs[c].name, t->name) == 0 && train_inputs[c].classes)
				classes = train_inputs[c].classes;
		if (is(t, "parameter") || (is(t, "optimizer") && ends(t->name, ".master")) ||
		    (strcmp(t->graph, "train") == 0 && (is(t, "input") || is(t, "target"))))
			fill(t, classes);
		if (is(t, "optimizer") && ends(t->name, ".scale") && !t->graph[0]) {
			float to = SCALE;

			stowage_write(t->offset, &to, sizeof(to));
			scale = SCALE;
		}
	}
}

static bool
counts(int k)
{
	return made[k].value && !is(&stowage_tensors[k], "parameter") &&
	    !is(&stowage_tensors[k], "optimizer");
}

/* What was made last under a name is what both programs have in common. */
static bool
is_last(int k)
{
	for (int i = k + 1; i < stowage_tensor_count; i++)
		if (counts(i) && strcmp(stowage_tensors[i].name, stowage_tensors[k].name) == 0)
			return false;
	return counts(k);
}

static void
save(FILE *f)
{
	for (int k = 0; k < stowage_tensor_count; k++)
		if (is_last(k)) {
			fprintf(f, "%s\n%lld\n", stowage_tensors[k].name, (long long)made[k].n);
			fwrite(made[k].value, sizeof(double), (size_t)made[k].n, f);
		}
}

static int
compare(const char *name, const double *want, int64_t n, double most, int *compared)
{
	double off = 0, size = 0;

	for (int k = 0; k < stowage_tensor_count; k++) {
		if (!is_last(k) || strcmp(stowage_tensors[k].name, name) || made[k].n != n)
			continue;
		for (int64_t i = 0; i < n; i++) {
			if (isinf(want[i]) && made[k].value[i] == want[i])
				continue;
			off += (made[k].value[i] - want[i]) * (made[k].value[i] - want[i]);
			size += want[i] * want[i];
		}
		++*compared;
		if (sqrt(off) <= most * sqrt(size) + 1e-9)
			return 0;
		printf("%s is off by %.3g of its size\n", name, sqrt(off / size));
		return 1;
	}
	return 0;
}

/* With what the program in f64 has left in F; true if all that both made agree. */
static bool
all_agree(FILE *f, double most)
{
	int failed = 0, compared = 0;
	char name[512];
	long long n;

	while (fscanf(f, "%511[^\n]\n%lld", name, &n) == 2 && fgetc(f) == '\n') {
		double *want = (double *)malloc((size_t)n * sizeof(double) + 1);

		if (fread(want, sizeof(double), (size_t)n, f) != (size_t)n)
			return false;
		failed += compare(name, want, n, most, &compared);
		free(want);
	}
	printf("%d tensors were compared\n", compared);
	return !failed && compared >= 2;
}

int
main(int argc, char **argv)
{
	bool saves = argc > 1 && strcmp(argv[1], "save") == 0;
	FILE *f;

	made = (struct made *)calloc((size_t)stowage_tensor_count, sizeof(*made));
	stowage_trace = keep;
	stowage_init(7);
	if (argc == 2 && strcmp(argv[1], "gradients") == 0)
		return !gradients(check);
	if (argc == 2 && strcmp(argv[1], "directions") == 0)
		return !gradients(check_along);
	if (argc != (saves ? 3 : 4) || !(f = fopen(argv[2], saves ? "wb" : "rb")))
		return 2;
	stage();
	stowage_train_step(TRAIN_BATCH, 0, 1, 1, 1, 0);
	if (!saves)
		return !all_agree(f, atof(argv[3]));
	save(f);
	return fclose(f) != 0;
}
