/*
 * The thread that looks after servers.
 *
 * One lock guards everything that senders and the thread share.  It is never held while a function of the user is
 * called, or while an executor is asked for something that it may be slow to do.  Only the thread receives, and only the
 * thread takes a server off the list, so it can use one without the lock as long as it is on the list.
 */
#include "outside/server.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define STARTS     10
#define PAUSE_MS   1000
#define LONGEST_MS 60000
#define PROVEN_MS  60000 /* a life of this length makes the next pause short again */
#define HOUR_MS    3600000

struct kh_server {
	struct kh_server_all *all;
	struct kh_server *next;
	struct kh_server_settings settings;

	/* under the lock */
	uint64_t life;               /* the last one that was promised */
	bool is_wanted;              /* it is to be started */
	bool is_starting;            /* it is being started */
	bool is_open;                /* the exchange is */
	bool is_stopped, is_leaving; /* the user ends this life, or the server */
	bool recalls;                /* RECALL is to be sent */
	bool is_deaf;                /* the user takes no output now */
	bool has_piece;              /* and has not taken the last event's */
	bool is_held;
	char *queue; /* what the executor has not taken yet */
	size_t at, n, cap;
	int64_t began_ms, until_ms; /* when this life began; when the pause is over */
	int64_t pause_ms;
	int64_t failed_ms[KH_SERVER_STARTS]; /* when lives failed, the FAILED-th at the remainder */
	uint64_t failed;
	char why[KH_MESSAGE_DETAIL + 64];

	struct kh_exchange exchange;
	struct kh_event event; /* the last one */
};

struct kh_server_all {
	const struct kh_client *client;
	pthread_mutex_t lock;
	pthread_cond_t left; /* a server has left the list */
	pthread_t thread;
	int wake; /* an eventfd: something is to be done */
	bool stop;
	struct kh_server *first;
	size_t count;
};

static void wake(const struct kh_server_all *all)
{
	const uint64_t one = 1;

	(void)!write(all->wake, &one, sizeof(one));
}

/* --- what waits for a server -------------------------------------------------------------------------------------- */

static void drop_queue(struct kh_server *s)
{
	if (s->queue != NULL) {
		explicit_bzero(s->queue, s->cap);
		kh_alloc_free(&kh_alloc_system, s->queue, s->cap);
	}
	s->queue = NULL;
	s->at = s->n = s->cap = 0;
}

static bool make_room(struct kh_server *s, size_t more)
{
	size_t used = s->n - s->at, cap = s->cap > 0 ? s->cap : 4096;

	while (cap < used + more)
		cap *= 2;
	char *queue = kh_alloc_zero(&kh_alloc_system, cap);
	if (queue == NULL)
		return false;
	if (used > 0)
		memcpy(queue, s->queue + s->at, used);
	drop_queue(s);
	s->queue = queue;
	s->n = used;
	s->cap = cap;
	return true;
}

/* Sends BYTES, or keeps what the executor does not take now. */
static enum kh_err pass_on(struct kh_server *s, struct kh_view bytes, struct kh_error *err)
{
	size_t used = s->n - s->at;

	if (bytes.n > KH_SERVER_QUEUE - used)
		return kh_error_set(err, KH_ELIMIT, "server_busy", "it does not read, and %zu bytes wait for it", used);
	if (s->is_open && used == 0)
		bytes = kh_view_from(bytes, kh_exchange_feed(&s->exchange, bytes));
	if (bytes.n == 0)
		return KH_OK;
	if (bytes.n > s->cap - s->n && !make_room(s, bytes.n)) {
		s->is_stopped = true; /* it may have got half of a message */
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	}
	memcpy(s->queue + s->n, bytes.p, bytes.n);
	s->n += bytes.n;
	return KH_OK;
}

