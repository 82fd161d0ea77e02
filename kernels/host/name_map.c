/*
 * name_map.c - what weights are called elsewhere, and how they lie there: the lines of --map FILE.
 * Stowage reads the same lines the other way round (src/export/names.c), so here is neither an exit
 * nor a message but what is returned.
 *
 *     # theirs                            here
 *     layer*.*.conv1.weight               layer*.*.main.conv.weight
 *     layer*.*.bn1.@norm                  layer*.*.main.batchnorm.@norm
 *     features.{2*+5}.*                   stage2.*.0.conv.*
 *     layer.*.query.weight                body.*.in_proj.weight[0/3]
 *     transformer.h.*.mlp.c_fc.weight     blocks.*.dense.weight            oi->io
 *     **.attn.bias                        -
 *
 * The first line that fits a name of theirs counts. A name that no line fits is the same here; "-"
 * is left out.
 *
 * * stands for any characters but dots, ** for any, and each in the second column for what the same one in the first
 * stood for. {2*+5} is a number: twice the star, and 5 more; where it fits, the star is the number
 * that this is made of.
 *
 * A line "@norm weight weight" is one of a group, which stands above where it is used; where both
 * names of a line end in @norm, each line of the group takes its place there.
 *
 * [0/3] says which rows of ours are all of theirs: of three equal parts the first; [0:8/10] is the
 * first eight of ten.
 *
 * How they lie: ours -> theirs, a letter an axis, in brackets those that are one axis, 1 an axis of
 * one; what brackets do not say by themselves stands behind: o(chw)->(hwc)o:h=7,w=7. "transposed"
 * is oi->io.
 *
 * What only a file for others has: "also" is a second name for what has one; "counter" a whole
 * number, 0, that stands beside a running mean; "window_index" which row of a table of relative
 * positions counts for which two places of a window. From a file these are left out.
 *
 * A line "@all layer{1..4}.{0..1}" says which numbered parts the network has, for who writes all of
 * them.
 */
#define MOST_RULES	4096	/* lines of a map */
#define MOST_MEMBERS	256	/* lines of its groups */
#define MOST_STARS	8	/* in a pattern */
#define MOST_LETTERS	8	/* axes of a tensor, once they are taken apart */
#define MAP_NAME	160
#define MAP_ALL		"@all"

enum map_kind { MAP_TAKEN, MAP_LEFT_OUT, MAP_ALSO, MAP_COUNTER, MAP_WINDOW_INDEX };

struct map_layout {		/* letters, with a comma before each axis but the first */
	char ours[2 * MOST_LETTERS + 1], theirs[2 * MOST_LETTERS + 1];
	int64_t size[128];	/* of a letter; 0: the axis says it */
};

struct map_rule {
	char theirs[MAP_NAME], here[MAP_NAME];
	enum map_kind kind;
	int from, end, parts;	/* rows of ours; parts 0: all */
	struct map_layout *layout;	/* NULL: they lie the same */
};

struct map_member {
	char group[32];
	struct map_rule rule;
};

struct name_map {
	struct map_rule rule[MOST_RULES];
	struct map_member member[MOST_MEMBERS];
	struct map_layout layout[MOST_MEMBERS];
	int n, members, layouts;
};

/* ---- lines ---- */

/* The next word of a line, or NULL. */
static char *
map_word(char **at)
{
	char *word = *at + strspn(*at, " \t\r");

	if (!*word || *word == '#')
		return NULL;
	*at = word + strcspn(word, " \t\r");
	if (**at)
		*(*at)++ = '\0';
	return word;
}

static int
map_stars(const char *pattern)
{
	int n = 0;

	for (; *pattern; pattern += pattern[0] == '*' && pattern[1] == '*' ? 2 : 1)
		n += *pattern == '*';
	return n;
}

/* A whole number of at most six digits; -1: there is none. */
static int
map_number(const char **at)
{
	int n = 0, digits = 0;

	for (; **at >= '0' && **at <= '9' && digits < 6; (*at)++, digits++)
		n = 10 * n + (**at - '0');
	return digits ? n : -1;
}

struct map_sum {		/* {TIMES*+MORE} */
	int times, more;
};

/* Behind the brace at PATTERN; NULL: it is no number. */
static const char *
map_sum(const char *pattern, struct map_sum *s)
{
	const char *p = pattern + 1;
	int sign;

	s->times = map_number(&p);
	if (s->times == -1)
		s->times = 1;
	s->more = 0;
	if (s->times == 0 || *p++ != '*')
		return NULL;
	if (*p == '+' || *p == '-') {
		sign = *p++ == '+' ? 1 : -1;
		if ((s->more = map_number(&p)) == -1)
			return NULL;
		s->more *= sign;
	}
	return *p == '}' ? p + 1 : NULL;
}

