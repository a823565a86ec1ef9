/*
 * A stream of server-sent events, as an upstream over Streamable HTTP sends it: lines that end in LF, CR or both, events
 * that end in an empty line.  An event is handed on when it is whole, however the bytes were cut.
 *
 * Trusts nobody: a server sent the bytes.  What it can make this hold is one line and the data of one event, each of at
 * most MOST bytes.  Pure: no I/O, and libcurl is not known here.
 */
#ifndef KH_WORKER_HTTP_EVENTSTREAM_H
#define KH_WORKER_HTTP_EVENTSTREAM_H

#include "worker/http/bytes.h"

#define KH_EVENTSTREAM_ID   1024
#define KH_EVENTSTREAM_TYPE 64

/* An event, which borrows from the stream. */
struct kh_eventstream_event {
	struct kh_view type; /* empty: it has none, which means "message" */
	struct kh_view data; /* its lines with LF between them; may be empty */
	struct kh_view id;   /* printable; empty: the event has none */
	bool has_retry;
	uint64_t retry_ms;
};

enum kh_eventstream_result {
	KH_EVENTSTREAM_TAKEN = 0,
	KH_EVENTSTREAM_TOO_LONG, /* a line or an event of more than MOST bytes */
	KH_EVENTSTREAM_STOPPED,  /* by the sink */
	KH_EVENTSTREAM_MEMORY,
};

/* Takes a whole event that has data, an id or a retry; false stops. */
typedef bool kh_eventstream_sink(void *ctx, const struct kh_eventstream_event *event);

struct kh_eventstream {
	const struct kh_alloc *alloc;
	kh_eventstream_sink *sink;
	void *ctx;
	size_t most;
	struct kh_bytes line; /* a line that has not ended */
	struct kh_bytes data; /* of the event that has not ended; each line with an LF */
	char type[KH_EVENTSTREAM_TYPE], id[KH_EVENTSTREAM_ID];
	size_t type_n, id_n;
	bool has_retry;
	uint64_t retry_ms;
	bool is_open;  /* the event has begun: a field of it came */
	bool after_cr; /* an LF that comes next belongs to that line's end */
	bool has_line; /* the first line is over: no byte order mark can come any more */
};

void kh_eventstream_init(struct kh_eventstream *stream, const struct kh_alloc *alloc, size_t most,
			 kh_eventstream_sink *sink, void *ctx);
void kh_eventstream_done(struct kh_eventstream *stream);

/* After anything but TAKEN the stream must not be used further. */
enum kh_eventstream_result kh_eventstream_push(struct kh_eventstream *stream, struct kh_view bytes) KH_CHECKED;

/* True if the stream can end here: not in the middle of an event or of a line. */
bool kh_eventstream_is_whole(const struct kh_eventstream *stream);

#endif
