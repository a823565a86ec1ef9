/*
 * For the tests of errands: an executor without sandboxes, which is this test program itself, started as the client
 * starts `keyhole executor`.  Jobs for our own workers are carried out in it, one after the other, and programs as they
 * are; what a fetch brings is for the test to say, by a function fetched() that it has.
 */
#ifndef KH_TESTS_ERRAND_EXECUTOR_H
#define KH_TESTS_ERRAND_EXECUTOR_H

#include "harness.h"

#include "executor/workers.h"
#include "outside/client.h"
#include "wire/channel.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* What FETCH gets: a body, and *RET_STATUS; *RET_FAULT ends it so. */
static struct kh_view fetched(const struct kh_message *message, unsigned *ret_status, enum kh_fault *ret_fault);

static inline void executor_need(bool good, int line)
{
	if (good)
		return;
	fprintf(stderr, "executor: line %d\n", line);
	_exit(100);
}

#define EXECUTOR_NEED(condition) executor_need((condition), __LINE__)

static inline bool executor_hear(int fd, enum kh_message_state *state, struct kh_message *ret_message, int *ret_fd)
{
	static char buffer[KH_MESSAGE_MAX];
	struct kh_view packet;
	int fds[KH_MESSAGE_FDS];
	size_t count = 0;

	if (kh_channel_receive_wait(fd, buffer, &packet, fds, &count, -1) != KH_IO_DONE)
		return false;
	EXECUTOR_NEED(kh_message_read(packet, count, state, ret_message, NULL) == KH_OK);
	if (count > 0)
		*ret_fd = fds[0];
	return true;
}

static inline void executor_say(int fd, struct kh_message_out *out)
{
	struct kh_view packet;

	EXECUTOR_NEED(kh_message_end(out, &packet) == KH_OK);
	(void)kh_channel_send_wait(fd, packet, NULL, 0, -1);
}

static inline void executor_say_bytes(int fd, enum kh_message_type type, struct kh_view bytes)
{
	static char text[KH_MESSAGE_MAX];
	struct kh_message_out out;

	while (bytes.n > 0) {
		size_t n = bytes.n < KH_MESSAGE_BULK ? bytes.n : KH_MESSAGE_BULK;
		kh_message_begin(&out, text, sizeof(text), type);
		kh_message_bulk(&out, kh_view_sub(bytes, 0, n));
		executor_say(fd, &out);
		bytes = kh_view_from(bytes, n);
	}
}

static inline void executor_end(int fd, enum kh_fault fault, int status)
{
	char text[128];
	struct kh_message_out out;

	kh_message_begin(&out, text, sizeof(text), KH_MESSAGE_END);
	if (fault == KH_FAULT_NONE)
		kh_message_number(&out, KH_FIELD_STATUS, (uint64_t)status);
	kh_message_number(&out, KH_FIELD_FAULT, fault);
	executor_say(fd, &out);
}

/* All of the file in memory FD, as one message or several. */
static inline void executor_say_file(int fd, enum kh_message_type type, int file)
{
	size_t n = (size_t)lseek(file, 0, SEEK_END);
	char *p = n > 0 ? mmap(NULL, n, PROT_READ, MAP_SHARED, file, 0) : NULL;

	executor_say_bytes(fd, type, kh_view_of(p, n));
	if (p != NULL)
		munmap(p, n);
	close(file);
}

/* Runs the program of MESSAGE, a RUN; its wait status.  It has no sandbox: it is one of the test's own choice. */
static inline int executor_program(char *const *argv, const int fds[3])
{
	int status = 0, pid = fork();

	if (pid == 0) {
		for (int i = 0; i < 3; i++)
			dup2(fds[i], i);
		execv(argv[0], argv);
		_exit(127);
	}
	EXECUTOR_NEED(pid > 0 && waitpid(pid, &status, 0) == pid);
	return status;
}

