/*
 * What code tells of how much is given at once: whole sets of samples, by the names that people
 * give them, and the size of pictures, by the names of settings and of what changes it.
 */
#include "oom/oom_sets.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_signs.h"

#define LEAST_SIDE	64	/* pixels of a picture's side */
#define MOST_SIDE	16384

/* Does S begin with a name of all samples, "x_train", "test_data"? Returns its end, or NULL. A
 * part, "x_train[:64]", and longer names, "train_data_loader", are none. */
static const char *
all_samples(struct talk t, const char *s)
{
	const char *to, *end = t.s + t.n;

	if (s > t.s && piece_is_word(s[-1]))
		return NULL;
	to = piece_past_word(s, end);
	return to > s && talk_is_one_of(talk_part(t, s, to), "x_train x_test x_val x_valid train_x test_x val_x trainx testx xtrain "
	    "xtest train_data test_data train_features test_features train_images test_images train_inputs test_inputs all_data "
	    "full_data") ? to : NULL;
}

/* "test_data, label = read_batch(files)", "train_data = next(it)": what has such a name here is a
 * part. */
static void
names_part(struct oom_paste *p, struct talk t)
{
	const char *is = memchr(t.s, '=', t.n), *s;

	if (!is || !talk_any_of(talk_part(t, is, t.s + t.n), "batch next( iter loader .sample( generator"))
		return;
	for (s = t.s; s < is; s++)
		p->parts_named |= all_samples(t, s) != NULL;
}

/* "x_train = x_train.to(device)", "torch.from_numpy(X_train).float().cuda()"; and "y =
 * model(x_test)". */
static void
whole_set(struct oom_paste *p, struct talk t, int line)
{
	const char *s, *to, *open, *end = t.s + t.n;
	struct talk rest;

	names_part(p, t);
	for (s = t.s; s < end && !p->parts_named; s++) {
		if (!(to = all_samples(t, s)) || to == end || (*to != '.' && *to != ')' && *to != ','))
			continue;
		rest = talk_part(t, to, end);
		if (talk_any_of(rest, ".cuda( .to(device .to(self.device .to('cuda .to(\"cuda .to(args.device") &&
		    !talk_any_whole(t, "for def"))
			p->all_moved = line;
		for (open = s; open > t.s && (piece_is_word(open[-1]) || open[-1] == '.' || open[-1] == '('); open--)
			;
		rest = talk_part(t, open, s);
		if (rest.n > 1 && s[-1] == '(' && s[-2] != '(' && !talk_any_whole(t, "def") &&
		    signs_is_network(signs_last_part(talk_piece(talk_part(t, open, s - 1)))))
			p->all_run = line;
	}
}

#define ALL_TEXTS	"texts docs documents sentences corpus abstracts papers articles comments reviews passages titles all_texts all_sentences all_docs text_list"

/* "inputs = tokenizer(docs, padding=True, ...)" and "model(**inputs)", in no loop: all texts go
 * through a network at once, by their name, unless they are written there one by one, as an
 * example's. */
static void
whole_texts(struct oom_paste *p, struct talk t, int line)
{
	const char *at = talk_first(t, "tokenizer("), *s, *to, *open, *end = t.s + t.n;
	struct talk name;

	name = clause_word_behind(t, t.s);
	s = piece_past_blanks(name.s + name.n, end);
	if (talk_is_one_of(name, ALL_TEXTS) && s < end && *s == '=')
		p->texts_listed = (s = piece_past_blanks(s + 1, end)) < end && *s == '[' && !talk_any_whole(t, "for");
	if (p->habits.loop_line || talk_any_whole(t, "for def lambda"))
		return;
	if (at) {
		s = at + strlen("tokenizer(");
		to = piece_past_word(s, end);
		if (to > s && to < end && memchr(",)", *to, 2) && talk_is_one_of(talk_part(t, s, to), ALL_TEXTS))
			p->texts_given = line;
	}
	at = talk_first(t, "(**");
	if (!at || !p->texts_given || p->texts_listed)
		return;
	for (open = at; open > t.s && (piece_is_word(open[-1]) || open[-1] == '.'); open--)
		;
	if (open < at && signs_is_network(signs_last_part(talk_piece(talk_part(t, open, at)))))
		p->all_run = line;
}

#define MOST_COLOURS	16

/* Does ", 3" follow, as behind the height and width of pictures? */
static bool
is_of_colours(const char *at, const char *end)
{
	int64_t n;

	for (; at < end && (*at == ',' || *at == ' '); at++)
		;
	return piece_number(at, end, &n) && n > 0 && n <= MOST_COLOURS;
}

static void
keep_size(struct oom_paste *p, int64_t high, int64_t wide, int line, const char *name)
{
	if (p->high && (p->high != high || p->wide != wide))
		p->high = p->wide = -1;		/* of several sizes */
	else if (!p->high)
		p->high = high, p->wide = wide, p->pixels_line = line, p->pixels = name;
}

/* What may stand ahead of a side's name, or of a number of frames, as a part of a setting's. */
#define AHEAD_OF_SIDE	"image img video vid output out frame sample gen num n sampling target total"

/* Is the name at AT a setting's: "--height", "image_height", "\"height\""; not "max_height",
 * "line-height"? */
