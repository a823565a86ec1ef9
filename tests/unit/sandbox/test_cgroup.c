/*
 * E7: groups of processes, where they can be had, and no folder left of them.  An ordinary user mostly has none; then
 * what is tested is that a group without a folder does no harm.
 */
#include "harness.h"

#include "sandbox/cgroup.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define A_LONG_TIME 1000 /* times 10 ms, after which something did not happen */

static bool has_any(const struct kh_cgroup_base *base)
{
	return base->has_memory || base->has_pids;
}

/* How many folders BASE has on disk, and GROUP in them where it is not NULL. */
static size_t folders(const struct kh_cgroup_base *base, const char *group)
{
	size_t n = 0;

	for (size_t i = 0; i < KH_CGROUP_HIERARCHIES; i++) {
		char path[64];
		struct stat st;
		snprintf(path, sizeof(path), "%s%s%s", base->name, group ? "/" : "", group ? group : "");
		n += base->parent[i] >= 0 && fstatat(base->parent[i], path, &st, 0) == 0;
	}
	return n;
}

static uint64_t read_number(const struct kh_cgroup_base *base, const char *group, const char *file)
{
	for (size_t i = 0; i < KH_CGROUP_HIERARCHIES; i++) {
		char path[128], text[64] = "";
		snprintf(path, sizeof(path), "%s/%s", group, file);
		int fd = base->own[i] < 0 ? -1 : openat(base->own[i], path, O_RDONLY | O_CLOEXEC);
		ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
		int64_t value = 0;
		if (fd >= 0)
			close(fd);
		if (n > 0 && kh_view_int(kh_view_trim(kh_view_of(text, (size_t)n)), &value))
			return (uint64_t)value;
	}
	return 0;
}

