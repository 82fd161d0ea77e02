/*
 * Code is told from prose by what prose does not have: an assignment that adds, a call on a list, a
 * setting of a network. It is read line by line, so that what it tells is said as a condition.
 */
#include "oom/oom_code.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_binds.h"
#include "oom/oom_form.h"
#include "oom/oom_sets.h"
#include "oom/oom_signs.h"
#include "oom/oom_turns.h"
#include "oom/oom_wording.h"

/* "self.total += loss", "self.outputs.append(y)": what an object keeps from one call to the
 * next. */
static bool
is_of_object(struct talk t)
{
	const char *s = piece_past_blanks(t.s, t.s + t.n);

	return t.s + t.n - s > 5 && memcmp(s, "self.", 5) == 0;
}

/* A sum that backward is called on is a step's own: "total_loss.backward()", "(total_loss /
 * n).backward()". */
static void
sum_of_a_step(struct oom_paste *p, struct talk t)
{
	const char *s = t.s, *end = t.s + t.n;
	size_t n = strlen(p->sum);

	if (!p->sums || !talk_any_of(t, "backward( .gradient( .grad("))
		return;
	for (; n < (size_t)(end - s); s++)
		if (memcmp(s, p->sum, n) == 0 && !piece_is_word(s[n]) && (s == t.s || !piece_is_word(s[-1])))
			p->sums = 0;
}

/* "loss.backward()": its name, and whether a loop ahead of that has added it up. */
static void
note_backward(struct oom_paste *p, struct talk t, int line)
{
	const char *at = talk_first(t, ".backward("), *from = at;

	while (from && from > t.s && (piece_is_word(from[-1]) || from[-1] == '.'))
		from--;
	if (!at || from == at)
		return;
	oom_paste_name(p->backed, from, at);
	if (p->added && binds_begins(talk_part(t, from, at), p->addend, "") &&
	    (oom_turns_inset(t) < p->added_inset || oom_turns_are_of_sum(p, oom_turns_inset(t)))) {
		p->rounds = p->added;
		p->rounds_end = line;
		p->in_some = oom_turns_inset(t) > p->added_inset;
	}
}

/* Does T have NAME in it, by itself? */
static bool
mentions(struct talk t, const char *name)
{
	const char *s, *end = t.s + t.n;

	for (s = t.s; s < end; s++)
		if ((s == t.s || !piece_is_word(s[-1])) && *s == name[0] && binds_begins(talk_part(t, s, end), name, ""))
			return true;
	return false;
}

/* Where what is added to a name stands: behind "sum +=", or behind "sum = sum +"; NULL: nothing
 * is. NAME and TO: the sum's. */
static const char *
added(struct talk t, const char **name, const char **to)
{
	const char *at = talk_first(t, "+="), *is = memchr(t.s, '=', t.n), *end = t.s + t.n, *again;
	size_t n;

	for (*to = at ? at : is ? is : t.s; *to > t.s && ((*to)[-1] == ' ' || (*to)[-1] == '\t'); (*to)--)
		;
	for (*name = *to; *name > t.s && (piece_is_word((*name)[-1]) || (*name)[-1] == '.'); (*name)--)
		;
	if (at)
		return at + 2;
	n = (size_t)(*to - *name);
	if (!is || n == 0)
		return NULL;
	again = piece_past_blanks(is + 1, end);
	if ((size_t)(end - again) <= n || memcmp(again, *name, n) != 0)
		return NULL;
	again = piece_past_blanks(again + n, end);
	return again < end && *again == '+' ? again + 1 : NULL;
}

/* "total_loss += loss": a sum by its name, of what has loss in its name, or "error_sum += error /
 * n" behind "error.backward()". In a traceback it may be one that a step makes of several losses,
 * where its name does not tell of more. */
