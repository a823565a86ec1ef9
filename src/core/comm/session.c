/* The grammar of session ids. */
#include "core/comm/session.h"

bool kh_session_is_id(struct kh_view id)
{
	return kh_view_is_id(id, KH_SESSION_ID_MAX);
}
