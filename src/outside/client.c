/*
 * Starts an executor and opens requests with it.
 *
 * The child that becomes the executor gets as little as possible: one channel, standard error, and nothing that this
 * process had open, blocked, ignored or in its environment.  The executor is trusted to do its work, but it may be dead
 * at any moment.
 */
#include "outside/client.h"

#include "wire/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAIT_MS   10000 /* for an executor to be ready, to take a request, or to end */
#define NOT_FOUND 127   /* exit status of a child that could not become the executor */

/* Only async-signal-safe calls from here to execve: a lock that was held at the fork is never released in the child. */

static bool set_signals(void)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	sigset_t none;

	/* The C library reserves a few signals and refuses to change them; those are at their defaults. */
	for (int number = 1; number < NSIG; number++)
		(void)sigaction(number, &action, NULL);
	return sigemptyset(&none) == 0 && sigprocmask(SIG_SETMASK, &none, NULL) == 0;
}

static bool set_descriptors(int channel, int other)
{
	/* Move the channel out of the way first: if this process has no standard streams, the channel has one of their
	   numbers. */
	int high = fcntl(channel, F_DUPFD_CLOEXEC, KH_CHANNEL_INHERITED + 1);
	int nowhere = open("/dev/null", O_RDWR);

	if (high < 0 || nowhere < 0 || dup2(nowhere, STDIN_FILENO) < 0 || dup2(nowhere, STDOUT_FILENO) < 0)
		return false;
	bool no_errors = channel == STDERR_FILENO || other == STDERR_FILENO || fcntl(STDERR_FILENO, F_GETFD) < 0;
	if (no_errors && dup2(nowhere, STDERR_FILENO) < 0)
		return false;
	return dup2(high, KH_CHANNEL_INHERITED) >= 0 && syscall(SYS_close_range, KH_CHANNEL_INHERITED + 1, ~0U, 0) == 0;
}

_Noreturn static void become_executor(const char *program, const int channel[2])
{
	static char name[] = "keyhole", command[] = "executor";
	char *argv[] = {name, command, NULL}, *environ_of_nothing[] = {NULL};

	/*
	 * A session of its own, so that signals of this process's terminal reach only this process, which then closes.
	 */
	if (setsid() >= 0 && set_descriptors(channel[1], channel[0]) && set_signals())
		execve(program, argv, environ_of_nothing);
	_exit(NOT_FOUND);
}

/* The child's pid, or -1.  No signal handler of this process runs in the child, because signals are blocked until the
 * child has reset them. */
static int start_child(const char *program, const int channel[2])
{
	sigset_t all, before;

	if (sigfillset(&all) < 0 || sigprocmask(SIG_SETMASK, &all, &before) < 0)
		return -1;
	int pid = fork();
	if (pid == 0)
		become_executor(program, channel);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}

/*
 * The wait status of child PID; blocks until it has ended.  -1 if it is unknown because this process ignores SIGCHLD.
 */
static int wait_child(int pid)
{
	int status = 0, done;

	do
		done = waitpid(pid, &status, 0);
	while (done < 0 && errno == EINTR);
	return done < 0 ? -1 : status;
}

static enum kh_err say_hello(int control, unsigned pool, struct kh_error *err)
{
	char buffer[KH_MESSAGE_MAX];
	struct kh_message_out out;
	struct kh_view packet;

	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_HELLO);
	kh_message_number(&out, KH_FIELD_PROTOCOL, KH_MESSAGE_VERSION);
	kh_message_number(&out, KH_FIELD_POOL, pool);
	if (kh_message_end(&out, &packet) != KH_OK)
		return kh_error_set(err, KH_ELIMIT, "executor_start", "a pool of %u is too large", pool);
	/* If the child is gone already, the wait for its answer reports that. */
	(void)!kh_channel_send(control, packet, NULL, 0);
	return KH_OK;
}

static enum kh_err hear_ready(int control, struct kh_error *err)
{
	enum kh_message_state state = KH_STATE_PARENT_CONTROL;
	char buffer[KH_MESSAGE_MAX];
	struct kh_message message;
	enum kh_io io = kh_channel_hear(control, buffer, &state, WAIT_MS, &message, NULL);

	if (io == KH_IO_AGAIN)
		return kh_error_set(err, KH_EREFUSED, "executor_start", "the executor did not answer");
	if (io == KH_IO_CLOSED)
		return kh_error_set(err, KH_EREFUSED, "executor_start", "the executor ended before it was ready");
	if (io != KH_IO_DONE ||
	    (message.has[KH_FIELD_PROTOCOL] && message.number[KH_FIELD_PROTOCOL] != KH_MESSAGE_VERSION))
		return kh_error_set(err, KH_EREFUSED, "executor_start",
				    "what answered is not an executor of this version");
	return KH_OK;
}

