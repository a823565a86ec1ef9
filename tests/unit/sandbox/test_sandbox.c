/* E7: a sandbox from its start to its end, as the executor sees it. */
#include "boxed.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>

static char buffer[KH_MESSAGE_MAX];

/* What all share comes and goes whole, also when there is no memory for it: nothing that was open is closed. */
static void test_kit(struct kh_test *t)
{
	struct kh_sandbox_kit kit;
	size_t before = open_descriptors();

	enum kh_err e = kh_sandbox_kit_init(&kit, kh_workers_serve, &t->alloc, &t->err);
	if (e == KH_OK) {
		assert_int_equal(kit.is_root && geteuid() != 0, false);
		assert_int_equal(kit.uid, geteuid());
		kh_sandbox_kit_done(&kit);
	}
	assert_int_equal(open_descriptors(), before);
	assert_no_children();
	/* A second time does nothing, and in particular does not close what has a small number. */
	kh_sandbox_kit_done(&kit);
	assert_int_equal(open_descriptors(), before);
	must(t, e);
}

static void send_job(const struct kh_sandbox *sandbox, const char *const *argv, const char *folder, const int fds[3])
{
	struct kh_message_out out;
	struct kh_view packet;

	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_JOB);
	for (; *argv; argv++)
		kh_message_text(&out, KH_FIELD_ARGUMENT, kh_view_str(*argv));
	if (folder)
		kh_message_text(&out, KH_FIELD_WORK, kh_view_str(folder));
	kh_message_number(&out, KH_FIELD_CPU, 10);
	kh_message_number(&out, KH_FIELD_MEMORY, 256 << 20);
	kh_message_number(&out, KH_FIELD_PROCESSES, 16);
	kh_message_number(&out, KH_FIELD_FILES, 64);
	kh_message_number(&out, KH_FIELD_DISK, 1 << 20);
	assert_int_equal(kh_message_end(&out, &packet), KH_OK);
	assert_int_equal(kh_channel_send(sandbox->channel, packet, fds, 3), KH_IO_DONE);
}

/* The next message of the sandbox; its type, KH_MESSAGE_NONE at the end. */
static enum kh_message_type hear(const struct kh_sandbox *sandbox, enum kh_message_state *state,
				 struct kh_message *message)
{
	struct kh_view packet;
	int fds[KH_MESSAGE_FDS];
	size_t count = 0;
	enum kh_io io = kh_channel_receive_wait(sandbox->channel, buffer, &packet, fds, &count, BOXED_MS);

	if (io == KH_IO_CLOSED)
		return KH_MESSAGE_NONE;
	assert_int_equal(io, KH_IO_DONE);
	assert_int_equal(kh_message_read(packet, count, state, message, NULL), KH_OK);
	return message->type;
}

/* One sandbox with a job under way; its output comes out of *RET_OUT. */
static void begin(const struct kh_sandbox_kit *kit, const char *const *argv, const char *folder,
		  struct kh_sandbox *sandbox, int *ret_out)
{
	enum kh_part part = KH_PART_NONE;
	int error = 0, ends[2], null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (!kh_sandbox_prepare(kit, KH_PROFILE_RUN, false, 1, sandbox, &part, &error)) {
		print_error("%s: %s\n", kh_part_name(part), strerror(error));
		fail();
	}
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	send_job(sandbox, argv, folder, (const int[]){null, ends[1], ends[1]});
	close(ends[1]);
	close(null);
	*ret_out = ends[0];
}

static void finish(struct kh_sandbox *sandbox, int out)
{
	assert_true(wait_readable(sandbox->pidfd));
	kh_sandbox_done(sandbox);
	close(out);
	assert_int_equal(sandbox->pidfd, -1);
}

