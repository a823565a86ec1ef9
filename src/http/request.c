/* A request: what came in, and the two sides that use it. */
#include "http/request.h"

#include "base/alloc.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sodium.h>
#include <stdio.h>

#define BODY_STEP ((size_t)4096)
/* Bytes of a too large body that are still read, because MHD sends no answer before a body in chunks has ended. */
#define DISCARD ((size_t)64 << 20)

/* --- memory ------------------------------------------------------------------------------------------------------- */

struct kh_http_request *kh_http_request_new(struct kh_http_frame *frame, struct MHD_Connection *connection, int fd,
					    struct kh_view target)
{
	struct kh_http_request *r = kh_alloc_zero(frame->alloc, sizeof(*r));
	char *text = kh_alloc_zero(frame->alloc, target.n + 1);

	if (r == NULL || text == NULL) {
		kh_alloc_free(frame->alloc, r, sizeof(*r));
		kh_alloc_free(frame->alloc, text, target.n + 1);
		return NULL;
	}
	if (target.n > 0)
		memcpy(text, target.p, target.n);
	r->frame = frame;
	r->fd = fd;
	r->connection = connection;
	r->target_text = text;
	r->target_size = target.n;
	atomic_store(&r->refs, 1);
	kh_arena_init(&r->arena, frame->alloc, KH_HTTP_REQUEST_ARENA);
	pthread_mutex_init(&r->lock, NULL);
	return r;
}

void kh_http_request_hold(struct kh_http_request *r)
{
	atomic_fetch_add(&r->refs, 1);
}

void kh_http_request_free_body(struct kh_http_request *r)
{
	kh_alloc_free(r->frame->alloc, r->body, r->body_room);
	r->body = NULL;
	r->body_n = r->body_room = 0;
}

void kh_http_request_drop(struct kh_http_request *r)
{
	const struct kh_alloc *alloc = r->frame->alloc;

	if (atomic_fetch_sub(&r->refs, 1) != 1)
		return;
	if (r->head != NULL)
		sodium_memzero(r->head, r->head_size);
	kh_alloc_free(alloc, r->head, r->head_size);
	kh_alloc_free(alloc, r->target_text, r->target_size + 1);
	kh_alloc_free(alloc, r->kept, r->kept_size);
	kh_http_request_free_body(r);
	kh_arena_done(&r->arena);
	if (r->response != NULL)
		MHD_destroy_response(r->response);
	if (r->stream != NULL)
		kh_http_stream_release(r->stream);
	pthread_mutex_destroy(&r->lock);
	kh_alloc_free(alloc, r, sizeof(*r));
}

/* --- what comes in ------------------------------------------------------------------------------------------------ */

static bool make_body_room(struct kh_http_request *r, size_t want)
{
	const struct kh_alloc *alloc = r->frame->alloc;
	size_t room = r->body_room > 0 ? r->body_room : BODY_STEP;
	char *body;

	while (room < want)
		room *= 2;
	if (room == r->body_room)
		return true;
	body = alloc->resize(alloc->ctx, r->body, r->body_room, room);
	if (body == NULL)
		return false;
	r->body = body;
	r->body_room = room;
	return true;
}

bool kh_http_request_take_body(struct kh_http_request *r, struct kh_view piece)
{
	size_t most = r->route != NULL ? r->route->body : 0;

	if (r->body_over || piece.n > most - r->body_n) {
		kh_http_request_free_body(r);
		r->body_over = true;
		r->discarded += piece.n;
		return r->discarded <= DISCARD;
	}
	if (!make_body_room(r, r->body_n + piece.n))
		return false;
	memcpy(r->body + r->body_n, piece.p, piece.n);
	r->body_n += piece.n;
	return true;
}

/* --- the two sides ------------------------------------------------------------------------------------------------ */

/* The lock is held. */
static void resume(struct kh_http_request *r)
{
	if (!r->suspended)
		return;
	if (r->armed)
		kh_http_watch_disarm(r->frame->watch, r->fd);
	r->armed = r->suspended = false;
	MHD_resume_connection(r->connection);
}

