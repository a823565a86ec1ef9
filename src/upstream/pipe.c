/*
 * A server over stdio.
 *
 * The lock guards the list of those who wait.  A thread puts itself on the list before its request is sent, so that a
 * response cannot come too early; ids are never used twice, so a response of an earlier life finds nobody.  The life that
 * got a request is known only after sending: if that life has ended by then, the thread finds it in `ended`.
 *
 * An elicitation (U3) is given to the thread whose call it belongs to, which has a human asked and answers the server.
 *
 * The piece of a line that has not ended yet belongs to the thread of all servers alone.
 */
#include "upstream/pipe.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "upstream/inquiry.h"
#include "upstream/manner.h"
#include "upstream/opening.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

#define REPLY_MAX 1024 /* bytes of an answer to a request of the server: an id, and a constant */
#define SAID_MAX  2000 /* bytes of standard error that are kept of a life's end */
#define WHY_MAX   (KH_MESSAGE_DETAIL + 64)

#define ASKED_MEMORY (1U << 20) /* bytes for one look at what a human answers */

/* One thread that waits. */
struct waiter {
	struct waiter *next;
	struct kh_view id;
	uint64_t life; /* 0: not known yet */
	pthread_cond_t come;
	char *line; /* the response; NULL: none has come */
	size_t n;
	bool is_over; /* the life has ended */
	/* What the server asks a human during it.  While ASKED is not NULL, the next one is declined. */
	struct kh_inquiry *inquiry; /* NULL: nobody is asked */
	char *asked;                /* the line; given by the thread of all servers, and freed by the one that waits */
	size_t asked_n;
};

struct kh_pipe {
	struct kh_pipe_settings settings;
	struct kh_server *server;

	pthread_mutex_t lock;
	struct waiter *first;
	uint64_t strays;
	/* How the last life ended that has. */
	uint64_t ended;
	enum kh_fault fault;
	const char *code;
	char why[WHY_MAX];
	char said[SAID_MAX];
	size_t said_n;

	/* of the thread of all servers */
	char *line;
	size_t n, cap;
	uint64_t life;      /* whose line it is */
	const char *broken; /* why this life is ended here; NULL: it is not */
};

/* --- what comes --------------------------------------------------------------------------------------------------- */

/* Gives LINE to the one who waits for it; there may be none. */
static bool hand_over(struct kh_pipe *pipe, struct kh_view id, struct kh_view line)
{
	const struct kh_alloc *alloc = pipe->settings.alloc;
	char *copy = kh_alloc_zero(alloc, line.n);
	struct waiter *w;

	if (copy == NULL)
		return false;
	memcpy(copy, line.p, line.n);
	pthread_mutex_lock(&pipe->lock);
	for (w = pipe->first; w != NULL && (w->line != NULL || !kh_view_eq(w->id, id)); w = w->next)
		;
	if (w != NULL) {
		w->line = copy;
		w->n = line.n;
		pthread_cond_signal(&w->come);
	} else {
		pipe->strays++;
	}
	pthread_mutex_unlock(&pipe->lock);
	if (w == NULL)
		kh_alloc_free(alloc, copy, line.n);
	return true;
}

/* The life is not to go on: WHY. */
static bool give_up_on(struct kh_pipe *pipe, const char *why)
{
	pipe->broken = why;
	return false;
}

/*
 * Gives an elicitation to the one call that it can belong to, if that is known: a server over stdio does not say during
 * which call it asks, so it must be the only one.  False: nobody takes it.
 */
