/*
 * The spawner's loop: one channel, one executor.  Trusts the gateway that started it, and checks its messages all the
 * same: a gateway that sends anything but SPAWN is treated as gone.
 */
#include "outside/spawner.h"

#include "base/clock.h"
#include "outside/child.h"
#include "wire/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_STARTED (127 << 8) /* the wait status of a child that could not execute the program */
#define FAREWELL_MS 5000       /* for the executor to end by itself after the gateway has */
#define PATIENCE_MS 12000      /* for all children; the keeper of the cgroups gives up by itself before that */

struct spawner {
	int executor; /* its pid; -1: there is none */
	int ends;     /* a signalfd: children that have ended */
	enum kh_message_state state;
	char buffer[KH_MESSAGE_MAX];
};

static void harden(void)
{
	struct rlimit none = {1, 1};

	prctl(PR_SET_NAME, "keyhole-spawn");
	prctl(PR_SET_DUMPABLE, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	setrlimit(RLIMIT_CORE, &none);
}

static bool take_ends(struct spawner *s)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	s->ends = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return s->ends >= 0 && sigprocmask(SIG_BLOCK, &set, NULL) == 0;
}

/* The executor has ended with wait STATUS.  A gateway that does not take the message is gone, and the loop ends. */
static void report(struct spawner *s, int status)
{
	char buffer[64];
	struct kh_message_out out;

	s->executor = -1;
	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_EXITED);
	kh_message_number(&out, KH_FIELD_STATUS, (uint64_t)status & 0xffff);
	(void)!kh_channel_say(KH_CHANNEL_INHERITED, &out, NULL, 0);
}

/* Waits for the children that have ended; false if there is no child left. */
static bool reap(struct spawner *s)
{
	struct signalfd_siginfo info;
	int status, pid;

	while (read(s->ends, &info, sizeof(info)) > 0)
		;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (pid == s->executor)
			report(s, status);
	return pid == 0;
}

static void end_executor(struct spawner *s)
{
	if (s->executor > 0 && kill(s->executor, SIGKILL) == 0)
		report(s, kh_child_wait(s->executor));
}

static void start_executor(struct spawner *s, int channel)
{
	const struct kh_child child = {
		.command = "executor", .file = KH_CHILD_PROGRAM, .channel = channel, .other = -1};

	end_executor(s);
	s->executor = kh_child_start(&child);
	close(channel);
	if (s->executor < 0)
		report(s, NOT_STARTED);
}

/* Takes what the gateway sent; false if it is gone. */
static bool take_messages(struct spawner *s)
{
	for (;;) {
		int fds[KH_MESSAGE_FDS];
		size_t count = 0;
		struct kh_view packet;
		struct kh_message message;
		enum kh_io io = kh_channel_receive(KH_CHANNEL_INHERITED, s->buffer, &packet, fds, &count);

		if (io == KH_IO_AGAIN)
			return true;
		if (io != KH_IO_DONE || kh_message_read(packet, count, &s->state, &message, NULL) != KH_OK)
			return false;
		start_executor(s, fds[0]);
	}
}

static bool send_ready(void)
{
	char buffer[64];
	struct kh_message_out out;

	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_READY);
	kh_message_number(&out, KH_FIELD_PROTOCOL, KH_MESSAGE_VERSION);
	return kh_channel_say(KH_CHANNEL_INHERITED, &out, NULL, 0) == KH_IO_DONE;
}

static void serve(struct spawner *s)
{
	struct pollfd fds[] = {{.fd = KH_CHANNEL_INHERITED, .events = POLLIN}, {.fd = s->ends, .events = POLLIN}};

	do {
		(void)reap(s);
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return;
	} while (take_messages(s));
}

/* The gateway is gone, so the executor ends by itself.  Waits for it, and for what else is left. */
static void wait_for_all(struct spawner *s)
{
	struct pollfd fd = {.fd = s->ends, .events = POLLIN};
	int64_t begun = kh_clock_ms();

	while (reap(s) && kh_clock_ms() < begun + PATIENCE_MS) {
		if (kh_clock_ms() >= begun + FAREWELL_MS)
			end_executor(s);
		(void)poll(&fd, 1, 100);
	}
}

int kh_spawner_main(void)
{
	static struct spawner s = {.executor = -1, .state = KH_STATE_SPAWNER};

	if (fcntl(KH_CHANNEL_INHERITED, F_SETFL, O_NONBLOCK) < 0 || fcntl(KH_CHILD_PROGRAM, F_SETFD, FD_CLOEXEC) < 0) {
		fputs("keyhole: spawner: it is started by keyhole itself\n", stderr);
		return 2;
	}
	fcntl(KH_CHANNEL_INHERITED, F_SETFD, FD_CLOEXEC);
	harden();
	if (!take_ends(&s) || !send_ready())
		return 1;
	serve(&s);
	wait_for_all(&s);
	return 0;
}