/* After a failed start: makes sure that no child is left, and adds to the error how it ended, if it ended by itself. */
static enum kh_err give_up(int pid, enum kh_err e, struct kh_error *err)
{
	kill(pid, SIGKILL); /* no effect if it has ended already */
	int status = wait_child(pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
		return kh_error_set(err, KH_EREFUSED, "executor_start", "the program could not be executed");
	if (WIFEXITED(status))
		return kh_error_set(err, KH_EREFUSED, "executor_start", "the executor ended with status %d",
				    WEXITSTATUS(status));
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
		return kh_error_set(err, KH_EREFUSED, "executor_start", "the executor was ended by signal %d",
				    WTERMSIG(status));
	return e;
}

enum kh_err kh_client_start(struct kh_client *client, const struct kh_client_settings *settings, struct kh_error *err)
{
	const char *program = settings != NULL && settings->program != NULL ? settings->program : "/proc/self/exe";
	int channel[2];

	*client = (struct kh_client){.control = -1, .pid = -1};
	enum kh_err e = kh_channel_pair(channel, err);
	if (e != KH_OK)
		return e;
	int pid = start_child(program, channel);
	if (pid < 0)
		e = kh_error_set(err, KH_EREFUSED, "executor_start", "no process can be made: %m");
	close(channel[1]);
	if (e != KH_OK) {
		close(channel[0]);
		return e;
	}
	if ((e = say_hello(channel[0], settings != NULL ? settings->pool : 0, err)) != KH_OK ||
	    (e = hear_ready(channel[0], err)) != KH_OK) {
		e = give_up(pid, e, err);
		close(channel[0]); /* after the kill, so that a waiting child does not end by itself */
		return e;
	}
	*client = (struct kh_client){.control = channel[0], .pid = pid};
	return KH_OK;
}

/*
 * Closes CONTROL for writing and waits up to WAIT_MS until the other end is gone too.  Uses only what a gateway still
 * has after its lockdown: poll, and no pidfd.
 */
static bool hang_up(int control)
{
	struct pollfd poll_fd = {.fd = control}; /* a hang-up of the other end is reported in any case */
	int ready;

	(void)shutdown(control, SHUT_WR);
	do
		ready = poll(&poll_fd, 1, WAIT_MS);
	while (ready < 0 && errno == EINTR);
	return ready > 0;
}

void kh_client_stop(struct kh_client *client)
{
	if (client->control >= 0) {
		/* If this process may not kill it any more, it is left alone. */
		if (hang_up(client->control) || kill(client->pid, SIGKILL) == 0)
			wait_child(client->pid);
		close(client->control);
	}
	*client = (struct kh_client){.control = -1, .pid = -1};
}

/*
 * Opens a request whose first message is REQUEST.  The message is written before the executor gets the channel, so that
 * it is there from the beginning.  If the executor does not take the channel, its end is closed here and the exchange
 * is lost.
 */
static enum kh_err open_request(const struct kh_client *client, struct kh_view request, enum kh_message_state state,
				bool fed, struct kh_exchange *ret_exchange, struct kh_error *err)
{
	char buffer[KH_MESSAGE_HEADER];
	struct kh_message_out out;
	struct kh_view packet;
	int channel[2];

	enum kh_err e = kh_channel_pair(channel, err);
	if (e != KH_OK)
		return e;
	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_OPEN);
	if (kh_channel_send(channel[0], request, NULL, 0) != KH_IO_DONE || kh_message_end(&out, &packet) != KH_OK) {
		close(channel[0]);
		close(channel[1]);
		return kh_error_set(err, KH_EREFUSED, "channel", "the request cannot be sent");
	}
	if (client->control >= 0)
		(void)!kh_channel_send_wait(client->control, packet, &channel[1], 1, WAIT_MS);
	close(channel[1]);
	kh_exchange_init(ret_exchange, channel[0], state, fed);
	return KH_OK;
}

enum kh_err kh_client_run(const struct kh_client *client, const struct kh_run *run, struct kh_exchange *ret_exchange,
			  struct kh_error *err)
{
	char buffer[KH_MESSAGE_MAX];
	struct kh_view request;

	enum kh_err e = kh_request_write_run(run, buffer, &request, err);
	return e != KH_OK ? e : open_request(client, request, KH_STATE_PARENT_RUN, false, ret_exchange, err);
}

enum kh_err kh_client_fetch(const struct kh_client *client, const struct kh_fetch *fetch,
			    struct kh_exchange *ret_exchange, struct kh_error *err)
{
	char buffer[KH_MESSAGE_MAX];
	struct kh_view request;
	bool fed = fetch->method == KH_METHOD_GET; /* a GET has no body */

	enum kh_err e = kh_request_write_fetch(fetch, buffer, &request, err);
	if (e == KH_OK)
		e = open_request(client, request, KH_STATE_PARENT_FETCH, fed, ret_exchange, err);
	explicit_bzero(buffer, sizeof(buffer)); /* a header can be a key */
	return e;
}
