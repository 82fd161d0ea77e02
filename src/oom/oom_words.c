/*
 * Sentences are told from a program's own lines by phrases that only people use. None of them is a
 * fact of the run: what they tell is which of the usual causes is likelier, and that is all they
 * are taken for.
 */
#include "oom/oom_words.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_amount.h"
#include "oom/oom_array.h"
#include "oom/oom_batch.h"
#include "oom/oom_blame.h"
#include "oom/oom_bulk.h"
#include "oom/oom_card.h"
#include "oom/oom_change.h"
#include "oom/oom_clause.h"
#include "oom/oom_compare.h"
#include "oom/oom_contrast.h"
#include "oom/oom_cure.h"
#include "oom/oom_devices.h"
#include "oom/oom_earlier.h"
#include "oom/oom_less.h"
#include "oom/oom_measures.h"
#include "oom/oom_note.h"
#include "oom/oom_pictures.h"
#include "oom/oom_runs.h"
#include "oom/oom_several.h"
#include "oom/oom_short.h"
#include "oom/oom_use.h"
#include "oom/oom_when.h"
#include "oom/oom_wording.h"
#include "oom/oom_works.h"

#define BLAMES		"due to|caused by|because of|causes due to|comes from|reason is|culprit"
#define NEAR_FAILURE	2	/* lines, to a sentence about it */
#define SAVED_WITHIN	40	/* bytes from 保存 to its 时 */

/* That a stage behind others was come to, and so those before it had fitted. */
#define COMES_TO	"all the way to |all the way through|all the way up to|gets as far as|got as far as|makes it as far as|made it as far as|makes it through|made it through|gets through all|got through all"

#define OF_NEED		"requires require required needs need takes take took consumes consumed uses used occupies occupied costs cost gb gib"

/* "The increase is just to load the weights": an explanation, which most often is given up. And
 * "Loading the model requires less than 30 GB" tells what a load that came to its end took. */
static bool
is_no_loading(struct talk t, struct talk clause, const char *at)
{
	return (talk_any_whole(talk_part(clause, at, clause.s + clause.n), OF_NEED) && !clause_names_failure(clause) && !oom_short_fails(clause)) || talk_is_one_of(clause_word_ahead(t, at), "just only used merely");
}

static const char *
loads(struct talk t)
{
	const char *chinese = talk_first(t, "模型加载进度|权重加载进度|模型加载至|模型加载到|权重加载到|权重加载至|模型加载阶段|模型加载过程|加载模型过程|模型加载失败|权重加载失败|加载模型失败|加载模型时|加载模型的时候|加载权重时|加载权重的时候|加载模型权重时|加载模型权重的时候|模型加载时|加载checkpoint时|加载checkpoint的时候|加载模型就|加载模型报|加载模型爆|加载模型出现|加载模型显存");

	if (!chinese)
		chinese = talk_first(t, ".cuda()的时候|.cuda() 的时候|.cuda()时|.cuda() 时|.cuda()` 的时候|.cuda()`时|.to(device)的时候|.to(device) 的时候|.to(device)时");
	if (chinese)
		return clause_goes_well_elsewhere(t, chinese) ? NULL : chinese;
	if (!talk_any_of(t, "model weight checkpoint ckpt lora safetensor gguf pretrained state_dict vae unet llm network"))
		return NULL;		/* programs load scenes and maps, too */
	return talk_has_whole(t, "it is not the case|is not the case|not just to load|not only to load") || talk_any_phrase(t, "point cloud|requested to load|prepared for dynamic|force pre-loaded") || talk_any_of(t, "dataset data image csv video file module library plugin driver font dll extension") ? NULL : clause_says_unless(t, "while loading|when loading|during loading|to load|can't load|cannot load|can not load|couldn't load|"
	    "could not load|fails to load|failed to load|when i load|when it loads|at loading|upon loading|loading checkpoint shards|loading the checkpoint|loading the model|loading the weights", AHEAD | WORKS, "after since", is_no_loading);
}

