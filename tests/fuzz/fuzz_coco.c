/*
 * A fuzzer of COCO's files of instances, JSON, as built programs read them; see fuzz.h. The first
 * byte of a text chooses what is asked of the pictures and the reader's arguments, the rest are the
 * file.
 */
#include "fuzz_parts.h"
#include "read/coco.c"
#include "fuzz_parts_check.h"

static const char *const words[] = {
	"\"images\":[", "\"categories\":[", "\"annotations\":[", "{\"id\":1,", "\"file_name\":\"a.jpg\",", "\"width\":8,",
	"\"height\":6", "},{", "\"image_id\":1,", "\"category_id\":2,", "\"bbox\":[1,1,3,2],", "\"area\":6,", "\"iscrowd\":1,",
	"\"segmentation\":", "[[1,1,4,1,4,3]]", "{\"size\":[6,8],\"counts\":[10,5,33]}", "{\"size\":[6,8],\"counts\":\"", "0",
	"1", "-1", "1e9", "65536.5", "9223372036854775807", "67108865", "0x1", "null", "true", "[", "]", "{", "}", ",", ":", "\"",
	"\\u00e9", "\\\"", "\\", "\n", "1.5", "P1", "oP0", "@", "`",
};

static void
mutate(struct sample *t, const struct sample *from, int nfrom)
{
	mutate_parts(t, from, nfrom, words, COUNT_OF(words));
}

/* As coco_open() does, but a text with large pictures is left before there is room for their
 * masks. */
static void
open_text(struct data *d, struct parts *p)
{
	struct coco *c = (struct coco *)data_alloc(sizeof(*c), "pictures");
	int64_t i;
	int k;

	memset(c, 0, sizeof *c);
	c->file = data_map(d->folder, "text");
	p->own = c;
	p->file = p->root = c->file.name;
	p->draw = coco_draw;
	coco_lists_find(c);
	for (k = COCO_IMAGES; k <= COCO_CATEGORIES; k++)
		if (!c->list[k].at)
			fail("%s: has no list of %s", c->file.name, coco_lists[k]);
	coco_categories(d, c, p);
	coco_images(c, p);
	coco_annotations(d, c, p);
	for (i = 0; i < p->pictures && p->has[ROLE_MASKS]; i++)
		if ((int64_t)p->pictured[i].width * p->pictured[i].height > MOST_DRAWN)
			fail("large pictures");
	parts_settle(d, p);
}

static long
try(const struct sample *t)
{
	return t->n > 1 && parts_try(t->text + 1, t->n - 1, (unsigned char)t->text[0],
	    2 + ((unsigned char)t->text[0] >> 4), open_text);
}

const struct fuzzer fuzzer = {
	.name = "fuzz_coco",
	.outcome = "files read",
	.longest = 2000,
	.mutate = mutate,
	.try = try,
};