/* Are all braces of a pattern numbers? */
static bool
map_sums(const char *pattern)
{
	struct map_sum s;

	for (pattern = strchr(pattern, '{'); pattern; pattern = strchr(pattern, '{'))
		if (!(pattern = map_sum(pattern, &s)))
			return false;
	return true;
}

/* Letters of one side, up to END, into OUT, which has room for MOST_LETTERS and their commas;
 * false: they are none, or too many. */
static bool
map_axes(const char *from, const char *end, char *out)
{
	bool inside = false;
	int letters = 0;

	for (; from < end; from++) {
		if ((*from == '(' && inside) || (*from == ')' && !inside))
			return false;
		if (*from == '(' || *from == ')') {
			inside = *from == '(';
			if (inside && (from + 1 == end || from[1] == ')'))
				return false;
			if (!inside)
				continue;
			from++;
		}
		if (letters == MOST_LETTERS || !((*from >= 'a' && *from <= 'z') || *from == '1'))
			return false;
		if (letters++ > 0 && (!inside || from[-1] == '('))
			*out++ = ',';
		*out++ = *from;
	}
	*out = '\0';
	return !inside && letters > 0;
}

/* Is each letter of one side once in the other? */
static bool
map_letters_agree(const char *a, const char *b)
{
	for (const char *p = a; *p; p++)
		if (*p >= 'a' && (!strchr(b, *p) || strchr(p + 1, *p)))
			return false;
	return true;
}

/* ":h=7,w=7" */
static bool
map_sizes(struct map_layout *l, const char *at)
{
	while (*at == ':' || *at == ',') {
		int letter = at[1], n;

		if (letter < 'a' || letter > 'z' || at[2] != '=' || !strchr(l->ours, letter))
			return false;
		at += 3;
		if ((n = map_number(&at)) <= 0)
			return false;
		l->size[letter] = n;
	}
	return !*at;
}

static bool
map_layout(struct map_layout *l, const char *word)
{
	const char *arrow = strstr(word, "->"), *end;

	if (!arrow)
		return false;
	end = arrow + strcspn(arrow, ":");
	memset(l, 0, sizeof(*l));
	return map_axes(word, arrow, l->ours) && map_axes(arrow + 2, end, l->theirs) &&
	    map_letters_agree(l->ours, l->theirs) && map_letters_agree(l->theirs, l->ours) && map_sizes(l, end);
}

/* Takes "[0/3]" off a name; false: it is no part. */
static bool
map_part(struct map_rule *r)
{
	char *open = strchr(r->here, '[');
	const char *at = open + 1;

	if (!open)
		return true;
	r->from = map_number(&at);
	r->end = r->from + 1;
	if (*at == ':' && at++)
		r->end = map_number(&at);
	if (*at++ != '/')
		return false;
	r->parts = map_number(&at);
	*open = '\0';
	return r->from >= 0 && r->from < r->end && r->end <= r->parts && strcmp(at, "]") == 0;
}

/* A third word of a line. */
static bool
map_how(struct name_map *m, struct map_rule *r, const char *word)
{
	if (!strcmp(word, "also"))
		r->kind = MAP_ALSO;
	else if (!strcmp(word, "counter"))
		r->kind = MAP_COUNTER;
	else if (!strcmp(word, "window_index"))
		r->kind = MAP_WINDOW_INDEX;
	else if (r->layout || m->layouts == MOST_MEMBERS)
		return false;
	else if (map_layout(&m->layout[m->layouts], !strcmp(word, "transposed") ? "oi->io" : word))
		r->layout = &m->layout[m->layouts++];
	else
		return false;
	return true;
}

/* The group in which a name ends, and where its "@" stands; NULL: in none. */
static char *
map_group(char *name)
{
	char *at = strrchr(name, '@');

	return at && !strchr(at, '.') ? at : NULL;
}

static const char map_stars_wanted[] = "as many * in the name here as in the other, at most 8";

/* Does each star of ours stand for one of theirs, and are they not too many? */
static bool
map_stars_agree(const struct map_rule *r)
{
	return map_stars(r->theirs) <= MOST_STARS && (r->kind == MAP_LEFT_OUT || map_stars(r->here) == map_stars(r->theirs));
}

static bool
map_keep(struct name_map *m, const struct map_rule *r, const char *group)
{
	if (group ? m->members == MOST_MEMBERS : m->n == MOST_RULES)
		return false;
	if (group) {
		snprintf(m->member[m->members].group, sizeof(m->member[0].group), "%s", group);
		m->member[m->members++].rule = *r;
	} else {
		m->rule[m->n++] = *r;
	}
	return true;
}

