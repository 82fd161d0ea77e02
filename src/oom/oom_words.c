/*
 * Sentences are told from a program's own lines by phrases that only people use. None of them is a
 * fact of the run: what they tell is which of the usual causes is likelier, and that is all they
 * are taken for.
 */
#include "oom/oom_words.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_batch.h"
#include "oom/oom_bulk.h"
#include "oom/oom_change.h"
#include "oom/oom_clause.h"
#include "oom/oom_runs.h"

#define AFTER	32	/* bytes from "after" to what is counted */
#define SAVED_WITHIN	40	/* bytes from 保存 to its 时 */

#define BATCH_WITHIN	40	/* bytes, to the batch that someone makes larger */
/* What grows by itself and is no memory: ahead of "keeps growing". */
#define OTHER_SUBJECT	"dataset data loss losses accuracy error reward score length size number count batch time speed resolution context community project codebase"
#define OTHER_GROWS	"increasing the batch|increase the batch|increasing batch size|increasing batchsize|increasing batch_size|increase batch size|increase batchsize|increase batch_size|" \
    "increasing my batch|increasing the number|increase the number|increasing the size|increase the size"

/* Is what grows at AT no memory, or what someone makes grow: "gradients", "by increasing memory",
 * "increasing the limit"? "It increases to 15 GB" tells of one rise, which every run has. */
static bool
is_other_growth(struct talk t, struct talk clause, const char *at)
{
	struct talk behind = talk_part(clause, at, clause.s + clause.n), ahead = clause_word_ahead(clause, at);

	(void)t;
	if ((unsigned char)*at >= 0x80)
		return false;		/* of languages whose clauses are not told apart here */
	while (talk_is_one_of(ahead, "keeps keep kept is are was has have been just to continues continue"))
		ahead = clause_word_ahead(clause, ahead.s);
	if (talk_is_one_of(ahead, OTHER_SUBJECT) || clause_makes_larger(clause, at))
		return true;
	if (talk_any_phrase(behind, "increase to |increases to |increased to ") || talk_any_phrase(talk_head(clause, at, BATCH_WITHIN), OTHER_GROWS))
		return true;
	if ((!talk_any_of(clause, "memory vram usage leak") && !talk_any_whole(clause, "ram")) || talk_any_begins(clause, "gradient gradients"))
		return true;
	return talk_any_begins(talk_head(clause, at, sizeof("increasing")), "increasing") &&
	    (talk_any_whole(clause_word_ahead(clause, at), "am by tried try trying") || talk_any_whole(behind, "limit utilization utilisation fraction"));
}