static inline void executor_run(int fd, enum kh_message_state *state, enum kh_profile profile,
				const struct kh_message *run)
{
	static char text[KH_MESSAGE_MAX];
	char *argv[KH_REQUEST_ARGUMENTS + 1] = {NULL};
	struct kh_view item;
	size_t argc = 0, cursor = 0, used = 0;
	int status, in = memfd_create("in", 0), out = memfd_create("out", 0), errors = memfd_create("errors", 0);
	const struct kh_worker_job_kind *kind = kh_workers_find(profile);
	struct kh_message message;

	while (kh_message_item(run, KH_FIELD_ARGUMENT, &cursor, &item) && argc < KH_REQUEST_ARGUMENTS) {
		argv[argc++] = memcpy(text + used, item.p, item.n);
		text[used + item.n] = '\0';
		used += item.n + 1;
	}
	while (*state == KH_STATE_REQUEST_FED) {
		if (!executor_hear(fd, state, &message, NULL))
			return;
		if (message.type == KH_MESSAGE_INPUT)
			EXECUTOR_NEED(write(in, message.bulk.p, message.bulk.n) == (ssize_t)message.bulk.n);
	}
	lseek(in, 0, SEEK_SET);
	if (profile == KH_PROFILE_RUN) {
		status = executor_program(argv, (const int[]){in, out, errors});
	} else {
		EXECUTOR_NEED(kind != NULL && (kind->load == NULL || kind->load(false, NULL) == KH_OK));
		status = kh_worker_job_do(kind, in, out, errors, -1, -1) << 8;
	}
	close(in);
	executor_say_file(fd, KH_MESSAGE_OUTPUT, out);
	executor_say_file(fd, KH_MESSAGE_ERRORS, errors);
	executor_end(fd, status == 127 << 8 ? KH_FAULT_PROGRAM : KH_FAULT_NONE, status);
}

static inline void executor_fetch(int fd, const struct kh_message *message)
{
	unsigned status = 200;
	enum kh_fault fault = KH_FAULT_NONE;
	struct kh_view body = fetched(message, &status, &fault);
	struct kh_message_out out;
	char text[256];

	if (fault == KH_FAULT_NONE) {
		kh_message_begin(&out, text, sizeof(text), KH_MESSAGE_HEAD);
		kh_message_number(&out, KH_FIELD_STATUS, status);
		executor_say(fd, &out);
		executor_say_bytes(fd, KH_MESSAGE_OUTPUT, body);
	}
	executor_end(fd, fault, 0);
}

static inline int executor_play(void)
{
	enum kh_message_state state = KH_STATE_CONTROL_NEW;
	struct kh_message message;
	struct kh_message_out out;
	char text[64];
	int fd = -1;

	if (!executor_hear(3, &state, &message, NULL))
		return 101;
	kh_message_begin(&out, text, sizeof(text), KH_MESSAGE_READY);
	kh_message_number(&out, KH_FIELD_PROTOCOL, KH_MESSAGE_VERSION);
	executor_say(3, &out);
	while (executor_hear(3, &state, &message, &fd)) {
		enum kh_message_state request = KH_STATE_REQUEST_NEW;
		if (executor_hear(fd, &request, &message, NULL)) {
			if (message.type == KH_MESSAGE_RUN)
				executor_run(fd, &request, (enum kh_profile)message.number[KH_FIELD_PROFILE], &message);
			else
				executor_fetch(fd, &message);
		}
		close(fd);
	}
	return 0;
}

/* The one client of the test program; started once. */
static inline const struct kh_client *executor_client(struct kh_test *t)
{
	static struct kh_client client;
	static bool started;

	if (!started) {
		must(t, kh_client_start(&client, NULL, &t->err));
		started = true;
	}
	return &client;
}

#define EXECUTOR_TEST_MAIN(cases)                                                         \
	int main(int argc, char **argv)                                                   \
	{                                                                                 \
		if (argc == 2 && strcmp(argv[1], "executor") == 0)                        \
			return executor_play();                                           \
		return kh_test_main(__FILE__, cases, sizeof(cases) / sizeof((cases)[0])); \
	}

#endif
