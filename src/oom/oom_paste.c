/*
 * Code is told from prose by what prose does not have: an assignment that adds, a call on a list, a setting of a
 * network. Within a traceback lines of code are a library's as often as the user's: there the place counts
 * (oom_trace.c), and this only looks for what switches gradients off.
 */
#include "oom/oom_paste.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_signs.h"

#define MOST_NUMBER	((int64_t)1 << 40)
#define MOST_MIB	((int64_t)1 << 24)
#define MOST_CARDS	1024
#define LEAST_LETTERS	3	/* of a model's name */

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static const char *
past_blanks(const char *s, const char *end)
{
	while (s < end && is_blank(*s))
		s++;
	return s;
}

static const char *
number(const char *s, const char *end, int64_t *n)
{
	const char *from = s;

	for (*n = 0; s < end && is_digit(*s) && *n < MOST_NUMBER; s++)
		*n = 10 * *n + (*s - '0');
	return s > from ? s : NULL;
}

static void
keep_name(char to[PASTE_NAME], const char *s, const char *end)
{
	size_t n = s < end ? (size_t)(end - s) : 0;

	n = n < PASTE_NAME ? n : PASTE_NAME - 1;
	memcpy(to, s, n);
	to[n] = '\0';
}

/* Tensors as numbers, or elsewhere, or without their graph. */
static bool
is_let_go(struct piece t)
{
	return piece_any_of(t, ".item( .detach( .data .cpu( .numpy( .tolist( float( int( len( .get_value(");
}

/* ---- code ---- */

/* Is a name in T a loss's: "loss", "aux_losses", "loss_fn(y)", "losstensor", but not "lossless" or "lossy"? */
static bool
has_loss(struct piece t)
{
	const char *at, *end = t.s + t.n;

	while ((at = piece_find(t, "loss"))) {
		at += 4;
		t = (struct piece){ at, (size_t)(end - at) };
		if (t.n == 0 || (*at != 'y' && *at != 'i' && !(t.n >= 4 && piece_find((struct piece){ at, 4 }, "less"))))
			return true;
	}
	return false;
}

/* A sum that backward is called on is a step's own: "total_loss.backward()", "(total_loss / n).backward()". */
static void
sum_of_a_step(struct oom_paste *p, struct piece t)
{
	const char *s = t.s, *end = t.s + t.n;
	size_t n = strlen(p->sum);

	if (!p->sums || !piece_find(t, "backward("))
		return;
	for (; n < (size_t)(end - s); s++)
		if (memcmp(s, p->sum, n) == 0 && !piece_is_word(s[n]) && (s == t.s || !piece_is_word(s[-1])))
			p->sums = 0;
}

/* "total_loss += loss": a sum by its name, of what has loss in its name. */
static void
sum_of_losses(struct oom_paste *p, struct piece t, int line)
{
	const char *at = piece_find(t, "+="), *end = t.s + t.n, *name, *to;
	struct piece left, right;

	if (!at)
		return;
	for (to = at; to > t.s && is_blank(to[-1]); to--)
		;
	for (name = to; name > t.s && (piece_is_word(name[-1]) || name[-1] == '.'); name--)
		;
	left = (struct piece){ name, (size_t)(to - name) };
	right = (struct piece){ at + 2, (size_t)(end - at - 2) };
	if ((!has_loss(right) && !piece_any_begins(right, "criterion(")) || is_let_go(right) ||
	    !piece_any_of(left, "total running epoch sum train_ val_ valid_ test_ eval_ avg mean cum tr_ acc_"))
		return;
	p->sums = line;
	keep_name(p->sum, name, to);
}

/* "outputs.append(model(x))" */
static void
list_of_results(struct oom_paste *p, struct piece t, int line)
{
	const char *at = piece_find(t, ".append("), *end = t.s + t.n;
	struct piece what;

	if (!at)
		return;
	what = (struct piece){ at, (size_t)(end - at) };
	if (!is_let_go(what) && piece_any_of(what, "output pred logit feat embed loss model("))
		p->lists = line;
}

