/* The tests of test_kernels_update.c with `real` as float: the kernels that most programs run. */
#define KERNELS_IN_FLOAT
#include "test_kernels_update.c"
