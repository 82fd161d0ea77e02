/*
 * Normalisation, a skip and relu whose passing is kept as bits, and two normalisations in one sweep, channels last,
 * against the kernels that do it one after the other and read y: the same bits, but where 16 bits had rounded between.
 */
#include "cuda.h"

#include "../products/epilogues.h"

#include "norm/batchnorm.cu"

#include "values.h"

struct norm {
	Values x, w, b, dx, dw, db;
	std::vector<real> mean, invstd, rm, rv;

	norm(int64_t rows, int64_t c) : x(drawn(rows * c)), w(drawn(c)), b(drawn(c)), dx(nothing(rows * c)),
	    dw(nothing(c)), db(nothing(c)), mean((size_t)c), invstd((size_t)c), rm((size_t)c, (real)0.5),
	    rv((size_t)c, (real)0.5) { }

	struct bn_of
	by(void)
	{
		return bn_by(&x[0], &w[0], &b[0], &mean[0], &invstd[0]);
	}

	void
	forward(Values &y, Sums &work, struct epilogue then, int64_t rows, int64_t c, int64_t parts)
	{
		batchnorm_forward(&y[0], &mean[0], &invstd[0], &rm[0], &rv[0], &work[0], NULL, &x[0], &w[0], &b[0], then,
		    1e-5, 0.1, rows, c, 1, parts);
	}
};

static void
same_norm(const std::string &what, const norm &a, const norm &b)
{
	same(what + "'s mean", a.mean, b.mean, 0);
	same(what + "'s deviation", a.invstd, b.invstd, 0);
	same(what + "'s running mean", a.rm, b.rm, 0);
	same(what + "'s running variance", a.rv, b.rv, 0);
	same(what + "'s dx", a.dx, b.dx, 0);
	same(what + "'s dw", a.dw, b.dw, 0);
	same(what + "'s db", a.db, b.db, 0);
}

/* Each pack's bits say what of y is not <= 0. */
static void
check_marks(const std::string &what, const std::vector<uint8_t> &marks, const Values &y)
{
	int wrong = 0;

	for (size_t i = 0; i < y.size(); i++)
		wrong += (marks[i / COLUMN_WIDTH] >> i % COLUMN_WIDTH & 1) != !(VALUE(y[i]) <= 0);
	checks++;
	if (wrong)
		failed(what, wrong, (double)y.size());
}

static void
check(int64_t rows, int64_t c)
{
	std::string at = " " + std::to_string(rows) + "x" + std::to_string(c);
	int64_t all = rows * c, parts = norm_parts(c, true);
	Sums work((size_t)(4 * c * parts));
	Values skip = drawn(all), dy = drawn(all), y = nothing(all), ours = y, passed = y, made = dy, z = y;
	std::vector<uint8_t> marks((size_t)(all / COLUMN_WIDTH), 0xa5);
	norm one(rows, c), two(rows, c), once = one, pair = one, other = two;

	one.x[3] = once.x[3] = pair.x[3] = ELEM((real)3);
	skip[3] = ELEM((real)-1e9);	/* nothing passes there */
	one.forward(y, work, THEN_WITH(ADD_RELU, &skip[0]), rows, c, parts);
	batchnorm_backward_of(&passed[0], &one.dx[0], &one.dw[0], &one.db[0], &work[0], &dy[0],
	    THEN_WITH(RELU_GRAD, &y[0]), &one.x[0], &one.w[0], &one.mean[0], &one.invstd[0], rows, c, 1, parts);

	batchnorm_marked_forward(&ours[0], &once.mean[0], &once.invstd[0], &once.rm[0], &once.rv[0], &marks[0], &work[0], NULL,
	    &once.x[0], &once.w[0], &once.b[0], THEN_WITH(ADD_RELU, &skip[0]), 1e-5, 0.1, rows, c, parts);
	same("y" + at, ours, y, 0);
	check_marks("marks" + at, marks, y);
	batchnorm_marked_backward(&made[0], &once.dx[0], &once.dw[0], &once.db[0], &work[0], &made[0], &marks[0],
	    &once.x[0], &once.w[0], &once.mean[0], &once.invstd[0], rows, c, parts);
	same("what passes" + at, made, passed, 0);
	same_norm("a marked norm" + at, once, one);

	norm apart = one;	/* its running statistics begin anew */

	apart.rm = apart.rv = pair.rm;
	two.forward(z, work, AS_IS, rows, c, parts);
	apart.forward(y, work, THEN_WITH(ADD_RELU, &z[0]), rows, c, parts);
	batchnorm_both_forward(&ours[0], &marks[0], pair.by(), bn_kept(&pair.rm[0], &pair.rv[0], NULL, 1e-5, 0.1), other.by(),
	    bn_kept(&other.rm[0], &other.rv[0], NULL, 1e-5, 0.1), THEN(ADD_RELU), &work[0], rows, c, parts);
	same("y of both" + at, ours, y, NARROW ? 1e-2 : 0);
	check_marks("marks of both" + at, marks, ours);
	batchnorm_backward_of(&passed[0], &apart.dx[0], &apart.dw[0], &apart.db[0], &work[0], &dy[0],
	    THEN_WITH(RELU_GRAD, &ours[0]), &apart.x[0], &apart.w[0], &apart.mean[0], &apart.invstd[0], rows, c, 1, parts);
	batchnorm_backward(&two.dx[0], &two.dw[0], &two.db[0], &work[0], &passed[0], AS_IS, &two.x[0], &two.w[0], NULL,
	    &two.mean[0], &two.invstd[0], 0, rows, c, 1, parts);
	made = dy;
	batchnorm_both_backward(&made[0], bn_wants(&pair.dw[0], &pair.db[0]), &other.dx[0],
	    bn_wants(&other.dw[0], &other.db[0]), &work[0], &made[0], &marks[0], pair.by(), other.by(), rows, c, parts);
	pair.dx = made;
	same_norm("the first of both" + at, pair, apart);
	same_norm("the second of both" + at, other, two);
}

int
main(void)
{
	check(5, 8);
	check(70, 64);
	check(3000, 264);
	check(700, 24);
	check(4 * 32 * 256 + 7, 8);
	return verdict();
}