#define WISHES		"can i|could i|should i|how to|how do i|how can i|possible to|way to|want to|instead of"

#define GOES_WELL	"without problems|without problem|without any problem|without any problems|without issues|without any issue|without errors|without error|no problem|no problems|no issue|no issues"

#define RESUMES_CHINESE	"从检查点恢复|从检查点继续|从检查点重新|从断点恢复|从断点继续|断点续训|断点续练|恢复训练|加载检查点继续|加载断点|续训时|继续训练时|继续训练的时候|接着训练|重新加载模型继续训练|resume时|resume的时候|从checkpoint恢复|从checkpoint继续|从checkpoint续|从ckpt续|从断点续|step续训|epoch续训|续训，|续训就|续训会|续训报|续训显存|续训导致|续训后|加载之前的权重继续|加载上次的权重继续"

/* "Can I resume it?" is a wish, and one that works has not failed. */
static bool
is_not_resumed(struct talk t, const char *at)
{
	struct talk clause = talk_clause(t, at, 1);

	return clause_works(clause) || talk_has_whole(clause, GOES_WELL) || (talk_has_whole(talk_part(t, clause.s, at), WISHES) && !talk_has_whole(talk_part(t, clause.s, at), "when i want to|when i wanted to|when we want to|whenever i want to|once i want to"));
}

static const char *
resumes(struct talk t)
{
	const char *at;

	if (talk_any_of(t, "train finetun fine-tun checkpoint model run step iter weights") && talk_any_begins(t, "resume resuming resumed") &&
	    !talk_any_phrase(t, "resume work|resumed work|resuming work|resumed watch|resumed read|my resume") && (at = talk_first(t, "resum")) && !is_not_resumed(t, at))
		return at;
	at = clause_says(t, "continue training|continued training|continuing training|training from checkpoint|training from a checkpoint|train from a checkpoint|"
	    "from a specific checkpoint|from a state checkpoint|from an unfinished checkpoint|after restoring from|restoring from a checkpoint|restored from a checkpoint", AHEAD | WORKS, "");
	/* "can I skip them and continue training?" is a wish */
	if (at)
		return !clause_is_question(talk_sentence(t, at)) || talk_any_of(talk_sentence(t, at), "checkpoint") ? at : NULL;
	at = talk_first(t, RESUMES_CHINESE);
	return at && !clause_goes_well_elsewhere(t, at) ? at : NULL;
}

#define RESUME_SETTINGS	"resume_from_checkpoint|resume-from-checkpoint|resume_ckpt|resume-ckpt|resume_path|resume_checkpoint|--resume|resume_from"

/* "--resume_from_checkpoint out/checkpoint-4000" of a command: a file is given, and it is
 * training. */
static const char *
resumes_by_setting(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, RESUME_SETTINGS, &n), *to;

	if (!at || clause_sets_off(t, at) || talk_any_begins(t, "eval test infer valid predict add_argument") || talk_any_phrase(t, "help=|default="))
		return NULL;
	for (to = at + n; to < t.s + t.n && memchr(" =:\"'", *to, 5); to++)
		;
	return to > at + n && to < t.s + t.n && !talk_is_one_of(clause_word_behind(t, to), "auto") && (piece_is_word(*to) || memchr("./$~", *to, 4)) ? at : NULL;
}

/* Where FSDP puts a state dict together, by its own names. */
#define GATHERS		"_full_post_state_dict_hook|_full_pre_state_dict_hook|_state_dict_utils.py|fulloptimstatedictconfig|_optim_state_dict"

