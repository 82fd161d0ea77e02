/* What is of validation, tests or inference, by its name (oom_tests.c). */
#ifndef STOWAGE_OOM_OOM_TESTS_H
#define STOWAGE_OOM_OOM_TESTS_H

#include "oom/oom_told.h"

/* Words for what is done with a network that is not trained there, and for its data. */
#define OOM_TESTS	"val valid validate validates validating validation test tests testing eval evaluate evaluates evaluating evaluation infer inference inferring "	\
    "predict predicts predicting prediction testset testloader testdata valset valloader validset validloader evalloader evalset"

/* Is a batch that N bytes at AT of a line name one of validation, tests or inference, by words of
 * its clause or the loader's name? */
bool	oom_tests_of(struct talk line, const char *at, size_t n);
/* Does the clause of N bytes at AT of a line say that such a batch works, "batch size 2 works
 * fine", and not deny it? */
bool	oom_tests_run(struct talk line, const char *at, size_t n);
/* Is line T within a call that a line of tests opened, such as "val_loader = DataLoader("? Kept in
 * OF_TESTS. */
void	oom_tests_call(struct oom_told *, struct talk t);

#endif
