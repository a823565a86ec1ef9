/* E7: one request in the executor, driven step by step, from its first message to its one END. */
#include "sandbox/boxed.h"

#include "base/clock.h"
#include "executor/fetch.h"
#include "executor/step.h"

static struct kh_pool pool;
static struct kh_job job;
static char buffer[KH_MESSAGE_MAX];

struct heard {
	struct kh_message end; /* its numbers only */
	char detail[KH_MESSAGE_DETAIL + 1];
	size_t ends, output, errors;
};

static void send_packet(int fd, struct kh_view packet)
{
	assert_int_equal(kh_channel_send(fd, packet, NULL, 0), KH_IO_DONE);
}

static void send_run(int fd, const struct kh_run *run)
{
	struct kh_view packet;

	assert_int_equal(kh_request_write_run(run, buffer, &packet, NULL), KH_OK);
	send_packet(fd, packet);
}

static void send_fetch(int fd, const char *url)
{
	struct kh_fetch fetch = {.url = kh_view_str(url)};
	struct kh_view packet;

	assert_int_equal(kh_request_write_fetch(&fetch, buffer, &packet, NULL), KH_OK);
	send_packet(fd, packet);
}

static void send_plain(int fd, enum kh_message_type type, struct kh_view bulk)
{
	struct kh_message_out out;
	struct kh_view packet;

	kh_message_begin(&out, buffer, sizeof(buffer), type);
	kh_message_bulk(&out, bulk);
	assert_int_equal(kh_message_end(&out, &packet), KH_OK);
	send_packet(fd, packet);
}

/* All that has come so far on FD. */
static void hear(int fd, struct heard *heard, enum kh_message_state *state)
{
	struct kh_view packet;
	struct kh_message message;
	int fds[KH_MESSAGE_FDS];
	size_t count = 0;

	while (fd >= 0 && kh_channel_receive(fd, buffer, &packet, fds, &count) == KH_IO_DONE) {
		assert_int_equal(kh_message_read(packet, count, state, &message, NULL), KH_OK);
		heard->output += message.type == KH_MESSAGE_OUTPUT ? message.bulk.n : 0;
		heard->errors += message.type == KH_MESSAGE_ERRORS ? message.bulk.n : 0;
		if (message.type != KH_MESSAGE_END)
			continue;
		heard->ends++;
		heard->end = message;
		memcpy(heard->detail, message.text[KH_FIELD_DETAIL].p ? message.text[KH_FIELD_DETAIL].p : "",
		       message.text[KH_FIELD_DETAIL].n);
		heard->detail[message.text[KH_FIELD_DETAIL].n] = '\0';
	}
}

/* Steps the job until it is free, as the executor does; FD is the parent's end, -1 where it is closed already. */
static void drive(int fd, struct heard *ret_heard)
{
	enum kh_message_state state = job.phase == KH_JOB_TALK ? KH_STATE_PARENT_FETCH : KH_STATE_PARENT_RUN;

	*ret_heard = (struct heard){.ends = 0};
	for (int i = 0; i < 100000 && job.phase != KH_JOB_FREE; i++) {
		struct pollfd list[KH_JOB_WATCHES + 1];
		int64_t wake = INT64_MAX;
		size_t n = kh_step_watch(&job, list, &wake);
		assert_in_range(n, 0, KH_JOB_WATCHES);
		poll(list, n, 50);
		kh_step(&job);
		hear(fd, ret_heard, &state);
	}
	assert_int_equal(job.phase, KH_JOB_FREE);
	for (size_t i = 0; i < KH_POOL_SLOTS; i++) /* those that fetches let go */
		kh_pool_look(&pool, &pool.slots[i]);
}

static int begin(void)
{
	int ends[2];

	assert_int_equal(kh_channel_pair(ends, NULL), KH_OK);
	kh_job_begin(&job, NULL, &pool, ends[1]);
	return ends[0];
}

static void set_up(struct kh_test *t, struct kh_sandbox_kit *kit)
{
	kit_init(t, kit);
	kh_pool_init(&pool, kit, 0);
}

static void tear_down(struct kh_sandbox_kit *kit)
{
	kh_pool_done(&pool);
	kh_sandbox_kit_done(kit);
	assert_no_children();
	/* Nothing that was said stays in memory. */
	for (size_t i = 0; i < sizeof(job); i++)
		assert_int_equal(((const char *)&job)[i], 0);
}

