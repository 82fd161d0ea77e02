/*
 * What decides how much a network of a kind takes, where a report names the kind and nothing that
 * tells more: one sentence a kind. That what failed is of it is a condition.
 */
#include "autopsy/autopsy_parts.h"

#include <string.h>

#include "base/ascii.h"
#include "base/text.h"

#define ENLARGED	"Where pictures are enlarged or restored, most layers keep the height and width of what they are given, in many channels, so that what they take grows with the pixels at once: " HAS_TRAINED("in training smaller crops (gt_size in BasicSR), else ") "tiles, where a program has them (--tile in Real-ESRGAN), bound that."

static const char *const says[DOMAINS] = {
	[DOMAIN_SPEAKERS] = "Where the speakers of a recording are told apart, each of its windows gets a vector: some programs give a network all windows of a recording at once, as Resemblyzer's embed_utterance() does, "
	    "and what groups them has a number for each pair of them, so that it grows with the square of how long the recording is. Shorter pieces one after the other, fewer windows (a lower rate, a longer shift), "
	    "or fewer at once (embedding_batch_size in pyannote.audio) take less.",
	[DOMAIN_FRAMES] = "Where that is SAM 2's predictor of a video, it reads all frames ahead (12 MiB each in float32, at 1024 x 1024) and keeps them on the device, with what it finds in each frame of each object: "
	    "offload_video_to_cpu=True of init_state(), and offload_state_to_cpu=True, put them in the machine's memory, and a shorter piece of the video, or fewer objects at once, take less.",
	[DOMAIN_FRAMES_3] = "Where that is SAM 3's predictor of a video, it reads all frames ahead (5.8 MiB each in 16 bits, at 1008 x 1008) and, unless it is told otherwise, keeps them on the device, with what it finds "
	    "in each frame of each object: a shorter piece of the video, or fewer objects at once, take less.",
	[DOMAIN_POINTS] = "Where a network matches points of two pictures (SuperGlue, LightGlue, LoFTR), it has a number for each pair of them, so that it grows with the square of how many there are, in LoFTR of the pictures' "
	    "pixels: fewer points (max_keypoints, or max_num_keypoints of LightGlue's extractors), or smaller pictures (resize_max in hloc), take less.",
	[DOMAIN_FLUX] = "Where that is FLUX.1, its transformer has about 12,000 million weights, which take 22.4 GiB in 16 bits, half of that in 8, a quarter in 4, and its larger text encoder (T5) about 9 GiB more in 16 bits; "
	    "the machine's memory holds them, too, while they are read or where they are offloaded.",
	[DOMAIN_RANKS] = "Where samples are ranked by what neighbours they share (k-reciprocal encoding, Jaccard distances), each matrix of that has a number for each pair of them: of 20,000 it takes 1.49 GiB in float32, of "
	    "200,000 149 GiB, and there are several. Of parts of the samples, in 16 bits, or of the nearest neighbours alone (sparse), they take less.",
	[DOMAIN_TRANSDUCER] = "Where a transducer of speech (RNN-T) is trained, what joins both of its parts, and the loss, have a number for each frame, label and word of the vocabulary, and as many gradients: for a recording of 500 frames "
	    "and 50 labels, with 5,000 words, 477 MiB each in float32, and those of a batch are padded to its longest. " TRY BY_ANYTHING "A smaller vocabulary" TRY BY_ANYTHING "more frames put together ahead of it" TRY BY_SAMPLES "shorter recordings"
	    TRY BY_BATCH "fewer recordings at once" TRY BY_ANYTHING "a loss that makes a part of them (pruned RNN-T), or of the recordings, at a time" TRY_END ", take less.",
	[DOMAIN_SPEECH] = "Where it trains on recordings, those of a batch are padded to its longest, and what layers keep grows with that, attention's scores, where they are stored, with its square: "
	    "a few that are long decide whether it fits.",
	[DOMAIN_ENTITIES] = "Where a graph of knowledge is embedded, each entity has a row of numbers, with its gradient and what the optimizer keeps, and each sample is compared with as many "
	    "others as the run is told, in evaluation with all entities.",
	[DOMAIN_VOLUMES] = "Where a network is given volumes, what layers keep grows with the voxels of a patch, of which half of each side has an eighth. Where "
	    "whole volumes are predicted, results for all of their voxels and classes lie there, too" MAYBE_DEVICE(": put together in the machine's memory (device=\"cpu\" of MONAI's sliding windows), they do not") ".",
	[DOMAIN_PROTEINS] = "Where a network is given a protein, it has numbers for each pair of its residues, so that it grows with the square of the length (where the structure is predicted as in AlphaFold, in some layers with its cube).",
	[DOMAIN_PARTICLES] = "Where pictures of particles are refined or classified (RELION, cryoSPARC), a class of two dimensions has as many numbers as the square of a picture's side, and a volume as its cube, at 512 pixels 512 MiB in float32, at 1024 4 GiB; there are several (both halves, "
	    "classes, and for Fourier transforms with padding up to four or, of volumes, eight times as many numbers): pictures that are binned, or cropped to a smaller box, take less.",
	[DOMAIN_TEXTS] = "Where a network learns to write text word by word, the words' vectors, the last layer and its scores grow with the vocabulary, a number for each word at each position, and batches are padded to "
	    "their longest sentence.",
	[DOMAIN_CHAINS] = "Where samples are drawn by chains (MCMC), what is kept of all draws, of each chain and of every quantity, lies there until the run ends, and mostly a copy of it then: fewer draws or "
	    "chains take less.",
	[DOMAIN_BROWSER] = "Where that is TensorFlow.js on WebGL, a tensor stays on the device until it is disposed of, as the language's collector does not see that memory: those that are made "
	    "in each call go where tf.tidy() is around it, or by dispose(). Where tf.memory().numTensors does not rise from call to call, it is not that; textures are kept even so, to be used again, "
	    "unless WEBGL_DELETE_TEXTURE_THRESHOLD says from how many bytes on they are not.",
	[DOMAIN_STEMS] = "Where Spleeter separates a recording, what it computes grows with how long that is, for each of the parts that it is split into: a shorter piece of it at once (-d or --duration, from -s or --offset "
	    "on), or fewer parts (2stems), take less.",
	[DOMAIN_METRICS] = "Where a metric of torchmetrics is given results step by step, it gathers them until reset(), and those that need all of them (as curves and areas under them do, where no thresholds "
	    "are set) keep them on lists, on the device, for as long: reset() at the end of each epoch (which Lightning calls for metrics that are themselves given to self.log), results that are detached, and "
	    "compute_on_cpu=True, which moves such lists to the machine's memory, keep that from growing.",
	[DOMAIN_RESULTS] = "Where that is Ultralytics' predict() or track() of a video, a stream or many pictures, it gives a list of the results of all of them, each with its picture, which grows in the machine's memory "
	    "until they are done: with stream=True it gives one after the other, and where a loop keeps none of them, that does not grow.",
	[DOMAIN_EMBEDS] = "Where that is encode() of sentence-transformers with convert_to_tensor=True, the vectors of all texts stay on the device until the last is done, and are put together there then: parts of the texts, one "
	    "after the other, or NumPy's arrays in the machine's memory (without that setting), keep that from growing with the number of texts.",
	[DOMAIN_SWAPS] = "Where that is a program that swaps faces in films (roop, Deep-Live-Cam, FaceFusion), " UNTRIED(BY_THREADS, "several of its threads work on frames at once, each with what the models make of one: ") TRY BY_THREADS "fewer threads (--execution-threads; in FaceFusion --execution-thread-count)" TRY BY_ANYTHING "fewer models "
	    "beside (enhancers)" TRY BY_SAMPLES "smaller frames" TRY_END " take less.",
	[DOMAIN_VISION] = "Where that is Qwen's model that is given pictures (Qwen2-VL, and those after it), a picture becomes a token for each square of 28 or 32 pixels, up to 16,384 of them where max_pixels of its processor or of the message says nothing "
	    "else, and a film more, for its frames: what layers make grows with them, and attention's scores, where they are stored, with their square. " TRY BY_SAMPLES "A smaller max_pixels" TRY BY_ANYTHING "fewer pictures or frames at once" TRY_END ", take less.",
	[DOMAIN_LMDEPLOY] = "Where LMDeploy runs there, it sets a share of the device aside for keys and values as it starts (cache_max_entry_count: up to 1 a share of what the weights leave free, up to version 0.2.1 of all of it; a number above 1 counts blocks of the cache, before 0.2 texts of session_len each): " TRY BY_SHARE "a smaller share"
	    TRY BY_SAMPLES "a shorter session_len" TRY BY_ANYTHING "fewer texts at once (max_batch_size)" TRY_END ", leave more for the rest, and where the weights alone are too many, " TRY BY_BITS "fewer bits" TRY BY_DEVICES "more devices (tp)" TRY_END ", do.",
	[DOMAIN_SGLANG] = "Where SGLang runs there, it takes a share of the device as it starts (--mem-fraction-static), for weights and a pool of keys and values, and makes what a step needs beside that: where that found no room, " TRY BY_SHARE
	    "a smaller share" TRY BY_ANYTHING "fewer requests at once (--max-running-requests)" TRY BY_ANYTHING "shorter pieces of prompts (--chunked-prefill-size)" TRY_END ", leave some; where the share is too small for weights and pool, "
	    TRY BY_SHARE "a larger one" TRY BY_BITS "fewer bits" TRY BY_DEVICES "more devices (--tp)" TRY_END ", help.",
	[DOMAIN_DENSE] = "Where COLMAP makes points of all pixels (stereo, fusion), pictures, depths and normals of all views come to lie in the machine's memory, unless it is told to keep a part of them (StereoFusion.use_cache, with "
	    "as many GiB as StereoFusion.cache_size and PatchMatchStereo.cache_size say): that, smaller pictures (max_image_size), or fewer of them, take less.",
	[DOMAIN_KEYPOINTS] = "Where COLMAP finds points of pictures, each of its threads has a picture of its own, at several scales as numbers of 4 bytes, which take many times the bytes of its file: fewer threads "
	    "(SiftExtraction.num_threads; num_threads of FeatureExtraction in newer versions), or smaller pictures (max_image_size there), take less.",
	[DOMAIN_JACOBIAN] = "Where an implicit solver of these is told no form of the Jacobian, it makes a dense one, a number for each pair of equations, and as a rule another to solve with: of 100,000 equations 74.5 GiB each. A sparse "
	    "jac_prototype of the ODEFunction, or a linear solver that needs no matrix (linsolve = KrylovJL_GMRES(), with concrete_jac = false), takes less.",
	[DOMAIN_CELLS] = "Where a mesh is made or solved on, what that takes grows with its cells, and cells half as long on each side are eight times as many: a coarser one, less that is refined (levels in snappyHexMeshDict), or parts of it on "
	    "several machines (decomposePar, with MPI) take less of each.",
	[DOMAIN_INTEGRALS] = "Where it is density fitting whose integrals are kept (PySCF's CDERI), there is a number for each pair of the molecule's basis functions (symmetric pairs once) and each auxiliary one, so that it grows with up to the cube of how many atoms there are: a "
	    "smaller basis, or none kept (in PySCF a file of them, in GPU4PySCF without density_fit(), which is slower), take less.",
	[DOMAIN_BETWEEN] = "Where frames are made between those of a film, those that were read and those that were made wait in the machine's memory until they are used and written, hundreds of each in RIFE, with height x width x 3 bytes (6 MB at "
	    "1920 x 1080), and more where they are written slower than they are made: smaller frames, a part of the film at a time, or a video in place of pictures (PNG), which are slow to write, take less.",
	[DOMAIN_MESHES] = "Where a surface is made of a field of values (marching cubes, FlexiCubes), the field is asked at each point of a grid, so that what this takes grows with the cube of the grid's resolution, and where all "
	    "points are asked at once, with what layers make of each: a lower resolution (octree_resolution in Hunyuan3D, mc_resolution in TripoSR), or fewer points at once (num_chunks, chunk_size), take less.",
	[DOMAIN_RESTORES] = ENLARGED,
	[DOMAIN_ENLARGES] = ENLARGED,
};

