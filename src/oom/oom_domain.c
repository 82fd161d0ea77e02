/* Names that have another sense, as RotatE and the many VITs, are none of these. */
#include "oom/oom_domain.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"

#define OF_ANOTHER	"was used before|were used before|i used before|my friend|a friend|my colleague|a colleague"
#define NOT_USED	"can't use|cannot use|can not use|could not use|couldn't use|not able to use|unable to use|don't use|do not use|not using|instead of using|without using"
#define SHORT_NAME	3	/* letters */
/* Of the names below what is a word of any language's, too, as folders have them. */
#define ANY_FOLDER	"volumetric inference tracking predicting embedding embeddings encoding fusing upscale upscaling upscaler utterance utterances atoms hires transducer"

static const char *const names[DOMAINS] = {
	[DOMAIN_SPEAKERS] = "diarization|diarisation|diarize|diarizing|diarizer|clusteringdiarizer|speaker-diarization|resemblyzer|embed_utterance",
	[DOMAIN_FRAMES] = "propagate_in_video|predictor.init_state|sam2_video_predictor|build_sam2_video_predictor|sam2videopredictor|add_new_points_or_box|load_video_frames",
	[DOMAIN_FRAMES_3] = "sam3|sam3.1|sam 3|sam 3.1|sam-3|sam-3.1|sam3_video_predictor|build_sam3_video_predictor|sam3_video_inference|sam3.1_video_predictor_example|sam3_video_predictor_example",
	[DOMAIN_POINTS] = "lightglue|loftr|hloc|pipeline_sfm|hierarchical-localization",
	[DOMAIN_FLUX] = "flux|flux.1-dev|flux.1-schnell|flux1-dev|flux1-schnell|flux1dev|flux1dev_v10|flux1-dev-fp8|flux.1-kontext-dev|flux.1-fill-dev|dreambooth_flux|train_dreambooth_flux|train_dreambooth_lora_flux",
	[DOMAIN_RANKS] = "jaccard_distance|compute_jaccard_distance|jaccard distance|jaccard distances|k-reciprocal|k_reciprocal|re_ranking|query and gallery|gallery and query",
	[DOMAIN_TRANSDUCER] = "rnn_transducer|rnn-transducer|rnn transducer|rnnt|rnn-t|rnntloss|rnnt_loss|rnnt loss|rnn-t loss|transducer loss|transducerloss|transducer_loss|warp-transducer|warp_transducer|warprnnt|warp_rnnt|transformer transducer|transformer-transducer|"
	    "transformer_transducer|conformer transducer|conformer-transducer|conformer_transducer|transducer model|transducer joint|joint network of the transducer|transducertask|asrtransducertask|transducer",
	[DOMAIN_SPEECH] = "asr|speech recognition|speech-to-text|espnet|espnet2|wenet|wav2vec|wav2vec2|hubert|librispeech|aishell|ljspeech|libritts|tts|text-to-speech|text to speech|"
	    "tacotron|tacotron2|fastspeech|fastspeech2|deepspeech|utterance|utterances|vocoder|asr_train|tts_train|icefall|zipformer|lhotse|rnnt|rnn-t|sovits|gpt-sovits|gpt_sovits|so-vits-svc|xtts|speechbrain|sepformer|voice separation|speech separation|speaker separation|conv-tasnet|convtasnet|speech enhancement|wsj0-2mix|wsj0-3mix|wsj0mix|librimix|common voice|commonvoice",
	[DOMAIN_ENTITIES] = "knowledge graph|knowledge graphs|knowledge graph embedding|kge|pykeen|distmult|transe|fb15k|fb15k-237|wn18|wn18rr|dgl-ke|dglke|openbiolink|kge_model",
	[DOMAIN_VOLUMES] = "nnunet|nnu-net|nnunetv2|monai|3d unet|3d u-net|3d-unet|brats|ct volume|ct volumes|ct scan|ct scans|nifti|volumetric|unetr|swinunetr|swin_unetr|"
	    "sliding_window_inference|3d segmentation|medical volumes",
	[DOMAIN_FLAT] = "spatial_dims=2|spatial_dims = 2|spatial_dims: 2|dimensions=2|dimensions = 2|2d images|2d image|2d slices|2d slice|2d unet|2d u-net|2d pictures|2d_fullres|2d segmentation|2d super resolution|2d tutorial|2d configuration",
	[DOMAIN_PROTEINS] = "alphafold|alphafold2|alphafold3|colabfold|localcolabfold|openfold|openfold3|colabdesign|rosettafold|rosettafold2|rosettafold-all-atom|rf2aa|rfdiffusion|rfdiffusion2|boltz|boltz-1|boltz-2|boltz1|boltz2|protenix|chai-1|chai-lab|amino acid|protein structure|protein structures|protein folding|protein design|protein complex|protein complexes|protein sequence|protein sequences|a protein|my protein|our protein|the protein|protein target|protein targets|protein chain|protein chains|chai_lab|this protein|these proteins|amino acids|residues|msa transformer|esmfold|unifold",
	[DOMAIN_ATOMS] = "gromacs|mdrun|gmx|openmm|amber|pmemd|namd|namd2|namd3|lammps|charmm|desmond|molecular dynamics|md simulation|md simulations|pme|tip3|tip3p|atoms|force field",
	[DOMAIN_PARTICLES] = "relion|relion_refine|relion_refine_mpi|relion-3.1|relion-4.0|relion-5.0|cryosparc|cryo-em|cryoem|cryo em|motioncor2|motioncor3|ctffind4|cistem|class2d|class3d|eman2",
	[DOMAIN_TEXTS] = "machine translation|translation model|nmt|opennmt|joeynmt|tensor2tensor|fairseq|seq2seq|europarl|wmt14|wmt16|word vectors|word embeddings|glove vectors|fasttext|language modeling|word-rnn",
	[DOMAIN_CHAINS] = "mcmc|numpyro|blackjax|sample_numpyro_nuts|sample_blackjax_nuts|num_warmup|nuts sampler|hamiltonian monte carlo",
	[DOMAIN_BROWSER] = "tensorflow.js|tensorflowjs|tfjs|ml5|ml5.js|bodypix|body-pix|facemesh|face-api|face-api.js|faceapi|tf.tidy|tf.tidy()|tf.memory()|numtensors",
	[DOMAIN_WEBGL] = "webgl|webgl2|context_lost_webgl|webgltexture|webgl_delete_texture_threshold",
	[DOMAIN_STEMS] = "spleeter|spleetergui|spleet|spleeted",
	[DOMAIN_METRICS] = "torchmetrics|torchmetric",
	[DOMAIN_RESULTS] = "ultralytics|yolov8|yolov8n|yolov8s|yolov8m|yolov8l|yolov8x|yolov9|yolov10|yolov11|yolo11|yolo11n|yolo11s|yolo11m|yolo11l|yolo11x|yolov12|yolo12",
	[DOMAIN_PREDICTS] = "model.predict|model.track|yolo.predict|yolo.track|yolo predict|yolo track|predict mode|track mode|inference|inferring|infering|predicting|tracking|rtsp|accumulate in ram|results = model(|results=model(|result = model(|model(source",
	[DOMAIN_FILMS] = "video_stream.read|cap.read|vidcap.read|video_capture.read|capture.read|video.read|pyav|av.open|decord|decord.videoreader|videoreader|torchcodec|videodecoder|torchvision.io.read_video|read_video|cv2.videocapture|videocapture|imageio.get_reader|videofileclip|moviepy",
	[DOMAIN_STREAMS] = "stream=true|stream = true",
	[DOMAIN_LISTS] = "list of numpy arrays|list of np arrays|list of arrays|list of images|list of frames|list of pictures|list of cv2 images|list of pil images|source=frames|source=images|source=image_list|source=frame_list",
	[DOMAIN_EMBEDS] = "sentencetransformer|sentencetransformers|sentence-transformers|sentence_transformers|sentence transformers|sbert",
	[DOMAIN_ENCODES] = "encode|model.encode|encoding|encodes|encode_multi_process|embed|embedding|embeddings|convert_to_tensor",
	[DOMAIN_SWAPS] = "roop|roop-unleashed|deep-live-cam|deep live cam|deeplivecam|facefusion|face_swapper|face swapper|inswapper|inswapper_128|inswapper_128.onnx|faceswapper",
	[DOMAIN_VISION] = "qwen2-vl|qwen2vl|qwen2_vl|qwen2.5-vl|qwen2.5vl|qwen2_5_vl|qwen2.5_vl|qwen2_5-vl|qwen3-vl|qwen3vl|qwen3_vl|qwen2vlforconditionalgeneration|qwen2_5_vlforconditionalgeneration|qwen2-vl-2b|qwen2-vl-7b|qwen2-vl-72b|qwen2-vl-2b-instruct|"
	    "qwen2-vl-7b-instruct|qwen2-vl-72b-instruct|qwen2.5-vl-3b-instruct|qwen2.5-vl-7b-instruct|qwen2.5-vl-32b-instruct|qwen2.5-vl-72b-instruct|qwen2.5-vl-3b|qwen2.5-vl-7b|qwen2.5-vl-32b|qwen2.5-vl-72b|qwen3-vl-4b|qwen3-vl-8b|qwen_vl_utils",
	[DOMAIN_LMDEPLOY] = "lmdeploy|turbomind|cache_max_entry_count|--cache-max-entry-count",
	[DOMAIN_SGLANG] = "sglang|sglang.launch_server|sglang serve|mem_fraction_static|--mem-fraction-static|mem-fraction-static",
	[DOMAIN_DENSE] = "stereo_fusion|stereofusion|stereo fusion|dense_stereo|patch_match_stereo|patchmatchstereo|patchmatch|dense reconstruction|dense stereo|fusion step|fusion steps|fusion process|dense fusion|colmap fusion|depth fusion|depth map fusion|fusing|densestereo|patch match stereo|fusion",
	[DOMAIN_COLMAP] = "colmap|colmap.exe",
	[DOMAIN_KEYPOINTS] = "feature extraction|feature_extractor|feature extractor|extract features|extracting features|featureextraction|siftextraction|sift extraction|extracting the features",
	[DOMAIN_JACOBIAN] = "ordinarydiffeq|differentialequations|differentialequations.jl|ordinarydiffeq.jl|odeproblem|modelingtoolkit",
	[DOMAIN_STIFF] = "build_j_w|fbdf|qndf|rodas4|rodas5|rodas5p|rosenbrock23|kencarp4|kencarp47|trbdf2|implicit euler|impliciteuler|radauiia5|qbdf|build_jac_config|calc_j",
	[DOMAIN_CELLS] = "openfoam|blockmesh|snappyhexmesh|simplefoam|pimplefoam|pisofoam|icofoam|interfoam|decomposepar|reconstructpar|multiregionfoam",
	[DOMAIN_INTEGRALS] = "cholesky_eri|cholesky_eri_gpu|density_fit|density_fit()|cderi|_cderi|density fitting",
	[DOMAIN_BETWEEN] = "rife|practical-rife|rife-ncnn-vulkan|flowframes|frame interpolation|video interpolation|frame-interpolation|frame_interpolation|interpolate a video|interpolate the video|interpolate video|interpolating a video|film_net|ema-vfi|inference_video.py",
	[DOMAIN_MESHES] = "extract_mesh|--extract_mesh|extract_geometry|get_geometry_prediction|marching_cubes|marching cubes|marching_tetrahedra|flexicubes|dmtet|latents2mesh|octree_resolution|octree resolution|mc_resolution|mc-resolution|--mc-resolution|query_grid_features|isosurface_helper|extract_fields|extract_iso",
	[DOMAIN_RESTORES] = "super-resolution|super resolution|superresolution|esrgan|real-esrgan|realesrgan|srgan|swinir|basicsr|edsr|deblurring|denoising network|image restoration|gt_size",
	[DOMAIN_DRAWN] = "hires|hires.fix|highres|latent upscale|latent upscaling|denoising strength",
	[DOMAIN_ENLARGES] = "upscale|upscaling|upscaler|upscayl|cupscale|rescale a picture|enlarge a picture|enlarging pictures",
};