static void test_run(struct kh_test *t)
{
	struct kh_run run = {.argc = 3, .argv = {KH_LIT("sh"), KH_LIT("-c"), KH_LIT("cat; echo no >&2; exit 4")}};
	struct kh_sandbox_kit kit;
	struct heard heard;

	set_up(t, &kit);
	int fd = begin();
	send_run(fd, &run);
	send_plain(fd, KH_MESSAGE_INPUT, KH_LIT("some"));
	send_plain(fd, KH_MESSAGE_INPUT, KH_LIT("thing"));
	send_plain(fd, KH_MESSAGE_INPUT_END, KH_LIT(""));
	drive(fd, &heard);
	assert_int_equal(heard.ends, 1);
	assert_int_equal(heard.end.number[KH_FIELD_FAULT], KH_FAULT_NONE);
	assert_int_equal(heard.end.number[KH_FIELD_STATUS], 4 << 8);
	assert_int_equal(heard.output, 9);
	assert_int_equal(heard.errors, 3);
	assert_int_equal(heard.end.number[KH_FIELD_USED], 12);
	close(fd);
	tear_down(&kit);
}

/* Every limit and every mistake has its own fault, and one END. */
static void test_faults(struct kh_test *t)
{
	static const struct {
		const char *argv[3];
		struct kh_limits limits;
		enum kh_fault fault;
		size_t output;
	} bad[] = {
		{{"sleep", "1000"}, {.wall_ms = 50}, KH_FAULT_TIME, 0},
		{{"yes"}, {.output = 100000}, KH_FAULT_OUTPUT, 100000},
		{{"yes"}, {.output = 1}, KH_FAULT_OUTPUT, 1},
		{{"no-such-program"}, {0}, KH_FAULT_PROGRAM, 0},
	};
	struct kh_sandbox_kit kit;
	struct heard heard;

	set_up(t, &kit);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct kh_run run = {.limits = bad[i].limits};
		for (; run.argc < 3 && bad[i].argv[run.argc]; run.argc++)
			run.argv[run.argc] = kh_view_str(bad[i].argv[run.argc]);
		int fd = begin();
		send_run(fd, &run);
		drive(fd, &heard);
		assert_int_equal(heard.ends, 1);
		assert_int_equal(heard.end.number[KH_FIELD_FAULT], bad[i].fault);
		assert_int_equal(heard.output, bad[i].output);
		assert_true(heard.detail[0] != '\0');
		close(fd);
	}
	tear_down(&kit);
}

/* E8: what a worker is connected to is checked as a fetch is, before a worker is there; nothing is left open. */
static void test_connections(struct kh_test *t)
{
	static const struct {
		const char *to, *host;
		enum kh_fault fault;
		const char *words;
	} bad[] = {
		{"127.0.0.1:1", NULL, KH_FAULT_ADDRESS, "loopback"},
		{"169.254.169.254:80", "127.0.0.1", KH_FAULT_ADDRESS, "metadata"},
		{"[::1]:5432", NULL, KH_FAULT_ADDRESS, "loopback"},
		{"127.0.0.1:1", "127.0.0.1:2", KH_FAULT_ADDRESS, "loopback"},
		{"127.0.0.1:1", "127.0.0.1", KH_FAULT_CONNECT, "addresses"},
		{"127.1:5432", NULL, KH_FAULT_REQUEST, "host with a port"},
		{"db.example", NULL, KH_FAULT_REQUEST, "host with a port"},
		{"db.example:99999", NULL, KH_FAULT_REQUEST, "host with a port"},
		{"/nonexistent/socket", NULL, KH_FAULT_CONNECT, "socket"},
	};
	struct kh_sandbox_kit kit;
	struct heard heard;

	set_up(t, &kit);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct kh_run run = {.profile = KH_PROFILE_QUERY, .connect = kh_view_str(bad[i].to)};
		size_t before = open_descriptors();
		if (bad[i].host)
			run.host[run.hosts++] = kh_view_str(bad[i].host);
		int fd = begin();
		send_run(fd, &run);
		drive(fd, &heard);
		assert_int_equal(heard.ends, 1);
		assert_int_equal(heard.end.number[KH_FIELD_FAULT], bad[i].fault);
		assert_non_null(strstr(heard.detail, bad[i].words));
		close(fd);
		assert_int_equal(open_descriptors(), before);
	}
	tear_down(&kit);
}

