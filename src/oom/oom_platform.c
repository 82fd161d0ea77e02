/* On what a report's program ran, by names that stand in it: none of it is a fact of the run. */
#include "oom/oom_platform.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"
#include "oom/oom_number.h"

#define OF_LATER	"later|afterwards|eventually|deploy|deployed|deploying|deployment|will|plan|planning|want to|target|compared|instead of|unlike|whereas|also"
#define NO_BOARD	"rtx gtx titan quadro desktop laptop workstation server cluster"

/* Does a line name a board of NVIDIA's as where it runs? Neither in passing, of a person's who runs
 * it elsewhere, nor in a project's name. */
static bool
is_on_board(struct talk t, bool told)
{
	const char *at = NULL;
	size_t n;

	if (!talk_any_begins(t, "jetson tegra") && !talk_any_phrase(t, "xavier nx|agx xavier|agx orin|orin nano|orin nx"))
		return false;
	if (!told)
		return !talk_any_phrase(t, "://");
	while (talk_next_phrase(t, "jetson|tegra|xavier|orin", &at, &n)) {
		struct talk sentence = talk_sentence(t, at);

		if (!talk_has_whole(sentence, OF_LATER) && !talk_any_begins(sentence, NO_BOARD) && !clause_works(talk_clause(t, at, n)) &&
		    !talk_any_phrase(sentence, "://"))
			return true;
	}
	return false;
}

#define TAKEN_BY	"photo photos picture pictures video videos footage recorded recording captured capture camera lidar scan scans scanned took taken shot shots"
#define AHEAD_OF_PHONE	"a an the my our this that old new physical real apple any some gb g"
#define PHONE_WITHIN	4	/* words */

/* "on my iPhone 14", "updated to iPadOS 16": is one of Apple's phones, or the like, what it runs
 * on? Neither where it is to run later, nor what took pictures. */
static bool
is_on_phone(struct talk t)
{
	struct talk word, ahead;
	int i;

	if (talk_has_whole(t, OF_LATER) || talk_any_whole(t, TAKEN_BY) || talk_any_phrase(t, "://"))
		return false;
	for (word = clause_word_behind(t, t.s); word.n > 0; word = clause_word_behind(t, word.s + word.n)) {
		if (!talk_any_begins(word, "iphone ipad") && !talk_is_one_of(word, "ios"))
			continue;
		for (i = 0, ahead = clause_word_ahead(t, word.s); i < PHONE_WITHIN && ahead.n > 0 && (is_digit(*ahead.s) || talk_is_one_of(ahead, AHEAD_OF_PHONE)); i++)
			ahead = clause_word_ahead(t, ahead.s);
		if (talk_is_one_of(ahead, "on to"))
			return true;
	}
	return false;
}

#define ALONE	24	/* bytes of a line that has little more than a name */
/* What Intel's libraries are of, too: "built with oneAPI Deep Neural Network Library (oneDNN) to
 * use the following CPU instructions". */
#define OF_PROCESSOR	"cpu cpus processor onednn avx xeon mkl neural"

/* Whose the GPU is. Neither a list of what is not there nor an address tells; nor does CUDA's name,
 * which PyTorch's calls have on any. */
static void
makers(struct oom_paste *p, struct talk t, int line)
{
	if (talk_any_phrase(t, "n/a|not collect|not available|://"))
		return;
	if (talk_any_begins(t, "nvidia geforce gtx rtx quadro") || talk_any_whole(t, "v100 a100 h100 h200 p100 k80"))
		p->nvidia = line;
	if (talk_any_begins(t, "rocm amdgpu radeon zluda hipblas miopen gfx9 gfx10 gfx11 gfx12") || talk_any_phrase(t, "amd gpu|hip out of memory|hip error"))
		p->amd = line;
	if (talk_any_of(t, "cuda"))
		p->cuda = line;
	if (talk_any_whole(t, "xpu") || (talk_any_begins(t, "oneapi ipex openvino") && !talk_any_begins(t, OF_PROCESSOR)) || talk_any_phrase(t, "intel arc|intel(r) arc|arc a770|arc a750|arc b580|iris xe|intel gpu|intel igpu|intel uhd"))
		p->intel = line;
	if (talk_any_begins(t, "tpu") || talk_any_phrase(t, "tpuv"))
		p->tpu = line;
}

/* "File "/Users/me/train.py"": macOS' folder of people's, which "C:/Users" of Windows and "/users"
 * of a cluster are not. */
static bool
is_in_macs_home(struct talk t)
{
	const char *at = NULL;
	size_t n;

	while (talk_next_phrase(t, "/users/", &at, &n))
		if (memcmp(at, "/Users/", 7) == 0 && (at == t.s || strchr(" \t\"'(=`", at[-1])))
			return true;
	return false;
}

