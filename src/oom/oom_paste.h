/*
 * What people paste beside a log: lines of code, of a command, of a configuration, and nvidia-smi's
 * list of processes. None of it is a message; what it tells is a condition for whoever explains
 * one.
 */
#ifndef STOWAGE_OOM_OOM_PASTE_H
#define STOWAGE_OOM_OOM_PASTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "oom/oom_amount.h"
#include "oom/oom_count.h"
#include "oom/oom_decided.h"
#include "oom/oom_figures.h"
#include "oom/oom_domain.h"
#include "oom/oom_habit.h"
#include "oom/oom_knob.h"
#include "oom/oom_library.h"
#include "oom/oom_measures.h"
#include "oom/oom_outlasts.h"
#include "oom/oom_source.h"
#include "oom/oom_switch.h"
#include "oom/oom_told.h"
#include "oom/oom_twin.h"

#define PASTE_NAME	48
#define PASTE_PLAIN	8
#define PASTE_HOLDERS	64
#define PASTE_CARDS	16	/* whose processes are counted */

struct oom_paste {		/* lines are counted from 1; 0: nowhere */
	int sums;		/* a loss is added to a sum as it is */
	char sum[PASTE_NAME];	/* the sum's name; */
	int numbers;		/* or it is kept as a number, added or put on a list */
	int added, added_inset;	/* what a network or a criterion gives is added to a name, so far set in; */
	char addend[PASTE_NAME];	/* that name; */
	int rounds, rounds_end;	/* that line, in a loop, and the one behind it that calls backward on it, */
	bool in_some;		/* which runs in some of the rounds alone */
	bool turns;		/* what is read runs in some rounds of a loop alone, where it is further set in than */
	int turns_inset;
	char begun[PASTE_NAME];	/* the sum that was set to 0 last, */
	int begun_inset;	/* so far set in */
	char backed[PASTE_NAME];	/* what backward was called on last, */
	char result[PASTE_NAME];	/* and what a network gave last, by their names, */
	int result_inset;	/* so far set in */
	int lists;		/* results are put on a list, or joined to a tensor, as they are; */
	char bounded[PASTE_NAME];	/* the last list that forgets what is more than it has room for */
	char list[PASTE_NAME], list_sum[PASTE_NAME];	/* the list's name, and that of what was made of all that is on it; */
	int layer_inset;	/* how far a layer's function is set in, plus 1, within which lists are of one step; 0: outside of any */
	int copies;		/* copied to the machine's memory, but with their graph */
	int keeps;		/* backward is told to keep the graph */
	int evaluates;		/* a network is set to evaluation, */
	int runs, trains_again;	/* and called thereafter; and set to training again behind that; */
	char plain[PASTE_PLAIN][PASTE_NAME];	/* names of numbers, or of tensors without their graph, the last that were set, */
	int plains;		/* and how many have been */
	int frozen;		/* weights are set to have no gradient; */
	int no_grad;		/* gradients are switched off, or a library does it; */
	int volatiles;		/* or as PyTorch before 0.4 did */
	int moves, moves_traced;	/* a network is put on the device, by code, or by a line of a traceback, */
	int converts_there;	/* and only then into a type of fewer bytes */
	int all_moved, all_run;	/* so are all samples, by their names; or a network is given them at once */
	int texts_given;	/* a tokenizer is given all texts at once, by their name; its line */
	bool texts_listed;	/* texts of such a name are written there, one by one */
	bool parts_named;	/* a batch has a name as all samples have */
	int64_t high, wide;	/* pixels of pictures; 0: not said; -1: of several sizes; of one side: wide is 0 */
	int pixels_line;
	const char *pixels;	/* the name that they have there */
	struct { int64_t n; int line; } high_alone, wide_alone, frames;	/* the sides by names of their own, and how many frames */
	int loads;		/* the last line that reads weights, */
	int loads_halted;	/* and that of their bar, where that did not come to its end */
	int loads_model, types;	/* the last by which transformers reads those of a model, and the last that gives any a type */
	int splits;		/* the last line by which weights are split among devices */
	int parted;		/* the last line, a sentence, too, that names anything by which devices have parts of a network or of what its training keeps, */
	int shares;		/* the last line by which ranks may have parts of them (FSDP, ZeRO's third stage), */
	int adapts;		/* and by which an adapter may be trained (LoRA) in their place */
	int names_adapter;	/* and that has any word of one, whatever it says of it */
	int images;		/* the last line that is of a program that makes images by diffusion, */
	int images_told;	/* or the last sentence that names one, */
	int trains;		/* and the last that names a program of training */
	int whole;		/* of a program that takes all as one batch, by its name */
	int julia;		/* of an error of Julia */
	int stores;		/* results are put into a tensor of the device, of this name */
	char store[PASTE_NAME];
	int colab, stopped;	/* of a path as Colab has them; of ^C by itself, and nothing after it */
	int64_t millions;	/* of weights, as a model's name has it; 0: not said; -1: of several sizes */
	struct said model;	/* the last such name, */
	int however;		/* the last line that says that it fails however small something is */
	int banner;		/* the last line by which transformers' Trainer evaluates, and not trains again */
	int model_of;		/* the last line that gives one as the model */
	bool model_told;	/* and none but sentences have one */
	int few_bits;		/* the last line by which weights may be in fewer than 16 bits, */
	int bits, bits_line;	/* as many by a word of such a line; 0: not said; -1: of several kinds; */
	int quantizing;		/* the last line with a call that makes them so, */
	int many_bits;		/* and the last that speaks of 16 or more */
	int64_t batch, parts, width, height;	/* Darknet's configuration; 0: not said */
	int parts_line, parts_again;	/* where it says parts, and where once more, to no effect */
	int detects;		/* and the first line with a command of its that tests; -1: one trains, too */
	char holder[PASTE_NAME];	/* the process that has most of a card, by nvidia-smi's list */
	int64_t holder_bytes;
	int holder_gpu;		/* its index; -1: not said */
	int holder_line;
	struct holder {		/* of that list, as far as they are kept */
		int64_t process, bytes;
		int gpu;
	} held_by[PASTE_HOLDERS];
	int held_count;
	bool lists_anew;	/* another table of it began, whose processes are to come */
	int holders[PASTE_CARDS];	/* how many processes each card has by it, */
	int64_t held[PASTE_CARDS];	/* and their bytes */
	struct {		/* processes of a list with no more than their numbers and their memory: */
		int head, first, last;	/* the last line of its head, and those of its rows, */
		int n;		/* how many have more than a context, */
		int64_t bytes;	/* and what these have in all */
	} plain_list;
	/* of what people say: memory grows; it failed late, in validation or tests, or in
	 * inference; */
	struct said grows, later, evaluating, inferring;
	int scripted;		/* the line by which one of the last two is so, by a script's name; 0: none */
	int later_part;		/* the last line by which a bar had come to some part of it */
	int later_other;	/* the last line by which another run than the one that failed fails late, */
	int films;		/* the last line by which it fails with films */
	int same_size;		/* the last line by which a loader's processes make the difference, and so no size of a sample */
	int tests_alike;	/* the last line by which tests had gone well before, or are given what training is */
	struct said soon;	/* of a failure at once, */
	struct said falls;	/* of memory that falls as an epoch ends, */
	struct said metrics;	/* of what transformers' evaluation is told, */
	struct said media;	/* of films or recordings, */
	int by_length;		/* the line by which memory goes with their length; */
	struct said lasts;	/* the first line that speaks of them as long, whether of what failed or not, */
	struct said large;	/* of pictures that are large, */
	struct said models;	/* of several models at once, */
	struct said classes;	/* of many classes, */
	int grew, grows_evenly;	/* the last line by which memory grew, and not only leaks, as a guess, and by which it did by the same again and again; */
	int keeping;		/* the last that speaks of a leak, or of memory that is not let go of, even as a guess; */
	int sorted;		/* the last line by which samples come from the largest to the smallest, */
	int steady_elsewhere;	/* by which the same run keeps on the processor to what it takes, */
	int later_end;		/* by which it failed at its end, */
	int same_given;		/* by which each round is given the same, */
	int leaps;		/* by which memory leaps and falls back, */
	int second_fails;	/* and by which a second round fails where a first had run; */
	int grows_host, grows_device;	/* the last line where the machine's memory alone grows, and a device's alone; */
	struct said pairs;	/* of a matrix with a number for each pair, */
	struct said boxes;	/* of pictures with many objects, */
	struct said loss;	/* of a failure where the loss is computed, */
	struct said penalty;	/* of a gradient penalty, */
	struct said shared;	/* of others that use the device, */
	struct said spare;	/* of much of the machine's memory that is free, */
	struct said unused;	/* of a device that is, */
	struct said single;	/* of the only one that is used, of several, */
	struct said peak;	/* of memory that is highest at the start, */
	struct said hook;	/* of a hook that gets what all steps returned, */
	struct said sizes;	/* or of several sizes, */
	struct said card;	/* of a device that has little, */
	int64_t card_gib;	/* how many GB one has on which it failed, by the first line that says it, */
	int card_told;		/* that line; 0: none does; */
	struct said told_card;	/* and its words; */
	struct said second;	/* of a step that ran ahead of the one that failed, */
	struct said less;	/* of what works with less of something than what failed, */
	struct said more;	/* or with more, */
	struct said kept;	/* of what a run makes or is given, which stays on the device, */
	struct said version;	/* of another version with which it does not fail, */
	struct said cached;	/* of samples that are kept once they were read, */
	struct said shared_memory;	/* of a failure in what processes share, */
	struct said entire;	/* of a set all of which is read or held at once, */
	struct said rays;	/* of rays that are followed through a scene, */
	struct said captures;	/* of CUDA graphs that are captured, */
	struct said quantizes;	/* of weights that are quantized, */
	struct said server;	/* of vLLM, or of its own settings, */
	struct said replicas;	/* of data that each process has a copy of, */
	struct said saved;	/* of results that are written, */
	struct said tasks;	/* of learning through steps of learning, */
	struct said attached;	/* of results or losses that are kept with their graph, */
	struct said too_large;	/* of a model that a device is too small for, */
	struct said full_size;	/* of weights that were read in float32, */
	struct said twice;	/* of memory that doubles while weights are read, */
	struct said ungraded;	/* of gradients that are on where nothing is trained, */
	struct said by_growth;	/* of TensorFlow, that it runs where memory is taken as it is needed, and not without, */
	struct said processes;	/* of processes that use one device, */
	struct said limited;	/* of a container that may have so much of the machine's memory, */
	struct said small, swapped;	/* of a machine that has little memory, or of more swap, with which it runs, */
	struct said ram;	/* of how much a machine has, */
	int64_t ram_gib;	/* the most that is told; */
	struct said turned_on, ended_by, emptied;	/* of what was added, with which it fails, of what ended it, and of a cache that was emptied; */
	struct said set_off, set_aside, set_number;	/* of a setting with which it runs, that switches something off, moves it off the device, or says how many; */
	struct said deprecated;	/* of volatile, which does nothing any longer; */
	struct said raised, other_data;	/* of a setting that was made larger, or of other data, with which it fails, */
	struct said of_batch;	/* of a batch with which it fails; */
	int few_in_vain;	/* that line, where fewer samples were tried in vain and it says how few; */
	int64_t least_batch;	/* of how many samples, the least; else 1 where they say that it has one, whatever comes of it; 0: not said */
	int fits;		/* the last sentence that says that a run of it fits, or did; */
	struct said summed;	/* or of what several devices have together; */
	struct said counted;	/* or of several devices, by how many, on which it fails; */
	struct said one_runs;	/* or that it runs on one device, where several fail; */
	int several_fail;	/* the last line by which it fails on several; */
	struct said shapes;	/* of inputs whose shapes vary; */
	struct said talk;	/* of replies of a conversation, after which it fails; */
	struct said of_length;	/* of sequences that are so long that it fails; */
	struct said absurd;	/* of an allocation of a tebibyte or more, or of one piece that a card may not have, */
	int64_t absurd_bytes;
	struct said array;	/* of an array by its extents, that fails to be made; */
	int64_t array_bytes;
	struct said decoder;	/* of the decoder of an autoencoder of images, */
	struct said adam;	/* of Adam, which fails where SGD does not, */
	int training;		/* and the last line that is of training; */
	struct said resuming;	/* of a run that goes on from a file, */
	struct said resumed;	/* or a setting by which one does, */
	struct said draws;	/* of pictures that are drawn beside training, */
	struct said saving;	/* of weights that are saved, */
	struct said again;	/* of what is run once more, */
	int ran_earlier;	/* or, on that line, of what ran in the past with the same settings, */
	struct said trials;	/* of several runs, as a search makes, */
	struct said retains;	/* of a graph that backward is told to keep, */
	struct said first;	/* of the first device, which has more than others, */
	bool first_of_ranks;	/* where that line speaks of processes, too, */
	struct said unfreezes;	/* of layers that are unfrozen, */
	struct said stays;	/* of memory that a run that was stopped did not let go of, */
	struct said vocabulary;	/* of one that is large, or of what is made for each word of it, */
	struct said converts;	/* while a model is converted, exported or an engine is built, */
	struct said loading, parallel;	/* while weights are loaded, or on several devices */
	int generates;		/* code or a script of a network that is run and not trained, by their names, or a program that is for that; */
	int network;		/* the last line that is of a neural network, or of its training, by PyTorch's errors, too; */
	int layers;		/* or one for what only networks have, or of a framework's name, */
	int trees;		/* and that names a library of trees that are learned; */
	int zeros;		/* the last line that makes an array of zeros of NumPy; */
	int classic;		/* and scikit-learn, or what is like it; */
	int serves;		/* the last with the name of a program that runs networks, and trains none; */
	int llama;		/* the last that names a program made of llama.cpp, which has no PyTorch; */
	int unmade;		/* the last with ONNX Runtime's message of a session that it could not make; */
	int docker;		/* the first sentence that names Docker, */
	int spared;		/* the last line by which it saw no process of a container ended for memory, */
	int kubernetes;		/* and the first line that names Kubernetes, */
	bool pods;		/* or its pods alone; */
	int loader;		/* the last that names a loader's processes; */
	int vmmem;		/* the last that names the process that Windows has for WSL's machine, */
	int wsl_bound, wsl_full;	/* or that has the setting that bounds it, and one by which it has as much; */
	int64_t wsl_gb;		/* how many GB that is, */
	int wsl, mismatch;	/* the last that names WSL, and that says that the driver and its library do not fit */
	int scenes;		/* a program that learns a scene from its pictures was named; */
	int drops;		/* that empties the system's cache of files, */
	int unified;		/* that names another machine whose processor and GPU have one memory, */
	int several;		/* the last line that speaks of several devices or processes, */
	int tables;		/* the last line that names pandas, */
	int language;		/* that speaks of a program in C#, Java or the like, */
	int windows, android;	/* that names Windows as its system, or Android, */
	int app;		/* that names an iPhone, an iPad or their system, */
	int app_raised, app_chunks, app_neural;	/* what an app there may have more, its network in chunks, or the Neural Engine, */
	int mac, jetson;	/* that names a Mac, or a board of NVIDIA's whose machine and GPU have one memory, */
	int card_most, card_line;	/* GiB that a card has at most that is named: of several the most; 0: none is, */
	char card_name[PASTE_NAME];	/* as it is called there, */
	int card_asked;		/* the last by which it was asked for more than it has, */
	int card_unknown;	/* and the last line that names one whose kind is not known; */
	int nvidia, amd, intel;	/* a GPU of these makers, or a tool of theirs, */
	int tpu;		/* a TPU, of Google's, */
	int cuda;		/* CUDA, which PyTorch's calls name on any, */
	int reads;		/* what is loaded or read, whether of what failed or not, */
	int database;		/* or of a database of samples, as a program or a path names it; */
	int spent;		/* seconds that a program took for a part of its work, */
	int tf_data;		/* TensorFlow, as what reads data may; -1: its devices are hidden from it, */
	int spark;		/* Spark, */
	int lua;		/* Torch for Lua, */
	int prose;		/* and the last that is a person's sentence */
	int torch, torch_told;	/* the line that names PyTorch last, and a sentence that does */
	int session, finalizes;	/* that runs a session of TensorFlow, and one that lets nothing be added to its graph, */
	int other_sessions;	/* and the last that has sessions of something else, as ONNX Runtime's */
	int tf_files, jax_files;	/* and one with files of TensorFlow's Python, or of JAX, as tracebacks have them */
	int gpu_files;		/* the last line of a call in a library of arrays on a GPU; else the first that imports one */
	int torch_files;		/* the last line of a call in PyTorch, or of its XLA */
	int64_t said_high, said_wide;	/* pixels of pictures; 0: not said; -1: of several sizes */
	int said_line;
	struct oom_twins tries;	/* what is listed with several numbers, and how each went */
	struct oom_outlasts runs_on;	/* on which card it goes on for how long, */
	struct said outlasts;	/* and where it does for longer with more memory */
	struct oom_amounts amounts;	/* of what so much fails, and so much less runs */
	struct oom_counts counts;	/* how many of what are worked on at once */
	struct oom_told told;	/* what they say of memory itself */
	struct oom_knob domains[DOMAINS];	/* what a network is for, by its names */
	struct oom_knob knobs[KNOBS];	/* settings that bound what is given at once, by their names */
	struct oom_knob switches[SWITCHES];	/* those that make it take less, and are off, with their values */
	struct oom_libraries libraries;	/* that keep memory in a store of their own */
	struct oom_figures figures;	/* what lines count of memory, one after the other; */
	struct oom_decided decided;	/* what single lines decide */
	struct oom_measures measures;	/* what is in use against it, or was tried */
	struct oom_habits habits;	/* code and settings that are known to fill memory */
	int older, newer;	/* PyTorch 0.3, and 0.4, where volatile lost its effect */
};

/* What fits of a name, to its end. */
void	oom_paste_name(char to[PASTE_NAME], const char *s, const char *end);
/* Line LINE of the log, as it was read by a lexicon; TRACED: a traceback's. What a person's
 * sentence has of code, settings and names is none of the run's. */
void	oom_paste_line(struct oom_paste *, struct talk, int line, enum oom_source, bool traced);

#endif
