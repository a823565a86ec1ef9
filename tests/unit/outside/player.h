/*
 * An executor that is played by the test program itself, started as the client starts `keyhole executor`; which part it
 * plays is told by the pool that it is asked for.  And what tests of its parent share.
 */
#ifndef KH_TEST_OUTSIDE_PLAYER_H
#define KH_TEST_OUTSIDE_PLAYER_H

#include "harness.h"

#include "outside/client.h"
#include "outside/spawner.h"
#include "wire/channel.h"
#include "wire/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum part {
	PART_ECHO = 1,    /* an executor: gives back what it is sent */
	PART_REPORT,      /* the same, and puts out what it was started with */
	PART_LEAVES,      /* ends before it is ready */
	PART_CRASHES,     /* is ended by a signal before it is ready */
	PART_GARBAGE,     /* sends what is no message */
	PART_OTHER,       /* speaks another version */
	PART_OFFERS,      /* READY with a descriptor */
	PART_DIES_AT_RUN, /* gets a request and dies of it */
	PART_DIES_LATER,  /* dies after some output */
	PART_DEAF,        /* is ready, and gone at once */
	PART_SERVERS,     /* runs servers, many at once; what each does is its first argument */
	PARTS
};

static char buffer[KH_MESSAGE_MAX];
static const char *program; /* this one; by name, for valgrind's sake, to which /proc/self/exe is another */

/* --- the executor's side ------------------------------------------------------------------------------------------ */

static _Noreturn void fail_part(int line)
{
	fprintf(stderr, "executor: line %d\n", line);
	_exit(100);
}

#define NEED(condition) ((condition) ? (void)0 : fail_part(__LINE__))

static bool hear(int fd, enum kh_message_state *state, struct kh_message *ret_message, int *ret_fd)
{
	struct kh_view packet;
	int fds[KH_MESSAGE_FDS];
	size_t count = 0;
	enum kh_io io = kh_channel_receive_wait(fd, buffer, &packet, fds, &count, -1);

	if (io == KH_IO_CLOSED)
		return false;
	NEED(io == KH_IO_DONE);
	NEED(kh_message_read(packet, count, state, ret_message, NULL) == KH_OK);
	if (count > 0)
		*ret_fd = fds[0];
	return true;
}

static void say(int fd, struct kh_message_out *out, const int *fds, size_t count)
{
	struct kh_view packet;

	NEED(kh_message_end(out, &packet) == KH_OK);
	NEED(kh_channel_send_wait(fd, packet, fds, count, -1) != KH_IO_BROKEN);
}

static void say_bulk(int fd, enum kh_message_type type, struct kh_view bytes)
{
	static char text[KH_MESSAGE_MAX];
	struct kh_message_out out;

	kh_message_begin(&out, text, sizeof(text), type);
	kh_message_bulk(&out, bytes);
	say(fd, &out, NULL, 0);
}

static void say_number(int fd, enum kh_message_type type, enum kh_message_field field, uint64_t value, const int *fds,
		       size_t n)
{
	char text[64];
	struct kh_message_out out;

	kh_message_begin(&out, text, sizeof(text), type);
	kh_message_number(&out, field, value);
	say(fd, &out, fds, n);
}

