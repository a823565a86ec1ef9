/* Starting, asking and ending an executor.  See talk.h. */
#include "talk.h"

#include "executor/executor.h"
#include "wire/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void be_executor(const struct world *world, const struct talk_limit *limit, int control, int errors)
{
	static char name[] = "keyhole", command[] = "executor";
	char *argv[] = {name, command, NULL}, *none[] = {NULL};
	int null = open("/dev/null", O_RDWR);

	signal(SIGPIPE, SIG_DFL);
	control = fcntl(control, F_DUPFD, 10);
	dup2(null, 0);
	dup2(null, 1);
	if (errors >= 0)
		dup2(errors, 2);
	dup2(control, KH_CHANNEL_INHERITED);
	close_range(KH_CHANNEL_INHERITED + 1, ~0U, 0);
	if (limit) {
		struct rlimit both = {limit->value, limit->value};
		setrlimit(limit->resource, &both);
	}
	execve(world->program, argv, none);
	_exit(127);
}

void talk_start(const struct world *world, const struct talk_limit *limit, int errors, struct kh_client *ret_client)
{
	int ends[2];

	if (kh_channel_pair(ends, NULL) != KH_OK)
		abort();
	int pid = fork();
	if (pid == 0)
		be_executor(world, limit, ends[1], errors);
	close(ends[1]);
	*ret_client = (struct kh_client){.control = ends[0], .pid = pid};
}

bool talk_hello(const struct kh_client *client, unsigned pool, char *detail)
{
	char buffer[KH_MESSAGE_MAX];
	enum kh_message_state state = KH_STATE_PARENT_CONTROL;
	struct kh_message_out out;
	struct kh_message message;
	struct kh_view packet;
	int fds[KH_MESSAGE_FDS];
	size_t count = 0;

	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_HELLO);
	kh_message_number(&out, KH_FIELD_PROTOCOL, KH_MESSAGE_VERSION);
	kh_message_number(&out, KH_FIELD_POOL, pool);
	if (kh_message_end(&out, &packet) != KH_OK ||
	    kh_channel_send_wait(client->control, packet, NULL, 0, TALK_MS) != KH_IO_DONE ||
	    kh_channel_receive_wait(client->control, buffer, &packet, fds, &count, TALK_MS) != KH_IO_DONE ||
	    kh_message_read(packet, count, &state, &message, NULL) != KH_OK)
		return false;
	if (detail)
		snprintf(detail, KH_MESSAGE_DETAIL, "%.*s", KH_FMT(message.text[KH_FIELD_DETAIL]));
	return true;
}

void talk_ready(const struct world *world, unsigned pool, struct kh_client *ret_client)
{
	talk_start(world, NULL, -1, ret_client);
	if (!talk_hello(ret_client, pool, NULL)) {
		world_check(false, 0, "start", "the executor did not get ready");
		exit(world_finish());
	}
}

int talk_wait(struct kh_client *client)
{
	uint64_t end = world_now_ms() + TALK_MS;
	int status = -1;

	while (world_now_ms() < end) {
		if (waitpid(client->pid, &status, WNOHANG) == client->pid)
			return status;
		world_sleep(200000);
	}
	kill(client->pid, SIGKILL);
	waitpid(client->pid, &status, 0);
	return -1;
}

int talk_stop(struct kh_client *client)
{
	if (client->control >= 0)
		close(client->control);
	client->control = -1;
	return talk_wait(client);
}

bool talk_run(const struct kh_client *client, const char *const *argv, struct kh_exchange *ret_exchange)
{
	struct kh_run run = {.profile = KH_PROFILE_RUN};
	struct kh_error err = {0};

	while (argv[run.argc]) {
		run.argv[run.argc] = kh_view_str(argv[run.argc]);
		run.argc++;
	}
	return kh_client_run(client, &run, ret_exchange, &err) == KH_OK;
}

bool talk_fetch(const struct kh_client *client, int port, const char *path, enum kh_method method,
		struct kh_exchange *ret_exchange)
{
	struct kh_fetch fetch = {.method = method, .plain = true, .hosts = 1};
	struct kh_error err = {0};
	char url[128], host[32];

	snprintf(url, sizeof(url), "http://127.0.0.1:%d%s", port, path);
	snprintf(host, sizeof(host), "127.0.0.1:%d", port);
	fetch.url = kh_view_str(url);
	fetch.host[0] = kh_view_str(host);
	return kh_client_fetch(client, &fetch, ret_exchange, &err) == KH_OK;
}

bool talk_end(struct kh_exchange *exchange, struct kh_end *ret_end, uint64_t *ret_output)
{
	struct kh_event event;

	if (ret_output)
		*ret_output = 0;
	do {
		kh_exchange_next(exchange, TALK_MS, &event);
		if (ret_output)
			*ret_output += kh_tainted_open(event.bytes).n;
	} while (event.kind != KH_EVENT_END && event.kind != KH_EVENT_NOTHING);
	*ret_end = event.end;
	return event.kind == KH_EVENT_END;
}

bool talk_is_well(const struct kh_client *client, char *text, size_t size)
{
	static struct kh_exchange exchange;
	struct kh_end end = {0};

	text[0] = '\0';
	bool opened = talk_run(client, (const char *const[]){"true", NULL}, &exchange);
	bool ended = opened && talk_end(&exchange, &end, NULL);
	if (opened)
		kh_exchange_close(&exchange);
	if (ended && end.fault == KH_FAULT_NONE && end.status == 0)
		return true;
	snprintf(text, size, "%s, fault %s, status %d: %s",
		 ended    ? "it ended"
		 : opened ? "it did not end"
			  : "it was not opened",
		 kh_fault_name(end.fault), end.status, end.detail);
	return false;
}

size_t talk_children(const struct kh_client *client, size_t count)
{
	uint64_t end = world_now_ms() + TALK_MS;
	int pids[512];
	size_t n;

	do {
		n = world_children(client->pid, pids, 512);
		world_sleep(1000000);
	} while (n != count && world_now_ms() < end);
	return n;
}

/* Processor time of PID, in ticks. */
static long ticks(int pid)
{
	char path[64], text[1024];
	long value = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	char *at = strrchr(text, ')');
	for (int field = 2; at && field < 15; field++) {
		at = strchr(at + 1, ' ');
		if (at && field >= 13)
			value += strtol(at, NULL, 10);
	}
	return value;
}

bool talk_is_idle(const struct kh_client *client)
{
	long before = ticks(client->pid);

	world_sleep(200000000);
	return ticks(client->pid) - before <= 8; /* of 20, were it to spin */
}