/* The same where memory of the device ended, */
static const char *const device_says[DOMAINS] = {
	[DOMAIN_DENSE] = "Where COLMAP's patch match makes depths of all pixels, what it has on the device grows with the pixels of a picture and the number of pictures that it is compared with, and is more with geom_consistency: smaller ones "
	    "(PatchMatchStereo.max_image_size), or fewer source images (stereo/patch-match.cfg), take less.",
	[DOMAIN_BETWEEN] = "Where frames are made between those of a film, two of them at a time are gone through at their full size, so that what that takes grows with their pixels: half of each side has a quarter, and in RIFE --scale=0.5 "
	    "looks for motion in smaller ones.",
	[DOMAIN_RESULTS] = "Where that is Ultralytics' predict() or track() of a video, a stream or many pictures, it gives a list of the results of all of them, whose boxes and masks lie on the device until they are "
	    "done: with stream=True it gives one after the other, and where a loop keeps none of them, that does not grow.",
};

/* and where all pictures are given at once. */
#define ONE_BATCH	"Where that is Ultralytics' predict() of a list of pictures, all of them are one batch, with stream=True, too: parts of the list, one call after the other, take less."

/* Where a second run of chains fails, what the first drew is what is there. */
#define CHAINS_HELD	"Where samples are drawn by chains (MCMC) in runs that go on from one another, what those before drew lies there still while the next draws, unless it was put elsewhere (in JAX jax.device_get()) and nothing " \
    "on the device holds it."