/* "--esrgan-models-path data/ESRGAN": an option that says where files lie, and what it says: no use
 * of them. */
static bool
is_of_option(struct talk t, const char *at)
{
	const char *from = at, *to;

	while (from > t.s && from[-1] != ' ' && from[-1] != '=')
		from--;
	if (from > t.s && *from != '-')
		for (from--; from > t.s && from[-1] != ' '; from--)
			;
	for (to = from; to < t.s + t.n && (piece_is_word(*to) || *to == '-'); to++)
		;
	return to - from > 2 && from[0] == '-' && from[1] == '-' && talk_any_whole(talk_part(t, from, to), "path paths dir dirs folder directory");
}

/* A name of a few letters within that of a folder, "D:\\AI\\TTS\\tts-webui", is anyone's, as is a
 * folder that has a plain word for its name; and so is
 * a program's that does more, "whisper-diarization/diarize.py", or makes surfaces in some way,
 * "extract_mesh.py". */
static bool
is_of_folder(int domain, struct talk t, const char *at, size_t n)
{
	const char *to = at + n, *end = t.s + t.n;

	if (is_of_option(t, at) || (at > t.s && memchr("/\\", at[-1], 2) && to < end && memchr("/\\", *to, 2) && talk_is_one_of(talk_part(t, at, to), ANY_FOLDER)))
		return true;
	if ((domain == DOMAIN_SPEAKERS || domain == DOMAIN_MESHES) && to + 2 < end && memcmp(to, ".py", 3) == 0)
		return true;
	return (n <= SHORT_NAME || domain == DOMAIN_SPEAKERS) && ((at > t.s && memchr("/\\-_", at[-1], 4)) || (to < end && memchr("/\\-_", *to, 4)));
}

