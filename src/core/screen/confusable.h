/* Characters that look like ASCII letters (S1).  For scanning only: folded text is never delivered. */
#ifndef KH_CORE_SCREEN_CONFUSABLE_H
#define KH_CORE_SCREEN_CONFUSABLE_H

#include <stdbool.h>
#include <stdint.h>

/* The ASCII character that C looks like, in lower case; C itself if there is none. */
uint32_t kh_confusable_fold(uint32_t c);

/* True for a combining mark that only decorates: the accents, strokes and rings of any script. */
bool kh_confusable_is_accent(uint32_t c);

#endif