bool kh_http_request_answer(struct kh_http_request *r, unsigned status, struct MHD_Response *response, uint64_t size,
			    struct kh_http_stream *stream)
{
	pthread_mutex_lock(&r->lock);
	bool first = !r->answered;
	if (first) {
		r->answered = true;
		r->response = response;
		r->status = status;
		r->answer_size = size;
		r->stream = stream;
		atomic_fetch_add(&r->frame->answers[status / 100 % 6], 1);
		resume(r);
	}
	pthread_mutex_unlock(&r->lock);
	if (!first)
		MHD_destroy_response(response);
	return first;
}

bool kh_http_request_response(struct kh_http_request *r, struct MHD_Response **ret_response, unsigned *ret_status)
{
	pthread_mutex_lock(&r->lock);
	bool answered = r->answered;
	*ret_response = r->response;
	*ret_status = r->status;
	r->response = NULL;
	if (!answered) {
		MHD_suspend_connection(r->connection);
		r->suspended = true;
	}
	pthread_mutex_unlock(&r->lock);
	if (answered)
		kh_http_watch_does(r->frame->watch, r->fd, r->stream != NULL ? KH_HTTP_WORKS : KH_HTTP_ANSWERS,
				   r->answer_size);
	return answered;
}

/* The lock is held. */
static void leave(struct kh_http_request *r)
{
	atomic_store(&r->gone, true);
	if (r->stream != NULL)
		kh_http_stream_left(r->stream);
	if (r->working)
		kh_works_wake(&r->work);
}

void kh_http_request_left(struct kh_http_request *r)
{
	pthread_mutex_lock(&r->lock);
	leave(r);
	pthread_mutex_unlock(&r->lock);
}

void kh_http_request_dismiss(struct kh_http_request *r)
{
	pthread_mutex_lock(&r->lock);
	atomic_store(&r->gone, true);
	if (r->stream != NULL)
		kh_http_stream_close(r->stream);
	if (r->working)
		kh_works_wake(&r->work);
	pthread_mutex_unlock(&r->lock);
}

void kh_http_request_over(struct kh_http_request *r, bool well)
{
	kh_http_watch_own(r->frame->watch, r->fd, NULL);
	kh_http_watch_does(r->frame->watch, r->fd, KH_HTTP_IDLE, 0);
	pthread_mutex_lock(&r->lock);
	if (r->stream != NULL)
		kh_http_stream_over(r->stream);
	if (!well || r->stream != NULL)
		leave(r);
	r->connection = NULL;
	pthread_mutex_unlock(&r->lock);
	if (r->counted)
		atomic_fetch_sub(&r->frame->waits, 1);
	kh_http_request_drop(r);
}

/* --- functions for handlers --------------------------------------------------------------------------------------- */

struct kh_view kh_http_request_body(const struct kh_http_request *r)
{
	return kh_view_of(r->body, r->body_n);
}

struct kh_view kh_http_request_segment(const struct kh_http_request *r, const char *name)
{
	return kh_http_route_segment(r->route->path, &r->target, name);
}

struct kh_view kh_http_request_query(struct kh_http_request *r, const char *name)
{
	for (size_t i = 0; i < r->target.parameter_count; i++) {
		if (kh_view_eq(r->target.parameters[i].name, kh_view_str(name)))
			return r->target.parameters[i].value;
	}
	return (struct kh_view){NULL, 0};
}

struct kh_view kh_http_request_header(struct kh_http_request *r, const char *name)
{
	for (size_t i = 0; i < r->header_count; i++) {
		if (kh_view_eq_nocase(r->headers[i].name, kh_view_str(name)))
			return kh_view_trim(r->headers[i].value);
	}
	return (struct kh_view){NULL, 0};
}

struct kh_view kh_http_request_remote(struct kh_http_request *r)
{
	const void *address = NULL;

	if (r->address.ss_family == AF_INET)
		address = &((const struct sockaddr_in *)(const void *)&r->address)->sin_addr;
	else if (r->address.ss_family == AF_INET6)
		address = &((const struct sockaddr_in6 *)(const void *)&r->address)->sin6_addr;
	if (address == NULL || inet_ntop(r->address.ss_family, address, r->remote, sizeof(r->remote)) == NULL)
		return KH_LIT("unix");
	return kh_view_str(r->remote);
}

void *kh_http_request_kept(struct kh_http_request *r, size_t size)
{
	if (r->kept == NULL && size > 0) {
		r->kept = kh_alloc_zero(r->frame->alloc, size);
		r->kept_size = r->kept != NULL ? size : 0;
	}
	return r->kept;
}
