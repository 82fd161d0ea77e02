/*
 * attention/attend_start_cuda.cu - attention on CUDA is started, and by which kernels.
 *
 * Of 16 bits and heads of 64 numbers there are two kinds on cards of compute capability 9.0: those
 * that all cards from sm_80 on have, by mma.sync, and the same by wgmma, for groups of four warps
 * (attend_warps_cuda.cu). The latter need code for sm_90a; in code for sm_90 they are the former
 * again. A program that measures engines tries them when it starts, and takes them for a call only
 * where they make the same of whole numbers as the others and are faster
 * (host/tune_attention_cuda.cu). Any other program, and one with --no-tune, never runs them.
 */
#ifndef STOWAGE_ATTENTION_ATTEND_START_CUDA_CU
#define STOWAGE_ATTENTION_ATTEND_START_CUDA_CU

#include "attention/attend_cuda.cu"
#include "host/choices_cuda.cu"

enum attend_makes { ATTEND_Y, ATTEND_DQ, ATTEND_DKV };

struct attend_call {		/* of one of its kernels */
	enum attend_makes makes;
	struct attend a;
	struct attend_tensors x;
	const struct step *s;
	elem *to, *too;		/* y, dq, or dk and dv, of which one may be NULL */
	real *logsum;		/* of y */
};

#if NARROW && (defined(TUNES) || defined(ALWAYS_GROUPS))	/* the latter in tests */

#define ATTEND_GROUPS	64	/* numbers of a head */

__global__ static void ATTEND_BOUNDS
attend_groups_kernel(elem *y, real *logsum, struct attend_tensors x, const struct step *s, struct attend a)
{
#if GPU_ARCH == 90
	attend_by_warps<ATTEND_GROUPS, GPU_GROUPS>(y, logsum, x, s, a);
#endif
}

__global__ static void ATTEND_BOUNDS
attend_dq_groups_kernel(elem *dq, struct attend_tensors x, const struct step *s, struct attend a)
{
#if GPU_ARCH == 90
	attend_dq_by_warps<ATTEND_GROUPS, GPU_GROUPS>(dq, x, s, a);
#endif
}

__global__ static void ATTEND_BOUNDS
attend_dkv_groups_kernel(elem *dk, elem *dv, struct attend_tensors x, const struct step *s, struct attend a)
{
#if GPU_ARCH == 90
	attend_dkv_by_warps<ATTEND_GROUPS, GPU_GROUPS>(dk, dv, x, s, a);
#endif
}

static void
attend_start_groups(const struct attend_call *c)
{
	struct attend a = c->a;
	int64_t rows = a.b * a.heads * parts(a.t, ATTEND_HIGH);

	if (c->makes == ATTEND_Y)
		LAUNCH_ROWS(attend_groups_kernel, rows, (c->to, c->logsum, c->x, c->s, a));
	else if (c->makes == ATTEND_DQ)
		LAUNCH_ROWS(attend_dq_groups_kernel, rows, (c->to, c->x, c->s, a));
	else
		LAUNCH_ROWS(attend_dkv_groups_kernel, a.b * a.kv_heads * parts(a.s, ATTEND_HIGH),
		    (c->to, c->too, c->x, c->s, a));
}

#endif

/* Are dk and dv a kernel each, in the code that this card runs? */
static bool
attend_is_apart(struct attend a)
{
#if NARROW
	static int arch;
	struct cudaFuncAttributes of;

	if (a.d <= ATTEND_ONE || a.d > ATTEND_WARPS_MOST)
		return false;
	if (!arch) {
		cudaFuncGetAttributes(&of, (const void *)ENTRY(attend_alone_kernel<true>));
		arch = of.ptxVersion;
	}
	return ATTEND_FEW_ON(arch);
#else
	(void)a;
	return false;
#endif
}

static void
attend_start_dkv(const struct attend_call *c)
{
	struct attend a = c->a;

	if (!attend_is_apart(a)) {
		ATTEND_LAUNCH(attend_dkv_kernel, a.kv_heads, a.s, a, (c->to, c->too, c->x, c->s, a));
		return;
	}
#if NARROW
	if (c->too)
		LAUNCH_ROWS(attend_alone_kernel<true>, a.b * a.kv_heads * parts(a.s, ATTEND_HIGH), (c->too, c->x, c->s, a));
	if (c->to)
		LAUNCH_ROWS(attend_alone_kernel<false>, a.b * a.kv_heads * parts(a.s, ATTEND_HIGH), (c->to, c->x, c->s, a));
#endif
}

