/* How a row of the tables of messages is written: oom_phrase.c and oom_phrase_machine.c. */
#ifndef STOWAGE_OOM_OOM_ROW_H
#define STOWAGE_OOM_OOM_ROW_H

#include "oom/oom_phrase.h"
#include "oom/oom_says.h"
#include "oom/oom_says_data.h"

#define ROW(role, kind, host, who, says, flags)	role, kind, host, who, says, OOM_ASKED, flags
#define MESSAGE(kind)	ROW(ROLE_MESSAGE, kind, false, NULL, NULL, 0)
#define ON_GPU(kind)	ROW(ROLE_MESSAGE, kind, false, NULL, NULL, PHRASE_GPU)
#define HOST(kind)	ROW(ROLE_MESSAGE, kind, true, NULL, NULL, 0)
#define KERNEL(flags)	ROW(ROLE_MESSAGE, OOM_KERNEL, true, NULL, NULL, flags)
#define SAYS(kind, who, says)	ROW(ROLE_MESSAGE, kind, false, who, says, 0)
#define OLD_TORCH	"PyTorch before 1.11, or Torch"	/* they share THC, the library that says so, which PyTorch had to 1.10 */
#define ASYNC		"CUDA's asynchronous allocator"	/* each of its requests is of one tensor, and none of a pool */
#define HOST_SAYS(who, says)	ROW(ROLE_MESSAGE, OOM_KERNEL, true, who, says, 0)
#define ON_WINDOWS	ROW(ROLE_MESSAGE, OOM_PYTORCH_CPU, true, NULL, NULL, PHRASE_WINDOWS)
#define FROM(who)	SAYS(OOM_CUDA, who, NULL)
#define FROM_METAL(who)	SAYS(OOM_MPS, who, NULL)
#define TORCH_ON(who)	SAYS(OOM_PYTORCH, who, NULL)
/* PyTorch's, its head translated by WORDS. */
#define TRANSLATED(words) { words "。 尝试分配 %", MESSAGE(OOM_PYTORCH) }, { words ". 尝试分配 %", MESSAGE(OOM_PYTORCH) }, { words "， 尝试分配 %", MESSAGE(OOM_PYTORCH) }, { words "。 嘗試分配 %", MESSAGE(OOM_PYTORCH) }
#define WHOLE_GB	ROW(ROLE_MESSAGE, OOM_PYTORCH_CPU, true, NULL, NULL, PHRASE_WHOLE)
#define HOST_RESULT(who)	ROW(ROLE_MESSAGE, OOM_HOST, true, who, NULL, 0)
#define STATUS(who, says)	ROW(ROLE_MESSAGE, OOM_CUDA, false, who, says, PHRASE_ASSERTED)
#define HEDGED(kind, who, says)	ROW(ROLE_MESSAGE, kind, false, who, says, PHRASE_HEDGED)
#define HANDLE_SAYS(who, says)	ROW(ROLE_MESSAGE, OOM_CUDA, false, who, says, PHRASE_HEDGED | PHRASE_ASSERTED)
#define HANDLE(who)	HANDLE_SAYS(who, NO_HANDLE_GROWTH)	/* as TensorFlow and JAX write it */
/* JavaCPP's, of one of its types. */
#define UNWRAPPED(type)	{ "Cannot allocate new " type "Pointer\b", ROW(ROLE_MESSAGE, OOM_KERNEL, true, "JavaCPP", JAVA_WRAPPED, PHRASE_AGAIN) }
/* ggml's buffers have the names of what they lie in. */
#define LAYERS_ON(device)	{ "error loading model: unable to allocate " device " buffer", ROW(ROLE_MESSAGE, OOM_CUDA, false, "ggml", NO_LAYERS_THERE, PHRASE_GPU) }
#define LAYERS_HERE(name)	{ "error loading model: unable to allocate " name " buffer", ROW(ROLE_MESSAGE, OOM_HOST, true, "ggml", NO_LAYERS_HERE, 0) }
#define MUMPS_FULL	ROW(ROLE_MESSAGE, OOM_KERNEL, true, "MUMPS", MUMPS_WORKSPACE, PHRASE_LIMITED)
#define ECHO(who, says)	ROW(ROLE_MESSAGE, OOM_CUDA, false, who, says, PHRASE_ECHO)
#define ENDED		ROW(ROLE_MESSAGE, OOM_KERNEL, true, "the system", SIGNAL_9, PHRASE_HEDGED)
/* A shell's word for that signal: by itself, behind a job's number or a process's. */
#define SHELL_SAYS(word) { word "\n", ROW(ROLE_MESSAGE, OOM_KERNEL, true, "the system", SIGNAL_9, PHRASE_HEDGED | PHRASE_ALONE) }, { "]+ " word, ENDED }, { ": # " word, ENDED }
/* As its versions have written it. */
#define EARLYOOM_SENDS(signal) { "sending " signal " to process # uid # \"&\": ", HOST_SAYS("earlyoom", EARLYOOM) }, { "sending " signal " to process # \"&\": ", HOST_SAYS("earlyoom", EARLYOOM) }
#define SIGBUS_SAYS	ROW(ROLE_MESSAGE, OOM_KERNEL, true, "the system", PAGE_GONE, PHRASE_HEDGED)
#define APART(who, says)	ROW(ROLE_MESSAGE, OOM_CUDA, false, who, says, PHRASE_APART)
#define FAISS(says)	ROW(ROLE_MESSAGE, OOM_CUDA, false, "faiss", says, PHRASE_BYTES)
#define OWN(kind, who, says)	ROW(ROLE_MESSAGE, kind, false, who, says, PHRASE_OWN)
#define OWN_HOST(kind, who, says)	ROW(ROLE_MESSAGE, kind, true, who, says, PHRASE_OWN)
#define OWN_BYTES(kind, who)	ROW(ROLE_MESSAGE, kind, false, who, NULL, PHRASE_OWN | PHRASE_BYTES)
/* What CUDA's driver refuses for another reason than want of memory. */
#define REFUSED(code)	{ "failed to alloc % on host: " code, APART("CUDA", OTHER_CODE) },		\
    { "failed to allocate % (# bytes) from device: " code, APART("CUDA", OTHER_CODE) }
#define THEANO_REFUSED(words)	{ "Error allocating % of device memory (" words, APART("Theano", THEANO_CODE) }
#define NAMED		ROW(ROLE_NAMED, OOM_OTHER, false, NULL, NULL, 0)
#define GENERIC		ROW(ROLE_GENERIC, OOM_OTHER, false, NULL, NULL, 0)
#define RUNTIME		ROW(ROLE_NAMED, OOM_MACHINE, true, NULL, NULL, 0)
#define NOTHING		ROW(ROLE_NOTHING, OOM_KINDS, false, NULL, NULL, 0)

#endif
