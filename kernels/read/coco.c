/*
 * coco.c - objects in pictures, as COCO's files of instances have them: JSON with lists of images,
 * categories and annotations, in any order, and a folder of pictures. The file stays mapped, since
 * masks are drawn from it when a batch needs them; at start every value that is asked for is
 * checked.
 */
#include "host/json.c"
#include "host/parts.c"
#include "host/part_masks.c"
#include "host/part_proposals.c"

struct category {
	int64_t id;
	int label;
};

struct coco {
	struct mapped file;
	struct json list[3];	/* where the lists begin: */
	struct category *category;
	int64_t categories;
	struct category *picture;	/* by id, which it is */
};

enum { COCO_IMAGES, COCO_CATEGORIES, COCO_ANNOTATIONS };

static const char *const coco_lists[] = { "images", "categories", "annotations" };

static void
coco_lists_find(struct coco *c)
{
	struct json j = json_of(&c->file);
	char key[16];

	for (int n = 0; json_field(&j, &n, key, sizeof(key)); json_pass(&j))
		for (int k = 0; k < 3; k++)
			if (!strcmp(key, coco_lists[k])) {
				if (c->list[k].at)
					fail("%s: has two lists of %s", c->file.name, coco_lists[k]);
				json_peek(&j);
				c->list[k] = j;
			}
	if (json_peek(&j) || j.at < j.end)
		json_fail(&j, "the end");
}

static int
category_by_id(const void *a, const void *b)
{
	int64_t x = ((const struct category *)a)->id, y = ((const struct category *)b)->id;

	return x < y ? -1 : x > y;
}

/* Which of a sorted list; -1: none. */
static int
category_find(const struct category *c, int64_t n, int64_t id)
{
	struct category key = { id, 0 };
	const struct category *found = n ? (const struct category *)bsearch(&key, c, (size_t)n, sizeof(*c),
	    category_by_id) : NULL;

	return found ? found->label : -1;
}

/* Sorts by id, of which there may be no two. */
static void
categories_sort(const struct coco *c, struct category *list, int64_t n, const char *what)
{
	if (n)
		qsort(list, (size_t)n, sizeof(*list), category_by_id);
	for (int64_t i = 1; i < n; i++)
		if (list[i].id == list[i - 1].id)
			fail("%s: has two %s of id %lld", c->file.name, what, (long long)list[i].id);
}

static struct category
coco_category(struct json *j)
{
	const char *at = (json_peek(j), j->at);
	struct category c = { -1, 0 };
	char key[16];

	for (int n = 0; json_field(j, &n, key, sizeof(key));) {
		if (!strcmp(key, "id"))
			c.id = json_count(j);
		else
			json_pass(j);
	}
	if (c.id < 0)
		json_fail_at(j, at, "the id of the category");
	return c;
}

/* Categories are classes in the order of their ids. */
static void
coco_categories(const struct data *d, struct coco *c, const struct parts *p)
{
	struct json j = c->list[COCO_CATEGORIES];
	int64_t n = 0, room = 0, first = (int64_t)source_number(d->source, "first", 0, 1);
	bool ids = source_number(d->source, "ids", 0, 0) != 0;
	uint64_t last;

	while (json_each(&j, &n)) {
		c->category = (struct category *)row_room(c->category, n - 1, &room, sizeof(*c->category));
		c->category[n - 1] = coco_category(&j);
	}
	c->categories = n;
	categories_sort(c, c->category, n, "categories");
	last = (uint64_t)(ids && n ? c->category[n - 1].id : first + n - 1);
	for (int64_t i = 0; i < n; i++) {
		int64_t label = ids ? c->category[i].id : first + i;

		if (p->has[ROLE_LABELS] && label >= p->classes)
			fail("%s: has %lld categories, which are classes up to %llu here, but labels has %d: class[%llu, %lld]",
			    c->file.name, (long long)n, (unsigned long long)last, p->classes, (unsigned long long)last + 1,
			    (long long)p->most);
		c->category[i].label = (int)(label < INT_MAX ? label : INT_MAX);
	}
	if (p->has[ROLE_LABELS] && !ids && first + n != p->classes)
		fail("%s: has %lld categories, but labels has %d classes: class[%lld, %lld], of which the first category is "
		    "class %lld", c->file.name, (long long)n, p->classes, (long long)(first + n), (long long)p->most,
		    (long long)first);
}

static int32_t
coco_extent(struct json *j)
{
	const char *at = (json_peek(j), j->at);
	int64_t x = json_count(j);

	if (x < 1 || x > MOST_PIXELS)
		json_fail_at(j, at, "a size of a picture");
	return (int32_t)x;
}

static void
coco_image(struct json *j, struct parts *p)
{
	const char *at = (json_peek(j), j->at);
	struct pictured *of = picture_next(p);
	bool named = false, known = false;
	char key[16], name[PATH_MAX];

	for (int n = 0; json_field(j, &n, key, sizeof(key));) {
		if (!strcmp(key, "id")) {
			of->id = json_count(j);
			known = true;
		} else if (!strcmp(key, "file_name")) {
			json_string(j, name, sizeof(name));
			named = *name != '\0';
		} else if (!strcmp(key, "width")) {
			of->width = coco_extent(j);
		} else if (!strcmp(key, "height")) {
			of->height = coco_extent(j);
		} else {
			json_pass(j);
		}
	}
	if (!named || !known || !of->width || !of->height)
		json_fail_at(j, at, "id, file_name, width and height of the image");
	if (p->has[ROLE_MASKS] && (int64_t)of->width * of->height > MOST_HELD)
		json_fail_at(j, at, "a picture of at most 67108864 pixels, as it has masks,");
	of->name = names_add(&p->names, name, strlen(name));
}

