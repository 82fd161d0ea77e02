/* What a call in a traceback means, by its file and its function: a table, of which a new sign is a
 * row. */
#include "oom/oom_signs.h"

#include <string.h>

/* PyTorch's own files, and those of arrays. Of \torch, \nn and \numpy, JSON's reader makes a tab
 * and a line's end. */
bool
signs_is_library(struct piece path)
{
	return piece_any_of(path, "umpy/ cupy/ pandas/ scipy/misc imageio/ skimage/io cv2/ pil/image orch/nn/ orch/optim/ orch/autograd/ orch/utils/ orch/cuda/ orch/_ "
	    "orch/serialization.py orch/functional.py orch/tensor.py n/modules/ n/functional.py "
	    "n/parallel/ orch/storage.py /codecs.py /gzip.py /pickle.py /json/decoder.py /json/__init__.py /encodings/");
}

bool
signs_is_installed(struct piece path)
{
	return piece_any_of(path, "site-packages dist-packages") || signs_is_library(path);
}

#define OF_TESTS	"evaluate evaluation eval evals validate validation valid val test testing predict prediction predictions inference infer"
/* What may stand beside one of those in the name of a function that goes through what is tested: a
 * word for how, or for all of it, and none for what a step of training does, too, as in
 * "predict_noise", "evaluate_actions", "valid_mask", or for a test of code, "test_backward". */
#define BESIDE_TESTS	"run do go model models net network loop step steps one epoch epochs single multi gpu batch batches on off dataset data set all main full " \
    "image images img video file folder dir and the a my in with for of during after whole final online offline best ema phase mode acc accuracy loss metric metrics map " \
    "miou sliding window tile tiles tiled patch patches psnr coco voc agent policy end start fn func function process worker iter per split results result fast slow loader dataloader generator sample samples"

/* By the parts of its name: "run_eval", "Trainer.evaluate", "validation_step". */
static bool
evaluates(struct piece function)
{
	struct piece name = signs_last_part(function), part;
	size_t from = 0, to;
	bool tests = false;

	for (; from < name.n; from = to + 1) {
		for (to = from; to < name.n && piece_is_word(name.s[to]) && name.s[to] != '_'; to++)
			;
		part = (struct piece){ name.s + from, to - from };
		if (part.n == 0)
			continue;
		if (piece_is_one_of(part, OF_TESTS))
			tests = true;
		else if (!piece_is_one_of(part, BESIDE_TESTS))
			return false;
	}
	return tests;
}

/* "train_one_epoch", "Net.fit": what it calls is of training, whatever it was called by. */
bool
signs_trains(struct piece function)
{
	struct piece name = signs_last_part(function);
	size_t from = 0, to;

	if (evaluates(function))
		return false;
	for (; from < name.n; from = to + 1) {
		for (to = from; to < name.n && piece_is_word(name.s[to]) && name.s[to] != '_'; to++)
			;
		if (to > from && piece_is_one_of((struct piece){ name.s + from, to - from }, "train training fit finetune"))
			return true;
	}
	return false;
}