static void
sum_of_losses(struct oom_paste *p, struct talk t, int line, bool traced)
{
	const char *name, *to, *at = added(t, &name, &to);
	struct talk left, right;

	if (!at)
		return;
	left = talk_part(t, name, to);
	right = talk_part(t, at, t.s + t.n);
	if (!traced && binds_loss(t) && binds_nothing(right))
		p->numbers = line;
	if (binds_nothing_named(p, right) || (p->layer_inset && !is_of_object(t)))
		return;
	if (!traced && left.n > 0 && !binds_nothing(right) && (talk_any_begins(right, "model( net(") || (talk_any_begins(right, "criterion( loss_fn( loss_func(") &&
	    p->result_inset == oom_turns_inset(t) && mentions(right, p->result)))) {
		p->added = line;
		p->added_inset = oom_turns_inset(t);
		oom_paste_name(p->addend, name, to);
	}
	if ((traced || !binds_begins(right, p->backed, "[(.") || binds_begins(left, p->backed, "[(.")) &&
	    ((!binds_loss(right) && !talk_any_begins(right, "criterion(")) || binds_nothing(right) || binds_no_tensor(right) ||
	    !talk_any_of(left, "total running epoch sum train_ val_ valid_ test_ eval_ avg mean cum tr_ acc_") ||
	    (traced && !talk_any_begins(left, "running epoch val_ valid_ test_ eval_"))))
		return;
	p->sums = line;
	oom_paste_name(p->sum, name, to);
}

/* "losses.update(loss, n)": a meter, which adds up what it is given. */
static void
meter_of_losses(struct oom_paste *p, struct talk t, int line)
{
	const char *at = talk_first(t, ".update("), *from = at, *to, *end = t.s + t.n;
	struct talk what;

	while (from && from > t.s && (piece_is_word(from[-1]) || from[-1] == '.'))
		from--;
	if (!at || from == at || !talk_any_of(talk_part(t, from, at), "loss meter avg average"))
		return;
	for (to = at + 8; to < end && (piece_is_word(*to) || *to == '.'); to++)
		;
	what = talk_part(t, at + 8, to);
	if (talk_any_of(what, ".item"))
		p->numbers = line;
	if (to == at + 8 || to == end || (*to != ',' && *to != ')') || binds_no_tensor(what) || binds_nothing_named(p, what) || talk_any_of(what, ".item .data .detach") ||
	    (!binds_begins(what, p->backed, "[(.") && !talk_is_one_of(what, "loss total_loss train_loss loss_total")))
		return;
	p->sums = line;
	oom_paste_name(p->sum, from, at);
}

/* "y = model(x).view(-1)": by its name, what a network gave. Within a module's own functions
 * ("self.") results are of one step. */
static void
note_result(struct oom_paste *p, struct talk t)
{
	const char *s = binds_past_quote(t), *end = t.s + t.n, *to, *at, *open;
	struct piece call;

	to = piece_past_word(s, end);
	at = piece_past_blanks(to, end);
	if (to == s || end - at < 3 || *at != '=' || at[1] == '=')
		return;
	at = piece_past_blanks(at + 1, end);
	for (open = at; open < end && (piece_is_word(*open) || *open == '.'); open++)
		;
	call = signs_last_part((struct piece){ at, (size_t)(open - at) });
	if (open < end && *open == '(' && call.n > 0 && !(*call.s >= 'A' && *call.s <= 'Z') && signs_is_network(call) && !talk_any_of(t, "self.") &&
	    !signs_is_network((struct piece){ s, (size_t)(to - s) }) && !binds_nothing(talk_part(t, open, end))) {
		oom_paste_name(p->result, s, to);
		p->result_inset = oom_turns_inset(t);
	} else if (binds_begins(talk_part(t, s, to), p->result, "")) {
		p->result[0] = '\0';
	}
}

/* Is what T makes still bound to what it came of? A copy in the machine's memory is. */
static void
note_kept(struct oom_paste *p, int *where, struct talk t, int line)
{
	if (binds_no_graph(t))
		return;
	*(signs_is_of_processor(talk_piece(t)) ? &p->copies : where) = line;
}

