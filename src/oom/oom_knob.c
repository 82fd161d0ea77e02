/* Most names are of one library, or mean the same in several; the others need a word beside
 * them. */
#include "oom/oom_knob.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_habit.h"
#include "oom/oom_measures.h"

#define OF_WARNING	"input length|input_length|input_ids|input_ids length|deprecated|model-agnostic|truncation|please consider|will be |has been set|has no effect"
#define NO_USE		"n't work|not work|never work|no effect|no difference|not supported|unsupported|useless|no use|不起作用|没有用|没用|不支持|无效|không có tác dụng|funktioniert nicht|no funciona|ne marche pas|не работает|не помогает"
#define NEAR_EQUALS	3	/* bytes from a name to its number */

static const struct {
	const char *names;	/* strokes part them; what stands around one within a word is of the name, too */
	const char *whole;	/* words with which these may be part of a longer one; NULL: they are not */
	const char *beside;	/* a word that begins so has to be in the line; NULL: none has to */
	const char *unless;	/* nor may one that begins so; NULL: any may */
	bool traced, told;	/* in a traceback, too; nowhere but in a sentence */
	bool many;		/* with a number above 1, and a sentence has to be of memory */
} knobs[KNOBS] = {
	[KNOB_POINTS] = { "points_per_side|points-per-side|points_per_batch", "sam num", NULL, NULL, true, false },
	[KNOB_PIXELS] = { "max_pixels|video_max_pixels|image_max_pixels|image_max_token_num|video_max_token_num", NULL, NULL, NULL, false, false },
	[KNOB_PARTS] = { "n_tiles", NULL, NULL, NULL, true, false },
	[KNOB_TILE] = { "--tile|--tile_size|--tile-size|tile_size|tile size", NULL, "image picture photo upscal resolution esrgan swinir vae decod wsi slide raster", NULL, false, false },
	[KNOB_RAYS] = { "num_rays|num_rays_per_batch|rays_per_chunk|num_rays_per_chunk|rays_per_batch|num_samples_per_ray", "train eval per batch chunk max", NULL, NULL, false, false },
	[KNOB_VOXEL] = { "voxel_size|voxel-size|voxelsize|voxel size|leaf_size|voxel_length", NULL, NULL, NULL, false, false },
	[KNOB_CLOUD] = { "max_points|num_points|n_points|max_num_points|max_voxels|max_number_of_voxels", "training", NULL, NULL, false, false },
	[KNOB_PIECE] = { "--segment|chunk_length_s|segment_length|segment_duration|chunk_duration", NULL, "audio track song record wav mp3 speech demucs whisper stem", NULL, false, false },
	[KNOB_TOKENS] = { "max-tokens|max_tokens|batch-bins|batch_bins|max_batch_tokens", "train dataset", "fairseq espnet wav2vec speech utterance oom memory audio sentence second", "temperature messages prompt completion samplingparams sampling_params openai", false, false },
	[KNOB_LASTS] = { "max-duration|max_duration|max_duration_s|max_audio_length|max_audio_len|max_wav_length|max_duration_in_seconds|max_input_length_in_sec|max_speech_length", NULL, NULL, NULL, true, false },
	[KNOB_RETURNS] = { "num_return_sequences|num_beams", NULL, NULL, NULL, false, false, true },
	[KNOB_CONTEXT] = { "num_ctx|n_ctx|ollama_context_length|ollama_num_parallel|--ctx-size|--ctx_size|ctx-size", NULL, NULL, NULL, false, false },
	[KNOB_SPLIT] = { "--gpu-split|--gpu_split|gpu-split|gpu_split", NULL, NULL, NULL, false, false },
	[KNOB_PRESERVED] = { "preserved memory|gpu_memory_preservation", "gpu", NULL, NULL, false, false },
	[KNOB_DPO] = { "dpo", "trainer train training config lora qlora full sft stage type rlhf run script llama llama3 qwen", NULL, "orpo simpo cpo without instead", false, false },
	[KNOB_ACTORS] = { "actor_model_name_or_path|critic_model_name_or_path|actor_model_path|critic_model_path|actor_zero_stage|critic_zero_stage|ref_num_gpus_per_node|critic_num_gpus_per_node|actor_num_gpus_per_node|actor_rollout_ref|reward_pretrain|critic_pretrain",
	    NULL, NULL, NULL, false, false },
	[KNOB_THREADS] = { "execution_threads|--execution-threads|execution_thread_count|--execution-thread-count", NULL, NULL, NULL, false, false, true },
	[KNOB_ADAPTERS] = { "enable_lora|enable-lora|--enable-lora|max_loras|max-loras|--max-loras|max_lora_rank|max-lora-rank|--max-lora-rank", NULL, NULL, "peft", false, false },
	[KNOB_FRAMES] = { "frame_extraction|target_frames", NULL, NULL, NULL, false, false },
	[KNOB_LENGTH] = { "max_source_length|max_target_length|max_seq_length|max_seq_len|max_length|sequence_len|sequence_length|seq_length|seq_len|cutoff_len|max_prompt_length",
	    NULL, NULL, NULL, false, true },
};

