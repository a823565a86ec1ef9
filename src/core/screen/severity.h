/* How bad a finding is. */
#ifndef KH_CORE_SCREEN_SEVERITY_H
#define KH_CORE_SCREEN_SEVERITY_H

#include "base/view.h"

enum kh_severity { KH_SEVERITY_NONE, KH_SEVERITY_LOW, KH_SEVERITY_MEDIUM, KH_SEVERITY_HIGH };

/* "none", "low", "medium", "high". */
const char *kh_severity_name(enum kh_severity severity);

#endif
