/* On what a report's program ran, by names that stand in it: none of it is a fact of the run. */
#include "oom/oom_platform.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_clause.h"

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

void
oom_platform_line(struct oom_paste *p, struct talk t, int line, bool told)
{
	if (talk_has_whole(t, "mac studio|mac mini|m-series mac|apple silicon|mps out of memory|mps backend out of memory|m1 max|m1 pro|m1 mac|m2 max|m2 pro|m2 mac|m3 max|m3 pro|m3 ultra|m4 max|m4 pro|"
	    "device=mps|device='mps'|device=\"mps\"|device('mps')|device(\"mps\")|mps device|mps backend|torch.mps|metal_cap|mlx|mlcompute|tensorflow-metal|tensorflow_metal|tensorflow-macos|tensorflow_macos|macbook|imac|on mps|mps specific|mps memory") || is_in_macs_home(t) || names_macos(t))
		p->mac = line;
	makers(p, t, line);
	if (talk_any_phrase(t, "os: windows|platform: windows|built with msvc|c:\\users\\|c:/users/|appdata\\|appdata/local/|\\site-packages\\|operating system: windows|-w64-mingw32|memory.limit(") || names_windows(t) || has_windows_name(t) || (talk_any_whole(t, "windows") && t.n < ALONE))
		p->windows = line;
	if (talk_any_phrase(t, "luarocks|torch/install/|cutorch|cudnn.torch|luajit|.lua:"))
		p->lua = line;
	if ((talk_any_whole(t, "wsl wsl2") && !clause_says_no(t, "outside instead native")) || talk_any_phrase(t, "microsoft-standard"))
		p->wsl = line;
	if (talk_any_phrase(t, "driver/library version mismatch|couldn't communicate with the nvidia driver|driver version is insufficient"))
		p->mismatch = line;
	if (is_on_board(t, told))
		p->jetson = line;
	if (talk_any_whole(t, "gb10") || talk_any_phrase(t, "dgx spark|unified memory|strix halo|ryzen ai max"))
		p->unified = line;
}
