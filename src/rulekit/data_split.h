/*
 * How training and validation share files, as their settings say: no file is read for it.
 */
#ifndef STOWAGE_RULEKIT_DATA_SPLIT_H
#define STOWAGE_RULEKIT_DATA_SPLIT_H

#include "lint/rule.h"

bool	data_same_files(const struct data_source *, const struct data_source *);

/* Of the same files: the share of validation's rows that training sees. */
double	data_shared(const struct data_source *train, const struct data_source *validate);

/* The share of its files that is used. */
double	data_part(const struct data_source *);

#endif
