/* Processes: who one is, what was inherited, others' processes and their signals, terminals, what outlives the request.
 */
#include "hostile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

extern char **environ;

static const char *environment(struct hostile *h)
{
	static const char *const known[] = {"PATH=", "HOME=", "USER=", "TEMP=", "TMPDIR=", "LANG=", "LC_ALL="};
	size_t count = 0;

	(void)h;
	for (char **e = environ; *e != NULL; e++, count++) {
		bool good = false;

		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			good |= strncmp(*e, known[i], strlen(known[i])) == 0;
		if (!good)
			return came_through("%s", *e);
	}
	return count == 7 ? NULL : came_through("%zu variables", count);
}

/* ARGUMENT: how many descriptors there may be. */
static const char *descriptors(struct hostile *h)
{
	int most = h->argc > 0 ? (int)strtol(h->argv[0], NULL, 10) : 3;
	struct stat st;

	for (int fd = 0; fd < 65536; fd++) {
		if (fcntl(fd, F_GETFD) == -1)
			continue;
		if (fd >= most)
			return came_through("descriptor %d is open", fd);
		if (fstat(fd, &st) != 0 || !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || S_ISCHR(st.st_mode)))
			return came_through("descriptor %d is of mode %o", fd, st.st_mode);
	}
	return NULL;
}

/* --- who one is --------------------------------------------------------------------------------------------------- */

static const char *line_of(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at != NULL ? at + strlen(name) : "";
}

static const char *status_file(const char *text)
{
	static const char *const none[] = {"\nCapInh:\t", "\nCapPrm:\t", "\nCapEff:\t", "\nCapBnd:\t", "\nCapAmb:\t"};

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		if (strncmp(line_of(text, none[i]), "0000000000000000\n", 17) != 0)
			return came_through("%.30s", line_of(text, none[i]));
	if (strncmp(line_of(text, "\nNoNewPrivs:\t"), "1\n", 2) != 0 ||
	    strncmp(line_of(text, "\nSeccomp:\t"), "2\n", 2) != 0)
		return came_through("no_new_privs or seccomp");
	if (strncmp(line_of(text, "\nUid:\t"), "1000\t1000\t1000\t1000\n", 20) != 0 ||
	    strncmp(line_of(text, "\nGid:\t"), "1000\t1000\t1000\t1000\n", 20) != 0)
		return came_through("ids: %.30s", line_of(text, "\nUid:\t"));
	return NULL;
}

static const char *identity(struct hostile *h)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];
	static char text[16384];
	struct utsname name;
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);

	if (getuid() == 0 || geteuid() == 0 || getgid() == 0 || getegid() == 0)
		return came_through("it is root");
	if (syscall(SYS_capget, &header, data) != 0 ||
	    (data[0].effective | data[0].permitted | data[0].inheritable | data[1].effective | data[1].permitted |
	     data[1].inheritable) != 0)
		return came_through("capabilities");
	for (unsigned long capability = 0; capability < 64; capability++)
		if (prctl(PR_CAPBSET_READ, capability, 0, 0, 0) == 1)
			return came_through("capability %lu in the bounding set", capability);
	if (uname(&name) != 0 || strcmp(name.nodename, "keyhole") != 0)
		return came_through("the host's name %s", name.nodename);
	if (fd < 0)
		return h->has_children ? came_through("no /proc/self/status") : NULL;
	if (read(fd, text, sizeof(text) - 1) <= 0)
		return came_through("/proc/self/status is empty");
	close(fd);
	return status_file(text);
}

/* ARGUMENT...: the host's namespaces, as /proc/self/ns has them. */
static const char *own_namespaces(struct hostile *h)
{
	static const char *const names[] = {"user", "mnt", "pid", "ipc", "uts", "net", "cgroup", "time"};
	char path[64], target[128];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		(void)snprintf(path, sizeof(path), "/proc/self/ns/%s", names[i]);
		ssize_t n = readlink(path, target, sizeof(target) - 1);

		if (n <= 0)
			return came_through("%s cannot be read", path);
		target[n] = '\0';
		for (int k = 0; k < h->argc; k++)
			if (strcmp(target, h->argv[k]) == 0)
				return came_through("the host's %s", target);
	}
	return NULL;
}

