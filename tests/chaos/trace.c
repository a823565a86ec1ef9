/*
 * Kills an executor at every system call, its own or a sandbox's: no window between two of them may leave anything
 * behind (E7).  The executor is run under ptrace and is killed as one process of the tree, the executor or the n-th
 * that it made, has come to its k-th stop; that process is held until the executor is dead, and only then let go.
 *
 * A first run without harm counts the stops of each process; the seeds choose among all of them.
 */
#include "world.h"

#include "executor/executor.h"
#include "wire/channel.h"
#include "wire/request.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROLES    10 /* the executor, and the first processes that it makes, or that they make */
#define TASKS    64
#define QUIET_MS 150   /* an executor that makes no call for so long waits for its parent */
#define ROUND_MS 20000 /* no round takes as long */

struct task {
	int pid, role;
	unsigned long stops;
	bool is_held;
};

struct round {
	int role;           /* the executor is killed when this process ... */
	unsigned long stop; /* ... has come to this stop; 0: never */
	int executor, control;
	int channels[4];
	size_t channel_count;
	struct task tasks[TASKS];
	size_t task_count;
	int roles;
	bool is_killed, is_dead;
	unsigned long stops[ROLES]; /* that each came to */
};

static const int options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
			   PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;

static void send_packet(int fd, struct kh_message_out *out, const int *fds, size_t count)
{
	struct kh_view packet;

	if (kh_message_end(out, &packet) != KH_OK || kh_channel_send(fd, packet, fds, count) != KH_IO_DONE)
		abort();
}

/* A request's channel with the request in it already, and OPEN for it on its way. */
static void open_request(struct round *round, struct kh_view request)
{
	char buffer[KH_MESSAGE_HEADER];
	struct kh_message_out out;
	int ends[2];

	if (kh_channel_pair(ends, NULL) != KH_OK || kh_channel_send(ends[0], request, NULL, 0) != KH_IO_DONE)
		abort();
	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_OPEN);
	send_packet(round->control, &out, &ends[1], 1);
	close(ends[1]);
	round->channels[round->channel_count++] = ends[0];
}

/* All that the executor gets to do waits for it before it starts. */
static void write_requests(struct round *round, const struct world *world)
{
	char buffer[KH_MESSAGE_MAX], url[64], host[32];
	struct kh_message_out out;
	struct kh_view packet;
	struct kh_run run = {.argc = 2, .argv = {KH_LIT("sleep"), KH_LIT("1000")}};
	struct kh_fetch fetch = {.plain = true, .hosts = 1};

	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_HELLO);
	kh_message_number(&out, KH_FIELD_PROTOCOL, KH_MESSAGE_VERSION);
	kh_message_number(&out, KH_FIELD_POOL, 1);
	send_packet(round->control, &out, NULL, 0);
	if (kh_request_write_run(&run, buffer, &packet, NULL) != KH_OK)
		abort();
	open_request(round, packet);
	snprintf(url, sizeof(url), "http://127.0.0.1:%d/good", world->port);
	snprintf(host, sizeof(host), "127.0.0.1:%d", world->port);
	fetch.url = kh_view_str(url);
	fetch.host[0] = kh_view_str(host);
	if (kh_request_write_fetch(&fetch, buffer, &packet, NULL) != KH_OK)
		abort();
	open_request(round, packet);
}

static _Noreturn void be_executor(const struct world *world, int control)
{
	static char name[] = "keyhole", command[] = "executor";
	char *argv[] = {name, command, NULL}, *none[] = {NULL};
	int null = open("/dev/null", O_RDWR);

	signal(SIGPIPE, SIG_DFL);
	dup2(null, 0);
	dup2(null, 1);
	control = fcntl(control, F_DUPFD, 10);
	dup2(control, KH_CHANNEL_INHERITED);
	close_range(KH_CHANNEL_INHERITED + 1, ~0U, 0);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	execve(world->program, argv, none);
	_exit(127);
}

static struct task *find_task(struct round *round, int pid)
{
	for (size_t i = 0; i < round->task_count; i++) {
		if (round->tasks[i].pid == pid)
			return &round->tasks[i];
	}
	if (round->task_count == TASKS)
		return NULL;
	round->tasks[round->task_count] = (struct task){.pid = pid, .role = round->roles++};
	return &round->tasks[round->task_count++];
}

static void go_on(int pid, int sig)
{
	/* With what glibc makes of it, the signal goes in the last argument. */
	ptrace(PTRACE_SYSCALL, pid, NULL, (void *)(intptr_t)sig); /* NOLINT(performance-no-int-to-ptr) */
}

static void kill_executor(struct round *round)
{
	round->is_killed = true;
	kill(round->executor, SIGKILL);
}