/* Where words say that memory grows. */
static const char *
grows(struct talk t)
{
	if (!talk_any_of(t, "leak memory vram usage ram \xe6\x98\xbe\xe5\xad\x98 \xe5\x86\x85\xe5\xad\x98"))		/* 显存 内存 */
		return NULL;
	if (talk_any_phrase(t, " to be ") && !talk_any_of(t, "seem appear"))
		return NULL;		/* what it is for */
	return clause_says_unless(t, "\xe6\xb3\x84\xe6\xbc\x8f|\xe6\xb3\x84\xe9\x9c\xb2|"		/* 泄漏 泄露 */
	    "memory cost increased with|memory cost increases|memory cost keeps|memory leak|leaks memory|leaking memory|keeps increas|continue to increase|progressively increas|keep increas|keeps on increas|keeps grow|"
	    "keep grow|keeps on grow|just keeps|memory increase|usage increase|consumption increase|memory increasing|usage increasing|memory-usage increasing|"
	    "increasing gpu memory|increasing memory usage|increasing memory consumption|increasing ram|is increasing|has been increasing|been increasing|"
	    "so did the memory|so does the memory|memory per second|ram per second|memory grows|usage grows|doubles the memory|doubles the vram|doubles the gpu memory|memory doubles|usage doubles|growing|slowly grow|grows in memory|grows slowly|keeps on pil|piling up|pilling up|piles up|ever increasing|ever-increasing|ever growing|"
	    "increase over|increases over|increasing over|increases with|increase with|"
	    "increases each|increases every|slowly increas|gradually increas|gradually fill|gradually grow|gradually rise|gradually us|continuously increas|continuously grow|continuously rise|continuously fill|steadily increas|steady increase|"
	    "constantly increas|builds up|build up|creep|accumulates|been accumulating|is accumulating|keeps accumulating|getting accumulated|gets accumulated|higher and higher|more and more|"
	    "continues to grow|continues to increase|get filled over time|gets filled over time|filling over time|fills over time|fills slowly|filled slowly|filled up slowly|increases along|memory 'leak'|memory \"leak\"|storing every state|storing all states|"
	    "显存增加|显存会增加|显存就增加|显存增长|内存增长|显存占用增加|"
	    "\xe9\x80\x90\xe6\xb8\x90\xe5\xa2\x9e|\xe4\xb8\x8d\xe6\x96\xad\xe5\xa2\x9e|\xe6\x8c\x81\xe7\xbb\xad\xe5\xa2\x9e|"	/* 逐渐增, 不断增, 持续增 */
	    "\xe4\xb8\x80\xe7\x9b\xb4\xe6\x9a\xb4\xe6\xb6\xa8|"	/* 一直暴涨 */
	    "\xe6\x8c\x81\xe7\xbb\xad\xe4\xb8\x8a\xe6\xb6\xa8|\xe6\x8c\x81\xe7\xbb\xad\xe4\xb8\x8a\xe5\x8d\x87|\xe4\xb8\x8d\xe6\x96\xad\xe4\xb8\x8a\xe6\xb6\xa8|"	/* 持续上涨, 持续上升, 不断上涨, */
	    "\xe4\xb8\x8d\xe6\x96\xad\xe4\xb8\x8a\xe5\x8d\x87|\xe4\xb8\x80\xe7\x9b\xb4\xe4\xb8\x8a\xe6\xb6\xa8|\xe4\xb8\x80\xe7\x9b\xb4\xe5\x9c\xa8\xe6\xb6\xa8|"	/* 不断上升, 一直上涨, 一直在涨 */
	    "\xe8\xb6\x8a\xe6\x9d\xa5\xe8\xb6\x8a|\xe4\xb8\x80\xe7\x9b\xb4\xe5\x9c\xa8\xe5\xa2\x9e|\xe4\xb8\x80\xe7\x9b\xb4\xe5\xa2\x9e|\xe9\x80\x90\xe6\xad\xa5\xe5\xa2\x9e|"	/* 越来越, 一直增, 逐步增 */
	    "\xe8\x80\x8c\xe5\xa2\x9e\xe5\xa4\xa7|\xe8\x80\x8c\xe5\xa2\x9e\xe5\x8a\xa0|\xe8\x80\x8c\xe5\xa2\x9e\xe9\x95\xbf|\xe8\x80\x8c\xe4\xb8\x8a\xe5\x8d\x87|\xe7\xbc\x93\xe6\x85\xa2\xe5\xa2\x9e",	/* 而增大, 而增加, 而增长, 而上升, 缓慢增 */
	    AHEAD | BEHIND, "fixed solved stop stops stopped", is_other_growth);
}

/* "It grows within an epoch, after which it drops back." */
static const char *
falls(struct talk t)
{
	return !talk_any_of(t, "epoch") ? NULL : talk_first(t, "drops back|drop back|dropped back|dropping back|dropping to|drops to|drops down|falls back|fell back|goes back to|"
	    "returns to|back to normal|back to the start|resets to|resets after|resets at|released after|released at the end|freed after|freed at the end");
}

#define OF_LEARNING	"accurac score reward precision recall psnr bleu converg"

#define ASKING	"a an is are was were do does did can could would may might has have any possible possibly maybe memory leak leakage gpu ram vram cuda"

/* "Memory leak?" and "Is there a memory leak?" ask; "Why is there a memory leak?" tells of one. */
static bool
asks_for_leak(struct talk t)
{
	return talk_any_of(t, "leak") && t.n && memchr(t.s, '?', t.n) && !talk_any_whole(t, "why what how where when") &&
	    talk_any_whole(clause_word_behind(t, t.s), ASKING);
}

/* The first sentence of T that says it, as another may name a device for something else; all of T
 * where none does by itself. */
static bool
is_growing(struct talk t, struct talk *growth)
{
	const char *at, *end = t.s + t.n;
	bool any = false;

	if (!grows(t))
		return false;
	for (at = t.s; at < end; at++) {
		*growth = talk_sentence(t, at);
		if (grows(*growth)) {
			any = true;
			if (!talk_any_of(*growth, OF_LEARNING) && !asks_for_leak(*growth))
				return true;
		}
		at = growth->s + growth->n;
	}
	*growth = t;
	return !any && !talk_any_of(t, OF_LEARNING) && !asks_for_leak(t);
}