/* A process that enters GROUP, says whether it could, and sleeps. */
static int sleeper(const struct kh_cgroup *group, bool *ret_entered)
{
	int pipes[2];
	char said = 0;

	assert_int_equal(pipe(pipes), 0);
	int pid = fork();
	if (pid == 0) {
		said = kh_cgroup_enter(group) ? 'y' : 'n';
		(void)!write(pipes[1], &said, 1);
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	assert_int_equal(read(pipes[0], &said, 1), 1);
	close(pipes[0]);
	close(pipes[1]);
	*ret_entered = said == 'y';
	return pid;
}

static void end(int pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void test_group(struct kh_test *t)
{
	struct kh_cgroup_base base;
	struct kh_cgroup group = {0};
	bool entered;

	(void)t;
	kh_cgroup_base_init(&base, getpid());
	print_message("cgroups here: %s\n", kh_cgroup_base_has(&base));
	assert_int_equal(has_any(&base), strcmp(kh_cgroup_base_has(&base), "none") != 0);
	assert_true(kh_cgroup_new(&base, 7, &group));
	int pid = sleeper(&group, &entered);
	assert_true(entered);
	/* Up and down: a sandbox that waits has the usual limits, and the request others. */
	assert_true(kh_cgroup_limit(&group, 128 << 20, 5));
	assert_true(kh_cgroup_limit(&group, 1 << 30, 50));
	assert_true(kh_cgroup_limit(&group, 64 << 20, 5));
	if (has_any(&base)) {
		size_t hierarchies = folders(&base, NULL);
		assert_true(hierarchies > 0);
		assert_int_equal(folders(&base, "7"), hierarchies);
		if (!base.is_v2) /* there a process is cloned into it */
			assert_int_equal(read_number(&base, "7", "cgroup.procs"), pid);
		if (base.has_pids)
			assert_int_equal(read_number(&base, "7", "pids.max"),
					 7); /* and the first process, and one that makes maps */
		/* Its number is taken; its neighbour's is not. */
		struct kh_cgroup other = {0};
		assert_false(kh_cgroup_new(&base, 7, &other));
		assert_int_equal(folders(&base, "7"), hierarchies);
		assert_true(kh_cgroup_new(&base, 8, &other));
		kh_cgroup_done(&other);
	} else {
		assert_int_equal(kh_cgroup_clone_into(&group), -1);
		assert_int_equal(folders(&base, NULL), 0);
	}
	end(pid);
	kh_cgroup_done(&group);
	kh_cgroup_done(&group);
	assert_int_equal(folders(&base, "7"), 0);
	kh_cgroup_base_done(&base);
	kh_cgroup_base_done(&base);
	assert_int_equal(waitpid(-1, NULL, 0), -1); /* the keeper is gone too */
}

/* A process that cannot enter every group must not be used: it is told. */
static void test_not_everywhere(struct kh_test *t)
{
	struct kh_cgroup_base base;
	struct kh_cgroup group = {0}, gone;
	bool entered;

	(void)t;
	kh_cgroup_base_init(&base, getpid());
	assert_true(kh_cgroup_new(&base, 1, &group));
	gone = group;
	kh_cgroup_done(&group);
	end(sleeper(&gone, &entered));
	assert_int_equal(entered, !has_any(&base) || base.is_v2);
	kh_cgroup_base_done(&base);
}

/* A process that has the folders of an executor, and two groups in them. */
static int start_executor(struct kh_cgroup_base *ret_seen)
{
	int pipes[2];

	assert_int_equal(pipe(pipes), 0);
	int executor = fork();
	if (executor == 0) {
		struct kh_cgroup group = {0};
		kh_cgroup_base_init(ret_seen, getpid());
		bool ok = kh_cgroup_new(ret_seen, 1, &group) && kh_cgroup_new(ret_seen, 2, &group);
		(void)!write(pipes[1], ret_seen, ok ? sizeof(*ret_seen) : 1);
		for (;;)
			pause();
	}
	assert_int_equal(read(pipes[0], ret_seen, sizeof(*ret_seen)), sizeof(*ret_seen));
	close(pipes[0]);
	close(pipes[1]);
	return executor;
}

/* The descriptors of SEEN are another process's: the same folders, found as it finds them by OWN. */
static struct kh_cgroup_base seen_by(const struct kh_cgroup_base *own, const struct kh_cgroup_base *seen)
{
	struct kh_cgroup_base look = *own;

	assert_string_not_equal(own->name, seen->name);
	memcpy(look.name, seen->name, sizeof(look.name));
	return look;
}

static bool is_gone(const struct kh_cgroup_base *look)
{
	for (int i = 0; i < A_LONG_TIME && folders(look, NULL) > 0; i++)
		usleep(10000);
	return folders(look, NULL) == 0;
}

/* An executor that is killed: its folders go all the same, as its sandboxes do. */
static void test_killed(struct kh_test *t)
{
	struct kh_cgroup_base seen, own, look;

	(void)t;
	int executor = start_executor(&seen);
	kh_cgroup_base_init(&own, getpid());
	look = seen_by(&own, &seen);
	assert_int_equal(folders(&look, "2") > 0, has_any(&seen));
	end(executor);
	assert_true(is_gone(&look));
	kh_cgroup_base_done(&own);
}

/* Makes the folders of LOOK look as if they had not been changed for an hour. */
static void make_old(const struct kh_cgroup_base *look)
{
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = time(NULL) - 3600}};

	for (size_t i = 0; i < KH_CGROUP_HIERARCHIES; i++)
		if (look->parent[i] >= 0)
			(void)!utimensat(look->parent[i], look->name, times, 0);
}

/* It is killed together with its keeper, as with a container: the next executor removes its folders, and not those of an
 * executor that is there. */
static void test_left(struct kh_test *t)
{
	struct kh_cgroup_base seen, other, own, next, look, alive;

	(void)t;
	int executor = start_executor(&seen), neighbour = start_executor(&other);
	kh_cgroup_base_init(&own, getpid());
	look = seen_by(&own, &seen);
	alive = seen_by(&own, &other);
	if (seen.keeper > 0)
		kill(seen.keeper, SIGKILL);
	end(executor);
	usleep(50000);
	assert_int_equal(folders(&look, "2") > 0, has_any(&seen)); /* nobody is there to remove them */
	make_old(&look);
	make_old(&alive);
	kh_cgroup_base_init(&next, getpid());
	assert_true(is_gone(&look));
	kh_cgroup_base_done(&next);
	assert_int_equal(folders(&alive, "2") > 0, has_any(&other));
	end(neighbour);
	assert_true(is_gone(&alive));
	kh_cgroup_base_done(&own);
}