/* The same of a list by its name, which T begins with. */
static void
note_list(struct oom_paste *p, struct talk t, struct talk what, int line)
{
	struct talk name = binds_name_at(t, binds_past_quote(t));
	int before = p->lists;

	note_kept(p, &p->lists, what, line);
	if (p->lists != before && name.n > sizeof(".append") - 1)
		oom_paste_name(p->list, name.s, name.s + name.n - (sizeof(".append") - 1));
}

/* "sum(losses).backward()", "loss = torch.stack(losses).mean()": of what is on the list one
 * backward is made, so that it is of one step. */
static void
list_of_a_step(struct oom_paste *p, struct talk t)
{
	const char *at = NULL, *end = t.s + t.n, *is = memchr(t.s, '=', t.n);
	struct talk name = binds_name_at(t, t.s);
	size_t n;

	while (p->lists && p->list[0] && talk_next_phrase(t, "sum(|stack(|cat(|mean(|add_n(|concat(", &at, &n))
		if (binds_begins(talk_part(t, at + n, end), p->list, "[(.")) {
			if (talk_any_of(t, ".backward(") || (is && is < at && binds_loss(talk_part(t, t.s, is))))
				p->lists = 0;
			else if (is && is < at)
				oom_paste_name(p->list_sum, name.s, name.s + name.n);
		}
	if (p->lists && p->list_sum[0] && talk_any_of(t, ".backward(") && binds_begins(t, p->list_sum, "[("))
		p->lists = 0;
}

/* "def forward(self, x):": up to where it ends, lists are of one step. */
static void
note_layer(struct oom_paste *p, struct talk t)
{
	const char *s = t.s + oom_turns_inset(t), *end = t.s + t.n;

	if (s == end || *s == '\r')
		return;
	if (p->layer_inset && oom_turns_inset(t) < p->layer_inset)
		p->layer_inset = 0;
	if (talk_first(talk_part(t, s, end), "def forward(|def call(|def __call__(|def forward_|def decode(|def encode(|def extract_features(|def compute_loss(|def loss(|def get_loss(|def criterion(") == s)
		p->layer_inset = oom_turns_inset(t) + 1;
}

/* "def hook(module, input, output):": what PyTorch hands to it last is what a layer gave. */
static void
note_hook(struct oom_paste *p, struct talk t)
{
	const char *s = t.s + oom_turns_inset(t), *end = t.s + t.n, *open, *to, *last;

	if (end - s < 4 || memcmp(s, "def ", 4) != 0 || !(open = memchr(s, '(', (size_t)(end - s))) || !(to = memchr(open, ')', (size_t)(end - open))))
		return;
	for (last = to; last > open && piece_is_word(last[-1]); last--)
		;
	if (talk_is_one_of(talk_part(t, last, to), "out output outputs") && talk_any_whole(talk_part(t, open, last), "module mod m layer") &&
	    talk_any_whole(talk_part(t, open, last), "inp input inputs in_ i _")) {
		oom_paste_name(p->result, last, to);
		p->result_inset = oom_turns_inset(t) + 1;
	}
}

/* "last = deque(maxlen=100)": by its name, a list that does not grow beyond that. */
static void
note_bounded(struct oom_paste *p, struct talk t)
{
	struct talk name = binds_name_at(t, t.s);

	if (talk_any_phrase(t, "deque(") && talk_any_phrase(t, "maxlen") && !talk_any_phrase(t, "maxlen=none"))
		oom_paste_name(p->bounded, name.s, name.s + name.n);
}

