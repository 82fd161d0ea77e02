/*
 * idx.c - IDX, the format of the MNIST files: 0 0 type rank, then an extent of four bytes a
 * dimension, then the values, all big-endian. One file for each input and target.
 */
static void
idx_read(struct data *d, const struct input *in)
{
	struct mapped f = data_map(d->folder, d->source->file[in->column]);
	int64_t dim[255], header;
	int rank, type;

	if (f.size < 4)
		fail("%s: truncated: %lld bytes, an IDX header has at least 4", f.name,
		    (long long)f.size);
	if (f.bytes[0] || f.bytes[1])
		fail("%s: not an IDX file: begins with %02x %02x, expected 00 00", f.name, f.bytes[0],
		    f.bytes[1]);
	switch (f.bytes[2]) {
	case 0x08: type = TYPE_U8; break;
	case 0x09: type = TYPE_I8; break;
	case 0x0b: type = TYPE_I16; break;
	case 0x0c: type = TYPE_I32; break;
	case 0x0d: type = TYPE_F32; break;
	case 0x0e: type = TYPE_F64; break;
	default:
		fail("%s: corrupt: unknown IDX type 0x%02x", f.name, f.bytes[2]);
	}
	rank = f.bytes[3];
	header = 4 + 4 * (int64_t)rank;
	if (f.size < header)
		fail("%s: truncated: %lld bytes, its IDX header alone has %lld", f.name,
		    (long long)f.size, (long long)header);
	for (int i = 0; i < rank; i++) {
		const unsigned char *p = f.bytes + 4 + 4 * i;

		dim[i] = (int64_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
	}
	data_take(d, in, &f, header, type, true, rank, dim);
}

static void
idx_open(struct data *d)
{
	for (int k = 0; k < d->inputs; k++)
		if (!data_lacks_file(d, k))
			idx_read(d, &d->input[k]);
}

const struct reader reader_idx = { idx_open, NULL, NULL };