/* Sends what waits, as far as the executor takes it. */
static void flush(struct kh_server *s)
{
	if (!s->is_open)
		return;
	if (s->at < s->n)
		s->at += kh_exchange_feed(&s->exchange, kh_view_of(s->queue + s->at, s->n - s->at));
	if (s->at == s->n)
		drop_queue(s);
	if (s->n == 0 && s->recalls)
		s->recalls = !kh_exchange_recall(&s->exchange);
}

/* --- ends and pauses ---------------------------------------------------------------------------------------------- */

/* Says how the life ended, in words of ours. */
static void explain(struct kh_server *s, const struct kh_end *end)
{
	if (end->fault != KH_FAULT_NONE)
		snprintf(s->why, sizeof(s->why), "%s: %s", kh_fault_name(end->fault), kh_exchange_about(end));
	else if (WIFSIGNALED(end->status))
		snprintf(s->why, sizeof(s->why), "it was ended by signal %d", WTERMSIG(end->status));
	else
		snprintf(s->why, sizeof(s->why), "it ended with status %d", WEXITSTATUS(end->status));
}

static unsigned most_failures(const struct kh_server *s)
{
	return s->settings.starts > 0 ? s->settings.starts : STARTS;
}

/* Counts a failure of the server's own; too many within an hour hold it. */
static void count_failure(struct kh_server *s, int64_t now)
{
	unsigned most = most_failures(s);

	s->failed_ms[s->failed++ % KH_SERVER_STARTS] = now;
	if (s->failed >= most && now - s->failed_ms[(s->failed - most) % KH_SERVER_STARTS] < HOUR_MS)
		s->is_held = true;
}

/* Decides what follows the life that has ended. */
static void rest(struct kh_server *s, const struct kh_end *end)
{
	int64_t now = kh_clock_ms(), first = s->settings.pause_ms > 0 ? s->settings.pause_ms : PAUSE_MS;
	int64_t longest = s->settings.longest_ms > 0 ? s->settings.longest_ms : LONGEST_MS;
	bool is_ours = end->fault == KH_FAULT_LOST || end->fault == KH_FAULT_ABSENT || end->fault == KH_FAULT_BUSY;

	explain(s, end);
	if (s->is_stopped || end->fault == KH_FAULT_IDLE) {
		s->pause_ms = s->until_ms = 0;
		return;
	}
	if (s->pause_ms == 0 || now - s->began_ms >= PROVEN_MS)
		s->pause_ms = first;
	else
		s->pause_ms = s->pause_ms < longest / 2 ? s->pause_ms * 2 : longest;
	s->until_ms = now + s->pause_ms;
	if (!is_ours)
		count_failure(s, now);
}

/* The one end of a life.  Called with the lock, which it gives up meanwhile. */
static void end_life(struct kh_server *s, const struct kh_server_end *end)
{
	uint64_t life = s->life;

	kh_exchange_close(&s->exchange);
	rest(s, &end->end);
	s->is_open = s->is_wanted = s->is_stopped = s->recalls = s->is_deaf = s->has_piece = false;
	drop_queue(s);
	pthread_mutex_unlock(&s->all->lock);
	s->settings.ended(s->settings.context, life, end);
	pthread_mutex_lock(&s->all->lock);
}

/* Ends a life without an executor's word. */
static void cut_life(struct kh_server *s, enum kh_fault fault, const char *why)
{
	struct kh_server_end end = {.end = {.fault = fault}};

	snprintf(end.end.detail, sizeof(end.end.detail), "%.*s", KH_MESSAGE_DETAIL, why);
	end_life(s, &end);
}

/* --- the thread --------------------------------------------------------------------------------------------------- */

/* Starts it.  Called with the lock, which it gives up meanwhile. */
static void start(struct kh_server *s)
{
	struct kh_error err = {.detail = ""};

	s->is_wanted = false;
	s->is_starting = true;
	s->began_ms = kh_clock_ms();
	pthread_mutex_unlock(&s->all->lock);
	enum kh_err e = kh_client_run(s->all->client, s->settings.run, &s->exchange, &err);
	pthread_mutex_lock(&s->all->lock);
	s->is_starting = false;
	s->is_open = e == KH_OK;
	if (e != KH_OK)
		cut_life(s, KH_FAULT_REQUEST, err.detail);
}

