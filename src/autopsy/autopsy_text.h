/* What the parts of autopsy's answer for people share: autopsy_text.c and autopsy_tensor.c. */
#ifndef STOWAGE_AUTOPSY_AUTOPSY_TEXT_H
#define STOWAGE_AUTOPSY_AUTOPSY_TEXT_H

#include "autopsy/autopsy.h"

void	autopsy_heading(const struct autopsy *, const char *title);
/* A paragraph, indented by two and broken at blanks. */
void	autopsy_say(const struct autopsy *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A number of bytes; nothing where it is below 0. */
void	autopsy_row(const struct autopsy *, const char *name, int64_t bytes, const char *note);

/* The tensor of the main message, and the batch that follows. */
void	autopsy_tensor(const struct autopsy *);

#endif