/* Calls by their file and their function. */
static const struct sign place_signs[] = {
	{ "fsdp/_state_dict_utils.py checkpoint/state_dict.py", NULL, TRACE_GATHERS },
	{ "fsdp/_state_dict_utils.py checkpoint/state_dict.py", "_load_state_dict set_model_state_dict set_state_dict _pre_load_state_dict _load_model_state_dict _broadcast_state_dict", TRACE_LOADING },
	{ NULL, "_consolidated_16bit_state_dict _zero3_consolidated get_full_model_state_dict", TRACE_GATHERS },
	{ "vllm/ sglang/", "create_weights load_weights process_weights_after_loading", TRACE_LOADING },
	{ "vllm/ sglang/", "profile_run determine_num_available_blocks determine_available_memory",
	    TRACE_PROFILES },
	{ "assigners/ assigner.py iou_calculators/ iou2d_calculator.py detectron2/modeling/matcher.py maskrcnn_benchmark/modeling/matcher.py", NULL,
	    TRACE_PAIRS },
	/* and not get_targets, whose numbers are of anchors and classes */
	{ "utils/tal.py", "get_pos_mask get_box_metrics iou_calculation select_candidates_in_gts select_topk_candidates select_highest_overlaps", TRACE_PAIRS },
	{ NULL, "pairwise_distance square_distance pdist", TRACE_ALL_PAIRS },
	{ NULL, "create_dataset make_dataset build_dataset read_dataset load_dataset load_data read_data load_all_data load_all_image load_all_sample load_all_file prepare_data processed_dataset process_dataset load_random_shard load_corpus read_corpus build_corpus "
	    "load_examples read_examples create_examples examples_to_features load_and_cache_examples",
	    TRACE_DATASET },
	{ "exllama", "load_gen load_autosplit load_tp", TRACE_LOADING },
	{ NULL, "bbox_overlaps pairwise_iou box_iou boxlist_iou bbox_iou _box_inter_union gather_topk_anchors "
	    "set_low_quality_matches", TRACE_PAIRS },
	{ "detection/roi_heads.py detectron2/modeling/roi_heads/ mmdet/models/roi_heads/", NULL, TRACE_ROIS },
	{ NULL, "maskrcnn_loss mask_rcnn_loss project_masks_on_boxes", TRACE_MASKS },
	{ "structures/masks.py", "crop_and_resize", TRACE_MASKS },
	{ NULL, "paste_masks_in_image paste_mask_in_image _do_paste_mask paste_mask", TRACE_PASTES },
	{ "ops/roi_align.py", "_roi_align _bilinear_interpolate masked_index", TRACE_COMPOSED },
	{ "cuda/graphs.py cuda_graph_runner.py cudagraph_utils.py cuda_graph.py", NULL, TRACE_GRAPH },
	{ "orch/nn/parameter.py", "__deepcopy__", TRACE_TWICE },
	{ "cudagraph_trees.py", "_record record_function", TRACE_GRAPH },
	{ NULL, "capture_model capture_begin capture_end capture_one_batch_size init_cuda_graphs", TRACE_GRAPH },
	{ NULL, "_share_filename_ _share_fd_ _to_shared_mem _new_shared", TRACE_SHARED },
	{ "pin_memory.py", NULL, TRACE_PINNED },
	{ NULL, "pin_memory", TRACE_PINNED },
	{ NULL, "_ddp_init_helper", TRACE_BUCKETS },
	{ "sklearn/metrics/pairwise.py", NULL, TRACE_ALL_PAIRS },
	{ NULL, "to_dense_adj", TRACE_DENSE },
	{ "scipy/sparse", "toarray todense", TRACE_SPARSE },
	{ "rasterio/_io", NULL, TRACE_READS },
	{ "scene/gaussian_model", "create_from_pcd", TRACE_DATASET },
	{ "scene/ camera_utils.py", "cameralist_from_caminfos loadcam", TRACE_CAMERAS },
	{ "monai/", "sliding_window_inference", TRACE_WINDOWS },
	{ "comfy/", "prepare_sampling load_models_gpu load_model_gpu patch_model model_load", TRACE_LOADING },
	{ "message_passing.py", "propagate message aggregate lift collect index_select edge_update", TRACE_EDGES },
	{ "torch_geometric.nn", "propagate collect", TRACE_EDGES },	/* made from a template, in a folder for a time */
	{ "dgl/", "update_all apply_edges send_and_recv gspmm gsddmm edge_softmax", TRACE_EDGES },
	{ "keras/initializ keras/src/initializ", NULL, TRACE_INITIAL },
	{ "orch/nn/modules/", "__init__ reset_parameters", TRACE_INITIAL },
	{ "layers/core/dense", NULL, TRACE_UNITS },
	{ "autoencoder vae", "decode encode", TRACE_DECODER },
	{ NULL, "decode_latents decode_first_stage encode_first_stage vae_decode", TRACE_DECODER },
	{ NULL, "initialize_kv_cache allocate_kv_cache init_cache_engine", TRACE_CACHE },
	{ "vllm/ sglang/ transformers/", "_init_cache", TRACE_CACHE },
	{ "exllamav2/cache exllamav3/cache exllama/cache", "__init__ create_state_tensors", TRACE_CACHE },
	{ NULL, "_save_to_state_dict save_checkpoint save_pretrained save_model", TRACE_SAVES },
	{ "transformers/generation", NULL, TRACE_GENERATES },
	{ "subprocess.py multiprocessing/popen_fork.py multiprocessing/forking.py", "_execute_child __init__ _launch", TRACE_FORKS },
	{ "multiprocessing/process.py", "start", TRACE_FORKS },
	{ "multiprocessing/context.py", "_Popen", TRACE_FORKS },
	{ "multiprocessing/popen_spawn multiprocessing/popen_forkserver", NULL, TRACE_PACKS },
	{ NULL, "subprocess_popen", TRACE_FORKS },
	{ NULL, "batchify_rays render_rays raw2outputs render_radiance run_one_iter_of_nerf volumetric_rendering", TRACE_RAYS },
	{ "deepspeed/", "_configure_zero_optimizer initialize_optimizer_states _setup_for_real_optimizer "
	    "_create_fp32_partitions _configure_bf16_optimizer", TRACE_MASTER },
	{ NULL, "convert_to_fp32 float16_to_fp32 fp16_to_fp32", TRACE_CASTS },
	{ "deepspeed/runtime/zero/stage deepspeed/runtime/bf16_optimizer", "__init__", TRACE_MASTER },
	{ "megatron", "get_megatron_optimizer", TRACE_MASTER },
	{ "megatron/optimizer/ megatron/core/optimizer/", "__init__", TRACE_MASTER },
	{ "replay_memory replay_buffer replaymemory replaybuffer baselines3/common/buffers", NULL, TRACE_REPLAY },
	{ "xgboost/", "_init_from_npy2d _init_from_csr _init_from_csc _from_numpy_array _from_scipy_csr _from_scipy_csc _from_pandas_df _transform_pandas_df", TRACE_ARRAY },	/* into a form of its own */
	{ "lightgbm/basic", "__init_from_np2d __init_from_csr _init_from_np2d __init_from_csc", TRACE_ARRAY },
	{ "torchtext/vocab", "cache", TRACE_ARRAY },	/* a list of all words' vectors */
	{ "asr/modules/rnnt.py", "joint", TRACE_ALL_PAIRS },	/* of a recording's frames and a text's tokens */
	{ "joint_network.py transducer/joint.py", "forward", TRACE_ALL_PAIRS },
	{ "corr.py correlation.py", "corr", TRACE_ALL_PAIRS },	/* of all pixels of two pictures */
	{ NULL, NULL, 0 }
};

