/*
 * A person who reports a failure often tells its cause without knowing it: "it caches the data in
 * RAM", "with the older version it works", "all embeddings are stored on the GPU". Each of these is
 * found where no word beside it says the contrary.
 */
#include "oom/oom_blame.h"

#include <stddef.h>
#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_told.h"

/* What lies on a device by its nature, or is wished to. */
#define LIES_THERE	"model models weights parameters params optimizer network adapter lora file files checkpoint should would could want wants please instead how can cannot why"

/* "all embeddings are stored on the GPU": of what a run makes or is given, not of a network. */
static const char *
kept_on_device(struct talk t)
{
	const char *at = talk_any_of(t, "gpu vram cuda device") ? clause_says(t, "stored on gpu|stored on the gpu|stored in gpu memory|stored in the gpu memory|stored in vram|stored on cuda|kept on gpu|kept on the gpu|"
	    "kept in gpu memory|kept in vram|saved on gpu|saved on the gpu|held on the gpu|held in gpu memory|stay on the gpu|stays on the gpu|accumulated on the gpu|accumulates on the gpu|accumulate on the gpu|collected on the gpu|"
	    "stored on the device|kept on the device", AHEAD | WORKS, LIES_THERE) : NULL;

	return at && !clause_is_question(talk_sentence(t, at)) && !talk_any_whole(talk_clause(t, at, 1), "empty cached") ? at : NULL;
}

/* "1.11", "v0.6.4", "2.x": at least one dot between digits, within T. */
static bool
has_version(struct talk t)
{
	const char *s, *end = t.s + t.n;

	for (s = t.s; s + 2 < end; s++)
		if (is_digit(s[0]) && s[1] == '.' && (is_digit(s[2]) || lower(s[2]) == 'x') && (s == t.s || !is_digit(s[-1])))
			return true;
	return false;
}

#define RELEASES	"version versions release releases commit commits latest newest older newer nightly branch torch pytorch tensorflow tf keras transformers cuda driver drivers cudnn jax diffusers library package"
#define HARDWARE	"gpu gpus card cards ram hardware plan colab machine windows bios disk ssd pc memory vram"
#define VERSION_WITHIN	12	/* bytes from a program's name to the end of its version's first numbers: " version 1.4" is more than most */
#define UPGRADED_WITHIN	20	/* bytes from "after upgrading" to what is */
#define GONE		"disappeared disappears gone solved resolved fixed works worked working fine runs ran ok okay helped"
#define STILL		"still same either neither too also nothing again"

/* Does a sentence say that something failed, and not that it did before? */
static bool
fails_there(struct talk sentence)
{
	return (oom_told_fails(sentence) || clause_names_failure(sentence)) && !talk_any_whole(sentence, STILL);
}

/* "After I downgraded to 2.7 it was gone." */
static const char *
went_back(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, "downgrading|downgraded|downgrade|rolling back to|rolled back to|reverting to|reverted to|going back to|went back to", &n);
	struct talk sentence = at ? talk_sentence(t, at) : t;

	if (!at || !talk_any_whole(sentence, GONE) || talk_any_whole(sentence, STILL " not try should could would may might if") || talk_any_phrase(sentence, "n't ") || clause_is_question(sentence))
		return NULL;
	return has_version(sentence) || talk_any_whole(sentence, RELEASES) ? at : NULL;
}

/* "Since I upgraded to 2.8 it is out of memory." */
static const char *
came_with(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, "after upgrading|after updating|since upgrading|since updating|after the upgrade|after the update|since the upgrade|since the update|after i upgraded|after i updated|since i upgraded|since i updated|"
	    "after an upgrade|after an update|when upgrading|when updating|when i upgraded|when i updated|when i upgrade|upgrading to|with the new version|with the latest version|with the newer version|in the new version|in the latest version", &n);
	struct talk sentence = at ? talk_sentence(t, at) : t;

	if (!at || !fails_there(sentence) || talk_any_whole(talk_head(t, at + n, UPGRADED_WITHIN), HARDWARE) || talk_any_whole(talk_part(t, sentence.s, at), "even before was had fixed") || memchr(sentence.s, '?', sentence.n))
		return NULL;
	return has_version(sentence) || talk_any_whole(sentence, RELEASES) ? at : NULL;
}

