/*
 * Convolutions from numbers in a row, as the tables of tests have them: the input's channels,
 * height and width, the output's, kernel, stride, padding, dilation, groups.
 */
static inline struct conv
conv_shape(int c, int h, int w, int f, int oh, int ow, int kh, int kw, int sy, int sx, int top,
    int left, int dy, int dx, int groups)
{
	struct conv s = { c, h, w, f, oh, ow, kh, kw, sy, sx, top, left, dy, dx, groups, 0,
		0, 0, 0, 0, 0, 0 };

	return s;
}

/* The same of volumes of D planes: OD are made of them. */
static inline struct conv
deep(struct conv s, int d, int od, int kd, int sz, int front, int dz)
{
	s.d = d, s.od = od, s.kd = kd, s.sz = sz, s.front = front, s.dz = dz;
	return s;
}

/* The same with its channels last: [h, w, c] and [f, kh, kw, c / groups]. */
static inline struct conv
channels_last(struct conv s)
{
	s.last = 1;
	return s;
}
