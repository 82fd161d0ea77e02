/* picture_jpeg.c - JPEG files, by libjpeg. What it only warns of is let pass, but for a file that
 * ends early. */
#include <jpeglib.h>
#include <jerror.h>

__attribute__((noreturn)) static void
jpeg_failed(j_common_ptr j)
{
	char message[JMSG_LENGTH_MAX];

	(*j->err->format_message)(j, message);
	picture_fail("%s: is no picture that can be read: %s", (const char *)j->client_data, message);
}

static void
jpeg_said(j_common_ptr j, int level)
{
	if (level < 0 && j->err->msg_code == JWRN_JPEG_EOF)
		picture_fail("%s: is cut off: its picture is not whole", (const char *)j->client_data);
}

/* Cyan, magenta, yellow and black to RGB, as Pillow does it: Adobe's programs store them upside
 * down. */
static void
jpeg_from_cmyk(unsigned char *row, int64_t n, bool inverted)
{
	for (int64_t i = 0; i < n; i++) {
		int turn = inverted ? 255 : 0, light = 255 - (row[4 * i + 3] ^ turn);

		for (int k = 0; k < 3; k++) {
			int part = (row[4 * i + k] ^ turn) * light + 128;
			int x = light - ((part + (part >> 8)) >> 8);

			row[3 * i + k] = (unsigned char)(x < 0 ? 0 : x);
		}
	}
}

/* Row by row, from the first that is needed to the last. */
static void
jpeg_rows(struct jpeg_decompress_struct *j, struct canvas *c, bool held)
{
	bool cmyk = j->out_color_space == JCS_CMYK, grey = c->channels == 1 && j->out_color_space == JCS_RGB;
	unsigned char *row = c->row, *rows[1];
	int y = 0;

#ifdef LIBJPEG_TURBO_VERSION_NUMBER
	if (!held && c->y.begin > 32 && c->y.begin < c->height)
		y = (int)jpeg_skip_scanlines(j, (JDIMENSION)(c->y.begin - 16));
	if (!held && c->y.begin > 32 && c->y.begin < c->height && y != c->y.begin - 16)
		picture_fail("%s: is no picture that can be read: rows are missing", c->name);
#endif
	(void)held;
	for (; y < c->y.end; y++) {
		rows[0] = row;
		if (jpeg_read_scanlines(j, rows, 1) != 1)
			picture_fail("%s: is no picture that can be read: rows are missing", c->name);
		if (y < c->y.begin)
			continue;
		if (cmyk)
			jpeg_from_cmyk(row, c->width, j->saw_Adobe_marker);
		if (grey || (cmyk && c->channels == 1))
			row_to_grey(row, c->width);
		canvas_row(c, y, row);
	}
}

static void
jpeg_picture(struct canvas *c, FILE *file)
{
	struct jpeg_decompress_struct j;
	struct jpeg_error_mgr errors;
	bool held;

	memset(&j, 0, sizeof(j));
	if (c->mask)
		picture_fail("%s: is a JPEG picture, whose values are not exact: a mask must be a PNG", c->name);
	j.err = jpeg_std_error(&errors);
	errors.error_exit = jpeg_failed;
	errors.emit_message = jpeg_said;
	j.client_data = (void *)(uintptr_t)c->name;
	jpeg_create_decompress(&j);
	jpeg_stdio_src(&j, file);
	jpeg_read_header(&j, TRUE);
	if (j.jpeg_color_space == JCS_CMYK || j.jpeg_color_space == JCS_YCCK)
		j.out_color_space = JCS_CMYK;
	else
		j.out_color_space = j.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
	canvas_begin(c, j.image_width, j.image_height, j.num_components == 1 || c->picture.channels == 1 ? 1 : 3);
	held = jpeg_has_multiple_scans(&j);
	if (held)
		canvas_hold(c, (int64_t)c->width * c->height * j.num_components * 2, "progressive");
	jpeg_start_decompress(&j);
	jpeg_rows(&j, c, held);
	jpeg_destroy_decompress(&j);
	canvas_end(c);
}
