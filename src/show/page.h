/*
 * The files of show/page/, which src/emit/embed.sh turns into C: what pictures and pages of a plan
 * are made of, so that a page needs nothing but itself.
 */
#ifndef STOWAGE_SHOW_PAGE_H
#define STOWAGE_SHOW_PAGE_H

#include "base/embedded.h"

extern const struct embedded page_table[];	/* ends with name NULL */

const char	*page_file(const char *name);	/* its text; NULL when there is none */

#endif