/* What is no request, or comes when it may not, ends this one request. */
static void test_protocol(struct kh_test *t)
{
	struct kh_run run = {.argc = 2, .argv = {KH_LIT("sleep"), KH_LIT("1000")}};
	struct kh_sandbox_kit kit;
	struct heard heard;

	set_up(t, &kit);
	for (int i = 0; i < 4; i++) {
		int fd = begin();
		if (i == 0)
			send_packet(fd, KH_LIT("garbage"));
		else if (i == 1)
			send_plain(fd, KH_MESSAGE_INPUT, KH_LIT("too early"));
		else
			send_run(fd, &run);
		if (i == 2)
			send_run(fd, &run); /* a second one */
		if (i == 3)
			send_packet(fd, KH_LIT("\2\1\0\0\0\0\0\0"));
		drive(fd, &heard);
		assert_int_equal(heard.ends, 1);
		assert_int_equal(heard.end.number[KH_FIELD_FAULT], KH_FAULT_REQUEST);
		close(fd);
	}
	/* A descriptor with a request is refused, and closed. */
	size_t before = open_descriptors();
	int fd = begin();
	struct kh_view packet;
	assert_int_equal(kh_request_write_run(&run, buffer, &packet, NULL), KH_OK);
	assert_int_equal(kh_channel_send(fd, packet, (const int[]){0, 1, 2}, 3), KH_IO_DONE);
	drive(fd, &heard);
	assert_int_equal(heard.end.number[KH_FIELD_FAULT], KH_FAULT_REQUEST);
	close(fd);
	assert_int_equal(open_descriptors(), before);
	tear_down(&kit);
}

/* The parent closes it: before it said anything, while it runs, when it has no more input, with input that waits. */
static void test_closed(struct kh_test *t)
{
	static char much[KH_MESSAGE_BULK];
	struct kh_run run = {.argc = 2, .argv = {KH_LIT("sleep"), KH_LIT("1000")}};
	struct kh_sandbox_kit kit;
	struct heard heard;

	set_up(t, &kit);
	for (int i = 0; i < 4; i++) {
		size_t before = open_descriptors();
		int fd = begin();
		if (i > 0)
			send_run(fd, &run);
		if (i == 2)
			send_plain(fd, KH_MESSAGE_INPUT_END, KH_LIT(""));
		for (int k = 0; i == 3 && k < 3; k++) {
			kh_step(&job);
			send_plain(fd, KH_MESSAGE_INPUT, kh_view_of(much, sizeof(much)));
		}
		for (int k = 0; k < 4; k++)
			kh_step(&job);
		assert_int_equal(job.phase, i == 0 ? KH_JOB_NEW : KH_JOB_RUN);
		close(fd);
		drive(-1, &heard);
		assert_int_equal(open_descriptors(), before);
	}
	tear_down(&kit);
}

/* A parent that does not read keeps its END waiting, and nothing else: the sandbox is gone by then. */
static void test_unread(struct kh_test *t)
{
	struct kh_run run = {.argc = 1, .argv = {KH_LIT("yes")}, .limits = {.output = 1 << 20, .wall_ms = 300}};
	struct kh_sandbox_kit kit;
	struct heard heard = {0};
	enum kh_message_state state = KH_STATE_PARENT_RUN;

	set_up(t, &kit);
	int fd = begin();
	send_run(fd, &run);
	for (int i = 0; i < 100 && job.phase < KH_JOB_ENDING && !(job.phase == KH_JOB_STOPPING && job.slot == NULL);
	     i++) {
		struct pollfd list[KH_JOB_WATCHES];
		int64_t wake = INT64_MAX;
		poll(list, kh_step_watch(&job, list, &wake), 50);
		kh_step(&job);
	}
	assert_true(job.phase >= KH_JOB_STOPPING);
	assert_null(job.slot);
	hear(fd, &heard, &state);
	assert_int_equal(heard.ends, 0);
	drive(fd, &heard);
	assert_int_equal(heard.ends, 1);
	assert_int_equal(heard.end.number[KH_FIELD_FAULT], KH_FAULT_TIME);
	close(fd);
	tear_down(&kit);
}

