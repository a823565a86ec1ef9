/* The thread of lines.  Only this thread reads, accepts and closes.  An eventfd wakes it if a message could not be
 * written whole, an exchange has ended or something is to stop. */
#include "mcp/lines.h"

#include "mcp/connection.h"
#include "mcp/upstreams.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENTS   64
#define TOKEN    512 /* bytes of a token's line */
#define SOON_MS  1
#define CHECK_MS 250 /* how often open connections are checked for tokens that are no longer valid */
#define REST_MS  100 /* pause in accepting if there are no descriptors left */

struct kh_mcp_lines {
	struct kh_mcp *mcp;
	const struct kh_alloc *alloc;
	int epoll, wake, listen;
	pthread_t thread;
	bool has_thread;
	atomic_size_t unsent; /* bytes that are kept for relays, all together */
	pthread_mutex_t lock; /* guards the members that follow */
	pthread_cond_t changed;
	struct kh_mcp_connection *fresh; /* added by kh_mcp_lines_stdio(), for the thread */
	atomic_size_t count;             /* connections; read without the lock too */
	size_t busy;                     /* exchanges that may still send */
	bool quiet, over;
	bool stdio_there, stdio_ended;
	/* used by the thread only */
	struct kh_mcp_connection *all;
	uint64_t epoch;   /* in which the tokens of all open connections were checked */
	uint64_t changes; /* of the tools of upstream servers that all were told */
};

static void wake(struct kh_mcp_lines *lines)
{
	uint64_t one = 1;

	if (write(lines->wake, &one, sizeof(one)) < 0)
		return; /* the eventfd is full: the thread is awake */
}

/* --- answers ------------------------------------------------------------------------------------------------------ */

static void end_of_exchange(struct kh_mcp_lines *lines, struct kh_mcp_connection *c)
{
	pthread_mutex_lock(&c->lock);
	c->running--;
	pthread_mutex_unlock(&c->lock);
	wake(lines);
	pthread_mutex_lock(&lines->lock);
	lines->busy--;
	pthread_cond_broadcast(&lines->changed);
	pthread_mutex_unlock(&lines->lock);
}

static void send_message(struct kh_mcp_exchange *x, struct kh_view message, bool last)
{
	struct kh_mcp_connection *c = x->ctx;
	struct kh_mcp_lines *lines = x->peer->ctx;

	if (message.n > 0 && kh_mcp_connection_send(c, message))
		wake(lines);
	if (!last)
		return;
	kh_mcp_exchange_free(x);
	end_of_exchange(lines, c);
}

static const struct kh_mcp_transport transport = {.send = send_message};

/* Counts an exchange or a token check of C as running, until end_of_exchange(). */
static void begin_exchange(struct kh_mcp_lines *lines, struct kh_mcp_connection *c)
{
	pthread_mutex_lock(&c->lock);
	c->running++;
	pthread_mutex_unlock(&c->lock);
	pthread_mutex_lock(&lines->lock);
	lines->busy++;
	pthread_mutex_unlock(&lines->lock);
}

/* --- tokens ------------------------------------------------------------------------------------------------------- */

struct hello {
	struct kh_work work;
	struct kh_mcp_lines *lines;
	struct kh_mcp_connection *c;
	struct kh_token_claim token;
};

static enum kh_work_next check_token(struct kh_work *work)
{
	struct hello *hello = (struct hello *)work;
	struct kh_mcp_lines *lines = hello->lines;
	struct kh_mcp_connection *c = hello->c;
	struct kh_error err;
	struct kh_who who;
	enum kh_err e = kh_gateway_who(lines->mcp->gateway, hello->token, true, &who, &err);
	struct kh_mcp_peer *peer = e == KH_OK ? kh_mcp_peer_new(lines->mcp, &transport, lines, hello->token, &who)
					      : NULL;

	pthread_mutex_lock(&c->lock);
	c->peer = peer;
	c->admitted = peer != NULL;
	c->refused = peer == NULL;
	pthread_mutex_unlock(&c->lock);
	kh_alloc_free(lines->alloc, hello, sizeof(*hello));
	end_of_exchange(lines, c);
	return KH_WORK_DONE;
}