/* Of either memory: what runs on the processor, too, and holds what it makes there. */
static bool
is_of_either(int domain)
{
	return domain == DOMAIN_CHAINS || domain == DOMAIN_STEMS || domain == DOMAIN_RESULTS || domain == DOMAIN_SPEAKERS || domain == DOMAIN_RANKS || domain == DOMAIN_FLUX || domain == DOMAIN_DENSE || domain == DOMAIN_BETWEEN ||
	    domain == DOMAIN_KEYPOINTS || domain == DOMAIN_JACOBIAN || domain == DOMAIN_CELLS || domain == DOMAIN_INTEGRALS;
}

/* In which memory grows by itself. */
static bool
keeps(int domain)
{
	return domain == DOMAIN_CHAINS || domain == DOMAIN_BROWSER || domain == DOMAIN_METRICS || domain == DOMAIN_RESULTS || domain == DOMAIN_BETWEEN;
}

/* And of which nothing else is known. */
static bool
only_keeps(int domain)
{
	return domain == DOMAIN_METRICS;
}

/* Is it what was asked for, or where that was, which tell not what lay there by then? */
static bool
is_of_request(enum autopsy_says kind, bool place)
{
	return kind == SAYS_XLA_REQUEST || (place && (kind == SAYS_LINE_OF_CODE || kind == SAYS_FORWARD));
}