/* "When saving the model"; in Chinese 保存, with 时 behind it. */
static const char *
saves(struct talk t)
{
	const char *at = talk_first(t, "\xe4\xbf\x9d\xe5\xad\x98"), *stage = talk_first(t, "checkpoint阶段|存checkpoint|存ckpt|做checkpoint|打checkpoint");

	if (stage && !clause_goes_well_elsewhere(t, stage))
		return stage;
	if (at && talk_any_phrase(talk_head(t, at, SAVED_WITHIN), "\xe6\x97\xb6"))
		return clause_goes_well_elsewhere(t, at) ? NULL : at;
	if (talk_any_whole(t, "steps epochs iterations checkpoint checkpoints") && (at = clause_says(t, "save every|saves every|saving every|save_steps|save_every", AHEAD | WORKS, "")) && !talk_any_phrase(talk_part(t, t.s, at), "--"))
		return at;
	if ((at = clause_says(t, "saving the model|saving a model|saving the checkpoint|saving a checkpoint|saving the weights|saving model weights", AHEAD | WORKS, "after without before instead since until")))
		return at;
	return talk_any_of(t, "model weight checkpoint ckpt state") ? clause_says(t, "when it creates a checkpoint|when creating a checkpoint|when creating checkpoints|while creating a checkpoint|when a checkpoint is|during checkpointing|while checkpointing|when checkpointing|when saving|while saving|during saving|trying to save|tries to save|try to save|"
	    "when i save|when it saves|due to model save|due to saving|because of saving|model checkpointing cause|checkpoint saving|checkpoint serialization|serialization of the checkpoint|serializing the checkpoint|serializing a checkpoint|serializing checkpoints|serializing the model|saving step|get state dict|gets state dict|get the state dict|"
	    "creates a checkpoint|creating a checkpoint|create a checkpoint|writes a checkpoint|writing a checkpoint|write a checkpoint|writing the checkpoint|time to save|checkpointing frequency|checkpoint frequency|"
	    "getting the state dict|get the state_dict|getting the state_dict|to save the model|to save a model|to save the checkpoint|to save a checkpoint|while the model is saved|while the checkpoint is saved",
	    AHEAD | WORKS, "") : NULL;
}

/* Of batches with which it fails the smallest, and one with which it runs; of lengths the first. */
static void
batch_said(struct oom_paste *p, struct talk t, int line, enum oom_source source)
{
	int64_t least;
	const char *at = oom_batch_fails(t, &least);

	if (at && (!p->of_batch.line || least < p->least_batch)) {
		said_at(&p->of_batch, t, at, line);
		p->least_batch = least;
		p->few_in_vain = oom_batch_even_few(t, at, least) ? line : p->few_in_vain;
	} else if (!p->of_batch.line && (source == SOURCE_PROSE || source == SOURCE_UNSURE || source == SOURCE_SETTING) && oom_batch_is_one(t)) {
		p->least_batch = 1;
	}
	if (!at && !p->of_batch.line && (at = oom_batch_few_in_vain(t, &least))) {
		said_at(&p->of_batch, t, at, line);
		p->least_batch = least;
		p->few_in_vain = line;
		if (!p->measures.line[MEASURE(BY_BATCH)])
			p->measures.line[MEASURE(BY_BATCH)] = line;
	}
	if (oom_wording(t, WORDING_FITS) || (at && least > 1 && oom_batch_fewer_run(t, at, least)))
		p->fits = line;
	if (!p->less.line)
		oom_note(&p->less, t, oom_batch_runs(t), line);
	if (!p->of_length.line)
		oom_note(&p->of_length, t, oom_batch_long(t), line);
}

