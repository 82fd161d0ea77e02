/*
 * Settings of libraries that bound how much is given at once, where a report names them: one
 * sentence a kind. That they are of what failed is a condition.
 */
#include "autopsy/autopsy_parts.h"

#include "base/text.h"

#define MOST_KNOBS	2	/* more is no evidence */

static const char *const says[KNOBS] = {
	[KNOB_POINTS] = "Where that is of Segment Anything, masks are asked for at a grid of points over the picture: twice as many on a side (points_per_side) are four "
	    "times as many. Of as many at once as points_per_batch says, masks of the picture's own size are made. Fewer of either, or a smaller picture, take less.",
	[KNOB_PIXELS] = "Where that bounds what is left of a picture's pixels, before it is cut into patches, the tokens of a picture grow with it" UNTRIED(BY_SAMPLES, ": a lower bound takes less, and small print is lost first") ". "
	    "What layers make grows with the tokens of all pictures at once.",
	[KNOB_PARTS] = "Where that is an argument of what failed, it says in how many parts a picture or volume is gone over. Where it is left out, all of it is given to the network at "
	    "once, and results of its layers grow with it. More parts take less.",
	[KNOB_TILE] = "Where a picture is gone over in tiles of that size, " UNTRIED(BY_TILES, "smaller ones take less (0 may mean none), and ") "what of the picture, or of its result, lies "
	    "on the device as a whole grows with the picture, whatever the tile.",
	[KNOB_RAYS] = "Where that bounds how many rays, or samples of them, are computed at once, what forward keeps grows with it, and fewer take less.",
	[KNOB_VOXEL] = "Where space is cut into voxels of that side, those on surfaces are about four times as many at half of it, and those of all of a space eight "
	    "times as many. Larger ones, or a smaller space (tiles of it), take less.",
	[KNOB_CLOUD] = "Where that bounds how many points there are, or are given at once, what is made of them grows with it, and fewer take less. Where their number grows as "
	    "training goes on, it fails later.",
	[KNOB_PIECE] = "Where a recording is cut into pieces as long as that, results grow with them, and shorter ones take less. What lies there as a whole, as what "
	    "is put together of the pieces, grows with the recording.",
	[KNOB_TOKENS] = "Where that bounds how much a batch of training has, as in fairseq its tokens, or samples of waveforms, and in ESPnet its bins, results of layers grow with "
	    "it. One sample that is longer than all of it is a batch by itself, or refused: cut or left out, it is neither.",
	[KNOB_LASTS] = "Where that bounds how long a recording is that the run is given, as in NeMo, what layers keep grows with the longest of a batch, to which the others are padded; where it bounds the seconds of all of "
	    "a batch, as in icefall, with those, and a recording that is longer makes a batch of its own.",
	[KNOB_RETURNS] = "Where that is of generate(), each of so many texts or beams has keys and values of its own for all of its positions and the prompt's, as further samples of a batch have: fewer "
	    "at once, one call after the other, take less.",
	[KNOB_CONTEXT] = "Where that is of llama.cpp, or of a program with it, such as Ollama, keys and values for as many tokens are set aside when a model is loaded, in Ollama for each of as many requests at once as "
	    "OLLAMA_NUM_PARALLEL says, on the device for the layers that are there, and what attention works with grows with it, too. In 16 bits they take 128 KiB for each token where a model has 32 layers and 8 heads of 128 for them, 8 GiB for 65,536 "
	    "tokens, and more with more layers.",
	[KNOB_SPLIT] = "Where that is of ExLlama, it says what of each device the model's layers may take. The cache of keys and values, and what is computed, take room beside them: "
	    "a smaller number for the device that is full, a shorter max_seq_len, or weights in fewer bits leave more.",
	[KNOB_PRESERVED] = "Where that is of FramePack, as much of the device is left free of the model's weights, for what is computed: a larger value leaves more, and is slower.",
	[KNOB_DPO] = "Where that is what failed, and has a reference model, " UNTRIED(BY_OFFLOADING, "all weights of that lie there beside those that are trained, and ") "each step goes through both with two texts for each prompt.",
	[KNOB_ACTORS] = "Where the run has several models that learn from feedback (an actor, a critic, a reference, a model of rewards), all that are on one device lie there at once, where they are not moved off or let go of between phases, with gradients and the "
	    "optimizer's numbers of those that are trained, and keys and values of the texts that are written.",
	[KNOB_THREADS] = "Where that is of a program that goes over the frames of a film, as many threads as it says work on frames at once, and what they take on the device beside the weights grows with "
	    "their number.",
	[KNOB_ADAPTERS] = "Where that is of vLLM, room for as many adapters as max_loras says, each of up to max_lora_rank, is set aside beside each layer's weights as it starts, and what a step needs with them" UNTRIED(BY_EAGER, " (in CUDA graphs, too)") " comes on top: "
	    TRY BY_ANYTHING "fewer adapters at once" TRY BY_ANYTHING "a lower max_lora_rank" TRY BY_EAGER "no captured graphs (enforce_eager)" TRY_END ", take less.",
	[KNOB_FRAMES] = "Where that says how many frames of a film a sample of training has, as in musubi-tuner, whose \"full\" takes all of them, what layers keep grows with the frames, and attention's scores, where they are stored, with their square: "
	    "a bound on the frames (max_frames), or pieces of a film, take less.",
	[KNOB_LENGTH] = "Where that is of the run, samples have as many tokens at most: what layers keep grows with them, and attention's scores, where they are "
	    "stored, with their square.",
};

/* Did it fail where weights are put on the device, by its traceback? */
static bool
is_ahead_of_steps(const struct oom_message *o)
{
	return o->traced && (o->facts & TRACE_LOADING) && !(o->facts & (TRACE_FORWARD | TRACE_BACKWARD | TRACE_STEP | TRACE_GENERATES));
}

/* Does what a knob bounds come to lie there in steps and calls alone? */
static bool
is_of_step(int knob)
{
	return knob != KNOB_SPLIT && knob != KNOB_CONTEXT && knob != KNOB_PRESERVED && knob != KNOB_ACTORS;
}

void
autopsy_knobs(struct autopsy *y)
{
	const struct oom_knob *of = y->log.paste.knobs;
	int k, said = 0;

	if (y->module || y->log.serving)
		return;
	for (k = 0; k < KNOBS && said < MOST_KNOBS; k++)
		if (of[k].line && !(y->log.paste.decided.example && of[k].line == y->log.paste.decided.example + 1) && (!y->main->host || (k == KNOB_CONTEXT && strstr(of[k].name, "ctx"))) && !(is_ahead_of_steps(y->main) && is_of_step(k)) && (autopsy_says_little(y->main) || k == KNOB_THREADS) && *autopsy_worded(y, says[k]) && !(k == KNOB_LENGTH && y->log.paste.however) && !(k == KNOB_LASTS && y->log.paste.domains[DOMAIN_STEMS].line)) {
			autopsy_hint(y, SAYS_KNOB, arena_printf(y->arena, "Line %d names %s. %s", of[k].line, of[k].name, says[k]));
			said++;
		}
}
