/* The grammar of session ids. */
#include "core/comm/session.h"

bool kh_session_is_id(struct kh_view id)
{
	if (id.n == 0 || id.n > KH_SESSION_ID_MAX)
		return false;
	for (size_t i = 0; i < id.n; i++) {
		char c = id.p[i];
		bool word = kh_ascii_is_alpha(c) || kh_ascii_is_digit(c) || c == '_';
		if (!word && (i == 0 || (c != '.' && c != ':' && c != '-')))
			return false;
	}
	return true;
}