/* What was run before, how often, and what is held of it. */
static void
runs_said(struct oom_paste *p, struct talk t, int line, enum oom_source source)
{
	const char *at;

#define HAPPENS		"it appears|it usually appears|it often appears|it always appears|it only appears|it happens|it usually happens|it often happens|it always happens|it only happens|it mostly happens|it occurs|it usually occurs|it often occurs|it always occurs|it only occurs"

	oom_note_any(&p->again, &p->told, t, line, FOUND_BY(oom_runs_again));
	if (source == SOURCE_PROSE)
		oom_note(&p->again, t, oom_runs_well_once(t), line);
	if (source == SOURCE_PROSE && !p->again.line)
		oom_note(&p->again, t, oom_earlier_held(t), line);
	if (source == SOURCE_PROSE && !p->again.line)
		oom_note(&p->again, t, oom_earlier_first(t), line);
	oom_note(&p->again, t, oom_wording(t, WORDING_BACK), line);
	oom_note(&p->again, t, oom_runs_restarted(t), line);
	if (source == SOURCE_PROSE && !p->again.line && (at = oom_wording(t, WORDING_NO_LONGER))) {
		said_at(&p->again, t, at, line);
		p->ran_earlier = line;
	}
	if ((at = oom_runs_trials(t)) && source == SOURCE_PROSE && (oom_runs_done(t, at) || p->grows.line == line || (p->told.said.line && talk_has_whole(talk_part(t, talk_sentence(t, at).s, at), HAPPENS))))
		said_at(&p->trials, t, at, line);
	else
		oom_note_failure(&p->trials, &p->told, t, at, line);
	if (p->told.here_line == line || p->grows.line == line || (source == SOURCE_PROSE && (p->grows.line || p->told.what) && talk_has_whole(t, BLAMES)))
		oom_note(&p->retains, t, oom_wording(t, WORDING_RETAINS), line);
	if (p->told.here_line == line)
		oom_note(&p->vocabulary, t, oom_runs_words(t), line);
	if (source == SOURCE_PROSE || source == SOURCE_UNSURE)
		oom_note_any(&p->talk, &p->told, t, line, FOUND_BY(oom_runs_talk));
	oom_note_any(&p->first, &p->told, t, line, FOUND_BY(oom_devices_first));
	if (p->first.line != line && p->told.here_line == line)
		oom_note(&p->first, t, oom_devices_first(t), line);
	if (p->first.line == line && source == SOURCE_PROSE && (at = oom_devices_first(t)) && oom_devices_uses(talk_sentence(t, at)))
		oom_told_stays(&p->told, talk_sentence(t, at), line, true);
	if (p->first.line == line)
		p->first_of_ranks = (talk_any_whole(t, "processes rank ranks scripts ddp distributeddataparallel torchrun multiprocessing") || talk_has_whole(t, "each process|every process|each script|every script")) &&
		    !talk_any_whole(t, "dataparallel");
	oom_note_any(&p->unfreezes, &p->told, t, line, WORDED(UNFREEZES));
	if (source != SOURCE_CODE && (at = oom_wording(t, WORDING_STAYS))) {
		said_at(&p->stays, t, at, line);
		oom_told_stays(&p->told, talk_sentence(t, at), line, false);
	}
}

/* What is large, by what only sentences tell: pairs, boxes, losses, and devices that share it. */
static void
sizes_in_sentences(struct oom_paste *p, struct talk t, int line)
{
	const char *at;

	oom_note(&p->pairs, t, oom_bulk_pairs(t), line);
	oom_note(&p->boxes, t, oom_bulk_boxes(t), line);
	if ((at = oom_runs_loss(t)) && (p->told.here_line == line || (p->told.said.line && line - p->told.said.line <= NEAR_FAILURE) ||
	    talk_any_whole(talk_clause(t, at, 1), "memory vram oom")))
		said_at(&p->loss, t, at, line);
	oom_note(&p->penalty, t, oom_wording(t, WORDING_PENALTY), line);
	oom_note(&p->shared, t, oom_devices_shared(t), line);
	oom_note(&p->unused, t, oom_devices_unused(t), line);
	oom_note(&p->single, t, oom_devices_single(t), line);
	oom_note(&p->summed, t, oom_devices_summed(t), line);
	if (p->told.said.line || p->told.here_line)
		oom_note(&p->spare, t, oom_runs_spare(t), line);
	oom_note(&p->peak, t, oom_wording(t, WORDING_PEAK), line);
}

/* With which value of a setting it runs. */
static void
settings_told(struct oom_paste *p, struct talk t, int line)
{
	enum contrast what = CONTRAST_NONE;
	const char *at = oom_contrast_told(t, &what);

	oom_note(what == CONTRAST_OFF ? &p->set_off : what == CONTRAST_ASIDE ? &p->set_aside : what == CONTRAST_NUMBER ? &p->set_number : &p->ended_by, t, at, line);
}

