/* What a command, settings or code gives a run, by its numbers. */
#include "oom/oom_given.h"

#include <string.h>

#include "base/ascii.h"
#include "oom/oom_number.h"

struct talk
oom_given_value(struct talk t, const char *s)
{
	const char *to, *end = t.s + t.n;

	for (to = s; to < end && to - s < 6 && memchr(" =:\"',[", *to, 7); to++)
		;
	for (s = to; to < end && (is_digit(*to) || *to == '.' || (*to >= 'a' && *to <= 'z') || (*to >= 'A' && *to <= 'Z')); to++)
		;
	return talk_part(t, s, to);
}

#define PARTS		"tp|--tp|tp_size|tp-size|--tp-size|tensor_parallel_size|tensor-parallel-size|--tensor-parallel-size|num-shard|num_shard|--num-shard|--num_shard"
#define GIVEN		"cuda_visible_devices=|hip_visible_devices=|nvidia_visible_devices=|device=|devices="

/* "device=0,1,2,3": how many devices a list has that begins at S. */
static int
devices_at(const char *s, const char *end)
{
	int n = 0;

	while (s < end && memchr(" \"'", *s, 3))
		s++;
	while (s < end && is_digit(*s)) {
		n++;
		while (s < end && is_digit(*s))
			s++;
		if (s + 1 >= end || *s != ',')
			break;
		for (s++; s < end && *s == ' '; s++)
			;
	}
	return n;
}

/* "--gpus device=0,1,2,3 ... --num-shard 4": no device that is given is without a part of the
 * weights. */
static void
devices(struct oom_measures *m, struct talk t, int line)
{
	const char *at = NULL, *end = t.s + t.n;
	struct talk value;
	int64_t parts;
	size_t n;
	int given;

	while (talk_next_phrase(t, GIVEN, &at, &n))
		if ((given = devices_at(at + n, end)) > m->devices)
			m->devices = given;
	for (at = NULL; talk_next_whole(t, PARTS, &at, &n); ) {
		value = oom_given_value(t, at + n);
		if (value.n > 0 && is_digit(*value.s) && piece_count(value.s, value.s + value.n, &parts) && parts > m->parts)
			m->parts = parts;
	}
	if (m->devices > 1 && m->parts >= m->devices)
		m->line[MEASURE(BY_DEVICES)] = m->line[MEASURE(BY_DEVICES)] ? m->line[MEASURE(BY_DEVICES)] : line;
}

#define SHARES		"gpu_memory_utilization|gpu-memory-utilization|--gpu-memory-utilization|mem_fraction_static|mem-fraction-static|--mem-fraction-static"

/* "--gpu-memory-utilization 0.5": which share of a device a server is told to take, in
 * thousandths. */
static void
share(struct oom_measures *m, struct talk t, int line)
{
	const char *at;
	struct talk value;
	int thousandths, unit;
	size_t n, i;

	for (at = NULL; talk_next_whole(t, SHARES, &at, &n); ) {
		value = oom_given_value(t, at + n);
		i = value.n > 0 && *value.s == '0';
		if (i + 1 >= value.n || value.s[i] != '.')
			continue;
		for (thousandths = 0, unit = 100, i++; i < value.n && is_digit(value.s[i]); i++, unit /= 10)
			thousandths += (value.s[i] - '0') * unit;
		m->share = m->share_line && m->share != thousandths ? -1 : thousandths;
		m->share_line = line;
	}
}

#define ON_DEVICE	"-ngl|--n-gpu-layers|--n_gpu_layers|n-gpu-layers|n_gpu_layers|--gpu-layers|--gpulayers"
#define FEWEST_LAYERS	28	/* of models with 7,000 million weights and more (Qwen2-7B), and another for what comes out */

/* "-ngl 20": of llama.cpp's layers so many are on the device, and the others in the machine's
 * memory. */
static void
layers(struct oom_measures *m, struct talk t, int line)
{
	const char *at;
	struct talk value;
	int64_t count;
	size_t n;

	for (at = NULL; talk_next_whole(t, ON_DEVICE, &at, &n); ) {
		value = oom_given_value(t, at + n);
		if (!m->line[MEASURE(BY_OFFLOADING)] && value.n > 0 && is_digit(*value.s) && piece_count(value.s, value.s + value.n, &count) && count > 0 && count < FEWEST_LAYERS)
			m->line[MEASURE(BY_OFFLOADING)] = line;
	}
}

void
oom_given_line(struct oom_measures *m, struct talk t, int line)
{
	devices(m, t, line);
	share(m, t, line);
	layers(m, t, line);
}