/* "outputs.append(model(x))" */
static void
list_of_results(struct oom_paste *p, struct talk t, int line)
{
	const char *at = talk_first(t, ".append("), *end = t.s + t.n, *to;
	struct talk what;

	if (!at || binds_begins(t, p->bounded, ""))
		return;
	what = talk_part(t, at + 8, end);
	if (binds_nothing_named(p, what) || (p->layer_inset && !is_of_object(t)))
		return;
	to = piece_past_word(what.s, end);
	if (to < end && *to == ')' && talk_is_one_of(talk_part(t, what.s, to), "out outs y_hat yhat res") &&
	    talk_any_of(talk_part(t, t.s, at), "out pred result"))
		note_list(p, t, what, line);		/* all_out.append(out) */
	if ((!binds_no_tensor(what) && talk_any_of(what, "output pred logit feat embed loss model(")) || binds_begins(what, p->result, "[("))
		note_list(p, t, what, line);
}

/* "outs = [model(x.cuda()) for x in loader]", "torch.cat([model(x) for x in loader])": nor is "nets
 * = [Net(n) for n in sizes]" one, which makes networks. */
static void
list_at_once(struct oom_paste *p, struct talk t, int line)
{
	const char *at = NULL, *end = t.s + t.n, *open, *to;
	struct piece call;
	size_t n;

	if (!talk_next_phrase(t, "= [|cat([|stack([", &at, &n) || (*at != '=' && !talk_any_of(t, "loader batches")))
		return;
	at = piece_past_blanks(at + n, end);
	to = talk_first(talk_part(t, at, end), " for ");
	for (open = at; open < end && (piece_is_word(*open) || *open == '.'); open++)
		;
	call = signs_last_part((struct piece){ at, (size_t)(open - at) });
	if (to && open < to && *open == '(' && call.n > 0 && !(*call.s >= 'A' && *call.s <= 'Z') && signs_is_network(call) &&
	    talk_any_of(talk_part(t, to, end), " in ") && !talk_any_of(talk_part(t, to, end), "range("))
		note_kept(p, &p->lists, talk_part(t, open, to), line);
}

/* "preds = torch.cat((preds, y))": a tensor that grows by what is joined to it. */
static void
tensor_that_grows(struct oom_paste *p, struct talk t, int line)
{
	const char *s = binds_past_quote(t), *end = t.s + t.n, *to, *at;
	struct talk what;
	size_t n;

	for (to = s; to < end && (piece_is_word(*to) || *to == '.'); to++)
		;
	n = (size_t)(to - s);
	at = talk_first(talk_part(t, to, end), "cat(");
	if (n == 0 || !at || end - at < 5 || (at[4] != '(' && at[4] != '[') || (size_t)(end - at - 5) <= n ||
	    memcmp(at + 5, s, n) != 0 || at[5 + n] != ',')
		return;
	what = talk_part(t, at + 5 + n, end);
	if (talk_any_of(what, "output pred logit feat embed loss score prob model( net("))
		note_kept(p, &p->lists, what, line);
}

/* "out = torch.zeros(n, d).cuda()", and later "out[i] = model(x)" */
static void
tensor_of_results(struct oom_paste *p, struct talk t, int line)
{
	const char *s = piece_past_blanks(t.s, t.s + t.n), *end = t.s + t.n, *to, *at;
	size_t n = strlen(p->store);

	for (to = s; to < end && (piece_is_word(*to) || *to == '.'); to++)
		;
	at = piece_past_blanks(to, end);
	if (to > s && at < end && *at == '=' && talk_any_of(t, "torch.empty( torch.zeros(") && talk_any_of(t, ".cuda( device= .to(") &&
	    !signs_is_of_processor(talk_piece(t))) {
		oom_paste_name(p->store, s, to);
		p->stores = 0;
	} else if (n > 0 && (size_t)(to - s) == n && memcmp(s, p->store, n) == 0 && to < end && *to == '[' &&
	    (at = memchr(to, ']', (size_t)(end - to))) && (at = piece_past_blanks(at + 1, end)) < end && *at == '=' &&
	    memchr(at, '(', (size_t)(end - at)) && !binds_nothing(talk_part(t, at, end))) {
		p->stores = line;
	}
}