/* What people did for a time, or another version did. */
#define OF_PEOPLE	"of searching|of debugging|of googling|of trying|of reading|of work|of research|i tried|i searched|i found|i spent|"	\
    "old version|older version|previous version|earlier version"

/* What a run has learned by the time at AT, or that it takes less by then: "after 12 epochs the
 * loss is nan", "it drops to normal after a while". */
static bool
is_of_learning(struct talk t, const char *at)
{
	return clause_is_of_learning(talk_clause(t, at, 1)) || talk_any_begins(talk_clause(t, at, 1), "drop decreas normal");
}

/* 一段时间后, 一段时间之后, 个epoch后, 个epoch之后, 轮之后 */
#define LATE_CHINESE	"\xe4\xb8\x80\xe6\xae\xb5\xe6\x97\xb6\xe9\x97\xb4\xe5\x90\x8e|\xe4\xb8\x80\xe6\xae\xb5\xe6\x97\xb6\xe9\x97\xb4\xe4\xb9\x8b\xe5\x90\x8e|"	\
    "\xe4\xb8\xaa" "epoch\xe5\x90\x8e|\xe4\xb8\xaa" "epoch\xe4\xb9\x8b\xe5\x90\x8e|\xe8\xbd\xae\xe4\xb9\x8b\xe5\x90\x8e"

#define ACTS		"going changing setting reducing lowering decreasing increasing raising adding removing switching trying using disabling enabling choosing fixing updating upgrading"

/* "after going back to a batch of 8": what people did, and no time. */
static bool
is_of_act(struct talk t, const char *at)
{
	return talk_is_one_of(clause_word_behind(t, at), ACTS);
}

/* "After an hour in the queue it fails at once": then that time is no part of the run. */
static bool
is_at_once(struct talk t, const char *at)
{
	return clause_says(talk_sentence(t, at), "immediately|right away|at once|instantly|at the first step|in the first step|at the first iteration|in the first iteration|at the very first", AHEAD, "") != NULL;
}

/* "after 26 epochs", "for a while" */
static const char *
is_late(struct talk t)
{
	const char *at = NULL, *said;
	struct talk next;
	size_t n;

	if (talk_any_phrase(t, "ever since|error at the start|memory at the start|memory\" at the start|start it up|at startup|on startup|stop the|stopped the|stopping the|i stop|i stopped|"
	    "interrupt|ctrl-c|ctrl+c"))
		return NULL;		/* what came after a time is something else then */
	if ((said = talk_first(t, LATE_CHINESE)))
		return said;
	if (!talk_any_of(t, "after while middle epoch") || talk_any_of(t, "accurac converg compil") || talk_any_phrase(t, OF_PEOPLE))
		return NULL;		/* or of how well it had learned by then, or of what people did */
	if ((said = clause_says(t, "for a while|after a while|after some time|middle of training|middle of the training|th epoch|nd epoch|"
	    "rd epoch|second epoch|third epoch|to epoch 2|epoch goes to|at epoch|end of the first epoch|"
	    "end of first epoch", AHEAD, "")) || (said = talk_first(t, "until epoch|until the")))
		return is_of_learning(t, said) ? NULL : said;
	if (talk_any_phrase(t, "epochs, after which|iterations, after which|steps, after which|hours, after which"))
		return talk_first(t, "after which");
	while (talk_next_phrase(t, "after ", &at, &n)) {
		next = talk_head(talk_clause(t, at, n), at + n, AFTER);
		if (talk_any_begins(next, "epoch iteration iter step batch minute hour") && !is_of_act(t, at + n) &&
		    !talk_has_whole(next, "step 0|iteration 0|iter 0|batch 0|first iteration|first step|first batch|first couple|first few|couple of steps|couple of iterations") &&
		    !talk_any_begins(talk_head(t, at + n, 6), "each every") &&
		    !clause_says_no(talk_part(t, talk_clause(t, at, n).s, at), "") && !is_of_learning(t, at))
			return at;
	}
	return NULL;
}