/* While its sandbox takes its time to die, a job that has a packet left waits for nothing that is there already. */
static void test_dying(struct kh_test *t)
{
	struct kh_run run = {.argc = 2, .argv = {KH_LIT("sleep"), KH_LIT("1000")}};
	struct kh_sandbox_kit kit;
	struct heard heard;
	struct pollfd list[KH_JOB_WATCHES];
	struct kh_message_out out;
	struct kh_view packet;
	int64_t wake = INT64_MAX;

	set_up(t, &kit);
	int fd = begin();
	send_run(fd, &run);
	kh_step(&job);
	assert_int_equal(job.phase, KH_JOB_RUN);
	/* As after a cap that was reached with a parent that does not read; only that nothing was killed yet. */
	job.phase = KH_JOB_STOPPING;
	job.fault = KH_FAULT_OUTPUT;
	kh_message_begin(&out, job.to_parent, sizeof(job.to_parent), KH_MESSAGE_OUTPUT);
	kh_message_bulk(&out, KH_LIT("last"));
	assert_int_equal(kh_message_end(&out, &packet), KH_OK);
	job.to_parent_n = packet.n;
	kh_step(&job);
	assert_int_equal(job.phase, KH_JOB_STOPPING);
	size_t n = kh_step_watch(&job, list, &wake);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(list[i].events & POLLOUT, 0);
	kh_sandbox_kill(&job.slot->sandbox);
	drive(fd, &heard);
	assert_int_equal(heard.ends, 1);
	assert_int_equal(heard.output, 4);
	close(fd);
	tear_down(&kit);
}

/* E8: what is refused without a worker, and without a connection. */
static void test_fetch_refused(struct kh_test *t)
{
	static const struct {
		const char *url;
		enum kh_fault fault;
	} refused[] = {
		{"http://192.0.2.1/", KH_FAULT_SCHEME},      {"https://127.0.0.1/", KH_FAULT_ADDRESS},
		{"https://[::1]/", KH_FAULT_ADDRESS},        {"https://169.254.169.254/", KH_FAULT_ADDRESS},
		{"ftp://example.com/", KH_FAULT_URL},        {"https://", KH_FAULT_URL},
		{"https://user@example.com/", KH_FAULT_URL},
	};
	struct kh_sandbox_kit kit;
	struct heard heard;

	set_up(t, &kit);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		int fd = begin();
		send_fetch(fd, refused[i].url);
		drive(fd, &heard);
		assert_int_equal(heard.ends, 1);
		assert_int_equal(heard.end.number[KH_FIELD_FAULT], refused[i].fault);
		assert_true(heard.detail[0] != '\0');
		close(fd);
	}
	tear_down(&kit);
}

/* A fetch as it stands when a worker speaks HTTP for it; the worker is this test, over *RET_WORKER. */
static int begin_talk(int *ret_worker)
{
	enum kh_part part = KH_PART_NONE;
	int ends[2], error = 0, fd = begin();

	assert_int_equal(kh_channel_pair(ends, NULL), KH_OK);
	job.slot = kh_pool_take(&pool, KH_PROFILE_RUN, KH_POOL_LOCKED, &part, &error);
	assert_non_null(job.slot);
	job.slot->worker = ends[0];
	*ret_worker = ends[1];
	job.kind = &kh_fetch_kind;
	job.phase = KH_JOB_TALK;
	job.state = KH_STATE_REQUEST_FED;
	job.worker_state = KH_STATE_TRANSFER_HEAD;
	job.limits.output = 10;
	job.deadline_us = kh_clock_us() + BOXED_MS * 1000;
	return fd;
}

static void say(int worker, enum kh_message_type type, uint64_t number)
{
	struct kh_message_out out;
	struct kh_view packet;

	kh_message_begin(&out, buffer, sizeof(buffer), type);
	if (type == KH_MESSAGE_OUTPUT)
		kh_message_bulk(&out, kh_view_of("0123456789abcdef", number));
	else
		kh_message_number(&out, type == KH_MESSAGE_HEAD ? KH_FIELD_STATUS : KH_FIELD_FAULT, number);
	assert_int_equal(kh_message_end(&out, &packet), KH_OK);
	send_packet(worker, packet);
}