uint64_t
signs_of_call(struct piece path, struct piece function)
{
	uint64_t facts = signs_match(place_signs, path, function);

	if (piece_find(path, "orch/nn/"))	/* its pairwise_distance() is of rows */
		facts &= ~TRACE_ALL_PAIRS;
	if (piece_find(path, "orch/serialization.py") && !piece_any_whole(function, "save _save _legacy_save"))
		facts |= TRACE_CHECKPOINT;
	if (piece_find(path, "orch/serialization.py") && piece_any_whole(function, "save _save _legacy_save"))
		facts |= TRACE_SAVES;
	if ((piece_find(path, "n/modules/module.py") && piece_any_whole(function, "_apply convert to cuda")) ||
	    piece_any_of(function, "from_pretrained _move_model_to_device _load_pretrained_model "
	    "_load_state_dict_into set_module_tensor_to_device _configure_distributed_model") ||
	    (piece_any_of(function, "load_model") && !piece_any_of(function, "download_model load_model_and load_models_and")))
		facts |= TRACE_LOADING;
	if (piece_find(path, "n/modules/module.py") && piece_any_whole(function, "state_dict"))
		facts |= TRACE_SAVES;
	if (piece_find(path, "orch/optim/") && (piece_any_whole(function, "step _init_group") || piece_any_of(function, "_single_tensor_ _multi_tensor_")))
		facts |= TRACE_STEP;
	if (piece_any_of(function, "_call_impl") || piece_any_whole(function, "closure") ||
	    (piece_find(path, "n/modules/module.py") && piece_any_whole(function, "__call__")))
		facts |= TRACE_FORWARD;
	if (piece_find(path, "orch/autograd/__init__.py") && piece_any_whole(function, "backward"))
		facts |= TRACE_BACKWARD;
	if (piece_any_of(path, "n/parallel/data_parallel.py n/parallel/scatter_gather.py n/parallel/comm.py "
	    "n/parallel/replicate.py"))
		facts |= TRACE_PARALLEL | (piece_any_whole(function, "scatter scatter_kwargs scatter_map replicate") ? TRACE_SPREAD : 0);
	if (piece_any_whole(function, "decorate_context decorate_no_grad"))
		facts |= TRACE_NO_GRAD;
	if (piece_any_of(path, "lightning transformers/trainer fastai/ ignite/ mmcv mmengine "
	    "detectron2/evaluation detectron2/engine") || piece_any_whole(function, "single_gpu_test multi_gpu_test"))	/* OpenMMLab's */
		facts |= TRACE_TRAINER;
	if (piece_any_of(path, "cross_entropy"))
		facts |= TRACE_LOGITS;
	if (piece_any_of(function, "nested_concat pad_and_concatenate distributed_concat"))
		facts |= TRACE_JOIN;
	if (piece_find(path, "transformers/trainer_pt_utils.py") && piece_any_of(function, "pad_and_concatenate"))	/* of evaluation alone */
		facts |= TRACE_JOIN | TRACE_EVALUATES | TRACE_TRAINER;
	if (evaluates(function))
		facts |= TRACE_EVALUATES;
	if (piece_any_whole(function, "_initialize_kv_caches"))	/* of vLLM's engine: the trial run is within it, too */
		facts &= ~TRACE_CACHE;
	return facts;
}
