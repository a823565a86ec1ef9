/* E9: comm.read opens what is beneath its folder, regular files alone, whole or not at all. */
#include "worker/read/read.h"

#include "harness.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], outside[80];

static const char *at(const char *name)
{
	static char path[200];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void set_up(void)
{
	snprintf(folder, sizeof(folder), "/tmp/keyhole-read-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(outside, sizeof(outside), "%s.outside", folder);
	put(outside, "secret");
	put(at("file"), "content");
	assert_int_equal(mkdir(at("sub"), 0700), 0);
	put(at("sub/deep"), "deep");
	assert_int_equal(symlink("sub/deep", at("inner")), 0);
	assert_int_equal(symlink("../file", at("sub/up")), 0);
	assert_int_equal(symlink(outside, at("absolute")), 0);
	assert_int_equal(symlink("../../../etc/passwd", at("relative")), 0);
	assert_int_equal(symlink("loop", at("loop")), 0);
	assert_int_equal(symlink("/proc/self/exe", at("magic")), 0);
	assert_int_equal(mkfifo(at("fifo"), 0600), 0);
}

static void tear_down(void)
{
	static const char *const names[] = {"inner", "sub/up", "absolute", "relative", "loop",
					    "magic", "fifo",   "file",     "sub/deep", "swap"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(at(names[i]));
	rmdir(at("sub"));
	rmdir(folder);
	unlink(outside);
}

/* Reads PATH below WHERE; what came in *RET_TEXT (4096 bytes), else the code. */
static const char *read_path(struct kh_test *t, const char *where, const char *path, int most, char *ret_text)
{
	struct kh_error err = {.code = NULL};
	struct kh_worker_job job = {.connection = -1, .arena = &t->arena};
	char text[400];
	int out[2];

	snprintf(text, sizeof(text), "{\"folder\":\"%s\",\"path\":\"%s\",\"most\":%d}", where, path, most);
	must(t, kh_json_read(&t->arena, kh_view_str(text), &job.root, NULL));
	assert_int_equal(pipe(out), 0);
	job.out = out[1];
	enum kh_err e = kh_worker_read_run(&job, &err);
	close(out[1]);
	ssize_t n = read(out[0], ret_text, 4095);
	close(out[0]);
	ret_text[n > 0 ? n : 0] = '\0';
	assert_true(e == KH_OK || (err.code != NULL && n == 0)); /* nothing comes of what failed */
	return e == KH_OK ? NULL : err.code;
}

static void test_reads(struct kh_test *t)
{
	static const struct {
		const char *path, *want, *code;
	} cases[] = {
		{"file", "content", NULL},
		{"./sub/../file", "content", NULL},
		{"sub/deep", "deep", NULL},
		{"inner", "deep", NULL},     /* a link that stays below */
		{"sub/up", "content", NULL}, /* up, and not out */
		{"../etc/passwd", NULL, "outside_folder"},
		{"sub/../../x", NULL, "outside_folder"},
		{"/etc/passwd", NULL, "outside_folder"},
		{"absolute", NULL, "outside_folder"},
		{"relative", NULL, "outside_folder"},
		{"loop", NULL, "outside_folder"},
		{"magic", NULL, "outside_folder"},
		{"nothing", NULL, "not_found"},
		{"file/x", NULL, "not_found"},
		{"fifo", NULL, "not_a_file"},
		{"sub", NULL, "not_a_file"},
		{".", NULL, "not_a_file"},
	};
	char text[4096];

	set_up();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *code = read_path(t, folder, cases[i].path, 100, text);
		if (cases[i].code == NULL) {
			assert_null(code);
			assert_string_equal(text, cases[i].want);
		} else {
			assert_non_null(code);
			assert_string_equal(code, cases[i].code);
		}
	}
	/* A folder that is the file itself; and one that is reached over a link. */
	assert_null(read_path(t, outside, "", 100, text));
	assert_string_equal(text, "secret");
	assert_string_equal(read_path(t, at("absolute"), "", 100, text), "outside_folder");
	tear_down();
}

static void test_sizes(struct kh_test *t)
{
	char text[4096];

	set_up();
	assert_null(read_path(t, folder, "file", 7, text));
	assert_string_equal(read_path(t, folder, "file", 6, text), "too_large");
	put(at("file"), "");
	assert_null(read_path(t, folder, "file", 0, text));
	assert_string_equal(text, "");
	tear_down();
}

static void test_no_job(struct kh_test *t)
{
	static const char *const bad[] = {
		"{}",
		"{\"folder\":\"/tmp\",\"path\":\"x\"}",
		"{\"folder\":\"tmp\",\"path\":\"x\",\"most\":1}",
		"{\"folder\":\"/tmp\",\"path\":1,\"most\":1}",
		"{\"folder\":\"/tmp\",\"path\":\"a\\u0000b\",\"most\":1}",
		"{\"folder\":\"/tmp\",\"path\":\"x\",\"most\":-1}",
	};
	struct kh_worker_job job = {.out = -1, .connection = -1, .arena = &t->arena};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		must(t, kh_json_read(&t->arena, kh_view_str(bad[i]), &job.root, NULL));
		must_fail(t, KH_EINPUT, kh_worker_read_run(&job, &t->err));
		assert_string_equal(t->err.code, "job_refused");
	}
}

static atomic_bool stop;

/* Makes `swap` lead in and out by turns, as fast as it goes. */
static void *swap(void *unused)
{
	char in[200], out[200], target[200];

	(void)unused;
	snprintf(in, sizeof(in), "%s/swap.in", folder);
	snprintf(out, sizeof(out), "%s/swap.out", folder);
	snprintf(target, sizeof(target), "%s/swap", folder);
	while (!atomic_load(&stop)) {
		(void)!symlink("file", in);
		(void)!rename(in, target);
		(void)!symlink(outside, out);
		(void)!rename(out, target);
	}
	unlink(in);
	unlink(out);
	return NULL;
}

/* E9: somebody swaps a link while it is opened: what is outside never comes out. */
static void test_swapped(struct kh_test *t)
{
	size_t inside = 0, refused = 0;
	pthread_t thread;
	char text[4096];

	set_up();
	atomic_store(&stop, false);
	assert_int_equal(pthread_create(&thread, NULL, swap, NULL), 0);
	for (int i = 0; i < 20000 && (i < 2000 || inside == 0 || refused == 0); i++) {
		kh_arena_clear(&t->arena);
		const char *code = read_path(t, folder, "swap", 100, text);
		assert_string_not_equal(text, "secret");
		inside += code == NULL;
		refused += code != NULL;
		if (code == NULL)
			assert_string_equal(text, "content");
	}
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	assert_true(inside > 0 && refused > 0);
	tear_down();
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_reads),
	KH_TEST_ONCE(test_sizes),
	KH_TEST_ONCE(test_no_job),
	KH_TEST_ONCE(test_swapped),
};

KH_TEST_MAIN(cases)