/* Gives the last event to the user.  Called with the lock, which it gives up meanwhile. */
static void give(struct kh_server *s)
{
	const struct kh_server_settings *to = &s->settings;
	uint64_t life = s->life;
	bool taken = true;

	pthread_mutex_unlock(&s->all->lock);
	if (s->event.kind == KH_EVENT_OUTPUT)
		taken = to->take(to->context, life, s->event.bytes);
	else if (s->event.kind == KH_EVENT_KEPT && to->kept != NULL)
		to->kept(to->context, life, &(struct kh_server_end){s->event.end, s->event.bytes, s->event.written});
	pthread_mutex_lock(&s->all->lock);
	s->is_deaf = s->has_piece = !taken;
}

/* Takes events, a few at a time so that all servers get their turn. */
static void receive(struct kh_server *s)
{
	for (int i = 0; i < 16 && s->is_open && !s->is_deaf && !s->is_stopped && !s->is_leaving; i++) {
		if (!s->has_piece)
			kh_exchange_next(&s->exchange, 0, &s->event);
		if (s->event.kind == KH_EVENT_NOTHING)
			return;
		if (s->event.kind == KH_EVENT_END) {
			struct kh_server_end end = {s->event.end, s->event.bytes, s->event.written};
			end_life(s, &end);
			return;
		}
		give(s);
	}
}

/* Does what can be done for one server. */
static void look_after(struct kh_server *s)
{
	if ((s->is_stopped || s->is_leaving) && (s->is_open || s->is_wanted)) {
		s->is_stopped = true;
		cut_life(s, KH_FAULT_CANCELLED, "it was stopped");
	}
	if (s->is_wanted && !s->is_leaving)
		start(s);
	flush(s);
	receive(s);
}

/* What to wait for, of one server. */
static struct pollfd watch(const struct kh_server *s)
{
	short events = (short)((s->is_deaf ? 0 : POLLIN) | (s->at < s->n || s->recalls ? POLLOUT : 0));

	/* poll ignores a negative descriptor.  One that has hung up would be reported for ever. */
	return (struct pollfd){.fd = s->is_open && events != 0 ? s->exchange.fd : -1, .events = events};
}

/* Takes those off the list that are to leave. */
static void let_go(struct kh_server_all *all)
{
	for (struct kh_server **at = &all->first; *at != NULL;) {
		struct kh_server *s = *at;
		if (!s->is_leaving || s->is_open || s->is_wanted) {
			at = &s->next;
			continue;
		}
		*at = s->next;
		s->all = NULL;
		all->count--;
		pthread_cond_broadcast(&all->left);
	}
}

/* Waits until something is to be done for one of them.  Called with the lock, which it gives up meanwhile. */
static bool await(struct kh_server_all *all, struct pollfd **list, size_t *cap)
{
	size_t n = 1;
	uint64_t count;

	if (*list == NULL || *cap < all->count + 1) {
		size_t more = 2 * all->count + 16;
		struct pollfd *larger = kh_alloc_zero(&kh_alloc_system, more * sizeof(**list));
		if (larger == NULL)
			return false;
		if (*list != NULL)
			kh_alloc_free(&kh_alloc_system, *list, *cap * sizeof(**list));
		*list = larger;
		*cap = more;
	}
	(*list)[0] = (struct pollfd){.fd = all->wake, .events = POLLIN};
	for (const struct kh_server *s = all->first; s != NULL; s = s->next)
		(*list)[n++] = watch(s);
	pthread_mutex_unlock(&all->lock);
	int ready = poll(*list, n, -1);
	if (ready > 0 && (*list)[0].revents != 0)
		(void)!read(all->wake, &count, sizeof(count));
	pthread_mutex_lock(&all->lock);
	return true;
}

