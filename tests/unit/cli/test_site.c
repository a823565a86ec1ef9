/* I6: the tour's site listens with a certificate of its own, says what it was asked for, and is gone afterwards. */
#include "cli/tour/site.h"
#include "cli/tour/stage.h"
#include "harness.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && close(fd) == 0);
}

static void test_site_asked(struct kh_test *t)
{
	char folder[] = "/tmp/keyhole-test-XXXXXX", log[64];
	struct kh_view lines = {NULL, 0};

	assert_non_null(mkdtemp(folder));
	snprintf(log, sizeof(log), "%s/site.log", folder);
	write_file(log,
		   "ACCEPT 127.0.0.1:1\nFILE:offer.html\n"
		   "80EB:error:80000002:system library:BIO_new_file:No such file:../x.c:67:calling fopen(lost?a=1, r)\n"
		   "FILE:offer.html\nnothing\n");
	struct kh_site site = {.log = log};
	enum kh_err e = kh_site_asked(&site, &t->arena, &lines);
	kh_stage_remove(folder);
	must(t, e);
	assert_view(lines, "/offer.html\n/lost?a=1\n/offer.html\n");
	assert_int_equal(access(folder, F_OK), -1);
}

static void test_site_without_log(struct kh_test *t)
{
	struct kh_site site = {.log = "/no/such/log"};
	struct kh_view lines;

	assert_int_not_equal(kh_site_asked(&site, &t->arena, &lines), KH_OK);
}

/* Really started: the process is there, its port too, and both are gone after the end. */
static void test_site_start(struct kh_test *t)
{
	char base[] = "/tmp/keyhole-test-XXXXXX", folder[64];
	struct kh_site site = {0};
	struct stat st;

	assert_non_null(mkdtemp(base));
	snprintf(folder, sizeof(folder), "%s/site", base);
	enum kh_err e = kh_site_start(&t->arena, folder, &site, &t->err);
	if (e != KH_OK)
		fail_msg("%s", t->err.detail);
	assert_true(site.port > 0 && site.port <= 65535);
	assert_int_equal(kill(site.pid, 0), 0);
	assert_int_equal(stat(site.authority, &st), 0);
	pid_t pid = site.pid;
	kh_site_stop(&site);
	assert_int_equal(site.pid, 0);
	assert_int_equal(kill(pid, 0), -1);
	kh_site_stop(&site); /* once is enough */
	/* A second one in the same place is refused: nothing is served that somebody else put there. */
	assert_int_equal(kh_site_start(&t->arena, folder, &site, &t->err), KH_EINPUT);
	kh_stage_remove(base);
}

static void test_site_without_openssl(struct kh_test *t)
{
	char base[] = "/tmp/keyhole-test-XXXXXX", folder[64];
	struct kh_site site = {0};

	assert_non_null(mkdtemp(base));
	snprintf(folder, sizeof(folder), "%s/site", base);
	char *path = getenv("PATH");
	struct kh_view kept = kh_arena_printf(&t->arena, "%s", path != NULL ? path : "");
	setenv("PATH", "/nonexistent", 1);
	enum kh_err e = kh_site_start(&t->arena, folder, &site, &t->err);
	setenv("PATH", kept.p, 1);
	kh_stage_remove(base);
	assert_int_equal(e, KH_EUNKNOWN);
	assert_string_equal(t->err.code, "cannot_run");
	assert_int_equal(site.pid, 0);
}

static const struct kh_test_case cases[] = {KH_TEST(test_site_asked), KH_TEST_ONCE(test_site_without_log),
					    KH_TEST_ONCE(test_site_start), KH_TEST_ONCE(test_site_without_openssl)};
KH_TEST_MAIN(cases)
