/*
 * What a line of code in a traceback means, by the words in it, is in tables; what calls mean is in
 * oom_calls.c. A new sign is a row; what it tells is said in autopsy/autopsy_place.c.
 */
#include "oom/oom_signs.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_pairs.h"

/* ---- lines of code ---- */

/* Products of all pairs, as "b i d, b j d -> b i j": two operands that differ in one index, which
 * both the result has. */
static bool
is_pairs(struct piece t)
{
	const char *at = piece_find(t, "einsum("), *end = t.s + t.n;
	char index[3][16];
	size_t count[3] = { 0 };
	int part = 0, differ = -1;
	size_t i;

	if (!at)
		return false;
	for (at += 7; at < end && *at != '"' && *at != '\''; at++)
		;
	for (at++; at < end && *at != '"' && *at != '\''; at++) {
		if (*at == ',' || (*at == '-' && part == 1)) {
			if (++part > 2)
				return false;
		} else if (piece_is_word(*at)) {
			if (count[part] == sizeof(index[0]))
				return false;
			index[part][count[part]++] = *at;
		}
	}
	if (part != 2 || count[0] != count[1] || count[0] < 2)
		return false;
	for (i = 0; i < count[0]; i++)
		if (index[0][i] != index[1][i]) {
			if (differ >= 0)
				return false;
			differ = (int)i;
		}
	return differ >= 0 && memchr(index[2], index[0][differ], count[2]) &&
	    memchr(index[2], index[1][differ], count[2]);
}

/* "attn", "attn_weights", "attention_probs": names of scores; neither a layer that is called,
 * "self.attn(x)", nor what attention gives or is given: "attn_output", "attn_mask". */
static bool
names_scores(struct piece t)
{
	static const char *const stem[] = { "attn", "attention_", NULL };
	const char *s, *at, *to, *end = t.s + t.n;
	int i;

	for (i = 0; stem[i]; i++)
		for (s = t.s; (at = piece_find((struct piece){ s, (size_t)(end - s) }, stem[i])); s = to) {
			to = piece_past_word(at, end);
			at += strlen(stem[i]) - (i > 0);
			if ((to == end || *to != '(') && ((at == to && i == 0) || is_digit(*at) ||
			    piece_any_begins((struct piece){ at, (size_t)(to - at) }, "_p _s _w _l _map")))
				return true;
		}
	return false;
}

#define OF_CLASSES	"cls_score class_score box_score bbox_score det_score scores_cls mlvl_score conf_score roi_score obj_score"	/* of what a detector found */

/* A number for each pair, as attention's scores: their product, or softmax. OF: the file or
 * function is of attention. */
static bool
is_scores(struct piece t, bool of)
{
	bool product = piece_any_of(t, "matmul( bmm( baddbmm( einsum(") || piece_find(t, " @ ");
	bool scores = piece_any_of(t, "scores") && !piece_any_of(t, OF_CLASSES), attention = names_scores(t);

	if (of && piece_any_of(t, "_relative_position_to_absolute_position( _matmul_with_relative_keys("))
		return true;		/* of VITS: a number for each pair of frames */
	if (is_pairs(t) || (of && piece_any_whole(t, "matmul_result matmul_input_buffer") && piece_any_of(t, "empty( get_tensor(")))	/* what baddbmm() is to fill with them */
		return true;
	if (product && ((piece_any_of(t, "query") && piece_any_of(t, "key")) ||
	    (piece_any_whole(t, "q") && (piece_any_whole(t, "k") || piece_any_of(t, "k.transpose k.t( k_t")))))
		return true;
	if (attention && (product || piece_any_of(t, "softmax( dropout( attn.masked_fill( weights.masked_fill(")))
		return true;
	return scores && (product || ((of || piece_any_of(t, "sqrt scale")) && piece_find(t, "softmax(")));
}

/* What stands behind the last dot of a name. */
struct piece
signs_last_part(struct piece name)
{
	size_t n = 0;

	while (n < name.n && name.s[name.n - 1 - n] != '.')
		n++;
	return (struct piece){ name.s + name.n - n, n };
}

