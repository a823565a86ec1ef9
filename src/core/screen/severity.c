/* The words of severity, to and from. */
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

bool kh_severity_parse(struct kh_view word, enum kh_severity *ret_severity)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (kh_view_eq(kh_view_str(names[i]), word)) {
			*ret_severity = (enum kh_severity)i;
			return true;
		}
	}
	return false;
}
