/* What the records of PyTorch share. */
#ifndef STOWAGE_FRAMEWORKS_PYTORCH_H
#define STOWAGE_FRAMEWORKS_PYTORCH_H

#include "frameworks/framework.h"

/* Bytes of the workspaces that it keeps for cuBLAS; 0 where nothing asks for one. */
int64_t	pytorch_blas(const struct module *);

#endif