/* What serves texts, and sets memory aside for that. */
static bool
is_of_server(int domain)
{
	return domain == DOMAIN_LMDEPLOY || domain == DOMAIN_SGLANG;
}

/* What says what the size of an input does to it, so that it holds beside a smaller one that
 * ran. */
static bool
is_of_size(int domain)
{
	return domain == DOMAIN_PROTEINS || domain == DOMAIN_VOLUMES || domain == DOMAIN_ENTITIES || domain == DOMAIN_SPEAKERS || domain == DOMAIN_STEMS || domain == DOMAIN_POINTS || domain == DOMAIN_RANKS || domain == DOMAIN_DENSE ||
	    domain == DOMAIN_KEYPOINTS || domain == DOMAIN_MESHES || domain == DOMAIN_CELLS || domain == DOMAIN_INTEGRALS;
}

/* Is nothing told beside it that tells more, though growth may be, or the place where it failed? */
static bool
is_all(const struct autopsy *y, int domain)
{
	bool place = domain == DOMAIN_FRAMES || domain == DOMAIN_FRAMES_3 || domain == DOMAIN_VISION, serves = is_of_server(domain) || domain == DOMAIN_VISION;
	int i;

	for (i = 0; i < y->reported.n; i++)
		switch (y->reported.v[i].kind) {
		case SAYS_TOLD_BATCH: case SAYS_BATCH_SAID: case SAYS_PIXELS_SAID: case SAYS_TOLD_PICTURES:
			break;
		case SAYS_TOLD_LESS: case SAYS_TOLD_ENDED: case SAYS_TOLD_SMALL: case SAYS_TOLD_LIMITED:
			if (is_of_size(domain))
				break;
			return false;
		case SAYS_TOLD_WORDS:
			if (!y->log.paste.grows.line || keeps(domain))
				break;
			return false;
		case SAYS_NAMED_WEIGHTS: case SAYS_TOLD_WEIGHTS:
			if (serves)
				break;
			return false;
		default:
			return false;
		}
	for (i = 0; i < y->causes.n && (is_of_request(y->causes.v[i].kind, place) || (is_of_server(domain) && y->causes.v[i].kind == SAYS_HELD_OUTSIDE)); i++)
		;
	return i == y->causes.n || autopsy_is_of_samples(y);
}

