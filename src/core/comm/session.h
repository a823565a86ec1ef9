/*
 * Ids of sessions (a task's id, and an audit event's).  The grammar is so narrow that an id inside a sentence, such as
 * an attribution, cannot carry any other text.
 */
#ifndef KH_CORE_COMM_SESSION_H
#define KH_CORE_COMM_SESSION_H

#include "base/view.h"

#define KH_SESSION_ID_MAX 128

/* True for [A-Za-z0-9_][A-Za-z0-9_.:-]{0,127}. */
bool kh_session_is_id(struct kh_view id);

#endif