/* "torchmetrics==0.11.4", "torchmetrics: 1.0", "No module named 'torchmetrics'": that it is there,
 * or not, and no use of it. */
static bool
is_of_version(struct talk t, const char *behind)
{
	const char *s = behind, *end = t.s + t.n;

	while (s < end && strchr(" \t=:|v\"'`>~", *s))
		s++;
	return (s < end && is_digit(*s)) || talk_any_phrase(t, ": not found|: not installed|: none|no module named|modulenotfound|pip install|cannot import");
}

/* "https://github.com/of/sentence-transformers", "sentence-transformers/all-MiniLM-L6-v2": where it
 * lies, or whose a model is. */
static bool
is_of_address(struct talk t, const char *at, size_t n)
{
	const char *from = at, *end = t.s + t.n;

	while (from > t.s && from[-1] != ' ' && from[-1] != '(' && from[-1] != '"')
		from--;
	return talk_any_phrase(talk_part(t, from, at), "://") || (at + n + 1 < end && at[n] == '/' && piece_is_word(at[n + 1]));
}

/* "FLUX" by itself, with small letters Julia's library and what flows: of pictures where words
 * beside it are of cards or of what makes them. */
static bool
is_other_flux(struct talk t, const char *at, size_t n)
{
	return n == sizeof("flux") - 1 && (at[1] != 'L' || !talk_any_phrase(t, "vram|lora|dreambooth|comfyui|diffusers|schnell|3090|4090|text encoder"));
}