/* "model.eval()", "net.eval ()" */
static bool
sets_evaluation(struct talk t)
{
	const char *at = talk_first(t, ".eval"), *from = at, *end = t.s + t.n;

	if (!at || (at = piece_past_blanks(at + 5, end)) == end || *at != '(' || piece_past_blanks(at + 1, end) == end ||
	    *piece_past_blanks(at + 1, end) != ')')
		return false;
	while (from > t.s && (piece_is_word(from[-1]) || from[-1] == '.'))
		from--;
	return signs_is_network(signs_last_part(talk_piece(talk_part(t, from, talk_first(t, ".eval")))));
}

/* Is a library's loop of training named, which sees to gradients? A file of that name is
 * anyone's. */
static bool
has_trainer(struct talk t)
{
	const char *at = NULL;
	size_t n;

	if (talk_any_phrase(t, "import trainer|trainer = trainer("))
		return true;
	while (talk_next_phrase(t, "trainer.", &at, &n))
		if (!talk_is_one_of(talk_head(t, at + n, 2), "py") || talk_any_phrase(t, "transformers/|transformers\\|lightning"))
			return true;
	return false;
}

#define GUARDS		"no_grad|inference_mode|set_grad_enabled("
/* What would help, did help, or is asked for: without it gradients are on. */
#define OF_CURE		"avoid avoided avoids avoiding solve solves solved fix fixes fixed resolve resolves resolved need needs needed would help helps helped recommend recommended suggest suggested"

/* "This can be avoided by torch.no_grad()" */
static bool
is_cure(struct talk t)
{
	const char *at = talk_first(t, GUARDS);
	struct talk clause = at ? talk_clause(t, at, 1) : t;

	return at && talk_any_whole(clause, OF_CURE) && !talk_any_phrase(clause, "n't help|not help|n't solve|not solve|n't fix|not fix|n't resolve|not resolve|even ");
}

void
oom_code_said(struct oom_paste *p, struct talk t, int line)
{
	if (is_cure(t))
		return;
	if ((talk_any_of(t, "no_grad inference_mode set_grad_enabled( .generate( pipeline( .trainer") || has_trainer(t)) &&
	    !talk_any_whole(t, "without forgot forget forgotten missing lacks volatile should") && !oom_wording(t, WORDING_UNGUARDED))
		p->no_grad = line;
}

/* volatile=True did the same before PyTorch 0.4. */
static void
gradients(struct oom_paste *p, struct talk t, int line, bool traced)
{
	oom_code_said(p, t, line);
	if (traced)
		return;
	if (talk_any_of(t, "volatile=true") && talk_any_of(t, "variable( volatile=true)"))
		p->volatiles = line;
	if (talk_any_phrase(t, ".requires_grad = false|.requires_grad=false|.requires_grad_(false)")) {
		p->frozen = line;
		p->evaluates = p->runs = 0;
	}
	if (p->runs && talk_any_of(t, ".train("))
		p->trains_again = line;
	if (p->runs && !p->trains_again && talk_any_of(t, ".backward( autograd.grad("))
		p->evaluates = p->runs = 0;		/* its gradients are asked for */
	if (sets_evaluation(t) && !p->frozen)
		p->evaluates = line;
	else if (p->evaluates && !p->runs && talk_any_begins(t, "model( net( network(") && !talk_any_whole(t, "def class"))
		p->runs = line;
}

#define THERE	".cuda().|.to('cuda').|.to(\"cuda\").|.to(device).|.to(self.device).|.to(args.device).|.to('cuda:0').|.to(\"cuda:0\")."
#define OF_TWO	"half()|bfloat16()|to(torch.bfloat16)|to(torch.float16)|to(torch.half)|to(dtype=torch.bfloat16)|to(dtype=torch.float16)"

