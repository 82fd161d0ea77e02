/*
 * What people say of the size of pictures. As in oom_words.c none of it is a fact of the run.
 */
#include "oom/oom_pictures.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_number.h"
#include "oom/oom_short.h"
#include "oom/oom_wording.h"

#define LARGE_SIDE	400
#define MOST_KILO	32	/* thousands of pixels */

static void
picture_of(struct oom_paste *p, int64_t high, int64_t wide, int line)
{
	bool several = p->said_line && (p->said_high != high || p->said_wide != wide);

	if (high < LEAST_SIDE || wide < LEAST_SIDE || high > MOST_SIDE || wide > MOST_SIDE)
		return;
	p->said_high = several ? -1 : high;
	p->said_wide = several ? -1 : wide;
	p->said_line = line;
}

/* The number behind the first NAME of T, "width=2048", "height of 1024"; 0: none is. */
static int64_t
side_named(struct talk t, const char *name)
{
	const char *s, *end = t.s + t.n;
	int64_t n = 0;
	size_t length;

	if (!(s = talk_find_whole(t, name, &length)))
		return 0;
	for (s += length; s < end && (memchr(" =:", *s, 3) || (end - s > 3 && (memcmp(s, "of ", 3) == 0 || memcmp(s, "is ", 3) == 0))); s += is_letter(*s) ? 2 : 1)
		;
	return s < end && is_digit(*s) && piece_number(s, end, &n) ? n : 0;
}

/* "resolution is width=2048 and height=1024" */
static void
picture_by_sides(struct oom_paste *p, struct talk t, int line)
{
	int64_t high = side_named(t, "height"), wide = side_named(t, "width");

	if (high && wide)
		picture_of(p, high, wide, line);
}

/* "[1, 3, 1440, 2560]", "(3, 1440, 2560)", "[1440, 2560, 3]", "[1436, 717]": a picture's, by its
 * channels, or two sides. */
static void
picture_in_brackets(struct oom_paste *p, struct talk t, int line)
{
	const char *s, *to, *end = t.s + t.n;
	int64_t n[4];
	int k;

	for (s = t.s; s < end; s++) {
		if (*s != '[' && *s != '(')
			continue;
		for (to = s + 1, k = 0; k < 4 && (to = piece_past_blanks(to, end)) < end && is_digit(*to); to++) {
			to = piece_past_blanks(piece_number(to, end, &n[k++]), end);
			if (to == end || *to != ',')
				break;
		}
		if (to >= end || (*to != ']' && *to != ')'))
			continue;
		if (k == 4 && n[0] == 1 && (n[1] == 1 || n[1] == 3 || n[1] == 4))
			picture_of(p, n[2], n[3], line);
		else if (k == 3 && (n[0] == 1 || n[0] == 3 || n[0] == 4))
			picture_of(p, n[1], n[2], line);
		else if (k == 3 && (n[2] == 1 || n[2] == 3 || n[2] == 4))
			picture_of(p, n[0], n[1], line);
		else if (k == 2)
			picture_of(p, n[0], n[1], line);
	}
}

/* "If images are large (say 4000x3000)": what someone supposes of another's run. */
static bool
is_supposed(struct talk t, const char *s)
{
	struct talk sentence = talk_sentence(t, s), ahead = talk_part(t, sentence.s, s);
	const char *at = talk_find_word(ahead, "if");

	if (at && talk_has_whole(sentence, "if i have to|if i must|if i need to|if we have to|if i had to"))
		return true;		/* "if I have to make 640x360 of it" */
	return talk_any_whole(clause_word_ahead(t, s), "say suppose assume") || (at && !talk_is_one_of(clause_word_behind(ahead, at + 2), "i we my it the") &&
	    talk_any_whole(talk_part(t, s, sentence.s + sentence.n), "use try should could may can you reduce"));
}

/* Sizes that are of pictures, whatever stands beside them. */
#define OF_VIDEO	"1920*1080|1920x1080|1280*720|1280x720|3840*2160|3840x2160|2560*1440|2560x1440|4096*2160|4096x2160"

#define TO_SIDE		5	/* signs between its name and the number: ": ", " = ", " of " */

/* The number of a side of that NAME in T: "width=2048", "height 1024"; 0: there is none. */
static int64_t
named_side(struct talk t, const char *name)
{
	size_t n;
	const char *at = talk_find_whole(t, name, &n), *s = at ? at + n : NULL, *end = t.s + t.n;
	int64_t side;

	while (s && s < end && s < at + n + TO_SIDE && !is_digit(*s))
		s++;
	return s && s < end && is_digit(*s) && piece_number(s, end, &side) && side >= LEAST_SIDE && side <= MOST_SIDE ? side : 0;
}

#define ASKS_TO_RESIZE	"should i resize|should we resize|do i need to resize|do i have to resize|can i resize|need to be resized?"

