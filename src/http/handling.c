/* Runs the handler of a request as a work: its steps, its waits, its end. */
#include "http/handling.h"

#include "http/reply.h"

#include <microhttpd.h>

#define MEMORY ((size_t)1 << 30) /* bytes for a step: sealed content of a query may be many times 16 MiB */

/* Before a wait: frees what is not needed, and watches whether the client goes away. */
static void wait_begins(struct kh_http_request *r)
{
	if (r->shed) {
		size_t limit = r->arena.limit;
		kh_arena_done(&r->arena);
		kh_arena_init(&r->arena, r->frame->alloc, limit);
		kh_http_request_free_body(r);
		r->shed = false;
	}
	pthread_mutex_lock(&r->lock);
	if (r->suspended && !r->armed && !atomic_load(&r->gone)) {
		kh_http_watch_arm(r->frame->watch, r->fd);
		r->armed = true;
	}
	pthread_mutex_unlock(&r->lock);
}

static enum kh_work_next step(struct kh_work *work)
{
	struct kh_http_request *r = (struct kh_http_request *)work;
	enum kh_work_next next = r->route->run(r);

	if (next == KH_WORK_WAIT) {
		wait_begins(r);
		return KH_WORK_WAIT;
	}
	pthread_mutex_lock(&r->lock);
	r->working = false;
	bool answered = r->answered;
	pthread_mutex_unlock(&r->lock);
	if (!answered)
		kh_http_reply_error(r, KH_ENOMEM, NULL);
	kh_arena_done(&r->arena);
	kh_arena_init(&r->arena, r->frame->alloc, KH_HTTP_REQUEST_ARENA);
	kh_http_request_free_body(r);
	kh_http_request_drop(r);
	return KH_WORK_DONE;
}

/* Returns false for a route that may wait if so many requests wait that others would find no place. */
static bool may_wait(struct kh_http_request *r)
{
	if (!r->route->waits)
		return true;
	if (atomic_fetch_add(&r->frame->waits, 1) >= r->frame->waits_most) {
		atomic_fetch_sub(&r->frame->waits, 1);
		return false;
	}
	r->counted = true;
	return true;
}

void kh_http_handling_begin(struct kh_http_request *r)
{
	struct kh_error err;

	if (!may_wait(r)) {
		r->closes = true; /* free the connection for others */
		kh_http_reply_error(r, kh_error_set(&err, KH_ESTORE, "busy", "too many wait already"), &err);
		return;
	}
	kh_arena_init(&r->arena, r->frame->alloc, MEMORY);
	r->work.step = step;
	kh_http_watch_does(r->frame->watch, r->fd, KH_HTTP_WORKS, 0);
	kh_http_request_hold(r);
	pthread_mutex_lock(&r->lock);
	r->epoch = kh_gateway_epoch(r->frame->gateway);
	MHD_suspend_connection(r->connection);
	r->suspended = r->working = true;
	pthread_mutex_unlock(&r->lock);
	struct kh_works *works = r->route->apart ? r->frame->apart : kh_gateway_works(r->frame->gateway);
	if (!kh_works_add(works, &r->work)) {
		pthread_mutex_lock(&r->lock);
		r->working = false;
		pthread_mutex_unlock(&r->lock);
		kh_http_reply_error(r, kh_error_set(&err, KH_ESTORE, "stopping", "the gateway is stopping"), &err);
		kh_http_request_drop(r);
	}
}

void kh_http_handling_stop(struct kh_http_request *r)
{
	struct kh_error err;
	struct kh_http_stream *stream;

	pthread_mutex_lock(&r->lock);
	bool answered = r->answered || !r->suspended;
	stream = r->stream;
	pthread_mutex_unlock(&r->lock);
	if (!answered)
		kh_http_reply_error(r, kh_error_set(&err, KH_ESTORE, "stopping", "the gateway is stopping"), &err);
	if (stream != NULL)
		kh_http_stream_close(stream);
}