/* Has the token of C's first line checked.  False: it cannot be a token. */
static bool take_token(struct kh_mcp_lines *lines, struct kh_mcp_connection *c, struct kh_view line)
{
	struct kh_arena arena;

	kh_arena_init(&arena, lines->alloc, 1U << 20);
	struct kh_view token = line.n <= 2 * TOKEN ? kh_mcp_connection_token(&arena, line) : (struct kh_view){NULL, 0};
	struct hello *hello = token.n > 0 && token.n <= TOKEN ? kh_alloc_zero(lines->alloc, sizeof(*hello)) : NULL;
	if (hello != NULL) {
		hello->work.step = check_token;
		hello->lines = lines;
		hello->c = c;
		hello->token = kh_token_read(kh_gateway_engine(lines->mcp->gateway), token);
		c->state = KH_MCP_CONNECTION_CHECKING;
		begin_exchange(lines, c);
		if (!kh_works_add(kh_gateway_works(lines->mcp->gateway), &hello->work)) {
			kh_alloc_free(lines->alloc, hello, sizeof(*hello));
			end_of_exchange(lines, c);
			hello = NULL;
		}
	}
	kh_arena_done(&arena);
	return hello != NULL;
}

/* --- connections -------------------------------------------------------------------------------------------------- */

static void shut(struct kh_mcp_lines *lines, struct kh_mcp_connection *c)
{
	if (c->state == KH_MCP_CONNECTION_CLOSED)
		return;
	epoll_ctl(lines->epoll, EPOLL_CTL_DEL, c->in, NULL);
	epoll_ctl(lines->epoll, EPOLL_CTL_DEL, c->out, NULL);
	kh_mcp_connection_close(c);
	if (c->peer != NULL)
		kh_mcp_exchange_cancel_all(c->peer);
	pthread_mutex_lock(&lines->lock);
	lines->stdio_ended = lines->stdio_ended || c->borrowed;
	pthread_cond_broadcast(&lines->changed);
	pthread_mutex_unlock(&lines->lock);
}

/* Sends a last message to a connection that is closed because it broke a rule. */
static void refuse(struct kh_mcp_lines *lines, struct kh_mcp_connection *c, struct kh_view message)
{
	(void)kh_mcp_connection_send(c, message);
	shut(lines, c);
}

#define ERROR(code, rest) "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":" code ",\"message\":" rest "}}"
#define NO_TOKEN                                                                                       \
	ERROR("-32600", "\"the first line is a token, and this is none that is good here\",\"data\":{" \
			"\"code\":\"unauthorised\"}")
#define REVOKED  ERROR("-32600", "\"the token is no longer valid\",\"data\":{\"code\":\"unauthorised\"}")
#define TOO_LONG ERROR("-32600", "\"a message is a line of at most 4 MiB\"")
#define NO_MORE  ERROR("-32603", "\"out of memory, or stopping\"")

static void take_line(struct kh_mcp_lines *lines, struct kh_mcp_connection *c, struct kh_view line)
{
	if (line.n == 0)
		return;
	if (c->state == KH_MCP_CONNECTION_HELLO) {
		if (!take_token(lines, c, line))
			refuse(lines, c, KH_LIT(NO_TOKEN));
		return;
	}
	begin_exchange(lines, c);
	if (kh_mcp_take(c->peer, c, line, NULL) == NULL) {
		end_of_exchange(lines, c);
		refuse(lines, c, KH_LIT(NO_MORE));
	}
}

/* False if the connection has as many requests running as it may: then it is not read until one has ended. */
static bool is_taking(struct kh_mcp_connection *c)
{
	pthread_mutex_lock(&c->lock);
	bool full = c->running >= KH_MCP_RUNNING;
	pthread_mutex_unlock(&c->lock);
	return c->state == KH_MCP_CONNECTION_HELLO || (c->state == KH_MCP_CONNECTION_OPEN && !full);
}

/* Takes the lines that were read, as many as may be taken now. */
static void take_lines(struct kh_mcp_lines *lines, struct kh_mcp_connection *c)
{
	struct kh_view line;
	size_t size;

	while (is_taking(c) && kh_mcp_connection_line(c, &line, &size)) {
		bool token = c->state == KH_MCP_CONNECTION_HELLO;
		if (line.n > KH_MCP_MESSAGE) {
			refuse(lines, c, KH_LIT(TOO_LONG));
			return;
		}
		take_line(lines, c, line);
		if (token)
			sodium_memzero(c->line, size);
		kh_mcp_connection_skip(c, size);
	}
	if (c->state == KH_MCP_CONNECTION_OPEN && kh_mcp_connection_is_overlong(c))
		refuse(lines, c, KH_LIT(TOO_LONG));
	else if (c->state == KH_MCP_CONNECTION_HELLO && c->line_n > 2 * TOKEN)
		refuse(lines, c, KH_LIT(NO_TOKEN));
}

static void read_some(struct kh_mcp_lines *lines, struct kh_mcp_connection *c)
{
	if (c->ended || !is_taking(c))
		return;
	if (!kh_mcp_connection_read(c))
		shut(lines, c);
	else
		take_lines(lines, c);
}

