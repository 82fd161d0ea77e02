/*
 * What a place shows of the cause by itself, as tables: a row for each fact of a traceback or a
 * line of code that no figure is needed for (autopsy_place.c tells those that hold).
 */
#include "autopsy/autopsy_place_rows.h"

#include "autopsy/autopsy_parts.h"

/* Whatever the figures are, the place by itself shows what the memory was for. */
const struct place_cause autopsy_places[] = {
	{ TRACE_SPREAD, 0, TRACE_BACKWARD, "By the traceback it failed where DataParallel copies inputs or weights to its devices, before a layer of that step "
	    "ran. In the first step a device had no room for those then: another process may have it, which " LISTER " lists; in a later one, "
	    "tensors of the steps before may lie there." },
	{ TRACE_GATHERS, TRACE_LOADING, TRACE_GENERATES, "By the traceback it failed where a state dict is loaded to weights that are split among devices. What comes whole, read by each rank or "
	    "sent by one to the others (broadcast_from_rank0), may lie on a device for that, beside its part; a sharded one, of which each reads its own part, does not. "
	    "The batch plays no part." },
	{ TRACE_GATHERS, TRACE_GENERATES, 0, "By the traceback it failed where weights that are split among devices are put "
	    "together, to be run, so that a device holds more of them than its part. The batch "
	    "plays no part. TRL generates without with ds3_gather_for_generation=False." },
	{ TRACE_GATHERS, 0, TRACE_LOADING | TRACE_GENERATES, "By the traceback it failed where weights that are split among devices are put "
	    "together, to be saved or run, so that a device holds more of them than its part. The batch "
	    "plays no part. " UNTRIED(BY_OFFLOADING, "For a state dict that is saved, FSDP moves them off the device unit by unit with "
	    "FullStateDictConfig(offload_to_cpu=True, rank0_only=True), and a sharded one gathers nothing.") },
	{ TRACE_SAVES, 0, TRACE_GATHERS | TRACE_TWICE, "By the traceback it failed while weights were saved or made ready for it, beside all that "
	    "training has there: what makes copies of them on the device for that needs room. bitsandbytes before 0.45 does, for weights in "
	    "8 bits, which it puts into another order, and apex, which makes numbers of 32 bits of those of 16. The batch plays a part only by what it leaves free; saving only what is trained (an "
	    "adapter), or from copies in the machine's memory, needs less." },
	{ TRACE_GENERATES, 0, TRACE_NO_BATCH, "By the traceback a model was generating (a text, or what else it writes token by token): keys and values of attention are "
	    "kept for all of its positions and those of the prompt, and, where scores are stored, a number for each pair of the "
	    "prompt's: " TRY BY_SAMPLES "shorter prompts and results (max_new_tokens)" TRY BY_BATCH "fewer at once" TRY_FIRST "fewer texts at once" TRY BY_ANYTHING "fewer beams (num_beams)" TRY_END " take less." },
	{ TRACE_REDUCES, 0, 0, "The line of code makes DeepSpeed's buffer in which values go from device to device: "
	    "it has as many elements as reduce_bucket_size, or allgather_bucket_size, says, and a smaller one "
	    "takes less. The batch plays no part in its size." },
	{ TRACE_PROFILES, 0, TRACE_GRAPH, "By the traceback it failed in the server's trial run, which is as large as what it "
	    "may be asked for at once: fewer tokens or sequences side by side (max_num_batched_tokens, "
	    "max_num_seqs), a shorter max_model_len, fewer or smaller images for each request, or weights in fewer "
	    "bits or on more devices leave room for it." },
	{ TRACE_PAIRS, 0, 0, "By the traceback it failed where boxes are compared with all others "
	    "(anchors, predictions): that grows with the product of their numbers, so one image with many "
	    "takes far more than the rest. Fewer of them at once, by crops or a limit, or comparing those "
	    "images on the processor (gpu_assign_thr in MMDetection; retry_if_cuda_oom in Detectron2), bound it." },
	{ TRACE_COMPOSED, 0, 0, "By the traceback it failed in torchvision's roi_align as it is made of PyTorch's own "
	    "operations, which takes the place of the compiled one where torch.use_deterministic_algorithms(True) asks "
	    "for the same result every time, or where that one is missing. It has a number for each proposal, channel, cell and "
	    "position that is sampled, and where sampling_ratio is not set, for every position of the map. Without "
	    "that setting, with a sampling_ratio, or by torch.compile it takes a part of that." },
	{ TRACE_PASTES, 0, 0, "By the traceback it failed where masks that were found are drawn at the size of their pictures, as "
	    "large as those were before they were scaled: a number for each pixel and each object, in torchvision of 4 "
	    "bytes, and as much again while they are put together, in Detectron2 of one byte beside working memory. Fewer "
	    "objects (box_detections_per_img, TEST.DETECTIONS_PER_IMAGE, a higher threshold of scores) or smaller pictures "
	    "take less; masks as the network makes them (do_postprocess=False in Detectron2's inference()), drawn one by "
	    "one or in the machine's memory, need not lie there at once." },
	{ TRACE_MASKS, 0, TRACE_COMPOSED | TRACE_PASTES, "By the traceback it failed where the loss of masks is made: of those that "
	    "are known, torchvision takes all of a picture's there at the picture's size, 4 bytes a pixel, "
	    "and of those that are found there is a small one for each class and each proposal that shows something. One picture with many "
	    "objects takes far more than the rest: crops, smaller pictures, or fewer proposals "
	    "(box_batch_size_per_image in torchvision, MODEL.ROI_HEADS.BATCH_SIZE_PER_IMAGE in Detectron2) bound it." },
	{ TRACE_ROIS, 0, TRACE_PAIRS | TRACE_COMPOSED | TRACE_PASTES | TRACE_MASKS, "By the traceback it failed in the second stage of "
	    "a detector, whose layers run on all proposals at once: their results grow with the number of those, not with the size of the "
	    "pictures. In training that is 512 a picture unless it is set (box_batch_size_per_image in torchvision, "
	    "MODEL.ROI_HEADS.BATCH_SIZE_PER_IMAGE in Detectron2), in tests as many as are left of overlapping ones, at most "
	    "1000 unless it is set (rpn_post_nms_top_n_test, MODEL.RPN.POST_NMS_TOPK_TEST). What the first stage made "
	    "is there, too, and grows with the pictures and their pixels." },
	{ TRACE_EDGES, 0, 0, "By the traceback it failed where messages are sent along the edges of a graph: such "
	    "results have a row for each edge, however few nodes a loss is asked of. Neighbours that are "
	    "sampled, products with a sparse matrix in place of messages, or fewer features take less." },
	{ TRACE_DENSE, 0, 0, "By the traceback it failed where a graph is made a dense matrix, a number for each pair of "
	    "its nodes, however few edges it has: that grows with the square of the nodes at once. Sampled or "
	    "smaller graphs, or what works on edges alone, take less." },
	{ TRACE_ALL_PAIRS, 0, TRACE_PAIRS | TRACE_SCORES | TRACE_ATTENTION | TRACE_NO_BATCH, "By its words the code there makes, where "
	    "both that it takes are sets (of nodes, points or patches; a recording's frames and a text's tokens), a number, or several, for each pair of them, and for each sample where a batch has several: that grows with the product of their "
	    "numbers, which is the square where the sets are the same. Fewer of them (smaller images or graphs, shorter recordings), or a part of "
	    "one set after the other, take less." },
	{ TRACE_SPLATS, 0, 0, "The line of code renders Gaussians, or adds some: what it makes grows with their number, which "
	    "densification raises as training goes on, and an image's buffers with the tiles that each covers and with its pixels, too. A bound on their "
	    "number (a higher densify_grad_threshold, an earlier densify_until_iter, a cap), or smaller images "
	    "(--resolution) take less." },
	{ TRACE_CAMERAS, 0, 0, "By the traceback it failed while the images of all cameras were loaded, which lie on the "
	    "device from then on unless they are told not to (--data_device cpu); smaller ones (--resolution) or "
	    "fewer take less." },
	{ TRACE_RAYS, 0, 0, "By the traceback it failed where rays are rendered: the network runs for each sample along each ray that "
	    "is taken at once. " TRY BY_PARTS "Fewer rays or points at once (chunk, netchunk, a smaller batch of rays)" TRY BY_ANYTHING "fewer samples along "
	    "each ray" TRY_END ", take less." },
	{ TRACE_WINDOWS, 0, 0, "By the traceback it failed where a volume is gone over in windows: as many at once as "
	    "sw_batch_size says, each as large as roi_size, and results for the whole volume lie on the device unless "
	    "they are told not to (device=\"cpu\")." },
	{ TRACE_BUCKETS, 0, 0, "By the traceback it failed where DistributedDataParallel is set up: it makes "
	    "buffers for all gradients, as many bytes as weights that are trained have, behind NCCL's own. The batch plays no "
	    "part." },
	{ TRACE_MASTER, 0, TRACE_PINNED, "By the traceback it failed where DeepSpeed's or Megatron's optimizer is set up: " MASTER_COPIES },
	{ TRACE_TWICE, 0, TRACE_BACKWARD, "By the traceback it failed where a network is copied, as an average of weights (EMA) or "
	    "a teacher does: its weights lie there twice for as long as the copy is held. The batch plays no part." },
	{ TRACE_DECODER, 0, TRACE_LOADING, "By the traceback it failed where an autoencoder (VAE) makes or "
	    "reads what it is for. Where those are images or films, its first and last layers have their full height and width, and take more with each pixel, "
	    "frame and image at once: " TRY BY_TILES "in tiles (enable_vae_tiling in diffusers)" TRY BY_ANYTHING "in slices" TRY BY_ANYTHING "one by one" TRY_END " they "
	    "need a part of that." },
	{ TRACE_PIECES, 0, TRACE_JOIN | TRACE_LOADING | TRACE_CACHE, "The line of code joins pieces to one tensor, "
	    "so that pieces and whole lie there at once. Smaller or fewer ones take less; where nothing is "
	    "trained on them, pieces that are moved to the machine's memory as they come (.cpu()) leave the "
	    "device their room." },
	{ TRACE_WHOLE, 0, 0, "By its names the line of code takes a whole set of samples at once. Unless that is "
	    "a batch of it, batches, as a DataLoader makes them, take a part of that." },
	{ TRACE_CASTS, 0, TRACE_BACKWARD | TRACE_STEP, "By the traceback it failed where what a network gives is copied to float32, beside what it is in 16 bits: in a language model "
	    "that is a number for each position and each word of the vocabulary. " TRY BY_SAMPLES "Shorter sequences" TRY BY_BATCH "fewer at once" TRY_FIRST "fewer sequences at once" TRY_END " make both smaller; a loss that "
	    "takes the network's results in parts needs no copy of all of them." },
	{ TRACE_RETAINS, 0, 0, "The line of code tells backward to keep the graph (create_graph, retain_graph). "
	    "Where that is true, what forward keeps stays as long as the loss or a gradient made so is held, "
	    "and adds up from step to step if they are; create_graph needs what backward makes, too." },
	{ TRACE_TEST_NET, 0, 0, "By the stack it failed while Caffe made the network of tests, beside that of "
	    "training: its data layer has a batch of its own (phase TEST), and the results of both networks "
	    "lie there." },
	{ 0, 0, 0, NULL }
};

