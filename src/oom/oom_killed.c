/* A run that people say was killed, in several languages, or in a shell's word that they quote. */
#include "oom/oom_killed.h"

#include <string.h>

#include "oom/oom_clause.h"
#include "oom/oom_told.h"

/* "I restarted it", "we have restarted it": by whom it was done, right ahead of it. */
static bool
is_of_person(struct talk clause, const char *at)
{
	struct talk ahead = clause_word_ahead(clause, at);

	return talk_any_whole(ahead, "i we you") || talk_any_whole(clause_word_ahead(clause, ahead.s), "i we you");
}

/* In other languages: of a process, or by the system. */
#define KILLED_ELSEWHERE	"会话在使用了所有可用|会话在占用了所有可用|会话在占用所有可用|会话在用尽所有可用|会话崩溃|内核似乎挂掉|内核似乎挂了|内核挂了|内核挂掉|内核已死|内核崩溃|内核死掉|kernel挂了|kernel 挂了|kernel挂掉|被杀死|被杀掉|被系统杀|被oom|oom杀|会杀死进程|会杀掉进程|导致杀死进程|系统杀死|系统杀掉|自动杀死|被kill|被 kill|直接killed|直接 killed|进程被杀|程序被杀|自动killed|突然killed|突然 killed|突然kill|莫名killed|就killed|就 killed|显示killed|显示 killed|提示killed|提示 killed|报killed|报 killed|报错killed|报错 killed|出现killed|出现 killed|后killed|被自动kill|会killed|会 killed|"	\
    "killされ|強制終了され|強制終了しま|killed 되|킬 당|킬당|강제 종료|강제종료|был убит|было убито|процесс убит|процесс убивается|"	\
    "processus a été tué|processus est tué|programme a été tué|processus a été arrêté par le système|prozess wurde getötet|prozess wird getötet|prozess wurde vom|proceso fue matado|proceso es matado|proceso ha sido matado|processo foi morto|processo é morto|processo viene terminato dal sistema|"	\
    "est tué par le système|a été tué par le système|est tué par le noyau|vom system beendet|vom system getötet|vom kernel beendet|gekillt|"	\
    "matado por el sistema|terminado por el sistema|morto pelo sistema|encerrado pelo sistema"
/* "A "kill" problem by the OS" */
#define QUOTED		"kill\" problem|kill\" error|kill\" issue|killed\" problem|killed\" error|killed\" issue|kill\xe2\x80\x9d problem|kill\xe2\x80\x9d error|kill\xe2\x80\x9d issue|"	\
    "killed\xe2\x80\x9d problem|killed\xe2\x80\x9d error|killed\xe2\x80\x9d issue|killed' problem|killed' error|killed` problem|killed` error"
/* What people end by themselves, in those. */
#define BY_HAND		"手动|我kill|我杀|释放|僵尸|сам убил|вручную|manuell|manuellement|manualmente"

/* "It ends with `Killed`.", "this error (Killed)", "while it builds .. Killed!": a shell's word as
 * people tell of it. */
static const char *
quotes_killed(struct talk t)
{
	struct talk rest = t;
	const char *at, *end = t.s + t.n, *to;
	size_t n;

	for (; (at = talk_find_whole(rest, "killed", &n)); rest = talk_part(t, at + n, end)) {
		to = at + n;
		if (at - t.s < 3 || (*at != 'K' && !talk_any_whole(talk_clause(t, at, n), "shows says displays prints printed output outputs message messages hint hints reason cause")))
			continue;
		if (to < end && memchr("`\"'()*", at[-1], 7) && memchr("`\"')*.!", *to, 7))
			return at;
		while (to < end && memchr("!. \r", *to, 4))
			to++;
		if (to == end && at[-1] == ' ' && at[-2] == '.' && at[-3] == '.')
			return at;
	}
	return NULL;
}

/* "It stops and the terminal says: 4Killed": behind a number that the program had printed, at the
 * end of its sentence. */
static const char *
killed_behind_number(struct talk t)
{
	struct talk rest = t;
	const char *at, *end = t.s + t.n, *to;

	for (; (at = talk_first(rest, "killed")); rest = talk_part(t, to, end)) {
		to = at + sizeof("killed") - 1;
		if (*at == 'K' && at > t.s && at[-1] >= '0' && at[-1] <= '9' && (to == end || memchr(".!`\"'\r", *to, 6)) &&
		    talk_any_whole(talk_sentence(t, at), "says saying shows showing prints printing displays displaying terminal console shell"))
			return at;
	}
	return NULL;
}

/* "I think it might have been killed by the system" */
static const char *
killed_by_guess(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, "might have been killed by|may have been killed by|could have been killed by|must have been killed by|have probably been killed by|probably has been killed by|has probably been killed by", &n);
	struct talk clause;

	if (!at || clause_denies(t, at, n))
		return NULL;
	clause = talk_clause(t, at, n);
	return talk_is_one_of(clause_word_ahead(clause, at), "it process processes training program script job run kernel python") &&
	    talk_has_whole(talk_part(t, at, clause.s + clause.n), "by the system|by system|by the os|by the kernel|by the operating system|by linux|by ubuntu") ? at : NULL;
}

/* "It crashed because I closed the laptop" */
static bool
has_other_reason(struct talk t, const char *at)
{
	struct talk sentence = talk_sentence(t, at), behind = talk_part(t, at, sentence.s + sentence.n);

	return talk_any_whole(behind, "because since") && !talk_any_whole(behind, "memory ram oom");
}