#define OF_SIZE		"--imgsize|--img-size|--img_size|--imgsz|--image-size|--image_size|imgsize=|imgsz=|img_size=|image_size="

/* "550*700 image", "the dimension of my pictures is 2480 x 3507" */
void
oom_pictures_said(struct oom_paste *p, struct talk t, int line)
{
	const char *s, *to, *end = t.s + t.n, *option = talk_first(t, OF_SIZE);
	int64_t high, wide;

	if (talk_any_phrase(t, "image mode=|<img |<video |<image "))
		return;		/* an object of PIL's as it was opened: what a program makes of it has its own size; or a picture of the page */
	if (talk_any_whole(t, "projection projections sinogram sinograms voxel voxels tomography tomogram tomograms cbct detector volume volumes"))
		return;		/* of a volume, or of what it is reconstructed from, which is not cut into parts of pictures */
	if ((!talk_any_of(t, "image picture photo resolution pixel") && !talk_any_whole(t, "frame frames video videos") && !talk_any_phrase(t, OF_VIDEO)) || talk_any_of(t, "screen monitor display desktop crop scaled downsampl") ||
	    (talk_any_of(t, "resiz") && !talk_any_phrase(t, ASKS_TO_RESIZE) && (!talk_any_phrase(t, "resized to |resize to |resizing to |resize them to |resized them to ") || talk_any_whole(t, "from were was original"))))
		return;		/* or of what they were, not are */
	high = named_side(t, "height");
	wide = named_side(t, "width");
	if (high > 0 && wide > 0 && !clause_is_question(t) && !talk_any_whole(t, "if could should would max maximum at"))
		picture_of(p, high, wide, line);
	for (s = t.s; s < end; s = to ? to : s + 1) {
		if (!is_digit(*s) || (s > t.s && (piece_is_word(s[-1]) || s[-1] == '.'))) {
			to = NULL;
			continue;
		}
		to = piece_number(s, end, &high);
		to = piece_past_blanks(to, end);
		if (to < end && (*to == '*' || *to == 'x' || *to == 'X'))
			to++;
		else if (end - to >= 2 && memcmp(to, "\xc3\x97", 2) == 0)	/* the sign of multiplication */
			to += 2;
		else
			continue;
		to = piece_past_blanks(to, end);
		if (option && option > s)
			continue;	/* what a setting behind them makes of it is another */
		if (talk_is_one_of(clause_word_ahead(t, s), "than over above below under beyond exceeding exceeds") || is_supposed(t, s))
			continue;		/* a bound of those that fail, or that do not */
		if (!(s = piece_number(to, end, &wide)) || (s < end && (*s == 'x' || (*s == '*' && !(s + 1 < end && s[1] == '*')))))
			continue;		/* of three extents; "**" is Markdown's */
		if (talk_is_one_of(clause_word_behind(t, s), "patch patches tile tiles crop crops window windows block blocks chunk chunks"))
			continue;		/* parts of them */
		picture_of(p, high, wide, line);
	}
	picture_in_brackets(p, t, line);
	picture_by_sides(p, t, line);
}

/* " 1000", " of 1024x768": a number of that behind S. */
static bool
is_large_side(struct talk t, const char *s)
{
	const char *end = t.s + t.n;
	int64_t n;

	while (s < end && (memchr(" =:(", *s, 4) || (end - s > 2 && memcmp(s, "of ", 3) == 0)))
		s += *s == 'o' ? 3 : 1;
	return s < end && is_digit(*s) && piece_number(s, end, &n) && n >= LARGE_SIDE;
}

#define LARGE_MEGA	4	/* millions of pixels */
#define OF_PICTURES	"image images picture pictures photo photos camera cameras scene scenes frame frames scan scans"

/* "12 megapixel", "24MP photos", "2500 Mpixel": N of them, whose unit begins at S. */
static bool
is_of_megapixels(struct talk t, const char *s, int64_t n)
{
	const char *end = t.s + t.n, *to;
	struct talk unit;

	while (s < end && (*s == ' ' || *s == '-'))
		s++;
	for (to = s; to < end && is_letter(*to); to++)
		;
	unit = talk_part(t, s, to);
	return n >= LARGE_MEGA && (talk_is_one_of(unit, "megapixel megapixels mpixel mpixels mpix mpx") || (talk_is_one_of(unit, "mp") && talk_any_whole(t, OF_PICTURES)));
}

/* "a 1000px output", "1k*1k", "2048 pixels": sides of pictures, in the words that are used of
 * them alone; or all of their pixels. */
const char *
oom_pictures_side(struct talk t)
{
	const char *s, *to = NULL, *end = t.s + t.n;
	int64_t n;

	while ((s = oom_number_walk(t, ".", &to, &n))) {
		if (n >= LARGE_SIDE && n <= MOST_SIDE && talk_is_one_of(clause_word_behind(t, to), "px pixel pixels"))
			return s;
		if (is_of_megapixels(t, to, n))
			return s;
		if (n > 0 && n <= MOST_KILO && end - to >= 4 && lower(to[0]) == 'k' && memchr("*xX", to[1], 3) && is_digit(to[2]) && lower(to[3]) == 'k')
			return s;
	}
	return NULL;
}

