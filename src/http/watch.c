/*
 * The watch.  One lock guards the table.  It is never held while a callback runs, except for `hold` and `drop`, which
 * only count.
 *
 * A descriptor's number may belong to another connection by the time that its event is read.  So an event counts only
 * if the kernel says the same again under the lock, during which no connection leaves the table.
 */
#include "http/watch.h"

#include "base/alloc.h"
#include "gateway/works.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define SECOND   INT64_C(1000000)
#define TICK     (SECOND / 2) /* microseconds between checks of the time */
#define RATE     65536        /* bytes a second that a client must take or send at least */
#define EVENTS   64
#define STACK    ((size_t)256 << 10)
#define PRESSURE (3 * SECOND) /* limit for a new or idle connection if connections are scarce */

struct entry {
	bool used, armed;
	bool half; /* at the last check its client had closed its side in the middle of a request */
	enum kh_http_doing doing;
	int64_t since, until; /* until 0: no limit */
	struct kh_http_request *owner;
};

struct kh_http_watch {
	struct kh_http_watch_settings settings;
	pthread_mutex_t lock;
	struct entry *at; /* by descriptor */
	struct pollfd *polls;
	size_t room;
	atomic_uint count; /* read without the lock too */
	int epoll, stop;
	pthread_t thread;
	bool threaded;
};

/* --- the table ---------------------------------------------------------------------------------------------------- */

static struct entry *find(struct kh_http_watch *w, int fd)
{
	return fd >= 0 && (size_t)fd < w->room && w->at[fd].used ? &w->at[fd] : NULL;
}

static bool make_room(struct kh_http_watch *w, int fd)
{
	size_t room = w->room > 0 ? w->room : 64;
	const struct kh_alloc *alloc = w->settings.alloc;
	struct entry *at;
	struct pollfd *polls;

	if (fd < 0)
		return false;
	while (room <= (size_t)fd)
		room *= 2;
	if (room == w->room)
		return true;
	at = kh_alloc_array(alloc, room, sizeof(*at));
	polls = kh_alloc_array(alloc, room, sizeof(*polls));
	if (at == NULL || polls == NULL) {
		kh_alloc_free(alloc, at, room * sizeof(*at));
		kh_alloc_free(alloc, polls, room * sizeof(*polls));
		return false;
	}
	if (w->room > 0)
		memcpy(at, w->at, w->room * sizeof(*at));
	kh_alloc_free(alloc, w->at, w->room * sizeof(*at));
	kh_alloc_free(alloc, w->polls, w->room * sizeof(*polls));
	w->at = at;
	w->polls = polls;
	w->room = room;
	return true;
}

static int64_t allowed(const struct kh_http_watch *w, enum kh_http_doing doing, uint64_t bytes)
{
	const struct kh_http_watch_settings *s = &w->settings;
	int64_t more = (int64_t)(bytes / RATE) * SECOND;

	switch (doing) {
	case KH_HTTP_OPENED:
		return s->headers;
	case KH_HTTP_IDLE:
		return s->idle;
	case KH_HTTP_READS:
		return s->body + more;
	case KH_HTTP_ANSWERS:
		return s->answer + more;
	case KH_HTTP_WORKS:
		break;
	}
	return 0;
}

static void set_doing(struct kh_http_watch *w, struct entry *entry, enum kh_http_doing doing, uint64_t bytes)
{
	int64_t for_us = allowed(w, doing, bytes);

	entry->doing = doing;
	entry->half = false;
	entry->since = kh_works_now();
	entry->until = for_us > 0 ? entry->since + for_us : 0;
}

bool kh_http_watch_enter(struct kh_http_watch *watch, int fd)
{
	pthread_mutex_lock(&watch->lock);
	bool fits = make_room(watch, fd);
	if (fits) {
		watch->at[fd] = (struct entry){.used = true};
		set_doing(watch, &watch->at[fd], KH_HTTP_OPENED, 0);
		watch->count++;
	}
	pthread_mutex_unlock(&watch->lock);
	return fits;
}

static void disarm(struct kh_http_watch *w, struct entry *entry, int fd)
{
	if (entry->armed)
		(void)epoll_ctl(w->epoll, EPOLL_CTL_DEL, fd, NULL);
	entry->armed = false;
}

void kh_http_watch_leave(struct kh_http_watch *watch, int fd)
{
	pthread_mutex_lock(&watch->lock);
	struct entry *entry = find(watch, fd);
	if (entry != NULL) {
		disarm(watch, entry, fd);
		*entry = (struct entry){.used = false};
		watch->count--;
	}
	pthread_mutex_unlock(&watch->lock);
}

