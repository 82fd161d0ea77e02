/* The same of programs for statistics and genomes: what the messages of R and of STAR mean. */
#ifndef STOWAGE_OOM_OOM_SAYS_DATA_H
#define STOWAGE_OOM_OOM_SAYS_DATA_H

#include "oom/oom_says.h"

#define R_VECTORS	"R's limit for the memory of vectors (R_MAX_VSIZE, mem.maxVSize()) was reached, which is of the " MACHINES ". " TRY BY_LIMIT "A larger limit, as far as there "	\
    "is memory" TRY BY_ANYTHING "less at once (fewer rows, whole numbers where they do)" TRY_END " helps."
#define R_LIMIT		"R before version 4.2 has a limit of its own on Windows, which was reached: it is of the " MACHINES ". " UNTRIED(BY_LIMIT, "memory.limit(size=...), in MB, raises it, as far as there is memory. ")	\
    "Since 4.2 there is none."
#define R_ELEMENTS	"Not for want of memory, as far as was read: in R something was to have more elements than it can count there, about 2 to the power of 31, or a length was computed wrongly. A number for each pair of rows (dist(), hclust()), or a sparse matrix that is "	\
    "made dense (as.matrix()), with one for each pair of a row and a column, comes to that: fewer rows, parts of them one after the other, or what works on a sparse matrix as it is, have fewer."
#define R_CELLS	"R's heap of cells, in which each object has one, those within a list, too, was full: its limit (R_MAX_NSIZE, --max-nsize) was reached, or the " MACHINES ", had no room for more. Few objects that are "	\
    "large (a vector, a matrix) take fewer cells than many small ones, as of nested lists; code that makes them without an end comes to that, too."
#define STAR_READS	"STAR holds the index of a genome whole in the " MACHINES ", before it maps a read, and was refused the room for it: its next lines say how much that takes, and how much what started it has to allow (ulimit -v). Neither the reads nor the threads play a part in that. "	\
    "As much for the job, or a sparser index (made anew with --genomeSAsparseD 2), lets it begin; other runs of STAR on that machine may share one index (--genomeLoad LoadAndKeep)."
#define STAR_SORTS	"STAR sorts what it mapped, and found that a part of that takes more of the " MACHINES ", than its own limit (--limitBAMsortRAM) allows, which is as much as the index takes unless it is told: its next line says what limit suffices. With that, where the job has as much, it goes on; "	\
    "more parts (--outBAMsortingBinsN) take less each, and a file that is not sorted (--outSAMtype BAM Unsorted), sorted by samtools, does without."

#endif