static void *serve(void *arg)
{
	struct kh_server_all *all = arg;
	struct pollfd *list = NULL;
	size_t cap = 0;

	pthread_mutex_lock(&all->lock);
	while (!all->stop) {
		/* New ones are put at the front, so the rest of the list stays as it is while the lock is given up. */
		for (struct kh_server *s = all->first; s != NULL; s = s->next)
			look_after(s);
		let_go(all);
		if (!all->stop && !await(all, &list, &cap)) {
			/* No memory: try again a little later. */
			pthread_mutex_unlock(&all->lock);
			(void)poll(NULL, 0, 100);
			pthread_mutex_lock(&all->lock);
		}
	}
	pthread_mutex_unlock(&all->lock);
	if (list != NULL)
		kh_alloc_free(&kh_alloc_system, list, cap * sizeof(*list));
	return NULL;
}

/* --- for everybody ------------------------------------------------------------------------------------------------ */

enum kh_err kh_server_all_new(const struct kh_client *client, struct kh_server_all **ret_servers, struct kh_error *err)
{
	struct kh_server_all *all = kh_alloc_zero(&kh_alloc_system, sizeof(*all));
	sigset_t every, old;

	if (all == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	all->client = client;
	pthread_mutex_init(&all->lock, NULL);
	pthread_cond_init(&all->left, NULL);
	all->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	/* Signals belong to the main thread. */
	sigfillset(&every);
	pthread_sigmask(SIG_SETMASK, &every, &old);
	int failed = all->wake < 0 ? errno : pthread_create(&all->thread, NULL, serve, all);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (failed == 0) {
		*ret_servers = all;
		return KH_OK;
	}
	if (all->wake >= 0)
		close(all->wake);
	pthread_cond_destroy(&all->left);
	pthread_mutex_destroy(&all->lock);
	kh_alloc_free(&kh_alloc_system, all, sizeof(*all));
	return kh_error_set(err, KH_ENOMEM, "out_of_memory", "cannot start a thread");
}

void kh_server_all_free(struct kh_server_all *servers)
{
	if (servers == NULL)
		return;
	pthread_mutex_lock(&servers->lock);
	servers->stop = true;
	pthread_mutex_unlock(&servers->lock);
	wake(servers);
	pthread_join(servers->thread, NULL);
	close(servers->wake);
	pthread_cond_destroy(&servers->left);
	pthread_mutex_destroy(&servers->lock);
	kh_alloc_free(&kh_alloc_system, servers, sizeof(*servers));
}

enum kh_err kh_server_new(struct kh_server_all *servers, const struct kh_server_settings *settings,
			  struct kh_server **ret_server, struct kh_error *err)
{
	struct kh_server *s = kh_alloc_zero(&kh_alloc_system, sizeof(*s));

	if (s == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	s->settings = *settings;
	if (s->settings.starts > KH_SERVER_STARTS)
		s->settings.starts = KH_SERVER_STARTS;
	s->all = servers;
	s->exchange.fd = -1;
	pthread_mutex_lock(&servers->lock);
	s->next = servers->first;
	servers->first = s;
	servers->count++;
	pthread_mutex_unlock(&servers->lock);
	*ret_server = s;
	return KH_OK;
}

void kh_server_free(struct kh_server *server)
{
	struct kh_server_all *all = server != NULL ? server->all : NULL;

	if (all == NULL)
		return;
	pthread_mutex_lock(&all->lock);
	server->is_leaving = true;
	wake(all);
	while (server->all != NULL)
		pthread_cond_wait(&all->left, &all->lock);
	pthread_mutex_unlock(&all->lock);
	drop_queue(server);
	explicit_bzero(server, sizeof(*server));
	kh_alloc_free(&kh_alloc_system, server, sizeof(*server));
}

static bool is_up(const struct kh_server *s)
{
	return s->is_open || s->is_wanted || s->is_starting;
}

/* Promises a life, or says why there is none now. */
static enum kh_err want(struct kh_server *s, struct kh_error *err)
{
	int64_t left = s->until_ms - kh_clock_ms();

