/* One system call under a filter, made in a process of its own, which the kernel lets go on or kills. */
#ifndef KH_TESTS_SANDBOX_CALLING_H
#define KH_TESTS_SANDBOX_CALLING_H

#include "harness.h"
#include "sandbox/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define KILLED  (-100000L) /* by SIGSYS */
#define CRASHED (-100001L) /* by another signal, or ended: the call was let through */
#define NOTHING (-100003L)

/* By hand and not by syscall(): a vfork'ed child must end here, before it spoils the stack that it shares. */
static inline long call6(long number, const long a[6])
{
#ifdef __x86_64__
	long r, first = a[0], shares = number == SYS_vfork;

	__asm__ volatile("mov %[fourth], %%r10\n\t"
			 "mov %[fifth], %%r8\n\t"
			 "mov %[sixth], %%r9\n\t"
			 "syscall\n\t"
			 "test %%rax, %%rax\n\t"
			 "jnz 1f\n\t"
			 "test %[shares], %[shares]\n\t"
			 "jz 1f\n\t"
			 "mov $231, %%eax\n\t" /* exit_group(0) */
			 "xor %%edi, %%edi\n\t"
			 "syscall\n"
			 "1:"
			 : "=a"(r), "+D"(first)
			 : "a"(number), "S"(a[1]),
			   "d"(a[2]), [fourth] "r"(a[3]), [fifth] "r"(a[4]), [sixth] "r"(a[5]), [shares] "r"(shares)
			 : "rcx", "r8", "r9", "r10", "r11", "memory");
	return r;
#else
	long r = syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);

	return r == -1 ? -errno : r;
#endif
}

static volatile long *shared(void)
{
	static volatile long *page;

	if (page == NULL) {
		void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

		assert_ptr_not_equal(p, MAP_FAILED);
		page = p;
	}
	return page;
}

static struct kh_filter *make(struct kh_test *t, enum kh_filter_kind kind)
{
	struct kh_filter *filter = NULL;

	must(t, kh_filter_new(kind, &t->alloc, &filter, &t->err));
	return filter;
}

static void quiet_child(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct rlimit second = {.rlim_cur = 1, .rlim_max = 2};

	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	setrlimit(RLIMIT_CPU, &second); /* whatever happens, it ends */
	setpgid(0, 0);                  /* a signal to the group stays here */
}

/* What CALL with A answers under FILTER: its result, KILLED or CRASHED. */
static long answer(const struct kh_filter *filter, long number, const long a[6])
{
	static const long end[6] = {0};
	static unsigned n; /* of places: a process that an allowed call has made may still write to its own */
	volatile long *page = shared() + n++ % 256;
	int status, pid;

	page[0] = NOTHING;
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct itimerval soon = {.it_value = {.tv_usec = 200000}};

		quiet_child();
#ifdef SYS_pause
		if (number == SYS_pause)
			setitimer(ITIMER_REAL, &soon, NULL);
#endif
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || kh_filter_install(filter) != 0)
			_exit(99);
		page[0] = call6(number, a);
		for (;;)
			call6(SYS_exit_group, end);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 99);
	if (WIFSIGNALED(status))
		return WTERMSIG(status) == SIGSYS ? KILLED : CRASHED;
	return page[0] == NOTHING ? CRASHED : page[0];
}

#endif
