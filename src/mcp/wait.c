/* After an event that was for somebody else, events do not wake the call for a short time. */
#include "mcp/wait.h"

#define SECOND INT64_C(1000000)
#define REST   INT64_C(50000) /* microseconds */

bool kh_mcp_wait_on(struct kh_mcp_call *call, int64_t seconds)
{
	int64_t now = kh_works_now(), most = kh_gateway_wait(call->gateway);

	if (call->kept.next.until == 0)
		call->kept.next.until = now + (seconds >= 0 && seconds < most / SECOND ? seconds * SECOND : most);
	if (call->stopping || now >= call->kept.next.until)
		return false;
	call->kept.next.rested = !call->kept.next.rested;
	call->work->wake_at = call->kept.next.until;
	if (call->kept.next.rested)
		call->work->wake_chain = KH_WORK_ANY;
	else if (now + REST < call->kept.next.until)
		call->work->wake_at = now + REST;
	return true;
}