static void test_run(struct kh_test *t)
{
	struct kh_sandbox_kit kit;
	struct kh_sandbox sandbox;
	struct kh_message message;
	enum kh_message_state state = KH_STATE_SANDBOX_COLD;
	char text[4096];
	int out;
	size_t before = open_descriptors();

	kit_init(t, &kit);
	begin(&kit,
	      (const char *const[]){"sh", "-c", "pwd; id -u; hostname; ls /root /home 2>&1; (sleep 1000 &); exit 3",
				    NULL},
	      NULL, &sandbox, &out);
	assert_int_equal(hear(&sandbox, &state, &message), KH_MESSAGE_WARM);
	assert_int_equal(hear(&sandbox, &state, &message), KH_MESSAGE_EXITED);
	assert_int_equal(message.number[KH_FIELD_STATUS], 3 << 8);
	/* What it left behind is killed with it: its output has an end. */
	struct kh_view said = read_all(out, text, sizeof(text));
	assert_true(kh_view_starts(said, KH_LIT("/tmp/work\n1000\nkeyhole\n")) ||
		    kh_view_starts(said, KH_LIT("/work\n1000\nkeyhole\n")));
	assert_int_not_equal(kh_view_find(said, KH_LIT("No such file"), 0), SIZE_MAX);
	finish(&sandbox, out);
	kh_sandbox_kit_done(&kit);
	assert_no_children();
	assert_int_equal(open_descriptors(), before);
}

/* Each part that cannot be had is named. */
static void test_broken(struct kh_test *t)
{
	static const struct {
		const char *argv[2], *folder;
		enum kh_part part;
		int error;
	} broken[] = {
		{{"no-such-program"}, NULL, KH_PART_PROGRAM, ENOENT},
		{{"/usr"}, NULL, KH_PART_PROGRAM, EACCES},
		{{"true"}, "/no/such/folder", KH_PART_FOLDER, ENOENT},
		{{"true"}, "/dev/null", KH_PART_FOLDER, ENOTDIR},
	};
	struct kh_sandbox_kit kit;

	kit_init(t, &kit);
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		enum kh_message_state state = KH_STATE_SANDBOX_COLD;
		struct kh_sandbox sandbox;
		struct kh_message message;
		int out;
		begin(&kit, broken[i].argv, broken[i].folder, &sandbox, &out);
		assert_int_equal(hear(&sandbox, &state, &message), KH_MESSAGE_WARM);
		assert_int_equal(hear(&sandbox, &state, &message), KH_MESSAGE_BROKEN);
		assert_int_equal(message.number[KH_FIELD_PART], broken[i].part);
		assert_int_equal(message.number[KH_FIELD_ERRNO], broken[i].error);
		finish(&sandbox, out);
	}
	kh_sandbox_kit_done(&kit);
	assert_no_children();
}

/* Killed at any time it is gone, with all that runs in it. */
static void test_kill(struct kh_test *t)
{
	struct kh_sandbox_kit kit;
	char text[64];

	kit_init(t, &kit);
	for (int i = 0; i < 6; i++) {
		struct kh_sandbox sandbox;
		int out;
		begin(&kit, (const char *const[]){"sh", "-c", "sleep 1000 & setsid sleep 1000 & wait", NULL}, NULL,
		      &sandbox, &out);
		usleep((useconds_t)(i * i * 1000));
		kh_sandbox_kill(&sandbox);
		assert_int_equal(read_all(out, text, sizeof(text)).n, 0);
		finish(&sandbox, out);
	}
	kh_sandbox_kit_done(&kit);
	assert_no_children();
}

/* An executor that is gone before the program starts: it does not start, although its job is there. */
static void test_no_executor(struct kh_test *t)
{
	struct kh_sandbox_kit kit;
	size_t ran = 0;

	kit_init(t, &kit);
	for (int i = 0; i < 10; i++) {
		enum kh_message_state state = KH_STATE_SANDBOX_COLD;
		struct kh_sandbox sandbox;
		struct kh_message message;
		enum kh_part part;
		char text[64];
		int error, ends[2];
		assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
		assert_true(kh_sandbox_prepare(&kit, KH_PROFILE_RUN, false, 1, &sandbox, &part, &error));
		assert_int_equal(hear(&sandbox, &state, &message), KH_MESSAGE_WARM);
		send_job(&sandbox, (const char *const[]){"echo", "ran", NULL}, NULL,
			 (const int[]){ends[1], ends[1], ends[1]});
		shutdown(sandbox.channel, SHUT_RDWR); /* as an end of its own would; what was sent can still be read */
		close(ends[1]);
		ran += read_all(ends[0], text, sizeof(text)).n > 0;
		finish(&sandbox, ends[0]);
	}
	/* Now and then a program may be faster than this test; without the look at the channel it always is. */
	assert_in_range(ran, 0, 5);
	kh_sandbox_kit_done(&kit);
	assert_no_children();
}

