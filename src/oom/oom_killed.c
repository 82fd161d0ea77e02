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
#define KILLED_ELSEWHERE	"会话在使用了所有可用|会话在占用了所有可用|会话在占用所有可用|会话在用尽所有可用|会话崩溃|内核似乎挂掉|内核似乎挂了|内核挂了|内核挂掉|内核已死|内核崩溃|内核死掉|kernel挂了|kernel 挂了|kernel挂掉|被oom|oom杀|会杀死进程|会杀掉进程|导致杀死进程|系统杀死|系统杀掉|自动杀死|进程被终止|"	\
    "killされ|強制終了され|強制終了しま|killed 되|킬 당|킬당|강제 종료|강제종료|프로세스가 죽|был убит|было убито|процесс убит|убивается|убивает процесс|убил процесс|"	\
    "processus a été tué|processus est tué|programme a été tué|processus a été arrêté par le système|se fait tuer|s'est fait tuer|prozess wurde getötet|prozess wird getötet|prozess wurde vom|proceso fue matado|proceso es matado|proceso ha sido matado|mata el proceso|mató el proceso|processo foi morto|processo é morto|mata o processo|matou o processo|processo viene terminato dal sistema|viene ucciso|è stato ucciso|"	\
    "est tué par le système|a été tué par le système|est tué par le noyau|vom system beendet|vom system getötet|vom kernel beendet|gekillt|"	\
    "matado por el sistema|terminado por el sistema|morto pelo sistema|encerrado pelo sistema"
/* In Chinese: what stands right ahead of "kill", but for marks, and how far ahead its passive. */
#define AHEAD_OF_KILL	"显示|提示|出现|输出|打印|返回|报了|报错|报|直接|自动|突然|莫名|就|后|会|然后|最后|结果"
#define MARKS_OF_KILL	" |:|：|\"|'|`|“|‘|「|“|进程|一个|了|是|为"
#define BEFALLS_WITHIN	18	/* bytes */
/* "A "kill" problem by the OS" */
#define QUOTED		"kill\" problem|kill\" error|kill\" issue|killed\" problem|killed\" error|killed\" issue|kill\xe2\x80\x9d problem|kill\xe2\x80\x9d error|kill\xe2\x80\x9d issue|"	\
    "killed\xe2\x80\x9d problem|killed\xe2\x80\x9d error|killed\xe2\x80\x9d issue|killed' problem|killed' error|killed` problem|killed` error"
/* What people end by themselves, in those. */
#define BY_HAND		"手动|我kill|我杀|释放|僵尸|сам убил|вручную|manuell|manuellement|manualmente"

/* "出现 Killed 输出", "显示“killed”", "被系统 kill 掉". */
static const char *
killed_in_chinese(struct talk t)
{
	const char *at = NULL, *s, *from, *end = t.s + t.n;
	size_t n, one;

	while (talk_next_phrase(t, "kill|杀死|杀掉|杀了|杀进程", &at, &n)) {
		for (s = at; (one = clause_beside(MARKS_OF_KILL, t.s, s, end, true)) > 0; s -= one)
			;
		if (talk_first(talk_part(t, at, end), "kill") == at && clause_beside(AHEAD_OF_KILL, t.s, s, end, true) && !clause_denies_elsewhere(t, at, n))
			return at;
		from = at - t.s > BEFALLS_WITHIN ? at - BEFALLS_WITHIN : t.s;
		s = talk_first(talk_part(t, from, at), "被");
		if (s && !talk_any_phrase(talk_part(t, s, at), "，|。|,|我|人") && !clause_denies_elsewhere(t, s, sizeof("被") - 1))
			return at;
	}
	return NULL;
}

#define OPENS		"`|\"|'|(|*|<|“|‘|„|«|「|『|（|【"
#define CLOSES		"`|\"|'|)|*|>|.|!|”|’|“|»|」|』|）|】|。|！"
#define CLOSES_QUOTE	"`|\"|'|”|’|»|」"
#define OF_MESSAGE	"shows says displays prints printed output outputs message messages hint hints reason cause"
#define OF_MESSAGE_CHINESE	"显示|提示|出现|输出|报错|终端"

/* "It ends with `Killed`.", "this error (Killed)", "while it builds .. Killed!": a shell's word as
 * people tell of it. */
