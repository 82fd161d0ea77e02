/*
 * What is pasted beside a log, line by line, and beside each line that tells something one that is
 * like it and tells nothing. The lines are made up in the forms that people paste.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "oom_lines.h"

Test(oom_paste, a_sum_of_losses_that_are_tensors)
{
	struct oom_paste p = read_lines("x = 1\n    self.running_loss += loss\n");

	cr_expect_eq(p.sums, 2);
	cr_expect_str_eq(p.sum, "self.running_loss");
	cr_expect_eq(read_lines("loss_sum += criterion(y, t) * lossweight\n").sums, 1);
	cr_expect_eq(read_lines("running_loss += loss.item()\n").sums, 0);
	cr_expect_eq(read_lines("total_loss += loss.data[0]\n").sums, 0);
	cr_expect_eq(read_lines("total_loss += float(loss)\n").sums, 0);
	cr_expect_eq(read_lines("loss += smoothness_loss\n").sums, 0, "losses of one step");
	cr_expect_eq(read_lines("total_steps += 1\n").sums, 0);
	cr_expect_eq(read_lines("total_time += lossless.compress(x)\n").sums, 0);
	cr_expect_eq(read_lines("total += lossy(x)\n").sums, 0);
	cr_expect_eq(read_lines("losstensorMean += losstensor\n").sums, 1);
	cr_expect_eq(read_lines("total += losses['a']\n").sums, 1);
	cr_expect_eq(read_lines("total += aux_loss_of(y)\n").sums, 1);
	cr_expect_eq(read_lines("total_loss = total_loss + 1\n").sums, 0);
	cr_expect_eq(read_lines("running += 1  # loss\n").sums, 0, "a comment");
	cr_expect_eq(read_lines("epoch_time += loss_time\n").sums, 0, "of seconds");
	cr_expect_eq(read_lines("running += loss  # of a batch\n").sums, 1);
}

Test(oom_paste, a_sum_that_backward_is_called_on_is_a_steps)
{
	const char *sum = "for x in xs:\n  total_Loss = 0\n  for w in ws:\n    total_Loss += w * crit_loss(x)\n  ";
	const char *const none[] = { "total_Loss.backward()", "(total_Loss / n).backward()", "accelerator.backward(total_Loss)" };
	const char *const kept[] = { "loss.backward()", "my_total_Loss.backward()", "total_Losses.backward()",
	    "print(total_Loss)" };
	char text[256];

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		snprintf(text, sizeof(text), "%s%s\n", sum, none[i]);
		cr_expect_eq(read_lines(text).sums, 0, "%s", none[i]);
	}
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		snprintf(text, sizeof(text), "%s%s\n", sum, kept[i]);
		cr_expect_eq(read_lines(text).sums, 4, "%s", kept[i]);
	}
}

Test(oom_paste, a_sum_of_what_backward_was_called_on)
{
	cr_expect_eq(read_lines("err.backward()\ne_train += err / len(loader)\n").sums, 2);
	cr_expect_eq(read_lines("self.err.backward()\nself.e += self.err\n").sums, 2);
	cr_expect_eq(read_lines("err.backward()\ne_train += err.item() / n\n").sums, 0);
	cr_expect_eq(read_lines("err.backward()\ne_train += float(err)\n").sums, 0);
	cr_expect_eq(read_lines("err.backward()\ne_train += errors\n").sums, 0, "another");
	cr_expect_eq(read_lines("err.backward()\nerr += err * 2\n").sums, 0, "itself");
	cr_expect_eq(read_lines("e_train += err / len(loader)\n").sums, 0, "no backward");
}

Test(oom_paste, a_sum_of_rounds_that_backward_is_called_on_behind_them)
{
	struct oom_paste p = read_lines("loss = 0\nfor i in range(64):\n    loss += criterion(model(x[i]), y[i])\nloss.backward()\n");

	cr_expect_eq(p.rounds, 3);
	cr_expect_eq(p.rounds_end, 4);
	cr_expect_eq(read_lines("for x, y in s:\n    out = model(x)\n    loss += criterion(out, y)\nloss.backward()\n").rounds, 3);
	cr_expect_eq(read_lines("for i in r:\n    loss += criterion(model(x[i]), y[i])\n    loss.backward()\n").rounds, 0, "in each round");
	cr_expect_eq(read_lines("out = model(x)\nfor w in ws:\n    loss += w * criterion(out, y)\nloss.backward()\n").rounds, 0, "of one forward");
	cr_expect_eq(read_lines("for i in r:\n    loss += criterion(model(x[i]), y[i]).item()\nloss.backward()\n").rounds, 0);
	cr_expect_eq(read_lines("for i in r:\n    loss += criterion(model(x[i]), y[i])\nlosses.backward()\n").rounds, 0, "another");
	cr_expect_eq(read_lines("for t in r:\n    out, h = decoder(out, h)\n    loss += criterion(out, y[t])\nloss.backward()\n").rounds, 0, "steps of a sequence");
}

Test(oom_paste, a_sum_of_rounds_that_backward_is_called_on_in_some_of_them)
{
	struct oom_paste p = read_lines("err = 0.\nfor n, (a, b) in enumerate(it):\n\tout = net(a)\n\terr += criterion(out, b)\n\tif n % 4 == 3:\n\t\terr.backward()\n\t\terr = 0.\n");

	cr_expect_eq(p.rounds, 4);
	cr_expect_eq(p.rounds_end, 6);
	cr_expect(p.in_some);
	cr_expect_eq(read_lines("for n in r:\n  err = 0\n  out = net(a)\n  err += criterion(out, b)\n  if n % 4 == 3:\n    err.backward()\n").rounds, 0, "begun anew in each");
	cr_expect_eq(read_lines("for n in r:\n  out = net(a)\n  err += criterion(out, b)\n  if n > 4:\n    err.backward()\n").rounds, 0, "not by turns");
	cr_expect_eq(read_lines("for n in r:\n  out = net(a)\n  err += criterion(out, b)\n  if n % 4 == 0:\n    print(n)\n  err.backward()\n").rounds, 0, "in each round");
	cr_expect_eq(read_lines("for n in r:\n  err = criterion(net(a), b) / 4\n  err.backward()\n  if n % 4 == 0:\n    opt.step()\n").rounds, 0, "as it should be");
}

Test(oom_paste, a_meter_that_is_given_a_loss)
{
	struct oom_paste p = read_lines("losses.update(loss, inp.size(0))\n");

	cr_expect_eq(p.sums, 1);
	cr_expect_str_eq(p.sum, "losses");
	cr_expect_eq(read_lines("err.backward()\nself.avg_meter.update(err)\n").sums, 2);
	cr_expect_eq(read_lines("losses.update(loss.item(), n)\n").sums, 0);
	cr_expect_eq(read_lines("losses.update(loss.data[0], n)\n").sums, 0);
	cr_expect_eq(read_lines("losses.update(float(loss), n)\n").sums, 0);
	cr_expect_eq(read_lines("pbar.update(loss)\n").sums, 0, "no meter");
	cr_expect_eq(read_lines("loss_meter.update(n, loss)\n").sums, 0);
	cr_expect_eq(read_lines("loss_meter.update(step)\n").sums, 0);
}

Test(oom_paste, results_by_the_name_that_they_were_given)
{
	cr_expect_eq(read_lines("temp = model(x).view(-1)\nright.append(temp)\n").lists, 2);
	cr_expect_eq(read_lines("temp = model(x)\nright.append(temp.to('cpu'))\n").copies, 2);
	cr_expect_eq(read_lines("temp = model(x)\nright.append(temp.detach())\n").lists, 0);
	cr_expect_eq(read_lines("temp = model(x).item()\nright.append(temp)\n").lists, 0);
	cr_expect_eq(read_lines("temp = model(x)\ntemp = 3\nright.append(temp)\n").lists, 0);
	cr_expect_eq(read_lines("temp = model(x)\nright.append(temporary)\n").lists, 0);
	cr_expect_eq(read_lines("x = self.backbone(x)\nouts.append(x)\n").lists, 0, "a module's own");
	cr_expect_eq(read_lines("y = Net(3)\nall.append(y)\n").lists, 0, "a network is made");
	cr_expect_eq(read_lines("net = get_net()\nnets.append(net)\n").lists, 0, "and given");
	cr_expect_eq(read_lines("all = torch.cat((all, model(x)), 0)\n").lists, 1);
}

Test(oom_paste, results_on_a_list)
{
	cr_expect_eq(read_lines("preds.append(model(x))\n").lists, 1);
	cr_expect_eq(read_lines("losses.append(loss)\n").lists, 1);
	cr_expect_eq(read_lines("preds.append(model(x).cpu())\n").lists, 0);
	cr_expect_eq(read_lines("losses.append(loss.item())\n").lists, 0);
	cr_expect_eq(read_lines("names.append(name)\n").lists, 0);
	cr_expect_eq(read_lines("names.append(output_path)\n").lists, 0);
	cr_expect_eq(read_lines("features.append(feature_name)\n").lists, 0);
	cr_expect_eq(read_lines("feats.append(feature_of_path(p))\n").lists, 1);
	cr_expect_eq(read_lines("feats.append(feats_by_id[i])\n").lists, 1);
	cr_expect_eq(read_lines("# outputs.append(output)  removed\n").lists, 0, "a comment");
}

Test(oom_paste, evaluation_and_what_switches_gradients_off)
{
	struct oom_paste p = read_lines("model.eval()\nfor x in loader:\n    y = model(x)\n    z = model(y)\n");

	cr_expect_eq(p.evaluates, 1);
	cr_expect_eq(p.runs, 3);
	cr_expect_eq(p.no_grad, 0);
	cr_expect_eq(read_lines("y = model(x)\nmodel.eval()\n").runs, 0);
	cr_expect_eq(read_lines("model.eval()\nplot_model(model)\n").runs, 0);
	cr_expect_eq(read_lines("model.eval()\nself.b = resnet(  # backbone\n").runs, 0);
	cr_expect_eq(read_lines("model.eval()\nclass Net(Module):\n").runs, 0);
	cr_expect_eq(read_lines("model.eval()\ndef model(x):\n").runs, 0);
	cr_expect_eq(read_lines("model.eval()\ny = self.model(x)\n").runs, 2);
	cr_expect_eq(read_lines("@torch.inference_mode()\n").no_grad, 1);
	cr_expect_eq(read_lines("trainer = Trainer(model)\n").no_grad, 1);
}

Test(oom_paste, a_graph_that_is_kept)
{
	cr_expect_eq(read_lines("loss.backward(retain_graph=True)\n").keeps, 1);
	cr_expect_eq(read_lines("loss.backward(retain_graph=False)\n").keeps, 0);
	cr_expect_eq(read_lines("the option retain_graph=True does not help\n").keeps, 0);
}

Test(oom_paste, a_models_size_is_in_its_name)
{
	cr_expect_eq(read_lines("--model meta-llama/Llama-3.1-70B-Instruct\n").millions, 70000);
	cr_expect_eq(read_lines("Qwen1.5-0.5B\n").millions, 500);
	cr_expect_eq(read_lines("'/data/pyllama/7B/consolidated'\n").millions, 7000);
	cr_expect_eq(read_lines("gemma-2-9b_it\n").millions, 9000);
	cr_expect_eq(read_lines("llama-7b\nllama-13b\n").millions, -1, "which of the two is not known");
	cr_expect_eq(read_lines("llama-7b\nllama-7b\n").millions, 7000);
	cr_expect_eq(read_lines("mixtral-8x7B\n").millions, 0, "eight of them, and what they share");
	cr_expect_eq(read_lines("llama-2-4bit\n").millions, 0);
	cr_expect_eq(read_lines("/home/opt/resnet-50b/\n").millions, 0, "of no family of such models");
	cr_expect_eq(read_lines("llama-blobs/4f7b21\n").millions, 0);
	cr_expect_eq(read_lines("llama-13b-GPTQ\n").few_bits, 1);
	cr_expect_eq(read_lines("llama-13b\n").few_bits, 0);
	cr_expect_eq(read_lines("\"llama-13b\",\n    load_in_4bit=True,\n").few_bits, 2, "on a line of its own");
	cr_expect_eq(read_lines("openai/gpt-oss-20b\n").few_bits, 1);
	cr_expect_eq(read_lines("llama-13b\nx.astype(uint8)\n").few_bits, 0);
	cr_expect_eq(read_lines("llama-13b\ntorch_dtype=torch.bfloat16\n").many_bits, 2);
	cr_expect_eq(read_lines("llama-13b\n").many_bits, 0);
}

Test(oom_paste, darknets_configuration)
{
	struct oom_paste p = read_lines("[net]\n#batch=1\n**batch=24**\nsubdivisions = 8\nwidth=416\nheight=320\nchannels=3\n");

	cr_expect_eq(p.batch, 24);
	cr_expect_eq(p.parts, 8);
	cr_expect_eq(p.parts_line, 4);
	cr_expect_eq(p.width, 416);
	cr_expect_eq(p.height, 320);
	cr_expect_eq(read_lines(" Try to set subdivisions=64 in your cfg-file.\n").parts, 0);
	cr_expect_eq(read_lines("batch=64 please\nsubdivisions=\n").batch, 0);
}

Test(oom_paste, the_process_that_has_most)
{
	struct oom_paste p = read_lines("|    0      1301      G   /usr/lib/xorg/Xorg                4018MiB |\n"
	    "|    0      5898      C   ./darknet                         1906MiB |\n"
	    "|    0   N/A  N/A      5899    C+G   python3                1000MiB |\n");

	cr_expect_str_eq(p.holder, "./darknet");
	cr_expect_eq(p.holder_bytes, (int64_t)1906 << 20);
	cr_expect_eq(p.holder_line, 2);
	cr_expect_eq(read_lines("|  0%   61C    P0    24W /  75W |   1917MiB /  2002MiB |      3%      Default |\n").holder_bytes, 0);
	cr_expect_eq(p.holder_gpu, 0);
	cr_expect_eq(read_lines("| no C here MiB |\n").holder_bytes, 0);
	cr_expect_eq(read_lines("|    3   N/A  N/A      5899    C   python3                1000MiB |\n").holder_gpu, 3);
	cr_expect_eq(read_lines("|        N/A  N/A      5899    C   python3                1000MiB |\n").holder_gpu, -1);
}

Test(oom_paste, within_a_traceback_only_what_switches_gradients_off)
{
	struct oom_paste p = { 0 };
	const char *line = "total_loss += loss", *grad = "with torch.no_grad():";
	struct arena *a = arena_new();
	struct lexicon *l = lexicon_new(a);

	oom_paste_line(&p, lexicon_read(l, line, strlen(line)), 1, SOURCE_TRACE, true);
	oom_paste_line(&p, lexicon_read(l, grad, strlen(grad)), 2, SOURCE_TRACE, true);
	arena_free(a);
	cr_expect_eq(p.sums, 0);
	cr_expect_eq(p.no_grad, 2);
}

Test(oom_paste, what_reads_weights_and_what_makes_images)
{
	cr_expect_eq(read_lines("\nLoading checkpoint shards:  67%|######    | 2/3 [00:07<00:03]\n").loads, 2);
	cr_expect_eq(read_lines("net.load_state_dict(torch.load(path))\n").loads, 1);
	cr_expect_eq(read_lines("loader = DataLoader(images)\n").loads, 0);
	cr_expect_eq(read_lines("python scripts/txt2img.py --n_samples 4\n").images, 1);
	cr_expect_eq(read_lines("images = images.to(device)\n").images, 0);
	cr_expect_eq(read_lines("accelerate launch x.py\n").trains, 1);
	cr_expect_eq(read_lines("python train_text_to_image.py\n").trains, 1);
	cr_expect_eq(read_lines("load(pretrained_model)\npretrain_x\n").trains, 0);
}

Test(oom_paste, what_was_stopped_and_where)
{
	struct oom_paste p = read_lines("!python /content/train.py\nEpoch 1\n^C\n");

	cr_expect_eq(p.colab, 1);
	cr_expect_eq(p.stopped, 3);
	cr_expect_eq(read_lines("^C\nKeyboardInterrupt\n").stopped, 0, "by hand");
	cr_expect_eq(read_lines("press ^C to stop\n").stopped, 0);
	cr_expect_eq(read_lines("^C\nInterrupted by the user, best model saved\n").stopped, 0, "it went on");
	cr_expect_eq(read_lines("^C\n \n```\n").stopped, 1);
	cr_expect_eq(read_lines("Cloning https://github.com/foo/content/repo\n").colab, 0);
	cr_expect_eq(read_lines("open('/content/a.csv')\n").colab, 1);
	cr_expect_eq(read_lines("cd ./content/repo\n").colab, 0);
}

Test(oom_paste, results_in_a_tensor_of_the_device)
{
	struct oom_paste p = read_lines("out = torch.empty(n, 64).cuda()\ni = 0\n  out[i] = model(x)\n");

	cr_expect_eq(p.stores, 3);
	cr_expect_str_eq(p.store, "out");
	cr_expect_eq(read_lines("out = torch.empty(n, 64)\nout[i] = model(x)\n").stores, 0, "in the machine's memory");
	cr_expect_eq(read_lines("out = torch.empty(n, 64, device=\"cpu\")\nout[i] = model(x)\n").stores, 0, "there, too");
	cr_expect_eq(read_lines("out = torch.empty(n, 64).to('cpu')\nout[i] = model(x)\n").stores, 0, "there, too");
	cr_expect_eq(read_lines("out = torch.zeros(n).cuda()\nout[i] = model(x).detach()\n").stores, 0);
	cr_expect_eq(read_lines("out = torch.zeros(n).cuda()\nout[i] = 1\n").stores, 0);
	cr_expect_eq(read_lines("out = torch.zeros(n).cuda()\noutput[i] = model(x)\n").stores, 0);
	cr_expect_eq(read_lines("out = torch.zeros(n).cuda()\nout[").stores, 0, "cut");
	cr_expect_eq(read_lines("out = torch.zeros(n).cuda()\nout").stores, 0, "cut");
}

Test(oom_paste, a_full_batch_and_julia)
{
	cr_expect_eq(read_lines("python full_batch.py\n").whole, 1);
	cr_expect_eq(read_lines("the full batch of 32\n").whole, 0);
	cr_expect_eq(read_lines("FullBatchNorm enabled\n").whole, 0);
	cr_expect_eq(read_lines("use_full_batch_norm, full_batches\n").whole, 0);
	cr_expect_eq(read_lines("full_batch_norm=1 --fullbatch\n").whole, 1);
	cr_expect_eq(read_lines("run(full_batch_size)\n").whole, 1);
	cr_expect_eq(read_lines("ERROR: LoadError: it failed\n").julia, 1);
	cr_expect_eq(read_lines("ImportError: LoadError\n").julia, 0);
}

Test(oom_paste, names_of_what_holds_nothing)
{
	cr_expect_eq(read_lines("preds = model(x).detach().cpu()\nall_preds.append(preds)\n").lists, 0);
	cr_expect_eq(read_lines("preds = model(x)\nall_preds.append(preds)\n").lists, 2);
	cr_expect_eq(read_lines("preds = y.cpu().numpy()\npreds = model(x)\nall_preds.append(preds)\n").lists, 3, "set anew");
	cr_expect_eq(read_lines("loss_value = loss.item()\nrunning_loss += loss_value\n").sums, 0);
	cr_expect_eq(read_lines("loss_value = criterion(a, b)\nrunning_loss += loss_value\n").sums, 2);
	cr_expect_eq(read_lines("loss_value = loss.item()\nlosses.update(loss_value)\n").sums, 0);
}

Test(oom_paste, a_list_of_one_step)
{
	cr_expect_eq(read_lines("for h in heads:\n    losses.append(loss_of(h(z), y))\nsum(losses).backward()\n").lists, 0);
	cr_expect_eq(read_lines("for h in heads:\n    losses.append(loss_of(h(z), y))\nloss = torch.stack(losses).mean()\n").lists, 0);
	cr_expect_eq(read_lines("for x in loader:\n    losses.append(loss)\nmean = sum(losses) / n\n").lists, 2, "of an epoch");
	cr_expect_eq(read_lines("def forward(self, x):\n    for t in r:\n        outputs.append(output)\n    return x\n").lists, 0, "a layer's own");
	cr_expect_eq(read_lines("    def forward(self, x):\n        return x\n\nfor x in loader:\n    outputs.append(model(x))\n").lists, 5, "behind it");
}

Test(oom_paste, weights_without_a_gradient)
{
	cr_expect_eq(read_lines("for p in model.parameters():\n    p.requires_grad = False\nmodel.eval()\ny = model(x)\n").runs, 0);
	cr_expect_eq(read_lines("model.eval()\ny = model(x)\n").runs, 2);
	cr_expect_eq(read_lines("x = Variable(x, requires_grad=False)\nmodel.eval()\ny = model(x)\n").runs, 3, "of what is given, not of weights");
}

Test(oom_paste, what_an_object_keeps)
{
	cr_expect_eq(read_lines("    def forward(self, x):\n        self.outputs.append(output)\n").lists, 2);
	cr_expect_eq(read_lines("    def forward(self, x):\n        self.total_loss += loss\n").sums, 2);
	cr_expect_eq(read_lines("    def compute_loss(self, x):\n        total_loss += loss\n        return total_loss\n").sums, 0, "of one step");
	cr_expect_eq(read_lines("total_loss += loss\ngrads = tape.gradient(total_loss, weights)\n").sums, 0);
	cr_expect_eq(read_lines("losses.append(loss)\ntotal = sum(losses)\ntotal.backward()\n").lists, 0);
	cr_expect_eq(read_lines("losses.append(loss)\ntotal = sum(losses)\nother.backward()\n").lists, 1);
}

Test(oom_paste, gradients_that_are_asked_for)
{
	cr_expect_eq(read_lines("model.eval()\nx.requires_grad_()\ny = model(x)\ny.backward()\n").runs, 0);
	cr_expect_eq(read_lines("model.eval()\ny = model(x)\nmodel.train()\nloss.backward()\n").runs, 2);
}
