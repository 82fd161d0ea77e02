/*
 * Tracebacks: what the place where memory ended says of it, in every form in which logs arrive.
 * Beside each is a near miss, which says nothing of the kind. The texts are made up in the forms
 * that Python, notebooks and rich print.
 */
#include "oom_places.h"

#define TORCH	"/env/lib/python3.11/site-packages/torch/"
#define VISION	"/env/lib/python3.11/site-packages/torchvision/"

static const struct place places[] = {
	{ "a model is moved", HEAD CALL("/src/fit.py", "40", "main", "net = Net().to(device)")
	    CALL(TORCH "nn/modules/module.py", "1160", "to", "return self._apply(convert)")
	    CALL(TORCH "nn/modules/module.py", "833", "_apply", "param_applied = fn(param)")
	    CALL(TORCH "nn/modules/module.py", "1158", "convert", "return t.to(") ENDED,
	    TRACE_LOADING, "" },
	{ "anchors are compared with boxes", HEAD CALL(VISION "models/detection/rpn.py", "208", "assign_targets_to_anchors",
	    "match_quality_matrix = self.box_similarity(gt_boxes, anchors_per_image)")
	    CALL(VISION "ops/boxes.py", "327", "_box_inter_union",
	    "lt = torch.max(boxes1[..., None, :2], boxes2[..., None, :, :2])  # [...,N,M,2]") ENDED, TRACE_PAIRS, "" },
	{ "a match is looked for", HEAD CALL("/src/detectron2/modeling/matcher.py", "98", "__call__",
	    "self.set_low_quality_matches_(match_labels, match_quality_matrix)") ENDED, TRACE_PAIRS, "" },
	{ "a detector's body", HEAD CALL(VISION "models/detection/generalized_rcnn.py", "104", "forward",
	    "features = self.backbone(images.tensors)") CALL(VISION "models/resnet.py", "154", "forward",
	    "out = self.conv3(out)") ENDED, 0, "" },
	{ "a detector's second stage", HEAD CALL(VISION "models/detection/roi_heads.py", "773", "forward",
	    "box_features = self.box_head(box_features)") CALL(VISION "models/detection/faster_rcnn.py", "304", "forward",
	    "x = F.relu(self.fc6(x))") ENDED, TRACE_ROIS, "" },
	{ "another's", HEAD CALL("/src/detectron2/modeling/roi_heads/box_head.py", "97", "forward", "x = layer(x)") ENDED,
	    TRACE_ROIS, "" },
	{ "known masks for a loss", HEAD CALL(VISION "models/detection/roi_heads.py", "828", "forward",
	    "rcnn_loss_mask = maskrcnn_loss(mask_logits, mask_proposals, gt_masks, gt_labels, pos_matched_idxs)")
	    CALL(VISION "models/detection/roi_heads.py", "96", "project_masks_on_boxes", "gt_masks = gt_masks[:, None].to(rois)")
	    ENDED, TRACE_ROIS | TRACE_MASKS, "" },
	{ "masks are cropped for a loss", HEAD CALL("/src/detectron2/structures/masks.py", "187", "crop_and_resize",
	    "bit_masks = self.tensor.to(device=device, dtype=torch.float32)") ENDED, TRACE_MASKS, "" },
	{ "features are cropped", HEAD CALL("/src/mrcnn/model.py", "430", "call",
	    "pooled.append(tf.image.crop_and_resize(") ENDED, 0, "" },
	{ "masks are pasted", HEAD CALL(VISION "models/detection/transform.py", "271", "postprocess",
	    "masks = paste_masks_in_image(masks, boxes, o_im_s)") CALL(VISION "models/detection/roi_heads.py", "498",
	    "paste_masks_in_image", "ret = torch.stack(res, dim=0)[:, None]") ENDED, TRACE_ROIS | TRACE_PASTES, "" },
	{ "another's are", HEAD CALL("/src/detectron2/evaluation/evaluator.py", "158", "inference_on_dataset",
	    "outputs = model(inputs)") CALL("/src/detectron2/layers/mask_ops.py", "118", "paste_masks_in_image",
	    "img_masks = torch.zeros(") ENDED, TRACE_PASTES | TRACE_EVALUATES | TRACE_TRAINER, "inference_on_dataset" },
	{ "features are copied into others", HEAD CALL("/src/net.py", "31", "paste", "x[:, :64] = y") ENDED, 0, "" },
	{ "roi_align of PyTorch's operations", HEAD CALL(VISION "ops/roi_align.py", "245", "roi_align",
	    "return _roi_align(input, rois, spatial_scale, output_size[0], output_size[1], sampling_ratio, aligned)")
	    CALL(VISION "ops/roi_align.py", "88", "masked_index", "return input[") ENDED, TRACE_COMPOSED, "" },
	{ "roi_align, compiled", HEAD CALL(VISION "ops/roi_align.py", "255", "roi_align",
	    "return torch.ops.torchvision.roi_align(") ENDED, 0, "" },
	/* names that say less than they seem to */
	{ "points are matched", HEAD CALL("/src/glue/matcher.py", "88", "forward", "desc = desc + self.encode(points)") ENDED, 0, "" },
	{ "a graph is moved", HEAD CALL("/env/dgl/heterograph.py", "5448", "to", "ret._graph = self._graph.copy_to(context)") ENDED, 0, "" },
	{ "a graph's nodes", HEAD CALL("/env/torch_geometric/nn/conv/gcn_conv.py", "195", "forward", "x = self.lin(x)") ENDED, 0, "" },
	{ "points are summed", HEAD CALL("/env/torch_scatter/scatter.py", "41", "scatter_mean", "out = scatter_sum(src, index, dim)") ENDED, 0, "" },
	{ "a policy's actions are weighed in training", HEAD CALL("/src/policy.py", "77", "evaluate_actions", "x = self.body(obs)") ENDED, 0, "" },
	{ "noise is predicted in training", HEAD CALL("/src/ddpm.py", "120", "predict_start_from_noise", "return a * x - b * noise") ENDED, 0, "" },
	{ "points that are valid", HEAD CALL("/src/head.py", "61", "get_valid_points", "m = pts < bound") ENDED, 0, "" },
	{ "a test of code", HEAD CALL("/src/test_model.py", "51", "test_large_step", "y = net(x)") ENDED, 0, "" },
	{ "a model is fetched", HEAD CALL("/src/hub.py", "51", "download_model", "data = f.read()") ENDED, 0, "" },
	{ "what attention gives", HEAD CALL("/src/net.py", "31", "forward", "attn_output = dropout(attn_output)") ENDED, 0, "" },
	{ "a layer of attention", HEAD CALL("/src/net.py", "31", "forward", "x = x + self.dropout(self.attn(x))") ENDED, 0, "" },
	{ "a decoder in tiles", HEAD CALL("/src/nodes.py", "31", "decode", "y = vae.decode(x)") CALL("/src/sd.py", "50", "decode_tiled_", "y = scale(x, tile_x)") ENDED, 0, "" },
	{ "scores of classes", HEAD CALL("/src/net.py", "31", "forward", "scores = softmax(cls_scores / scale)") ENDED, 0, "" },
	{ "what is evaluated is trained", HEAD CALL("/src/search.py", "31", "evaluate", "loss = train_one(net)") CALL("/src/search.py", "50", "train_one", "y = net(x)") ENDED, 0, "" },
	{ "training evaluates", HEAD CALL("/src/fit.py", "31", "train", "evaluate(net)") CALL("/src/fit.py", "50", "evaluate", "y = net(x)") ENDED, TRACE_EVALUATES, "evaluate" },
	{ "all weights are loaded", HEAD CALL("/src/net.py", "31", "load_all_weights", "w = parse(f)") "MemoryError\n", 0, "" },
	{ "a layer's scores", HEAD CALL("/src/net.py", "31", "forward", "self.attn_weights = softmax(attn_weights)") ENDED, TRACE_SCORES, "" },
	{ "scores with a number", HEAD CALL("/src/net.py", "31", "forward", "attn2 = self.dropout(attn2)") ENDED, TRACE_SCORES, "" },
	{ "a try of a server while it captures", HEAD CALL("/env/vllm/worker.py", "51", "_dummy_run", "y = self.model(x)") ENDED, 0, "" },
	{ "what one batch has is joined in prediction", HEAD CALL("/src/net.py", "31", "predict", "x = torch.cat([x, scores], dim=1)") ENDED, TRACE_EVALUATES, "predict" },
	{ "a tensor of results grows", HEAD CALL("/src/net.py", "31", "predict", "preds = torch.cat((preds, y))") ENDED, TRACE_EVALUATES | TRACE_JOIN, "predict" },
	{ "results are joined as they are made", HEAD CALL("/src/net.py", "31", "predict", "return torch.cat([net(x).logits for x in loader])") ENDED,
	    TRACE_EVALUATES | TRACE_JOIN | TRACE_LOGITS, "predict" },
	{ "a loader of a set is predicted", HEAD CALL("/src/run.py", "31", "main", "y = trainer.predict(test_dataset)") ENDED, 0, "" },
	{ "a set is predicted, in batches as a rule", HEAD CALL("/src/run.py", "31", "main", "y = model.predict(test_data)") ENDED, 0, "" },
	{ "a part of a set is given", HEAD CALL("/src/run.py", "31", "main", "y = model(x_train[:32])") ENDED, 0, "" },
	{ "what a process is given is packed", HEAD CALL("C:\\Python\\Lib\\multiprocessing\\popen_spawn_win32.py", "93", "__init__",
	    "reduction.dump(process_obj, to_child)") "MemoryError\n", TRACE_PACKS, "" },
	{ "samples are moved", HEAD CALL("/src/fit.py", "44", "main", "image = image.to(device)") ENDED,
	    0, "" },
	{ "a model is moved, on Windows", HEAD CALL("D:\\nets\\fit.py", "40", "main", "net.cuda()")
	    CALL("D:\\env\\Lib\\site-packages\\torch\\nn\\modules\\module.py", "900", "_apply",
	    "module._apply(fn)") ENDED, TRACE_LOADING, "" },
	{ "the same, quoted", HEAD CALL("D:\\\\env\\\\torch\\\\nn\\\\modules\\\\module.py", "900",
	    "_apply", "module._apply(fn)") ENDED, TRACE_LOADING, "" },
	{ "a file is loaded", HEAD CALL("resume.py", "12", "<module>", "state = torch.load(path)")
	    CALL(TORCH "serialization.py", "1014", "load", "return _load(opened_zipfile,")
	    CALL(TORCH "serialization.py", "390", "default_restore_location", "result = fn(storage, location)")
	    BARE, TRACE_CHECKPOINT, "" },
	{ "a file was loaded before", "loading net.pt\n" HEAD
	    CALL("resume.py", "19", "<module>", "y = net(x)") BARE, 0, "" },
	{ "the optimizer's state", HEAD CALL("/src/fit.py", "80", "epoch", "optimizer.step()")
	    CALL(TORCH "optim/optimizer.py", "373", "wrapper", "out = func(*args, **kwargs)")
	    CALL(TORCH "optim/adam.py", "113", "step", "has_complex = self._init_group(")
	    CALL(TORCH "optim/adam.py", "78", "_init_group", "state['exp_avg'] = torch.zeros_like(p)")
	    ENDED, TRACE_STEP | TRACE_STATE, "" },
	{ "the step of an optimizer that is kept in a table", HEAD
	    CALL("/src/fit.py", "80", "epoch", "state['optimizer'].step()") ENDED, TRACE_STEP, "" },
	{ "the step that a scaler makes", HEAD CALL("/src/fit.py", "80", "epoch", "self.scaler.step(self.optimizer)") ENDED,
	    TRACE_STEP, "" },
	{ "the step of a schedule", HEAD CALL("/src/fit.py", "80", "epoch", "schedule.step(optimizer.steps)") ENDED, 0, "" },
	{ "a model is moved, by its last line", HEAD CALL(TORCH "nn/modules/module.py", "258", "cuda",
	    "return self._apply(lambda t: t.cuda(device))") ENDED, TRACE_LOADING, "" },
	{ "another failure's, after the message", BARE HEAD CALL("/src/fit.py", "12", "main", "net = torch.load(path)")
	    CALL(TORCH "serialization.py", "699", "load", "with _open_file_like(f, 'rb') as opened_file:")
	    "FileNotFoundError: [Errno 2] No such file or directory: 'best.pt'\n", 0, "" },
	{ "its own, after what a log says of it", BARE HEAD CALL("/src/fit.py", "79", "epoch", "loss.backward()") BARE,
	    TRACE_BACKWARD, "" },
	{ "quotation marks of a word processor", HEAD "  File \xe2\x80\x9c/src/fit.py\xe2\x80\x9d, line 9, in main\n"
	    "    net = Net.from_pretrained(name)\n" "MemoryError\n", TRACE_LOADING, "" },
	{ "training that evaluates, too", HEAD CALL("/src/fit.py", "9", "train_and_evaluate", "y = net(x)") ENDED, 0, "" },
	{ "rays", HEAD CALL("/src/nerf.py", "703", "render_rays", "all_ret = batchify_rays(fn, flat, chunk)") ENDED, TRACE_RAYS, "" },
	{ "several devices at once", HEAD CALL("/src/fit.py", "9", "main", "y = net(x)")
	    CALL(TORCH "nn/parallel/data_parallel.py", "114", "forward", "outputs = self.parallel_apply(replicas, inputs, kwargs)")
	    ENDED, TRACE_PARALLEL, "" },
	{ "one device, by what is for several", HEAD CALL("/src/fit.py", "9", "main", "y = net(x)")
	    CALL(TORCH "nn/parallel/data_parallel.py", "112", "forward", "return self.module(*inputs[0], **kwargs[0])")
	    ENDED, 0, "" },
	{ "a process is made", HEAD CALL("/src/fit.py", "12", "main", "for x in loader:")
	    CALL("/usr/lib/python3.6/multiprocessing/popen_fork.py", "66", "_launch", "self.pid = os.fork()")
	    "OSError: [Errno 12] Cannot allocate memory\n", TRACE_FORKS, "" },
	{ "a process is waited for", HEAD CALL("/src/fit.py", "12", "main", "for x in loader:")
	    CALL("/usr/lib/python3.6/multiprocessing/popen_fork.py", "28", "poll", "pid, sts = os.waitpid(self.pid, flag)")
	    "MemoryError\n", 0, "" },
	{ "a step of something else", HEAD CALL("/src/fit.py", "80", "epoch", "scheduler.step()")
	    CALL("/src/env.py", "9", "step", "self.state = self.world(a)") ENDED, 0, "" },
	{ "a sparse matrix is made dense", HEAD CALL("/src/graph.py", "71", "main", "self.mat = data.todense()")
	    CALL("/env/lib/python3.11/site-packages/scipy/sparse/base.py", "849", "todense",
	    "return np.asmatrix(self.toarray(order=order, out=out))")
	    CALL("/env/lib/python3.11/site-packages/scipy/sparse/base.py", "1187", "_process_toarray_args",
	    "return np.zeros(self.shape, dtype=self.dtype, order=order)") "MemoryError\n",
	    TRACE_SPARSE | TRACE_MAKES, "" },
	{ "an array is made by its type", HEAD CALL("/src/prepro.py", "209", "main", "all_feats = np.ndarray([n, 196, 512])")
	    "MemoryError\n", TRACE_MAKES, "" },
	{ "a sparse matrix is turned", HEAD CALL("/src/graph.py", "71", "main", "self.mat = data.tocsr()")
	    CALL("/env/lib/python3.11/site-packages/scipy/sparse/coo.py", "337", "tocsr", "row = self.row[order]")
	    "MemoryError\n", 0, "" },
	{ "weights are saved", HEAD CALL("/src/fit.py", "90", "main", "trainer.save_model(out)")
	    CALL("/env/lib/python3.11/site-packages/bitsandbytes/nn/modules.py", "336", "_save_to_state_dict",
	    "self.weight.data = undo_layout(self.state.CxB, self.state.tile_indices)") ENDED, TRACE_SAVES, "" },
	{ "weights are listed to be saved", HEAD CALL("/src/fit.py", "90", "main", "state = net.state_dict()")
	    CALL(TORCH "nn/modules/module.py", "697", "state_dict", "hook(self, destination, prefix, local_metadata)") ENDED,
	    TRACE_SAVES, "" },
	{ "weights are put back", HEAD CALL("/src/fit.py", "90", "main", "net.load_state_dict(state)")
	    CALL(TORCH "nn/modules/module.py", "697", "load_state_dict", "load(self, state_dict)") ENDED, 0, "" },
	{ "weights were saved", HEAD CALL("/src/fit.py", "91", "main", "saved = y + save_every") ENDED, 0, "" },
	{ "a text is generated", HEAD CALL("/src/ask.py", "9", "main", "out = model.generate(**inputs)")
	    CALL("/env/lib/python3.11/site-packages/transformers/generation/utils.py", "2000", "_sample",
	    "outputs = self(**model_inputs, return_dict=True)") ENDED, TRACE_GENERATES, "" },
	{ "something else is", HEAD CALL("/src/ask.py", "9", "main", "boxes = anchors.generate(size)") ENDED, 0, "" },
	{ "CUDA's words, with the hint that they may be late", HEAD CALL("/src/fit.py", "12", "main", "x = x.to(device)")
	    BARE "CUDA kernel errors might be asynchronously reported at some other API call\n", TRACE_LATE, "" },
	{ "backward", HEAD CALL("/src/fit.py", "79", "epoch", "loss.backward()")
	    CALL(TORCH "autograd/__init__.py", "200", "backward",
	    "Variable._execution_engine.run_backward(") ENDED, TRACE_BACKWARD, "" },
	{ "evaluation", HEAD CALL("/src/fit.py", "99", "main", "evaluate(net, loader)")
	    CALL("/src/fit.py", "61", "evaluate", "y = net(x)")
	    CALL(TORCH "nn/modules/module.py", "1511", "_wrapped_call_impl",
	    "return self._call_impl(*args, **kwargs)") ENDED, TRACE_EVALUATES | TRACE_FORWARD,
	    "evaluate" },
	{ "evaluation without gradients", HEAD CALL("/src/fit.py", "99", "main", "evaluate(net, loader)")
	    CALL(TORCH "utils/_contextlib.py", "115", "decorate_context", "return func(*args, **kwargs)")
	    CALL("/src/fit.py", "61", "evaluate", "y = net(x)") ENDED,
	    TRACE_EVALUATES | TRACE_NO_GRAD, "evaluate" },
	{ "no evaluation", HEAD CALL("/src/retrieval.py", "99", "medieval_walk", "y = net(x)") ENDED, 0, "" },
	{ "results are joined", HEAD
	    CALL("/src/fit.py", "66", "validate", "all_preds = torch.cat((all_preds, preds))") ENDED,
	    TRACE_EVALUATES | TRACE_JOIN | TRACE_PIECES, "validate" },
	{ "skips are joined", HEAD CALL("/src/unet.py", "31", "forward", "x = torch.cat((x, skip), 1)") ENDED,
	    0, "" },
	{ "features are joined in evaluation", HEAD
	    CALL("/src/fit.py", "66", "validate", "y = net(x)")
	    CALL("/src/unet.py", "31", "forward", "feature = torch.cat((feature, skip), 1)") ENDED,
	    TRACE_EVALUATES, "validate" },
	{ "weights are moved as they are needed", HEAD
	    CALL("/src/fit.py", "66", "main", "y = net(x)")
	    CALL(TORCH "nn/modules/module.py", "1518", "_call_impl", "return forward_call(*args)")
	    CALL("/env/site-packages/accelerate/hooks.py", "300", "pre_forward",
	    "set_module_tensor_to_device(module, name, self.device)")
	    CALL("/env/site-packages/accelerate/modeling.py", "400", "set_module_tensor_to_device",
	    "new = value.to(device)") ENDED, TRACE_LOADING | TRACE_FORWARD, "" },
	{ "a closure", HEAD CALL("/src/fit.py", "66", "main", "optimizer.step(closure)")
	    CALL(TORCH "optim/lbfgs.py", "312", "step", "orig_loss = closure()")
	    CALL("/src/fit.py", "60", "closure", "loss = net(x).sum()") ENDED,
	    TRACE_STEP | TRACE_FORWARD, "" },
	{ "softmax of scores", HEAD
	    CALL("/src/net.py", "31", "forward", "weights = F.softmax(scores / self.scale, dim=-1)")
	    CALL(TORCH "nn/functional.py", "1890", "softmax", "ret = input.softmax(dim)") ENDED,
	    TRACE_SCORES, "" },
	{ "softmax of classes", HEAD
	    CALL("/src/net.py", "31", "forward", "p = F.softmax(self.head(x), dim=-1)") ENDED, 0, "" },
	{ "softmax of scores of classes", HEAD
	    CALL("/src/net.py", "31", "forward", "p = F.softmax(scores, dim=1)") ENDED, 0, "" },
	{ "softmax of scores, in a file of attention", HEAD
	    CALL("/src/attention.py", "31", "forward", "p = F.softmax(scores, dim=-1)") ENDED,
	    TRACE_SCORES, "" },
	{ "PyTorch's attention", HEAD
	    CALL("/src/net.py", "31", "forward", "x = F.scaled_dot_product_attention(q, k, v)") ENDED,
	    TRACE_ATTENTION, "" },
	{ "queries times keys", HEAD CALL("/src/net.py", "30", "forward", "a = q @ k.transpose(-2, -1)") ENDED,
	    TRACE_SCORES, "" },
	{ "a product", HEAD CALL("/src/net.py", "30", "forward", "a = x @ self.w") ENDED, 0, "" },
	{ "OpenMMLab's tests", HEAD CALL("/src/mmseg/apis/test.py", "208", "multi_gpu_test", "r = model(x)") ENDED,
	    TRACE_EVALUATES | TRACE_TRAINER, "multi_gpu_test" },
	{ "pairs", HEAD
	    CALL("/src/net.py", "30", "forward", "s = einsum('b h i d, b h j d -> b h i j', a, b)") ENDED,
	    TRACE_SCORES, "" },
	{ "a layer as einsum", HEAD
	    CALL("/src/net.py", "30", "forward", "s = einsum('b n d, d e -> b n e', a, b)") ENDED, 0, "" },
	{ "a sum over pairs", HEAD
	    CALL("/src/net.py", "30", "forward", "s = einsum('b h i d, b h j d -> b h i', a, b)") ENDED, 0, "" },
	{ "attention led there", HEAD CALL("/src/net.py", "30", "forward", "a = self.attn(q @ k.t())")
	    CALL("/src/mlp.py", "12", "forward", "return self.act(x)") ENDED, 0, "" },
	{ "those that were expanded", HEAD CALL("/src/net.py", "30", "forward", "d = torch.sum((x_expand - mean_expand) ** 2, dim=2)") ENDED, TRACE_ALL_PAIRS, "" },
	{ "one that was expanded", HEAD CALL("/src/net.py", "30", "forward", "d = torch.sum((x_expand - mean) ** 2, dim=2)") ENDED, 0, "" },
	{ "logits", HEAD CALL("/src/net.py", "77", "loss", "logits = logits.float()") ENDED, TRACE_LOGITS, "" },
	{ "logits of a whole network", HEAD CALL("/src/fit.py", "77", "main", "logits = net(images)") ENDED,
	    0, "" },
	{ "DataParallel", HEAD CALL("/src/fit.py", "50", "main", "y = net(x)")
	    CALL(TORCH "nn/parallel/data_parallel.py", "184", "forward", "return self.gather(outputs, d)")
	    ENDED, TRACE_PARALLEL, "" },
	{ "DataParallel copies inputs", HEAD CALL("/src/fit.py", "50", "main", "y = net(x)")
	    CALL(TORCH "nn/parallel/data_parallel.py", "171", "scatter", "return scatter_kwargs(inputs, kwargs, device_ids)")
	    ENDED, TRACE_PARALLEL | TRACE_SPREAD, "" },
	{ "DataParallel's layers, one of which copies", HEAD CALL("/src/fit.py", "50", "main", "y = net(x)")
	    CALL(TORCH "nn/parallel/data_parallel.py", "178", "parallel_apply", "return parallel_apply(replicas, inputs, kwargs)")
	    CALL(TORCH "nn/parallel/scatter_gather.py", "35", "scatter", "res = scatter_map(inputs)")
	    ENDED, TRACE_PARALLEL, "" },
	{ "the first call", HEAD CALL("/src/fit.py", "9", "main", "x = torch.zeros(1).cuda()")
	    CALL(TORCH "cuda/__init__.py", "247", "_lazy_init", "torch._C._cuda_init()") BARE,
	    TRACE_FIRST, "" },
	{ "an array is converted", HEAD CALL("/src/data.py", "5", "read", "x = images.astype(np.float64)")
	    "numpy.core._exceptions.MemoryError: Unable to allocate 7.0 GiB for an array with shape "
	    "(1250, 1000, 750) and data type float64\n", TRACE_ARRAY, "" },
	{ "the lines alone", "    attn = torch.bmm(query, key.transpose(1, 2))\n" ENDED, TRACE_SCORES, "" },
	{ "another traceback", HEAD CALL("/src/net.py", "30", "forward", "a = q @ k.transpose(-2, -1)")
	    "ValueError: mask\n\nDuring handling of the above exception, another exception occurred:\n\n"
	    HEAD CALL("/src/fit.py", "12", "report", "y = net(x)") ENDED, 0, "" },
	{ "a debugger's order", "CUDA out of memory. Tried to allocate 98.00 MiB (GPU 0; 7.78 GiB total "
	    "capacity; 7.01 GiB already allocated; 41.00 MiB free; 7.20 GiB reserved in total by PyTorch)\n"
	    CALL("/src/net.py", "31", "forward", "a = q @ k.transpose(-2, -1)")
	    CALL("/src/fit.py", "61", "validate", "y = net(x)"), TRACE_SCORES | TRACE_EVALUATES,
	    "validate" },
	{ "a notebook", "OutOfMemoryError                          Traceback (most recent call last)\n"
	    "Cell In[7], line 3\n      1 net.eval()\n----> 3 predict(net, images)\n\n"
	    "File ~/nets/run.py:88, in predict(net, images)\n     87 for x in images:\n"
	    "---> 88     y.append(net(x))\n\n" ENDED, TRACE_EVALUATES, "predict" },
	{ "an older notebook", "RuntimeError                              Traceback (most recent call last)\n"
	    "<ipython-input-9-8f0c> in <module>()\n----> 1 main()\n\n"
	    "/nets/run.py in attend(self, x)\n     40     q, k, v = self.qkv(x)\n"
	    "---> 41     s = torch.matmul(q, k.transpose(-1, -2))\n     42     return s\n\n" ENDED,
	    TRACE_SCORES, "" },
	{ "a box of rich", "\xe2\x94\x82 /nets/run.py:41 in attend                       \xe2\x94\x82\n"
	    "\xe2\x94\x82   40 \xe2\x94\x82   q, k, v = self.qkv(x)                     \xe2\x94\x82\n"
	    "\xe2\x94\x82 \xe2\x9d\xb1 41 \xe2\x94\x82   s = torch.matmul(q, k.transpose(-1, -2))  \xe2\x94\x82\n"
	    "\xe2\x94\x82   42 \xe2\x94\x82   return s                                  \xe2\x94\x82\n"
	    "\xe2\x95\xb0\xe2\x94\x80\xe2\x95\xaf\n" ENDED, TRACE_SCORES, "" },
	/* FSDP: ByteDance-Seed/Bagel/issues/157; its warning:
	 * tatsu-lab/stanford_alpaca/issues/65 */
	{ "weights are gathered", HEAD CALL("/src/save.py", "109", "save", "state = average.state_dict()")
	    CALL(TORCH "nn/modules/module.py", "2215", "state_dict", "hook(self, prefix, keep_vars)")
	    CALL(TORCH "distributed/fsdp/_state_dict_utils.py", "303", "_full_pre_state_dict_hook",
	    "_common_unshard_pre_state_dict_hook(") ENDED, TRACE_GATHERS | TRACE_SAVES, "" },
	{ "weights are gathered, in a warning", TORCH "distributed/fsdp/fully_sharded_data_parallel.py:2224: "
	    "UserWarning: Failed to clone() tensor with name net.3.weight. Error: CUDA out of memory. Tried to "
	    "allocate 502.00 MiB (GPU 1; 39.59 GiB total capacity; 37.22 GiB reserved in total by PyTorch)\n",
	    TRACE_GATHERS, "" },
	{ "a state dict", HEAD CALL("/src/save.py", "109", "save", "state = net.state_dict()") ENDED, 0, "" },
	/* boxes: dingjiansw101/AerialDetection/issues/8, Deci-AI/super-gradients/issues/1499 */
	{ "boxes by boxes", HEAD CALL("/env/mmdet/core/bbox/assigners/max_iou_assigner.py", "84", "assign",
	    "overlaps = bbox_overlaps(gt_bboxes, bboxes)") ENDED, TRACE_PAIRS, "" },
	{ "boxes", HEAD CALL("/src/boxes.py", "84", "clip", "boxes = boxes.clamp(0, 1)") ENDED, 0, "" },
	/* vllm-project/vllm/issues/19186 */
	{ "graphs are captured", HEAD CALL("/env/vllm/compilation/backends.py", "681", "run",
	    "with torch.cuda.graph(cudagraph, pool=self.graph_pool):")
	    CALL(TORCH "cuda/graphs.py", "84", "capture_end", "super().capture_end()") BARE, TRACE_GRAPH, "" },
	{ "graphs are recorded by torch.compile", HEAD CALL(TORCH "_inductor/cudagraph_trees.py", "2001", "record_function",
	    "node = CUDAGraphNode(") BARE, TRACE_GRAPH, "" },
	{ "a copy of weights", HEAD CALL("/env/lib/python3.11/copy.py", "153", "deepcopy", "y = copier(memo)")
	    CALL(TORCH "nn/parameter.py", "68", "__deepcopy__", "self.data.clone(memory_format=torch.preserve_format), self.requires_grad")
	    ENDED, TRACE_TWICE, "" },
	{ "and of a tensor", HEAD CALL("/env/lib/python3.11/copy.py", "153", "deepcopy", "y = copier(memo)")
	    CALL(TORCH "_tensor.py", "102", "__deepcopy__", "new_storage = self._typed_storage()._deepcopy(memo)") ENDED, 0, "" },
	{ "and a first run without", HEAD CALL(TORCH "_inductor/cudagraph_trees.py", "1950", "run_eager",
	    "out = node.run(new_inputs)") BARE, 0, "" },
	/* after a collector's own place: the same thread */
	{ "graphs, with a place ahead", "ERROR 06-05 06:18:13 [worker.py:470]   File \"" TORCH
	    "cuda/graphs.py\", line 84, in capture_end\nERROR 06-05 06:18:13 [worker.py:470]     "
	    "super().capture_end()\nERROR 06-05 06:18:13 [worker.py:470] " BARE, TRACE_GRAPH, "" },
	{ "memory is locked", HEAD CALL("/src/fit.py", "9", "main", "x = torch.empty(n).pin_memory()") BARE,
	    TRACE_PINNED, "" },
	{ "memory may be locked", HEAD CALL("/src/fit.py", "9", "main", "for x in DataLoader(s, pin_memory=True):")
	    BARE, 0, "" },
	{ "a whole set", HEAD CALL("/src/fit.py", "9", "main", "y = model(x_test.to(device))") ENDED,
	    TRACE_WHOLE, "" },
	{ "a batch", HEAD CALL("/src/fit.py", "9", "main", "y = model(x.to(device))") ENDED, 0, "" },
	{ "a network is copied", HEAD CALL("/src/fit.py", "9", "main", "teacher = copy.deepcopy(model)") ENDED,
	    TRACE_TWICE, "" },
	{ "a buffer is copied", HEAD CALL("/src/fit.py", "9", "main", "self.cache = copy.deepcopy(self.buffer)") ENDED,
	    0, "" },
	{ "the graph is not kept", HEAD CALL("/src/fit.py", "9", "main", "g = grad(y, x, create_graph=False)") ENDED, 0, "" },
	{ "a file is mapped", HEAD CALL("/src/fit.py", "9", "main", "x = np.load(f, mmap_mode='r')") ENDED, 0, "" },
	{ "settings are copied", HEAD CALL("/src/fit.py", "9", "main", "args = copy.deepcopy(defaults)") ENDED,
	    0, "" },
	/* huggingface/pytorch-image-models/issues/432 */
	{ "the graph is kept", HEAD CALL("/src/fit.py", "9", "main", "loss.backward(create_graph=second)") ENDED,
	    TRACE_BACKWARD | TRACE_RETAINS, "" },
	{ "images are decoded", HEAD CALL("/src/draw.py", "9", "main", "images = vae.decode(latents).sample")
	    ENDED, TRACE_DECODER, "" },
	/* huggingface/transformers/issues/24658 */
	{ "DeepSpeed's optimizer", HEAD CALL("/env/deepspeed/runtime/engine.py", "1474", "_configure_zero_optimizer",
	    "optimizer = Stage3(") ENDED, TRACE_MASTER, "" },
	{ "the same, cut ahead of its parts", HEAD CALL("/env/deepspeed/runtime/zero/stage_1_and_2.py", "512", "__init__",
	    "weights_partition = self.parallel_partitioned_bit16_groups[i][rank].to(device).clone().float().detach()") ENDED, TRACE_MASTER, "" },
	{ "a step of its", HEAD CALL("/env/deepspeed/runtime/zero/stage_1_and_2.py", "2012", "unscale_and_clip_grads",
	    "grad.data.mul_(1. / combined_scale)") ENDED, 0, "" },
	{ "an optimizer's state, cut ahead of its step", HEAD CALL(TORCH "optim/adamw.py", "149", "_init_group",
	    "state[\"exp_avg_sq\"] = torch.zeros_like(") ENDED, TRACE_STEP | TRACE_STATE, "" },
	{ "keys and values are kept", HEAD CALL("/env/transformers/cache_utils.py", "360", "update",
	    "self.key_cache[i] = torch.cat([self.key_cache[i], key_states], dim=-2)") ENDED, TRACE_CACHE, "" },
	/* tambetm/simple_dqn/issues/14 */
	{ "an array is made", HEAD CALL("/src/memory.py", "12", "__init__", "self.screens = np.empty((n, h, w))")
	    "MemoryError\n", TRACE_MAKES, "" },
	/* neuraloperator/graph-pde/issues/5 */
	{ "edges", HEAD CALL("/env/torch_geometric/nn/conv/message_passing.py", "317", "propagate",
	    "out = self.message(**kwargs)") ENDED, TRACE_EDGES, "" },
	/* Luciferbobo/DetRF/issues/2 */
	{ "pieces are joined", HEAD CALL("/src/render.py", "1250", "batchify",
	    "all_ret = {k: torch.cat(all_ret[k], 0) for k in all_ret}") ENDED, TRACE_PIECES, "" },
	/* CarperAI/trlx/issues/266, and what only has such a name */
	{ "a bucket of gradients", HEAD CALL("/env/deepspeed/runtime/zero/stage_1_and_2.py", "1936", "reduce_ipg",
	    "buf_0 = torch.empty(int(self.reduce_bucket_size),") ENDED, TRACE_REDUCES, "" },
	{ "a bucket", HEAD CALL("/src/sort.py", "19", "fill", "buf = torch.empty(self.bucket_size)") ENDED, 0, "" },
	/* allenai/open-instruct/issues/393 */
	{ "weights of ZeRO are gathered", HEAD CALL("/src/utils.py", "455", "unwrap_model_for_generation",
	    "with deepspeed.zero.GatheredParameters(model.parameters()):") ENDED, TRACE_GATHERS, "" },
	{ "weights from a hub", HEAD CALL("/src/fit.py", "8", "main", "net = Bert.from_pretrained(name)") ENDED,
	    TRACE_LOADING, "" },
	{ "a network is moved", HEAD CALL("/src/fit.py", "8", "main", "model.to(device)") ENDED, TRACE_LOADING, "" },
	/* apache/mxnet/issues/15711 */
	{ "a batch is shared", HEAD CALL("/env/mxnet/gluon/data/dataloader.py", "64", "reduce_ndarray",
	    "pid, fd, shape, dtype = data._to_shared_mem()") "storage.cc:119: Failed to allocate CPU Memory\n",
	    TRACE_SHARED, "" },
	/* pygod-team/pygod/issues/72, BVLC/caffe/issues/3744 */
	{ "a dense matrix of nodes", HEAD CALL("/env/torch_geometric/utils/to_dense_adj.py", "48", "to_dense_adj",
	    "adj = torch.zeros(size, dtype=edge_attr.dtype)") ENDED, TRACE_DENSE, "" },
	{ "Caffe's network of tests", "F1 syncedmem.cpp:64] Check failed: error == cudaSuccess (2 vs. 0)  out of memory\n"
	    "*** Check failure stack trace: ***\n    @     0x7fcc1f3085cd  google::LogMessage::Fail()\n"
	    "    @     0x7fcc1f30a433  google::LogMessage::SendToLog()\n    @     0x7fcc1f30815b  google::LogMessage::Flush()\n"
	    "    @     0x7fcc1f30ae1e  google::LogMessageFatal::~LogMessageFatal()\n    @     0x7fcc1fa1e2f0  "
	    "caffe::SyncedMemory::to_gpu()\n    @     0x7fcc1fa1d2b9  caffe::SyncedMemory::mutable_gpu_data()\n    @     "
	    "0x7fcc1fa2a562  caffe::Solver<>::InitTestNets()\n", TRACE_TEST_NET, "" },
	/* fudan-zvg/4d-gaussian-splatting/issues/16,
	 * graphdeco-inria/gaussian-splatting/issues/394 */
	{ "Gaussians", HEAD CALL("/src/rasterizer.py", "84", "forward", "n, color = _C.rasterize_gaussians(*args)") ENDED,
	    TRACE_SPLATS, "" },
	{ "cameras", HEAD CALL("/src/scene/__init__.py", "73", "__init__",
	    "self.cameras[s] = cameraList_from_camInfos(info, s, args)") ENDED, TRACE_CAMERAS, "" },
	{ "a camera", HEAD CALL("/src/scene/camera.py", "73", "__init__", "self.camera = find_camera(s)") ENDED, 0, "" },
	/* hsiangyuzhao/RCPS/issues/2 */
	{ "windows", HEAD CALL("/env/site-packages/monai/inferers/utils.py", "185",
	    "sliding_window_inference", "seg = predictor(window_data)") ENDED, TRACE_WINDOWS | TRACE_EVALUATES, "" },
	/* lm-sys/FastChat/issues/256 */
	{ "a state dict of FSDP", "Please check clone implementation of _fsdp_wrapped_module.model.norm.weight. Error: "
	    "CUDA out of memory. Tried to allocate 98.00 MiB (GPU 1; 79.35 GiB total capacity; 76.93 GiB already "
	    "allocated; 72.19 MiB free)\n", TRACE_GATHERS, "" },
	/* AUTOMATIC1111/stable-diffusion-webui/issues/15924 */
	{ "scores and values", HEAD CALL("/src/net.py", "405", "forward", "out = einsum('b i j, b j d -> b i d', attn, v)")
	    ENDED, TRACE_SCORES, "" },
	{ "a product", HEAD CALL("/src/net.py", "405", "forward", "out = einsum('b i, i d -> b d', x, w)") ENDED, 0, "" },
	/* qinzheng93/GeoTransformer/issues/119, oobabooga/textgen/issues/5306 */
	{ "a product of all rows with all rows", HEAD CALL("/src/metric.py", "12", "nearest",
	    "xy = torch.bmm(a, b.transpose(2, 1))") ENDED, TRACE_ALL_PAIRS, "" },
	{ "a product of columns", HEAD CALL("/src/metric.py", "12", "moments",
	    "m = torch.bmm(a.transpose(2, 1), b)") ENDED, 0, "" },
	{ "products of sets, and of one with weights", HEAD CALL("/src/net.py", "9", "forward",
	    "y = torch.bmm(x, self.weight.transpose(1, 2))") ENDED, 0, "" },
	{ "a Gram matrix", HEAD CALL("/src/net.py", "9", "forward",
	    "g = torch.bmm(f, f.transpose(1, 2))") ENDED, 0, "" },
	{ "a number for each row", HEAD CALL("/src/net.py", "9", "forward",
	    "d = F.pairwise_distance(o1, o2)") ENDED, 0, "" },
	{ "another", HEAD CALL("/src/net.py", "9", "forward",
	    "d = F.cosine_similarity(o1, o2, dim=1)") ENDED, 0, "" },
	{ "one for each pair, of scikit-learn", HEAD CALL("/src/net.py", "9", "forward",
	    "d = metrics.pairwise.cosine_similarity(o1, o2)") ENDED, TRACE_ALL_PAIRS, "" },
	{ "a picture is normalised", HEAD CALL("/src/net.py", "9", "forward",
	    "x = (x[None] - mean[:, None, None]) / std[:, None, None]") ENDED, 0, "" },
	{ "each with each", HEAD CALL("/src/net.py", "9", "forward",
	    "d = x[:, None, :] - y[None, :, :]") ENDED, TRACE_ALL_PAIRS, "" },
	{ "a matrix of distances", HEAD CALL("/src/net.py", "9", "forward",
	    "d = dist_mat + 1") ENDED, TRACE_ALL_PAIRS, "" },
	{ "a word that begins as one", HEAD CALL("/src/net.py", "9", "forward",
	    "d = model.dist_matmul(x)") ENDED, 0, "" },
	{ "a network is moved", HEAD CALL("/src/net.py", "9", "forward",
	    "self.net = net.to(device)") ENDED, TRACE_LOADING, "" },
	{ "another by its name", HEAD CALL("/src/net.py", "9", "forward",
	    "poseNet.to(device)") ENDED, TRACE_LOADING, "" },
	{ "a tensor whose name ends as a network's", HEAD CALL("/src/net.py", "9", "forward",
	    "feats = magnet.to(torch.float32)") ENDED, 0, "" },
	{ "the same, by itself", HEAD CALL("/src/net.py", "9", "forward",
	    "magnet.cuda()") ENDED, 0, "" },
	{ "a result of a network's part", HEAD CALL("/src/net.py", "9", "forward",
	    "feats = self.backbone.to(torch.float32)") ENDED, 0, "" },
	{ "distances of pairs", HEAD CALL("/src/ops/pairwise_distance.py", "29", "pairwise_distance",
	    "sq_distances = x2 - 2 * xy + y2") ENDED, TRACE_ALL_PAIRS, "" },
	{ "ExLlama's weights", HEAD CALL("/env/exllamav2/model.py", "263", "load_gen", "module.load()") ENDED,
	    TRACE_LOADING, "" },
	{ "a wrapper's weights", HEAD CALL("/src/ui.py", "213", "load_model_wrapper", "x = load(name, loader)") ENDED,
	    TRACE_LOADING, "" },
	/* JarodMica/ai-voice-cloning/issues/62 */
	{ "the end of a move", "    return t.to(device, dtype if t.is_floating_point() or t.is_complex() else None)\n" BARE,
	    TRACE_LOADING, "" },
	{ "a server's weights", HEAD CALL("/env/vllm/model_executor/layers/linear.py", "113", "create_weights",
	    "weight = Parameter(torch.empty(n, m))") ENDED, TRACE_LOADING, "" },
	{ "a server's trial run", HEAD CALL("/env/vllm/worker/model_runner.py", "874", "profile_run",
	    "self.execute_model(seqs)") ENDED, TRACE_PROFILES, "" },
	{ "another's trial run", HEAD CALL("/src/worker.py", "74", "profile_run", "run(x)") ENDED, 0, "" },
	{ "a file is read", HEAD CALL("/src/fit.py", "9", "main", "table = pd.read_csv(path)") "MemoryError\n",
	    TRACE_READS, "" },
	{ "ggml's cache", "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 6144.00 MiB on device 0: "
	    "cudaMalloc failed: out of memory\nllama_kv_cache_init: failed to allocate buffer for kv cache\n",
	    TRACE_CACHE, "" },
	{ "ggml's weights", "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 6144.00 MiB on device 0: "
	    "cudaMalloc failed: out of memory\nllama_model_load: error loading model: unable to allocate "
	    "CUDA0 buffer\n", TRACE_LAYERS, "" },
	{ "ggml", "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 6144.00 MiB on device 0: "
	    "cudaMalloc failed: out of memory\n", 0, "" },
	{ "a network is made and moved", HEAD CALL("/src/a.py", "9", "f", "model = Net(args).cuda()") ENDED, TRACE_LOADING, "" },
	{ "a tensor is made and moved", HEAD CALL("/src/a.py", "9", "f", "model_out = f(model).cuda()") ENDED, 0, "" },
	{ "all pairs of rows", HEAD CALL("/src/a.py", "9", "f", "d = pdist(x)") ENDED, TRACE_ALL_PAIRS, "" },
	{ "all pairs by a measure", HEAD CALL("/src/a.py", "9", "f", "d = pdist(f(x, 1), 'cosine')") ENDED, TRACE_ALL_PAIRS, "" },
	{ "all pairs by a norm", HEAD CALL("/src/a.py", "9", "f", "d = F.pdist(x, p=2)") ENDED, TRACE_ALL_PAIRS, "" },
	{ "row and row", HEAD CALL("/src/a.py", "9", "f", "d = self.pdist(a, b)") ENDED, 0, "" },
	{ "row and row by its own name", HEAD CALL("/src/a.py", "9", "f", "d = F.pairwise_distance(a, b)") ENDED, 0, "" },
	{ "another's name", HEAD CALL("/src/a.py", "9", "f", "d = my_pdist(x)") ENDED, 0, "" },
	{ "as many rows as columns", HEAD CALL("/src/a.py", "9", "f", "k = np.zeros((n_rows, n_rows), dtype=x.dtype)") ENDED,
	    TRACE_MAKES | TRACE_ALL_PAIRS, "" },
	{ "rows and columns", HEAD CALL("/src/a.py", "9", "f", "k = np.zeros((n_rows, n_cols), dtype=x.dtype)") ENDED, TRACE_MAKES, "" },
	{ "nine numbers", HEAD CALL("/src/a.py", "9", "f", "k = np.zeros((3, 3))") ENDED, TRACE_MAKES, "" },
	{ "names that begin alike", HEAD CALL("/src/a.py", "9", "f", "k = np.zeros((n, n_cols))") ENDED, TRACE_MAKES, "" },
	{ "paths of Windows", HEAD CALL("C:\\new\\net.py", "9", "f", "x = np.vstack((x, y))")
	    CALL("C:\\env\\lib\\numpy\\core\\numeric.py", "4", "vstack", "return concatenate(x)") "MemoryError\n", TRACE_ARRAY, "" },
	{ "a name that Markdown made bold", HEAD CALL("/src/a.py", "9", "**init**", "self.s = np.empty((n, h))") ENDED, TRACE_MAKES, "" },
	{ "code ahead of it", "model.to(device) works; the first call fails:\n" BARE, 0, "" },
	{ "a program ahead of it", "for x in loader:\n    loss.backward()\n" BARE, 0, "" },
	{ "one line of a program ahead of it", "    loss.backward()\n" BARE, 0, "" },
	{ "a program's lines", "loss = train(model)\nloss.backward()\n" BARE, 0, "" },
	{ "a network to the processor", HEAD CALL("/src/a.py", "9", "f", "model = model.to(\"cpu\")") ENDED, 0, "" },
	{ "a network of another type", HEAD CALL("/src/a.py", "9", "f", "model.to(torch.float16)") ENDED, 0, "" },
	{ "a network of another type, on a device", HEAD CALL("/src/a.py", "9", "f", "model.to(torch.device(0), torch.half)") ENDED,
	    TRACE_LOADING, "" },
	{ "a sentence", "The batch is one, but loss.backward() shows CUDA out of memory.\n", 0, "" },
};

TestSuite(oom_trace, .init = setup, .fini = teardown);

Test(oom_trace, tells_the_place)
{
	size_t i, k;

	for (i = 0; i < sizeof(places) / sizeof(*places); i++)
		for (k = 0; k < FORMS; k++) {
			struct out o = { arena_alloc(arena, 40 * strlen(places[i].text) + 1024), 0 };

			if (strcmp(forms[k].name, "wrapped") == 0 ||
			    strcmp(forms[k].name, "amid others") == 0)
				continue;	/* a terminal cuts names in two; others follow */
			forms[k].write(&o, places[i].text);
			expect_place(&places[i], forms[k].name, o);
		}
}