static const char *cgroup(struct hostile *h)
{
	FILE *file = fopen("/proc/self/cgroup", "re");
	char line[512];

	(void)h;
	while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
		const char *path = strrchr(line, ':');

		/* Where a machine has cgroups of version 1, the sandbox's own is made after the namespace. */
		if (path == NULL || (strcmp(path, ":/\n") != 0 && strncmp(path, ":/keyhole-", 10) != 0))
			return came_through("the host's cgroup %s", line);
	}
	if (file != NULL)
		fclose(file);
	return NULL;
}

static const char *interfaces(struct hostile *h)
{
	struct ifconf list = {.ifc_len = 0};
	struct ifreq found[16], request = {.ifr_name = "lo"};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	FILE *file = fopen("/proc/self/net/dev", "re");
	char line[512];

	(void)h;
	list.ifc_len = sizeof(found);
	list.ifc_req = found;
	if (ioctl(fd, SIOCGIFCONF, &list) == 0 && list.ifc_len > 0)
		return came_through("an interface with an address");
	if (ioctl(fd, SIOCGIFFLAGS, &request) == 0 && (request.ifr_flags & IFF_UP) != 0)
		return came_through("lo is up");
	for (unsigned index = 2; index < 64; index++) {
		request.ifr_ifindex = (int)index;
		if (ioctl(fd, SIOCGIFNAME, &request) == 0 && strcmp(request.ifr_name, "lo") != 0)
			return came_through("interface %s", request.ifr_name);
	}
	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (strchr(line, ':') != NULL && strstr(line, "lo:") == NULL)
			return came_through("interface %.20s", line);
	if (file != NULL)
		fclose(file);
	close(fd);
	return NULL;
}

/* --- others ------------------------------------------------------------------------------------------------------- */

static const char *others_in_proc(struct hostile *h)
{
	DIR *dir = opendir("/proc");
	const struct dirent *entry;

	(void)h;
	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		long pid = strtol(entry->d_name, NULL, 10);

		if (pid > 2)
			return came_through("process %ld", pid);
		if (pid == 0 && entry->d_name[0] != '.' && strcmp(entry->d_name, "self") != 0 &&
		    strcmp(entry->d_name, "thread-self") != 0)
			return came_through("/proc/%s", entry->d_name);
	}
	if (dir != NULL)
		closedir(dir);
	return NULL;
}

/* ARGUMENT...: pids of the host's. */
static const char *signals(struct hostile *h)
{
	siginfo_t info = {.si_code = SI_QUEUE};

	for (int pid = 1; pid < 70000; pid++)
		if (pid != getpid() && kill(pid, 0) == 0 && pid != 1)
			return came_through("process %d can be signalled", pid);
	for (int sig = 1; sig < 65; sig++)
		(void)kill(1, sig); /* its own first process lives on, or this ends here */
	for (int i = 0; i < h->argc; i++) {
		pid_t pid = (pid_t)strtol(h->argv[i], NULL, 10);

		if (pid <= 2)
			continue;
		if (kill(pid, SIGKILL) == 0 || kill(-pid, SIGKILL) == 0 || syscall(SYS_tkill, pid, SIGKILL) == 0 ||
		    syscall(SYS_tgkill, pid, pid, SIGKILL) == 0 ||
		    syscall(SYS_rt_sigqueueinfo, pid, SIGKILL, &info) == 0 || syscall(SYS_pidfd_open, pid, 0) >= 0)
			return came_through("the host's process %d", (int)pid);
	}
	if (kill(-1, SIGKILL) == 0 && h->argc > 100)
		return came_through("kill(-1)");
	return NULL;
}

/* --- setuid programs ---------------------------------------------------------------------------------------------- */