/* "model = model.eval().cuda().to(torch.bfloat16)": all of it is there in its first type before. */
static bool
converts_there(struct talk t)
{
	const char *at = NULL, *to;
	size_t n, length;

	while (talk_next_phrase(t, THERE, &at, &n))
		for (to = NULL; talk_next_phrase(talk_part(t, at + n, t.s + t.n), OF_TWO, &to, &length); )
			if (to == at + n)
				return talk_any_begins(talk_part(t, t.s, at), "model net network unet vae pipe pipeline transformer llm self.model");
	return false;
}

bool
oom_code_moves(struct talk t)
{
	const char *s = binds_past_quote(t), *end = t.s + t.n, *at;
	int blanks = 0;

	while (end > s && strchr(".;,` \r", end[-1]))
		end--;
	for (at = s; at < end; at++)
		blanks += *at == ' ';
	return end > s && end[-1] == ')' && blanks <= 2 && signs_is_move(talk_piece(talk_part(t, s, end)));
}

/* ahead of code in a sentence: it is advised, or left out */
#define NOT_DONE	"not no never don't dont instead should must rather avoid replace replaced replacing change changed changing switched remove removed removing without try tried forgot why if use"

/* What holds results from step to step. */
static void
gathers(struct oom_paste *p, struct talk t, int line)
{
	note_bounded(p, t);
	meter_of_losses(p, t, line);
	list_of_results(p, t, line);
	list_at_once(p, t, line);
	tensor_that_grows(p, t, line);
}

/* "it has total_loss += loss there": code without signs around it. */
static void
sums_in_words(struct oom_paste *p, struct talk t, int line)
{
	const char *at = NULL, *from, *to, *end = t.s + t.n;
	size_t n;

	while (talk_next_phrase(t, " += |+=", &at, &n)) {
		for (from = at; from > t.s && piece_is_word(from[-1]); from--)
			;
		for (to = at + n; to < end && (piece_is_word(*to) || memchr(".()[]", *to, 5)); to++)
			;
		while (to > at + n && to[-1] == '.')
			to--;
		if (from < at && to > at + n && !talk_any_whole(talk_part(t, talk_sentence(t, at).s, from), NOT_DONE))
			sum_of_losses(p, talk_part(t, from, to), line, false);
	}
}

void
oom_code_spans(struct oom_paste *p, struct talk t, int line)
{
	const char *end = t.s + t.n, *from, *to;
	struct talk span;

	if (!memchr(t.s, '`', t.n))
		sums_in_words(p, t, line);
	for (from = memchr(t.s, '`', t.n); from && from + 1 < end; from = memchr(to + 1, '`', (size_t)(end - to - 1))) {
		if (!(to = memchr(from + 1, '`', (size_t)(end - from - 1))))
			return;
		span = talk_part(t, from + 1, to);
		if (span.n > 0 && !talk_any_whole(talk_part(t, talk_sentence(t, from).s, from), NOT_DONE)) {
			sum_of_losses(p, span, line, false);
			gathers(p, span, line);
		}
	}
}

void
oom_code_line(struct oom_paste *p, struct talk t, int line, bool traced)
{
	t = form_without_comment(t);
	gradients(p, t, line, traced);
	sum_of_losses(p, t, line, traced);
	if (traced)
		return;
	oom_turns_line(p, t);
	binds_note(p, t);
	note_layer(p, t);
	note_hook(p, t);
	sum_of_a_step(p, t);
	list_of_a_step(p, t);
	note_backward(p, t, line);
	note_result(p, t);
	gathers(p, t, line);
	tensor_of_results(p, t, line);
	oom_sets_line(p, t, line);
	if (oom_code_moves(t))
		p->moves = line;
	if (converts_there(t))
		p->converts_there = line;
	if (talk_any_phrase(t, "retain_graph=true|retain_graph = true") && talk_any_of(t, "backward( grad("))
		p->keeps = line;
}