static bool
map_ends(char *out, size_t length, const char *end)
{
	return length + strlen(end) < MAP_NAME && snprintf(out + length, MAP_NAME - length, "%s", end) >= 0;
}

/* The rule, or one for each line of the group in which its names end. What there is to say of it,
 * or NULL. */
static const char *
map_add(struct name_map *m, struct map_rule *r, const char *group)
{
	char *theirs = map_group(r->theirs), *here = map_group(r->here);
	int members = m->members, found = 0;

	if (!theirs && !here)
		return map_keep(m, r, group) ? NULL : "too many lines";
	if (!theirs || !here || strcmp(theirs, here) || r->parts || r->layout || r->kind)
		return "both names end in the same group, and nothing stands behind them";
	for (int k = 0; k < members; k++) {
		struct map_rule each = m->member[k].rule;

		if (strcmp(m->member[k].group, theirs))
			continue;
		memcpy(each.theirs, r->theirs, (size_t)(theirs - r->theirs));
		memcpy(each.here, r->here, (size_t)(here - r->here));
		if (!map_ends(each.theirs, (size_t)(theirs - r->theirs), m->member[k].rule.theirs) ||
		    !map_ends(each.here, (size_t)(here - r->here), m->member[k].rule.here))
			return "the names are too long";
		if (!map_stars_agree(&each))
			return map_stars_wanted;
		if (!map_keep(m, &each, group))
			return "too many lines";
		found++;
	}
	return found ? NULL : "no line above is of that group";
}

/* One line, which is changed. What is wrong with it, or NULL. */
static const char *
map_line(struct name_map *m, char *line)
{
	static const char wanted[] = "expected a name of theirs, one here or \"-\", and perhaps how it lies: \"transposed\", \"oi->io\"";
	struct map_rule r;
	char *at = line, *word = map_word(&at), *group = word && *word == '@' ? word : NULL, *here;

	if (!word || !strcmp(word, MAP_ALL))
		return NULL;
	memset(&r, 0, sizeof(r));
	if (group && !(word = map_word(&at)))
		return wanted;
	if (!(here = map_word(&at)))
		return wanted;
	if (strlen(word) >= MAP_NAME || strlen(here) >= MAP_NAME || (group && strlen(group) >= sizeof(m->member[0].group)))
		return "the names are too long";
	memcpy(r.theirs, word, strlen(word));
	memcpy(r.here, here, strlen(here));
	while ((word = map_word(&at)))
		if (!map_how(m, &r, word))
			return wanted;
	if (!strcmp(r.here, "-"))
		r.kind = MAP_LEFT_OUT;
	else if (!map_part(&r))
		return "a part is [0/3], the first of three, or [0:8/10]";
	if (!map_sums(r.theirs) || !map_sums(r.here))
		return "a number is {*+1} or {2*-1}";
	if (!map_stars_agree(&r))
		return map_stars_wanted;
	return map_add(m, &r, group);
}

/* ---- names ---- */

struct stood_for {		/* by a star */
	char text[MAP_NAME];
	int length;
};

static bool map_fits(const char *pattern, const char *name, struct stood_for *star);

/* {2*+5} */
static bool
map_fits_number(const char *pattern, const char *name, struct stood_for *star)
{
	struct map_sum s;
	const char *behind = map_sum(pattern, &s), *at = name;
	int n = map_number(&at);

	if (n < 0 || (*name == '0' && at > name + 1) || n < s.more || (n - s.more) % s.times)
		return false;
	star->length = snprintf(star->text, sizeof(star->text), "%d", (n - s.more) / s.times);
	return map_fits(behind, at, star + 1);
}

static bool
map_fits(const char *pattern, const char *name, struct stood_for *star)
{
	bool dots;
	int n = 0;

	for (; *pattern && *pattern != '*' && *pattern != '{'; pattern++, name++)
		if (*pattern != *name)
			return false;
	if (!*pattern)
		return !*name;
	if (*pattern == '{')
		return map_fits_number(pattern, name, star);
	dots = pattern[1] == '*';
	for (;; n++) {
		if (n < MAP_NAME && map_fits(pattern + 1 + dots, name + n, star + 1)) {
			memcpy(star->text, name, (size_t)n);
			star->text[star->length = n] = '\0';
			return true;
		}
		if (!name[n] || (name[n] == '.' && !dots))
			return false;
	}
}

/* A pattern with what its stars stood for, into OUT; false: there is no room, or a number is
 * none. */