/* Where it was the machine's memory. */
const struct place_cause autopsy_host_places[] = {
	{ TRACE_SHARED, 0, 0, "By the traceback it failed where a loader's process puts a batch into shared memory "
	    "(/dev/shm)" UNTRIED(BY_ROOM, ", of which Docker gives a container 64 MiB, unless --shm-size (or --ipc=host) says "
	    "otherwise") ". " TRY BY_WORKERS "Fewer loader processes" TRY BY_BATCH "smaller batches" TRY_END ", need less of it." },
	{ TRACE_READS, 0, 0, "The line of code reads a file as a whole" OF_NO_PICKLE(". In parts (chunksize, an iterator), or, "
	    "of an array of numbers, mapped (mmap_mode=\"r\"), it need not lie there at once.") OF_PICKLE(", and makes it into the objects that were pickled, which may take several times its bytes and are there all at once: "
	    "less in the file (a smaller model or set, parts that are pickled by themselves), or another format, takes less.") },
	{ TRACE_STEP, TRACE_STATE, TRACE_BACKWARD | TRACE_FORWARD, "By the traceback it failed where the optimizer makes what it keeps: numbers for each element of a weight (Adam two, in PyTorch of the weight's type), "
	    "made at the first step as a rule and held from then on. The batch plays no part in their size; " TRY BY_ANYTHING "SGD" TRY BY_ANYTHING "an optimizer in 8 bits" TRY BY_ADAPTER "fewer weights that are trained" TRY_END " need less." },
	{ TRACE_SAVES, 0, TRACE_GATHERS | TRACE_TWICE | TRACE_LOADING, "By the traceback it failed while something was written to a file, as weights are (a state dict, a checkpoint): what is written lies in the machine's memory as a whole, with the optimizer's numbers "
	    "where they are in it, and a part of it may be copied for that. Without these, or written in parts, it takes less." },
	{ TRACE_DATASET, 0, TRACE_READS | TRACE_ALL_PAIRS, "By the traceback it failed in a function whose name says that it makes or reads the data set: where "
	    "that is all of it at once, it lies there whole. Where samples are read as they are needed (a Dataset that opens "
	    "a file for each, a generator, numpy.memmap), a batch does, and what is read ahead." },
	{ TRACE_INITIAL, 0, TRACE_UNITS, "By the traceback it failed where a layer's weights get their first values. An embedding has a row of them for "
	    "each word, a recurrent layer its units times what goes into it and its units together, several times (an LSTM four), a convolution a filter for each channel that goes in and each "
	    "that comes out, a dense one a number for each unit and each number that goes into it: fewer of these make it smaller. The batch plays no part." },
	{ TRACE_INITIAL, TRACE_UNITS, 0, "By the traceback it failed where a layer's weights get their first values. A dense layer has one for each "
	    "of its units and each number that goes into it, which behind a flattened picture are all of its pixels and channels: "
	    "fewer units, or a smaller picture ahead of it (pooling, strides), make it smaller in proportion. The batch plays no part." },
	{ TRACE_SPAWNED, 0, 0, "The line of code reads what a new process is given by the one that began it: where processes are "
	    "spawned, as on Windows, each has a copy of its own of what it is given. Where it is a data loader's, that is the "
	    "data set as it is: fewer loader processes (num_workers), or a data set that opens files when it is asked, take "
	    "less." },
	{ TRACE_REPEATS, 0, 0, "The line of code repeats an array: the result is as many times as large as it is told, and where that "
	    "is the number of rows of another, it has something for each pair. Broadcasting (an axis of one in place of "
	    "copies), or a part after the other, takes less." },
	{ TRACE_ARRAY, 0, TRACE_SPARSE, "The line of code makes a new array from what it is given, and both "
	    "are held at once. In parts, or into an array that is there, one is enough." OF_DOUBLES(" Where its values need no 8 bytes each, fewer (dtype) take less.") },
	{ TRACE_ENTRY, 0, 0, "The line of code puts one more into what holds others, as a list does. Where it is one of many, such as a word's "
	    "vector, a sample or a place in a file, all of them together are what takes the memory: those that are needed alone, 4 bytes an element in place of 8, "
	    "numbers in an array in place of objects on a list, one array that is made for all of them ahead, or a part after the other, take less." },
	{ TRACE_SPARSE, 0, 0, "By the traceback a sparse matrix is made dense: a number for each of its rows and columns, "
	    "however few are not zero. Kept sparse, or made dense by a few rows at once, it needs a part of that." },
	{ TRACE_LOADING | TRACE_CHECKPOINT, 0, TRACE_FORWARD | TRACE_PINNED, "By the traceback it failed while weights were made in the machine's memory, read into it or moved there. Where they are read, a model's "
	    "own and those of its file may lie there together, the model's in float32 unless it is told otherwise: half of "
	    "that in 16 bits (torch_dtype), and one of the two where they are read one by one (low_cpu_mem_usage=True in "
	    "transformers, a file in parts, safetensors). The batch plays no part." },
	{ TRACE_PACKS, 0, 0, "By the traceback it failed where a new process is made that shares nothing with this one (spawned, as on Windows): what it is "
	    "given is packed for it, and lies there once more meanwhile, and then in the new process. Where it is a data loader's, that is the data set "
	    "as it is: fewer loader processes (num_workers), or a data set that opens files when it is asked, take less." },
	{ TRACE_FORKS, 0, TRACE_PACKS, "By the traceback it failed where a process is made. On Linux it begins as a copy of this one, and "
	    "where this one is large the kernel may refuse to promise as much again, although little of it would be "
	    "written. Processes that are made before the data are read, fewer of them" OF_NO_PROGRAM(" (workers), smaller data, or another "
	    "way to begin them (\"spawn\", \"forkserver\")") OF_PROGRAM(" (by the traceback it is another program that is started), or smaller data") " help, and so does a kernel that promises more "
	    "(vm.overcommit_memory=1, swap)." },
	{ TRACE_MAKES, 0, TRACE_ARRAY | TRACE_SPARSE | TRACE_REPLAY, "The line of code makes an array of a size that it is told, all at once" OF_BYTES(": fewer bytes an element take less") ". Where it is a "
	    "memory of what was seen, or a table of all samples, a shorter one, or one in a file (numpy.memmap), takes less." },
	{ TRACE_PIECES, 0, TRACE_JOIN | TRACE_ARRAY | TRACE_LOADING | TRACE_CACHE, "The line of code joins pieces to one tensor, so that pieces and whole lie there at once, and the whole grows with how "
	    "many pieces there are. Results that are reduced to what is asked of them as they come (sums, argmax), or written to files in parts, take less." },
	{ TRACE_JOIN, 0, TRACE_ARRAY, "By the traceback it failed where results are joined: they grow with the number "
	    "of samples that are evaluated, not with a batch. Reduced first to what is asked of them "
	    "(argmax; in transformers preprocess_logits_for_metrics), or in parts (predict_on_batch() in Keras), they take less." },
	{ 0, 0, 0, NULL }
};