static bool
is_capital(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* Is a name's last part a network's, or does it end in one: "my_model", "poseNet", but not
 * "magnet"? */
bool
signs_is_network(struct piece part)
{
	static const char *const end[] = { "model", "net", "network", "netg", "netd", "generator", "discriminator",
	    "backbone", "pipe", "pipeline", "model_func", "model_ema", "unet", NULL };
	const char *at;
	size_t n;
	int i;

	for (i = 0; end[i]; i++) {
		if ((n = strlen(end[i])) > part.n)
			continue;
		at = part.s + part.n - n;
		if (piece_find((struct piece){ at, n }, end[i]) &&
		    (n == part.n || at[-1] == '_' || is_capital(at[-1]) || is_capital(*at)))
			return true;
	}
	return false;
}

/* The name that a line of code begins with, if it sets that. */
static struct piece
assigned_name(struct piece t)
{
	const char *is = memchr(t.s, '=', t.n), *from;

	if (!is || is + 1 == t.s + t.n || is[1] == '=')
		return (struct piece){ t.s, 0 };
	while (is > t.s && is[-1] == ' ')
		is--;
	for (from = is; from > t.s && (piece_is_word(from[-1]) || from[-1] == '.'); from--)
		;
	return (struct piece){ from, (size_t)(is - from) };
}

bool
signs_is_of_processor(struct piece t)
{
	return piece_any_of(t, "\"cpu\" 'cpu' .cpu(");
}

/* Does a call that begins at AT, ".cuda(" or ".to(", put something on a device, by what stands
 * within it and behind? Types and the processor are none; what goes on in words, "model.to(device)
 * works", is a sentence. */
static bool
is_to_device(const char *at, const char *end)
{
	const char *open = memchr(at, '(', (size_t)(end - at)), *to;
	struct piece given;
	int depth = 1;

	for (to = open + 1; to < end && depth > 0; to++)
		depth += *to == '(' ? 1 : *to == ')' ? -1 : 0;
	given = (struct piece){ open + 1, (size_t)(to - open - 1) };
	if (signs_is_of_processor(given) || (piece_any_begins(given, "torch.float torch.half torch.bfloat torch.double dtype") &&
	    !memchr(given.s, ',', given.n)))
		return false;
	to = piece_past_blanks(to, end);
	return to == end || !piece_is_word(*to) || piece_any_begins((struct piece){ to, end - to < 5 ? (size_t)(end - to) : 5 },
	    "if for else");
}

/* "netG.cuda()", "self.model = model.to(device)": a network, by its name. What goes by another name
 * then is a result. */
bool
signs_is_move(struct piece t)
{
	const char *at = piece_find(t, ".cuda("), *from, *is, *to;
	struct piece part, given;

	if ((!at && !(at = piece_find(t, ".to("))) || !is_to_device(at, t.s + t.n))
		return false;
	for (from = at; from > t.s && (piece_is_word(from[-1]) || from[-1] == '.'); from--)
		;
	part = signs_last_part((struct piece){ from, (size_t)(at - from) });
	if (from == at && at > t.s && at[-1] == ')')	/* "model = Net(args).cuda()" */
		return signs_is_network(signs_last_part(assigned_name(t)));
	for (is = from; is > t.s && is[-1] == ' '; is--)
		;
	if (is > t.s && is[-1] == '=') {
		for (to = is - 1; to > t.s && to[-1] == ' '; to--)
			;
		for (from = to; from > t.s && (piece_is_word(from[-1]) || from[-1] == '.'); from--)
			;
		given = signs_last_part((struct piece){ from, (size_t)(to - from) });
		if (given.n != part.n || memcmp(given.s, part.s, part.n) != 0)
			return false;
	}
	return signs_is_network(part);
}

/* Not "binary_cross_entropy_with_logits(x, y)", which may have one for each pixel. */
static bool
names_logits(struct piece t)
{
	const char *at, *end = t.s + t.n;
	struct piece rest = t;

	for (; (at = piece_find(rest, "logits")); rest = (struct piece){ at + 1, (size_t)(end - at - 1) })
		if (at - t.s < 5 || !piece_find((struct piece){ at - 5, 5 }, "with_"))
			return !piece_find((struct piece){ at, (size_t)(end - at) }, "logitsloss");
	return false;
}

/* Logits as an operand, not as what a call of the whole network is to return. */
static bool
is_logits(struct piece t)
{
	const char *is = memchr(t.s, '=', t.n), *end = t.s + t.n;
	struct piece operands = is ? (struct piece){ is, (size_t)(end - is) } : t;

	/* what finds objects has a number for each place and anchor, and no vocabulary */
	return piece_any_of(t, "lm_head log_softmax(") || (names_logits(operands) && !piece_any_of(t, "bbox bbx rpn anchor obj_log objectness proposal"));
}

/* Of the innermost line of code that is not PyTorch's own: what it is about, */
static const struct sign code_signs[] = {
	{ "box_iou( bbox_overlaps( bbox_iou( pairwise_iou(", NULL, TRACE_PAIRS },
	{ "read_csv( np.load( pickle.load( json.load( read_parquet( loadtxt( genfromtxt( read_json( "
	    "read_pickle( joblib.load( read_hdf( .readlines( .read().splitlines( .read().split( read_point_cloud( .readasarray( load_tiff(", NULL, TRACE_READS },
	{ "np.ndarray( np.empty( np.zeros( np.ones( np.full( numpy.empty( numpy.zeros( numpy.ones( numpy.full( numpy.ndarray( np_zeros( np_empty( np_ones(", NULL, TRACE_MAKES },
	{ "cdist( compute_distances( distance_matrix euclidean_dist( all_combinations all_pairs", NULL, TRACE_ALL_PAIRS },
	{ "replaymemory( replaybuffer( replay_memory( replay_buffer(", NULL, TRACE_REPLAY },
	{ "rasterize_gaussians", NULL, TRACE_SPLATS },
	{ "reduce_bucket_size allgather_bucket_size", NULL, TRACE_REDUCES },
	{ "model.half().cuda( model.to_empty(", NULL, TRACE_LOADING },
	{ "torch.cat([ torch.stack([ torch.concat([", "range( enumerate(", TRACE_PIECES },
	{ "torch.cat( torch.stack(", "all_ outputs results chunks pieces", TRACE_PIECES },
	{ "deepcopy(model) deepcopy(self.model) deepcopy(net) deepcopy(self.net) deepcopy(network) deepcopy(self.network) "
	    "deepcopy(unet) deepcopy(model.state_dict deepcopy(self.model.state_dict deepcopy(de_parallel( "
	    "deepcopy(model).", NULL, TRACE_TWICE },
	{ "torch.cat([self.key_cache torch.cat([self.value_cache torch.cat([past_key torch.cat((past_key "
	    "torch.cat([past_value", NULL, TRACE_CACHE },
	{ "max_seq_len= max_seq_len = max_cache_len=", "cache( cache_mode( cache_class( cache_type(", TRACE_CACHE },
	{ NULL, NULL, 0 }
};

/* and of any: what it calls. */
static const struct sign call_signs[] = {
	{ "torch.load(", NULL, TRACE_CHECKPOINT },
	{ ".backward(", NULL, TRACE_BACKWARD },
	{ "_cuda_init( cuctxcreate cudeviceprimaryctxretain", NULL, TRACE_FIRST },
	{ "variables_initializer( paddle.load(", NULL, TRACE_LOADING },
	{ "create_graph= retain_graph=true", "backward( grad(", TRACE_RETAINS },
	{ "(x_train) (x_train, (x_test) (x_test, (x_val) (x_val, (train_x) (train_x, (test_x) (test_x, (val_x) (val_x, (train_data) (train_data, (test_data) "
	    "(test_data, x_train. x_test. train_x. test_x. train_data.", ".to( .cuda( model( net( self(", TRACE_WHOLE },
	{ "torch.tensor([", "train_features] eval_features] train_examples] eval_examples] all_features] train_features), all_features),", TRACE_WHOLE },
	{ "optimizer.load_state_dict( optim.load_state_dict( optimizer.load(", NULL, TRACE_CHECKPOINT | TRACE_STATE },
	{ "gatheredparameters(", NULL, TRACE_GATHERS },
	{ ".from_pretrained(", NULL, TRACE_LOADING },
	{ ".toarray( .todense(", NULL, TRACE_SPARSE },
	{ "concatenate(all_outs", NULL, TRACE_JOIN },	/* of a traceback whose head was cut, too */
	{ "torch.save( .save_pretrained(", NULL, TRACE_SAVES },
	{ "cameralist_from_caminfos(", NULL, TRACE_CAMERAS },
	{ "densify_and_ densification_postfix(", NULL, TRACE_SPLATS },
	{ "sliding_window_inference(", NULL, TRACE_WINDOWS },
	{ "._apply(lambda", "t.cuda(", TRACE_LOADING },	/* of Module.cuda(), */
	{ "t.is_floating_point()", "t.to(", TRACE_LOADING },	/* of Module.to() */
	{ "._to_shared_mem(", NULL, TRACE_SHARED },
	{ "torch.cuda.graph( make_graphed_callables( capture_model(", NULL, TRACE_GRAPH },
	{ "pairwise_distances( euclidean_distances( rbf_kernel( pairwise.cosine_similarity( squareform( silhouette_score(", NULL,
	    TRACE_ALL_PAIRS },
	{ "pin_memory( cudahostalloc", NULL, TRACE_PINNED },
	{ "executing", "vaedecode vaeencode", TRACE_DECODER },	/* ComfyUI's nodes */
	{ "vae.decode( first_stage_model.decode( decode_first_stage( first_stage_model.encode( encode_first_stage( decode_latents( vae.encode(", NULL,
	    TRACE_DECODER },
	{ NULL, NULL, 0 }
};

uint64_t
signs_match(const struct sign *list, struct piece a, struct piece b)
{
	uint64_t facts = 0;

	for (; list->words || list->others; list++)
		if ((!list->words || piece_any_of(a, list->words)) && (!list->others || piece_any_of(b, list->others)))
			facts |= list->facts;
	return facts;
}

/* "vectors[word] = np.array(...)", "all.append(np.array(...))": one of many. Neither a column of a
 * table ("x['a'] =") nor a part of an array that is there ("x[:, i] ="). */
static bool
is_entry(struct piece t)
{
	static const char *const sets[] = { "] = np.array(", "]=np.array(", "] = np.asarray(", "]=np.asarray(" };
	const char *at = NULL, *s;
	size_t i;

	if (piece_any_of(t, ".append(np.array( .append(np.asarray("))
		return true;
	for (i = 0; !at && i < sizeof(sets) / sizeof(*sets); i++)
		at = piece_find(t, sets[i]);
	for (s = at; s && s > t.s && *s != ':' && *s != ',' && *s != '\'' && *s != '"'; s--)
		;
	return at && s == t.s;
}

/* "pointers.append(address)", a statement by itself: what is appended was made before, so that the
 * list had no room to grow. */
static bool
is_appended(struct piece t)
{
	const char *at = piece_find(t, ".append("), *from = at, *to, *end = t.s + t.n;

	if (!at)
		return false;
	while (from > t.s && (piece_is_word(from[-1]) || from[-1] == '.'))
		from--;
	for (to = at + strlen(".append("); to < end && (piece_is_word(*to) || *to == '.'); to++)
		;
	return from < at && piece_past_blanks(t.s, end) == from && to < end && *to == ')' && piece_past_blanks(to + 1, end) == end;
}

#define RESULTS	"pred logits output all_ prob result feature embed score label"

/* "torch.stack(output.scores, 1)": what one call gave, for each word that it wrote. */
static bool
is_of_one_call(struct piece t, const char *at)
{
	const char *end = t.s + t.n, *to = at;

	while (to < end && (piece_is_word(*to) || *to == '.'))
		to++;
	return piece_any_of((struct piece){ at, (size_t)(to - at) }, ".scores .logits .hidden_states .attentions") && !(to - at > 5 && memcmp(at, "self.", 5) == 0);
}

/* "torch.cat(preds)", "preds = torch.cat([preds, y])": a list of results, or one that grows;
 * "torch.cat([x, scores], 1)" joins what one batch has. */
static bool
joins_results(struct piece t)
{
	static const char *const joins[] = { "torch.cat(", "torch.stack(", "torch.vstack(", "torch.concat(", NULL };
	const char *at = NULL, *end = t.s + t.n;
	struct piece name;
	int i;

	if (!piece_any_of(t, RESULTS))
		return false;
	for (i = 0; joins[i] && !at; i++)
		if ((at = piece_find(t, joins[i])))
			at = piece_past_blanks(at + strlen(joins[i]), end);
	if (!at || at == end || (*at != '[' && *at != '('))
		return at && !is_of_one_call(t, at);
	name = assigned_name(t);
	return piece_find((struct piece){ at, (size_t)(end - at) }, " for ") ||
	    (piece_any_of(name, RESULTS) && (size_t)(end - at) > name.n + 1 && memcmp(at + 1, name.s, name.n) == 0 && at[1 + name.n] == ',');
}

/* "images = torch.cat((images, image.unsqueeze(0)), dim=0)": a tensor that one more is put behind,
 * where "x = torch.cat([x, skip], 1)" is of one step. */
static bool
joins_to_itself(struct piece t)
{
	static const char *const joins[] = { "torch.cat(", "torch.vstack(", "torch.concat(", NULL };
	const char *at = NULL, *end = t.s + t.n;
	struct piece name = assigned_name(t);
	int i;

	for (i = 0; joins[i] && !at; i++)
		if ((at = piece_find(t, joins[i])))
			at = piece_past_blanks(at + strlen(joins[i]), end);
	if (!at || at == end || (*at != '[' && *at != '(') || name.n == 0)
		return false;
	return (size_t)(end - at) > name.n + 1 && memcmp(at + 1, name.s, name.n) == 0 && at[1 + name.n] == ',' &&
	    (piece_find(t, ".unsqueeze(0)") || piece_find(t, "[none]")) && !piece_find(t, "dim=1") && !piece_find(t, "dim=-1");
}

#define SETS_OF_DATA	"data dataset images imgs train_data test_data train_images test_images x_train x_test x_val x_data xtrain xtest train_x test_x all_data features samples pixels arr array volume stack"

/* "data = (data - mean) / std": all of a set is computed anew from what it was, by its name. */
static bool
computes_anew(struct piece t)
{
	struct piece name = assigned_name(t), rest;
	const char *s, *to, *end = t.s + t.n;

	if (name.n == 0 || !piece_any_whole(name, SETS_OF_DATA) || memchr(name.s, '.', name.n))
		return false;
	for (s = name.s + name.n; s + name.n < end; s = to > s ? to : s + 1) {
		to = piece_past_word(s, end);
		if (to == s || (size_t)(to - s) != name.n || memcmp(s, name.s, name.n) != 0)
			continue;
		rest = (struct piece){ piece_past_blanks(to, end), 0 };
		if (rest.s < end && memchr("-+*/", *rest.s, 4))
			return true;
	}
	return false;
}

uint64_t
signs_of_code(struct piece t, bool of_attention)
{
	uint64_t facts = 0;

	if (piece_any_of(t, "scaled_dot_product_attention( multi_head_attention_forward("))
		facts |= TRACE_ATTENTION;
	else if (is_scores(t, of_attention))
		facts |= TRACE_SCORES;
	else if (is_logits(t))
		facts |= TRACE_LOGITS;
	if ((!(facts & TRACE_SCORES) && pairs_all(t)) ||
	    piece_any_whole(t, "dist_mat distmat pairwise_dist"))
		facts |= TRACE_ALL_PAIRS;
	if (joins_results(t))
		facts |= TRACE_JOIN;
	if (joins_to_itself(t))
		facts |= TRACE_PIECES;
	if (piece_any_of(t, "np.insert( np.append( np.concatenate( np.vstack( np.hstack( np.stack( np.array( numpy.insert( numpy.append( numpy.concatenate( numpy.vstack( numpy.hstack( "
	    "numpy.stack( numpy.array( numpy.asarray( np.asarray( .astype( to_categorical( get_dummies("))
		facts |= is_entry(t) ? TRACE_ENTRY : TRACE_ARRAY;
	if (computes_anew(t))
		facts |= TRACE_ARRAY;
	if (is_appended(t))
		facts |= TRACE_ENTRY;
	if (piece_any_of(t, "np.repeat( np.tile("))
		facts |= TRACE_REPEATS;
	/* what is only reckoned with them is gone after the step */
	if ((piece_any_of(t, "exp_avg momentum_buffer") && piece_any_of(t, "zeros_like( torch.zeros( torch.clone( .new_zeros(")) ||
	    piece_find(t, "zeros_like(p"))
		facts |= TRACE_STATE;
	facts |= signs_match(code_signs, t, t) | (signs_is_move(t) ? TRACE_LOADING : 0);
	if (piece_any_of(t, "hf.get( h5.get( h5f.get( hf[ h5[ h5f[ h5py"))	/* a file's array is in the file until then */
		facts = (facts & ~TRACE_ARRAY) | TRACE_READS;
	if (piece_find(t, "concatenate(all_outs"))	/* Keras' own line, of all that predict() gave */
		facts = (facts & ~TRACE_ARRAY) | TRACE_JOIN;
	if (piece_any_of(t, "mmap_mode chunksize="))	/* and so not as a whole */
		facts &= ~TRACE_READS;
	if (piece_find(t, "load(from_parent)"))
		facts = (facts & ~TRACE_READS) | TRACE_SPAWNED;
	return facts;
}

uint64_t
signs_once_drawn(uint64_t code, struct piece text)
{
	return (code & TRACE_ARRAY) && piece_any_of(text, "mtrand.pyx _generator.pyx") ? (code & ~TRACE_ARRAY) | TRACE_MAKES : code;
}

/* A step of an optimizer: "optimizer.step()", "state['optimizer'].step()",
 * "scaler.step(optimizer)". */
static bool
is_step(struct piece t)
{
	const char *at = piece_find(t, ".step("), *from = at, *end = t.s + t.n;

	if (!at)
		return false;
	while (from > t.s && (piece_is_word(from[-1]) || strchr(".[]'\"", from[-1])))
		from--;
	return piece_find((struct piece){ from, (size_t)(at - from) }, "optim") ||
	    (piece_find((struct piece){ from, (size_t)(at - from) }, "scaler") &&
	    piece_find((struct piece){ at, (size_t)(end - at) }, "optim"));
}

/* "self.data = data.to(device)": what an object keeps for as long as it is there, and by its name
 * is all of them. */
static bool
keeps_data(struct piece t)
{
	struct piece name = assigned_name(t);

	return name.n > 5 && memcmp(name.s, "self.", 5) == 0 && piece_any_of(t, ".to(device .to(self.device .to(args.device .to('cuda .to(\"cuda .cuda(") &&
	    piece_any_whole((struct piece){ name.s + 5, name.n - 5 }, "data dataset train_data all_data x_train features images samples corpus");
}

bool
signs_is_module_move(struct piece line)
{
	return piece_find(line, "t.to(device, dtype if t.is_floating_point()");
}

/* Calls that a line of code makes, wherever it stands. */
uint64_t
signs_of_calls_made(struct piece t)
{
	uint64_t facts = signs_match(call_signs, t, t) | (is_step(t) ? TRACE_STEP : 0) | (keeps_data(t) ? TRACE_WHOLE : 0);

	/* the one is no, the other PyTorch's own line */
	if (piece_any_of(t, "create_graph=false create_graph=create_graph") && !piece_any_of(t, "retain_graph=true"))
		facts &= ~TRACE_RETAINS;
	/* FSDP warns of it on the message's own line */
	if (piece_any_of(t, "_fsdp_wrapped_module") || piece_find(t, "failed to clone() tensor with name"))
		facts |= TRACE_GATHERS;
	if (piece_find(t, "_nn.cross_entropy_loss(") || piece_find(t, "_nn.nll_loss_nd("))	/* PyTorch's own lines */
		facts |= TRACE_LOGITS;
	if (piece_any_begins(t, "dense( linear(") && !piece_any_of(t, "embedding( lstm( gru( rnn( conv"))
		facts |= TRACE_UNITS;
	return facts;
}