/* Has epoll report EVENTS at FD, one end of C, from now on; *WATCHED are the events that it reported before. */
static void watch_end(struct kh_mcp_lines *lines, struct kh_mcp_connection *c, int fd, uint32_t events,
		      int64_t *watched)
{
	struct epoll_event event = {.events = events, .data.ptr = c};

	if (*watched == (int64_t)events)
		return;
	/* epoll refuses files; they need no watching. */
	epoll_ctl(lines->epoll, *watched < 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event);
	*watched = events;
}

/* Has epoll report C's input if it may be read, and its output if something waits to be written. */
static void watch(struct kh_mcp_lines *lines, struct kh_mcp_connection *c)
{
	uint32_t in = c->ended || !is_taking(c) ? 0 : EPOLLIN;

	pthread_mutex_lock(&c->lock);
	uint32_t out = c->unsent_n > 0 ? EPOLLOUT : 0;
	pthread_mutex_unlock(&c->lock);
	if (c->in == c->out) {
		watch_end(lines, c, c->out, in | out, &c->watched_out);
		return;
	}
	watch_end(lines, c, c->out, out, &c->watched_out);
	if (c->unpolled_in)
		return;
	if (in != 0) {
		watch_end(lines, c, c->in, in, &c->watched_in);
	} else if (c->watched_in >= 0) { /* epoll would report the end of a pipe for ever */
		epoll_ctl(lines->epoll, EPOLL_CTL_DEL, c->in, NULL);
		c->watched_in = -1;
	}
}

static void add(struct kh_mcp_lines *lines, struct kh_mcp_connection *c)
{
	c->next = lines->all;
	lines->all = c;
	pthread_mutex_lock(&lines->lock);
	lines->count++;
	pthread_mutex_unlock(&lines->lock);
	watch(lines, c);
}

static void remove_closed(struct kh_mcp_lines *lines)
{
	struct kh_mcp_connection **at = &lines->all;

	while (*at != NULL) {
		struct kh_mcp_connection *c = *at;
		pthread_mutex_lock(&c->lock);
		bool free = c->state == KH_MCP_CONNECTION_CLOSED && c->running == 0;
		pthread_mutex_unlock(&c->lock);
		if (!free) {
			at = &c->next;
			continue;
		}
		*at = c->next;
		kh_mcp_peer_drop(c->peer);
		kh_mcp_connection_free(c);
		pthread_mutex_lock(&lines->lock);
		lines->count--;
		pthread_cond_broadcast(&lines->changed);
		pthread_mutex_unlock(&lines->lock);
	}
}

/* Handles what other threads have done to C, and timeouts. */
static void look_after(struct kh_mcp_lines *lines, struct kh_mcp_connection *c, bool quiet)
{
	if (c->state == KH_MCP_CONNECTION_CLOSED)
		return;
	pthread_mutex_lock(&c->lock);
	bool broken = c->broken, refused = c->refused;
	if (c->admitted && c->state == KH_MCP_CONNECTION_CHECKING)
		c->state = KH_MCP_CONNECTION_OPEN;
	pthread_mutex_unlock(&c->lock);
	if (refused) {
		refuse(lines, c, KH_LIT(NO_TOKEN));
		return;
	}
	c->ended = c->ended || quiet;
	if (!quiet && c->line_n > 0)
		take_lines(lines, c);
	bool late = c->state == KH_MCP_CONNECTION_HELLO && kh_works_now() - c->since > KH_MCP_LINES_HELLO;
	if (broken || late || (c->ended && (quiet || c->line_n == 0) && kh_mcp_connection_is_idle(c)))
		shut(lines, c);
	if (c->state != KH_MCP_CONNECTION_CLOSED)
		watch(lines, c);
}

static void accept_one(struct kh_mcp_lines *lines)
{
	int fd = accept4(lines->listen, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0) {
		if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
			usleep(REST_MS * 1000); /* epoll would report it again at once */
		return;
	}
	struct kh_mcp_connection *c = kh_mcp_lines_count(lines) < KH_MCP_LINES_MOST
					      ? kh_mcp_connection_new(lines->alloc, fd, fd, false)
					      : NULL;
	if (c == NULL) {
		close(fd);
		return;
	}
	c->all = &lines->unsent;
	add(lines, c);
}

/* --- the thread --------------------------------------------------------------------------------------------------- */

/* True if HUP means that the other end is gone.  On a pipe that we read from, HUP only means the end of input; once
 * that is no longer watched, HUP comes from the output. */
static bool is_deserted(struct kh_mcp_connection *c)
{
	return c->in == c->out ? c->ended || !is_taking(c) : c->watched_in < 0;
}