void kh_http_watch_does(struct kh_http_watch *watch, int fd, enum kh_http_doing doing, uint64_t bytes)
{
	pthread_mutex_lock(&watch->lock);
	struct entry *entry = find(watch, fd);
	if (entry != NULL)
		set_doing(watch, entry, doing, bytes);
	pthread_mutex_unlock(&watch->lock);
}

void kh_http_watch_own(struct kh_http_watch *watch, int fd, struct kh_http_request *owner)
{
	pthread_mutex_lock(&watch->lock);
	struct entry *entry = find(watch, fd);
	if (entry != NULL)
		entry->owner = owner;
	pthread_mutex_unlock(&watch->lock);
}

void kh_http_watch_arm(struct kh_http_watch *watch, int fd)
{
	struct epoll_event event = {.events = EPOLLRDHUP | EPOLLONESHOT, .data.fd = fd};

	pthread_mutex_lock(&watch->lock);
	struct entry *entry = find(watch, fd);
	if (entry != NULL && !entry->armed)
		entry->armed = epoll_ctl(watch->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
	pthread_mutex_unlock(&watch->lock);
}

void kh_http_watch_disarm(struct kh_http_watch *watch, int fd)
{
	pthread_mutex_lock(&watch->lock);
	struct entry *entry = find(watch, fd);
	if (entry != NULL)
		disarm(watch, entry, fd);
	pthread_mutex_unlock(&watch->lock);
}

unsigned kh_http_watch_count(struct kh_http_watch *watch)
{
	return atomic_load(&watch->count);
}

unsigned kh_http_watch_busy(struct kh_http_watch *watch)
{
	unsigned busy = 0;

	pthread_mutex_lock(&watch->lock);
	for (size_t fd = 0; fd < watch->room; fd++)
		busy += watch->at[fd].used && watch->at[fd].owner != NULL;
	pthread_mutex_unlock(&watch->lock);
	return busy;
}

void kh_http_watch_each(struct kh_http_watch *watch, void (*fn)(struct kh_http_request *owner))
{
	for (size_t fd = 0;; fd++) {
		struct kh_http_request *owner = NULL;
		bool over;

		pthread_mutex_lock(&watch->lock);
		over = fd >= watch->room;
		if (!over && watch->at[fd].used && watch->at[fd].owner != NULL) {
			owner = watch->at[fd].owner;
			watch->settings.hold(owner);
		}
		pthread_mutex_unlock(&watch->lock);
		if (over)
			return;
		if (owner != NULL) {
			fn(owner);
			watch->settings.drop(owner);
		}
	}
}

/* --- the thread --------------------------------------------------------------------------------------------------- */

static void look_gone(struct kh_http_watch *w, int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLRDHUP};
	struct kh_http_request *owner = NULL;

	pthread_mutex_lock(&w->lock);
	struct entry *entry = find(w, fd);
	if (entry != NULL && entry->armed && poll(&poll_fd, 1, 0) == 1 &&
	    (poll_fd.revents & (POLLRDHUP | POLLHUP | POLLERR))) {
		disarm(w, entry, fd);
		owner = entry->owner;
		if (owner != NULL)
			w->settings.hold(owner);
	}
	pthread_mutex_unlock(&w->lock);
	if (owner != NULL) {
		w->settings.gone(owner);
		w->settings.drop(owner);
	}
}

/* True if the connection's current state has lasted too long.  Scarce: seven of eight connections are taken. */
static bool is_over(const struct kh_http_watch *w, const struct entry *entry, int64_t now)
{
	bool scarce = w->count > w->settings.connections - w->settings.connections / 8;
	int64_t until = entry->until;

	if (until == 0)
		return false;
	if (scarce && (entry->doing == KH_HTTP_OPENED || entry->doing == KH_HTTP_IDLE) &&
	    until > entry->since + PRESSURE)
		until = entry->since + PRESSURE;
	return now >= until;
}

static void look_late(struct kh_http_watch *w)
{
	int64_t now = kh_works_now();

	pthread_mutex_lock(&w->lock);
	for (size_t fd = 0; fd < w->room; fd++) {
		struct entry *entry = &w->at[fd];
		if (!entry->used || !is_over(w, entry, now))
			continue;
		(void)shutdown((int)fd, SHUT_RDWR);
		entry->until = 0; /* once is enough */
	}
	pthread_mutex_unlock(&w->lock);
}