/* A worker that the world has taken over: what it may say of the exchange it may say, and nothing of anything else. */
static void test_hostile_worker(struct kh_test *t)
{
	static const struct {
		bool head;
		enum kh_fault said, fault;
	} claims[] = {
		{true, KH_FAULT_NONE, KH_FAULT_NONE},          {false, KH_FAULT_NONE, KH_FAULT_WORKER},
		{false, KH_FAULT_TLS, KH_FAULT_TLS},           {true, KH_FAULT_HTTP, KH_FAULT_HTTP},
		{true, KH_FAULT_OUTPUT, KH_FAULT_OUTPUT},      {true, KH_FAULT_TIME, KH_FAULT_TIME},
		{false, KH_FAULT_LOST, KH_FAULT_WORKER},       {false, KH_FAULT_CANCELLED, KH_FAULT_WORKER},
		{true, KH_FAULT_BUSY, KH_FAULT_WORKER},        {false, KH_FAULT_ADDRESS, KH_FAULT_WORKER},
		{false, KH_FAULT_INCOMPLETE, KH_FAULT_WORKER}, {false, KH_FAULT_NAME, KH_FAULT_WORKER},
	};
	struct kh_sandbox_kit kit;
	struct heard heard;
	int worker;

	set_up(t, &kit);
	for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
		int fd = begin_talk(&worker);
		if (claims[i].head)
			say(worker, KH_MESSAGE_HEAD, 200);
		say(worker, KH_MESSAGE_DONE, claims[i].said);
		drive(fd, &heard);
		assert_int_equal(heard.ends, 1);
		assert_int_equal(heard.end.number[KH_FIELD_FAULT], claims[i].fault);
		close(worker);
		close(fd);
	}
	/* More than was granted, before it is its turn, and what is no message of a worker's. */
	for (int i = 0; i < 4; i++) {
		int fd = begin_talk(&worker);
		if (i < 2)
			say(worker, KH_MESSAGE_HEAD, 200);
		if (i == 0)
			say(worker, KH_MESSAGE_OUTPUT, 11);
		else if (i == 1)
			say(worker, KH_MESSAGE_HEAD, 200);
		else if (i == 2)
			say(worker, KH_MESSAGE_OUTPUT, 5);
		else
			say(worker, KH_MESSAGE_END, KH_FAULT_NONE);
		drive(fd, &heard);
		assert_int_equal(heard.ends, 1);
		assert_int_equal(heard.output, 0);
		assert_int_equal(heard.end.number[KH_FIELD_FAULT], i == 0 ? KH_FAULT_OUTPUT : KH_FAULT_WORKER);
		close(worker);
		close(fd);
	}
	tear_down(&kit);
}

/* One that closes its channel and lives on is waited for, and wakes nobody. */
static void test_mute_worker(struct kh_test *t)
{
	struct kh_sandbox_kit kit;
	struct heard heard;
	struct pollfd list[KH_JOB_WATCHES];
	int64_t wake = INT64_MAX;
	int worker;

	set_up(t, &kit);
	int fd = begin_talk(&worker);
	assert_true(wait_readable(job.slot->sandbox.channel)); /* WARM */
	close(worker);
	for (int i = 0; i < 3; i++)
		kh_step(&job);
	assert_int_equal(job.phase, KH_JOB_TALK);
	assert_int_equal(poll(list, kh_step_watch(&job, list, &wake), 0), 0);
	kill(job.slot->sandbox.pid, SIGKILL);
	drive(fd, &heard);
	assert_int_equal(heard.ends, 1);
	assert_int_equal(heard.end.number[KH_FIELD_FAULT], KH_FAULT_WORKER);
	close(fd);
	tear_down(&kit);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_run),         KH_TEST_ONCE(test_faults),        KH_TEST_ONCE(test_connections),
	KH_TEST_ONCE(test_protocol),    KH_TEST_ONCE(test_closed),        KH_TEST_ONCE(test_unread),
	KH_TEST_ONCE(test_dying),       KH_TEST_ONCE(test_fetch_refused), KH_TEST_ONCE(test_hostile_worker),
	KH_TEST_ONCE(test_mute_worker),
};

KH_TEST_MAIN(cases)