#define FINE		"no prob|no problem|without problem|without issue|without any problem|without any issue|without error"
#define PROGRAMS	RELEASES " chainer cupy mxnet paddle paddlepaddle onnxruntime ort xgboost lightgbm jaxlib vllm theano julia flux tensorrt opencv python python2 python3"

/* "Scripts run fine for Chainer==4.5", "it works with version 2.1": a version, by its name, behind
 * what works; a bare number may be any setting's. */
static const char *
works_with_version(struct talk t)
{
	const char *at, *to, *end = t.s + t.n;
	struct talk rest, sentence, behind, word;
	size_t n;

	for (rest = t; (at = talk_find_whole(rest, "works|work|worked|working|fine|ok|okay|" FINE, &n)); rest = talk_part(t, at + n, end)) {
		sentence = talk_sentence(t, at);
		behind = talk_part(t, at + n, sentence.s + sentence.n);
		if (clause_says_no(talk_part(t, sentence.s, at), "") || clause_is_question(sentence) || talk_any_whole(sentence, "still either neither too also nothing again should would could might may if needs requires tested inference prediction predictions predicting evaluation evaluating cpu") ||
		    talk_has_whole(sentence, "same version|same versions"))
			continue;
		word = clause_word_behind(behind, behind.s);
		if (!talk_is_one_of(word, "with on in for using under"))
			continue;
		to = word.s + word.n;
		for (word = clause_word_behind(behind, to); talk_is_one_of(word, "the a my old older previous earlier"); word = clause_word_behind(behind, to))
			to = word.s + word.n;
		if (talk_is_one_of(word, PROGRAMS) && has_version(talk_head(behind, word.s + word.n, VERSION_WITHIN)))
			return at;
	}
	return NULL;
}

/* "OOM with 0.6.4, but 0.6.3 is working": two versions in one sentence. */
static const char *
one_of_two(struct talk t)
{
	const char *s, *end = t.s + t.n, *first = NULL;
	struct talk sentence;
	int versions = 0;

	for (s = t.s; s + 2 < end; s++) {
		if (!is_digit(*s) || (s > t.s && (is_digit(s[-1]) || s[-1] == '.')) || !has_version(talk_head(t, s, 4)))
			continue;
		sentence = talk_sentence(t, s);
		first = first && first >= sentence.s ? first : s;
		versions = first == s ? 1 : versions + 1;
		if (versions > 1 && (clause_works(sentence) || talk_any_whole(sentence, "runs run")) && oom_told_fails(sentence) && talk_any_whole(sentence, "but while whereas however though") &&
		    (talk_any_whole(sentence, RELEASES) || talk_any_phrase(sentence, "post|rc")) && !talk_any_whole(sentence, "gb gib mb mib still neither") && !memchr(sentence.s, '?', sentence.n))
			return first;
		while (s + 1 < end && (is_digit(s[1]) || s[1] == '.'))
			s++;
	}
	return NULL;
}

/* "transformers>=4.46.0 resolved this issue" */
static const char *
mended_by(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, "resolved this issue|resolved the issue|resolves this issue|resolves the issue|solved this issue|solved the issue|solves the issue|solves this issue|fixed this issue|fixed the issue|fixes the issue|"
	    "fixes this issue|resolved the problem|solved the problem|solves the problem|fixed the problem|fixes the problem|solves it|solved it|fixes it|fixed it|resolves it|resolved it", &n);
	struct talk sentence = at ? talk_sentence(t, at) : t, ahead = at ? talk_part(t, sentence.s, at) : t;

	return at && has_version(ahead) && talk_any_whole(ahead, RELEASES) && !talk_any_whole(sentence, STILL " not never should would could might may if has until") && !clause_is_question(sentence) ? at : NULL;
}

static const char *
of_version(struct talk t)
{
	const char *at = went_back(t);

	at = at ? at : mended_by(t);
	at = at ? at : came_with(t);
	at = at ? at : works_with_version(t);
	return at ? at : one_of_two(t);
}