/* A card's size, and that a larger one is asked about. */
static void
card_said(struct oom_paste *p, struct talk t, int line, enum oom_source source)
{
	const char *at;
	int64_t gib;

	if (source != SOURCE_CODE && source != SOURCE_OUTPUT && source != SOURCE_COMMAND && !p->card.line && !talk_any_phrase(t, COMES_TO))
		oom_note(&p->card, t, oom_card_small(t), line);
	if ((source == SOURCE_PROSE || source == SOURCE_UNSURE) && !p->card_gib && (at = oom_card_told(t, &gib))) {
		p->card_gib = gib;
		p->card_told = line;
		said_at(&p->told_card, t, at, line);
	}
	if ((p->card.line == line && oom_card_asked(t)) || (source == SOURCE_PROSE && p->card_gib && oom_card_asks_more(t, p->card_gib)))
		p->card_asked = line;
	if (p->card_asked == line && !p->card.line)
		p->card = p->told_card;		/* of any size it has too little then */
}

/* What was added, and what ended the failure. */
static void
cures_said(struct oom_paste *p, struct talk t, int line)
{
	const char *at;

	oom_note(&p->turned_on, t, oom_cure_added(t), line);
	if ((at = oom_cure_ended(t)) && talk_any_whole(talk_sentence(t, at), "larger bigger higher greater"))
		at = NULL;	/* what was made so took nothing away */
	settings_told(p, t, line);
	oom_note(&p->ended_by, t, at, line);
	if (oom_cure_begins_other(at ? talk_part(t, at, t.s + t.n) : t))
		p->ended_by.line = 0;		/* that was of another failure */
	oom_note(&p->emptied, t, oom_cure_emptied(t), line);
	oom_note(&p->deprecated, t, oom_wording(t, WORDING_DEPRECATED), line);
}

/* "I reduced the batch to 4 (8 does not work) and it worked": what stands in brackets parts no
 * clause. */
static const char *
less_runs(struct talk t)
{
	char to[OOM_TOLD_LINE];
	const char *at = oom_less_runs(t);
	struct talk plain;

	if (at || !memchr(t.s, ')', t.n) || t.n >= OOM_TOLD_LINE)
		return at;
	plain = oom_told_plain(t, to);
	if (!(at = oom_less_runs(plain)))
		at = oom_batch_runs(plain);
	at = at ? oom_told_in_itself(t, plain.s, at) : NULL;
	lexicon_read(t.of, t.s, t.n);
	return at;
}

