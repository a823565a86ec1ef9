/*
 * From a stream of bytes to messages.  The stream is hostile: what it can make this worker hold is one line, one
 * message read from it, and that message written.
 */
#include "worker/mcp/mcp.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "worker/mcp/rewrite.h"
#include "worker/rate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define PIECE    65536      /* bytes that are read at once */
#define KEPT     (1U << 20) /* bytes of memory that are kept from one message to the next */
#define OVERHEAD 65536      /* for what is held beside a message */
#define GROWTH   24         /* what a byte of a message can take, as value and written */

#define WORDS_SHOWN 80 /* bytes of the first of them, quoted, and a NUL */

struct stream {
	const struct kh_worker_job *job;
	struct kh_arena arena; /* of one message */
	char *line;            /* what was read and is not a line yet */
	size_t n, cap, most;
	bool has_spoken; /* a message has come */
	size_t words;    /* bytes of the lines before it */
	char first[WORDS_SHOWN];
	struct kh_worker_rate rate;
};

static enum kh_err read_job(struct stream *s, struct kh_error *err)
{
	int64_t bytes = 0, a_second = 0;

	if (!kh_json_int(kh_json_get(s->job->root, "message_bytes"), &bytes) || bytes < 1 ||
	    bytes > KH_MCP_BYTES_MOST || !kh_json_int(kh_json_get(s->job->root, "a_second"), &a_second) ||
	    a_second < 1 || a_second > KH_MCP_SECOND_MOST || s->job->connection < 0)
		return kh_error_set(err, KH_EINPUT, "job_refused", "the job has no bounds, or no server");
	s->most = (size_t)bytes;
	kh_worker_rate_init(&s->rate, a_second);
	kh_arena_init(&s->arena, &kh_alloc_system, GROWTH * s->most + OVERHEAD);
	/* It may have come as one that does not block. */
	int flags = fcntl(s->job->connection, F_GETFL);
	if (flags < 0 || fcntl(s->job->connection, F_SETFL, flags & ~O_NONBLOCK) < 0)
		return kh_error_set(err, KH_EUNKNOWN, "not_read", "the server's output: %m");
	return KH_OK;
}

/* Waits until COUNT more messages may come. */
static void wait_turn(struct stream *s, size_t count)
{
	int64_t us = kh_worker_rate_take(&s->rate, count, kh_clock_us());
	struct timespec time = {us / 1000000, us % 1000000 * 1000};

	while (us > 0 && nanosleep(&time, &time) < 0 && errno == EINTR)
		;
}

static enum kh_err too_large(const struct stream *s, struct kh_error *err)
{
	return kh_error_set(err, KH_ELIMIT, "too_large", "a message of more than %zu bytes", s->most);
}

/* True if LINE, which could not be read, is dropped: many servers greet on their standard output before they speak. */
static bool is_greeting(struct stream *s, struct kh_view line, const struct kh_error *err)
{
	if (s->has_spoken || strcmp(err->code, "json_syntax") != 0 || line.n >= KH_MCP_GREETING - s->words)
		return false;
	if (s->words == 0) {
		kh_arena_clear(&s->arena);
		snprintf(s->first, sizeof(s->first), "%.*s", KH_FMT(kh_arena_quote(&s->arena, line)));
	}
	s->words += line.n + 1;
	return true;
}

static enum kh_err take_line(struct stream *s, struct kh_view line, struct kh_error *err)
{
	struct kh_buf out;
	struct kh_view text;
	size_t count = 0;

	if (line.n > s->most)
		return too_large(s, err);
	kh_arena_clear(&s->arena);
	kh_buf_init(&out, &s->arena, s->arena.limit);
	enum kh_err e = kh_rewrite_line(&s->arena, line, &out, &count, err);
	if (e == KH_OK)
		e = kh_buf_end(&out, &text);
	if (e == KH_OK)
		e = kh_arena_check(&s->arena);
	if (e == KH_ENOMEM)
		return kh_error_set(err, KH_ELIMIT, "too_large", "a message that takes too much memory");
	if (e == KH_EINPUT && is_greeting(s, line, err))
		return KH_OK;
	if (e != KH_OK || count == 0)
		return e;
	s->has_spoken = true;
	wait_turn(s, count);
	return kh_worker_job_write(s->job, text, err);
}

/* Makes room for another piece, of which the line needs no more than its bound. */
static bool make_room(struct stream *s)
{
	size_t cap = s->cap == 0 ? 2 * PIECE : s->cap < s->most ? 2 * s->cap : s->most + PIECE;

	if (s->cap - s->n >= PIECE)
		return true;
	char *line = kh_alloc_system.resize(kh_alloc_system.ctx, s->line, s->cap, cap);
	if (line == NULL)
		return false;
	s->line = line;
	s->cap = cap;
	return true;
}

static void drop_line(struct stream *s)
{
	kh_alloc_free(&kh_alloc_system, s->line, s->cap);
	s->line = NULL;
	s->n = s->cap = 0;
}

/* A server that lives for days may send one large message: what that took is given back. */
static void give_back(struct stream *s)
{
	if (s->arena.size > KEPT) {
		kh_arena_done(&s->arena);
		kh_arena_init(&s->arena, &kh_alloc_system, GROWTH * s->most + OVERHEAD);
	}
	if (s->n == 0 && s->cap > KEPT)
		drop_line(s);
}

/* Takes all lines that are whole; what is left is moved to the beginning. */
static enum kh_err take_lines(struct stream *s, size_t from, struct kh_error *err)
{
	size_t at = 0;
	char *end;

	while ((end = memchr(s->line + from, '\n', s->n - from)) != NULL) {
		enum kh_err e = take_line(s, kh_view_of(s->line + at, (size_t)(end - s->line) - at), err);
		if (e != KH_OK)
			return e;
		at = from = (size_t)(end - s->line) + 1;
	}
	s->n -= at;
	memmove(s->line, s->line + at, s->n);
	if (at > 0)
		give_back(s);
	return s->n > s->most ? too_large(s, err) : KH_OK;
}

static enum kh_err follow(struct stream *s, struct kh_error *err)
{
	enum kh_err e = KH_OK;

	while (e == KH_OK) {
		if (!make_room(s))
			return kh_error_set(err, KH_ENOMEM, NULL, "out of memory");
		ssize_t n = read(s->job->connection, s->line + s->n, PIECE);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return kh_error_set(err, KH_EUNKNOWN, "not_read", "the server's output: %m");
		if (n == 0)
			break;
		size_t from = s->n;
		s->n += (size_t)n;
		e = take_lines(s, from, err);
	}
	if (e == KH_OK && s->n > 0)
		return kh_error_set(err, KH_EINPUT, "bad_message", "the output ended in the middle of a message");
	if (e == KH_OK && !s->has_spoken && s->words > 0)
		return kh_error_set(err, KH_EINPUT, "bad_message",
				    "the output ended without a message; its first line: %s", s->first);
	return e;
}

enum kh_err kh_worker_mcp_run(const struct kh_worker_job *job, struct kh_error *err)
{
	struct stream s = {.job = job};
	enum kh_err e = read_job(&s, err);

	if (e != KH_OK)
		return e;
	e = follow(&s, err);
	drop_line(&s);
	kh_arena_done(&s.arena);
	return e;
}