static bool pass_on(struct kh_pipe *pipe, uint64_t life, const struct kh_opening *opening, struct kh_view line)
{
	struct waiter *only = NULL;
	size_t count = 0;

	if (!kh_manner_is_elicitation(opening->method) || opening->params.n > KH_ELICITATION_PARAMS)
		return false;
	pthread_mutex_lock(&pipe->lock);
	for (struct waiter *w = pipe->first; w != NULL; w = w->next) {
		count += w->life == life && w->line == NULL;
		only = w->life == life && w->line == NULL ? w : only;
	}
	bool takes = count == 1 && only->inquiry != NULL && only->asked == NULL;
	char *copy = takes ? kh_alloc_zero(pipe->settings.alloc, line.n) : NULL;
	if (copy != NULL) {
		memcpy(copy, line.p, line.n);
		only->asked = copy;
		only->asked_n = line.n;
		pthread_cond_signal(&only->come);
	}
	pthread_mutex_unlock(&pipe->lock);
	return copy != NULL;
}

/* One line of the server; false: it is not to go on. */
static bool hear(struct kh_pipe *pipe, uint64_t life, struct kh_view line)
{
	struct kh_opening opening;
	char reply[REPLY_MAX];

	if (!kh_opening_read(line, &opening))
		return give_up_on(pipe, "what it says is no message in the form of its worker");
	if (opening.kind == KH_RPC_RESPONSE)
		return hand_over(pipe, opening.id, line) || give_up_on(pipe, "there is no memory for its response");
	if (opening.kind == KH_RPC_REQUEST) {
		if (pass_on(pipe, life, &opening, line))
			return true;
		struct kh_view text = kh_manner_reply(opening.id, opening.method, reply, sizeof(reply));
		return kh_server_add(pipe->server, life, text, NULL) == KH_OK ||
		       give_up_on(pipe, "it does not read the answers to what it asks");
	}
	if (pipe->settings.heard != NULL)
		pipe->settings.heard(pipe->settings.context, opening.method);
	return true;
}

static bool make_room(struct kh_pipe *pipe, size_t more)
{
	size_t cap = pipe->cap > 0 ? pipe->cap : 4096;

	if (more > pipe->settings.longest + 1 - pipe->n)
		return false;
	while (cap < pipe->n + more)
		cap *= 2;
	if (cap == pipe->cap)
		return true;
	char *line = kh_alloc_zero(pipe->settings.alloc, cap);
	if (line == NULL)
		return false;
	if (pipe->n > 0)
		memcpy(line, pipe->line, pipe->n);
	kh_alloc_free(pipe->settings.alloc, pipe->line, pipe->cap);
	pipe->line = line;
	pipe->cap = cap;
	return true;
}

static void drop_line(struct kh_pipe *pipe)
{
	kh_alloc_free(pipe->settings.alloc, pipe->line, pipe->cap);
	pipe->line = NULL;
	pipe->n = pipe->cap = 0;
}

/* Takes the line that PIECE has the end of, or keeps the piece. */
static bool take_line(struct kh_pipe *pipe, uint64_t life, struct kh_view *piece)
{
	const char *end = memchr(piece->p, '\n', piece->n);
	size_t n = end == NULL ? piece->n : (size_t)(end - piece->p);
	bool good = true;

	if (end != NULL && pipe->n == 0) {
		good = hear(pipe, life, kh_view_of(piece->p, n));
	} else if (!make_room(pipe, n + 1)) {
		good = give_up_on(pipe, "a message of it is too long, or there is no memory for it");
	} else {
		memcpy(pipe->line + pipe->n, piece->p, n);
		pipe->n += n;
	}
	if (good && end != NULL && pipe->n > 0) {
		good = hear(pipe, life, kh_view_of(pipe->line, pipe->n));
		drop_line(pipe);
	}
	*piece = kh_view_from(*piece, end == NULL ? n : n + 1);
	return good;
}

static bool take(void *context, uint64_t life, struct kh_tainted bytes)
{
	struct kh_pipe *pipe = context;
	struct kh_view piece = kh_tainted_open(bytes);

	if (life != pipe->life)
		drop_line(pipe);
	pipe->life = life;
	pipe->broken = NULL;
	while (piece.n > 0) {
		if (!take_line(pipe, life, &piece)) {
			drop_line(pipe);
			kh_server_stop(pipe->server);
			return true;
		}
	}
	return true;
}