static void handle(struct kh_mcp_lines *lines, const struct epoll_event *event)
{
	struct kh_mcp_connection *c = event->data.ptr;
	uint64_t count;

	if (event->data.ptr == &lines->wake) {
		if (read(lines->wake, &count, sizeof(count)) < 0)
			return;
	} else if (event->data.ptr == &lines->listen) {
		if (lines->listen >= 0)
			accept_one(lines);
	} else {
		if (c->state == KH_MCP_CONNECTION_CLOSED) /* an earlier event closed it */
			return;
		if (event->events & EPOLLOUT)
			kh_mcp_connection_flush(c);
		if (event->events & (EPOLLIN | EPOLLHUP))
			read_some(lines, c);
		if ((event->events & EPOLLERR) || ((event->events & EPOLLHUP) && is_deserted(c)))
			shut(lines, c);
	}
}

/* Takes over what other threads have asked for.  True: the thread is to end. */
static bool obey(struct kh_mcp_lines *lines, bool *ret_quiet)
{
	pthread_mutex_lock(&lines->lock);
	struct kh_mcp_connection *fresh = lines->fresh;
	bool over = lines->over;
	lines->fresh = NULL;
	*ret_quiet = lines->quiet;
	pthread_mutex_unlock(&lines->lock);
	if (fresh != NULL)
		add(lines, fresh);
	if (*ret_quiet && lines->listen >= 0) {
		close(lines->listen);
		lines->listen = -1;
	}
	return over;
}

/* Ends the connections whose tokens are no longer valid, if one may have become so (gateway/validity.h). */
static void check_tokens(struct kh_mcp_lines *lines)
{
	uint64_t epoch = kh_gateway_epoch(lines->mcp->gateway);

	for (struct kh_mcp_connection *c = lines->all; c != NULL && epoch != lines->epoch; c = c->next) {
		if (c->state == KH_MCP_CONNECTION_OPEN && !kh_gateway_holds(lines->mcp->gateway, c->peer->token))
			refuse(lines, c, KH_LIT(REVOKED));
	}
	lines->epoch = epoch;
}

/* Tells the Controllers that other tools are offered. */
static void tell_changes(struct kh_mcp_lines *lines)
{
	uint64_t changes = kh_mcp_upstreams_changes(lines->mcp);

	for (struct kh_mcp_connection *c = lines->all; c != NULL && changes != lines->changes; c = c->next) {
		if (c->state == KH_MCP_CONNECTION_OPEN && kh_mcp_upstreams_concern(c->peer))
			(void)kh_mcp_connection_send(c, KH_LIT(KH_MCP_UPSTREAMS_CHANGED));
	}
	lines->changes = changes;
}

/* Handles every connection once; *RET_TIMEOUT is how long epoll may then wait. */
static void look_after_all(struct kh_mcp_lines *lines, bool quiet, bool over, int *ret_timeout)
{
	int timeout = over ? SOON_MS : -1;

	check_tokens(lines);
	tell_changes(lines);
	for (struct kh_mcp_connection *c = lines->all; c != NULL; c = c->next) {
		if (over)
			shut(lines, c);
		else if (c->unpolled_in)
			read_some(lines, c);
		look_after(lines, c, quiet);
		if (c->unpolled_in && !c->ended)
			timeout = SOON_MS;
		else if (timeout < 0)
			timeout = CHECK_MS;
	}
	remove_closed(lines);
	*ret_timeout = timeout;
}

static void *run(void *arg)
{
	struct kh_mcp_lines *lines = arg;
	struct epoll_event events[EVENTS];
	bool quiet = false, over = false;
	int timeout;

	do {
		over = obey(lines, &quiet);
		look_after_all(lines, quiet, over, &timeout);
		if (over && lines->all == NULL)
			break;
		int n = epoll_wait(lines->epoll, events, EVENTS, timeout);
		for (int i = 0; i < n; i++)
			handle(lines, &events[i]);
	} while (true);
	return NULL;
}

/* --- for callers -------------------------------------------------------------------------------------------------- */

static enum kh_err start(struct kh_mcp_lines *lines, struct kh_error *err)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = &lines->wake};
	pthread_condattr_t attr;

	pthread_mutex_init(&lines->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&lines->changed, &attr);
	pthread_condattr_destroy(&attr);
	lines->epoll = epoll_create1(EPOLL_CLOEXEC);
	lines->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (lines->epoll < 0 || lines->wake < 0 || epoll_ctl(lines->epoll, EPOLL_CTL_ADD, lines->wake, &event) != 0)
		return kh_error_set(err, KH_ESTORE, "no_descriptor", "there are no descriptors for the lines");
	lines->has_thread = pthread_create(&lines->thread, NULL, run, lines) == 0;
	return lines->has_thread ? KH_OK : kh_error_set(err, KH_ESTORE, "no_thread", "no thread for the lines");
}