/* What a library of chains does without any. */
#define NO_CHAINS	"svi predictive variational advi autoguide"

/* Is it named by libraries, which a list of what is installed has, too? */
static bool
is_library(int domain)
{
	return domain == DOMAIN_METRICS || domain == DOMAIN_SPEAKERS || domain == DOMAIN_POINTS || domain == DOMAIN_EMBEDS || domain == DOMAIN_SGLANG;
}

/* "Chains run fine, but the network ...", "upscaler=None": a name of what works, or is not
 * there. */
static bool
is_of_other(struct talk t, const char *at, size_t n)
{
	struct talk clause = talk_clause(t, at, n);

	return talk_has_whole(clause, OF_ANOTHER) || talk_has_whole(talk_part(clause, clause.s, at), NOT_USED) || (clause_works(clause) && !clause_names_failure(clause)) || clause_denies(t, at, n) || clause_passes_by(t, at) || clause_sets_off(t, at);
}

/* "spatial_size=[256, 256]", "tutorials/2d_classification": two extents, and no third. */
static const char *
has_two_extents(struct talk t)
{
	const char *at = NULL, *s, *end = t.s + t.n;
	int64_t n;
	size_t of;
	int k;

	while (talk_next_phrase(t, "spatial_size=|spatial_size =|roi_size=|roi_size =|patch_size=|patch_size =", &at, &of)) {
		s = piece_past_blanks(at + of, end);
		if (s == end || !memchr("[(", *s, 2))
			continue;
		for (k = 0, s = piece_past_blanks(s + 1, end); s < end && is_digit(*s); s = piece_past_blanks(s + (*s == ','), end), k++)
			s = piece_past_blanks(piece_number(s, end, &n), end);
		if (k == 2 && s < end && memchr("])", *s, 2))
			return at;
	}
	return talk_first(t, "/2d_|nnunetv2_train 2d|/2d/");
}

void
oom_domain_line(struct oom_knob of[DOMAINS], struct talk t, int line)
{
	const char *at;
	size_t n;
	int d;

	if (!of[DOMAIN_FLAT].line && (at = has_two_extents(t)))
		oom_knob_keep(&of[DOMAIN_FLAT], at, at, line);
	for (d = 0; d < DOMAINS; d++)
		for (at = NULL; !of[d].line && talk_next_whole(t, names[d], &at, &n); )
			if ((d != DOMAIN_STREAMS || !talk_any_phrase(t, "accumulate in ram")) && (!is_library(d) || (!is_of_version(t, at + n) && !is_of_address(t, at, n))) && !is_of_other(t, at, n) && !clause_is_over(t, at, n) && !(d == DOMAIN_CHAINS && talk_any_of(t, NO_CHAINS)) && !(d == DOMAIN_FLUX && is_other_flux(t, at, n)) && !is_of_folder(d, t, at, n) && !(d == DOMAIN_TEXTS && talk_any_of(t, "hubert wav2vec speech audio")))
				oom_knob_keep(&of[d], at, at + n, line);
}