/* "it caches the whole data set in RAM", "with cache=True" */
static const char *
caches_data(struct talk t)
{
	const char *at = talk_any_of(t, "cache caching cached ram") ? clause_says(t, "cache the dataset|cache the data|cache the whole|cache the entire|cache the images|cache the training|cache images|cache all|cache both|caches the data|caches the image|caches the whole|caches the entire|"
	    "caches all|caching the data|caching the image|caching the whole|caching images|caching all|dataset caching|data.cache()|dataset.cache()|ds.cache()|cache=true|cache=ram|cache='ram'|--cache ram|--cache argument|--cache flag|cached in ram|"
	    "cached in memory|cache in ram|ram caching|images in ram|dataset in ram|whole dataset in memory|entire dataset in memory", AHEAD, "disabled disable off latents kv") : NULL;

	return at && !talk_any_phrase(t, "empty_cache|cache_dir|use_cache|cache-dir|hf_home") ? at : NULL;
}

/* Rays that are followed through a scene. */
static const char *
follows_rays(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, "nerf|nerfs|nerfacto|radiance field|radiance fields|novel view|novel views|rays per batch|volume rendering|ray marching|n_importance|netchunk", &n);

	/* of what begins with an n the beginning of the word is not looked at */
	return at && (at == t.s || !piece_is_word(at[-1])) && !talk_any_whole(t, "splatting gaussians gaussian x-ray x-rays") ? at : NULL;
}

#define OF_PARTS	"batch batchsize batch_size image images picture pictures photo photos resolution size sizes crop patch patches frames length points width height samples input inputs sequence tokens pixels pixel px"

/* "If I change the batch to 1, it works": what was changed, and by that alone. */
static const char *
works_changed(struct talk t)
{
	size_t n, length;
	const char *at, *end = t.s + t.n, *works;
	struct talk rest, sentence, ahead;

	for (rest = t; (at = talk_find_whole(rest, "change|changed|changing|set|setting|reduce|reduced|reducing|resize|resized|resizing|lower|lowered|decrease|decreased|crop|cropped|shrink|use|used|using|downscale|downscaled", &n)); rest = talk_part(t, at + n, end)) {
		sentence = talk_sentence(t, at);
		works = talk_find_whole(talk_part(t, at + n, sentence.s + sentence.n), "it works|it worked|then works|works now|worked now|works then|it runs|it ran|it can run|then it works|there is no error|no error|no problem|works fine|works well", &length);
		if (!works)
			continue;
		ahead = talk_part(t, at + n, works);
		if (talk_any_whole(talk_part(t, works + length, sentence.s + sentence.n), "then again until after epoch"))
			continue;		/* for a time */
		if (talk_any_whole(ahead, OF_PARTS) && !talk_any_whole(sentence, "still never should would could might try hope please whether instead") && !talk_any_phrase(sentence, "n't |not work|even if|even when") &&
		    !memchr(sentence.s, '?', sentence.n) && !clause_says_no(talk_part(t, sentence.s, at), "") && !oom_told_fails(talk_part(t, at, works)))
			return at;
	}
	return NULL;
}

#define DEVICES		"gpu gpus card cards machine server laptop colab a100 v100 h100 3090 4090 cpu computer pc windows linux ubuntu a6000 a5000 a4000 a40 a30 a10 a10g l4 l40 l40s t4 p100 h200 b200 gh200 " \
    "rtx gtx tesla titan quadro 1080ti 2080ti 3060 3070 3080 4070 4080 5090 kaggle tpu mac workstation desktop"
#define SIZES		"batch size|batch_size|batch-size|batchsize|--batch|--batch-size|bs|image size|image_size|img_size|imgsz|--img-size|crop size|crop_size|patch size|patch_size|max_length|max_seq_length|seq_len|sequence length"
#define OTHERWISE	"still even should would could might try hope please whether instead before previously earlier old older same first until then only long loss accuracy paper expected all but and as once when later "	\
    "validation evaluation validating test tests testing inference"

