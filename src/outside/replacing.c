/*
 * Watches an executor and its spawner, and replaces the executor.
 *
 * One thread, that of watch(), changes the state once it runs; senders of requests only read the control channel, under a
 * lock that keeps it from being closed, and its number from being used again, while they send.  Executors are
 * counted: the spawner has one at a time and reports every end in order, so the report that makes the counts equal is
 * that of the executor which was started last.
 */
#include "outside/replacing.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "outside/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAUSE_MS   100   /* before the second try; doubled with each that follows */
#define LONGEST_MS 30000 /* the longest pause */
#define PROVEN_MS  1000  /* an executor that has lived this long is replaced at once */

enum phase {
	UP,      /* there is an executor */
	FALLING, /* its channel is closed; the spawner has not reported its end yet */
	DOWN,    /* there is none; the next is started when the pause is over */
};

struct kh_replacing {
	pthread_rwlock_t lock; /* for CONTROL */
	int control;           /* the channel to the executor; -1: there is none */
	int spawner;           /* the channel to the spawner; -1: it is gone */
	int spawner_pid;
	int stop; /* an eventfd; -1: the thread was not begun */
	unsigned pool;
	pthread_t thread;
	void (*tell)(void *context, const char *sentence);
	void *context;

	/* of the thread */
	enum phase phase;
	enum kh_message_state state;       /* of the spawner's channel */
	uint64_t asked, ended;             /* executors that the spawner was asked for, and whose end it reported */
	int64_t began_ms, until_ms;        /* when the executor was started; when FALLING or DOWN is over */
	int64_t pause_ms;                  /* before the next start; 0: none */
	int status;                        /* of the last one that ended, as from waitpid(2); -1: unknown */
	atomic_bool is_up, has_spawner;    /* for kh_replacing_state() */
	atomic_uint_fast64_t starts, ends; /* the same */
	char buffer[KH_MESSAGE_MAX];
};

static void tell(const struct kh_replacing *r, const char *sentence)
{
	if (r->tell != NULL)
		r->tell(r->context, sentence);
}

/* Sets the channel that requests are sent over, and returns the one before. */
static int exchange_control(struct kh_replacing *r, int control)
{
	pthread_rwlock_wrlock(&r->lock);
	int before = r->control;
	r->control = control;
	pthread_rwlock_unlock(&r->lock);
	atomic_store(&r->is_up, control >= 0);
	return before;
}

/* --- starting ----------------------------------------------------------------------------------------------------- */

/* Asks the spawner for an executor and greets it; its channel in *RET_CONTROL.  It may not be ready yet. */
static enum kh_err ask_for_one(struct kh_replacing *r, int *ret_control, struct kh_error *err)
{
	char buffer[KH_MESSAGE_HEADER];
	struct kh_message_out out;
	int channel[2];
	enum kh_err e = kh_channel_pair(channel, err);

	if (e != KH_OK)
		return e;
	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_SPAWN);
	if (kh_channel_say(r->spawner, &out, &channel[1], 1) == KH_IO_DONE)
		r->asked++;
	else
		e = kh_error_set(err, KH_EREFUSED, "executor_start", "the spawner is gone");
	close(channel[1]);
	if (e == KH_OK)
		e = kh_child_greet(channel[0], r->pool, err);
	if (e != KH_OK) {
		close(channel[0]);
		return e;
	}
	*ret_control = channel[0];
	return KH_OK;
}

/* The executor at CONTROL is ready. */
static void use(struct kh_replacing *r, int control)
{
	r->phase = UP;
	r->began_ms = kh_clock_ms();
	atomic_fetch_add(&r->starts, 1);
	exchange_control(r, control);
}

/* How an executor ended that was never ready, if the spawner says so soon. */
static enum kh_err explain(struct kh_replacing *r, enum kh_err e, struct kh_error *err)
{
	struct kh_message message;

	if (kh_channel_hear(r->spawner, r->buffer, &r->state, KH_CHILD_WAIT_MS, &message, NULL) != KH_IO_DONE)
		return e;
	return kh_child_explain("executor", (int)message.number[KH_FIELD_STATUS], e, err);
}

static enum kh_err start_first(struct kh_replacing *r, struct kh_error *err)
{
	int control = -1;
	enum kh_err e = ask_for_one(r, &control, err);

	if (e != KH_OK)
		return e;
	e = kh_child_hear("executor", control, KH_CHILD_WAIT_MS, err);
	if (e == KH_OK) {
		use(r, control);
		return KH_OK;
	}
	if (kh_channel_closed(control))
		e = explain(r, e, err);
	close(control); /* so that it ends, if it has not */
	return e;
}

