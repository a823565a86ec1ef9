/* The words of severity. */
#include "core/screen/severity.h"

const struct kh_words kh_severity_words = KH_WORDS([KH_SEVERITY_NONE] = "none", [KH_SEVERITY_LOW] = "low",
						   [KH_SEVERITY_MEDIUM] = "medium", [KH_SEVERITY_HIGH] = "high");
