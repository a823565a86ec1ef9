/* Streams of server-sent events. */
#include "http/stream.h"

#include "base/alloc.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdio.h>

#define BLOCK 512 /* MHD's own buffer for clients that do not support chunks */

struct kh_http_stream {
	struct kh_http_frame *frame;
	int fd;
	atomic_uint refs; /* whoever opened it, the request, MHD's response */
	pthread_mutex_t lock;
	struct MHD_Connection *connection; /* NULL once it has ended */
	struct kh_http_stream_buffer buffer;
	bool suspended, closed, gone;
};

/* --- the buffer --------------------------------------------------------------------------------------------------- */

void kh_http_stream_done(struct kh_http_stream_buffer *buffer)
{
	kh_alloc_free(buffer->alloc, buffer->p, buffer->room);
	buffer->p = NULL;
	buffer->at = buffer->n = buffer->room = 0;
}

/* Makes room for MORE bytes behind what waits. */
static bool make_room(struct kh_http_stream_buffer *b, size_t more)
{
	size_t waits = b->n - b->at, room = b->room > 0 ? b->room : 256;
	char *p;

	if (more > KH_HTTP_STREAM_EVENT ||
	    (waits > 0 && more > KH_HTTP_STREAM_KEPT - (waits < KH_HTTP_STREAM_KEPT ? waits : KH_HTTP_STREAM_KEPT)))
		return false;
	if (b->at > 0) {
		memmove(b->p, b->p + b->at, waits);
		b->at = 0;
		b->n = waits;
	}
	while (room < waits + more)
		room *= 2;
	if (room == b->room)
		return true;
	p = b->alloc->resize(b->alloc->ctx, b->p, b->room, room);
	if (p == NULL)
		return false;
	b->p = p;
	b->room = room;
	return true;
}

static void append(struct kh_http_stream_buffer *b, struct kh_view v)
{
	if (v.n > 0)
		memcpy(b->p + b->n, v.p, v.n);
	b->n += v.n;
}

static bool put_text(struct kh_http_stream_buffer *buffer, struct kh_view text)
{
	if (!make_room(buffer, text.n))
		return false;
	append(buffer, text);
	return true;
}

static bool is_line(struct kh_view v)
{
	for (size_t i = 0; i < v.n; i++) {
		if (v.p[i] == '\n' || v.p[i] == '\r' || v.p[i] == '\0')
			return false;
	}
	return true;
}

static void append_field(struct kh_http_stream_buffer *b, struct kh_view name, struct kh_view value)
{
	append(b, name);
	if (value.n > 0)
		append(b, KH_LIT(" "));
	append(b, value);
	append(b, KH_LIT("\n"));
}

/* Returns the next line of *REST, ended by LF, CR or both; false when nothing is left.  Empty data is one empty
 * line. */
static struct kh_view next_line(struct kh_view *rest)
{
	size_t end = 0;

	while (end < rest->n && rest->p[end] != '\n' && rest->p[end] != '\r')
		end++;
	struct kh_view line = kh_view_sub(*rest, 0, end);
	if (end + 1 < rest->n && rest->p[end] == '\r' && rest->p[end + 1] == '\n')
		end++;
	*rest = kh_view_from(*rest, end < rest->n ? end + 1 : end);
	return line;
}

bool kh_http_stream_put(struct kh_http_stream_buffer *buffer, struct kh_view id, struct kh_view event,
			struct kh_view data)
{
	struct kh_view rest = data;
	size_t lines = 1;

	if (data.n > KH_HTTP_STREAM_EVENT || !is_line(id) || !is_line(event))
		return false;
	for (size_t i = 0; i < data.n; i++)
		lines += data.p[i] == '\n' || data.p[i] == '\r';
	if (!make_room(buffer, id.n + event.n + data.n + 7 * lines + 16))
		return false;
	if (id.n > 0)
		append_field(buffer, KH_LIT("id:"), id);
	if (event.n > 0)
		append_field(buffer, KH_LIT("event:"), event);
	do {
		append_field(buffer, KH_LIT("data:"), next_line(&rest));
	} while (rest.n > 0);
	append(buffer, KH_LIT("\n"));
	return true;
}

size_t kh_http_stream_take(struct kh_http_stream_buffer *buffer, char *to, size_t most)
{
	size_t waits = buffer->n - buffer->at, n = waits < most ? waits : most;

	if (n > 0)
		memcpy(to, buffer->p + buffer->at, n);
	buffer->at += n;
	if (n > 0 && buffer->at == buffer->n)
		kh_http_stream_done(buffer);
	return n;
}

/* --- MHD's side --------------------------------------------------------------------------------------------------- */

void kh_http_stream_release(struct kh_http_stream *s)
{
	if (atomic_fetch_sub(&s->refs, 1) != 1)
		return;
	kh_http_stream_done(&s->buffer);
	pthread_mutex_destroy(&s->lock);
	struct kh_http_frame *frame = s->frame;
	atomic_fetch_sub(&frame->streams, 1);
	kh_alloc_free(frame->alloc, s, sizeof(*s));
	kh_http_frame_drop(frame);
}

