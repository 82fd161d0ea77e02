/*
 * Compares the gradients of an emitted program with central differences. Compiled with the program
 * itself, built in double precision with --input-gradients, -DLIBRARY and -DTRACE:
 *
 *	cc -DLIBRARY -DTRACE -DPROGRAM_FILE='"conv.c"' tests/program/gradcheck.c -lm
 *
 * Each parameter and each float input is nudged both ways, element by element (a spread of them
 * when there are many), the step is run, and the change of the loss is held against the gradient
 * that the program computed. The learning rate of the spec must be 0.
 */
#include PROGRAM_FILE

#define MOST_ELEMENTS	40	/* nudged per tensor */
#define STEP	1e-5
#define TOLERANCE	1e-6	/* relative; central differences are good to about STEP^2 */

struct made {
	double *value;		/* of the tensor of the same number, when it was made last */
};

static struct made *made;

static int64_t
elements(const struct stowage_tensor *t, int64_t b)
{
	int64_t n = t->batched ? b : 1;
	int i;

	for (i = 0; i < t->rank; i++)
		n *= t->dim[i];
	return n;
}

static void
keep(int k)
{
	const struct stowage_tensor *t = &stowage_tensors[k];
	int64_t n = elements(t, TRAIN_BATCH);

	if (strcmp(t->type, "f64") != 0)
		return;
	if (!made[k].value)
		made[k].value = (double *)malloc((size_t)n * sizeof(double));
	stowage_read(made[k].value, t->offset, n * (int64_t)sizeof(double));
}

static bool
is(const struct stowage_tensor *t, const char *kind)
{
	return strcmp(t->kind, kind) == 0;
}

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
static int32_t **staged_labels;

static double
loss(void)
{
	double value = 0;
	int k;

	for (k = 0; k < stowage_tensor_count; k++) {
		const struct stowage_tensor *t = &stowage_tensors[k];
		int64_t n = elements(t, TRAIN_BATCH);

		if (staged[k])
			stowage_write(t->offset, staged[k], n * (int64_t)sizeof(double));
		if (staged_labels[k])
			stowage_write(t->offset, staged_labels[k], n * (int64_t)sizeof(int32_t));
	}
	stowage_train_step(TRAIN_BATCH, 0, 1, 1, 1, 0);
	stowage_read(&value, train_results[0].offset, sizeof(value));
	return value;
}

static uint64_t state = 12345;

static double
uniform(void)			/* away from 0 and from each other: kinks lie at 0 and at ties */
{
	double x;

	state = state * 6364136223846793005u + 1442695040888963407u;
	x = (double)(state >> 11) / 9007199254740992.0 * 2 - 1;
	return x < 0 ? x - 0.05 : x + 0.05;
}

static void
stage_inputs(void)
{
	int k, c;
	int64_t i;

	for (k = 0; k < stowage_tensor_count; k++) {
		const struct stowage_tensor *t = &stowage_tensors[k];
		int64_t n = elements(t, TRAIN_BATCH);
		int classes = 2;

		if (strcmp(t->graph, "train") != 0 || (!is(t, "input") && !is(t, "target")))
			continue;
		for (c = 0; c < (int)(sizeof(train_inputs) / sizeof(*train_inputs)); c++)
			if (strcmp(train_inputs[c].name, t->name) == 0 && train_inputs[c].classes)
				classes = train_inputs[c].classes;
		if (strcmp(t->type, "f64") == 0) {
			staged[k] = (double *)malloc((size_t)n * sizeof(double));
			for (i = 0; i < n; i++)
				staged[k][i] = uniform();
		} else {
			staged_labels[k] = (int32_t *)malloc((size_t)n * sizeof(int32_t));
			for (i = 0; i < n; i++)
				staged_labels[k][i] = (int32_t)((uniform() + 2) * 1000) % classes;
		}
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
	int64_t n = elements(t, TRAIN_BATCH), i, stride = n > MOST_ELEMENTS ? n / MOST_ELEMENTS : 1;
	const double *from = gradient_of(k);
	double *gradient, difference = 0, norm = 0;

	if (!from) {
		printf("%s has no gradient\n", t->name);
		return 1;
	}
	gradient = (double *)malloc((size_t)n * sizeof(double));
	memcpy(gradient, from, (size_t)n * sizeof(double));	/* later steps overwrite it */
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
	free(gradient);
	difference = sqrt(difference);
	norm = sqrt(norm);
	if (!(difference <= TOLERANCE * norm + 1e-9)) {
		printf("%s: gradient is off by %.3g of %.3g\n", t->name, difference, norm);
		return 1;
	}
	return 0;
}

int
main(void)
{
	int k, checked = 0, failed = 0;

	made = (struct made *)calloc((size_t)stowage_tensor_count, sizeof(*made));
	staged = (double **)calloc((size_t)stowage_tensor_count, sizeof(*staged));
	staged_labels = (int32_t **)calloc((size_t)stowage_tensor_count, sizeof(*staged_labels));
	stowage_trace = keep;
	stowage_init(7);
	stage_inputs();
	loss();
	for (k = 0; k < stowage_tensor_count; k++) {
		const struct stowage_tensor *t = &stowage_tensors[k];

		if (strcmp(t->type, "f64") == 0 && (is(t, "parameter") || (is(t, "input") && staged[k]))) {
			loss();
			failed += check(k);
			checked++;
		}
	}
	if (!checked)
		printf("nothing was checked\n");
	return failed || !checked;
}
