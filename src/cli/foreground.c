/*
 * What `sandbox run` and `sandbox fetch` add to a conversation (outside/converse.h): standard input, two terminals,
 * signals.
 *
 * Standard input is not made non-blocking, because other processes share its file description: it is read when poll
 * says that there is something.  Output is written a piece at a time, when there is room.
 */
#include "cli/foreground.h"

#include "home/confine.h"

#include <errno.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* Reads a piece of input.  Input that was never open for reading (as with nohup(1)) counts as empty. */
static void fill(struct kh_foreground *s)
{
	ssize_t n = read(s->input, s->piece, sizeof(s->piece));

	if (n > 0)
		s->talk.unsent[0] = kh_view_of(s->piece, (size_t)n);
	else if (n == 0 || errno == EBADF)
		s->input = -1;
	else if (errno != EINTR && errno != EAGAIN)
		s->error = errno;
	s->talk.more = s->input >= 0;
}

static bool is_signalled(struct kh_foreground *s)
{
	struct signalfd_siginfo info;

	if (read(s->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return false;
	s->caught = (int)info.ssi_signo;
	return true;
}

static bool is_idle(const struct kh_foreground *s)
{
	return kh_terminal_is_idle(&s->out) && kh_terminal_is_idle(&s->errors);
}

enum { SIGNALS, INPUT, OUT, ERRORS, WATCHED };

_Static_assert(WATCHED <= KH_CONVERSE_COMPANY, "room for all");

/* poll ignores a negative descriptor. */
static size_t watch(void *context, struct pollfd *ret_fds)
{
	const struct kh_foreground *s = context;

	ret_fds[SIGNALS] = (struct pollfd){s->signals, POLLIN, 0};
	ret_fds[INPUT] = (struct pollfd){s->talk.more && s->talk.unsent[0].n == 0 ? s->input : -1, POLLIN, 0};
	ret_fds[OUT] = (struct pollfd){kh_terminal_is_idle(&s->out) ? -1 : s->out.fd, POLLOUT, 0};
	ret_fds[ERRORS] = (struct pollfd){kh_terminal_is_idle(&s->errors) ? -1 : s->errors.fd, POLLOUT, 0};
	return WATCHED;
}

static bool serve(void *context, const struct pollfd *fds)
{
	struct kh_foreground *s = context;

	if (fds[SIGNALS].revents != 0 && is_signalled(s))
		return false;
	if (fds[INPUT].revents != 0)
		fill(s);
	if (fds[OUT].revents != 0)
		kh_terminal_pump(&s->out);
	if (fds[ERRORS].revents != 0)
		kh_terminal_pump(&s->errors);
	s->talk.deaf = !is_idle(s);
	return s->out.error == 0 && s->errors.error == 0 && s->error == 0;
}

static void take(void *context, const struct kh_event *event)
{
	struct kh_foreground *s = context;

	s->take(s->context, event);
	s->talk.deaf = !is_idle(s); /* take the next event when this one is written */
}

static const struct kh_converse_company company = {.watch = watch, .serve = serve, .take = take};

/* Sets up all but the request.  False: errno. */
static bool init(struct kh_foreground *s, bool raw)
{
	sigset_t set = kh_frame_heeded();

	kh_terminal_init(&s->out, STDOUT_FILENO, raw);
	kh_terminal_init(&s->errors, STDERR_FILENO, raw);
	s->talk.company = &company;
	s->talk.context = s;
	s->talk.more = s->input >= 0;
	signal(SIGPIPE, SIG_IGN); /* then a closed reader is an error of write(2) */
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return s->signals >= 0 && sigprocmask(SIG_BLOCK, &set, NULL) == 0;
}

/* Writes what is left of the output; returns false like serve(). */
static bool finish(struct kh_foreground *s)
{
	struct pollfd fds[WATCHED];
	bool stays = true;
	sigset_t set = kh_frame_heeded();

	s->talk.more = false;
	kh_terminal_end(&s->out);
	kh_terminal_end(&s->errors);
	while (stays && !is_idle(s)) {
		size_t n = watch(s, fds);
		stays = poll(fds, n, -1) <= 0 || serve(s, fds);
	}
	/* There is nothing left to cancel, and the signals are not read any more: unblock them, so that they end the
	 * process even if nobody reads its output. */
	if (stays)
		sigprocmask(SIG_UNBLOCK, &set, NULL);
	return stays;
}

/* Reports output that cannot be written or input that cannot be read; returns the exit status.  If only the reader of
 * the output has closed it, there is nothing to say: the status is that of any program. */
static int lose(const struct kh_foreground *s, struct kh_frame *f, int failed)
{
	int error = s->out.error != 0 ? s->out.error : s->errors.error;

	if (error == EPIPE)
		return 128 + SIGPIPE;
	kh_error_set(&f->err, KH_EINPUT, error == 0 ? "input_lost" : "output_lost", "%s",
		     strerror(error != 0 ? error : s->error));
	kh_frame_fail(f);
	return failed;
}

static int converse(struct kh_foreground *s, struct kh_frame *f, int failed)
{
	/* The conversation keeps nothing; the command itself reports that it lacks memory. */
	(void)!kh_converse_run(&s->talk);
	if (s->talk.how == KH_CONVERSE_ENDED && finish(s))
		return s->finish(s->context, &s->talk.end);
	if (s->talk.how != KH_CONVERSE_UNMADE)
		return s->caught != 0 ? 128 + s->caught : lose(s, f, failed);
	f->err = s->talk.err;
	kh_frame_fail(f);
	return failed;
}

int kh_foreground_run(struct kh_foreground *foreground, struct kh_frame *f, bool raw, int failed)
{
	struct kh_client client;
	int status = failed;
	enum kh_err e = kh_client_start(&client, &(struct kh_client_settings){0}, &f->err);

	if (e != KH_OK) {
		kh_frame_fail(f);
		return failed;
	}
	foreground->talk.client = &client;
	foreground->talk.arena = &f->arena;
	/* Whether outputs are terminals is checked before lockdown; signals are blocked after the executor was
	 * started. */
	e = init(foreground, raw) ? kh_confine_all(&f->err)
				  : kh_error_set(&f->err, KH_EREFUSED, "sandbox_failed", "%s", strerror(errno));
	if (e == KH_OK)
		status = converse(foreground, f, failed);
	else
		kh_frame_fail(f);
	kh_client_stop(&client);
	return status;
}