static enum kh_err start_spawner(struct kh_replacing *r, const char *program, struct kh_error *err)
{
	int channel[2], file = open(program, O_PATH | O_CLOEXEC);
	enum kh_err e;

	if (file < 0)
		return kh_error_set(err, KH_EREFUSED, "executor_start", "the program could not be executed");
	e = kh_channel_pair(channel, err);
	if (e == KH_OK) {
		const struct kh_child child = {.command = "spawner",
					       .path = program,
					       .file = file,
					       .channel = channel[1],
					       .other = channel[0]};
		r->spawner_pid = kh_child_start(&child);
		if (r->spawner_pid < 0)
			e = kh_error_set(err, KH_EREFUSED, "executor_start", "no process can be made: %m");
		close(channel[1]);
		r->spawner = channel[0];
	}
	close(file);
	return e == KH_OK ? kh_child_hear("spawner", r->spawner, KH_CHILD_WAIT_MS, err) : e;
}

enum kh_err kh_replacing_new(const char *program, unsigned pool, struct kh_replacing **ret_replacing,
			     struct kh_error *err)
{
	struct kh_replacing *r = kh_alloc_zero(&kh_alloc_system, sizeof(*r));
	pthread_rwlockattr_t attributes;

	if (r == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	r->control = r->spawner = r->spawner_pid = r->stop = r->status = -1;
	r->pool = pool;
	r->state = KH_STATE_PARENT_SPAWNER;
	/* The thread must get its turn however many requests are sent. */
	pthread_rwlockattr_init(&attributes);
	pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&r->lock, &attributes);
	pthread_rwlockattr_destroy(&attributes);
	enum kh_err e = start_spawner(r, program, err);
	atomic_store(&r->has_spawner, e == KH_OK);
	if (e == KH_OK)
		e = start_first(r, err);
	if (e != KH_OK) {
		kh_replacing_free(r);
		return e;
	}
	*ret_replacing = r;
	return KH_OK;
}

/* --- the thread --------------------------------------------------------------------------------------------------- */

/* The channel of the executor is closed on both sides: what it had to do is lost, and it ends if it has not. */
static void fall(struct kh_replacing *r)
{
	int control = exchange_control(r, -1);

	if (control >= 0)
		close(control);
	r->phase = FALLING;
	r->status = -1;
	r->until_ms = kh_clock_ms() + KH_CHILD_WAIT_MS;
}

static void tell_end(const struct kh_replacing *r)
{
	char how[48] = "", text[160];

	if (r->status >= 0 && WIFSIGNALED(r->status))
		snprintf(how, sizeof(how), " (signal %d)", WTERMSIG(r->status));
	else if (r->status >= 0)
		snprintf(how, sizeof(how), " (status %d)", WEXITSTATUS(r->status));
	if (r->spawner >= 0)
		snprintf(text, sizeof(text),
			 "the executor has ended%s: its requests are lost; another one is started in %lld ms", how,
			 (long long)r->pause_ms);
	else
		snprintf(text, sizeof(text),
			 "the executor has ended%s: its requests are lost; there is no spawner to start another one",
			 how);
	tell(r, text);
}

/* It has ended.  The next is started at once if this one has lived long enough, else after a pause. */
static void lie_down(struct kh_replacing *r)
{
	int64_t now = kh_clock_ms();

	if (r->began_ms != 0 && now - r->began_ms >= PROVEN_MS)
		r->pause_ms = 0;
	atomic_fetch_add(&r->ends, 1);
	r->phase = DOWN;
	r->until_ms = now + r->pause_ms;
	tell_end(r);
	r->pause_ms = r->pause_ms == 0 ? PAUSE_MS : r->pause_ms < LONGEST_MS / 2 ? r->pause_ms * 2 : LONGEST_MS;
	r->began_ms = 0;
}

/* True if the channel at FD has something, within TIMEOUT_MS and before the stop. */
static bool await(const struct kh_replacing *r, int fd, int timeout_ms)
{
	struct pollfd fds[] = {{.fd = fd, .events = POLLIN}, {.fd = r->stop, .events = POLLIN}};

	return poll(fds, 2, timeout_ms) > 0 && fds[0].revents != 0;
}

/* Starts the next one.  If it does not get ready, it falls at once. */
static void rise(struct kh_replacing *r)
{
	struct kh_error err = {.detail = ""};
	int control = -1;
	enum kh_err e = ask_for_one(r, &control, &err);

	if (e == KH_OK && await(r, control, KH_CHILD_WAIT_MS))
		e = kh_child_hear("executor", control, 0, &err);
	else if (e == KH_OK)
		e = KH_EREFUSED;
	if (e == KH_OK) {
		use(r, control);
		tell(r, "an executor was started in place of the one that has ended");
		return;
	}
	if (control >= 0)
		close(control);
	fall(r);
	if (control < 0) /* nobody was asked: nobody will report its end */
		lie_down(r);
}