/* "With batch_size=16 it works.", "It runs with an image size of 256." */
static const char *
works_with(struct talk t)
{
	const char *at, *s, *end = t.s + t.n, *word;
	struct talk rest, sentence;
	size_t n, length;

	for (rest = t; (at = talk_find_whole(rest, SIZES, &n)); rest = talk_part(t, at + n, end)) {
		sentence = talk_sentence(t, at);
		for (s = at + n; s < end && strchr(" =:", *s); s++)
			;
		if (end - s > 3 && (memcmp(s, "of ", 3) == 0 || memcmp(s, "to ", 3) == 0))
			s += 3;
		word = talk_find_whole(talk_part(t, sentence.s, at), "with|using|at", &length);
		if (s == end || !is_digit(*s) || !word || !(clause_works(sentence) || talk_has_whole(sentence, "it runs|it ran|runs with|ran with|runs well")))
			continue;
		if (!talk_any_whole(sentence, OTHERWISE " " DEVICES) && !talk_any_phrase(sentence, "n't |not work|not run|cannot") && !clause_says_no(sentence, "") &&
		    !memchr(sentence.s, '?', sentence.n) && !oom_told_fails(sentence))
			return at;
	}
	return NULL;
}

#define UNTIL		"until i add|until i added|until i enable|until i enabled|until i use|until i used|until i turn on|until i turned on|before i add|before i added|before i enable|before i enabled"
#define WITHOUT_IT	"without it|without that|without this"

/* "Training works until I add that loss.", "With it it runs out of memory, without it works." */
static const char *
works_without(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, UNTIL, &n), *end;
	struct talk sentence = at ? talk_sentence(t, at) : t;

	if (at && clause_works(talk_part(t, sentence.s, at)) && !memchr(sentence.s, '?', sentence.n))
		return at;
	if (!(at = talk_find_whole(t, WITHOUT_IT, &n)))
		return NULL;
	sentence = talk_sentence(t, at);
	end = sentence.s + sentence.n;
	return oom_told_fails(talk_part(t, sentence.s, at)) && clause_works(talk_part(t, at + n, end)) && !talk_any_whole(talk_part(t, at + n, end), "also too still not even") &&
	    !memchr(sentence.s, '?', sentence.n) ? at : NULL;
}

#define NOT_THEN	"does not occur|doesn't occur|does not happen|doesn't happen|does not appear|doesn't appear|not occur|no error occurs|goes away|go away|disappears|is gone|does not fail|doesn't fail|does not crash|doesn't crash"

/* "The error does not occur when I resize to 512." */
static const char *
not_with_less(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, NOT_THEN, &n);
	struct talk sentence = at ? talk_sentence(t, at) : t, behind = at ? talk_part(t, at + n, sentence.s + sentence.n) : t;

	return at && talk_any_whole(behind, "when if with for once") && talk_any_whole(behind, OF_PARTS) && !talk_any_whole(sentence, "still even should would could might increase increased larger bigger whether") &&
	    !memchr(sentence.s, '?', sentence.n) ? at : NULL;
}

#define OF_MEMORY	"0gb|1gb|2gb|4gb|6gb|8gb|0 gb|1 gb|2 gb|4 gb|6 gb|8 gb"	/* what a device has, as people count it */

/* "The same script works well with the smaller model." */
static const char *
same_works(struct talk t)
{
	size_t n, length;
	const char *at = talk_find_whole(t, "same script|same code|same config|same configuration|same command|same settings|same setting|same setup|same parameters|same notebook", &n), *with;
	struct talk clause = at ? talk_clause(t, at, n) : t;

	if (!at || !clause_works(clause) || memchr(talk_sentence(t, at).s, '?', talk_sentence(t, at).n) || talk_any_whole(clause, DEVICES) || talk_any_phrase(clause, OF_MEMORY) ||
	    talk_any_phrase(talk_part(t, clause.s, at), "not |n't "))
		return NULL;
	with = talk_find_whole(talk_part(t, at + n, clause.s + clause.n), "with|for|on", &length);
	return with && !talk_is_one_of(clause_word_behind(clause, with + length), "no any all me my") ? at : NULL;
}

#define FEWER		"short shorter small smaller fewer few brief"
#define MORE		"long longer large larger big bigger minutes hours length"