/* In a sentence that says that memory ran out: "at 145 epochs", "suddenly". */
static const char *
is_late_there(struct talk t)
{
	const char *s, *to, *end = t.s + t.n, *said;
	int64_t n;

	if (talk_any_phrase(t, "ever since|start it up|every few|first couple|first few|prior to|during setup|during the setup|before training|stop the|stopped the|stopping the|i stop|i stopped|interrupt|ctrl-c|ctrl+c|hours ago|days ago|minutes ago"))
		return NULL;
	if ((said = clause_says(t, "after training on|after training for|well into training|well into the training|far into training|far into the training|of iterations, then|of epochs, then|of steps, then|after a few thousand|after thousands|at a random point|sometimes|suddenly|randomly|random epoch|occasionally|from time to time|some epochs|halfway|half way|midway|"
	    "at some point|eventually|over time|overnight|next epoch|several epochs|few epochs|some iterations|several iterations|"
	    "few iterations|some steps|few steps|few hours|several hours|end of epoch|end of the epoch|end of an epoch|"
	    "after epoch", AHEAD | BEHIND | WORKS, "")))
		return said;
	for (s = t.s; s < end; s = to) {
		to = s + 1;
		if (!is_digit(*s) || (s > t.s && piece_is_word(s[-1])))
			continue;
		to = piece_past_blanks(piece_number(s, end, &n), end);
		if (n > 1 && talk_any_begins(talk_head(t, to, 10), "epochs iterations iters steps minutes hours") &&
		    talk_any_whole(clause_word_ahead(t, s), "after at for in within about around almost nearly every until to") && !is_of_learning(t, s))
			return s;
	}
	return NULL;
}

/* A program that is tried, not a network that is tested. */
#define TRIES		"testing notebook|testing the notebook|testing the example|testing an example|testing example|testing this example|testing the tutorial|testing the demo|installation|install|installing|the demo|demo script|demo code|example script|sample script|web ui|webui|testing the code|testing your code|testing this code|testing my code|testing the program|testing the script|testing the repo|"	\
    "testing this repo|testing your repo|testing out|test the code|test your code|test this code|test my code|test the program|test the script"

static bool
is_tried(struct talk t, struct talk clause, const char *at)
{
	(void)t;
	(void)at;
	return talk_any_phrase(clause, TRIES);
}

#define FITS		"fit_generator|fit()|.fit(|train_on_batch"
/* What tries a program's own code, whatever that is. */
#define OF_CODE		"test body|test suite|unit test|unittest|test fixture|test harness|pytest|gtest"

/* A program that is tried; or training as well, which fails there, too: "when I train with fit() or
 * do prediction", "fit_generator and predict_generator leak". */
static bool
is_no_evaluation(struct talk t, struct talk clause, const char *at)
{
	struct talk sentence = talk_sentence(t, at);

	return is_tried(t, clause, at) || talk_any_phrase(sentence, OF_CODE) || (talk_any_begins(talk_head(t, at, 7), "predict") && talk_any_phrase(sentence, FITS)) ||
	    (talk_any_whole(sentence, "train training") && talk_any_whole(talk_part(t, sentence.s, at), "or"));
}

static const char *
evaluates(struct talk t)
{
	const char *elsewhere = talk_first(t, "进行评估|进行验证|评估时|验证时|评估的时候|验证的时候|在验证集上"), *at = elsewhere ? elsewhere : talk_any_of(t, "valid eval test predict") ? clause_says(t, "outputs are stored on the gpu|results are stored on the gpu|"
	    "predictions are stored on the gpu|outputs are kept on the gpu|predictions are kept on the gpu", AHEAD, "") : NULL;

	return at || !talk_any_of(t, "valid eval test predict verif") ? at : clause_says_unless(t, "during validation|during the validation|during evaluation|during the evaluation|during eval|"
	    "in validation|in the validation|until validation|until the validation|on validation|in evaluation|in the evaluation|while validating|while evaluating|when validating|when validate|"
	    "when evaluating|when evaluate|when it evaluat|when it validat|when doing validation|when doing evaluation|at validation|at evaluation|first validation|second validation|after each validation|after every validation|each validation batch|each validation step|next validation|validation phase|, in validate|, in evaluate|when verifying|while verifying|during verification|"
	    "validation crashes|validation crashed|evaluation crashes|evaluation crashed|trying to validate|tries to validate|try to validate|trying to evaluate|tries to evaluate|try to evaluate|validation step|validation stage|validation part|validation loop|evaluation phase|evaluation step|"
	    "evaluation stage|evaluation part|evaluation loop|when testing|while testing|during testing|during the test|"
	    "during test|test phase|testing phase|test stage|testing stage|testing part|beginning testing|"
	    "starts validat|starts evaluat|start validat|start evaluat|in test mode|in testing mode|when i test |while i test |i run test|testing process|running test|run the test|at test time|in test time|in the test |"
	    "validation out of memory|evaluation out of memory|validation oom|evaluation oom|memory when validation|memory when evaluation|oom when validation|oom when evaluation|run evaluation|running evaluation|run validation|"
	    "running validation|perform evalu|perform valid|validation begins|validation starts|evaluation starts|trainer.evaluate|eval_accum|evaluation code|the eval code|eval script|evaluation script|the eval mode|eval mode|evaluation mode|the eval will run|starts eval|eval_period|eval period|eval.period|when eval|the test showed|the test shows|but the test|ready for testing|model.predict|using predict|predict function|predict throws|at predict time|during prediction|"
	    "prediction phase|when predicting|while predicting|predict()|predict_generator", AHEAD | BEHIND | WORKS, "", is_no_evaluation);
}