/* "macOS 14.5" */
static bool
names_macos(struct talk t)
{
	const char *at = NULL;
	size_t n;

	while (talk_next_phrase(t, "macos |mac os ", &at, &n))
		if (at + n < t.s + t.n && (is_digit(at[n]) || at[n] == 'x' || at[n] == 'X'))
			return true;
	return false;
}

#define HOST_SIGNS	7	/* of the name that Windows gives a machine by itself, behind its first word */

/* "DESKTOP-4F7K2QD": the name that Windows gives a machine, which people often leave as it is. */
static bool
has_windows_name(struct talk t)
{
	const char *at = NULL, *s, *end = t.s + t.n;
	size_t n;

	while (talk_next_phrase(t, "desktop-|laptop-", &at, &n)) {
		for (s = at + n; s < end && (is_digit(*s) || (*s >= 'A' && *s <= 'Z')); s++)
			;
		if ((*at == 'D' || *at == 'L') && at[1] < 'a' && s - (at + n) >= HOST_SIGNS && (s == end || !piece_is_word(*s)))
			return true;
	}
	return false;
}

/* "Windows 8.1", "Win10"; not where it is said to work. */
static bool
names_windows(struct talk t)
{
	const char *at = NULL;
	size_t n;

	while (talk_next_phrase(t, "windows 7|windows 8|windows 10|windows 11|windows7|windows8|windows10|windows11|win 10|win 11|win7|win10|win11", &at, &n))
		if ((at == t.s || !piece_is_word(at[-1])) && !clause_works(talk_clause(t, at, n)))
			return true;
	return false;
}

/* The most that any card of a kind has, in GiB, those that people have changed among them. */
static const struct {
	const char *names;
	int gib;
} cards[] = {
	{ "rtx 5090|rtx5090", 32 }, { "rtx 4090|rtx4090", 48 }, { "rtx 4080|rtx4080", 32 }, { "rtx 3090|rtx3090|rtx 3090ti|rtx3090ti", 24 }, { "rtx 3080|rtx3080|rtx 3080ti|rtx3080ti", 20 }, { "rtx 3070|rtx3070|rtx 3060|rtx3060|rtx 4060|rtx4060|rtx 4070|rtx4070", 16 },
	{ "rtx 2080|rtx2080|rtx 2080ti|rtx2080ti", 22 }, { "gtx 1080|gtx1080|gtx 1080ti|gtx1080ti|gtx 1070|gtx1070", 11 }, { "gtx 1060|gtx1060|gtx 1660|gtx1660|gtx 1650|gtx1650|gtx 1050|gtx1050", 6 }, { "rtx a6000|a6000|l40|l40s|a40", 48 }, { "rtx a5000|a5000", 24 }, { "rtx a4000|a4000|tesla t4|p100", 16 },
	{ "v100", 32 }, { "a100|a800", 80 }, { "h100|h800|h20", 141 }, { "h200", 141 }, { "a10g", 24 }, { "nvidia l4", 24 }, { "k80", 24 }, { "mi210", 64 }, { "mi250|mi250x", 128 }, { "mi300x", 192 },
	{ "rx 7900 xtx|7900 xtx|7900xtx", 24 }, { "rx 6800|rx 6900|rx 6800 xt|rx 6900 xt", 16 },
};

/* Of all that are named, that which may have the most; one of no kind of these may have more. */
static void
cards_named(struct oom_paste *p, struct talk t, int line)
{
	const char *at;
	bool known = false;
	size_t i, n;

	for (i = 0; i < sizeof(cards) / sizeof(*cards); i++)
		if ((at = talk_find_whole(t, cards[i].names, &n))) {
			known = true;
			if (cards[i].gib <= p->card_most)
				continue;
			p->card_most = cards[i].gib;
			p->card_line = line;
			oom_paste_name(p->card_name, at, at + n);
		}
	if (talk_any_phrase(t, "rtx pro|rtx 6000|quadro rtx|titan rtx|gb10") || (!known && talk_any_begins(t, "gtx rtx tesla quadro radeon instinct titan b100 b200 gb200 b300 mi3 gaudi m1 m2 m3 m4")) || talk_any_whole(t, "tpu tpus"))
		p->card_unknown = line;
}

/* "D:\\models\\a.ckpt": a path with the letter of a drive. */
static bool
has_drive(struct talk t)
{
	const char *s, *end = t.s + t.n;

	for (s = t.s; s + 3 < end; s++)
		if (s[1] == ':' && s[2] == '\\' && s[0] >= 'A' && s[0] <= 'Z' && (s == t.s || memchr(" \"'(`=", s[-1], 7)) && (piece_is_word(s[3]) || s[3] == '\\'))
			return true;
	return false;
}