/* "It works on short clips, but with one of five minutes it crashes." */
static const char *
shorter_work(struct talk t)
{
	size_t n, length;
	const char *at, *but, *end = t.s + t.n;
	struct talk rest, sentence, ahead, behind;

	for (rest = t; (at = talk_find_whole(rest, "work|works|worked|working|runs|ran|fine", &n)); rest = talk_part(t, at + n, end)) {
		sentence = talk_sentence(t, at);
		if (!(but = talk_find_whole(talk_part(t, at + n, sentence.s + sentence.n), "but|however|while|whereas", &length)))
			continue;
		ahead = talk_part(t, sentence.s, but);
		behind = talk_part(t, but, sentence.s + sentence.n);
		if (talk_any_whole(ahead, FEWER) && !talk_any_whole(ahead, MORE " time batch card gpu memory") && talk_any_whole(behind, MORE) && !talk_any_whole(behind, FEWER " time takes slow") && !talk_any_phrase(behind, "as long as|no longer") &&
		    (oom_told_fails(behind) || clause_names_failure(behind)) && !clause_says_no(ahead, "") && !memchr(sentence.s, '?', sentence.n))
			return at;
	}
	return NULL;
}

#define LEARNS_TO_LEARN	"maml|second-order maml|create_graph=true|create_graph = true|second-order gradient|second-order gradients|second order gradient|second order gradients|second-order derivatives|second order derivatives|" \
    "gradients of gradients|meta-gradient|meta-gradients|meta gradients|higher-order gradients"

/* Learning through steps of learning, by its method's name or what it asks autograd for. */
static const char *
learns_to_learn(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, LEARNS_TO_LEARN, &n);

	return at && !talk_any_whole(talk_part(t, talk_clause(t, at, n).s, at), "no without not instead unlike") && !talk_any_whole(t, "penalty gan wgan physics pinn pinns hessian") && !talk_is_one_of(clause_word_ahead(t, at), "first-order order approximate") ? at : NULL;
}

/* "MemoryError when I try to save the features" */
static const char *
saves_results(struct talk t)
{
	const char *at = talk_any_of(t, "save saving saved write writing") ? clause_says(t, "save the features|save the embedding|save the result|save the prediction|save the output|save all|saving the features|saving the embedding|saving the result|saving the prediction|saving features|"
	    "saving results|saving embeddings|saving all|writing the features|writing the results", AHEAD | WORKS, "model weights checkpoint gpu vram") : NULL;

	return at && !talk_any_whole(t, "model checkpoint weights") ? at : NULL;
}

/* vLLM, or the settings that are its own. */
static const char *
serves(struct talk t)
{
	size_t n;

	return talk_find_whole(t, "gpu_memory_utilization|gpu-memory-utilization|--gpu-memory-utilization|max_model_len|max-model-len|--max-model-len|vllm serve|vllm", &n);
}

#define NO_DEVICE	"not cuda oom|not a cuda oom|not gpu oom|not a gpu oom|not cuda out of memory|not the gpu memory|not gpu memory|not the gpu's memory|not vram|isn't cuda oom"

/* "It is no CUDA OOM", "the OOM is not CUDA's": whose memory it was, told by whose it was not. */
static void
denies_device(struct oom_paste *p, struct talk t)
{
	if (!talk_has_whole(t, NO_DEVICE) || !p->told.what || memchr(t.s, '?', t.n))
		return;
	p->told.host = true;
	p->told.device = false;
}

#define EACH_PROCESS	"each process|every process|each rank|every rank|each gpu|every gpu|each worker|every worker|all processes|per process|per rank|each replica|to other processes|to the other processes|to the processes"

/* "Each process gets a replica of the data", "loads all of the data": as many of them as
 * processes. */