/* In a sentence that says that memory ran out: elsewhere that of a file's form may fail, too. */
static const char *
evaluates_there(struct talk t)
{
	return clause_says(t, "validation fails|validation failed|evaluation fails|evaluation failed", AHEAD | BEHIND | WORKS, "");
}

/* "infer_auto_device_map", and of all types of it alike. */
static bool
is_no_inference(struct talk t, struct talk clause, const char *at)
{
	(void)clause;
	return talk_any_phrase(talk_head(t, at, 16), "infer auto|infer_auto|inferred|infer the") || talk_has_whole(talk_part(t, t.s, at), "all type of|all types of|any type of");
}

static const char *
infers(struct talk t)
{
	return talk_any_whole(t, "inference infer inferring") ? clause_says_unless(t, "infer", AHEAD | BEHIND | WORKS, "", is_no_inference) : NULL;
}

#define TRAINS_ONE	"train a vae|train the vae|train my vae|training a vae|training the vae|training my vae|train an autoencoder|training an autoencoder|train the autoencoder|training the autoencoder|training my autoencoder"

/* "OOM at the VAE decode stage": of an autoencoder, by its name, that is not itself trained. */
static const char *
decodes(struct talk t)
{
	return talk_has_whole(t, TRAINS_ONE) ? NULL : talk_any_whole(t, "vae autoencoder autoencoderkl") ? clause_says(t, "vae decode|vae decoding|decoding stage|decode stage|at vae|in vae|in the vae|during vae|"
	    "vae encode|vae encoding|decode step|decoding step|decode the latents|decoding the latents", AHEAD | BEHIND | WORKS, "") : NULL;
}

#define OF_FIRST	"first iteration|first iter|first step|first batch|first global batch|first minibatch|first mini-batch|one iteration|one step|one batch|"	\
    "1st iteration|1st step|1st batch"
#define OF_SECOND	"second iteration|second iter|second step|second batch|second global batch|second minibatch|second mini-batch|2nd iteration|2nd step|2nd batch|" \
    "next iteration|next step|next batch"

/* "The first batch runs, and the second does not", "right after the first iteration". */
static const char *
first_alone_ran(struct talk t)
{
	const char *at = talk_any_of(t, "first second 1st 2nd one") ? clause_says(t, "after the first iteration|after first iteration|after the first step|after first step|"
	    "after the first batch|after first batch|after one iteration|after one step|after one batch|after 1 iteration|after 1 step|after a single iteration", AHEAD, "") : NULL;
	size_t n;

	if (talk_any_begins(at ? talk_sentence(t, at) : t, "infer predict test valid eval generat transcri pipeline notebook tutorial"))
		return NULL;		/* where nothing is trained, no optimizer makes anything */
	if (at || !talk_any_of(t, "second 2nd next") || !(at = talk_find_whole(t, OF_SECOND, &n)))
		return at;
	return talk_has_whole(talk_sentence(t, at), OF_FIRST) ? at : NULL;
}

/* "With SGD it runs, with Adam it is out of memory." */
static const char *
fails_with_adam(struct talk t)
{
	size_t n;
	const char *at = talk_any_whole(t, "sgd") ? talk_find_whole(t, "adam|adamw", &n) : NULL;
	struct talk sentence = at ? talk_sentence(t, at) : t;

	return at && talk_any_whole(sentence, "sgd") && talk_any_whole(sentence, "works work worked fine ok okay fits fit runs run trains no without can while whereas only but") &&
	    !talk_any_whole(sentence, "nan diverges converge converges neither both even whether or either still too also instead") &&
	    !talk_has_whole(sentence, "adam to sgd|adam with sgd|adam by sgd|adam for sgd|adamw to sgd") ? at : NULL;
}