static bool
names_side(struct talk t, const char *at)
{
	const char *from = at;

	if (from == t.s || !(piece_is_word(from[-1]) || from[-1] == '-'))
		return true;
	if (from[-1] == '-' && from - t.s >= 2 && from[-2] == '-')
		return true;
	for (from--; from > t.s && piece_is_word(from[-1]) && from[-1] != '_'; from--)
		;
	return talk_is_one_of(talk_part(t, from, at - 1), AHEAD_OF_SIDE) && (from == t.s || from[-1] != '_');
}

/* The number of a setting that has one of those NAMES: "--height 5712", "width=480"; not "100px",
 * "1.5", "50%". 0: there is none. */
static int64_t
number_of(struct talk t, const char *names)
{
	const char *at = NULL, *s, *from, *end = t.s + t.n;
	int64_t n;
	size_t length;

	while (talk_next_phrase(t, names, &at, &length)) {
		for (from = s = at + length; s < end && memchr(" =:\"'", *s, 5); s++)
			;
		if (s > from && names_side(t, at) && (s = piece_number(s, end, &n)) && (s == end || !(piece_is_word(*s) || memchr(".%/-", *s, 4))))
			return n;
	}
	return 0;
}

#define LEAST_FRAMES	8
#define MOST_FRAMES	100000
#define SIDES_APART	3	/* lines between the settings of both */

/* "--height 5712 \", and on the next line "--width 4284 \"; "--num_frames 97". */
static void
by_names(struct oom_paste *p, struct talk t, int line)
{
	bool of_page = talk_any_phrase(t, "<img |<video |<image |style=");
	int64_t high = of_page ? 0 : number_of(t, "height"), wide = of_page ? 0 : number_of(t, "width"), frames = number_of(t, "frames|frame_num|video_length|video-length");

	if (high >= LEAST_SIDE && high <= MOST_SIDE)
		p->high_alone.n = high, p->high_alone.line = line;
	if (wide >= LEAST_SIDE && wide <= MOST_SIDE)
		p->wide_alone.n = wide, p->wide_alone.line = line;
	if (frames >= LEAST_FRAMES && frames <= MOST_FRAMES)
		p->frames.n = p->frames.line && p->frames.n != frames ? -1 : frames, p->frames.line = line;
	if ((p->high_alone.line == line || p->wide_alone.line == line) && p->high_alone.line && p->wide_alone.line &&
	    p->high_alone.line - p->wide_alone.line <= SIDES_APART && p->wide_alone.line - p->high_alone.line <= SIDES_APART)
		keep_size(p, p->high_alone.n, p->wide_alone.n, p->high_alone.line < p->wide_alone.line ? p->high_alone.line : p->wide_alone.line, "a height and width");
}

/* "img_size=1280", "Resize((512, 1024))": pixels of a side, or of two. */
static void
pictures(struct oom_paste *p, struct talk t, int line)
{
	static const struct {
		const char *key, *name;
		bool square;	/* one number is of both sides; else of one, and which is not said */
		bool of_any;	/* it may be of a vector, or of a sequence: of pictures where channels follow */
	} known[] = {
		{ "img_size", "img_size", false, false }, { "image_size", "image_size", false, false }, { "imgsz", "imgsz", false, false }, { "img_wh", "img_wh", true, false },
		{ "--img ", "--img", false, false }, { "--resolution", "--resolution", false, false }, { "--loadsize", "--loadSize", false, false }, { "--load_size", "--load_size", false, false }, { "--finesize", "--fineSize", false, false }, { "img-size", "img-size", false, false }, { "image-size", "image-size", false, false }, { "input_shape", "input_shape", false, true },
		{ "target_size", "target_size", false, false }, { "resize(", "Resize", false, false }, { "crop_size", "crop_size", true, false },
		{ "crop-size", "crop-size", true, false }, { "randomcrop(", "RandomCrop", true, false }, { "centercrop(", "CenterCrop", true, false },
		{ "randomresizedcrop(", "RandomResizedCrop", true, false }, { "max_size_train", "MAX_SIZE_TRAIN", false, false }, { "image_max_dim", "IMAGE_MAX_DIM", false, false },
		{ "gt_size", "gt_size", true, false }, { "hr_size", "HR_size", true, false }
	};
	const char *at, *to, *end = t.s + t.n;
	bool sized = talk_any_of(t, "size shape imgsz img_wh crop --img image_max_dim --resolution");
	int64_t high, wide, other;
	size_t i;

	for (i = 0; sized && i < sizeof(known) / sizeof(known[0]); i++) {
		if (!(at = talk_first(t, known[i].key)) || (at > t.s && (piece_is_word(at[-1]) || at[-1] == '-') &&
		    !(at - t.s >= 2 && at[-1] == '-' && at[-2] == '-')))
			continue;
		for (at += strlen(known[i].key); at < end && strchr(" =:('\"[*", *at); at++)
			;
		if (!(at = piece_number(at, end, &high)) || high < LEAST_SIDE || high > MOST_SIDE)
			continue;
		wide = known[i].square ? high : 0;
		other = 0;
		for (; at < end && (*at == ',' || *at == ' ' || *at == 'x' || *at == '*'); at++)
			;
		if ((to = piece_number(at, end, &other)) && other >= LEAST_SIDE && other <= MOST_SIDE)
			wide = other, at = to;
		if (known[i].of_any && (wide == 0 || !is_of_colours(at, end)))
			return;
		keep_size(p, high, wide, line, known[i].name);
		return;
	}
	by_names(p, t, line);
}

void
oom_sets_line(struct oom_paste *p, struct talk t, int line)
{
	whole_set(p, t, line);
	whole_texts(p, t, line);
	pictures(p, t, line);
}