static bool
is_of_name(char c)
{
	return piece_is_word(c) || c == '-';
}

/* Does a number follow, as in "max_length=256"? */
static bool
has_number(const char *s, const char *end)
{
	const char *to = s;

	while (to < end && to - s < NEAR_EQUALS && memchr(" =:", *to, 3))
		to++;
	return to > s && to < end && is_digit(*to);
}

/* Is a number above 1 given, as in "num_beams=4", "--num_beams 4", or does a person name it with
 * memory, "out of memory with num_return_sequences set to more than 100"? */
static bool
has_many(struct talk t, const char *to, enum oom_source source)
{
	int64_t n;

	if (source == SOURCE_PROSE && !talk_any_of(talk_sentence(t, to), "memory oom"))
		return false;
	return oom_habit_number(t, to, &n) ? n > 1 : source == SOURCE_PROSE;
}

#define LONG_CONTEXT	32768	/* tokens that a log has by itself in few programs */

/* "n_ctx": 1048576: a log has that of each model, so that only a long one is worth a word. */
static bool
is_short_context(struct talk t, const char *at, size_t n, const char *to)
{
	int64_t tokens;

	while (to < t.s + t.n && memchr("\"' ", *to, 3))
		to++;
	return n == 5 && memcmp(at, "n_ctx", 5) == 0 && !(oom_habit_number(t, to, &tokens) && tokens >= LONG_CONTEXT);
}

/* Is what stands from S to END within a name one that may go with a knob's? */
static bool
goes_with(const char *list, struct talk t, const char *s, const char *end)
{
	const char *to;

	for (; s < end; s = to) {
		while (s < end && (*s == '_' || *s == '-'))
			s++;
		for (to = s; to < end && *to != '_' && *to != '-'; to++)
			;
		if (s < to && (!list || !talk_is_one_of(talk_part(t, s, to), list)))
			return false;
	}
	return true;
}

/* Does a person say that what is at AT was tried in vain, or that it does nothing there? */
static bool
is_of_no_use(struct talk t, const char *at)
{
	return oom_measures_in_vain(t, at) || talk_any_phrase(talk_sentence(t, at), NO_USE);
}

void
oom_knob_keep(struct oom_knob *k, const char *s, const char *end, int line)
{
	size_t n = (size_t)(end - s) < KNOB_NAME ? (size_t)(end - s) : KNOB_NAME - 1;

	k->line = line;
	memcpy(k->name, s, n);
	k->name[n] = '\0';
}

void
oom_knob_line(struct oom_knob of[KNOBS], struct talk t, int line, enum oom_source source, bool traced)
{
	const char *at, *from, *to, *end = t.s + t.n;
	size_t n;
	int k;

	for (k = 0; k < KNOBS; k++) {
		if (of[k].line || (traced && !knobs[k].traced) || (knobs[k].told && (source != SOURCE_PROSE || talk_any_phrase(t, OF_WARNING))) ||
		    (knobs[k].beside && !talk_any_of(t, knobs[k].beside)) || (knobs[k].unless && talk_any_of(t, knobs[k].unless)))
			continue;
		for (at = NULL; !of[k].line && talk_next_phrase(t, knobs[k].names, &at, &n); ) {
			for (from = at; from > t.s && is_of_name(from[-1]); from--)
				;
			for (to = at + n; to < end && is_of_name(*to); to++)
				;
			if ((source == SOURCE_PROSE && !has_number(to, end) && is_of_no_use(t, at)) || (k == KNOB_ADAPTERS && clause_sets_off(t, from)) || (k == KNOB_CONTEXT && is_short_context(t, at, n, to)))
				continue;
			if (goes_with(knobs[k].whole, t, from, at) && goes_with(knobs[k].whole, t, at + n, to) && (!knobs[k].told || has_number(to, end)) &&
			    (!knobs[k].many || has_many(t, to, source)))
				oom_knob_keep(&of[k], from, to, line);
		}
	}
}