	if (s->is_leaving)
		return kh_error_set(err, KH_EREFUSED, "server_held", "it is being ended");
	if (s->is_held)
		return kh_error_set(err, KH_EREFUSED, "server_held",
				    "it failed %u times within an hour; the last time: %s", most_failures(s), s->why);
	if (left > 0)
		return kh_error_set(err, KH_EREFUSED, "server_paused", "it is started again in %lld ms; %s",
				    (long long)left, s->why);
	s->life++;
	s->is_wanted = true;
	return KH_OK;
}

/* Sends BYTES.  Called with the lock, which it gives up. */
static enum kh_err send_locked(struct kh_server *s, struct kh_view bytes, struct kh_error *err)
{
	struct kh_server_all *all = s->all;
	enum kh_err e = pass_on(s, bytes, err);
	bool is_left = s->is_wanted || s->is_stopped || s->n > 0;

	pthread_mutex_unlock(&all->lock);
	if (is_left)
		wake(all);
	return e;
}

enum kh_err kh_server_send(struct kh_server *server, struct kh_view bytes, uint64_t *ret_life, struct kh_error *err)
{
	struct kh_server_all *all = server->all;
	enum kh_err e = KH_OK;

	pthread_mutex_lock(&all->lock);
	if (!is_up(server))
		e = want(server, err);
	if (e != KH_OK) {
		pthread_mutex_unlock(&all->lock);
		return e;
	}
	*ret_life = server->life;
	return send_locked(server, bytes, err);
}

enum kh_err kh_server_add(struct kh_server *server, uint64_t life, struct kh_view bytes, struct kh_error *err)
{
	pthread_mutex_lock(&server->all->lock);
	if (is_up(server) && !server->is_stopped && server->life == life)
		return send_locked(server, bytes, err);
	pthread_mutex_unlock(&server->all->lock);
	return kh_error_set(err, KH_EREFUSED, "server_over", "the life that it was for has ended");
}

bool kh_server_recall(struct kh_server *server)
{
	struct kh_server_all *all = server->all;

	pthread_mutex_lock(&all->lock);
	bool up = is_up(server);
	server->recalls |= up;
	pthread_mutex_unlock(&all->lock);
	wake(all);
	return up;
}

void kh_server_resume(struct kh_server *server)
{
	struct kh_server_all *all = server->all;

	pthread_mutex_lock(&all->lock);
	server->is_deaf = false;
	pthread_mutex_unlock(&all->lock);
	wake(all);
}

void kh_server_stop(struct kh_server *server)
{
	struct kh_server_all *all = server->all;

	pthread_mutex_lock(&all->lock);
	server->is_stopped = is_up(server);
	pthread_mutex_unlock(&all->lock);
	wake(all);
}

void kh_server_release(struct kh_server *server)
{
	struct kh_server_all *all = server->all;

	pthread_mutex_lock(&all->lock);
	server->is_held = false;
	server->failed = 0;
	server->until_ms = server->pause_ms = 0;
	pthread_mutex_unlock(&all->lock);
}

struct kh_server_state kh_server_state(struct kh_server *server)
{
	struct kh_server_all *all = server->all;
	struct kh_server_state state = {.phase = KH_SERVER_DOWN};

	pthread_mutex_lock(&all->lock);
	int64_t left = server->until_ms - kh_clock_ms();
	state.life = server->life;
	if (is_up(server)) {
		state.phase = KH_SERVER_UP;
	} else if (server->is_held) {
		state.phase = KH_SERVER_HELD;
	} else if (left > 0) {
		state.phase = KH_SERVER_PAUSED;
		state.wait_ms = left;
	}
	if (state.phase != KH_SERVER_UP)
		snprintf(state.why, sizeof(state.why), "%s", server->why);
	pthread_mutex_unlock(&all->lock);
	return state;
}