static void released(void *cls)
{
	kh_http_stream_release(cls);
}

static ssize_t read_some(void *cls, uint64_t pos, char *to, size_t most)
{
	struct kh_http_stream *s = cls;

	(void)pos;
	pthread_mutex_lock(&s->lock);
	ssize_t result = (ssize_t)kh_http_stream_take(&s->buffer, to, most);
	if (result == 0) {
		if (s->gone || s->connection == NULL) {
			result = MHD_CONTENT_READER_END_WITH_ERROR;
		} else if (s->closed) {
			result = MHD_CONTENT_READER_END_OF_STREAM;
		} else {
			MHD_suspend_connection(s->connection);
			s->suspended = true;
			kh_http_watch_arm(s->frame->watch, s->fd);
		}
	}
	pthread_mutex_unlock(&s->lock);
	return result;
}

/* The lock is held. */
static void resume(struct kh_http_stream *s)
{
	if (!s->suspended)
		return;
	s->suspended = false;
	kh_http_watch_disarm(s->frame->watch, s->fd);
	MHD_resume_connection(s->connection);
}

/* The lock is held. */
static void lose(struct kh_http_stream *s)
{
	s->gone = true;
	kh_http_stream_done(&s->buffer);
	resume(s);
}

void kh_http_stream_left(struct kh_http_stream *s)
{
	pthread_mutex_lock(&s->lock);
	lose(s);
	pthread_mutex_unlock(&s->lock);
}

void kh_http_stream_over(struct kh_http_stream *s)
{
	pthread_mutex_lock(&s->lock);
	s->gone = true;
	s->suspended = false;
	s->connection = NULL;
	kh_http_stream_done(&s->buffer);
	pthread_mutex_unlock(&s->lock);
}

/* --- the handlers' side ------------------------------------------------------------------------------------------- */

struct kh_http_stream *kh_http_stream_new(struct kh_http_frame *frame, struct MHD_Connection *connection, int fd,
					  struct MHD_Response **ret_response)
{
	struct kh_http_stream *s = kh_alloc_zero(frame->alloc, sizeof(*s));
	struct MHD_Response *response =
		s != NULL ? MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, read_some, s, released) : NULL;

	if (response == NULL) {
		kh_alloc_free(frame->alloc, s, sizeof(*s));
		return NULL;
	}
	s->frame = frame;
	s->fd = fd;
	s->connection = connection;
	s->buffer.alloc = frame->alloc;
	atomic_store(&s->refs, 3);
	atomic_fetch_add(&frame->streams, 1);
	kh_http_frame_hold(frame);
	pthread_mutex_init(&s->lock, NULL);
	*ret_response = response;
	return s;
}

void kh_http_stream_close(struct kh_http_stream *s)
{
	pthread_mutex_lock(&s->lock);
	s->closed = true;
	resume(s);
	pthread_mutex_unlock(&s->lock);
}

void kh_http_stream_drop(struct kh_http_stream *s)
{
	if (s == NULL)
		return;
	kh_http_stream_close(s);
	kh_http_stream_release(s);
}

/* Call it after something was put, or could not be; the lock is held. */
static bool written(struct kh_http_stream *s, bool put)
{
	if (!put)
		lose(s); /* a client that does not read for so long is gone */
	else
		resume(s);
	return put;
}

bool kh_http_stream_event(struct kh_http_stream *s, struct kh_view id, struct kh_view event, struct kh_view data)
{
	pthread_mutex_lock(&s->lock);
	bool goes = !s->gone && !s->closed && written(s, kh_http_stream_put(&s->buffer, id, event, data));
	pthread_mutex_unlock(&s->lock);
	return goes;
}

static bool put_line(struct kh_http_stream *s, struct kh_view text)
{
	pthread_mutex_lock(&s->lock);
	bool goes = !s->gone && !s->closed && written(s, put_text(&s->buffer, text));
	pthread_mutex_unlock(&s->lock);
	return goes;
}

bool kh_http_stream_retry(struct kh_http_stream *s, unsigned milliseconds)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "retry: %u\n\n", milliseconds);

	return put_line(s, kh_view_of(text, (size_t)n));
}

bool kh_http_stream_comment(struct kh_http_stream *s)
{
	return put_line(s, KH_LIT(":\n\n"));
}

size_t kh_http_stream_waits(struct kh_http_stream *s)
{
	pthread_mutex_lock(&s->lock);
	size_t n = s->buffer.n - s->buffer.at;
	pthread_mutex_unlock(&s->lock);
	return n;
}

bool kh_http_stream_is_gone(struct kh_http_stream *s)
{
	pthread_mutex_lock(&s->lock);
	bool gone = s->gone;
	pthread_mutex_unlock(&s->lock);
	return gone;
}