/* An executor that is killed takes its sandboxes along. */
static void test_orphan(struct kh_test *t)
{
	struct kh_sandbox_kit kit;
	char text[64];
	int ends[2];

	kit_init(t, &kit);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	int executor = fork();
	if (executor == 0) {
		struct kh_sandbox sandbox;
		enum kh_part part;
		int error, null = open("/dev/null", O_RDWR | O_CLOEXEC);
		if (!kh_sandbox_prepare(&kit, KH_PROFILE_RUN, false, 9, &sandbox, &part, &error))
			_exit(1);
		send_job(&sandbox, (const char *const[]){"sh", "-c", "echo on; sleep 1000", NULL}, NULL,
			 (const int[]){null, ends[1], null});
		for (;;)
			pause();
	}
	close(ends[1]);
	assert_true(wait_readable(ends[0]));
	assert_int_equal(read(ends[0], text, 3), 3);
	kill(executor, SIGKILL);
	assert_int_equal(waitpid(executor, NULL, 0), executor);
	/* Nobody holds the other end any more. */
	assert_int_equal(read_all(ends[0], text, sizeof(text)).n, 0);
	close(ends[0]);
	kh_sandbox_kit_done(&kit);
}

/* The same where the executor died early and somebody still holds its end of the channel. */
static void test_held_channel(struct kh_test *t)
{
	size_t ran = 0;

	(void)t;
	for (int i = 0; i < 10; i++) {
		char text[64];
		int ends[2], held[2];
		assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
		assert_int_equal(kh_channel_pair(held, NULL), KH_OK);
		int executor = fork();
		if (executor == 0) {
			struct kh_sandbox_kit kit;
			struct kh_sandbox sandbox;
			enum kh_part part;
			int error;
			if (kh_sandbox_kit_init(&kit, kh_workers_serve, &kh_alloc_system, NULL) != KH_OK ||
			    !kh_sandbox_prepare(&kit, KH_PROFILE_RUN, false, 1, &sandbox, &part, &error))
				_exit(1);
			send_job(&sandbox, (const char *const[]){"echo", "ran", NULL}, NULL,
				 (const int[]){ends[1], ends[1], ends[1]});
			(void)!kh_channel_send(held[1], KH_LIT("x"), &sandbox.channel, 1);
			kill(getpid(), SIGKILL);
		}
		close(ends[1]);
		assert_int_equal(waitpid(executor, NULL, 0), executor);
		ran += read_all(ends[0], text, sizeof(text)).n > 0;
		close(ends[0]);
		close(held[0]);
		close(held[1]);
	}
	assert_in_range(ran, 0, 2);
}

/* A path of a job that has a link on its way leads nowhere: a program may have put it there a moment ago. */
static void test_link(struct kh_test *t)
{
	char folder[] = "/tmp/keyhole-link-XXXXXX", link[64];
	struct kh_sandbox_kit kit;
	struct kh_sandbox sandbox;
	struct kh_message message;
	enum kh_message_state state = KH_STATE_SANDBOX_COLD;
	int out;

	kit_init(t, &kit);
	assert_non_null(mkdtemp(folder));
	snprintf(link, sizeof(link), "%s/link", folder);
	assert_int_equal(symlink(folder, link), 0);
	begin(&kit, (const char *const[]){"true", NULL}, link, &sandbox, &out);
	assert_int_equal(hear(&sandbox, &state, &message), KH_MESSAGE_WARM);
	assert_int_equal(hear(&sandbox, &state, &message), KH_MESSAGE_BROKEN);
	assert_int_equal(message.number[KH_FIELD_PART], KH_PART_FOLDER);
	assert_int_equal(message.number[KH_FIELD_ERRNO], ELOOP);
	finish(&sandbox, out);
	kh_sandbox_kit_done(&kit);
	unlink(link);
	rmdir(folder);
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_kit),       KH_TEST_ONCE(test_run),          KH_TEST_ONCE(test_broken),
	KH_TEST_ONCE(test_kill), KH_TEST_ONCE(test_no_executor),  KH_TEST_ONCE(test_orphan),
	KH_TEST_ONCE(test_link), KH_TEST_ONCE(test_held_channel),
};

KH_TEST_MAIN(cases)
