/* The closed list of countries (SPEC B11, format `country`). */
#ifndef KH_CORE_BCP_COUNTRY_H
#define KH_CORE_BCP_COUNTRY_H

#include "base/view.h"

/*
 * The country that KEY, an answer's skeleton (kh_normalise_skeleton), names: by its English name, an official, former
 * or native one, or its ISO 3166-1 code.  *RET_NAME is the English short name ("Côte d'Ivoire") and is static.
 *
 * Not found: a part of a country ("Scotland", "England"), because the answer was not the country that it belongs to; a
 * name of several countries ("Congo", "Korea", "Virgin Islands"); a code that is an English word ("no", "it", "can").
 */
bool kh_country_find(struct kh_view key, struct kh_view *ret_name);

/* How many there are in the list. */
size_t kh_country_count(void);

#endif
