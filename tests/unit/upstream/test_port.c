/* U2, U8: the log of an upstream server, what it has sent on a day, and its state for other processes. */
#include "upstream/port.h"

#include "base/alloc.h"
#include "harness.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A home folder of its own. */
struct place {
	char folder[64];
	char text[300000];
};

static struct place place;

static void set_up(void)
{
	char logs[80];

	snprintf(place.folder, sizeof(place.folder), "/tmp/kh-port-XXXXXX");
	assert_non_null(mkdtemp(place.folder));
	snprintf(logs, sizeof(logs), "%s/logs", place.folder);
	assert_int_equal(mkdir(logs, 0700), 0);
}

static void tear_down(void)
{
	static const char *const names[] = {"/logs/a.log", "/logs/a.log.1", "/logs/a.sent", "/logs/a.state",
					    "/logs/a.new"};
	char path[128];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", place.folder, names[i]);
		(void)unlink(path);
	}
	snprintf(path, sizeof(path), "%s/logs", place.folder);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(rmdir(place.folder), 0);
}

/* The text of a file of the server `a`; its mode is 0600. */
static const char *read_file(const char *ending)
{
	char path[128];
	struct stat st;

	snprintf(path, sizeof(path), "%s/logs/a%s", place.folder, ending);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, place.text, sizeof(place.text) - 1) : 0;
	if (fd >= 0) {
		assert_int_equal(fstat(fd, &st), 0);
		assert_int_equal(st.st_mode & 0777, 0600);
		close(fd);
	}
	place.text[n] = '\0';
	return place.text;
}

/* A port; BESIDE, which may be NULL, is freed if there is no memory for it. */
static struct kh_port *port_of(struct kh_test *t, bool tells, struct kh_port *beside)
{
	struct kh_port_settings settings = {
		.alloc = &t->alloc, .folder = kh_view_str(place.folder), .name = KH_LIT("a"), .tells = tells};
	struct kh_port *port = NULL;

	enum kh_err e = kh_port_new(&settings, &port, &t->err);
	if (e != KH_OK) {
		kh_port_free(beside);
		tear_down();
	}
	must(t, e);
	return port;
}

static struct kh_server_end kept(const char *errors, uint64_t written, uint64_t sent, const char *detail)
{
	struct kh_server_end end = {
		.end = {.sent = sent}, .errors = kh_tainted_wrap(kh_view_str(errors)), .written = written};

	snprintf(end.end.detail, sizeof(end.end.detail), "%s", detail);
	return end;
}

/* U8: of what is kept, only the new part is written, behind a bar and without control characters. */
static void test_log(struct kh_test *t)
{
	struct kh_port_life heard = {.life = 0};

	set_up();
	struct kh_port *port = port_of(t, false, NULL);
	struct kh_server_end first = kept("one\n\x1b[2Jtwo\n", 12, 0, ""), second = kept("[2Jtwo\nthree", 17, 0, "");
	kh_port_hear(port, &heard, 1, &first);
	kh_port_hear(port, &heard, 1, &first);
	kh_port_hear(port, &heard, 1, &second);
	/* Another life begins anew; more was written than is kept. */
	struct kh_server_end third = kept("four\n", 1000, 0, "host:1: refused");
	kh_port_hear(port, &heard, 2, &third);
	kh_port_hear(port, &heard, 2, &third);
	kh_port_write(port);
	const char *log = read_file(".log");
	assert_non_null(strstr(log, "  | one\n  | ?[2Jtwo\n  | three\n  | four\n"));
	/* Our own sentences need memory, and are left out if there is none. */
	const char *refused = strstr(log, "Z network: host:1: refused\n");
	assert_true(refused != NULL || t->fired);
	assert_true(refused == NULL || strstr(refused + 1, "Z network") == NULL);
	assert_string_equal(read_file(".state"), "");
	kh_port_free(port);
	tear_down();
}

/* U8: a log has a bound, and the newest of it stays; so has what waits. */
static void test_bounds(struct kh_test *t)
{
	static char line[1002];
	struct kh_port_life heard = {.life = 0};
	uint64_t written = 0;

	set_up();
	struct kh_port *port = port_of(t, false, NULL);
	memset(line, 'x', 1000);
	line[1000] = '\n';
	for (int i = 0; i < 600; i++) {
		snprintf(line, 8, "%06d", i);
		line[6] = 'x';
		struct kh_server_end one = kept(line, written += 1001, 0, "");
		kh_port_hear(port, &heard, 1, &one);
		if (i % 40 == 39)
			kh_port_write(port);
	}
	assert_non_null(strstr(read_file(".log"), "  | 000599"));
	assert_true(strlen(place.text) <= KH_PORT_LOG);
	assert_true(strlen(read_file(".log.1")) <= KH_PORT_LOG);
	assert_true(strlen(place.text) > KH_PORT_LOG / 2);
	/* 200 lines at once do not fit. */
	for (int i = 0; i < 200; i++) {
		struct kh_server_end one = kept(line, written += 1001, 0, "");
		kh_port_hear(port, &heard, 1, &one);
	}
	kh_port_write(port);
	assert_non_null(strstr(read_file(".log"), "lines are missing here"));
	kh_port_free(port);
	tear_down();
}

