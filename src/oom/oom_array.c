/*
 * Code that makes arrays, or lists, of all samples at once: by the names that they are made of, or
 * by their extents.
 */
#include "oom/oom_array.h"

#include <string.h>

#include "base/ascii.h"

#define LEAST_ARRAY	((int64_t)1 << 30)	/* bytes of an array that is worth a word */

/* "[load(p) for p in paths]": of each of what has such a name. */
static void
array_of_each(struct oom_habits *h, struct talk t, const char *s, int line)
{
	const char *at = talk_first(talk_part(t, s, t.s + t.n), " in "), *to, *end = t.s + t.n;

	if (!at || !talk_any_phrase(talk_part(t, s, at), " for "))
		return;
	s = at + strlen(" in ");
	to = piece_past_word(s, end);
	if (to > s && to < end && *to == ']' && talk_is_one_of(talk_part(t, s, to), "paths files filenames file_names fnames image_paths img_paths image_files img_files "
	    "images imgs lst_imgs train_files test_files train_paths test_paths filelist file_list"))
		oom_habit_keep(h, HABIT_ARRAY, line, 1, s, to);
}

/* "x = np.array(images)": of a list by a name as samples have. */
static void
array_of_list(struct oom_habits *h, struct talk t, int line)
{
	const char *at = NULL, *s, *to, *end = t.s + t.n;
	size_t n;

	while (talk_next_phrase(t, "np.array(|np.asarray(|np.stack(|np.vstack(|np.concatenate(|torch.stack(", &at, &n)) {
		if (at + n < end && at[n] == '[')
			array_of_each(h, t, at + n, line);
		if (lower(*at) == 't')
			continue;		/* a batch is stacked so, too */
		s = at + n;
		to = piece_past_word(s, end);
		if (to > s && to < end && (*to == ')' || *to == ',') && talk_is_one_of(talk_part(t, s, to), "images imgs img_list image_list data "
		    "dataset samples x_train x_test train_x test_x x_data features all_features frames videos train_data test_data train_images "
		    "test_images x y labels masks patches all_data training_data"))
			oom_habit_keep(h, HABIT_ARRAY, line, 0, s, to);
	}
}

/* "x = np.zeros((len(samples), length, classes))": of two extents at least. */
static void
array_of_rows(struct oom_habits *h, struct talk t, int line)
{
	const char *at = NULL, *s, *to, *end = t.s + t.n;
	size_t n;

	while (talk_next_phrase(t, "np.zeros((len(|np.empty((len(|np.ones((len(", &at, &n)) {
		for (s = to = at + n; to < end && (piece_is_word(*to) || *to == '.'); to++)
			;
		if (to > s && end - to > 1 && to[0] == ')' && to[1] == ',')
			oom_habit_keep(h, HABIT_ZEROS, line, 0, s, to);
	}
}

/* How many bytes an element has, by the name of its type; 0: it is not known. */
static int
element_of(struct talk t)
{
	if (!talk_any_of(t, "dtype"))
		return 8;
	return talk_any_of(t, "int8 bool") ? 1 : talk_any_of(t, "float16 int16") ? 2 : talk_any_of(t, "float32 int32") ? 4 : talk_any_of(t, "float64 int64") ? 8 : 0;
}

/* "x = np.zeros((60000, 256, 256, 3))", "np.random.rand(60000, 256, 256, 3)": the next behind *AT,
 * or the first; its extents are from S to TO. */
static bool
next_array(struct talk t, const char **at, const char **s, const char **to, int64_t *bytes)
{
	const char *end = t.s + t.n;
	size_t length;
	int64_t n;
	int rank;

	while (talk_next_phrase(t, "np.zeros((|np.ones((|np.empty((|np.random.rand(|np.random.randn(|np.random.random((", at, &length)) {
		*bytes = element_of(t);
		for (*s = *to = *at + length, rank = 0; *to < end && is_digit(**to) && (*to = piece_number(*to, end, &n)); rank++) {
			if (n <= 0 || __builtin_mul_overflow(*bytes, n, bytes))
				return false;
			if (*to == end || **to != ',')
				break;
			*to = piece_past_blanks(*to + 1, end);
		}
		if (!*to)
			return false;
		if (rank >= 1 && *to < end && **to == ')' && *bytes >= LEAST_ARRAY)
			return true;
	}
	return false;
}

static void
array_of_extents(struct oom_habits *h, struct talk t, int line)
{
	const char *at = NULL, *s, *to;
	int64_t bytes;

	while (next_array(t, &at, &s, &to, &bytes))
		oom_habit_keep(h, HABIT_EXTENTS, line, bytes, s, to);
}

/* "numpy.zeros((0, 2**31-1))": an extent is 0 by itself, so that there are no elements. */
static void
array_of_none(struct oom_habits *h, struct talk t, int line)
{
	const char *at = NULL, *s, *to, *end = t.s + t.n;
	size_t length;

	while (talk_next_phrase(t, "np.zeros((|numpy.zeros((|np.empty((|numpy.empty((|np.ones((|numpy.ones((|torch.zeros((|torch.empty((", &at, &length)) {
		for (s = at + length, to = s; to < end && *to != ')'; to++)
			;
		for (; s < to; s = memchr(s, ',', (size_t)(to - s)) ? (const char *)memchr(s, ',', (size_t)(to - s)) + 1 : to) {
			const char *digit = piece_past_blanks(s, to);

			if (digit < to && *digit == '0' && (digit + 1 == to || digit[1] == ',' || digit[1] == ' '))
				oom_habit_keep(h, HABIT_EMPTY, line, 0, at + length, to);
		}
	}
}

