/* The hostile worker's main(), and how a call is tried. */
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

const char *came_through(const char *fmt, ...)
{
	static char text[400];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return text;
}

long raw_call(long number, const long a[6])
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

/* How long a call may take before it counts as let through; some only ever wait. */
static void set_timer(long number)
{
	struct itimerval soon = {.it_value = {.tv_sec = 1}};

#ifdef SYS_pause
	if (number == SYS_pause)
		soon.it_value = (struct timeval){.tv_usec = 20000};
#endif
	if (number == SYS_rt_sigsuspend)
		soon.it_value = (struct timeval){.tv_usec = 20000};
	setitimer(ITIMER_REAL, &soon, NULL);
}

static long call_in_child(long number, const long a[6])
{
	static volatile long *page;
	int status;
	pid_t pid;

	if (page == NULL)
		page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	page[0] = BLOCKED;
	/* Those before may not be gone yet, and the number of processes is bounded. */
	for (int i = 0; (pid = fork()) < 0 && i < 500; i++)
		usleep(10000);
	if (pid == 0) {
		static const long end[6];

		setpgid(0, 0);
		set_timer(number);
		page[0] = raw_call(number, a);
		for (;;)
			raw_call(SYS_exit_group, end);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return BLOCKED;
	if (WIFSIGNALED(status))
		return WTERMSIG(status) == SIGSYS ? KILLED : BLOCKED;
	return page[0];
}

long try_call(struct hostile *h, long number, const long a[6])
{
	if (h->has_children)
		return call_in_child(number, a);
	return h->steps++ == h->step ? raw_call(number, a) : SKIPPED;
}

bool is_refused(long answer)
{
	return answer == KILLED || answer == SKIPPED || (answer < 0 && answer > -4096);
}

void say(const struct hostile *h, const char *word, const char *name, const char *more)
{
	char text[600];
	int n = snprintf(text, sizeof(text), "%s %s%s%s", word, name, more[0] != '\0' ? " " : "", more);

	for (int i = 0; h->is_server && i < n && text[i] != '\0'; i++)
		if (text[i] == '"' || text[i] == '\\' || text[i] < ' ')
			text[i] = '?';
	printf(h->is_server ? "{\"jsonrpc\":\"2.0\",\"method\":\"%s\"}\n" : "%s\n", text);
	fflush(stdout);
}

static const struct attack *find(const char *name)
{
	static const struct attack *const lists[] = {kernel_attacks, socket_attacks, file_attacks, process_attacks,
						     limit_attacks};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (const struct attack *attack = lists[i]; attack->name != NULL; attack++)
			if (strcmp(attack->name, name) == 0)
				return attack;
	return NULL;
}

int main(int argc, char **argv)
{
	struct hostile h = {.argc = argc - 4, .argv = argv + 4};
	const struct attack *attack = argc < 4 ? NULL : find(argv[1]);
	const char *what;

	if (attack == NULL) {
		fprintf(stderr, "usage: hostile NAME PROFILE STEP [ARGUMENT...]\n");
		return 2;
	}
	/* Nothing of this is for a machine that is not protected from it. */
	if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 2 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) {
		printf("FAIL %s there is no sandbox\n", attack->name);
		return 3;
	}
	h.is_server = strcmp(argv[2], "server") == 0;
	h.has_children = h.is_server || strcmp(argv[2], "run") == 0;
	h.step = strtol(argv[3], NULL, 10);
	/* One of its numbers is that of write(2), and nothing but messages may be in a server's output. */
	int out = h.is_server && strcmp(attack->name, "every_number") == 0 ? fcntl(1, F_DUPFD_CLOEXEC, 100) : -1;
	if (out >= 0 && (close(1) != 0 || open("/dev/null", O_WRONLY) != 1))
		return 3;
	what = attack->fn(&h);
	if (out >= 0)
		(void)dup2(out, 1);
	if (what != NULL)
		say(&h, "FAIL", attack->name, what);
	else
		say(&h, !h.has_children && h.steps > 0 && h.step >= h.steps ? "end" : "ok", attack->name, "");
	return what != NULL;
}
