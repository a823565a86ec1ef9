/*
 * What `sandbox run` and `sandbox fetch` add to a conversation (outside/converse.h): standard input, two terminals,
 * signals.
 *
 * Standard input is not made non-blocking, because other processes share its file description: it is read when poll
 * says that there is something.  Output is written a piece at a time, when there is room.
 */
#include "cli/foreground.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

void kh_foreground_reserve(void)
{
	int fd;

	/* Read-only, so that writing to an output that was not open fails, and is reported. */
	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* Chooses the signals that cancel, except those that our parent wants ignored: nohup(1), a shell's background jobs. */
static void choose_signals(sigset_t *ret_set)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

	sigemptyset(ret_set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct sigaction now;
		if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			sigaddset(ret_set, signals[i]);
	}
}

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

bool kh_foreground_init(struct kh_foreground *foreground, int input, bool raw)
{
	sigset_t set;

	choose_signals(&set);
	kh_terminal_init(&foreground->out, STDOUT_FILENO, raw);
	kh_terminal_init(&foreground->errors, STDERR_FILENO, raw);
	foreground->talk.company = &company;
	foreground->talk.context = foreground;
	foreground->talk.more = input >= 0;
	foreground->input = input;
	foreground->caught = 0;
	foreground->error = 0;
	signal(SIGPIPE, SIG_IGN); /* then a closed reader is an error of write(2) */
	foreground->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return foreground->signals >= 0 && sigprocmask(SIG_BLOCK, &set, NULL) == 0;
}

/* Writes what is left of the output; returns false like serve(). */
static bool finish(struct kh_foreground *s)
{
	struct pollfd fds[WATCHED];
	bool stays = true;
	sigset_t set;

	s->talk.more = false;
	kh_terminal_end(&s->out);
	kh_terminal_end(&s->errors);
	while (stays && !is_idle(s)) {
		size_t n = watch(s, fds);
		stays = poll(fds, n, -1) <= 0 || serve(s, fds);
	}
	/* There is nothing left to cancel, and the signals are not read any more: unblock them, so that they end the
	 * process even if nobody reads its output. */
	if (stays) {
		choose_signals(&set);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
	}
	return stays;
}

enum kh_foreground_end kh_foreground_run(struct kh_foreground *foreground)
{
	/* The conversation keeps nothing; the command itself reports that it lacks memory. */
	(void)!kh_converse_run(&foreground->talk);
	if (foreground->talk.how == KH_CONVERSE_UNMADE)
		return KH_FOREGROUND_UNMADE;
	if (foreground->talk.how == KH_CONVERSE_ENDED && finish(foreground))
		return KH_FOREGROUND_ENDED;
	return foreground->caught != 0 ? KH_FOREGROUND_SIGNAL : KH_FOREGROUND_LOST;
}

int kh_foreground_lost(const struct kh_foreground *foreground, const char *name, int failed)
{
	int error = foreground->out.error != 0 ? foreground->out.error : foreground->errors.error;

	if (error == EPIPE)
		return 128 + SIGPIPE;
	const char *code = error == 0 ? "input_lost" : "output_lost";
	fprintf(stderr, "keyhole: %s: %s: %s\n", name, code, strerror(error != 0 ? error : foreground->error));
	return failed;
}