/* Not "even after I made the images smaller". */
const char *
oom_pictures_large(struct talk t)
{
	size_t n;
	const char *chinese = oom_wording(t, WORDING_LARGE_CHINESE), *at = talk_find_whole(t, "larger image size|larger image sizes|bigger image size|larger size of image|high resolution|high-resolution|higher resolution|higher resolutions|larger resolution|bigger resolution|full resolution|"
	    "higher res|high res|high-res|large resolution|large-resolution|large resolutions|very large resolution|larger jpeg|larger jpg|larger png|large jpeg|large png|large image|large images|larger images|big image|big images|bigger images|huge images|large pictures|bigger pictures|big pictures|bigger pics|larger pics|big pics|large pics|bigger photos|larger photos|big photos|large photos|huge pictures|huge photos|big size images|large size images|big size image|images larger than|image larger than|images bigger than|image bigger than|"
	    "pictures larger than|photos larger than|image is large|image is too large|image is very large|images are large|images are too large|images are very large|image is too big|images are too big|image is larger than|image is bigger than|images are larger than|whole slide images|whole-slide images|whole slide image|whole-slide image|need it as a whole slide|as a whole slide|on whole slides|entire slide|wsi data|wsi is too large|wsi is too big|wsi is large|wsis are too large|wsis are large|large wsi|large wsis|slide is too large|slide is too big|slides are too large|slides are too big|whole slide is large|large slide|large slides|large whole slide|huge slide|huge slides|scan is too large|scans are too large|volume is too large|picture is too large|picture is too big|pictures are too large|pictures are too big|photos are too large|photos are too big|images over|images above|images exceeding", &n);

	if (chinese)
		return chinese;
	at = at ? at : oom_wording(t, WORDING_IN_K);
	if (!at && (at = talk_find_whole(t, "image size is too big|image size is too large|size of the picture is too large|size of the picture is too big|size of the pictures is too large|size of the image is too large|size of the image is too big|size of the images is too large|size of images is too large|picture size is too large|picture size is too big|input size is too large|input size is too big|image resolution is too large|crop size is too big|crop size is too large|patch size is too big|patch size is too large|resolution is too high", &n)))
		return at;
	if (at && talk_has_whole(talk_sentence(t, at), "patch size is too big|patch size is too large|crop size is too big|crop size is too large"))
		return at;
	if (!at && (at = talk_find_whole(t, "image size|image size of|size of the image|size of the images|resolution of the image", &n)))
		at = is_large_side(t, at + n) ? at : NULL;
	return at && !talk_any_begins(talk_sentence(t, at), "reduc decreas lower smaller resiz cropped cropping tile patch even still despite anyway regardless disabled") &&
	    (!talk_any_begins(talk_sentence(t, at), "crop") || talk_any_phrase(talk_sentence(t, at), "random crop")) &&
	    !talk_any_phrase(talk_sentence(t, at), "any image|any picture|any resolution|any size|any input") ? at : NULL;
}

/* "In patches it works, but I need it as a whole slide": a scan of tissue that is given as one. */
const char *
oom_pictures_whole(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, "as a whole slide|on the whole slide|on a whole slide|the entire slide|an entire slide|the whole wsi|a whole wsi|the entire wsi|an entire wsi", &n);

	return at && !clause_says_no(talk_part(t, talk_clause(t, at, n).s, at), "if should would could instead") && !memchr(talk_sentence(t, at).s, '?', talk_sentence(t, at).n) ? at : NULL;
}

/* "Multi-scale deformable attention" is a layer, by the word that follows. */
static bool
is_part_of_network(struct talk t, struct talk clause, const char *at)
{
	const char *to = at;

	(void)t;
	while (to < clause.s + clause.n && (piece_is_word(*to) || *to == '-'))
		to++;
	if (talk_is_one_of(clause_word_behind(clause, to), "scale"))
		to = clause_word_behind(clause, to).s + strlen("scale");
	return talk_is_one_of(clause_word_behind(clause, to), "deformable attention feature features fpn fusion discriminator discriminators loss structural ssim network networks model module block encoder decoder aggregation vision "
	    "pooling context residual representation representations");
}

/* "When I use the multi-scale, it is out of memory": pictures change their size as the run goes
 * on. */
const char *
oom_pictures_sizes(struct talk t)
{
	return clause_says_unless(t, "multi-scale|multiscale|multi_scale|multi scale|random scale|random=1|random = 1 in|set random = 1|random = 1 is|random=1 in", AHEAD | WORKS, "without off", is_part_of_network);
}