static void lose_spawner(struct kh_replacing *r)
{
	close(r->spawner);
	(void)kh_child_wait(r->spawner_pid);
	r->spawner = r->spawner_pid = -1;
	atomic_store(&r->has_spawner, false);
	tell(r, "the spawner has ended: an executor that dies is not replaced; start the gateway anew");
	if (r->phase == FALLING)
		lie_down(r);
}

static void hear_spawner(struct kh_replacing *r)
{
	struct kh_message message;
	enum kh_io io;

	while ((io = kh_channel_hear(r->spawner, r->buffer, &r->state, 0, &message, NULL)) == KH_IO_DONE) {
		if (++r->ended != r->asked || r->phase == DOWN)
			continue;
		if (r->phase == UP)
			fall(r);
		r->status = (int)message.number[KH_FIELD_STATUS];
		lie_down(r);
	}
	if (io != KH_IO_AGAIN)
		lose_spawner(r);
}

/* How long to wait for something to happen; -1: for ever. */
static int timeout_ms(const struct kh_replacing *r)
{
	int64_t left = r->until_ms - kh_clock_ms();

	if (r->phase == UP || (r->phase == DOWN && r->spawner < 0))
		return -1;
	return left > 0 ? (int)left : 0;
}

static void *watch(void *arg)
{
	struct kh_replacing *r = arg;

	for (;;) {
		/* poll ignores a negative descriptor, and reports a hang-up in any case. */
		struct pollfd fds[] = {
			{.fd = r->stop, .events = POLLIN}, {.fd = r->spawner, .events = POLLIN}, {.fd = r->control}};
		int ready = poll(fds, 3, timeout_ms(r));

		if (fds[0].revents != 0 || (ready < 0 && errno != EINTR))
			return NULL;
		if (ready > 0 && fds[1].revents != 0)
			hear_spawner(r);
		if (ready > 0 && fds[2].revents != 0 && r->phase == UP)
			fall(r);
		if (r->phase == FALLING && (timeout_ms(r) == 0 || r->spawner < 0))
			lie_down(r);
		else if (r->phase == DOWN && timeout_ms(r) == 0)
			rise(r);
	}
}

enum kh_err kh_replacing_begin(struct kh_replacing *r, void (*tell_fn)(void *context, const char *sentence),
			       void *context, struct kh_error *err)
{
	sigset_t all, old;

	r->tell = tell_fn;
	r->context = context;
	r->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r->stop < 0)
		return kh_error_set(err, KH_EREFUSED, "executor_start", "no descriptor for a thread: %m");
	/* Signals belong to the main thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int failed = pthread_create(&r->thread, NULL, watch, r);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (failed == 0)
		return KH_OK;
	close(r->stop);
	r->stop = -1;
	return kh_error_set(err, KH_ENOMEM, "out_of_memory", "cannot start a thread");
}

/* --- for everybody ------------------------------------------------------------------------------------------------ */

enum kh_io kh_replacing_open(struct kh_replacing *r, struct kh_view packet, int channel)
{
	enum kh_io io = KH_IO_CLOSED;

	/* An executor that dies meanwhile ends the wait, so the thread does not wait long for this lock. */
	pthread_rwlock_rdlock(&r->lock);
	if (r->control >= 0)
		io = kh_channel_send_wait(r->control, packet, &channel, 1, KH_CHILD_WAIT_MS);
	pthread_rwlock_unlock(&r->lock);
	return io;
}

struct kh_replacing_state kh_replacing_state(struct kh_replacing *r)
{
	return (struct kh_replacing_state){.executor = atomic_load(&r->is_up),
					   .spawner = atomic_load(&r->has_spawner),
					   .starts = atomic_load(&r->starts),
					   .ends = atomic_load(&r->ends)};
}

static void end_thread(struct kh_replacing *r)
{
	const uint64_t one = 1;

	if (r->stop < 0)
		return;
	(void)!write(r->stop, &one, sizeof(one));
	pthread_join(r->thread, NULL);
	close(r->stop);
}

void kh_replacing_free(struct kh_replacing *r)
{
	if (r == NULL)
		return;
	end_thread(r);
	if (r->control >= 0) {
		(void)kh_child_hang_up(r->control);
		close(exchange_control(r, -1));
	}
	/* The spawner ends when its channel is closed and no executor is left. */
	if (r->spawner >= 0)
		close(r->spawner);
	if (r->spawner_pid > 0)
		(void)kh_child_wait(r->spawner_pid);
	pthread_rwlock_destroy(&r->lock);
	kh_alloc_free(&kh_alloc_system, r, sizeof(*r));
}