static const char *
copies_data(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, EACH_PROCESS, &n);
	struct talk sentence = at ? talk_sentence(t, at) : t;

	if (!at || !talk_any_whole(sentence, "data dataset datasets features corpus embeddings") || memchr(sentence.s, '?', sentence.n))
		return NULL;
	if (talk_any_whole(sentence, "not no without instead avoid avoids once shared loader loaders part parts shard shards subset portion chunk slice map maps mapped"))
		return NULL;
	return talk_any_whole(sentence, "copy copies copying pickling replica replicas replicated duplicated duplicate duplicates") ||
	    (talk_any_whole(sentence, "loads reads holds keeps has own") && talk_any_whole(sentence, "whole entire full all complete")) ? at : NULL;
}

#define ONLY_LONG	"long videos only|long files only|long texts only|long sequences only|long inputs only|only long videos|only with long videos|only with long texts|only with long inputs|" \
    "only with long sequences|only with long files|only on long videos|only on long sequences|only on long inputs|only for long videos|only for long sequences|only for long inputs"

/* "Long videos only", of what fails. */
static const char *
only_long(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, ONLY_LONG, &n);
	struct talk clause = at ? talk_clause(t, at, n) : t;

	return at && !talk_any_whole(talk_part(t, clause.s, at), "not no also too works work runs fine good") && !talk_has_whole(clause, "n't") ? at : NULL;
}

/* "4k videos" may be four thousand of them. */
#define OF_FRAMES	"is 4k|is 8k|are 4k|are 8k|in 4k|in 8k|at 4k|at 8k|4k resolution|8k resolution|1080p|1440p|2160p"

/* "The resolution of my video is 4k." */
static const char *
own_resolution(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, OF_FRAMES, &n);
	struct talk sentence = at ? talk_sentence(t, at) : t;

	return at && talk_any_whole(sentence, "my our this resolution input inputs") && talk_any_whole(sentence, "video videos image images frames pictures photos clip clips") &&
	    !talk_any_whole(sentence, "screen monitor display desktop if could would should want even or lower") && !memchr(sentence.s, '?', sentence.n) && !clause_works(sentence) ? at : NULL;
}

#define NO_GRADIENTS	"no no_grad|not no_grad|no torch.no_grad|not torch.no_grad|without torch.no_grad|without no_grad|without with torch.no_grad|missing torch.no_grad|missing no_grad|missing the no_grad|lacks torch.no_grad|lacks no_grad|" \
    "forgot torch.no_grad|forgot no_grad|forgot to use torch.no_grad|forgot to add torch.no_grad|not in torch.no_grad|not under torch.no_grad|not wrapped in torch.no_grad|not wrapped by torch.no_grad|not wrapped with torch.no_grad|" \
    "should be wrapped in torch.no_grad|should be in torch.no_grad"

/* "There is no no_grad around the inference script." */
static const char *
records_gradients(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, NO_GRADIENTS, &n);
	struct talk sentence = at ? talk_sentence(t, at) : t;

	return at && !talk_any_whole(talk_part(sentence, sentence.s, at), "even if") && !clause_works(sentence) && !memchr(sentence.s, '?', sentence.n) ? at : NULL;
}

#define DIFFERENCE	"only difference|the difference is|difference is only|differ only|differs only"

/* "The only difference between the sample video and mine is their duration." */
static const char *
differs_in(struct talk t, const char *words)
{
	size_t n;
	const char *at = talk_find_whole(t, DIFFERENCE, &n);
	struct talk sentence = at ? talk_sentence(t, at) : t;

	return at && talk_any_whole(talk_part(sentence, at, sentence.s + sentence.n), words) && !talk_any_whole(sentence, "not no same gpu gpus card cards machine version versions") && !memchr(sentence.s, '?', sentence.n) ? at : NULL;
}

#define TOO_LARGE_FOR	"too big for my gpu|too large for my gpu|too big for the gpu|too large for the gpu|too big for my card|too large for my card|too big for gpu|too large for gpu"

/* "The frames might be too big for my GPU." */
static const char *
pictures_too_large(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, TOO_LARGE_FOR, &n);
	struct talk clause = at ? talk_clause(t, at, n) : t;

	return at && talk_any_whole(talk_part(clause, clause.s, at), "frame frames image images picture pictures photo photos resolution pixels crop crops tile tiles") &&
	    !talk_any_whole(clause, "not no model network batch than if") && !talk_has_whole(clause, "n't") && !memchr(clause.s, '?', clause.n) ? at : NULL;
}

