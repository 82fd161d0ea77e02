/* nvidia-smi's list of processes: which has most of a card, and how many have a part of one. */
#include "oom/oom_holder.h"

#include <string.h>

#include "base/ascii.h"

#define MOST_MIB	((int64_t)1 << 24)
#define MOST_CARDS	1024
#define LEAST_HELD	((int64_t)256 << 20)	/* bytes of a process that is more than a context */

/* The number of a process, which ends at TO or ahead of it; 0: none does. */
static int64_t
process_ahead(const char *s, const char *to)
{
	const char *from;
	int64_t n = 0;

	while (to > s && to[-1] == ' ')
		to--;
	for (from = to; from > s && is_digit(from[-1]); from--)
		;
	return from < to && from > s && from[-1] == ' ' && piece_number(from, to, &n) ? n : 0;
}

/* Tables are of different times: what one lists is not there beside what another does, and the last
 * one counts that has processes. */
static void
lists_anew(struct oom_paste *p)
{
	p->lists_anew = false;
	p->holder_bytes = 0;
	p->held_count = 0;
	memset(p->holders, 0, sizeof(p->holders));
	memset(p->held, 0, sizeof(p->held));
}

/* "PID  GPU Memory", and below it "3794364  5144MiB", as people cut a list short. */
static void
plain_row(struct oom_paste *p, struct talk t, int line)
{
	const char *s = piece_past_blanks(t.s, t.s + t.n), *end = t.s + t.n;
	int64_t process, n;

	while (end > s && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	if (talk_is_one_of(talk_head(t, s, 3), "pid") && talk_any_whole(t, "memory mem vram") && !talk_any_whole(t, "cpu ram rss virt"))
		p->plain_list.head = line;
	if (!p->plain_list.head || s == end || !is_digit(*s) || !(s = piece_number(s, end, &process)) || s == end || (*s != ' ' && *s != '\t'))
		return;
	s = piece_past_blanks(s, end);
	if (s == end || !is_digit(*s) || !(s = piece_number(s, end, &n)) || n > MOST_MIB)
		return;
	s = piece_past_blanks(s, end);
	if (end - s != 3 || memcmp(s, "MiB", 3) != 0 || line > (p->plain_list.last > p->plain_list.head ? p->plain_list.last : p->plain_list.head) + 1)
		return;
	if (p->plain_list.last <= p->plain_list.head) {	/* the first of its rows */
		p->plain_list.first = line;
		p->plain_list.n = 0;
		p->plain_list.bytes = 0;
	}
	p->plain_list.last = line;
	if ((n << 20) >= LEAST_HELD) {
		p->plain_list.n++;
		p->plain_list.bytes += n << 20;
	}
}

/* "|    0   N/A  N/A      5898      C   ./darknet           1906MiB |" */
void
oom_holder_line(struct oom_paste *p, struct talk t, int line)
{
	const char *s = t.s, *end = t.s + t.n, *at, *to, *type;
	int64_t n, gpu, process;

	plain_row(p, t, line);
	if (s < end && *s == '|' && talk_any_phrase(t, "processes:|nvidia-smi "))
		p->lists_anew = true;
	while (end > s && (end[-1] == '|' || (end[-1] == ' ' || end[-1] == '\t')))
		end--;
	if (s == end || *s != '|' || end - s < 12 || memcmp(end - 3, "MiB", 3) != 0)
		return;
	for (to = end - 3; to > s && is_digit(to[-1]); to--)
		;
	if (!piece_number(to, end, &n) || n > MOST_MIB)
		return;
	for (at = s; at + 3 < to && !(at[0] == ' ' && (at[1] == 'C' || at[1] == 'G') && (at[2] == ' ' || at[2] == '+')); at++)
		;
	if (at + 3 >= to || at[1] != 'C')		/* a desktop's */
		return;
	type = at;
	for (at += 2; at < to && *at != ' ' && *at != '\t'; at++)
		;
	at = piece_past_blanks(at, to);
	while (to > at && (to[-1] == ' ' || to[-1] == '\t'))
		to--;
	if (to == at)
		return;
	if (!piece_number(piece_past_blanks(s + 1, end), end, &gpu))
		gpu = -1;
	if (p->lists_anew)
		lists_anew(p);
	if (gpu >= 0 && p->held_count < PASTE_HOLDERS && (process = process_ahead(s, type)) > 0)
		p->held_by[p->held_count++] = (struct holder){ process, n << 20, gpu < MOST_CARDS ? (int)gpu : -1 };
	if (gpu >= 0 && gpu < PASTE_CARDS && (n << 20) >= LEAST_HELD) {
		p->holders[gpu]++;
		p->held[gpu] += n << 20;
	}
	if ((n << 20) <= p->holder_bytes)
		return;
	p->holder_bytes = n << 20;
	p->holder_gpu = gpu >= 0 && gpu < MOST_CARDS ? (int)gpu : -1;
	p->holder_line = line;
	oom_paste_name(p->holder, at, to);
}
