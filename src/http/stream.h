/*
 * Streams of server-sent events.  Any thread may write to a stream until either side closes it.  Unread output is kept
 * up to a limit, past which the stream ends.  Whoever opened it (reply.h) must drop it, which closes it.
 *
 * What is written waits in a buffer that exists only while something is in it.  MHD's thread takes from it.  If it is
 * empty, that thread suspends the connection, and the next write resumes it.  The lock is the stream's own and is taken
 * after a request's, never before.
 */
#ifndef KH_HTTP_STREAM_H
#define KH_HTTP_STREAM_H

#include "http/frame.h"

struct MHD_Connection;
struct MHD_Response;
struct kh_http_stream;

#define KH_HTTP_STREAM_KEPT  ((size_t)1 << 20)  /* the most bytes that wait, except for one event */
#define KH_HTTP_STREAM_EVENT ((size_t)64 << 20) /* the most bytes of one event: an answer may be as long */

/* A buffer of bytes that wait to be sent, already in SSE format. */
struct kh_http_stream_buffer {
	const struct kh_alloc *alloc;
	char *p;
	size_t at, n, room; /* bytes AT to N wait */
};

/* Appends one event, or a comment if all are empty and COMMENT.  False: no memory, or too much waits. */
bool kh_http_stream_put(struct kh_http_stream_buffer *buffer, struct kh_view id, struct kh_view event,
			struct kh_view data) KH_CHECKED;
/* Moves up to MOST bytes to TO; returns how many. */
size_t kh_http_stream_take(struct kh_http_stream_buffer *buffer, char *to, size_t most);
void kh_http_stream_done(struct kh_http_stream_buffer *buffer);

/* Makes a stream to CONNECTION, whose descriptor is FD, and the response that MHD reads it by.  NULL: no memory.  It
 * has three references: whoever opened it (kh_http_stream_drop), the request (_release) and the response. */
struct kh_http_stream *kh_http_stream_new(struct kh_http_frame *frame, struct MHD_Connection *connection, int fd,
					  struct MHD_Response **ret_response);

/* For the request: the client went away; MHD is done with the connection; the request is done with the stream. */
void kh_http_stream_left(struct kh_http_stream *s);
void kh_http_stream_over(struct kh_http_stream *s);
void kh_http_stream_release(struct kh_http_stream *s);

/* --- for handlers ------------------------------------------------------------------------------------------------- */

/* Sends one event: `id:` and `event:` if they are not empty, then `data:`, even if DATA is empty.  False: the client
 * is gone. */
bool kh_http_stream_event(struct kh_http_stream *s, struct kh_view id, struct kh_view event, struct kh_view data);
bool kh_http_stream_retry(struct kh_http_stream *s, unsigned milliseconds); /* `retry:` */
bool kh_http_stream_comment(struct kh_http_stream *s);                      /* ":" alone, to keep the connection open */
void kh_http_stream_close(struct kh_http_stream *s);                        /* the end of the response */
bool kh_http_stream_is_gone(struct kh_http_stream *s);
size_t kh_http_stream_waits(struct kh_http_stream *s); /* bytes that were written and not yet taken */
void kh_http_stream_drop(struct kh_http_stream *s);

#endif