/* For humans: why its worker ended it, or the newest of its standard error. */
static struct kh_view last_words(const struct kh_server_end *end)
{
	struct kh_tainted reason = kh_exchange_reason(&end->end);
	bool is_worker = end->end.fault == KH_FAULT_MESSAGE && kh_tainted_size(reason) > 0;

	return kh_tainted_open(is_worker || kh_tainted_size(end->errors) == 0 ? reason : end->errors);
}

static void ended(void *context, uint64_t life, const struct kh_server_end *end)
{
	struct kh_pipe *pipe = context;
	struct kh_view said = last_words(end);
	struct kh_server_state state = kh_server_state(pipe->server);
	bool is_broken = pipe->broken != NULL && pipe->life == life;
	/* If the next life has been asked for already, the state is of that one. */
	const char *why = state.why[0] != '\0' ? state.why : kh_exchange_about(&end->end);

	drop_line(pipe);
	pthread_mutex_lock(&pipe->lock);
	pipe->ended = life;
	pipe->fault = end->end.fault;
	pipe->code = is_broken                         ? "bad_message"
		     : end->end.fault == KH_FAULT_NONE ? "server_gone"
						       : kh_fault_name(end->end.fault);
	snprintf(pipe->why, sizeof(pipe->why), "%s", is_broken ? pipe->broken : why);
	if (said.n > SAID_MAX) {
		said = kh_view_from(said, said.n - SAID_MAX);
		const char *line = memchr(said.p, '\n', said.n);
		said = kh_view_from(said, line != NULL ? (size_t)(line - said.p) + 1 : 0); /* whole lines */
	}
	if (said.n > 0)
		memcpy(pipe->said, said.p, said.n);
	pipe->said_n = said.n;
	for (struct waiter *w = pipe->first; w != NULL; w = w->next) {
		if (w->life == life) {
			w->is_over = true;
			pthread_cond_signal(&w->come);
		}
	}
	pthread_mutex_unlock(&pipe->lock);
	if (pipe->settings.ended != NULL)
		pipe->settings.ended(pipe->settings.context, life, end);
}

static void kept(void *context, uint64_t life, const struct kh_server_end *kept)
{
	const struct kh_pipe *pipe = context;

	if (pipe->settings.kept != NULL)
		pipe->settings.kept(pipe->settings.context, life, kept);
}

/* --- asking ------------------------------------------------------------------------------------------------------- */

enum kh_err kh_pipe_new(const struct kh_pipe_settings *settings, struct kh_pipe **ret_pipe, struct kh_error *err)
{
	struct kh_pipe *pipe = kh_alloc_zero(settings->alloc, sizeof(*pipe));

	if (pipe == NULL)
		return kh_error_set(err, KH_ENOMEM, NULL, "out of memory");
	pipe->settings = *settings;
	if (pipe->settings.longest == 0)
		pipe->settings.longest = KH_PIPE_LONGEST;
	struct kh_server_settings server = {.run = settings->run,
					    .context = pipe,
					    .take = take,
					    .ended = ended,
					    .kept = kept,
					    .starts = settings->starts};
	(void)pthread_mutex_init(&pipe->lock, NULL);
	enum kh_err e = kh_server_new(settings->servers, &server, &pipe->server, err);
	if (e == KH_OK) {
		*ret_pipe = pipe;
		return KH_OK;
	}
	(void)pthread_mutex_destroy(&pipe->lock);
	kh_alloc_free(settings->alloc, pipe, sizeof(*pipe));
	return e;
}

void kh_pipe_free(struct kh_pipe *pipe)
{
	if (pipe == NULL)
		return;
	kh_server_free(pipe->server);
	drop_line(pipe);
	(void)pthread_mutex_destroy(&pipe->lock);
	kh_alloc_free(pipe->settings.alloc, pipe, sizeof(*pipe));
}

static void join(struct kh_pipe *pipe, struct waiter *self)
{
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&self->come, &monotonic);
	pthread_condattr_destroy(&monotonic);
	pthread_mutex_lock(&pipe->lock);
	self->next = pipe->first;
	pipe->first = self;
	pthread_mutex_unlock(&pipe->lock);
}

