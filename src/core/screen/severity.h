/* How bad a finding is. */
#ifndef KH_CORE_SCREEN_SEVERITY_H
#define KH_CORE_SCREEN_SEVERITY_H

#include "base/words.h"

enum kh_severity { KH_SEVERITY_NONE, KH_SEVERITY_LOW, KH_SEVERITY_MEDIUM, KH_SEVERITY_HIGH };
extern const struct kh_words kh_severity_words; /* "none", "low", "medium", "high" */

#endif