/* What a process was started with, a line each. */
static struct kh_view report(int argc, char **argv, char **environment)
{
	static char text[4096];
	struct kh_view at = {text, 0};
	sigset_t blocked;
	size_t ignored = 0, masked = 0;

#define LINE(...) at.n += (size_t)snprintf(text + at.n, sizeof(text) - at.n, __VA_ARGS__)
	LINE("argc %d %s %s\n", argc, argv[0], argv[1]);
	LINE("environment %s\n", environment[0] == NULL ? "empty" : environment[0]);
	for (int fd = 0; fd < 1024; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			LINE("fd %d\n", fd);
	for (int fd = 0; fd < 3; fd++) {
		char path[32], target[64] = {0};
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		/* Standard error is whatever the tests have. */
		if (readlink(path, target, sizeof(target) - 1) > 0 && (fd < 2 || strstr(target, "socket:") != NULL))
			LINE("%d is %s\n", fd, fd < 2 ? target : "a socket");
	}
	sigprocmask(SIG_SETMASK, NULL, &blocked);
	for (int number = 1; number < NSIG; number++) {
		struct sigaction action;
		masked += sigismember(&blocked, number) == 1;
		if (sigaction(number, NULL, &action) == 0)
			ignored += action.sa_handler == SIG_IGN;
	}
	LINE("masked %zu ignored %zu\n", masked, ignored);
	LINE("session %s\n", getsid(0) == getpid() ? "own" : "shared");
#undef LINE
	return at;
}

/* One request: a run's input comes back as output, its arguments as errors; a fetch's URL comes back in its HEAD. */
static void play_request(enum part part, int fd, struct kh_view about)
{
	enum kh_message_state state = KH_STATE_REQUEST_NEW;
	struct kh_message message;

	if (!hear(fd, &state, &message, NULL))
		return;
	if (part == PART_DIES_AT_RUN)
		_exit(0);
	if (message.type == KH_MESSAGE_FETCH) {
		say_number(fd, KH_MESSAGE_HEAD, KH_FIELD_STATUS, 200, NULL, 0);
		if (message.number[KH_FIELD_METHOD] == KH_METHOD_GET)
			state = KH_STATE_REQUEST;
		say_bulk(fd, KH_MESSAGE_OUTPUT, message.text[KH_FIELD_URL]);
	} else {
		say_bulk(fd, KH_MESSAGE_ERRORS, message.text[KH_FIELD_ARGUMENT]);
	}
	if (part == PART_REPORT)
		say_bulk(fd, KH_MESSAGE_OUTPUT, about);
	if (part == PART_DIES_LATER)
		_exit(0);
	while (state == KH_STATE_REQUEST_FED) {
		if (!hear(fd, &state, &message, NULL))
			return; /* cancelled */
		if (message.type == KH_MESSAGE_INPUT)
			say_bulk(fd, KH_MESSAGE_OUTPUT, message.bulk);
	}
	say_number(fd, KH_MESSAGE_END, KH_FIELD_FAULT, KH_FAULT_NONE, NULL, 0);
	if (part == PART_ECHO && message.type == KH_MESSAGE_FETCH)
		NEED(!hear(fd, &state, &message, NULL)); /* a GET sends nothing more, and closes */
}

/* One server, in a process of its own: `echo` gives back what it is sent; the others end at their first input. */
static _Noreturn void play_server(int fd)
{
	enum kh_message_state state = KH_STATE_REQUEST_NEW;
	struct kh_message_out out;
	struct kh_message message;
	char text[128], word[16] = "";

	NEED(hear(fd, &state, &message, NULL) && message.type == KH_MESSAGE_RUN);
	NEED(message.number[KH_FIELD_PROFILE] == KH_PROFILE_SERVER);
	memcpy(word, message.text[KH_FIELD_ARGUMENT].p, message.text[KH_FIELD_ARGUMENT].n);
	state = KH_STATE_SERVING;
	while (strcmp(word, "deaf") == 0 && !kh_channel_closed(fd))
		usleep(1000);
	while (hear(fd, &state, &message, NULL)) {
		if (message.type == KH_MESSAGE_INPUT_END || strcmp(word, "lost") == 0)
			break;
		if (message.type == KH_MESSAGE_INPUT && strcmp(word, "echo") == 0) {
			say_bulk(fd, KH_MESSAGE_OUTPUT, message.bulk);
			continue;
		}
		bool is_end = message.type == KH_MESSAGE_INPUT;
		kh_message_begin(&out, text, sizeof(text), is_end ? KH_MESSAGE_END : KH_MESSAGE_KEPT);
		if (is_end) {
			kh_message_number(&out, KH_FIELD_STATUS, 3 << 8);
			kh_message_number(&out, KH_FIELD_FAULT,
					  strcmp(word, "idle") == 0 ? KH_FAULT_IDLE : KH_FAULT_NONE);
		}
		if (!is_end) {
			kh_message_text(&out, KH_FIELD_DETAIL, KH_LIT("host:443: refused"));
			kh_message_number(&out, KH_FIELD_SENT, 77);
		}
		kh_message_text(&out, KH_FIELD_KEPT, KH_LIT("last words"));
		kh_message_number(&out, KH_FIELD_WRITTEN, 10);
		say(fd, &out, NULL, 0);
		if (is_end)
			break;
	}
	_exit(0);
}

/* Starts one; the executor must not hold its channel open. */
static void begin_server(int fd)
{
	if (fork() == 0) {
		close(3);
		play_server(fd);
	}
}

static void play_start(enum part part, int control)
{
	if (part == PART_LEAVES)
		_exit(3);
	if (part == PART_CRASHES) {
		prctl(PR_SET_DUMPABLE, 0);
		raise(SIGTERM);
	}
	if (part == PART_GARBAGE)
		NEED(kh_channel_send(control, KH_LIT("hello there"), NULL, 0) == KH_IO_DONE);
	else if (part == PART_OFFERS)
		say_number(control, KH_MESSAGE_READY, KH_FIELD_PROTOCOL, KH_MESSAGE_VERSION, &control, 1);
	else
		say_number(control, KH_MESSAGE_READY, KH_FIELD_PROTOCOL, part == PART_OTHER ? 99 : KH_MESSAGE_VERSION,
			   NULL, 0);
	if (part == PART_DEAF)
		_exit(0);
}

static int play(int argc, char **argv, char **environment)
{
	enum kh_message_state state = KH_STATE_CONTROL_NEW;
	struct kh_view about = report(argc, argv, environment);
	struct kh_message message;
	int fd = -1;

	if (!hear(3, &state, &message, NULL))
		return 101;
	NEED(message.number[KH_FIELD_PROTOCOL] == KH_MESSAGE_VERSION);
	enum part part = (enum part)message.number[KH_FIELD_POOL];
	play_start(part, 3);
	if (part == PART_SERVERS)
		signal(SIGCHLD, SIG_IGN);
	while (hear(3, &state, &message, &fd)) {
		if (part == PART_SERVERS)
			begin_server(fd);
		else
			play_request(part, fd, about);
		close(fd);
	}
	return 0; /* the parent closed */
}

/* --- the parent's side -------------------------------------------------------------------------------------------- */

static struct kh_exchange exchange __attribute__((unused));

static inline void run(struct kh_test *t, const struct kh_client *client, struct kh_exchange *ret_exchange)
{
	struct kh_run request = {.argv = {KH_LIT_INIT("/bin/cat")}, .argc = 1};

	must(t, kh_client_run(client, &request, ret_exchange, &t->err));
}

/* The rest of the exchange: its output in TEXT, and the one END. */
static inline struct kh_end finish(struct kh_exchange *from, char *text, size_t size)
{
	struct kh_event event = {0};
	size_t n = 0;

	for (;;) {
		kh_exchange_next(from, -1, &event);
		if (event.kind == KH_EVENT_END)
			break;
		struct kh_view bytes = kh_tainted_open(event.bytes);
		if (event.kind == KH_EVENT_OUTPUT && n + bytes.n < size) {
			memcpy(text + n, bytes.p, bytes.n);
			n += bytes.n;
		}
	}
	text[n] = '\0';
	struct kh_end end = event.end;
	kh_exchange_next(from, 0, &event);
	assert_int_equal(event.kind, KH_EVENT_NOTHING);
	kh_exchange_close(from);
	return end;
}

static void assert_no_child(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static size_t descriptors(void)
{
	size_t count = 0;

	for (int fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

/* The whole program: an executor, a spawner, or the tests. */
static int play_or_test(const char *file, const struct kh_test_case *cases, size_t count, int argc, char **argv,
			char **environment)
{
	if (argc == 2 && strcmp(argv[1], "executor") == 0)
		return play(argc, argv, environment);
	if (argc == 2 && strcmp(argv[1], "spawner") == 0)
		return kh_spawner_main();
	program = argv[0];
	return kh_test_main(file, cases, count);
}

#endif