/* What PATH becomes when it is executed: its credentials, read from the dead process. */
static const char *executed(const char *path)
{
	static char text[16384];
	char name[64];
	siginfo_t info;
	pid_t pid = fork();
	const char *what = NULL;
	int fd;

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		for (int i = 0; i < 3; i++)
			dup2(null, i);
		alarm(1);
		execl(path, path, "--help", (char *)NULL);
		_exit(126);
	}
	if (pid < 0 || waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) != 0)
		return came_through("no child");
	(void)snprintf(name, sizeof(name), "/proc/%d/status", (int)pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		ssize_t n = read(fd, text, sizeof(text) - 1);

		text[n > 0 ? n : 0] = '\0';
		what = status_file(text);
		close(fd);
	}
	waitpid(pid, NULL, 0);
	return what != NULL ? came_through("%s gains something", path) : NULL;
}

static const char *setuid_programs(struct hostile *h)
{
	static const char *const folders[] = {"/usr/bin", "/usr/sbin", "/usr/lib/openssh", "/usr/lib/dbus-1.0"};
	char path[512], value[64];
	const char *what = NULL;
	size_t found = 0;

	(void)h;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		DIR *dir = opendir(folders[i]);
		const struct dirent *entry;
		struct stat st;

		while (dir != NULL && what == NULL && (entry = readdir(dir)) != NULL) {
			(void)snprintf(path, sizeof(path), "%s/%s", folders[i], entry->d_name);
			if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
				continue;
			if ((st.st_mode & 06000) == 0 &&
			    syscall(SYS_getxattr, path, "security.capability", value, sizeof(value)) <= 0)
				continue;
			what = executed(path);
			found++;
		}
		if (dir != NULL)
			closedir(dir);
	}
	return what != NULL ? what : found == 0 ? came_through("no setuid program was found to try") : NULL;
}

/* --- terminals ---------------------------------------------------------------------------------------------------- */

static const char *terminal(struct hostile *h)
{
	static const unsigned long requests[] = {TIOCSTI, TIOCLINUX, TIOCCONS, TIOCSETD, 0x100000000UL | TIOCSTI};
	char byte = 'x';

	(void)h;
	for (int fd = 0; fd < 3; fd++)
		for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
			if (syscall(SYS_ioctl, fd, requests[i], &byte) == 0)
				return came_through("ioctl(%d, %#lx)", fd, requests[i]);
	for (int fd = 0; fd < 3; fd++)
		if (isatty(fd))
			return came_through("descriptor %d is a terminal", fd);
	if (open("/dev/tty", O_RDWR | O_CLOEXEC) >= 0)
		return came_through("/dev/tty");
	if (open("/dev/ptmx", O_RDWR | O_CLOEXEC) >= 0)
		return came_through("/dev/ptmx");
	return NULL;
}

/* --- for the runner to look at -------------------------------------------------------------------------------------
 */

/* Devices that a program needs. */
static const char *devices(struct hostile *h)
{
	char bytes[16], zero[16] = {0};
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, bytes, sizeof(bytes)) != sizeof(bytes) || memcmp(bytes, zero, sizeof(zero)) != 0)
		return came_through("/dev/zero does not work");
	for (int i = 0; i < 2; i++) {
		fd = open(i ? "/dev/random" : "/dev/urandom", O_RDONLY | O_CLOEXEC);
		if (fd < 0 || read(fd, bytes, sizeof(bytes)) != sizeof(bytes) || memcmp(bytes, zero, sizeof(zero)) == 0)
			return came_through("/dev/random or /dev/urandom does not work");
	}
	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return came_through("getrandom does not work");
	if (!h->has_children)
		return NULL; /* workers write to nothing but their channel */
	fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, bytes, 1) != -1 || errno != ENOSPC)
		return came_through("/dev/full does not work");
	fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	return fd >= 0 && write(fd, bytes, 1) == 1 ? NULL : came_through("/dev/null does not work");
}