static void
coco_images(struct coco *c, struct parts *p)
{
	struct json j = c->list[COCO_IMAGES];

	for (int64_t n = 0; json_each(&j, &n);)
		coco_image(&j, p);
	c->picture = (struct category *)data_alloc((uint64_t)p->pictures * sizeof(*c->picture), c->file.name);
	if (p->pictures > INT_MAX)
		fail("%s: has too many images", c->file.name);
	for (int64_t i = 0; i < p->pictures; i++) {
		c->picture[i].id = p->pictured[i].id;
		c->picture[i].label = (int)i;
	}
	categories_sort(c, c->picture, p->pictures, "images");
}

/* [x, y, width, height] */
static void
coco_box(struct json *j, float *box)
{
	for (int k = 0; k < 4; k++) {
		json_need(j, k ? ',' : '[', "a box of four numbers");
		box[k] = (float)json_real(j);
	}
	json_need(j, ']', "the end of a box of four numbers");
}

/* Which of these an id is. */
static int
coco_known(struct json *j, const struct category *list, int64_t n, const char *expected)
{
	const char *at = (json_peek(j), j->at);
	int found = category_find(list, n, json_count(j));

	if (found < 0)
		json_fail_at(j, at, expected);
	return found;
}

static void
coco_annotation(struct json *j, const struct coco *c, struct parts *p)
{
	const char *begin = (json_peek(j), j->at), *mask = NULL;
	struct object part;
	float box[4] = { 0, 0, 0, 0 };
	bool boxed = false;
	char key[16];

	memset(&part, 0, sizeof(part));
	part.picture = part.label = part.mask = -1;
	part.area = -1;
	for (int n = 0; json_field(j, &n, key, sizeof(key));) {
		if (!strcmp(key, "image_id")) {
			part.picture = coco_known(j, c->picture, p->pictures, "the id of one of its images");
		} else if (!strcmp(key, "category_id")) {
			part.label = coco_known(j, c->category, c->categories, "the id of one of its categories");
		} else if (!strcmp(key, "bbox")) {
			coco_box(j, box);
			boxed = true;
		} else if (!strcmp(key, "area")) {
			part.area = (float)json_real(j);
		} else if (!strcmp(key, "iscrowd")) {
			part.crowd = json_count(j) != 0;
		} else {
			mask = !strcmp(key, "segmentation") ? (json_peek(j), j->at) : mask;
			json_pass(j);
		}
	}
	if (part.picture < 0 || part.label < 0 || !boxed)
		json_fail_at(j, begin, "image_id, category_id and bbox of the annotation");
	if (p->has[ROLE_MASKS] && !mask)
		json_fail_at(j, begin, "segmentation of the annotation, which masks asks for,");
	part.mask = mask ? mask - j->text : -1;
	if (p->has[ROLE_MASKS]) {
		struct json at = *j;
		struct drawing none = { NULL, NULL, p->pictured[part.picture].width, p->pictured[part.picture].height };

		at.at = mask;
		part_draw(&at, &none);
	}
	if (part.area < 0)
		part.area = box[2] * box[3];
	part_add(p, &part, box[0], box[1], box[2], box[3]);
}

static void
coco_annotations(struct data *d, const struct coco *c, struct parts *p)
{
	struct json j = c->list[COCO_ANNOTATIONS];

	if (!j.at) {
		for (int k = 0; k < d->inputs; k++)
			if ((role_is_bounded(p->role[k]) || p->role[k] == ROLE_COUNT) && !data_lacks(d, k))
				fail("%s: has no list of annotations", c->file.name);
		return;
	}
	for (int64_t n = 0; json_each(&j, &n);)
		coco_annotation(&j, c, p);
}

static void
coco_draw(const struct parts *p, const struct pictured *of, const struct object *part, uint8_t *mask, uint8_t *edge)
{
	struct json j = json_of(&((const struct coco *)p->own)->file);
	struct drawing drawing = { mask, edge, of->width, of->height };

	j.at += part->mask;
	part_draw(&j, &drawing);
}

static void
coco_open(struct data *d)
{
	struct parts *p = parts_open(d);
	struct coco *c = (struct coco *)data_alloc(sizeof(*c), "pictures");
	char *folder;

	memset(c, 0, sizeof *c);
	c->file = data_map(d->folder, d->source->file[0]);
	p->own = c;
	p->file = c->file.name;
	p->draw = coco_draw;
	folder = d->source->files > 1 ? data_find(d->folder, d->source->file[1]) : NULL;
	p->root = picture_root(folder ? folder : c->file.name, folder != NULL);
	free(folder);
	coco_lists_find(c);
	for (int k = COCO_IMAGES; k <= COCO_CATEGORIES; k++)
		if (!c->list[k].at)
			fail("%s: has no list of %s", c->file.name, coco_lists[k]);
	coco_categories(d, c, p);
	coco_images(c, p);
	coco_annotations(d, c, p);
	parts_settle(d, p);
	proposals_open(d, p, 2);
}

const struct reader reader_coco = { coco_open, proposals_make, NULL };