static const char *
loads(struct talk t)
{
	if (!talk_any_of(t, "model weight checkpoint ckpt lora safetensor gguf pretrained state_dict vae unet llm network"))
		return NULL;		/* programs load scenes and maps, too */
	return talk_any_phrase(t, "point cloud") || talk_any_of(t, "dataset data image csv video file module library plugin driver font dll extension") ? NULL : clause_says(t, "while loading|when loading|during loading|to load|can't load|cannot load|can not load|couldn't load|"
	    "could not load|fails to load|failed to load|when i load|when it loads|loading checkpoint shards|loading the checkpoint|loading the model|loading the weights", AHEAD | WORKS, "after since");
}

/* A network that is put into another form, for which nothing is trained and no set of data is
 * read. */
static const char *
converts(struct talk t)
{
	const char *at = talk_any_of(t, "engine onnx tensorrt trt tflite gguf model weights") ? clause_says(t, "convert|conversion|export|quantiz|"
	    "building the engine|build the engine|building tensorrt|building the tensorrt|building engine|building cuda engine|building an engine|building trt|building the trt", AHEAD | WORKS, "") : NULL;

	return at && talk_any_phrase(talk_sentence(t, at), "i fixed|i solved|i have fixed|was fixed|got fixed") ? NULL : at;
}

static const char *
resumes(struct talk t)
{
	const char *at;

	if (talk_any_of(t, "train checkpoint model run step iter weights") && talk_any_begins(t, "resume resuming resumed") &&
	    !talk_any_phrase(t, "resume work|resumed work|resuming work|resumed watch|resumed read|my resume"))
		return talk_first(t, "resum");
	at = clause_says(t, "continue training|continued training|continuing training|training from checkpoint|training from a checkpoint|train from a checkpoint|"
	    "from a specific checkpoint|from a state checkpoint|from an unfinished checkpoint|after restoring from|restoring from a checkpoint|restored from a checkpoint", AHEAD | WORKS, "");
	/* "can I skip them and continue training?" is a wish */
	return at && (!clause_is_question(talk_sentence(t, at)) || talk_any_of(talk_sentence(t, at), "checkpoint")) ? at : NULL;
}

/* "When saving the model"; in Chinese 保存, with 时 behind it. */
static const char *
saves(struct talk t)
{
	const char *at = talk_first(t, "\xe4\xbf\x9d\xe5\xad\x98");

	if (at && talk_any_phrase(talk_head(t, at, SAVED_WITHIN), "\xe6\x97\xb6"))
		return at;
	return talk_any_of(t, "model weight checkpoint ckpt state") ? clause_says(t, "when saving|while saving|during saving|trying to save|tries to save|try to save|"
	    "when i save|when it saves|due to model save|due to saving|because of saving|model checkpointing cause|checkpoint saving|saving step|get state dict|gets state dict|get the state dict|"
	    "getting the state dict|get the state_dict|getting the state_dict|to save the model|to save a model|to save the checkpoint|to save a checkpoint|while the model is saved|while the checkpoint is saved",
	    AHEAD | WORKS, "") : NULL;
}

static void
said(struct said *to, struct talk t, const char *at, int line)
{
	if (at)
		said_at(to, t, at, line);
}

/* Only where the sentence at AT tells of a failure, of memory's or by a word for any: what else a
 * report speaks of is no place of it. */
static void
said_of_failure(struct said *to, const struct oom_told *told, struct talk t, const char *at, int line)
{
	if (at && oom_told_is_of_failure(told, t, at, line))
		said_at(to, t, at, line);
}

/* Of batches with which it fails the smallest, and one with which it runs; of lengths the first. */
static void
batch_said(struct oom_paste *p, struct talk t, int line)
{
	int64_t least;
	const char *at = oom_batch_fails(t, &least);

	if (at && (!p->of_batch.line || least < p->least_batch)) {
		said_at(&p->of_batch, t, at, line);
		p->least_batch = least;
	}
	if (!p->less.line)
		said(&p->less, t, oom_batch_runs(t), line);
	if (!p->of_length.line)
		said(&p->of_length, t, oom_batch_long(t), line);
}

/* What FIND finds first need not be in the sentence that tells of the failure: then in that. */
static void
said_of_any(struct said *to, const struct oom_told *told, struct talk t, int line, const char *(*find)(struct talk))
{
	const char *at = find(t), *s, *end = t.s + t.n;
	struct talk sentence;

	said_of_failure(to, told, t, at, line);
	for (s = t.s; at && to->line != line && s < end; s = sentence.s + sentence.n + 1) {
		sentence = talk_sentence(t, s);
		said_of_failure(to, told, t, find(sentence), line);
	}
}

