/* The closed list of languages (SPEC B11, format `language`). */
#ifndef KH_CORE_BCP_LANGUAGE_H
#define KH_CORE_BCP_LANGUAGE_H

#include "base/view.h"

/*
 * The language that KEY, an answer's skeleton (kh_normalise_skeleton), names: by its English name, its own name in
 * Latin letters, a regional form ("Brazilian Portuguese"), or its ISO 639 code of two or three letters.  *RET_NAME is
 * the English name ("Norwegian Bokmål") and is static.
 *
 * Mandarin is Chinese, and so are its scripts ("Simplified Chinese"); Cantonese and the others are languages of their
 * own.  Not found: a name of several languages ("Creole", "Ndebele"); a code that is an English word ("no", "it"), and
 * "uk".
 */
bool kh_language_find(struct kh_view key, struct kh_view *ret_name);

/* How many there are in the list. */
size_t kh_language_count(void);

#endif
