/* The words of severity. */
#include "core/screen/severity.h"

static const char *const names[] = {
	[KH_SEVERITY_NONE] = "none",
	[KH_SEVERITY_LOW] = "low",
	[KH_SEVERITY_MEDIUM] = "medium",
	[KH_SEVERITY_HIGH] = "high",
};

const char *kh_severity_name(enum kh_severity severity)
{
	return names[severity];
}
