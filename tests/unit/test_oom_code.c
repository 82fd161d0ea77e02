/*
 * Code that is pasted beside a log, line by line, and beside each line that tells something one
 * that is like it and tells nothing. The lines are made up in the forms that people paste.
 * test_oom_paste.c has more of it.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "oom_lines.h"

Test(oom_code, code_within_a_sentence)
{
	cr_expect_eq(read_lines("In the loop I add them up by `epoch_loss += loss`, and it ends.\n").sums, 1);
	cr_expect_eq(read_lines("I write `x = 1`, and keep them with `preds.append(model(x))` there.\n").lists, 1, "the second");
	cr_expect_eq(read_lines("In the loop I add them up by `epoch_loss += loss.item()`, and it ends.\n").sums, 0);
	cr_expect_eq(read_lines("I did not write `epoch_loss += loss` in the loop.\n").sums, 0);
	cr_expect_eq(read_lines("You should not add, and why `epoch_loss += loss` is there is a question.\n").sums, 0);
	cr_expect_eq(read_lines("In the loop I add them up by `epoch_loss += loss, and it ends.\n").sums, 0, "it does not end");
	cr_expect_eq(read_lines("I write this with `\n").sums, 0);
	cr_expect_eq(read_lines("I write nothing in `` and ``.\n").sums, 0);
}

Test(oom_code, copies_that_hold_their_graph)
{
	cr_expect_eq(read_lines("preds.append(model(x).cpu())\n").copies, 1);
	cr_expect_eq(read_lines("`preds = torch.cat((preds, pred_of_batch.cpu()))`\n").copies, 1);
	cr_expect_eq(read_lines("preds.append(model(x).detach().cpu())\n").copies, 0);
	cr_expect_eq(read_lines("preds.append(model(x).cpu().numpy())\n").copies, 0);
	cr_expect_eq(read_lines("names.append(x.cpu())\n").copies, 0);
	cr_expect_eq(read_lines("# preds.append(model(x).cpu())\n").copies, 0, "a comment");
	cr_expect_eq(read_lines("print('#'); preds.append(model(x).cpu())\n").copies, 1, "a string's");
}

Test(oom_code, a_tensor_that_grows)
{
	cr_expect_eq(read_lines("preds = torch.cat([preds, logits], dim=0)\n").lists, 1);
	cr_expect_eq(read_lines("preds = torch.cat([preds, logits.detach()], dim=0)\n").lists, 0);
	cr_expect_eq(read_lines("x = torch.cat([h, logits], dim=0)\n").lists, 0, "a layer's");
	cr_expect_eq(read_lines("x = torch.cat([x, skip], dim=1)\n").lists, 0, "a layer's");
	cr_expect_eq(read_lines("preds = torch.cat([preds2, logits])\n").lists, 0);
	cr_expect_eq(read_lines("outs = [model(x.cuda()) for x in loader]\n").lists, 1);
	cr_expect_eq(read_lines("    ys = [self.net(x) for x in parts]\n").lists, 1);
	cr_expect_eq(read_lines("outs = [model(x).detach() for x in loader]\n").lists, 0);
	cr_expect_eq(read_lines("nets = [Model(n) for n in sizes]\n").lists, 0, "makes networks");
	cr_expect_eq(read_lines("nets = [model(n) for n in range(3)]\n").lists, 0, "may make networks");
	cr_expect_eq(read_lines("rows = [parse(x) for x in lines]\n").lists, 0);
	cr_expect_eq(read_lines("outs = [model(x)]\n").lists, 0);
	cr_expect_eq(read_lines("outs = [\n").lists, 0);
	cr_expect_eq(read_lines("preds = torch.cat([preds").lists, 0, "cut");
}

Test(oom_code, evaluation_by_any_networks_name)
{
	cr_expect_eq(read_lines("model.eval ()\n").evaluates, 1);
	cr_expect_eq(read_lines("self.netG.eval()\n").evaluates, 1);
	cr_expect_eq(read_lines("df.eval('a + b')\n").evaluates, 0);
	cr_expect_eq(read_lines("magnet.eval()\n").evaluates, 0);
	cr_expect_eq(read_lines("model.eval(x)\n").evaluates, 0);
	cr_expect_eq(read_lines("model.eval").evaluates, 0, "cut");
	cr_expect_eq(read_lines("trainer.fit(model)\n").no_grad, 1);
	cr_expect_eq(read_lines("  File \"/a/onmt/trainer.py\", line 190, in train\n").no_grad, 0, "anyone's file");
	cr_expect_eq(read_lines("  File \"/a/transformers/trainer.py\", line 190, in train\n").no_grad, 1);
	cr_expect_eq(read_lines("  File \"a.py\", line 9, in trainer\n").no_grad, 0);
}

Test(oom_code, volatile_is_no_longer_what_switches_gradients_off)
{
	struct oom_paste p = read_lines("x = Variable(x, volatile=True)\n");

	cr_expect_eq(p.volatiles, 1);
	cr_expect_eq(p.no_grad, 0);
	cr_expect_eq(read_lines("x = Variable(x, volatile=False)\n").volatiles, 0);
	cr_expect_eq(read_lines("    volatile=True)\n").volatiles, 1);
	cr_expect_eq(read_lines("I use python 3.6, not volatile=true since 0.4\n").volatiles, 0, "a sentence");
}

Test(oom_code, all_samples_on_the_device)
{
	cr_expect_eq(read_lines("X_train, y_train = X_train.to(device), y_train.to(device)\n").all_moved, 1);
	cr_expect_eq(read_lines("x = torch.from_numpy(train_data).float().cuda()\n").all_moved, 1);
	cr_expect_eq(read_lines("x = X_train[i:i+64].to(device)\n").all_moved, 0, "a part");
	cr_expect_eq(read_lines("x = x_train_batch.to(device)\n").all_moved, 0);
	cr_expect_eq(read_lines("for x in train_data.to_list(): net.cuda()\n").all_moved, 0);
	cr_expect_eq(read_lines("x = X_train.to_csv(path)\n").all_moved, 0);
	cr_expect_eq(read_lines("x = X_train.to('cpu')\n").all_moved, 0);
}

Test(oom_code, all_samples_at_once)
{
	cr_expect_eq(read_lines("y_pred = model(X_test)\n").all_run, 1);
	cr_expect_eq(read_lines("out = self.net(x_train.cuda())\n").all_run, 1);
	cr_expect_eq(read_lines("out = self.net(x_train[:64])\n").all_run, 0);
	cr_expect_eq(read_lines("out = magnet(x_train)\n").all_run, 0);
	cr_expect_eq(read_lines("y = model.predict(X_test)\n").all_run, 0, "which makes batches");
	cr_expect_eq(read_lines("def model(x_train):\n").all_run, 0);
	cr_expect_eq(read_lines("(x_train)\n").all_run, 0);
}

Test(oom_code, the_size_of_pictures)
{
	struct oom_paste p = read_lines("a = 1\nt = transforms.Resize((512, 1024))\n");

	cr_expect_eq(p.high, 512);
	cr_expect_eq(p.wide, 1024);
	cr_expect_eq(p.pixels_line, 2);
	cr_expect_eq(read_lines("python train.py --img-size 1280 --batch 4\n").high, 1280);
	cr_expect_eq(read_lines("python train.py --img-size 1280 --batch 4\n").wide, 0, "of one side, and not the batch");
	cr_expect_eq(read_lines("  --resolution=1024 \\\n").high, 1024);
	cr_expect_eq(read_lines("transforms.Resize(256)\n").high, 256);
	cr_expect_eq(read_lines("transforms.Resize(256)\n").wide, 0, "the shorter side");
	cr_expect_eq(read_lines("RandomCrop(512)\n").wide, 512);
	cr_expect_eq(read_lines("crop_size=512\n").wide, 512);
	cr_expect_eq(read_lines("Input(input_shape=(300, 300, 3))\n").wide, 300);
	cr_expect_eq(read_lines("img_size=640\nRandomCrop(512)\n").high, -1, "of several sizes");
	cr_expect_eq(read_lines("INPUT.MAX_SIZE_TRAIN: 1333\n").high, 1333);
	cr_expect_eq(read_lines("  MAX_SIZE_TRAIN: **300**\n").high, 300);
	cr_expect_eq(read_lines("IMAGE_MAX_DIM = 1024\n").high, 1024);
	cr_expect_eq(read_lines("    GT_size: 480\n").wide, 480);
	cr_expect_eq(read_lines("img_size=8\n").high, 0);
	cr_expect_eq(read_lines("x.resize(n)\n").high, 0);
	cr_expect_eq(read_lines("my_img_size=640\n").high, 0);
	cr_expect_eq(read_lines("img_size").high, 0, "cut");
}

Test(oom_code, a_network_is_moved_and_nothing_else)
{
	cr_expect_eq(read_lines(" net = net.to(device).\n").moves, 1);
	cr_expect_eq(read_lines("`model.cuda()`\n").moves, 1);
	cr_expect_eq(read_lines("when I call model.cuda() it runs on the GPU (0)\n").moves, 0);
	cr_expect_eq(read_lines("x = x.to(device)\n").moves, 0);
	cr_expect_eq(read_lines("net.to('cuda', torch.float16)  # half\n").moves, 1);
	cr_expect_eq(read_lines("net = net.to(\"cpu\")\n").moves, 0);
	cr_expect_eq(read_lines("net.to(device='cpu')\n").moves, 0);
	cr_expect_eq(read_lines("net.to(torch.float16)\n").moves, 0, "a type");
	cr_expect_eq(read_lines("net.cuda(\n").moves, 0, "cut");
	cr_expect_eq(read_lines("").moves, 0);
}