/* What is large of its data or its network, and what was changed of that. */
static void
sizes_said(struct oom_paste *p, struct talk t, int line, enum oom_source source)
{
	const char *at;
	int64_t absurd;

	oom_note_given(&p->media, &p->told, t, line, oom_bulk_media);
	if (p->told.here_line == line && source == SOURCE_PROSE)	/* "It is only 10 seconds. As expected, it ran out of memory." */
		oom_note(&p->media, t, oom_bulk_lasting(t), line);
	if (p->told.here_line && line - p->told.here_line <= NEAR_FAILURE)
		oom_note(&p->media, t, oom_bulk_film_length(t), line);
	if (source == SOURCE_PROSE && (at = oom_bulk_by_length(t))) {
		oom_note(&p->media, t, at, line);
		p->by_length = line;
	}
	if (!p->lasts.line)
		oom_note(&p->lasts, t, oom_bulk_long(t, source == SOURCE_PROSE), line);
	oom_note_failure(&p->hook, &p->told, t, oom_wording(t, WORDING_HOOK), line);
	at = oom_wording(t, WORDING_MODELS);
	if (at && clause_is_question(talk_sentence(t, at)))
		at = NULL;
	if (source == SOURCE_PROSE && at && talk_any_whole(talk_sentence(t, at), "release free unload concurrently simultaneously simulataneously"))
		oom_note(&p->models, t, at, line);
	else
		oom_note_failure(&p->models, &p->told, t, at, line);
	oom_note_any(&p->classes, &p->told, t, line, FOUND_BY(oom_bulk_classes));
	if (source == SOURCE_PROSE || source == SOURCE_UNSURE)
		sizes_in_sentences(p, t, line);
	oom_note_given(&p->large, &p->told, t, line, oom_pictures_large);
	oom_note_failure(&p->large, &p->told, t, oom_pictures_side(t), line);
	if (p->told.here_line == line && !p->large.line)
		oom_note(&p->large, t, oom_pictures_whole(t), line);
	oom_note_failure(&p->sizes, &p->told, t, oom_pictures_sizes(t), line);
	if (!p->sizes.line)
		oom_note(&p->sizes, t, oom_wording(t, WORDING_FIXED_SIZE), line);
	card_said(p, t, line, source);
	if (talk_any_phrase(t, "再小都|再小也|多小都|多低都|no matter how small|however small|regardless of how small|no matter how low") && (p->told.here_line == line || clause_names_failure(t)))
		p->however = line;
	oom_note(&p->less, t, less_runs(t), line);
	if (source != SOURCE_TRACE && source != SOURCE_OUTPUT && !oom_works_elsewhere(t))
		oom_twin_line(&p->tries, t, line, &p->less);
	if (source == SOURCE_PROSE || source == SOURCE_UNSURE) {
		oom_note(&p->less, t, oom_compare_less(t), line);
		oom_note(&p->more, t, oom_compare_more(t), line);
	}
	if (source == SOURCE_PROSE || source == SOURCE_UNSURE) {
		oom_amount_line(&p->amounts, t, line, &p->less);
		oom_note(&p->outlasts, t, oom_outlasts_line(&p->runs_on, t, line), line);
		p->films = oom_change_films(t) ? line : p->films;
		if (p->films && line - p->films <= NEAR_FAILURE)
			oom_note(&p->less, t, oom_change_media(t), line);
	}
	if ((at = oom_works_workers(t))) {
		said_at(&p->less, t, at, line);
		p->same_size = line;
	}
	if ((at = oom_change_raised(t)) && source == SOURCE_PROSE && oom_change_leads(t, at))
		said_at(&p->raised, t, at, line);
	else
		oom_note_failure(&p->raised, &p->told, t, at, line);
	oom_note(&p->other_data, t, oom_change_data(t), line);
	if (source == SOURCE_PROSE || source == SOURCE_UNSURE)
		cures_said(p, t, line);
	if (source != SOURCE_CODE && source != SOURCE_COMMENT && source != SOURCE_COMMAND)
		batch_said(p, t, line, source);
	if (source == SOURCE_PROSE && (at = oom_array_made(t, &absurd)) && oom_told_is_of_failure(&p->told, t, at, line)) {
		said_at(&p->array, t, at, line);
		p->array_bytes = absurd;
	}
	if (source != SOURCE_CODE && source != SOURCE_TABLE && (at = oom_bulk_absurd(t, &absurd)) && absurd > p->absurd_bytes) {
		said_at(&p->absurd, t, at, line);
		p->absurd_bytes = absurd;
	}
}