static void take_stop(struct round *round, int pid, int status)
{
	struct task *task = find_task(round, pid);
	int sig = WSTOPSIG(status);
	bool is_call = sig == (SIGTRAP | 0x80), is_event = status >> 16 != 0;

	if (task == NULL) {
		go_on(pid, 0);
		return;
	}
	bool is_new = task->stops == 0 && sig == SIGSTOP; /* how a process that is traced from birth begins */
	if (is_new && pid == round->executor)
		ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)(intptr_t)options); /* NOLINT(performance-no-int-to-ptr) */
	if (is_new || is_call)
		task->stops++;
	if (task->role < ROLES)
		round->stops[task->role] = task->stops;
	if (!round->is_killed && round->stop > 0 && task->role == round->role && task->stops == round->stop) {
		task->is_held = pid != round->executor;
		kill_executor(round);
		if (task->is_held)
			return;
	}
	go_on(pid, is_new || is_call || is_event ? 0 : sig);
}

static void let_go(struct round *round)
{
	for (size_t i = 0; i < round->task_count; i++) {
		if (round->tasks[i].is_held)
			go_on(round->tasks[i].pid, 0);
		round->tasks[i].is_held = false;
	}
}

static void close_all(struct round *round)
{
	for (size_t i = 0; i < round->channel_count; i++)
		close(round->channels[i]);
	round->channel_count = 0;
	if (round->control >= 0)
		close(round->control);
	round->control = -1;
}

static void on_alarm(int sig)
{
	(void)sig; /* waitpid(2) is to come back */
}

static void set_alarm(long ms)
{
	/* Again and again: the first may come before there is a call to come back. */
	struct itimerval timer = {{ms / 1000, ms % 1000 * 1000}, {ms / 1000, ms % 1000 * 1000}};

	setitimer(ITIMER_REAL, &timer, NULL);
}

/* Runs one executor to its end; false where it, or what it started, does not come to one. */
static bool play(const struct world *world, struct round *round, int *ret_status)
{
	uint64_t end = world_now_ms() + ROUND_MS;
	int ends[2], status, pid;

	if (kh_channel_pair(ends, NULL) != KH_OK)
		abort();
	round->control = ends[0];
	write_requests(round, world);
	round->executor = fork();
	if (round->executor == 0)
		be_executor(world, ends[1]);
	close(ends[1]);
	*ret_status = -1;
	while (world_now_ms() < end) {
		set_alarm(QUIET_MS);
		pid = waitpid(-1, &status, __WALL);
		int error = errno;
		set_alarm(0);
		if (pid < 0 && error == ECHILD)
			return true;
		if (pid < 0) {
			close_all(round); /* it has nothing to do any more */
			continue;
		}
		if (WIFSTOPPED(status)) {
			take_stop(round, pid, status);
			continue;
		}
		if (pid == round->executor) {
			*ret_status = status;
			round->is_dead = true;
			let_go(round);
		}
	}
	return false;
}

static void try_one(const struct world *world, uint64_t seed, int role, unsigned long stop, struct round *ret_round)
{
	struct world_look before;
	char name[48];
	char left[1024] = "";
	int status;

	snprintf(name, sizeof(name), "%d:%lu", role, stop);
	*ret_round = (struct round){.role = role, .stop = stop, .control = -1};
	world_look(world, &before);
	bool ended = play(world, ret_round, &status);
	close_all(ret_round);
	world_check(ended && (ret_round->is_killed || status == 0), seed, name,
		    "killed as process %d had come to stop %lu: %s, status %d", role, stop,
		    ended ? "the executor ended" : "something does not end", status);
	bool settled = world_settles(world, &before, left, sizeof(left));
	world_check(settled, seed, name, "killed as process %d had come to stop %lu: %s", role, stop, left);
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_alarm};
	struct world world;
	static struct round round, first;
	unsigned long total = 0;

	world_init(&world, argc, argv);
	sigaction(SIGALRM, &action, NULL);
	if (world.only) { /* ROLE:STOP */
		char *stop;
		int role = (int)strtol(world.only, &stop, 10);
		try_one(&world, world.seed, role, strtoul(stop + (*stop == ':'), NULL, 10), &round);
		return world_finish();
	}
	try_one(&world, 0, 0, 0, &first);
	for (int role = 0; role < ROLES; role++)
		total += first.stops[role];
	world_check(first.stops[0] > 100 && first.stops[4] > 20 && first.stops[ROLES - 1] > 0, 0, "0:0",
		    "only %lu, %lu and %lu stops are seen", first.stops[0], first.stops[4], first.stops[ROLES - 1]);
	printf("%lu stops of %d processes\n", total, first.roles < ROLES ? first.roles : ROLES);
	/* Every stop in turn where there are rounds enough; else half of them the executor's own, the rest of any
	 * other. */
	for (uint64_t i = 0; i < world.rounds && i < total; i++) {
		uint64_t state = world.seed + i;
		bool all = world.rounds >= total;
		int role = all || world_below(&state, 2) ? 0 : (int)world_below(&state, ROLES);
		unsigned long at = all ? i : first.stops[role] ? world_below(&state, first.stops[role]) : 0;
		while (all && role + 1 < ROLES && at >= first.stops[role])
			at -= first.stops[role++];
		try_one(&world, world.seed + i, role, at + 1, &round);
	}
	return world_finish();
}