enum kh_err kh_mcp_lines_new(struct kh_mcp *mcp, struct kh_mcp_lines **ret_lines, struct kh_error *err)
{
	struct kh_mcp_lines *lines = kh_alloc_zero(mcp->alloc, sizeof(*lines));

	if (lines == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory for the lines");
	lines->mcp = mcp;
	lines->alloc = mcp->alloc;
	lines->epoll = lines->wake = lines->listen = -1;
	enum kh_err e = start(lines, err);
	if (e != KH_OK) {
		kh_mcp_lines_free(lines);
		return e;
	}
	*ret_lines = lines;
	return KH_OK;
}

enum kh_err kh_mcp_lines_stdio(struct kh_mcp_lines *lines, int in, int out, struct kh_token_claim token,
			       struct kh_error *err)
{
	struct kh_mcp_peer *peer = kh_mcp_peer_new(lines->mcp, &transport, lines, token, NULL);
	struct kh_mcp_connection *c = peer != NULL ? kh_mcp_connection_new(lines->alloc, in, out, true) : NULL;

	if (c == NULL) {
		kh_mcp_peer_drop(peer);
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory for a connection");
	}
	c->peer = peer;
	c->state = KH_MCP_CONNECTION_OPEN;
	pthread_mutex_lock(&lines->lock);
	lines->fresh = c;
	lines->stdio_there = true;
	pthread_mutex_unlock(&lines->lock);
	wake(lines);
	return KH_OK;
}

enum kh_err kh_mcp_lines_listen(struct kh_mcp_lines *lines, int fd, struct kh_error *err)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = &lines->listen};
	int flags = fcntl(fd, F_GETFL);

	pthread_mutex_lock(&lines->lock);
	lines->listen = fd;
	pthread_mutex_unlock(&lines->lock);
	if (flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0 &&
	    epoll_ctl(lines->epoll, EPOLL_CTL_ADD, fd, &event) == 0)
		return KH_OK;
	lines->listen = -1;
	close(fd);
	return kh_error_set(err, KH_ESTORE, "no_descriptor", "the socket cannot be listened to");
}

size_t kh_mcp_lines_count(struct kh_mcp_lines *lines)
{
	return atomic_load(&lines->count);
}

void kh_mcp_lines_wait(struct kh_mcp_lines *lines)
{
	pthread_mutex_lock(&lines->lock);
	while (!lines->quiet && !(lines->stdio_there && lines->stdio_ended))
		pthread_cond_wait(&lines->changed, &lines->lock);
	pthread_mutex_unlock(&lines->lock);
}

void kh_mcp_lines_quiesce(struct kh_mcp_lines *lines)
{
	pthread_mutex_lock(&lines->lock);
	lines->quiet = true;
	pthread_cond_broadcast(&lines->changed);
	pthread_mutex_unlock(&lines->lock);
	wake(lines);
}

bool kh_mcp_lines_stop(struct kh_mcp_lines *lines, int64_t timeout_us)
{
	int64_t end = kh_works_now() + timeout_us;
	struct timespec t = {.tv_sec = end / 1000000, .tv_nsec = end % 1000000 * 1000};

	kh_mcp_lines_quiesce(lines);
	pthread_mutex_lock(&lines->lock);
	while (lines->count + lines->busy > 0 && kh_works_now() < end)
		pthread_cond_timedwait(&lines->changed, &lines->lock, &t);
	bool clean = lines->count + lines->busy == 0;
	lines->over = true;
	pthread_mutex_unlock(&lines->lock);
	wake(lines);
	if (lines->has_thread)
		pthread_join(lines->thread, NULL);
	lines->has_thread = false;
	return clean;
}

void kh_mcp_lines_free(struct kh_mcp_lines *lines)
{
	if (lines == NULL)
		return;
	if (lines->has_thread)
		(void)kh_mcp_lines_stop(lines, 0);
	pthread_mutex_lock(&lines->lock);
	while (lines->busy > 0)
		pthread_cond_wait(&lines->changed, &lines->lock);
	pthread_mutex_unlock(&lines->lock);
	const int fds[] = {lines->listen, lines->wake, lines->epoll};
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	pthread_cond_destroy(&lines->changed);
	pthread_mutex_destroy(&lines->lock);
	kh_alloc_free(lines->alloc, lines, sizeof(*lines));
}