/* What the system kills, as people call it. */
#define RUNS	"it everything progress colab kaggle process processes training program script job python code run kernel session task memory loading checkpoint shards terminal console lightgbm xgboost catboost trtexec conversion converting export exporting inference "	\
    "evaluation testing preprocessing tokenization tokenizing indexing build building compile compilation installation install worker workers container pod service model notebook step execution prediction app application "	\
    "simulation analysis pipeline py subprocess child rank ollama dataloader ffmpeg node java matlab rstudio"

/* In the clause of AT; or in its sentence, where those words are a clause by themselves: "while it
 * indexes, always killed". */
static bool
names_run(struct talk t, const char *at, size_t n)
{
	struct talk clause = talk_clause(t, at, n), next = clause_word_behind(clause, at + n);

	return talk_any_whole(clause, RUNS) || (clause_word_ahead(clause, at).n == 0 && talk_is_one_of(clause_word_behind(t, at), "always often frequently constantly repeatedly") &&
	    (next.n == 0 || talk_is_one_of(next, "without by with again when while after at even")) && talk_any_whole(talk_sentence(t, at), RUNS));
}

#define WRITES	"says said shows showed showing displays displayed display prints printed print printing outputs output reports reported returns returned gives gave"

/* "Killed when saving the weights", as titles have it; "it print killed": a run's end by its
 * shell's word. */
static const char *
killed_at_work(struct talk t)
{
	struct talk first = clause_word_behind(t, t.s), rest = t;
	const char *at, *end = t.s + t.n;
	size_t n;

	if (talk_is_one_of(first, "killed") && *first.s == 'K' && talk_is_one_of(clause_word_behind(t, first.s + first.n), "when while during after at upon on in by"))
		return first.s;
	for (; (at = talk_find_whole(rest, "killed", &n)); rest = talk_part(t, at + n, end))
		if (talk_is_one_of(clause_word_ahead(t, at), WRITES) && clause_word_behind(talk_clause(t, at, n), at + n).n == 0)
			return at;
	return NULL;
}

const char *
oom_killed_told(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, "killed by the oom killer|killed by oom killer|killed by oom-killer|killed by the oom-killer|killed by the oom|killed due to out of memory|killed due to memory|killed due to lack of memory|killed for out of memory|killed because of memory|error,be killed|error, be killed|and be killed|then be killed|just be killed|sigterm: killed|sigkill: killed|signal: killed|why killed|prompt killed|prompts killed|killed at the end|killed in the end|killed halfway|killed midway|process killed|training killed|job killed|script killed|program killed|python killed|worker killed|workers killed|container killed|pod killed|export killed|conversion killed|build killed|collect() killed|killed error|killed errors|killed suddenly|suddenly killed|keeps getting killed|keep getting killed|kept getting killed|still killed|still get killed|still gets killed|"
	    "still got killed|kernel keeps dying|kernel appears to have died", &n);
	struct talk clause, rest;
	const char *elsewhere = NULL;

	while (talk_next_phrase(t, KILLED_ELSEWHERE, &elsewhere, &n) && clause_denies_elsewhere(t, elsewhere, n))
		;
	if (elsewhere && !clause_denies_elsewhere(t, elsewhere, n) && !talk_any_phrase(t, BY_HAND))
		return elsewhere;
	if (!at) {
		for (rest = t; (at = talk_find_whole(rest, "crash|crashes|crashed|crashing|died|dies|kernel restart|restarts|restarted|restarting automatically|shut down", &n));
		    rest = talk_part(t, at + n, t.s + t.n))
			if (talk_any_whole(talk_clause(t, at, n), "kernel session notebook colab kaggle runtime jupyter"))
				break;
	}
	if (!at && (at = killed_by_guess(t)))
		return at;
	if (!at)
		at = quotes_killed(t);
	if (!at && (at = killed_behind_number(t)))
		n = sizeof("killed") - 1;
	if (!at) {
		at = talk_find_whole(t, "kills itself|killing itself|killed itself|kill itself|killed by itself|says killed|said killed|shows killed|displays killed|display killed|prints killed|getting killed|being killed|was killed|is killed|got killed|gets killed|get killed|be killed|been killed|are killed|were killed|killed automatically|always killed|often killed|frequently killed|constantly killed|repeatedly killed|immediately killed|automatically killed|just killed|killed by the system|killed by system|killed by the os|killed by the kernel|killed by linux|os kills|system kills|kernel kills|linux kills", &n);
		if (!at && (at = killed_at_work(t)))
			n = sizeof("killed") - 1;
		else if (!at || !names_run(t, at, n))
			return talk_has_whole(t, "by the os|by os|by the system|by system|by the kernel|by linux|by the operating system") ? talk_first(t, QUOTED) : NULL;
	}
	clause = talk_clause(t, at, n);
	return oom_told_happened(t, at, n) && !is_of_person(clause, at) && !talk_has_whole(talk_sentence(t, at), "i press|i pressed|i close|i closed|i hit ctrl|pressed ctrl|ctrl-c|ctrl+c") &&
	    !talk_any_whole(clause, "timeout deadline manually user ctrl me connection ssh") &&
	    !has_other_reason(t, at) ? at : NULL;
}
