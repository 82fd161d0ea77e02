/*
 * npy.c - NPY, NumPy's format: \x93NUMPY, two bytes of version, the header's length in two
 * bytes (four from version 2), and a Python dict of descr, fortran_order and shape. One file for
 * each input and target.
 */
/* The value behind 'KEY': in the header of an NPY file. */
static const char *
npy_value(const struct mapped *f, const char *header, const char *key)
{
	const char *at = strstr(header, key);

	if (!at)
		fail("%s: corrupt: its NPY header has no %s", f->name, key);
	at += strlen(key);
	while (*at == ' ' || *at == ':')
		at++;
	return at;
}

static int
npy_type(const struct mapped *f, const char *at, bool *big)
{
	static const struct {
		const char *name;
		int type;
	} types[] = {
		{"f4'", TYPE_F32}, {"f8'", TYPE_F64}, {"i4'", TYPE_I32}, {"i8'", TYPE_I64},
		{"u1'", TYPE_U8}, {"i1'", TYPE_I8}, {"i2'", TYPE_I16}, {"b1'", TYPE_U8},
		{"u2'", TYPE_U16}, {"u4'", TYPE_U32},
	};

	int length;

	*big = at[0] == '\'' && at[1] == '>';
	if (at[0] == '\'' && at[1] && strchr("<>|=", at[1]))
		for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
			if (!strncmp(at + 2, types[i].name, 3))
				return types[i].type;
	length = (int)strcspn(at, ",}");
	fail("%s: holds values of type %.*s, expected f4, f8, i1, i2, i4, i8, u1, u2, u4 or b1", f->name,
	    length < 40 ? length : 40, at);
}

/* The tuple of a header: "(60000, 28, 28)". Returns its length. */
static int
npy_shape(const struct mapped *f, const char *at, int64_t *dim)
{
	int rank = 0;

	if (*at++ != '(')
		fail("%s: corrupt: no shape in its NPY header", f->name);
	for (;;) {
		char *end;

		while (*at == ' ' || *at == ',')
			at++;
		if (*at == ')')
			return rank;
		if (rank == 32 || *at < '0' || *at > '9')
			fail("%s: corrupt: no shape in its NPY header", f->name);
		errno = 0;
		dim[rank++] = strtoll(at, &end, 10);
		if (errno)
			fail("%s: its header claims impossible dimensions", f->name);
		at = end;
	}
}

static void
npy_read(struct data *d, const struct input *in)
{
	struct mapped f = data_map(d->folder, d->source->file[in->column]);
	int64_t dim[32], header, length;
	const unsigned char *p = f.bytes;
	char *text;
	bool big;
	int rank, type;

	if (f.size < 12 || memcmp(p, "\x93NUMPY", 6))
		fail("%s: not an NPY file: does not begin with \\x93NUMPY", f.name);
	if (p[6] < 1 || p[6] > 3)
		fail("%s: NPY version %d, expected 1, 2 or 3", f.name, p[6]);
	length = p[8] | p[9] << 8;
	header = 10;
	if (p[6] > 1) {
		length |= (int64_t)p[10] << 16 | (int64_t)p[11] << 24;
		header = 12;
	}
	if (header + length > f.size)
		fail("%s: truncated: %lld bytes, its NPY header alone has %lld", f.name,
		    (long long)f.size, (long long)(header + length));
	text = (char *)data_alloc((uint64_t)length, f.name);
	memcpy(text, p + header, (size_t)length);
	text[length] = '\0';
	type = npy_type(&f, npy_value(&f, text, "'descr'"), &big);
	if (strncmp(npy_value(&f, text, "'fortran_order'"), "False", 5))
		fail("%s: is in Fortran order; save it with numpy.ascontiguousarray", f.name);
	rank = npy_shape(&f, npy_value(&f, text, "'shape'"), dim);
	free(text);
	data_take(d, in, &f, header + length, type, big, rank, dim);
}

static void
npy_open(struct data *d)
{
	for (int k = 0; k < d->inputs; k++)
		if (!data_lacks_file(d, k))
			npy_read(d, &d->input[k]);
}

const struct reader reader_npy = { npy_open, NULL, NULL };