static void
attend_start_warps(const struct attend_call *c)
{
	struct attend a = c->a;

	if (c->makes == ATTEND_Y)
		ATTEND_LAUNCH(attend_kernel, a.heads, a.t, a, (c->to, c->logsum, c->x, c->s, a));
	else if (c->makes == ATTEND_DQ)
		ATTEND_LAUNCH(attend_dq_kernel, a.heads, a.t, a, (c->to, c->x, c->s, a));
	else
		attend_start_dkv(c);
}

#if NARROW && defined(TUNES)

#define BY_GROUPS		/* tune() tries both */

#define ATTEND_PLANS	64	/* kinds of calls; any beyond run by warps */

static struct attend_plan {
	uint64_t question;
	bool by_groups;
	bool known;		/* not to be measured */
	struct attend_call at;	/* its first run */
} attend_plans[ATTEND_PLANS];
static int attend_plans_used;

/* All that its time depends on. */
static uint64_t
attend_question(const struct attend_call *c)
{
	const struct attend *a = &c->a;
	const int64_t all[] = {
		ELEM_DIGITS, c->makes, c->to != NULL, c->too != NULL, a->b, a->t, a->s, a->q_row, a->k_row, a->v_row,
		a->heads, a->kv_heads, a->d, a->causal, a->window, c->x.bias != NULL, a->biases, a->bias_each, a->bias_b,
		a->bias_head, a->rate > 0, a->alibi, a->buckets, a->distance, a->grid_h, a->grid_w, a->shift_h,
		a->shift_w, a->windows_h, a->windows_w
	};

	return fnv_add(FNV_BEGIN, all, sizeof(all));
}

/* Is its code for a card that has them? */
static bool
attend_has_groups(void)
{
	static int arch;
	struct cudaFuncAttributes of;

	if (!arch) {
		CUDA(cudaFuncGetAttributes(&of, (const void *)ENTRY(attend_groups_kernel)));
		arch = of.ptxVersion;
	}
	return arch == 90;
}

static bool
attend_takes_kept(struct attend_plan *p)
{
	const struct choice *c = choice_find(&choices, CHOICE_ATTENTION, p->question);

	p->known = c != NULL;
	p->by_groups = c && c->number[0] == 1;
	return p->known;
}

/* NULL: it runs by warps. */
static struct attend_plan *
attend_plan(const struct attend_call *c)
{
	uint64_t question = attend_question(c);
	struct attend_plan *p = attend_plans;

	if (c->a.d != ATTEND_GROUPS || !attend_has_groups())
		return NULL;
	for (; p < attend_plans + attend_plans_used; p++)
		if (p->question == question)
			return p;
	if (attend_plans_used == ATTEND_PLANS)
		return NULL;
	attend_plans_used++;
	p->question = question;
	p->at = *c;
	attend_takes_kept(p);
	return p;
}

static void
attend_start(const struct attend_call *c)
{
	const struct attend_plan *p = attend_plan(c);

	if (p && p->by_groups)
		attend_start_groups(c);
	else
		attend_start_warps(c);
}

#elif NARROW && defined(ALWAYS_GROUPS)

static void
attend_start(const struct attend_call *c)
{
	if (c->a.d == ATTEND_GROUPS)
		attend_start_groups(c);
	else
		attend_start_warps(c);
}

#else

static void
attend_start(const struct attend_call *c)
{
	attend_start_warps(c);
}

#endif

static void
attend_forward(elem *y, real *logsum, void *work, const elem *q, const elem *k, const elem *v,
    const elem *bias, const struct step *s, struct attend a)
{
	struct attend_tensors x = { NULL, q, k, v, bias, NULL, NULL };
	struct attend_call c = { ATTEND_Y, a, x, s, y, NULL, logsum };

	(void)work;
	attend_start(&c);
}

/* WORK: a number for each query of each head. */
static void
attend_backward(elem *dq, elem *dk, elem *dv, void *work, const elem *dy, const elem *q, const elem *k,
    const elem *v, const elem *bias, const elem *y, const real *logsum, const struct step *s,
    struct attend a)
{
	struct attend_tensors x = attend_deltas((real *)work, dy, q, k, v, bias, y, logsum, a);
	struct attend_call of_q = { ATTEND_DQ, a, x, s, dq, NULL, NULL }, of_kv = { ATTEND_DKV, a, x, s, dk, dv, NULL };

	if (dq)
		attend_start(&of_q);
	if (dk || dv)
		attend_start(&of_kv);
}

#endif
