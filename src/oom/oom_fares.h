/* How a run fares, by words of several languages (oom_fares.c). */
#ifndef STOWAGE_OOM_OOM_FARES_H
#define STOWAGE_OOM_OOM_FARES_H

#include "oom/oom_lexicon.h"

/* A run in which that does not come; one that is well; and what denies that. */
#define OOM_COMES_NOT	"no error|no errors|no oom|error does not occur|error doesn't occur|error did not occur|error didn't occur|does not happen|doesn't happen|error disappears|error disappeared|"	\
    "won't occur|will not occur|won't happen|will not happen|won't appear|not occur anymore|error is gone|error went away|error goes away|problem disappears|problem disappeared|problem is gone|issue is gone|issue disappears|issue disappeared|oom is gone|oom was gone|oom disappears|oom disappeared|oom goes away|"	\
    "oom went away|no longer oom|no more oom|not oom|is not out of memory|no longer out of memory|error is solved|problem is solved|issue is solved|problem was solved|issue was solved|oom is solved|is not the case|"	\
    "不报错|不会报错|不爆显存|不会爆|不再爆|没爆|没有爆|不溢出|不会溢出|不再溢出|没有溢出|就解决了|"	\
    "발생되지 않|발생하지 않|오류가 없|"	\
    "エラーは出ません"
#define OOM_RUNS_WELL	"no problem|no problems|no issue|no issues|without error|without errors|without oom|without any error|without problem|without problems|without any problem|"	\
    "solves the problem|solved the problem|solves the issue|solved the issue|solves it|solved it|solves this|solved this|fixes the problem|fixed the problem|fixes the issue|fixed the issue|fixes it|fixed it|"	\
    "resolves the problem|resolved the problem|resolves the issue|resolved the issue|resolves it|resolved it|works|worked|works fine|can train|can run|able to train|able to run|run well|runned well|runed well|ran well|runs fine|runs well|ran fine|trains fine|is ok|was ok|is fine|was fine|are fine|only trains|only runs|only works|trains only|runs only|can only train|can only run|can only use|only possible with|managed to train|managed to run|"	\
    "就可以|可以跑|可以正常|可以训练|"	\
    "正常运行|能跑|跑得动|跑起来了|跑通了|可以运行|就好了|没有问题|没问题|"	\
    "動作しま|動きま|"	\
    "работает|"	\
    "funktioniert|funciona|fonctionne"
#define OOM_RUNS_NOT	"not|n't|cannot|hardly|never|neither|不能|无法|还是|依然|仍|nicht|не работ|no funciona|ne fonctionne"
/* What is wished, or is so nonetheless: no run. What makes a setting less. */
#define OOM_WISHED	"hope|want|wish|should|could|would|must|need to|make it|you|your|still|even|想|吗|么|依然|仍然|还是"
#define OOM_LOWERS		"reduced|lowered|decreased|changed|modified|set|reducing|lowering|decreasing|changing|setting|dropped|cut|tried"

/* Does T say that it fails, by words of any language here? Does a sentence say that it runs? Is it
 * told to others, or of others? */
bool	oom_fares_ill(struct talk t);
bool	oom_fares_well(struct talk sentence);
bool	oom_fares_others(struct talk sentence);
/* Where a sentence has one of a list's phrases; not where a word beside it denies that. */
const char	*oom_fares_says(struct talk sentence, const char *list);

#endif
