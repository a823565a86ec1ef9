/* Looks through the connections whenever a token may have ceased to be valid. */
#include "http/dismiss.h"

#include "http/reply.h"

#define PAUSE INT64_C(250000) /* microseconds between looks at the epoch */

/* True if the request is under way and its token was checked in an earlier epoch. */
static bool is_unchecked(struct kh_http_request *r, uint64_t epoch)
{
	pthread_mutex_lock(&r->lock);
	bool unchecked = r->working && r->token.id != 0 && r->epoch != epoch;
	pthread_mutex_unlock(&r->lock);
	return unchecked;
}

static void check(struct kh_http_request *r)
{
	struct kh_gateway *gateway = r->frame->gateway;
	uint64_t epoch = kh_gateway_epoch(gateway);
	struct kh_error err;

	if (!is_unchecked(r, epoch))
		return;
	if (kh_gateway_holds(gateway, r->token)) {
		pthread_mutex_lock(&r->lock);
		r->epoch = epoch;
		pthread_mutex_unlock(&r->lock);
		return;
	}
	kh_http_reply_error(r, kh_error_set(&err, KH_EREFUSED, "unauthorised", "the token is no longer valid"), &err);
	kh_http_request_dismiss(r);
}

static enum kh_work_next step(struct kh_work *work)
{
	struct kh_http_dismiss *dismiss = (struct kh_http_dismiss *)work;
	uint64_t epoch = kh_gateway_epoch(dismiss->frame->gateway);

	if (kh_works_is_stopping(work->works))
		return KH_WORK_DONE;
	if (epoch != dismiss->epoch)
		kh_http_watch_each(dismiss->frame->watch, check);
	dismiss->epoch = epoch;
	work->wake_at = kh_works_now() + PAUSE;
	return KH_WORK_WAIT;
}

bool kh_http_dismiss_start(struct kh_http_dismiss *dismiss, struct kh_http_frame *frame)
{
	dismiss->frame = frame;
	dismiss->work.step = step;
	return kh_works_add(frame->apart, &dismiss->work);
}