/* The same of what is given: "I cannot upscale a 12 second video" tells of a failure, too. */
static void
said_of_given(struct said *to, const struct oom_told *told, struct talk t, int line, const char *(*find)(struct talk))
{
	const char *at = find(t);

	said_of_any(to, told, t, line, find);
	if (at && to->line != line && talk_any_whole(talk_part(talk_clause(t, at, 0), talk_clause(t, at, 0).s, at), "cannot can't cant unable couldn't impossible"))
		said_at(to, t, at, line);
}

/* When it fails: as memory grows, or late. */
static void
when_said(struct oom_paste *p, struct talk t, int line)
{
	struct talk growth;
	const char *at;

	if (is_growing(t, &growth)) {
		oom_told_grows(&p->told, growth, line);
		said(&p->grows, t, grows(growth), line);
		said(&p->falls, t, falls(t), line);
	}
	if (p->told.what == TOLD_GROWS && p->told.said.line == line)
		p->grows = p->told.said;
	if ((at = is_late(t)) || (p->told.here_line == line && (at = is_late_there(oom_told_sentence(&p->told, t))))) {
		if (!is_at_once(t, at))
			said_of_failure(&p->later, &p->told, t, at, line);
	}
}

/* In evaluation, inference or training. */
static void
use_said(struct oom_paste *p, struct talk t, int line, enum oom_source source)
{
	said_of_any(&p->evaluating, &p->told, t, line, evaluates);
	if (p->evaluating.line != line && p->told.here_line == line)
		said_of_failure(&p->evaluating, &p->told, t, evaluates_there(oom_told_sentence(&p->told, t)), line);
	if (source == SOURCE_COMMAND)
		said(&p->evaluating, t, talk_first(t, "--eval-only|--eval_only|--evaluate-only|--test-only|--test_only|--only-eval|--only_eval|--only_test|--only-test"), line);
	said(&p->metrics, t, talk_first(t, "compute_metrics|eval_accumulation_steps|eval_accumilation_steps|preprocess_logits_for_metrics"),
	    line);
	if (!talk_any_of(t, "train fine-tun finetun"))
		said_of_failure(&p->inferring, &p->told, t, infers(t), line);
	if (talk_any_of(t, "training fine-tun finetun") || talk_any_whole(t, "train"))
		p->training = line;
}

/* What was run before, how often, and what is held of it. */
static void
runs_said(struct oom_paste *p, struct talk t, int line, enum oom_source source)
{
	const char *at;

	said_of_any(&p->again, &p->told, t, line, oom_runs_again);
	said(&p->again, t, oom_change_back(t), line);
	if ((at = oom_runs_trials(t)) && source == SOURCE_PROSE && oom_runs_done(t, at))
		said_at(&p->trials, t, at, line);
	else
		said_of_failure(&p->trials, &p->told, t, at, line);
	if (p->told.here_line == line || p->grows.line == line)
		said(&p->retains, t, oom_runs_retain(t), line);
	if (p->told.here_line == line)
		said(&p->vocabulary, t, oom_runs_words(t), line);
	said_of_any(&p->first, &p->told, t, line, oom_runs_first);
	said_of_any(&p->unfreezes, &p->told, t, line, oom_runs_unfrozen);
	if (source != SOURCE_CODE && (at = oom_runs_stay(t))) {
		said_at(&p->stays, t, at, line);
		oom_told_stays(&p->told, talk_sentence(t, at), line);
	}
}