/* Is it a device's memory by the message, or by who tells of it? */
static bool
is_of_device(const struct autopsy *y)
{
	const struct oom_told *t = &y->log.paste.told;

	return !y->main->host && (y->main->kind == OOM_TOLD ? t->device || t->gpu : y->main->kind != OOM_KERNEL && y->main->kind != OOM_MACHINE);
}

/* Do models of Ultralytics give results there, in memory that may be the machine's, and not one
 * after the other? */
static bool
gathers(const struct autopsy *y)
{
	const struct oom_paste *p = &y->log.paste;
	bool of_device = is_of_device(y);

	if (!p->domains[DOMAIN_PREDICTS].line || p->other_sessions || autopsy_is_of_another(y) || !(p->inferring.line || p->media.line || !(p->training || p->trains)))
		return false;
	if (of_device && p->domains[DOMAIN_LISTS].line)
		return true;
	return !p->domains[DOMAIN_STREAMS].line && (!of_device || p->grows.line || p->later.line || p->media.line);
}

/* Is a protein named by a word for it alone, and by no program that gives one to a network, where
 * a simulation, or pictures of particles, are told of? */
static bool
is_of_atoms(const struct oom_knob *of)
{
	const char *name = of[DOMAIN_PROTEINS].name;

	return (of[DOMAIN_ATOMS].line || of[DOMAIN_PARTICLES].line) && (strstr(name, "rotein") || strstr(name, "mino acid") || strstr(name, "esidue"));
}

/* Does NAME, as it was written, begin with small letters' LIKE? */
static bool
begins(const char *name, const char *like)
{
	while (*like && lower(*name) == *like) {
		name++;
		like++;
	}
	return !*like;
}

/* Is it a library for volumes that is given pictures, by what tells of two extents? */
static bool
is_flat(const struct oom_knob *of)
{
	const char *name = of[DOMAIN_VOLUMES].name;

	return of[DOMAIN_FLAT].line && (begins(name, "monai") || begins(name, "nnu") || begins(name, "sliding"));
}

/* Masks of the frames of a video: of SAM 3 where it is named, too. */
static bool
is_of_frames(const struct oom_paste *p, int domain)
{
	bool of_video = p->domains[DOMAIN_FRAMES].line || p->media.line || p->lasts.line || strstr(p->domains[DOMAIN_FRAMES_3].name, "video");

	if (p->domains[DOMAIN_RESULTS].line)
		return false;		/* Ultralytics' own predictor of that name reads one frame after the other */
	return !p->training && !p->trains && (domain == DOMAIN_FRAMES ? !p->domains[DOMAIN_FRAMES_3].line : of_video);
}