static const char *
quotes_killed(struct talk t)
{
	const char *at, *end = t.s + t.n, *to;
	size_t n;

	for (at = NULL; talk_next_whole(t, "killed", &at, &n); ) {
		to = at + n;
		if (at - t.s < 3 || (*at != 'K' && !talk_any_whole(talk_sentence(t, at), OF_MESSAGE) && !talk_any_phrase(talk_clause(t, at, n), OF_MESSAGE_CHINESE)))
			continue;
		if (clause_beside(OPENS, t.s, at, end, true) && clause_beside(CLOSES, t.s, to, end, false))
			return at;
		while (to < end && memchr("!. \r", *to, 4))
			to++;
		if ((to == end || clause_beside(CLOSES_QUOTE, t.s, to, end, false)) && at[-1] == ' ' && at[-2] == '.' && at[-3] == '.')
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
#define RUNS	"it mem ram oom everything progress colab kaggle process processes training program script job python code run kernel session task memory loading checkpoint shards terminal console lightgbm xgboost catboost trtexec conversion converting export exporting inference "	\
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

#define WRITTEN		"word message text output status line string"
#define ENDS_WITH	"exit exits exited exiting end ends ended stop stops stopped terminate terminates terminated die dies died close closes closed crash crashes crashed fail fails failed finish finishes finished"

#define APPEARS	"happens happened occurs occurred appears appeared comes came"

/* "It ends with the word Killed", "why does it exit with Killed", "I get a Killed message", "then
 * the Killed happens": by its capital, a shell's. */
static bool
is_written(struct talk t, const char *at)
{
	struct talk ahead = clause_word_ahead(t, at), behind = clause_word_behind(t, at + sizeof("killed") - 1);

	return *at == 'K' && (talk_is_one_of(ahead, WRITTEN) || talk_is_one_of(behind, WRITTEN " error") || talk_is_one_of(behind, APPEARS) || (talk_is_one_of(ahead, "with") && talk_is_one_of(clause_word_ahead(t, ahead.s), ENDS_WITH)));
}

/* "Killed when saving the weights", "`Killed` if I shard it", as titles have it; "it print
 * killed": a run's end by its shell's word. */
static const char *
killed_at_work(struct talk t)
{
	struct talk first = clause_word_behind(t, t.s);
	const char *at;
	size_t n;

	if (talk_is_one_of(first, "killed") && *first.s == 'K') {
		struct talk then = clause_word_behind(t, first.s + first.n);

		if (talk_is_one_of(then, "when while during after at upon on in by") ||
		    (talk_is_one_of(then, "if") && talk_is_one_of(clause_word_behind(t, then.s + then.n), "i we")))	/* not a rule, which has no person */
			return first.s;
	}
	for (at = NULL; talk_next_whole(t, "killed", &at, &n); )
		if (is_written(t, at) || (talk_is_one_of(clause_word_ahead(t, at), WRITES) && clause_word_behind(talk_clause(t, at, n), at + n).n == 0))
			return at;
	return NULL;
}

#define ITS_PARTS	"the my our its this that whole entire main parent child python training jupyter"
#define ENDED		"job jobs process processes run training script program python kernel session task worker workers app application pod container notebook execution evaluation"
#define SYSTEMS		"os system linux kernel slurm colab kaggle ubuntu windows macos docker kubernetes"
#define SETS_FREE	"free frees freed release releases released restart restarting only manually pkill button ctrl"

/* "It eats up memory and kills the job": what ends the run is memory, or the system. */
static const char *
kills_run(struct talk t)
{
	struct talk sentence, word;
	const char *at;
	size_t n;

	for (at = NULL; talk_next_whole(t, "kills", &at, &n); ) {
		for (word = clause_word_behind(t, at + n); talk_is_one_of(word, ITS_PARTS) && !(talk_is_one_of(word, ENDED) && !talk_is_one_of(clause_word_behind(t, word.s + word.n), ENDED)); word = clause_word_behind(t, word.s + word.n))
			;
		sentence = talk_sentence(t, at);
		if (talk_is_one_of(word, ENDED) && !talk_any_whole(sentence, SETS_FREE) &&
		    (talk_is_one_of(clause_word_ahead(t, at), SYSTEMS) || talk_any_whole(talk_part(t, sentence.s, at), "memory ram mem oom swap")))
			return at;
	}
	return NULL;
}

#define KERNEL_LINKS	"is was keeps kept keep has had have been being always just then to gets got appears seems it itself automatically suddenly constantly repeatedly will would again also often frequently immediately directly"
#define KERNEL_ENDS	"die dies died dying dead restarts restarted restarting crash crashes crashed crashing"
#define KERNEL_OTHER	"linux cuda gpu triton os nvidia compute convolution gaussian custom"
#define KERNEL_APART	"linux kernel|cuda kernel|cuda kernels|gpu kernel|triton kernel|kernel size|kernel_size|after the kernel|once the kernel|after kernel"
#define LINKS_MOST	4

/* "Kernel Restarting", "it causes the kernel to die": a notebook's, by itself, and not as what a
 * person does, or what comes ahead of a run. */
static const char *
kernel_ends(struct talk t)
{
	struct talk word, ahead;
	const char *at;
	size_t n;
	int i;

	for (at = NULL; talk_next_whole(t, "kernel|kernels", &at, &n); ) {
		ahead = clause_word_ahead(t, at);
		if (talk_is_one_of(ahead, "the my a"))
			ahead = clause_word_ahead(t, ahead.s);
		for (i = 0, word = clause_word_behind(t, at + n); i < LINKS_MOST && talk_is_one_of(word, KERNEL_LINKS); i++)
			word = clause_word_behind(t, word.s + word.n);
		if (talk_is_one_of(word, KERNEL_ENDS) && talk_holds(talk_clause(t, at, n), word.s) && !talk_is_one_of(ahead, KERNEL_OTHER " after once until restarting restart restarted"))
			return at;
	}
	return NULL;
}

#define STAYS		"stay stays stayed remain remains remained release released releases releasing free freed frees freeing held hold holds holding occupied occupies still clear cleared reclaimed deallocated"
#define GROWS		"grow grows growing grew increase increases increasing increased rise rises rising climb climbs climbing leak leaks leaking"

/* "Memory is not released until the process is killed": by whoever wants it back. */
static bool
ends_stay(struct talk t, const char *at)
{
	struct talk sentence = talk_sentence(t, at);

	return talk_any_whole(talk_part(t, sentence.s, at), "until till unless") && (talk_any_whole(sentence, STAYS) || talk_has_whole(sentence, "no matter")) && !talk_any_whole(sentence, GROWS);
}

const char *
oom_killed_told(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, "killed by the oom killer|killed by oom killer|killed by oom-killer|killed by the oom-killer|killed by the oom|killed due to out of memory|killed due to memory|killed due to lack of memory|killed for out of memory|killed because of memory|error,be killed|error, be killed|and be killed|then be killed|just be killed|sigterm: killed|sigkill: killed|signal: killed|why killed|prompt killed|prompts killed|killed at the end|killed in the end|killed halfway|killed midway|process killed|training killed|job killed|script killed|program killed|python killed|worker killed|workers killed|container killed|pod killed|export killed|conversion killed|build killed|collect() killed|killed error|killed errors|killed signal|killed` signal|'killed' signal|\"killed\" signal|killed suddenly|suddenly killed|keeps getting killed|keep getting killed|kept getting killed|still killed|still get killed|still gets killed|"
	    "still got killed|kernel keeps dying|kernel appears to have died", &n);
	struct talk clause;
	const char *elsewhere = NULL;
	bool by_itself;

	while (talk_next_phrase(t, KILLED_ELSEWHERE, &elsewhere, &n) && clause_denies_elsewhere(t, elsewhere, n))
		;
	elsewhere = elsewhere && !clause_denies_elsewhere(t, elsewhere, n) ? elsewhere : killed_in_chinese(t);
	if (elsewhere && !talk_any_phrase(t, BY_HAND))
		return elsewhere;
	if (!at) {
		for (at = NULL; talk_next_whole(t, "crash|crashes|crashed|crashing|died|dies|kernel restart|restarts|restarted|restarting automatically|shut down", &at, &n); )
			if (talk_any_whole(talk_clause(t, at, n), "kernel session notebook colab kaggle runtime jupyter") && !talk_has_whole(talk_clause(t, at, n), KERNEL_APART))
				break;
	}
	by_itself = !at && (at = kernel_ends(t));
	n = by_itself ? sizeof("kernel") - 1 : n;
	if (!at && (at = killed_by_guess(t)))
		return at;
	if (!at)
		at = quotes_killed(t);
	if (!at && (at = killed_behind_number(t)))
		n = sizeof("killed") - 1;
	if (!at && (at = kills_run(t)))
		n = sizeof("kills") - 1;
	if (!at) {
		at = talk_find_whole(t, "kills itself|killing itself|killed itself|kill itself|killed by itself|says killed|said killed|shows killed|displays killed|display killed|prints killed|getting killed|being killed|was killed|is killed|got killed|gets killed|get killed|be killed|been killed|are killed|were killed|killed automatically|always killed|often killed|frequently killed|constantly killed|repeatedly killed|immediately killed|automatically killed|just killed|killed by the system|killed by system|killed by the os|killed by the kernel|killed by linux|os kills|system kills|kernel kills|linux kills", &n);
		if (!at && (at = killed_at_work(t)))
			n = sizeof("killed") - 1;
		else if (!at || !names_run(t, at, n))
			return talk_has_whole(t, "by the os|by os|by the system|by system|by the kernel|by linux|by the operating system") ? talk_first(t, QUOTED) : NULL;
	}
	clause = talk_clause(t, at, n);
	if (talk_any_phrase(t, "replying to kernel_info"))
		return NULL;		/* that never began */
	return oom_told_happened(t, at, n) && (by_itself || !is_of_person(clause, at)) && !talk_has_whole(talk_sentence(t, at), "i press|i pressed|i close|i closed|i hit ctrl|pressed ctrl|ctrl-c|ctrl+c") &&
	    !talk_any_whole(clause, "timeout deadline walltime manually user ctrl me connection ssh") && !talk_has_whole(clause, "time limit|wall time") && !ends_stay(t, at) &&
	    !has_other_reason(t, at) ? at : NULL;
}

#define FAULTS	"segmentation fault|segfault|segfaults|segfaulted|sigsegv|sigill|sigfpe|signal 11|exit code 139|exited with code 139|exit code -11|access violation|0xc0000005|exit code 3221225477|exit code -1073741819"

const char *
oom_killed_by_fault(struct talk t)
{
	size_t n;
	const char *at = talk_find_whole(t, FAULTS, &n);

	return at && !clause_denies(t, at, n) ? at : NULL;
}
