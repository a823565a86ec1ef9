/* Server-sent events, by the rules of the HTML standard, within bounds.  See eventstream.h. */
#include "worker/http/eventstream.h"

void kh_eventstream_init(struct kh_eventstream *stream, const struct kh_alloc *alloc, size_t most,
			 kh_eventstream_sink *sink, void *ctx)
{
	*stream = (struct kh_eventstream){.alloc = alloc, .sink = sink, .ctx = ctx, .most = most};
}

void kh_eventstream_done(struct kh_eventstream *stream)
{
	kh_bytes_free(&stream->line, stream->alloc);
	kh_bytes_free(&stream->data, stream->alloc);
}

static enum kh_eventstream_result add(const struct kh_eventstream *stream, struct kh_bytes *bytes, struct kh_view more)
{
	enum kh_err e = kh_bytes_add(bytes, stream->alloc, stream->most, more);

	return e == KH_OK ? KH_EVENTSTREAM_TAKEN : e == KH_ELIMIT ? KH_EVENTSTREAM_TOO_LONG : KH_EVENTSTREAM_MEMORY;
}

/* An event ends.  One that only had comments or fields that are not known is none. */
static enum kh_eventstream_result dispatch(struct kh_eventstream *stream)
{
	struct kh_eventstream_event event = {
		.type = kh_view_of(stream->type, stream->type_n),
		.data = kh_view_of(stream->data.p, stream->data.n > 0 ? stream->data.n - 1 : 0),
		.id = kh_view_of(stream->id, stream->id_n),
		.has_retry = stream->has_retry,
		.retry_ms = stream->retry_ms,
	};
	bool says = event.data.n > 0 || event.id.n > 0 || event.has_retry;

	stream->data.n = stream->type_n = stream->id_n = 0;
	stream->has_retry = stream->is_open = false;
	return !says || stream->sink(stream->ctx, &event) ? KH_EVENTSTREAM_TAKEN : KH_EVENTSTREAM_STOPPED;
}

/* Keeps VALUE in ROOM; a value that is too long for that is cut, so that it equals no known one. */
static size_t keep(char *room, size_t cap, struct kh_view value)
{
	size_t n = value.n < cap ? value.n : cap;

	if (n > 0)
		memcpy(room, value.p, n);
	return n;
}

/* An id goes back to the server in a header.  One that cannot is not kept: then the stream cannot be continued there. */
static void keep_id(struct kh_eventstream *stream, struct kh_view value)
{
	bool good = value.n <= sizeof(stream->id);

	for (size_t i = 0; i < value.n && good; i++)
		good = value.p[i] >= ' ' && value.p[i] < 0x7f;
	stream->id_n = good ? keep(stream->id, sizeof(stream->id), kh_view_trim(value)) : 0;
}

static void keep_retry(struct kh_eventstream *stream, struct kh_view value)
{
	int64_t ms;

	if (kh_view_int(value, &ms) && ms >= 0) {
		stream->has_retry = true;
		stream->retry_ms = (uint64_t)ms;
	}
}

static enum kh_eventstream_result take_field(struct kh_eventstream *stream, struct kh_view name, struct kh_view value)
{
	stream->is_open = true;
	if (kh_view_eq(name, KH_LIT("data"))) {
		enum kh_eventstream_result result = add(stream, &stream->data, value);
		return result == KH_EVENTSTREAM_TAKEN ? add(stream, &stream->data, KH_LIT("\n")) : result;
	}
	if (kh_view_eq(name, KH_LIT("event")))
		stream->type_n = keep(stream->type, sizeof(stream->type), value);
	else if (kh_view_eq(name, KH_LIT("id")))
		keep_id(stream, value);
	else if (kh_view_eq(name, KH_LIT("retry")))
		keep_retry(stream, value);
	return KH_EVENTSTREAM_TAKEN;
}

static enum kh_eventstream_result take_line(struct kh_eventstream *stream, struct kh_view line)
{
	if (!stream->has_line && kh_view_starts(line, KH_LIT("\xef\xbb\xbf")))
		line = kh_view_from(line, 3);
	stream->has_line = true;
	if (line.n == 0)
		return dispatch(stream);
	size_t colon = kh_view_find(line, KH_LIT(":"), 0);
	struct kh_view value = kh_view_from(line, colon == SIZE_MAX ? line.n : colon + 1);
	if (value.n > 0 && value.p[0] == ' ')
		value = kh_view_from(value, 1);
	return colon == 0 ? KH_EVENTSTREAM_TAKEN : take_field(stream, kh_view_sub(line, 0, colon), value);
}

/* The length of the line that BYTES begin with, without its end; BYTES.n if it does not end there. */
static size_t line_length(struct kh_view bytes)
{
	const char *lf = memchr(bytes.p, '\n', bytes.n);
	size_t n = lf != NULL ? (size_t)(lf - bytes.p) : bytes.n;
	const char *cr = n > 0 ? memchr(bytes.p, '\r', n) : NULL;

	return cr != NULL ? (size_t)(cr - bytes.p) : n;
}

/* Takes BYTES, which begin a line or go on with one, up to the end of that line. */
static enum kh_eventstream_result push_line(struct kh_eventstream *stream, struct kh_view *bytes)
{
	size_t n = line_length(*bytes);
	struct kh_view line = kh_view_sub(*bytes, 0, n);
	bool ends = n < bytes->n;
	enum kh_eventstream_result result = KH_EVENTSTREAM_TAKEN;

	if (line.n > stream->most)
		return KH_EVENTSTREAM_TOO_LONG;
	if (!ends || stream->line.n > 0) {
		result = add(stream, &stream->line, line);
		line = kh_view_of(stream->line.p, stream->line.n);
	}
	if (ends) {
		stream->after_cr = bytes->p[n] == '\r';
		if (result == KH_EVENTSTREAM_TAKEN)
			result = take_line(stream, line);
		stream->line.n = 0;
	}
	*bytes = kh_view_from(*bytes, ends ? n + 1 : n);
	return result;
}

enum kh_eventstream_result kh_eventstream_push(struct kh_eventstream *stream, struct kh_view bytes)
{
	enum kh_eventstream_result result = KH_EVENTSTREAM_TAKEN;

	while (result == KH_EVENTSTREAM_TAKEN && bytes.n > 0) {
		bool rest_of_end = stream->after_cr && bytes.p[0] == '\n';
		stream->after_cr = false;
		if (rest_of_end)
			bytes = kh_view_from(bytes, 1);
		else
			result = push_line(stream, &bytes);
	}
	return result;
}

bool kh_eventstream_is_whole(const struct kh_eventstream *stream)
{
	return stream->line.n == 0 && !stream->is_open;
}