/* Is it of the memory that ended, by the message, and of what is told of it? */
static bool
is_said(const struct autopsy *y, int d, bool grows)
{
	const struct oom_message *o = y->main;
	bool ended = o->kind == OOM_KERNEL || o->kind == OOM_TOLD;

	if (!says[d] || (d == DOMAIN_BROWSER && !y->log.paste.domains[DOMAIN_WEBGL].line) || (grows ? !keeps(d) : only_keeps(d)) || !is_all(y, d))
		return false;
	if (is_of_server(d) && (y->log.paste.training || y->log.paste.trains || y->log.paste.quantizing || y->log.paste.quantizes.line || y->log.paste.grows.line))
		return false;
	if (strcmp(o->who, "Java") == 0)
		return false;		/* of its own heap */
	if (d == DOMAIN_SWAPS && !o->host && !y->log.paste.unmade && !y->log.paste.training && o->kind == OOM_CUDA && o->status && strncmp(o->who, "cu", 2) == 0)
		return true;		/* a library's handle, of each thread */
	if (is_of_either(d) ? !autopsy_says_little(o) && !ended : (!autopsy_says_little(o) && !(o->warning && d == DOMAIN_PROTEINS)) || o->host)
		return false;
	if (d == DOMAIN_TRANSDUCER)	/* there are other transducers than of speech; and where one only writes, it has no loss */
		return !y->log.paste.inferring.line && (y->log.paste.domains[DOMAIN_SPEECH].line || y->log.paste.training || strcmp(y->log.paste.domains[d].name, "transducer") != 0);
	if (d == DOMAIN_RESULTS && !gathers(y))
		return false;
	if (d == DOMAIN_FRAMES || d == DOMAIN_FRAMES_3)
		return is_of_frames(&y->log.paste, d);
	if (d == DOMAIN_SWAPS)
		return !y->log.paste.unmade && !y->log.paste.training && !(o->facts & TRACE_LOADING);
	if (d == DOMAIN_VISION)		/* nor texts alone, nor what has no room for its weights */
		return !y->log.paste.loading.line && !y->log.paste.server.line && !(o->facts & (TRACE_LOADING | TRACE_PROFILES | TRACE_STEP)) && !y->log.paste.quantizing && !y->log.paste.quantizes.line && !y->log.paste.llama;
	if (d == DOMAIN_ENLARGES)	/* what is drawn by diffusion is drawn anew at that size */
		return !y->log.paste.images && !y->log.paste.images_told && !y->log.paste.domains[DOMAIN_DRAWN].line;
	if (d == DOMAIN_PROTEINS)
		return !is_of_atoms(y->log.paste.domains);
	if (d == DOMAIN_VOLUMES)
		return !is_flat(y->log.paste.domains);
	if (d == DOMAIN_DENSE || d == DOMAIN_KEYPOINTS)
		return y->log.paste.domains[DOMAIN_COLMAP].line;
	if (d == DOMAIN_JACOBIAN)
		return y->log.paste.domains[DOMAIN_STIFF].line && !is_of_device(y);
	if (d == DOMAIN_CELLS)
		return !is_of_device(y);
	if (d == DOMAIN_BETWEEN && grows && is_of_device(y))
		return false;
	if (d == DOMAIN_SPEAKERS || d == DOMAIN_BETWEEN)
		return !y->log.paste.training && !y->log.paste.trains;
	if (d == DOMAIN_EMBEDS)
		return y->log.paste.domains[DOMAIN_ENCODES].line && !y->log.paste.training && !y->log.paste.trains;
	return (d != DOMAIN_SPEECH && d != DOMAIN_TEXTS) || (y->log.paste.training && !autopsy_in_tests(y));
}

/* Is it of what fuses depths, which the processor does? */
static bool
is_of_fusion(const struct autopsy *y)
{
	const char *name = y->log.paste.domains[DOMAIN_DENSE].name;

	return strstr(name, "usion") || strstr(name, "using");
}

static const char *
says_of(const struct autopsy *y, int d)
{
	if (d == DOMAIN_CHAINS && y->log.paste.second_fails)
		return CHAINS_HELD;
	if (d == DOMAIN_DENSE && is_of_fusion(y))
		return says[d];
	if (!device_says[d] || !is_of_device(y))
		return says[d];
	return d == DOMAIN_RESULTS && y->log.paste.domains[DOMAIN_LISTS].line ? ONE_BATCH : device_says[d];
}

void
autopsy_domain(struct autopsy *y, bool grows)
{
	const struct oom_knob *of = y->log.paste.domains;
	int d;

	if (y->module)
		return;
	for (d = 0; d < DOMAINS; d++)
		if (of[d].line && (!y->log.serving || is_of_server(d)) && is_said(y, d, grows) && *autopsy_worded(y, says[d])) {
			autopsy_cause(y, SAYS_DOMAIN, arena_printf(y->arena, "Line %d names %s. %s", of[d].line, of[d].name, says_of(y, d)));
			return;
		}
}
