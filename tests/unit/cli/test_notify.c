/* I4 (a service that a manager runs): what is told, on the socket that the environment names, and on no other. */
#include "harness.h"
#include "home/notify.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A manager's socket: at PATH, or abstract where that begins with @. */
static int manager(const char *path)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	memcpy(at.sun_path, path, strlen(path));
	if (path[0] == '@')
		at.sun_path[0] = '\0';
	assert_int_equal(
		bind(fd, (struct sockaddr *)&at, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path))),
		0);
	return fd;
}

static const char *heard(int fd, char *text, size_t size)
{
	ssize_t n = recv(fd, text, size - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return text;
}

static void test_tells(struct kh_test *t)
{
	char path[64], text[1024];
	struct kh_notify notify;

	(void)t;
	for (int abstract = 0; abstract < 2; abstract++) {
		snprintf(path, sizeof(path), "%s%d", abstract ? "@keyhole-test-notify-" : "/tmp/keyhole-test-notify-",
			 (int)getpid());
		int fd = manager(path);
		setenv("NOTIFY_SOCKET", path, 1);
		kh_notify_open(&notify);
		assert_null(getenv("NOTIFY_SOCKET")); /* what is started later tells nothing in our name */
		assert_true(notify.fd >= 0 && notify.watchdog_us == 0);
		kh_notify_ready(&notify, "serving");
		assert_string_equal(heard(fd, text, sizeof(text)), "READY=1\nSTATUS=serving\n");
		kh_notify_reloading(&notify);
		assert_int_equal(strncmp(heard(fd, text, sizeof(text)), "RELOADING=1\nMONOTONIC_USEC=", 27), 0);
		kh_notify_alive(&notify);
		assert_string_equal(heard(fd, text, sizeof(text)), "WATCHDOG=1\n");
		kh_notify_stopping(&notify);
		assert_string_equal(heard(fd, text, sizeof(text)), "STOPPING=1\n");
		kh_notify_close(&notify);
		close(fd);
		unlink(path);
	}
}

static void test_watchdog(struct kh_test *t)
{
	static const struct {
		const char *usec;
		int mine; /* 1: of this process, -1: of another, 0: not said */
		int64_t want;
	} all[] = {{"30000000", 0, 30000000},
		   {"30000000", 1, 30000000},
		   {"30000000", -1, 0},
		   {"", 1, 0},
		   {"x", 1, 0},
		   {"-5", 1, 0},
		   {"0", 1, 0},
		   {"5s", 1, 0},
		   {"99999999999999999999", 1, 0}};
	char path[64], pid[32];
	struct kh_notify notify;

	(void)t;
	snprintf(path, sizeof(path), "@keyhole-test-watchdog-%d", (int)getpid());
	int fd = manager(path);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		setenv("NOTIFY_SOCKET", path, 1);
		setenv("WATCHDOG_USEC", all[i].usec, 1);
		snprintf(pid, sizeof(pid), "%d", (int)getpid() + (all[i].mine < 0));
		if (all[i].mine != 0)
			setenv("WATCHDOG_PID", pid, 1);
		kh_notify_open(&notify);
		assert_true(notify.watchdog_us == all[i].want);
		assert_null(getenv("WATCHDOG_USEC"));
		kh_notify_close(&notify);
	}
	close(fd);
}

/* Nobody wants to know, or a name that is none: everything is done without a word. */
static void test_silent(struct kh_test *t)
{
	static const char *const names[] = {NULL, "", "relative", "/no/such/socket", "@", "/"};
	struct kh_notify notify;

	(void)t;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i] != NULL)
			setenv("NOTIFY_SOCKET", names[i], 1);
		kh_notify_open(&notify);
		assert_int_equal(notify.fd, -1);
		kh_notify_ready(&notify, "serving");
		kh_notify_stopping(&notify);
		kh_notify_close(&notify);
	}
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_tells), KH_TEST_ONCE(test_watchdog),
					    KH_TEST_ONCE(test_silent)};
KH_TEST_MAIN(cases)
