/* Is a number that ends a pattern a whole one, and of the text that the pattern stands in? */
#ifndef STOWAGE_OOM_OOM_COUNTED_H
#define STOWAGE_OOM_OOM_COUNTED_H

#include <stdbool.h>

/* The number FROM to S, with other text ahead of it, in what ends at END. Neither are "5.98GB",
 * a bar's "7%|" and, at the start of the next line, "0/3000" or a clock's "11:20". */
bool oom_is_count(const char *from, const char *s, const char *end);

#endif