/* "I can go up to 800px. With more it is out of memory.": two sentences of one line. */
static const char *
goes_up_to(struct talk t)
{
	const char *at = NULL, *s, *end = t.s + t.n;
	struct talk sentence, rest;
	size_t n;

	while (talk_next_phrase(t, "up to ", &at, &n)) {
		sentence = talk_sentence(t, at);
		for (s = at + n; s < end && is_digit(*s); s++)
			;
		if (s == at + n || s == end || !talk_is_one_of(clause_word_behind(t, s), "px pixels pixel frames tokens samples nodes points images pictures"))
			continue;
		rest = talk_part(t, sentence.s + sentence.n, end);
		if (talk_any_whole(talk_part(sentence, sentence.s, at), "can could works work trouble problem fine runs") && !talk_any_whole(talk_part(sentence, sentence.s, at), "cannot can't not should") &&
		    talk_any_whole(rest, "higher larger bigger more above beyond longer anything") && oom_told_fails(rest))
			return at;
	}
	return NULL;
}

#define LEAST_MACHINE	8	/* GB that a small machine has at most */
#define BOARDS		"raspberry pi|raspberrypi|rpi|pi 3|pi 4|pi zero|orange pi|odroid|nvidia nano|t2.micro|t2.small|t3.micro|e2-micro|f1-micro"

/* "on a VM with 4GB of memory", "on a Raspberry Pi": a machine that has little. */
static const char *
small_machine(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, BOARDS, &n), *s, *to, *end;
	struct talk sentence;
	int64_t count;

	if (at && !talk_any_whole(talk_sentence(t, at), "not no than like unlike instead such should would could") && !memchr(talk_sentence(t, at).s, '?', talk_sentence(t, at).n))
		return at;
	if (!(at = talk_find_whole(t, "vm|vps|virtual machine|droplet|my laptop|my pc|my computer|my machine|this machine|my server", &n)))
		return NULL;
	sentence = talk_sentence(t, at);
	if (talk_any_whole(sentence, "gpu vram card graphics if should would not no swap disk storage ssd need needs") || memchr(sentence.s, '?', sentence.n))
		return NULL;
	for (s = sentence.s, end = sentence.s + sentence.n; s < end; s++) {
		if (!is_digit(*s) || (s > sentence.s && (piece_is_word(s[-1]) || s[-1] == '.')) || !(to = piece_number(s, end, &count)))
			continue;
		if (count >= 1 && count <= LEAST_MACHINE && talk_is_one_of(clause_word_behind(t, to), "gb gib g gigs") && talk_any_whole(talk_part(sentence, to, end), "ram memory"))
			return at;
		s = to - 1;
	}
	return NULL;
}

#define MORE_SWAP	"increased the swap|increasing the swap|increased my swap|increasing my swap|increased swap|increasing swap|added swap|added a swap|adding swap|adding a swap|created a swap|creating a swap|larger swap|bigger swap|more swap|" \
    "increased the page file|increasing the page file|increased the pagefile|increasing the pagefile|increased my page file|larger page file|increased virtual memory|increased the virtual memory|increasing the virtual memory"

/* "I increased the swap. Now it is loaded." */
static const char *
swap_helped(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, MORE_SWAP, &n);
	struct talk sentence = at ? talk_sentence(t, at) : t, next = talk_sentence(t, sentence.s + sentence.n + 2 < t.s + t.n ? sentence.s + sentence.n + 2 : t.s + t.n - 1);
	struct talk rest = at ? talk_part(t, at + n, next.s + next.n > at + n ? next.s + next.n : t.s + t.n) : t;

	return at && (clause_works(rest) || talk_any_whole(rest, "loaded solved helped fixed trick")) && !talk_any_whole(talk_part(t, talk_sentence(t, at).s, at), "if should would could try not") &&
	    !talk_any_whole(rest, "still not never") && !talk_has_whole(rest, "n't work|n't help|n't solve|n't fix") ? at : NULL;
}