/* In which part of a program. */
static void
parts_said(struct oom_paste *p, struct talk t, int line, enum oom_source source)
{
	const char *at;

	oom_note_any(&p->decoder, &p->told, t, line, WORDED(DECODES));
	if ((p->images || p->images_told || talk_has_whole(t, "generating image|generating images|generate image|generate images|generating an image|generate an image|generating a picture|image generation|generating a video|video generation")) && !p->training)
		oom_note(&p->decoder, t, oom_wording(t, WORDING_DRAWS_LAST), line);
	oom_note_failure(&p->second, &p->told, t, oom_wording(t, WORDING_FIRST_RAN), line);
	oom_note_failure(&p->adam, &p->told, t, oom_wording(t, WORDING_ADAM), line);
	oom_note_any(&p->converts, &p->told, t, line, WORDED(CONVERTS));
	if (source != SOURCE_PROSE && talk_any_phrase(t, "begin building engine|building tensorrt engine|building an engine from file|[trt] building engine"))
		said_at(&p->converts, t, t.s, line);
	if (source == SOURCE_PROSE || source == SOURCE_COMMENT)
		oom_note(&p->shapes, t, talk_first(t, "new shape|new length|new sequence length|new input size|new image size|dynamic shape|dynamic input|dynamic axes|dynamic batch|various input shape|various shape|various size|different input shape|different shape|varying shape|"
		    "varying input|variable shape|variable input|shapes vary|shape varies|shapes change|shape changes|changing shape|different sentence length|different sequence length|different input length|batches of different length|sentence lengths|varying length|lengths vary|length varies|variable length"), line);
	oom_note_any(&p->loading, &p->told, t, line, FOUND_BY(loads));
	if (talk_any_whole(t, "load loads loaded loading read reading open opens opening parses parsing deserialize import imports importing"))
		p->reads = line;
	if (talk_any_phrase(t, "-backend=lmdb|--backend=lmdb|backend lmdb|_lmdb|lmdb/|.lmdb|opened lmdb|opened leveldb|_leveldb|leveldb/"))
		p->database = p->reads = line;
	if (talk_any_phrase(t, " sec)| secs)| seconds)| min)| minutes)"))
		p->spent = line;
	oom_note_any(&p->saving, &p->told, t, line, FOUND_BY(saves));
	oom_note_any(&p->draws, &p->told, t, line, WORDED(DRAWS_BESIDE));
	if (!p->saving.line && source == SOURCE_PROSE && p->told.here_line == line)
		oom_note(&p->saving, t, talk_first(t, GATHERS), line);
	oom_note_any(&p->resuming, &p->told, t, line, FOUND_BY(resumes));
	if (!p->resuming.line && talk_any_whole(t, "kill kills killed sigkill"))	/* "it sends Kill when I try to resume" */
		oom_note(&p->resuming, t, resumes(t), line);
	oom_note(&p->one_runs, t, oom_several_not_one(t, source == SOURCE_PROSE && p->several_fail), line);
	if (source == SOURCE_PROSE && oom_several_fail(t))
		p->several_fail = line;
	if (p->told.here_line == line)
		oom_note(&p->counted, t, oom_several_counted(t), line);
	if (source == SOURCE_COMMAND || source == SOURCE_SETTING)
		oom_note(&p->resumed, t, resumes_by_setting(t), line);
	if ((at = oom_devices_parallel(t)) && p->told.here_line == line)		/* "on two it fails. On one it works." */
		said_at(&p->parallel, t, at, line);
	else
		oom_note_failure(&p->parallel, &p->told, t, at, line);
}

/* Whose program it is. */
static void
libraries_said(struct oom_paste *p, struct talk t, int line, enum oom_source source)
{
	if (talk_any_begins(t, "torch pytorch nn.dataparallel") || (source == SOURCE_CODE && !oom_told_names_another(&p->told) && talk_any_of(t, ".backward() .zero_grad( .to(device)")))
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
	oom_when_line(p, t, line);
	oom_use_line(p, t, line, source);
	runs_said(p, t, line, source);
	sizes_said(p, t, line, source);
	oom_count_line(&p->counts, &p->told, t, line, source);
	parts_said(p, t, line, source);
	libraries_said(p, t, line, source);
	oom_blame_line(p, t, line, source);
	oom_pictures_said(p, t, line);
	if (p->less.line == line && oom_works_elsewhere(t))
		p->less.line = 0;	/* the runs differ by what they ran on */
	if (p->less.line == line && p->again.line == line && oom_earlier_first(t))
		p->less.line = 0;	/* the first of several is no smaller than the next */
	if (p->more.line == line && (oom_works_elsewhere(t) || p->less.line == line))
		p->more.line = 0;	/* or of both nothing is told for sure */
}
