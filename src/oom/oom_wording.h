/*
 * What people tell by one phrase and the words around it. Each wording is a row of
 * oom_wording_rows.c, where an example stands beside it.
 */
#ifndef STOWAGE_OOM_OOM_WORDING_H
#define STOWAGE_OOM_OOM_WORDING_H

#include "oom/oom_lexicon.h"

enum wording {
	WORDING_NONE,
	/* why it failed */
	WORDING_KEPT, WORDING_CACHED, WORDING_TASKS, WORDING_SAVED, WORDING_SERVER, WORDING_QUANTIZES,
	WORDING_CAPTURES, WORDING_ONLY_LONG, WORDING_OWN_SIZE, WORDING_UNGRADED, WORDING_UNGUARDED,
	WORDING_DIFFERS_LENGTH, WORDING_DIFFERS_PIXELS, WORDING_TOO_LARGE_PICTURES, WORDING_PROCESSES,
	WORDING_FULL_SIZE, WORDING_TWICE, WORDING_LETS_GO, WORDING_ATTACHED, WORDING_TOO_LARGE, WORDING_BY_GROWTH,
	WORDING_BY_LENGTH, WORDING_SHARED,
	/* what ended it */
	WORDING_FOLLOWED, WORDING_ENDED_CHINESE, WORDING_DEPRECATED,
	/* with what more it fails, or with what less it does not */
	WORDING_LARGER_DATA, WORDING_BACK, WORDING_NOT_WITH_LESS, WORDING_NOT_WITH_SMALLER,
	/* what the run was */
	WORDING_MODELS, WORDING_ASKS_TO_SPREAD, WORDING_ASKS_FOR_ALL, WORDING_AMPLE, WORDING_NO_LONGER,
	WORDING_WELL_ONCE, WORDING_NOTEBOOKS, WORDING_STAYS, WORDING_RETAINS, WORDING_PEAK, WORDING_PENALTY,
	WORDING_UNFREEZES,
	/* in which part of a program */
	WORDING_DECODES, WORDING_DRAWS_LAST, WORDING_TESTS_FAIL, WORDING_FIRST_RAN, WORDING_ADAM, WORDING_CONVERTS,
	WORDING_HOOK, WORDING_DRAWS_BESIDE, WORDING_FITS, WORDING_VOCABULARY,
	/* when */
	WORDING_SOON, WORDING_WITHIN_EPOCH, WORDING_SECOND_FAILS, WORDING_SAME_GIVEN, WORDING_STEADY_ELSEWHERE, WORDING_AT_ITS_END,
	/* that memory grows, or falls again */
	WORDING_ADDS_EACH, WORDING_KEEPS_EACH, WORDING_FALLS,
	/* with which version */
	WORDING_BY_UPDATE, WORDING_LAST_WELL, WORDING_NEWER_FAIL, WORDING_VERSION_CHINESE,
	/* of pictures */
	WORDING_LARGE_CHINESE, WORDING_IN_K, WORDING_FIXED_SIZE,
	WORDINGS
};

/* Where T has that wording; or NULL. */
const char	*oom_wording(struct talk t, enum wording);

struct finding {		/* of one wording, or, where that is none, by a function */
	enum wording wording;
	const char *(*find)(struct talk);
};

#define FOUND_BY(find)	(struct finding){ WORDING_NONE, find }
#define WORDED(name)	(struct finding){ WORDING_##name, NULL }

const char	*oom_find(struct talk t, struct finding);

/* Lists of those rows that other files look for, too. */
/* Each process; what it reads */
#define OOM_EACH_CHINESE	"每个卡都会|每卡都|每块卡都|每个gpu都|每个进程|每一个进程|个进程都|个进程 都|进程都会|每个rank|每张卡都会|每个卡都|每块卡都|各个进程都|每个worker"
#define OOM_READS_CHINESE	"初始化|加载|读取|读入|载入|复制|拷贝"
/* It runs; it did so before, or does not either; what is asked, wished or told of others */
#define OOM_RUNS_THEN	"run smoothly|runs smoothly|running smoothly|run successfully|runs successfully|run normally|runs normally|runs well|run well"
#define OOM_ALSO_THEN	"still even too also same either anyway anymore sometimes"
#define OOM_NOT_ENDED	"posts post threads thread people others users answers not never cannot can't be could can should may might would someone anyone you how hope hopefully if until wasn't isn't weren't temporarily partially paper"
/* A process is killed */
#define OOM_BE_KILLED	"be killed|is killed|was killed|gets killed|got killed|being killed"
/* What a batch is made of, and how large that is */
#define OOM_PARTS	"batch batchsize batch_size image images picture pictures photo photos resolution size sizes crop patch patch_size crop_size image_size img_size patches frames length points width height samples input inputs sequence tokens pixels pixel px"
/* What runs on devices of its own; more than one of them */
#define OOM_ON_SEVERAL	"two gpus|several gpus|different gpus|separate gpus|multiple gpus|own gpu|each gpu|2 gpus"
#define OOM_MANY_DEVICES	"gpus cards devices both two three four multiple multi-gpu multigpu several 2 3 4 8"

#endif
