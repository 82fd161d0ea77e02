/* By two operands that each have an axis of their own, by calls of all pairs, and by arrays with as
 * many rows as columns. */
#include "oom/oom_pairs.h"

#include <stddef.h>
#include <string.h>

#include "base/ascii.h"

/* "bmm(a, b.transpose(1, 2))": rows with rows. Weights are a layer's, and one with itself may be a
 * Gram matrix. */
static bool
is_of_rows(struct piece t)
{
	const char *at = piece_find(t, "bmm("), *end = t.s + t.n, *comma, *turned;
	struct piece left, right;

	if (!at || !(comma = memchr(at, ',', (size_t)(end - at))))
		return false;
	left = (struct piece){ at + 4, (size_t)(comma - at - 4) };
	for (comma++; comma < end && *comma == ' '; comma++)
		;
	if (!(turned = piece_find((struct piece){ comma, (size_t)(end - comma) }, ".transpose(")))
		return false;
	right = (struct piece){ comma, (size_t)(turned - comma) };
	return !piece_find(left, ".transpose(") && !piece_find(right, "weight") &&
	    (left.n != right.n || memcmp(left.s, right.s, left.n) != 0);
}

/* "(c_expand - e_expand) ** 2": two that were expanded, by their names, one less the other. */
static bool
subtracts_expanded(struct piece t)
{
	const char *at = piece_find(t, "_expand"), *end = t.s + t.n;

	for (at = at ? at + 7 : end; at < end && (piece_is_word(*at) || *at == ' '); at++)
		;
	return at < end && *at == '-' && piece_find((struct piece){ at, (size_t)(end - at) }, "_expand");
}

#define MOST_CODE	512	/* bytes of a line */

/* The first of FORMS in T at or behind FROM that nothing of a name stands ahead of; and where it
 * ends. */
static const char *
find_form(struct piece t, const char *from, const char *const *forms, const char **to)
{
	const char *first = NULL, *at;

	for (; *forms; forms++)
		if ((at = piece_find((struct piece){ from, (size_t)(t.s + t.n - from) }, *forms)) && (!first || at < first)) {
			first = at;
			*to = at + strlen(*forms);
		}
	return first;
}

/* Does an operator stand between the two, outside of all brackets that are closed there? */
static bool
are_reckoned(const char *s, const char *end)
{
	int open = 0;

	for (; s < end; s++) {
		open += memchr("([{", *s, 3) ? 1 : memchr(")]}", *s, 3) ? -1 : 0;
		if (open <= 0 && memchr("-+*/<>=&|", *s, 9))
			return true;
	}
	return false;
}

/* "x.reshape(1,-1)-x.reshape(-1,1)", "a[:,None]-b[None,:]": what is one row meets what is one
 * column, and an operator makes a number of each of the one with each of the other. */
static bool
rows_meet_columns(struct piece t)
{
	static const char *const row[] = { ".reshape(1,-1)", ".reshape((1,-1))", ".view(1,-1)", ".unsqueeze(0)", "[none,:]", "[np.newaxis,:]", "[numpy.newaxis,:]", "[newaxis,:]", "[none]", "[np.newaxis]", "expand_dims(0)", NULL };
	static const char *const column[] = { ".reshape(-1,1)", ".reshape((-1,1))", ".view(-1,1)", ".unsqueeze(1)", "[:,none]", "[:,np.newaxis]", "[:,numpy.newaxis]", "[:,newaxis]", "[:,none,:]", "[:,np.newaxis,:]", "expand_dims(1)", NULL };
	char code[MOST_CODE];
	struct piece c = { code, 0 };
	const char *a, *b, *a_end = NULL, *b_end = NULL, *s;

	for (s = t.s; s < t.s + t.n && c.n < sizeof(code); s++)
		if (*s != ' ' && *s != '\t')
			code[c.n++] = lower(*s);
	if (!(a = find_form(c, c.s, row, &a_end)) || !(b = find_form(c, c.s, column, &b_end)))
		return false;
	return a < b ? are_reckoned(a_end, b) : are_reckoned(b_end, a);
}

/* "a.unsqueeze(0) - b.unsqueeze(1)", "a[:, None] - b[None]": each of the one with each of the
 * other. "mean[:, None, None]" is a number for each channel of one picture. */
static bool
is_of_pairs(struct piece t)
{
	bool meets = piece_find(t, ") - ") || piece_find(t, "] - ") || piece_find(t, "cat(") || piece_find(t, ") == ");

	return is_of_rows(t) || subtracts_expanded(t) || rows_meet_columns(t) || (meets && ((piece_find(t, ".unsqueeze(0)") && piece_find(t, ".unsqueeze(1)")) ||
	    ((piece_find(t, "[:, none]") || piece_find(t, "[:, none, :]")) &&
	    (piece_find(t, "[none]") || piece_find(t, "[none, :]") || piece_find(t, "[none, :, :]")))));
}

/* pdist() is of all pairs of rows in scipy and in torch.nn.functional: pdist(x), pdist(x, 2),
 * pdist(x, "cosine"). With two tensors it is what people name nn.PairwiseDistance, which is of row
 * and row. */
static bool
is_pdist(struct piece t)
{
	const char *at = piece_find(t, "pdist("), *end = t.s + t.n;
	int open = 0;

	if (!at || (at > t.s && piece_is_word(at[-1])))
		return false;
	for (at += 6; at < end && (open > 0 || (*at != ',' && *at != ')')); at++)
		open += *at == '(' || *at == '[' ? 1 : *at == ')' || *at == ']' ? -1 : 0;
	if (at == end || *at == ')')
		return true;
	for (at++; at < end && *at == ' '; at++)
		;
	return at < end && (*at == '"' || *at == '\'' || is_digit(*at) || piece_any_begins((struct piece){ at,
	    end - at < 7 ? (size_t)(end - at) : 7 }, "p= metric="));
}

/* "zeros((n, n))": as many rows as columns, by one name. */
static bool
is_square_array(struct piece t)
{
	static const char *const makes[] = { "zeros((", "empty((", "ones((", "full((", "zeros([", "ones([", NULL };
	const char *at, *from, *comma, *end = t.s + t.n;
	size_t n;
	int i;

	for (i = 0; makes[i]; i++) {
		if (!(at = piece_find(t, makes[i])))
			continue;
		from = at + strlen(makes[i]);
		comma = memchr(from, ',', (size_t)(end - from));
		n = comma ? (size_t)(comma - from) : 0;
		if (n == 0 || is_digit(*from) || memchr(from, ')', n) != memchr(from, '(', n))
			continue;	/* a number, or the end of another call */
		for (comma++; comma < end && *comma == ' '; comma++)
			;
		if ((size_t)(end - comma) > n && memcmp(from, comma, n) == 0 && (comma[n] == ')' || comma[n] == ']'))
			return true;
	}
	return false;
}

bool
pairs_all(struct piece t)
{
	return is_of_pairs(t) || is_pdist(t) || is_square_array(t);
}