static bool
map_filled(const char *pattern, const struct stood_for *star, char *out, size_t room)
{
	struct map_sum s;
	size_t n = 0;

	for (; *pattern && n + 1 < room; pattern++)
		if (*pattern == '*') {
			n += (size_t)snprintf(out + n, room - n, "%s", star++->text);
			pattern += pattern[1] == '*';
		} else if (*pattern == '{') {
			const char *at = star++->text;
			int number = map_number(&at);

			pattern = map_sum(pattern, &s) - 1;
			if (number < 0 || *at || number * (int64_t)s.times + s.more < 0)
				return false;
			n += (size_t)snprintf(out + n, room - n, "%lld", (long long)number * s.times + s.more);
		} else {
			out[n++] = *pattern;
		}
	if (*pattern || n >= room)
		return false;
	out[n] = '\0';
	return true;
}

/* The line for a name of theirs, and what that is called here, into OUT; NULL: none fits, and it is
 * the same. */
static const struct map_rule *
map_theirs(const struct name_map *m, const char *name, char *out, size_t room)
{
	struct stood_for star[MOST_STARS + 1];

	for (int k = 0; k < m->n; k++)
		if (map_fits(m->rule[k].theirs, name, star) &&
		    (m->rule[k].kind == MAP_LEFT_OUT || map_filled(m->rule[k].here, star, out, room)))
			return &m->rule[k];
	snprintf(out, room, "%s", name);
	return NULL;
}

/* What a name here is called there by this line, into OUT; false: it says nothing of it, or another
 * line says what that is called here. */
static bool
map_ours(const struct name_map *m, const struct map_rule *r, const char *name, char *out, size_t room)
{
	struct stood_for star[MOST_STARS + 1];
	char back[2 * MAP_NAME];

	return r->kind != MAP_LEFT_OUT && map_fits(r->here, name, star) && map_filled(r->theirs, star, out, room) &&
	    map_theirs(m, out, back, sizeof(back)) == r && !strcmp(back, name);
}

/* ---- how weights lie ---- */

struct map_view {		/* theirs, of elements of ours */
	int64_t first, count;	/* where they begin, how many there are */
	int rank;
	int64_t dim[MOST_LETTERS];
	bool turned;		/* they lie in another order */
	int letters;		/* and then for each in that order: */
	int64_t extent[MOST_LETTERS], stride[MOST_LETTERS];
};

/* What each letter of ours extends over; false: they do not suit the shape. */
static bool
map_extents(const struct map_layout *l, int rank, const int64_t *dim, int64_t *size)
{
	const char *p = l->ours;

	memcpy(size, l->size, sizeof(l->size));
	size['1'] = 1;
	for (int i = 0; i < rank; i++, p += *p == ',') {
		int64_t known = 1;
		int open = 0;

		for (; *p && *p != ','; p++) {
			if (!size[(int)*p] && open)
				return false;
			if (!size[(int)*p])
				open = *p;
			else
				known *= size[(int)*p];
		}
		if (dim[i] % known || (!open && dim[i] != known))
			return false;
		if (open)
			size[open] = dim[i] / known;
		if (!*p && i + 1 < rank)
			return false;
	}
	return !*p;
}

/* By letters. */
static bool
map_turned(const struct map_layout *l, int rank, const int64_t *dim, struct map_view *v)
{
	int64_t size[128], stride[128], below = 1;
	const char *p;

	if (!map_extents(l, rank, dim, size))
		return false;
	for (p = l->ours + strlen(l->ours); p-- > l->ours;)
		if (*p != ',') {
			stride[(int)*p] = below;
			below *= size[(int)*p];
		}
	stride['1'] = 0;
	v->rank = v->letters = 0;
	v->dim[v->rank++] = 1;
	for (p = l->theirs; *p; p++) {
		if (*p == ',') {
			v->dim[v->rank++] = 1;
			continue;
		}
		v->dim[v->rank - 1] *= size[(int)*p];
		v->extent[v->letters] = size[(int)*p];
		v->stride[v->letters++] = stride[(int)*p];
	}
	return true;
}

/* How theirs lies in a weight of ours of that shape; false: the line does not suit it. */
static bool
map_view(const struct map_rule *r, int rank, const int64_t *dim, struct map_view *v)
{
	int64_t here[MOST_LETTERS];

	if (rank > MOST_LETTERS || (r && r->parts && (rank == 0 || dim[0] % r->parts)))
		return false;
	v->first = 0;
	v->count = 1;
	for (int i = 0; i < rank; i++)
		v->count *= here[i] = dim[i];
	if (r && r->parts) {
		v->first = v->count / r->parts * r->from;
		v->count = v->count / r->parts * (r->end - r->from);
		here[0] = dim[0] / r->parts * (r->end - r->from);
	}
	v->turned = r && r->layout;
	if (v->turned)
		return map_turned(r->layout, rank, here, v);
	v->rank = rank;
	for (int i = 0; i < rank; i++)
		v->dim[i] = here[i];
	return true;
}
