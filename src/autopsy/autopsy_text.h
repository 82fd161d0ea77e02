/* What the parts of autopsy's answer for people share: autopsy_text.c, autopsy_text_dump.c
 * and autopsy_tensor.c. */
#ifndef STOWAGE_AUTOPSY_AUTOPSY_TEXT_H
#define STOWAGE_AUTOPSY_AUTOPSY_TEXT_H

#include "autopsy/autopsy.h"

void	autopsy_heading(const struct autopsy *, const char *title);
/* A paragraph, indented by two and broken at blanks. */
void	autopsy_say(const struct autopsy *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A number of bytes; nothing where it is below 0. */
void	autopsy_row(const struct autopsy *, const char *name, int64_t bytes, const char *note);

/* The allocator's dump: its classes of sizes, and what they are. */
void	autopsy_text_dump(const struct autopsy *);
/* TensorFlow's list of what held memory, where it was asked for one. */
void	autopsy_text_holders(const struct autopsy *);
/* The tensor of the main message, and the batch that follows. */
void	autopsy_tensor(const struct autopsy *);

#endif