/*
 * Closes connections whose clients closed their side in the middle of a request.  MHD, which is edge-triggered, does
 * not notice that if the end came together with the last bytes.  Checks twice in a row, so that MHD has had time to
 * read.
 */
static void look_half(struct kh_http_watch *w)
{
	nfds_t n = 0;

	pthread_mutex_lock(&w->lock);
	for (size_t fd = 0; fd < w->room; fd++) {
		const struct entry *entry = &w->at[fd];
		if (entry->used && entry->doing != KH_HTTP_WORKS && entry->doing != KH_HTTP_ANSWERS)
			w->polls[n++] = (struct pollfd){.fd = (int)fd, .events = POLLRDHUP};
	}
	if (n > 0 && poll(w->polls, n, 0) > 0) {
		for (nfds_t i = 0; i < n; i++) {
			struct entry *entry = &w->at[w->polls[i].fd];
			if (w->polls[i].revents == 0)
				continue;
			if (entry->half)
				(void)shutdown(w->polls[i].fd, SHUT_RDWR);
			entry->half = true;
		}
	}
	pthread_mutex_unlock(&w->lock);
}

static void *run(void *arg)
{
	struct kh_http_watch *w = arg;
	struct epoll_event events[EVENTS];
	int64_t next = kh_works_now() + TICK;

	for (;;) {
		int64_t left = (next - kh_works_now()) / 1000;
		int n = epoll_wait(w->epoll, events, EVENTS, left > 0 ? (int)left + 1 : 0);

		for (int i = 0; i < n; i++) {
			if (events[i].data.fd == w->stop)
				return NULL;
			look_gone(w, events[i].data.fd);
		}
		if (kh_works_now() >= next) {
			look_late(w);
			look_half(w);
			next = kh_works_now() + TICK;
		}
	}
}

/* --- beginning and end -------------------------------------------------------------------------------------------- */

static bool start(struct kh_http_watch *w)
{
	struct epoll_event event = {.events = EPOLLIN};
	pthread_attr_t attr;

	w->epoll = epoll_create1(EPOLL_CLOEXEC);
	w->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	event.data.fd = w->stop;
	if (w->epoll < 0 || w->stop < 0 || epoll_ctl(w->epoll, EPOLL_CTL_ADD, w->stop, &event) != 0)
		return false;
	if (pthread_attr_init(&attr) != 0)
		return false;
	w->threaded = pthread_attr_setstacksize(&attr, STACK) == 0 && pthread_create(&w->thread, &attr, run, w) == 0;
	pthread_attr_destroy(&attr);
	return w->threaded;
}

static int64_t or_else(int64_t value, int64_t usual)
{
	return value > 0 ? value : usual;
}

enum kh_err kh_http_watch_new(const struct kh_http_watch_settings *settings, struct kh_http_watch **ret_watch,
			      struct kh_error *err)
{
	struct kh_http_watch *w = kh_alloc_zero(settings->alloc, sizeof(*w));

	if (w == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory for the server");
	w->settings = *settings;
	w->settings.headers = or_else(settings->headers, 15 * SECOND);
	w->settings.idle = or_else(settings->idle, 90 * SECOND);
	w->settings.body = or_else(settings->body, 30 * SECOND);
	w->settings.answer = or_else(settings->answer, 60 * SECOND);
	w->epoll = w->stop = -1;
	pthread_mutex_init(&w->lock, NULL);
	if (!start(w)) {
		kh_http_watch_free(w);
		return kh_error_set(err, KH_ESTORE, "http_start", "the watch over connections could not be started");
	}
	*ret_watch = w;
	return KH_OK;
}

void kh_http_watch_free(struct kh_http_watch *watch)
{
	uint64_t one = 1;

	if (watch == NULL)
		return;
	if (watch->threaded && write(watch->stop, &one, sizeof(one)) == (ssize_t)sizeof(one))
		pthread_join(watch->thread, NULL);
	if (watch->epoll >= 0)
		close(watch->epoll);
	if (watch->stop >= 0)
		close(watch->stop);
	pthread_mutex_destroy(&watch->lock);
	kh_alloc_free(watch->settings.alloc, watch->at, watch->room * sizeof(*watch->at));
	kh_alloc_free(watch->settings.alloc, watch->polls, watch->room * sizeof(*watch->polls));
	kh_alloc_free(watch->settings.alloc, watch, sizeof(*watch));
}
