/*
 * The loop of `sandbox run` and `sandbox fetch`.
 *
 * Standard input stays as it is (other processes share its file description, so it must not become non-blocking): it is
 * read when poll says that there is something.  Output is written a piece at a time, when there is room.
 */
#include "cli/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

void kh_stream_reserve(void)
{
	int fd;

	/* Readable only: what is written to an output that was not there fails, and is reported. */
	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* The signals that cancel, but those that whoever started us wants ignored: nohup(1), a shell's background jobs. */
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

bool kh_stream_init(struct kh_stream *stream, int input, bool raw)
{
	sigset_t set;

	choose_signals(&set);
	kh_terminal_init(&stream->out, STDOUT_FILENO, raw);
	kh_terminal_init(&stream->errors, STDERR_FILENO, raw);
	stream->input = input;
	stream->is_open = input >= 0;
	stream->caught = 0;
	stream->error = 0;
	stream->from = stream->to = 0;
	signal(SIGPIPE, SIG_IGN); /* a reader that went away is an error of write(2) */
	stream->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return stream->signals >= 0 && sigprocmask(SIG_BLOCK, &set, NULL) == 0;
}

/* Reads a piece of input.  One that was never open for reading (nohup(1) makes such) has nothing to say. */
static void fill(struct kh_stream *s)
{
	ssize_t n = read(s->input, s->piece, sizeof(s->piece));

	if (n > 0) {
		s->from = 0;
		s->to = (size_t)n;
	} else if (n == 0 || errno == EBADF) {
		s->input = -1;
	} else if (errno != EINTR && errno != EAGAIN) {
		s->error = errno;
	}
}

static void feed(struct kh_stream *s)
{
	s->from += kh_exchange_feed(&s->exchange, kh_view_of(s->piece + s->from, s->to - s->from));
	if (s->from == s->to && s->input < 0)
		s->is_open = !kh_exchange_feed_end(&s->exchange);
}

static bool is_signalled(struct kh_stream *s)
{
	struct signalfd_siginfo info;

	if (read(s->signals, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return false;
	s->caught = (int)info.ssi_signo;
	return true;
}

enum { SIGNALS, INPUT, OUT, ERRORS, EXCHANGE, POLLED };

/* Waits until something can be done, and does all that can be but reading the exchange. */
static enum kh_stream_step turn(struct kh_stream *s, bool listens, int timeout_ms)
{
	bool idle = kh_terminal_is_idle(&s->out) && kh_terminal_is_idle(&s->errors);
	bool unsent = s->is_open && (s->from < s->to || s->input < 0);
	short wanted = (short)((listens && idle ? POLLIN : 0) | (unsent ? POLLOUT : 0));
	/* A negative descriptor is not looked at.  One that has hung up would be reported for ever. */
	struct pollfd fds[POLLED] = {
		[SIGNALS] = {s->signals, POLLIN, 0},
		[INPUT] = {s->is_open && !unsent ? s->input : -1, POLLIN, 0},
		[OUT] = {kh_terminal_is_idle(&s->out) ? -1 : s->out.fd, POLLOUT, 0},
		[ERRORS] = {kh_terminal_is_idle(&s->errors) ? -1 : s->errors.fd, POLLOUT, 0},
		[EXCHANGE] = {wanted != 0 ? s->exchange.fd : -1, wanted, 0},
	};

	if (poll(fds, POLLED, timeout_ms) <= 0)
		return KH_STREAM_EVENT;
	if (fds[SIGNALS].revents != 0 && is_signalled(s))
		return KH_STREAM_SIGNAL;
	if (fds[INPUT].revents != 0)
		fill(s);
	if (fds[OUT].revents != 0)
		kh_terminal_pump(&s->out);
	if (fds[ERRORS].revents != 0)
		kh_terminal_pump(&s->errors);
	if (unsent && fds[EXCHANGE].revents != 0)
		feed(s);
	return s->out.error != 0 || s->errors.error != 0 || s->error != 0 ? KH_STREAM_LOST : KH_STREAM_EVENT;
}

enum kh_stream_step kh_stream_next(struct kh_stream *stream, struct kh_event *ret_event)
{
	/* A look round first: an exchange that always has something to say must not keep signals and input waiting. */
	enum kh_stream_step step = turn(stream, true, 0);

	while (step == KH_STREAM_EVENT) {
		if (kh_terminal_is_idle(&stream->out) && kh_terminal_is_idle(&stream->errors)) {
			kh_exchange_next(&stream->exchange, 0, ret_event);
			if (ret_event->kind != KH_EVENT_NOTHING)
				return KH_STREAM_EVENT;
		}
		step = turn(stream, true, -1);
	}
	return step;
}

enum kh_stream_step kh_stream_finish(struct kh_stream *stream)
{
	enum kh_stream_step step = KH_STREAM_EVENT;
	sigset_t set;

	stream->is_open = false;
	kh_terminal_end(&stream->out);
	kh_terminal_end(&stream->errors);
	while (step == KH_STREAM_EVENT && (!kh_terminal_is_idle(&stream->out) || !kh_terminal_is_idle(&stream->errors)))
		step = turn(stream, false, -1);
	/* There is nothing left to cancel, and nobody looks for signals any more: they end us, whoever does not read.
	 */
	if (step == KH_STREAM_EVENT) {
		choose_signals(&set);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
	}
	return step;
}