/* "out = torch.zeros(n, d).cuda()", and later "out[i] = model(x)" */
static void
tensor_of_results(struct oom_paste *p, struct piece t, int line)
{
	const char *s = past_blanks(t.s, t.s + t.n), *end = t.s + t.n, *to, *at;
	size_t n = strlen(p->store);

	for (to = s; to < end && (piece_is_word(*to) || *to == '.'); to++)
		;
	at = past_blanks(to, end);
	if (to > s && at < end && *at == '=' && piece_any_of(t, "torch.empty( torch.zeros(") && piece_any_of(t, ".cuda( device= .to(")) {
		keep_name(p->store, s, to);
		p->stores = 0;
	} else if (n > 0 && (size_t)(to - s) == n && memcmp(s, p->store, n) == 0 && to < end && *to == '[' &&
	    (at = memchr(to, ']', (size_t)(end - to))) && (at = past_blanks(at + 1, end)) < end && *at == '=' &&
	    memchr(at, '(', (size_t)(end - at)) && !is_let_go((struct piece){ at, (size_t)(end - at) })) {
		p->stores = line;
	}
}

static void
gradients(struct oom_paste *p, struct piece t, int line, bool traced)
{
	if (piece_any_of(t, "no_grad inference_mode set_grad_enabled( volatile=true .generate( pipeline( trainer"))
		p->no_grad = line;
	if (traced)
		return;
	if (piece_any_of(t, "model.eval() net.eval() network.eval()"))
		p->evaluates = line;
	else if (p->evaluates && !p->runs && piece_any_begins(t, "model( net( network(") && !piece_any_whole(t, "def class"))
		p->runs = line;
}

/* ---- a model's size in its name ---- */

static bool
is_of_name(char c)
{
	return piece_is_word(c) || c == '-' || c == '.' || c == '/';
}

/* "7b" or "1.5B" where a part of a name begins, in thousands of millions times a thousand; 0: it is none. */
static int64_t
size_at(const char *s, const char *from, const char *end)
{
	int64_t n, part = 0, digits = 0;
	const char *to;

	if (s > from && (piece_is_word(s[-1]) || s[-1] == '.') && s[-1] != '_')
		return 0;
	if (!(to = number(s, end, &n)) || n > 999)
		return 0;
	if (to < end && *to == '.')
		for (to++; to < end && is_digit(*to) && digits < 3; to++, digits++)
			part = 10 * part + (*to - '0');
	for (; digits < 3; digits++)
		part *= 10;
	if (to >= end || (*to != 'b' && *to != 'B') || (to + 1 < end && piece_is_word(to[1]) && to[1] != '_'))
		return 0;
	return 1000 * n + part;
}

/* A name of a family of language models, with a size. */
static void
sizes(struct oom_paste *p, struct piece t, int line)
{
	const char *s = t.s, *end = t.s + t.n, *to, *at;
	struct piece name;
	int64_t millions;

	for (; s < end; s = to + 1) {
		for (to = s; to < end && is_of_name(*to); to++)
			;
		name = (struct piece){ s, (size_t)(to - s) };
		if (name.n < LEAST_LETTERS || !piece_any_of(name, "llama qwen mistral gemma falcon opt- bloom glm gpt neox "
		    "vicuna alpaca baichuan internlm internvl yi- phi- deepseek llava mpt- pythia wizard starcoder stablelm dolly "
		    "rwkv mamba granite nemotron olmo minicpm solar zephyr"))
			continue;
		for (at = s; at < to; at++) {
			if (!is_digit(*at) || (millions = size_at(at, s, to)) == 0)
				continue;
			p->millions = p->millions && p->millions != millions ? -1 : millions;
			p->millions_line = line;
			if (piece_any_of(t, "4-bit int4 int8 8-bit q4_ q5_ q8_ bnb fp8"))
				p->few_bits = line;
			break;
		}
	}
	if (piece_any_of(t, "4bit 8bit nf4 mxfp4 gpt-oss exl2 gptq awq gguf"))
		p->few_bits = line;
	if (piece_any_of(t, "float16 fp16 bf16 float32 .half()"))
		p->many_bits = line;
}

/* ---- configurations, and tables ---- */

/* Darknet's: "batch=64", by itself on a line; a sign of a comment ahead of it leaves it out. */
static void
setting(struct oom_paste *p, struct piece t, int line)
{
	const struct {
		const char *name;
		int64_t *to;
	} known[] = {
		{ "batch", &p->batch }, { "subdivisions", &p->parts }, { "width", &p->width }, { "height", &p->height },
	};
	const char *s = past_blanks(t.s, t.s + t.n), *end = t.s + t.n, *at;
	int64_t n;
	size_t i;

	while (end > s && (is_blank(end[-1]) || end[-1] == '*' || end[-1] == '\r'))
		end--;
	while (s < end && *s == '*')
		s++;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t length = strlen(known[i].name);

		if ((size_t)(end - s) <= length || memcmp(s, known[i].name, length) != 0)
			continue;
		at = past_blanks(s + length, end);
		if (at < end && *at == '=' && number(past_blanks(at + 1, end), end, &n) == end && n > 0) {
			*known[i].to = n;
			p->parts_line = known[i].to == &p->parts ? line : p->parts_line;
		}
	}
}