#define PROCESSES	"dependent on the number of processes|depends on the number of processes|number of processes per gpu|processes share the gpu|processes share one gpu|processes on the same gpu|processes on one gpu|processes on a single gpu|" \
    "certain number of processes|reducing the number of processes|reduced the number of processes|fewer processes|less processes|too many processes|number of parallel processes|number of running jobs"

/* "It depends on the number of processes": all of which use the device. */
static const char *
shares_device(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, PROCESSES, &n);
	struct talk sentence = at ? talk_sentence(t, at) : t;

	return at && !talk_any_whole(sentence, "not no dataloader loader worker workers num_workers") && !talk_has_whole(sentence, "n't") && !memchr(sentence.s, '?', sentence.n) ? at : NULL;
}

static const char *
differs_in_length(struct talk t)
{
	return differs_in(t, "duration length durations lengths frames longer");
}

static const char *
differs_in_pixels(struct talk t)
{
	return differs_in(t, "resolution resolutions pixels");
}

/* What is said, and where that is kept: the first of each. */
static const struct {
	size_t at;	/* in struct oom_paste: a struct said */
	const char *(*find)(struct talk);
} blames[] = {
	{ offsetof(struct oom_paste, kept), kept_on_device },
	{ offsetof(struct oom_paste, version), of_version },
	{ offsetof(struct oom_paste, cached), caches_data },
	{ offsetof(struct oom_paste, rays), follows_rays },
	{ offsetof(struct oom_paste, replicas), copies_data },
	{ offsetof(struct oom_paste, ungraded), records_gradients },
	{ offsetof(struct oom_paste, processes), shares_device },
	{ offsetof(struct oom_paste, media), only_long },
	{ offsetof(struct oom_paste, media), differs_in_length },
	{ offsetof(struct oom_paste, large), own_resolution },
	{ offsetof(struct oom_paste, large), differs_in_pixels },
	{ offsetof(struct oom_paste, large), pictures_too_large },
	{ offsetof(struct oom_paste, less), works_changed },
	{ offsetof(struct oom_paste, less), works_with },
	{ offsetof(struct oom_paste, less), works_without },
	{ offsetof(struct oom_paste, less), not_with_less },
	{ offsetof(struct oom_paste, less), same_works },
	{ offsetof(struct oom_paste, less), shorter_work },
	{ offsetof(struct oom_paste, less), goes_up_to },
	{ offsetof(struct oom_paste, swapped), swap_helped },
	{ offsetof(struct oom_paste, small), small_machine },
	{ offsetof(struct oom_paste, tasks), learns_to_learn },
};

static void
note(struct said *said, struct talk t, const char *at, int line)
{
	if (at)
		said_at(said, t, at, line);
}

void
oom_blame_line(struct oom_paste *p, struct talk t, int line, enum oom_source source)
{
	const char *at;
	size_t i, n;

	if (!p->kubernetes && (at = talk_find_whole(t, "kubernetes|kubectl|k8s|kube|kubelet|kubeflow|gke", &n)) && !clause_says_no(talk_sentence(t, at), "") &&
	    !clause_is_question(talk_sentence(t, at)))
		p->kubernetes = line;
	if (talk_any_phrase(t, "docker") && talk_any_phrase(t, "exited with code 137") && !p->docker)
		p->docker = line;		/* a container's name, as Compose writes it */
	if (source != SOURCE_PROSE && source != SOURCE_UNSURE && source != SOURCE_COMMENT)
		return;
	for (i = 0; i < sizeof(blames) / sizeof(*blames); i++) {
		struct said *said = (struct said *)((char *)p + blames[i].at);

		if (!said->line)
			note(said, t, blames[i].find(t), line);
	}
	denies_device(p, t);
	if (!p->saved.line && (at = saves_results(t)) && oom_told_is_of_failure(&p->told, t, at, line))
		said_at(&p->saved, t, at, line);
	if (!p->server.line && !p->training)
		note(&p->server, t, serves(t), line);
	if (talk_any_whole(t, "docker dockerfile docker-compose") && !clause_says_no(talk_sentence(t, t.s), "") && !clause_is_question(talk_sentence(t, t.s)))
		p->docker = p->docker ? p->docker : line;
}