static void leave(struct kh_pipe *pipe, struct waiter *self)
{
	struct waiter **at = &pipe->first;

	pthread_mutex_lock(&pipe->lock);
	while (*at != self)
		at = &(*at)->next;
	*at = self->next;
	pthread_mutex_unlock(&pipe->lock);
	pthread_cond_destroy(&self->come);
}

static void drop_asked(struct kh_pipe *pipe, struct waiter *self)
{
	pthread_mutex_lock(&pipe->lock);
	char *line = self->asked;
	self->asked = NULL;
	pthread_mutex_unlock(&pipe->lock);
	kh_alloc_free(pipe->settings.alloc, line, self->asked_n);
}

/* Has a human asked for what the server wants to know, or answers the server.  One that cannot take it is about to end. */
static void see_to_asked(struct kh_pipe *pipe, struct waiter *self)
{
	struct kh_view result = KH_LIT("{\"action\":\"decline\"}");
	struct kh_opening opening;
	struct kh_arena arena;

	if (!kh_opening_read(kh_view_of(self->asked, self->asked_n), &opening)) { /* it was read before */
		drop_asked(pipe, self);
		return;
	}
	kh_arena_init(&arena, pipe->settings.alloc, ASKED_MEMORY);
	bool waits = kh_inquiry_is_open(self->inquiry)
			     ? !kh_inquiry_look(self->inquiry, &arena, &result)
			     : kh_inquiry_begin(self->inquiry, kh_tainted_wrap(opening.params));
	if (!waits) {
		struct kh_view text = kh_manner_answer(&arena, opening.id, result);
		drop_asked(pipe, self);
		(void)!kh_pipe_tell(pipe, text, self->life);
	}
	kh_arena_done(&arena);
}

/* Waits until the response is there, the life is over, or the time. */
static void await(struct kh_pipe *pipe, struct waiter *self, uint64_t life, int64_t until_ms)
{
	int64_t now = 0;

	pthread_mutex_lock(&pipe->lock);
	self->life = life;
	self->is_over = pipe->ended >= life;
	while (self->line == NULL && !self->is_over && now < until_ms) {
		bool asks = self->asked != NULL, waits = asks && kh_inquiry_is_open(self->inquiry);
		int64_t at = waits && now + KH_INQUIRY_LOOK_MS < until_ms ? now + KH_INQUIRY_LOOK_MS : until_ms;
		struct timespec until = {.tv_sec = at / 1000, .tv_nsec = at % 1000 * 1000000};
		if (!asks || waits)
			(void)pthread_cond_timedwait(&self->come, &pipe->lock, &until);
		now = kh_clock_ms();
		if (self->asked == NULL || self->line != NULL || self->is_over)
			continue;
		pthread_mutex_unlock(&pipe->lock);
		see_to_asked(pipe, self);
		pthread_mutex_lock(&pipe->lock);
	}
	pthread_mutex_unlock(&pipe->lock);
}

/* True if the life never began, so that the server got nothing. */
static bool never_began(enum kh_fault fault)
{
	return fault == KH_FAULT_REQUEST || fault == KH_FAULT_BUSY || fault == KH_FAULT_INCOMPLETE ||
	       fault == KH_FAULT_SANDBOX || fault == KH_FAULT_PROGRAM || fault == KH_FAULT_ABSENT ||
	       fault == KH_FAULT_SECRET;
}

/* LIFE has ended before its response came. */
static void explain_end(struct kh_pipe *pipe, uint64_t life, struct kh_arena *arena,
			struct kh_upstream_response *response)
{
	pthread_mutex_lock(&pipe->lock);
	/* What is kept may be of a later life already, which says nothing about what this one got. */
	bool is_known = pipe->ended == life;
	response->end = is_known && never_began(pipe->fault) ? KH_RESPONSE_REFUSED : KH_RESPONSE_LOST;
	response->code = is_known ? pipe->code : "server_gone";
	response->why = kh_arena_printf(arena, "%s", is_known ? pipe->why : "it ended");
	if (is_known)
		response->said = kh_tainted_wrap(kh_arena_dup(arena, kh_view_of(pipe->said, pipe->said_n)));
	pthread_mutex_unlock(&pipe->lock);
}

