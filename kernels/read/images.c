/*
 * images.c - JPEG and PNG files in a folder or a list, each decoded when a batch needs it, by the
 * threads that fill the batch. In memory are the names, and for each thread what one picture needs.
 */
#include "host/pictures.c"
#include "host/picture_scale.c"
#include "host/picture_list.c"
#include "host/picture_file.c"

static void
images_open(struct data *d)
{
	struct pictures *p = (struct pictures *)data_alloc(sizeof(*p), "pictures");
	char *name = data_find(d->folder, d->source->file[0]);
	struct stat st;

	memset(p, 0, sizeof *p);
	d->own = p;
	variation_read(&p->variation, d->source);
	variation_room(&p->variation, d, NULL);
	p->columns = d->inputs;
	p->canvas = canvas_each();
	if (stat(name, &st))
		fail("%s: %s", name, strerror(errno));
	p->root = picture_root(name, S_ISDIR(st.st_mode));
	if (S_ISDIR(st.st_mode))
		folder_open(d, p, name);
	else
		list_open(d, p, name);
	if (!d->rows)
		fail("%s: holds no pictures: files of .jpg, .jpeg or .png", name);
	for (int k = 0; k < d->inputs; k++)
		d->makes[k] = true;
}

static void
images_check_mask(const struct canvas *c, const struct input *in)
{
	for (int64_t i = 0; i < in->elements; i++)
		if (c->picture.at[i] >= (float)in->classes)
			picture_fail("%s: holds %.0f, expected a class from 0 to %d for %s", c->name, c->picture.at[i],
			    in->classes - 1, in->name);
}

static void
images_make(const struct data *d, int k, void *to, int64_t row, const struct sampling *s)
{
	const struct pictures *p = (const struct pictures *)d->own;
	const struct input *in = &d->input[k];
	struct canvas *c = &p->canvas[pictures_thread()];
	int64_t cell = p->cell[row * p->columns + k];
	char path[PATH_MAX];

	if (!picture_input(in) && in->elements == 1 && in->classes) {
		if (in->type == TYPE_U8)
			*(uint8_t *)to = (uint8_t)cell;
		else
			*(int32_t *)to = (int32_t)cell;
		return;
	}
	if (!picture_input(in) && !in->classes) {
		picture_shares(in, to, cell);
		return;
	}
	picture_path(path, p->root, p->names.text + cell);
	c->name = path;
	c->data = d;
	c->variation = &p->variation;
	c->mask = in->classes > 0;
	c->picture = picture_room(&p->variation, in, row, s);
	picture_decode(c);
	if (c->mask)
		images_check_mask(c, in);
	picture_finish(d, &p->variation, k, to, &c->picture);
}

static void
images_finish(const struct data *d, void *const *to, int64_t batch, const struct sampling *s)
{
	variation_mix(&((const struct pictures *)d->own)->variation, d, to, batch, s);
}

const struct reader reader_images = { images_open, images_make, images_finish };
