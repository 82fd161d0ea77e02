/*
 * picture_png.c - PNG files, by libpng. Pictures become bytes, grey or RGB, without transparency;
 * masks keep their numbers: of a palette the index, of grey the value, of up to 16 bits.
 */
#include <png.h>

static void
png_failed(png_structp png, png_const_charp why)
{
	picture_fail("%s: is no picture that can be read: %s", (const char *)png_get_error_ptr(png), why);
}

static void
png_said(png_structp png, png_const_charp what)
{
	(void)png;
	(void)what;
}

/* What libpng is to make of the rows. */
static void
png_ask(png_structp png, png_infop info, const struct canvas *c)
{
	int type = png_get_color_type(png, info), bits = png_get_bit_depth(png, info);

	if (c->mask && (type & PNG_COLOR_MASK_COLOR) && type != PNG_COLOR_TYPE_PALETTE)
		picture_fail("%s: has three channels; a mask has one number a pixel", c->name);
	png_set_strip_alpha(png);
	if (c->mask) {
		png_set_packing(png);
		if (bits == 16 && !data_big_endian())
			png_set_swap(png);
		return;
	}
	if (bits == 16)
		png_set_scale_16(png);
	if (type == PNG_COLOR_TYPE_PALETTE)
		png_set_palette_to_rgb(png);
	else if (bits < 8)
		png_set_expand_gray_1_2_4_to_8(png);
}

static void
png_row(struct canvas *c, int y, unsigned char *row, int channels, bool wide)
{
	if (c->mask && wide) {
		canvas_mask_row(c, y, (const uint16_t *)(const void *)row);
		return;
	}
	if (c->mask) {
		uint16_t *to = (uint16_t *)(void *)(c->row + ((int64_t)c->width * 2 + 63) / 64 * 64);

		for (int i = 0; i < c->width; i++)
			to[i] = row[i];
		canvas_mask_row(c, y, to);
		return;
	}
	if (channels == 3 && c->channels == 1)
		row_to_grey(row, c->width);
	canvas_row(c, y, row);
}

/* An interlaced picture comes as a whole. */
static void
png_held(png_structp png, struct canvas *c, int64_t bytes, int channels, bool wide)
{
	unsigned char *all, **rows;

	canvas_hold(c, bytes * c->height, "interlaced");
	all = (unsigned char *)data_alloc((uint64_t)(bytes * c->height), c->name);
	rows = (unsigned char **)data_alloc((uint64_t)c->height * sizeof(*rows), c->name);
	for (int y = 0; y < c->height; y++)
		rows[y] = all + y * bytes;
	png_read_image(png, rows);
	for (int y = 0; y < c->height; y++)
		png_row(c, y, rows[y], channels, wide);
	free(rows);
	free(all);
}

static void
png_picture(struct canvas *c, FILE *file)
{
	png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, (void *)(uintptr_t)c->name, png_failed, png_said);
	png_infop info = png ? png_create_info_struct(png) : NULL;
	int channels;
	bool held, wide;

	if (!info)
		picture_fail("%s: no memory for it", c->name);
	png_set_user_limits(png, INT_MAX / 8, INT_MAX / 8);
	png_init_io(png, file);
	png_read_info(png, info);
	channels = png_get_color_type(png, info) & PNG_COLOR_MASK_COLOR ? 3 : 1;
	wide = png_get_bit_depth(png, info) == 16;
	held = png_get_interlace_type(png, info) != PNG_INTERLACE_NONE;
	canvas_begin(c, png_get_image_width(png, info), png_get_image_height(png, info),
	    channels == 1 || c->picture.channels == 1 ? 1 : 3);
	png_ask(png, info, c);
	if (held)
		png_set_interlace_handling(png);
	png_read_update_info(png, info);
	if (held)
		png_held(png, c, (int64_t)png_get_rowbytes(png, info), channels, wide);
	for (int y = 0; !held && y < c->y.end; y++) {
		png_read_row(png, c->row, NULL);
		png_row(c, y, c->row, channels, wide);
	}
	png_destroy_read_struct(&png, &info, NULL);
	if (!c->mask)
		canvas_end(c);
}
