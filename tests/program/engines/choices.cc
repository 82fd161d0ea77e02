/*
 * Files of engines (kernels/host/choices_file_cuda.cu) and their lines (choices_cuda.cu), on a host: what was kept is read
 * again; of a file that was cut off anywhere, or of which a byte is another, nothing is believed; lines that are no choices
 * are refused though the file is whole; what is read of anything at all is a list within its bounds. Its argument is a folder.
 */
#define USE_CUDNN
#define PROGRAM	"engines"
#define NETWORK	"engines"
#define ARENA_BYTES	4096ll
#define BUFFERS	1

#include <string>

#include "host/common.h"
#define DEVICE_TOO	static inline

struct cudaDeviceProp {
	char name[256];
	int multiProcessorCount;
};

#define CUDA(call)	(void)(call)
static int cudaGetDevice(int *to) { return *to = 0; }
static int cudaDriverGetVersion(int *to) { return *to = 13000; }
static int device_arch(void) { return 90; }

static int
cudaGetDeviceProperties(struct cudaDeviceProp *to, int)
{
	memset(to, 0, sizeof(*to));
	snprintf(to->name, sizeof(to->name), "a, \"card\"\n");	/* which goes into a line */
	return to->multiProcessorCount = 7;
}

static const struct {
	const char *name;
	int64_t offset, bytes;
	int first, last;
} buffers[] = { { "x", 0, 4096, 0, 1 } };

static struct {
	bool off;
} tuning;

#include "host/whole.c"
#include "host/choices_cuda.cu"
#include "host/choices_file_cuda.cu"

static void checkpoint_choices(const char *) {}

static char name[PATH_MAX];
static int failed;

static void
want(bool is_so, const char *what, int at)
{
	if (!is_so)
		printf("not so: %s (%d)\n", what, at);
	failed |= !is_so;
}

static void
put(const std::string &text)
{
	FILE *f = fopen(name, "w");

	fwrite(text.data(), 1, text.size(), f);
	fclose(f);
}

static std::string
whole_of(const std::string &lines)
{
	char end[64];
	std::string text = std::string("stowage engines 1\nfor ") + choices_file.key + "\n" + lines;

	snprintf(end, sizeof(end), "end %016llx\n", (unsigned long long)fnv_add(FNV_BEGIN, text.data(), text.size()));
	return text + end;
}

/* How many choices are believed. */
static int
believed(const std::string &text)
{
	put(text);
	choices.n = 0;
	choices_open(name, NULL);
	return choices.n;
}

static void
check_lines(void)
{
	static const char *const bad[] = {
		"apart\n", "apart 0123456789abcdef\n", "convolution\n", "convolution 0123456789abcdef\n", "convolution 0123456789abcdef \n",
		"convolution 0123456789abcdef 1 \n", "convolution 0123456789abcdef  1\n", "convolution 0123456789abcde 1\n",
		"convolution 0123456789abcdef0 1\n", "convolution 0123456789ABCDEF 1\n", "convolution 0123456789abcdef -1\n",
		"convolution 0123456789abcdef 9223372036854775808\n", "convolution 0123456789abcdef 99999999999999999999\n",
		"convolution 0123456789abcdef 1", "convolution 0123456789abcdef 1;\n", "transform 0123456789abcdef 1\n",
		" convolution 0123456789abcdef 1\n", "product 0123456789abcdef 1 2x\n", "\n", "end\n"
	};
	std::string many = "product 0123456789abcdef", room;
	char line[64];

	for (size_t k = 0; k < sizeof(bad) / sizeof(*bad); k++)
		want(believed(whole_of(std::string("product 00000000000000aa 1\n") + bad[k])) == 0, bad[k], (int)k);
	for (int k = 0; k < CHOICE_NUMBERS; k++)
		many += " 9223372036854775807";
	want(believed(whole_of(many + "\n")) == 1, "as many numbers as there may be", 0);
	want(believed(whole_of(many + " 1\n")) == 0, "one more", 0);
	for (int k = 0; k < CHOICES; k++) {
		snprintf(line, sizeof(line), "product %016x 1\n", k);
		room += line;
	}
	want(believed(whole_of(room)) == CHOICES, "as many lines", 0);
	want(believed(whole_of(room + "product ffffffffffffffff 1\n")) == 0, "one more", 0);
	want(believed(whole_of("product 00000000000000aa 1\nproduct 00000000000000aa 2\n")) == 1 && choices.at[0].number[0] == 1,
	    "the first answer counts", 0);
}

static void
check_bytes(const std::string &text)
{
	uint64_t x = 1;

	want(believed(text) == 3, "a whole file", 0);
	for (size_t n = 0; n < text.size(); n++)
		want(believed(text.substr(0, n)) == 0, "cut off", (int)n);
	for (size_t n = 0; n < text.size(); n++)
		for (int bit = 0; bit < 8; bit += 3) {
			std::string other = text;

			other[n] = (char)(other[n] ^ 1 << bit);
			want(believed(other) == 0, "another byte", (int)n);
		}
	want(believed(text + "\n") == 0 && believed(text + text) == 0 && believed(text + std::string(1, '\0')) == 0,
	    "more than a file", 0);
	for (int k = 0; k < 2000; k++) {	/* lines of anything, under a hash that is right */
		std::string lines = "convolution 0123456789abcdef 1 2 3\nproduct 0123456789abcdef 12\n";

		for (int i = 0; i < 4; i++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			lines[x >> 33 & 0xffff ? (x >> 33) % lines.size() : 0] = "\n 09afpc;\0-e"[(x >> 50) % 12];
		}
		want(believed(whole_of(lines)) <= 2, "within bounds", k);
		for (int i = 0; i < choices.n; i++)
			want(choices.at[i].n > 0 && choices.at[i].n <= CHOICE_NUMBERS && choices.at[i].kind < CHOICE_KINDS &&
			    choices.at[i].number[0] >= 0, "a choice", k);
	}
}

int
main(int argc, char **argv)
{
	struct choice *c;
	FILE *f;
	std::string text;
	int byte;

	(void)argc;
	snprintf(name, sizeof(name), "%s/kept", argv[1]);
	unlink(name);
	choices_open(name, NULL);
	for (int k = 0; k < 3; k++) {
		c = choice_place(&choices, k % 2, 77 + (uint64_t)k);
		c->n = 1 + 2 * k;
		for (int i = 0; i < c->n; i++)
			c->number[i] = INT64_MAX - i;
		c->measured = true;
	}
	choices_keep();
	choices.n = 0;
	choices_open(name, NULL);
	want(choices.n == 3 && choice_find(&choices, 0, 79) && choice_find(&choices, 0, 79)->n == 5 &&
	    choice_find(&choices, 0, 79)->number[4] == INT64_MAX - 4 && !choice_find(&choices, 0, 79)->measured,
	    "what was kept is there", 0);
	f = fopen(name, "r");
	while (f && (byte = getc(f)) != EOF)
		text += (char)byte;
	fclose(f);
	if (freopen("/dev/null", "w", stderr) == NULL)	/* the notes */
		return 1;
	check_bytes(text);
	check_lines();
	want(believed(std::string(CHOICES_MOST + 1, 'x')) == 0 && choices_file.path[0] == '\0', "too large", 0);
	return failed;
}