#define BOUND		(sizeof("memory=") - 1)

/* Does T name so many GB? */
static bool
has_gb(struct talk t, int64_t gb)
{
	const char *to = NULL;
	int64_t n;

	while (oom_number_walk(t, ".", &to, &n))
		if (n == gb && talk_is_one_of(clause_word_behind(t, to), "gb gib g"))
			return true;
	return false;
}

void
oom_platform_line(struct oom_paste *p, struct talk t, int line, bool told)
{
	if (talk_has_whole(t, "mac studio|mac mini|m-series mac|apple silicon|mps out of memory|mps backend out of memory|m1 max|m1 pro|m1 mac|m2 max|m2 pro|m2 mac|m3 max|m3 pro|m3 ultra|m4 max|m4 pro|"
	    "device=mps|device='mps'|device=\"mps\"|device('mps')|device(\"mps\")|mps device|mps backend|torch.mps|metal_cap|mlx|mlcompute|tensorflow-metal|tensorflow_metal|tensorflow-macos|tensorflow_macos|macbook|imac|on mps|mps specific|mps memory") || is_in_macs_home(t) || names_macos(t))
		p->mac = line;
	makers(p, t, line);
	cards_named(p, t, line);
	if (talk_any_phrase(t, "os: windows|platform: windows|built with msvc|c:\\users\\|c:/users/|appdata\\|appdata/local/|\\site-packages\\|operating system: windows|-w64-mingw32|memory.limit(") || names_windows(t) || has_windows_name(t) || has_drive(t) || (talk_any_whole(t, "windows") && t.n < ALONE))
		p->windows = line;
	if (talk_any_whole(t, "android"))
		p->android = line;
	if (talk_any_phrase(t, "set_visible_devices([], 'gpu'|set_visible_devices([], \"gpu\"|set_visible_devices([],'gpu'"))
		p->tf_data = -1;
	else if (p->tf_data == 0 && talk_has_whole(t, "import tensorflow|import tensorflow_datasets|from tensorflow|tf.data|tfds|tensorflow datasets|tensorflow-datasets|tensorflow_datasets"))
		p->tf_data = line;
	if (!talk_any_whole(t, "dgx") && (talk_any_whole(t, "spark pyspark sparksession spark-nlp spark-submit sparkcontext") || talk_any_phrase(t, "org.apache.spark")))
		p->spark = line;
	if (talk_any_phrase(t, "luarocks|torch/install/|cutorch|cudnn.torch|luajit|.lua:|stack traceback:|table.insert(|table.remove(|collectgarbage(|require 'nn'|require 'cunn'|require 'torch'|:cuda()|:zerogradparameters("))
		p->lua = line;
	if ((talk_any_whole(t, "wsl wsl2") && !clause_says_no(t, "outside instead native")) || talk_any_phrase(t, "microsoft-standard"))
		p->wsl = line;
	if (talk_any_phrase(t, "vmmem|vmemm")) {
		p->vmmem = line;
		if (p->wsl_bound && has_gb(t, p->wsl_gb))
			p->wsl_full = line;
	}
	if (!told && t.n > BOUND && talk_first(t, "memory=") == t.s && is_digit(t.s[BOUND]) && piece_number(t.s + BOUND, t.s + t.n, &p->wsl_gb))
		p->wsl_bound = line;
	if (talk_any_phrase(t, "driver/library version mismatch|couldn't communicate with the nvidia driver|driver version is insufficient"))
		p->mismatch = line;
	if (!p->app && is_on_phone(t))
		p->app = line;
	if (talk_any_phrase(t, "increased memory limit|increase memory limit|increased-memory-limit"))
		p->app_raised = line;
	if (talk_any_phrase(t, "chunk-unet|chunk_unet|chunked unet|unet chunk|unet in chunks"))
		p->app_chunks = line;
	if (talk_any_phrase(t, "neural engine|neuralengine") || talk_any_whole(t, "ane"))
		p->app_neural = line;
	if (is_on_board(t, told))
		p->jetson = line;
	if (talk_any_whole(t, "gb10") || talk_any_phrase(t, "dgx spark|unified memory|strix halo|ryzen ai max"))
		p->unified = line;
	if (talk_any_phrase(t, "drop_caches|drop caches|dropping caches|dropping the caches|dropping the page cache|drop the page cache|clear the page cache|clearing the page cache|free the page cache"))
		p->drops = line;
}