/* What is large of its data or its network, and what was changed of that. */
static void
sizes_said(struct oom_paste *p, struct talk t, int line, enum oom_source source)
{
	const char *at;
	int64_t absurd;

	said_of_given(&p->media, &p->told, t, line, oom_bulk_media);
	if (!p->lasts.line)
		said(&p->lasts, t, oom_bulk_long(t, source == SOURCE_PROSE), line);
	said_of_failure(&p->hook, &p->told, t, talk_first(t, "training_epoch_end|validation_epoch_end|test_epoch_end"), line);
	said_of_failure(&p->models, &p->told, t, oom_runs_models(t), line);
	said_of_any(&p->classes, &p->told, t, line, oom_bulk_classes);
	if (source == SOURCE_PROSE || source == SOURCE_UNSURE) {
		said(&p->pairs, t, oom_bulk_pairs(t), line);
		said(&p->boxes, t, oom_bulk_boxes(t), line);
		said(&p->penalty, t, oom_runs_penalty(t), line);
		said(&p->shared, t, oom_runs_shared(t), line);
		said(&p->unused, t, oom_runs_unused(t), line);
		said(&p->peak, t, oom_runs_peak(t), line);
	}
	said_of_given(&p->large, &p->told, t, line, oom_bulk_large);
	said_of_failure(&p->large, &p->told, t, oom_bulk_side(t), line);
	said_of_failure(&p->sizes, &p->told, t, oom_bulk_sizes(t), line);
	if (source != SOURCE_CODE && source != SOURCE_OUTPUT && source != SOURCE_COMMAND && !p->card.line)
		said(&p->card, t, oom_bulk_card(t), line);
	said(&p->less, t, oom_bulk_less(t), line);
	if ((at = oom_change_raised(t)) && source == SOURCE_PROSE && oom_change_leads(t, at))
		said_at(&p->raised, t, at, line);
	else
		said_of_failure(&p->raised, &p->told, t, at, line);
	said(&p->other_data, t, oom_change_data(t), line);
	if (source != SOURCE_CODE && source != SOURCE_COMMENT && source != SOURCE_COMMAND)
		batch_said(p, t, line);
	if ((at = oom_bulk_absurd(t, &absurd)) && source != SOURCE_CODE) {
		said_at(&p->absurd, t, at, line);
		p->absurd_bytes = absurd;
	}
}

/* In which part of a program. */
static void
parts_said(struct oom_paste *p, struct talk t, int line, enum oom_source source)
{
	const char *at;

	said_of_any(&p->decoder, &p->told, t, line, decodes);
	said_of_failure(&p->second, &p->told, t, first_alone_ran(t), line);
	said_of_failure(&p->adam, &p->told, t, fails_with_adam(t), line);
	said_of_any(&p->converts, &p->told, t, line, converts);
	if (source != SOURCE_PROSE && talk_any_phrase(t, "begin building engine|building tensorrt engine|building an engine from file|[trt] building engine"))
		said_at(&p->converts, t, t.s, line);
	if (source == SOURCE_PROSE || source == SOURCE_COMMENT)
		said(&p->shapes, t, talk_first(t, "dynamic shape|dynamic input|dynamic axes|dynamic batch|various input shape|various shape|various size|different input shape|different shape|varying shape|"
		    "varying input|variable shape|variable input|shapes vary|shape varies|shapes change|shape changes|changing shape"), line);
	said_of_any(&p->loading, &p->told, t, line, loads);
	said_of_any(&p->saving, &p->told, t, line, saves);
	said_of_any(&p->resuming, &p->told, t, line, resumes);
	if ((at = oom_runs_parallel(t)) && p->told.here_line == line)		/* "on two it fails. On one it works." */
		said_at(&p->parallel, t, at, line);
	else
		said_of_failure(&p->parallel, &p->told, t, at, line);
}

/* Whose program it is. */
static void
libraries_said(struct oom_paste *p, struct talk t, int line, enum oom_source source)
{
	if (talk_any_begins(t, "torch pytorch nn.dataparallel") || (source == SOURCE_CODE && talk_any_of(t, ".backward() .zero_grad( .to(device)")))
		*(source == SOURCE_PROSE ? &p->torch_told : &p->torch) = line;
	if (talk_any_phrase(t, "detector train|classifier train"))
		p->detects = -1;
	else if (p->detects == 0 && talk_any_phrase(t, "detector test|detector demo|detector valid|detector map|detector recall|darknet detect "))
		p->detects = line;
	if (talk_any_phrase(t, "session.run|sess.run|tf.session("))
		p->session = line;
	if (talk_any_phrase(t, "onnxruntime|inferencesession|.run(none|ort_session|requests.session|boto3.session|sessionmaker"))
		p->other_sessions = line;
	if (talk_any_phrase(t, "graph.finalize|graph().finalize"))
		p->finalizes = line;
	if (talk_any_of(t, "pytorch torch") && talk_any_phrase(t, "h 0.3|h0.3|=0.3"))
		p->older = line;
	if (talk_any_of(t, "pytorch torch") && talk_any_phrase(t, "h 0.4|h0.4|=0.4"))
		p->newer = line;
}

void
oom_words_line(struct oom_paste *p, struct talk t, int line, enum oom_source source)
{
	oom_told_line(&p->told, t, line);
	when_said(p, t, line);
	use_said(p, t, line, source);
	runs_said(p, t, line, source);
	sizes_said(p, t, line, source);
	parts_said(p, t, line, source);
	libraries_said(p, t, line, source);
	oom_bulk_pictures(p, t, line);
}