/* Puts PID, which waits, into GROUP: a folder of v2 is not entered but cloned into. */
static void put_in(const struct kh_cgroup *group, int pid)
{
	char path[64], text[16];

	snprintf(path, sizeof(path), "%s/cgroup.procs", group->name);
	int n = snprintf(text, sizeof(text), "%d", pid);
	int fd = openat(group->base->own[0], path, O_WRONLY | O_CLOEXEC);
	assert_int_equal(write(fd, text, (size_t)n), n);
	close(fd);
}

/* A group of which the kernel has killed a process for its memory says so. */
static void test_spent(struct kh_test *t)
{
	struct kh_cgroup_base base;
	struct kh_cgroup group = {0};
	int pipes[2], status = 0;
	const size_t much = 64 << 20;

	(void)t;
	kh_cgroup_base_init(&base, getpid());
	assert_true(kh_cgroup_new(&base, 3, &group));
	assert_false(kh_cgroup_is_spent(&group));
	if (base.has_memory) {
		assert_int_equal(pipe(pipes), 0);
		int pid = fork();
		if (pid == 0) {
			char byte;
			close(pipes[1]);
			if (read(pipes[0], &byte, 1) != 0 || !kh_cgroup_enter(&group))
				_exit(1);
			char *p = mmap(NULL, much, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			for (size_t i = 0; p != MAP_FAILED && i < much; i += 4096)
				((volatile char *)p)[i] = 1;
			_exit(2);
		}
		if (base.is_v2)
			put_in(&group, pid);
		assert_true(kh_cgroup_limit(&group, much / 4, 5));
		assert_false(kh_cgroup_is_spent(&group));
		close(pipes[0]);
		close(pipes[1]);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		assert_true(kh_cgroup_is_spent(&group));
	}
	kh_cgroup_done(&group);
	assert_false(kh_cgroup_is_spent(&group));
	kh_cgroup_base_done(&base);
}

/* N processes that spin in GROUP, all on the same processor. */
static void spin(const struct kh_cgroup *group, int *pids, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			cpu_set_t one;
			CPU_ZERO(&one);
			CPU_SET(0, &one);
			if (!kh_cgroup_enter(group) || sched_setaffinity(0, sizeof(one), &one) != 0)
				_exit(1);
			for (;;)
				;
		}
		assert_true(pids[i] > 0);
	}
}

/* Ends them; the processor time that they had. */
static double stop_spinning(const int *pids, size_t n)
{
	double seconds = 0;

	for (size_t i = 0; i < n; i++) {
		struct rusage usage;
		kill(pids[i], SIGKILL);
		assert_int_equal(wait4(pids[i], NULL, 0, &usage), pids[i]);
		seconds += (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6;
	}
	return seconds;
}

/* Two groups have the same share of a processor, whatever number of processes each has in it. */
static void test_shares(struct kh_test *t)
{
	struct kh_cgroup_base base;
	struct kh_cgroup few = {0}, many = {0};
	int one[1], eight[8];

	(void)t;
	kh_cgroup_base_init(&base, getpid());
	if (base.has_cpu && !base.is_v2) {
		assert_true(kh_cgroup_new(&base, 5, &few) && kh_cgroup_new(&base, 6, &many));
		spin(&many, eight, 8);
		spin(&few, one, 1);
		usleep(1500000);
		double of_few = stop_spinning(one, 1), of_many = stop_spinning(eight, 8);
		print_message("one process %.2f s, eight %.2f s\n", of_few, of_many);
		/* Without groups it would be a ninth. */
		assert_true(of_few > of_many / 2);
		kh_cgroup_done(&few);
		kh_cgroup_done(&many);
	}
	kh_cgroup_base_done(&base);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_group), KH_TEST_ONCE(test_not_everywhere), KH_TEST_ONCE(test_killed),
	KH_TEST_ONCE(test_left),  KH_TEST_ONCE(test_spent),          KH_TEST_ONCE(test_shares),
};

KH_TEST_MAIN(cases)
