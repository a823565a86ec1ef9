/* What becomes of an errand that asks an upstream server (U3, U5, U6): from a response to a result. */
#ifndef KH_UPSTREAM_CONCLUDE_H
#define KH_UPSTREAM_CONCLUDE_H

#include "core/comm/errand.h"
#include "upstream/request.h"

/* Before anything is sent: content that was put into the arguments may not fit the tool's schema.  Then *RESULT is a
 * failure, with the reason, and *RET_GOOD is false.  Fails only for lack of memory. */
enum kh_err kh_conclude_early(const struct kh_errand *errand, struct kh_arena *arena, struct kh_errand_result *result,
			      bool *ret_good) KH_CHECKED;

/* What came back, or why nothing did: a call that was sent and not answered has an unknown end. */
enum kh_err kh_conclude(const struct kh_errand_tool *tool, const struct kh_upstream_response *response,
			struct kh_arena *arena, struct kh_errand_result *result) KH_CHECKED;

#endif