/* U2: what was sent is counted once, over lives, processes and restarts, and what is left of a day is the rest. */
static void test_sent(struct kh_test *t)
{
	struct kh_port_life heard = {.life = 0}, other = {.life = 0};
	struct kh_port_state state;

	set_up();
	struct kh_port *port = port_of(t, false, NULL);
	assert_int_equal(kh_port_left(port, 1000), 1000);
	struct kh_server_end first = kept("", 0, 100, ""), more = kept("", 0, 250, ""), lost = kept("", 0, 0, "");
	kh_port_hear(port, &heard, 1, &first);
	kh_port_hear(port, &heard, 1, &first);
	kh_port_hear(port, &other, 1, &more);
	kh_port_hear(port, &heard, 1, &more);
	kh_port_hear(port, &heard, 1, &lost); /* an executor that died does not know */
	assert_int_equal(kh_port_left(port, 1000), 500);
	kh_port_hear(port, &heard, 2, &first);
	assert_int_equal(kh_port_left(port, 1000), 400);
	assert_int_equal(kh_port_left(port, 600), 0);
	assert_int_equal(kh_port_left(port, 10), 0);
	kh_port_write(port);
	/* The sum is read with memory of its own, which does not fail here. */
	assert_int_equal(kh_port_look(kh_view_str(place.folder), KH_LIT("a"), &state), 600);
	/* Another process adds to it, and this one learns of it. */
	struct kh_port *second = port_of(t, false, port);
	assert_int_equal(kh_port_left(second, 1000), 400);
	kh_port_hear(second, &(struct kh_port_life){0}, 1, &first);
	kh_port_free(second);
	assert_int_equal(kh_port_left(port, 1000), 400);
	kh_port_write(port);
	assert_int_equal(kh_port_left(port, 1000), 300);
	/* One that wanted to send more is held for the rest of the day, in every process. */
	struct kh_server_end spent = kept("", 0, 100, "");
	spent.end.is_spent = true;
	kh_port_hear(port, &heard, 2, &spent);
	assert_int_equal(kh_port_left(port, 1000), 0);
	kh_port_write(port);
	second = port_of(t, false, port);
	assert_int_equal(kh_port_left(second, 100000), 0);
	kh_port_free(second);
	kh_port_free(port);
	tear_down();
}

/* U8: another process sees how the server is, as long as the one that runs it lives. */
static void test_state(struct kh_test *t)
{
	struct kh_port_state state = {.state = "held", .processes = 3, .why = "it failed"}, seen;

	set_up();
	struct kh_view folder = kh_view_str(place.folder);
	assert_int_equal(kh_port_look(folder, KH_LIT("a"), &seen), 0);
	assert_string_equal(seen.state, "down");
	struct kh_port *port = port_of(t, true, NULL);
	kh_port_set(port, &state);
	kh_port_write(port);
	(void)kh_port_look(folder, KH_LIT("a"), &seen);
	assert_true(strcmp(seen.state, "held") == 0 || t->fired);
	if (!t->fired) {
		assert_int_equal(seen.processes, 3);
		assert_string_equal(seen.why, "it failed");
	}
	kh_port_free(port);
	char path[128];
	snprintf(path, sizeof(path), "%s/logs/a.state", place.folder);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs("{\"pid\":2147483646,\"state\":\"up\",\"processes\":1,\"why\":\"\"}", file);
	fclose(file);
	(void)kh_port_look(folder, KH_LIT("a"), &seen);
	assert_string_equal(seen.state, "down");
	tear_down();
}

struct told {
	int count;
	enum kh_err answer;
};

static enum kh_err tell(void *context)
{
	struct told *told = context;

	told->count++;
	return told->answer;
}

/* U4: the same is reported once; what could not be recorded is reported again. */
static void test_report(struct kh_test *t)
{
	struct kh_digest one = {{1}}, two = {{2}};
	struct told told = {.answer = KH_OK};

	set_up();
	struct kh_port *port = port_of(t, false, NULL);
	assert_int_equal(kh_port_report(port, &one, tell, &told), KH_OK);
	assert_int_equal(kh_port_report(port, &one, tell, &told), KH_OK);
	assert_int_equal(told.count, 1);
	told.answer = KH_ESTORE;
	assert_int_equal(kh_port_report(port, &two, tell, &told), KH_ESTORE);
	assert_int_equal(kh_port_report(port, &two, tell, &told), KH_ESTORE);
	told.answer = KH_OK;
	assert_int_equal(kh_port_report(port, &two, tell, &told), KH_OK);
	assert_int_equal(kh_port_report(port, &one, tell, &told), KH_OK);
	assert_int_equal(told.count, 5);
	kh_port_free(port);
	tear_down();
}

static const struct kh_test_case cases[] = {KH_TEST(test_log), KH_TEST_ONCE(test_bounds), KH_TEST(test_sent),
					    KH_TEST(test_state), KH_TEST(test_report)};
KH_TEST_MAIN(cases)