/* "|    0   N/A  N/A      5898      C   ./darknet           1906MiB |" */
static void
holder(struct oom_paste *p, struct piece t, int line)
{
	const char *s = t.s, *end = t.s + t.n, *at, *to;
	int64_t n, gpu;

	while (end > s && (end[-1] == '|' || is_blank(end[-1])))
		end--;
	if (s == end || *s != '|' || end - s < 12 || memcmp(end - 3, "MiB", 3) != 0)
		return;
	for (to = end - 3; to > s && is_digit(to[-1]); to--)
		;
	if (!number(to, end, &n) || n > MOST_MIB)
		return;
	for (at = s; at + 3 < to && !(at[0] == ' ' && (at[1] == 'C' || at[1] == 'G') && (at[2] == ' ' || at[2] == '+')); at++)
		;
	if (at + 3 >= to || at[1] != 'C')		/* a desktop's */
		return;
	for (at += 2; at < to && !is_blank(*at); at++)
		;
	at = past_blanks(at, to);
	while (to > at && is_blank(to[-1]))
		to--;
	if (to == at || (n << 20) <= p->holder_bytes)
		return;
	p->holder_bytes = n << 20;
	p->holder_gpu = number(past_blanks(s + 1, end), end, &gpu) && gpu < MOST_CARDS ? (int)gpu : -1;
	p->holder_line = line;
	keep_name(p->holder, at, to);
}

/* A path at the root: "/content/a.py", but not "https://a.b/content/". */
static bool
has_root(struct piece t, const char *root)
{
	const char *at, *end = t.s + t.n;

	for (; (at = piece_find(t, root)); t = (struct piece){ at + 1, (size_t)(end - at - 1) })
		if (at == t.s || !(piece_is_word(at[-1]) || memchr(".-~/", at[-1], 4)))
			return true;
	return false;
}

/* "full_batch.py", "--full-batch=1", but not "FullBatchNorm". */
static bool
names_full_batch(struct piece t)
{
	static const char *const word[] = { "full_batch", "full-batch", "fullbatch" };
	const char *at, *end = t.s + t.n;
	struct piece rest;
	size_t i;

	for (i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		for (rest = t; (at = piece_find(rest, word[i])); ) {
			at += strlen(word[i]);
			rest = (struct piece){ at, (size_t)(end - at) };
			if ((at == end || !piece_is_word(*at) || *at == '_') &&
			    !(rest.n >= 5 && piece_find((struct piece){ at + 1, 4 }, "norm")))
				return true;
		}
	return false;
}

/* Whose program it is, and what it was at. */
static void
program(struct oom_paste *p, struct piece t, int line)
{
	const char *s = past_blanks(t.s, t.s + t.n);

	if (piece_find(t, "loading weights") || piece_find(t, "loading checkpoint shards") || piece_find(t, "loading model from") ||
	    piece_any_of(t, "torch.load( .from_pretrained( load_checkpoint("))
		p->loads = line;
	if (piece_any_of(t, "stable-diffusion stable_diffusion stablediffusion comfyui txt2img img2img fooocus invokeai"))
		p->images = line;
	if (piece_any_begins(t, "train_ train.py") || piece_find(t, "accelerate launch"))
		p->trains = line;
	if (names_full_batch(t))
		p->whole = line;
	if (piece_find(t, "error: loaderror:"))
		p->julia = line;
	if (has_root(t, "/content/"))
		p->colab = line;
	if (t.s + t.n - s == 2 && memcmp(s, "^C", 2) == 0)
		p->stopped = line;
	else if (s < t.s + t.n && *s != '`')	/* a fence's */
		p->stopped = 0;
}

void
oom_paste_line(struct oom_paste *p, const char *s, size_t n, int line, bool traced)
{
	struct piece t = { s, n };

	gradients(p, t, line, traced);
	sizes(p, t, line);
	program(p, t, line);
	if (traced)
		return;
	sum_of_a_step(p, t);
	sum_of_losses(p, t, line);
	list_of_results(p, t, line);
	tensor_of_results(p, t, line);
	if ((piece_find(t, "retain_graph=true") || piece_find(t, "retain_graph = true")) && piece_any_of(t, "backward( grad("))
		p->keeps = line;
	setting(p, t, line);
	holder(p, t, line);
}
