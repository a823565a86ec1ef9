/*
 * Starts a process of this program.  Between fork and execve only async-signal-safe calls are used: a lock that was held
 * at the fork is never released in the child.
 */
#include "outside/child.h"

#include "wire/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_FOUND 127 /* exit status of a child that could not execute the program */

static bool set_signals(void)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t none;

	/* The C library reserves a few signals and refuses to change them; those are at their defaults. */
	for (int number = 1; number < NSIG; number++)
		(void)sigaction(number, &action, NULL);
	return sigemptyset(&none) == 0 && sigprocmask(SIG_SETMASK, &none, NULL) == 0;
}

/* True if the process has no standard error: FD 2 is closed, or one of ours. */
static bool has_no_errors(const struct kh_child *child)
{
	return child->channel == STDERR_FILENO || child->other == STDERR_FILENO || child->file == STDERR_FILENO ||
	       fcntl(STDERR_FILENO, F_GETFD) < 0;
}

static bool set_descriptors(const struct kh_child *child)
{
	bool no_errors = has_no_errors(child);
	/* Move ours out of the way first: if this process has no standard streams, they have the numbers of those. */
	int channel = fcntl(child->channel, F_DUPFD_CLOEXEC, KH_CHILD_PROGRAM + 1);
	int file = child->file < 0 ? -1 : fcntl(child->file, F_DUPFD_CLOEXEC, KH_CHILD_PROGRAM + 1);
	int nowhere = open("/dev/null", O_RDWR);
	unsigned first = KH_CHANNEL_INHERITED + 1;

	if (channel < 0 || nowhere < 0 || dup2(nowhere, STDIN_FILENO) < 0 || dup2(nowhere, STDOUT_FILENO) < 0 ||
	    (no_errors && dup2(nowhere, STDERR_FILENO) < 0) || dup2(channel, KH_CHANNEL_INHERITED) < 0)
		return false;
	if (child->file >= 0) {
		/* Whoever is executed from this descriptor does not keep it. */
		if (file < 0 || dup3(file, KH_CHILD_PROGRAM, child->path == NULL ? O_CLOEXEC : 0) < 0)
			return false;
		first = KH_CHILD_PROGRAM + 1;
	}
	return syscall(SYS_close_range, first, ~0U, 0) == 0;
}

_Noreturn static void become(const struct kh_child *child)
{
	static char name[] = "keyhole";
	/* execve does not change its arguments, but its type does not say so. */
	union {
		const char *in;
		char *out;
	} command = {.in = child->command};
	char *argv[] = {name, command.out, NULL}, *environ_of_nothing[] = {NULL};

	/* A session of its own, so that signals of this process's terminal reach only this process, which then closes. */
	if (setsid() >= 0 && set_descriptors(child) && set_signals()) {
		if (child->path != NULL)
			execve(child->path, argv, environ_of_nothing);
		else
			syscall(SYS_execveat, KH_CHILD_PROGRAM, "", argv, environ_of_nothing, AT_EMPTY_PATH);
	}
	_exit(NOT_FOUND);
}

int kh_child_start(const struct kh_child *child)
{
	sigset_t all, before;

	/* No signal handler of this process runs in the child: signals are blocked until the child has reset them. */
	if (sigfillset(&all) < 0 || sigprocmask(SIG_SETMASK, &all, &before) < 0)
		return -1;
	int pid = fork();
	if (pid == 0)
		become(child);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}

int kh_child_wait(int pid)
{
	int status = 0, done;

	do
		done = waitpid(pid, &status, 0);
	while (done < 0 && errno == EINTR);
	return done < 0 ? -1 : status;
}

enum kh_err kh_child_explain(const char *what, int status, enum kh_err e, struct kh_error *err)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
		return kh_error_set(err, KH_EREFUSED, "executor_start", "the program could not be executed");
	if (WIFEXITED(status))
		return kh_error_set(err, KH_EREFUSED, "executor_start", "the %s ended with status %d", what,
				    WEXITSTATUS(status));
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
		return kh_error_set(err, KH_EREFUSED, "executor_start", "the %s was ended by signal %d", what,
				    WTERMSIG(status));
	return e;
}

enum kh_err kh_child_greet(int control, unsigned pool, struct kh_error *err)
{
	char buffer[64];
	struct kh_message_out out;
	struct kh_view packet;

	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_HELLO);
	kh_message_number(&out, KH_FIELD_PROTOCOL, KH_MESSAGE_VERSION);
	kh_message_number(&out, KH_FIELD_POOL, pool);
	if (kh_message_end(&out, &packet) != KH_OK)
		return kh_error_set(err, KH_ELIMIT, "executor_start", "a pool of %u is too large", pool);
	(void)!kh_channel_send(control, packet, NULL, 0);
	return KH_OK;
}

enum kh_err kh_child_hear(const char *what, int channel, int timeout_ms, struct kh_error *err)
{
	enum kh_message_state state = KH_STATE_PARENT_CONTROL;
	char buffer[KH_MESSAGE_MAX];
	struct kh_message message;
	enum kh_io io = kh_channel_hear(channel, buffer, &state, timeout_ms, &message, NULL);

	if (io == KH_IO_AGAIN)
		return kh_error_set(err, KH_EREFUSED, "executor_start", "the %s did not answer", what);
	if (io == KH_IO_CLOSED)
		return kh_error_set(err, KH_EREFUSED, "executor_start", "the %s ended before it was ready", what);
	if (io != KH_IO_DONE ||
	    (message.has[KH_FIELD_PROTOCOL] && message.number[KH_FIELD_PROTOCOL] != KH_MESSAGE_VERSION))
		return kh_error_set(err, KH_EREFUSED, "executor_start", "what answered is not an %s of this version",
				    what);
	return KH_OK;
}

bool kh_child_hang_up(int channel)
{
	/* A hang-up of the other end is reported in any case.  A gateway has only poll after its lockdown, no pidfd. */
	struct pollfd poll_fd = {.fd = channel};
	int ready;

	(void)shutdown(channel, SHUT_WR);
	do
		ready = poll(&poll_fd, 1, KH_CHILD_WAIT_MS);
	while (ready < 0 && errno == EINTR);
	return ready > 0;
}