/* Leaves a daemon behind, which writes where it was started as long as it lives. */
static const char *daemon_process(struct hostile *h)
{
	(void)h;
	if (fork() == 0) {
		setsid();
		if (fork() != 0)
			_exit(0);
		for (int sig = 1; sig < 65; sig++)
			(void)signal(sig, SIG_IGN);
		for (int i = 0; i < 3; i++)
			close(i);
		for (;;) {
			int fd = open("alive", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);

			(void)write(fd, "x", 1);
			close(fd);
			usleep(5000);
		}
	}
	/* until it has written */
	for (int i = 0; i < 400 && access("alive", F_OK) != 0; i++)
		usleep(5000);
	return access("alive", F_OK) == 0 ? NULL : came_through("the daemon did not start");
}

/* A limit of 0 would have the kernel start the host's handler of cores for a crash; so it stays at 1. */
static bool can_lower_core(void)
{
	struct rlimit none = {0, 0}, limit = {0, 0};

	(void)setrlimit(RLIMIT_CORE, &none);
	(void)syscall(SYS_prlimit64, 0, RLIMIT_CORE, &none, NULL);
#ifdef SYS_setrlimit
	(void)syscall(SYS_setrlimit, RLIMIT_CORE, &none);
#endif
	return getrlimit(RLIMIT_CORE, &limit) != 0 || limit.rlim_cur != 1 || limit.rlim_max != 1;
}

/* A crash that would leave a core in the folder. */
static const char *core_dump(struct hostile *h)
{
	struct rlimit limit;
	pid_t pid = fork();
	int status = 0;

	(void)h;
	if (pid == 0) {
		struct rlimit most = {RLIM_INFINITY, RLIM_INFINITY};

		(void)setrlimit(RLIMIT_CORE, &most);
		(void)chdir("/work");
		(void)prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
		(void)kill(getpid(), SIGSEGV);
		_exit(1);
	}
	waitpid(pid, &status, 0);
	if (can_lower_core())
		return came_through("the limit of cores can be changed");
	if (getrlimit(RLIMIT_CORE, &limit) != 0 || limit.rlim_max > 1)
		return came_through("cores of %lu bytes", (unsigned long)limit.rlim_max);
	return WIFSIGNALED(status) && !WCOREDUMP(status) ? NULL : came_through("status %#x", (unsigned)status);
}

static const char *wait_for_ever(struct hostile *h)
{
	(void)h;
	for (int sig = 1; sig < 65; sig++)
		(void)signal(sig, SIG_IGN);
	for (;;)
		(void)usleep(100000);
	return NULL;
}

static const char *stop_itself(struct hostile *h)
{
	(void)h;
	for (;;)
		(void)kill(getpid(), SIGSTOP);
	return NULL;
}

static const char *close_everything(struct hostile *h)
{
	(void)h;
	for (int fd = 0; fd < 1024; fd++)
		close(fd);
	_exit(7);
}

/* Random bytes on every descriptor there is. */
static const char *noise(struct hostile *h)
{
	char bytes[4096];

	(void)h;
	(void)signal(SIGPIPE, SIG_IGN);
	for (int round = 0; round < 64; round++)
		for (int fd = 0; fd < 64; fd++) {
			size_t n = 1 + (size_t)round * 61 % sizeof(bytes);

			if (fd == 1 || fd == 2 || getrandom(bytes, n, 0) < 0)
				continue;
			if (send(fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 && errno == ENOTSOCK &&
			    fcntl(fd, F_GETFL) >= 0)
				(void)write(fd, bytes, n);
		}
	return NULL;
}

const struct attack process_attacks[] = {
	{"environment", environment},
	{"descriptors", descriptors},
	{"identity", identity},
	{"own_namespaces", own_namespaces},
	{"cgroup", cgroup},
	{"interfaces", interfaces},
	{"others_in_proc", others_in_proc},
	{"signals", signals},
	{"setuid_programs", setuid_programs},
	{"terminal", terminal},
	{"devices", devices},
	{"daemon", daemon_process},
	{"core_dump", core_dump},
	{"wait", wait_for_ever},
	{"stop", stop_itself},
	{"close_everything", close_everything},
	{"noise", noise},
	{NULL, NULL},
};