/* "Alloc(TensorConstant{0.0}, TensorConstant{1025}, TensorConstant{2000})": the value, and then
 * all extents. */
void
oom_array_seen(struct oom_habits *h, struct talk t, int line)
{
	const char *at = talk_first(t, "alloc(tensorconstant{"), *s, *close, *end = t.s + t.n;
	int64_t n, numbers = 1;
	int k = 0;

	if (!at || !(close = memchr(at, ')', (size_t)(end - at))))
		return;
	for (s = at; (s = memchr(s, '{', (size_t)(close - s))); k++) {
		s++;
		if (k > 0 && (s == close || !is_digit(*s) || !piece_number(s, close, &n) || n <= 0 || __builtin_mul_overflow(numbers, n, &numbers)))
			return;
	}
	if (k > 1 && numbers >= LEAST_ARRAY / 8)
		oom_habit_keep(h, HABIT_FILLED, line, numbers, at, at + strlen("alloc"));
}

const char *
oom_array_made(struct talk t, int64_t *bytes)
{
	const char *at = NULL, *s, *to;

	return next_array(t, &at, &s, &to, bytes) ? at : NULL;
}

#define WHOLE_SETS	"mnist.test.images|mnist.train.images|mnist.validation.images|test_images|train_images|test_x|x_test|train_x|x_train|x_val|x_valid|val_x|valid_x|"	\
    "validation_images|val_images|test_data|test_features|test_set|xtest|xtrain|test_dataset|all_images"

#define PARTS_OF	"next_batch|get_batch|next(|.batch(|get_minibatch"

/* "for test_images in batches:", "def test(test_data):", "x_test, y = next_batch(64)": such a name
 * may be of a part, here and wherever it stands. */
static void
parts(struct oom_habits *h, struct talk t)
{
	struct talk ahead = t;
	const char *at = NULL;
	size_t n;

	if (talk_any_whole(t, "for") && (at = talk_find_whole(t, "in", &n)))
		ahead = talk_part(t, t.s, at);
	if ((at || talk_any_whole(t, "def") || talk_first(t, PARTS_OF)) && talk_find_whole(ahead, WHOLE_SETS, &n))
		h->parted = true;
}

/* "feed_dict={x: test_images, ...}": the set itself, which no index, call or operator follows. */
static void
feeds(struct oom_habits *h, struct talk t, int line)
{
	const char *at = talk_first(t, "feed_dict|.eval({"), *s, *to, *end = t.s + t.n;
	struct talk rest;
	size_t n;

	if (!at)
		return;
	for (rest = talk_part(t, at, end); (s = talk_find_whole(rest, WHOLE_SETS, &n)); rest = talk_part(t, s + n, end)) {
		to = piece_past_blanks(s + n, end);
		for (at = s; at > t.s && at[-1] == ' '; at--)
			;
		if (at > t.s && at[-1] == ':' && (!h->parted || memchr(s, '.', n)) && (to == end || *to == ',' || *to == '}'))
			oom_habit_keep(h, HABIT_FED, line, 0, s, s + n);
	}
}

/* "cp.fft.fft2(a)": a call of CuPy's, by itself, and none of its modules for devices. */
static bool
makes_array(struct talk made)
{
	const char *at = NULL, *to, *end = made.s + made.n;
	size_t n;

	while (talk_next_phrase(made, "cp.|cupy.", &at, &n)) {
		if (at > made.s && (piece_is_word(at[-1]) || at[-1] == '.'))
			continue;
		for (to = at + n; to < end && (piece_is_word(*to) || *to == '.'); to++)
			;
		if (to < end && *to == '(' && !talk_first(talk_part(made, at, to), ".cuda.|.show|.size|.shape"))
			return true;
	}
	return false;
}

/* "results.append(cp.fft.fft2(a))" in a loop, unless what is listed is moved to the machine. */
static void
lists(struct oom_habits *h, struct talk t, int line)
{
	const char *at = talk_first(t, ".append(");
	struct talk made;

	if (!at || !h->loop_line)
		return;
	made = talk_part(t, at + strlen(".append("), t.s + t.n);
	if (makes_array(made) && !talk_first(made, "asnumpy(|.get()|.item()|float(|int(|len("))
		oom_habit_keep(h, HABIT_LISTED, line, h->loop_line, NULL, NULL);
}

/* "images.append(img)", "x.append(cv2.imread(f))" in a loop. */
static void
gathers(struct oom_habits *h, struct talk t, int line)
{
	const char *at = talk_first(t, ".append("), *s, *to, *end = t.s + t.n;

	if (!at || !h->loop_line)
		return;
	s = at + strlen(".append(");
	to = piece_past_word(s, end);
	if ((to < end && *to == ')' && talk_is_one_of(talk_part(t, s, to), "img image im frame resized img_array image_array img_data resized_img resized_image")) ||
	    (talk_first(talk_part(t, s, end), "cv2.imread(|imread(|plt.imread(|io.imread(|image.open(|img_to_array(|load_img(|np.array(image.open(|np.asarray(image.open(") == s &&
	    s < end))
		oom_habit_keep(h, HABIT_GATHERS, line, h->loop_line, NULL, NULL);
}

void
oom_array_line(struct oom_habits *h, struct talk t, int line)
{
	array_of_list(h, t, line);
	array_of_rows(h, t, line);
	array_of_extents(h, t, line);
	array_of_none(h, t, line);
	gathers(h, t, line);
	lists(h, t, line);
	parts(h, t);
	feeds(h, t, line);
}

void
oom_array_traced(struct oom_habits *h, struct talk t, int line)
{
	feeds(h, t, line);
}