/* The time is over: the server is told, and a response that still comes is dropped. */
static void give_up(struct kh_pipe *pipe, const struct kh_upstream_request *request, uint64_t life,
		    struct kh_arena *arena, struct kh_upstream_response *response)
{
	/* The first questions are not cancelled: the protocol forbids it for `initialize`, and a server that does not
	 * know `server/discover` need not take anything before that. */
	bool is_first = request->life == 0 || request->version == KH_MCP_NONE;
	struct kh_view message;

	if (!is_first && kh_manner_cancelled(arena, request->id, &message) == KH_OK)
		(void)kh_pipe_tell(pipe, message, life);
	response->end = KH_RESPONSE_LOST;
	response->code = "upstream_timeout";
	response->why = kh_arena_printf(arena, "it did not answer %s in time", request->method);
}

static void explain_refusal(enum kh_err e, const struct kh_error *err, struct kh_arena *arena,
			    struct kh_upstream_response *response)
{
	bool is_over = e == KH_EREFUSED && strcmp(err->code, "server_over") == 0;

	response->end = is_over ? KH_RESPONSE_OVER : KH_RESPONSE_REFUSED;
	response->code = err->code;
	response->why = kh_arena_printf(arena, "%s", err->detail);
}

enum kh_err kh_pipe_ask(struct kh_pipe *pipe, const struct kh_upstream_request *request, struct kh_arena *arena,
			struct kh_upstream_response *ret_response, uint64_t *ret_life)
{
	struct kh_upstream_response response = {.end = KH_RESPONSE_CAME};
	struct waiter self = {.id = request->id, .life = request->life, .inquiry = request->inquiry};
	uint64_t life = request->life;
	struct kh_error err;

	join(pipe, &self);
	enum kh_err e = life > 0 ? kh_server_add(pipe->server, life, request->message, &err)
				 : kh_server_send(pipe->server, request->message, &life, &err);
	if (e == KH_OK)
		await(pipe, &self, life, request->until_ms);
	leave(pipe, &self);
	if (self.asked != NULL) {
		kh_inquiry_end(self.inquiry);
		drop_asked(pipe, &self);
	}
	if (e != KH_OK)
		explain_refusal(e, &err, arena, &response);
	else if (self.line != NULL)
		response.message = kh_tainted_wrap(kh_arena_dup(arena, kh_view_of(self.line, self.n)));
	else if (self.is_over)
		explain_end(pipe, life, arena, &response);
	else
		give_up(pipe, request, life, arena, &response);
	kh_alloc_free(pipe->settings.alloc, self.line, self.n);
	*ret_response = response;
	*ret_life = life;
	return e == KH_ENOMEM ? e : kh_arena_check(arena);
}

bool kh_pipe_tell(struct kh_pipe *pipe, struct kh_view message, uint64_t life)
{
	return kh_server_add(pipe->server, life, message, NULL) == KH_OK;
}

bool kh_pipe_is_current(struct kh_pipe *pipe, uint64_t life)
{
	struct kh_server_state state = kh_server_state(pipe->server);

	return state.phase == KH_SERVER_UP && state.life == life;
}

struct kh_server_state kh_pipe_state(struct kh_pipe *pipe)
{
	return kh_server_state(pipe->server);
}

bool kh_pipe_recall(struct kh_pipe *pipe)
{
	return kh_server_recall(pipe->server);
}

void kh_pipe_stop(struct kh_pipe *pipe)
{
	kh_server_stop(pipe->server);
}

uint64_t kh_pipe_strays(struct kh_pipe *pipe)
{
	pthread_mutex_lock(&pipe->lock);
	uint64_t strays = pipe->strays;
	pthread_mutex_unlock(&pipe->lock);
	return strays;
}
