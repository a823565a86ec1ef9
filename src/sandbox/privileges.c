/*
 * Giving up.  Each function asks the kernel by another call than the one that did it, and into memory that does not
 * have the wanted answer already.
 */
#include "sandbox/privileges.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/securebits.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BITS                                                                                             \
	(SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP | SECBIT_NO_SETUID_FIXUP_LOCKED | \
	 SECBIT_KEEP_CAPS_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED)
#define CAPABILITIES 64
#define HIGH         16 /* above all descriptors of a program at its start */

int kh_privileges_die_with_parent(void)
{
	int sig = 0;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || prctl(PR_GET_PDEATHSIG, &sig) < 0)
		return errno;
	return sig == SIGKILL ? 0 : EPROTO;
}

int kh_privileges_bind(void)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return errno;
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? kh_privileges_die_with_parent() : EPROTO;
}

int kh_privileges_become(unsigned uid, unsigned gid)
{
	uid_t u[3] = {~uid, ~uid, ~uid};
	gid_t g[3] = {~gid, ~gid, ~gid};

	if (setgroups(0, NULL) < 0 || setresgid(gid, gid, gid) < 0 || setresuid(uid, uid, uid) < 0 ||
	    getresuid(&u[0], &u[1], &u[2]) < 0 || getresgid(&g[0], &g[1], &g[2]) < 0)
		return errno;
	for (size_t i = 0; i < 3; i++)
		if (u[i] != uid || g[i] != gid)
			return EPROTO;
	return getgroups(0, NULL) == 0 ? 0 : EPROTO;
}

bool kh_privileges_is(unsigned uid, unsigned gid)
{
	return getuid() == uid && geteuid() == uid && getgid() == gid && getegid() == gid;
}

int kh_privileges_drop_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {{0}}, now[2] = {{1, 1, 1}, {1, 1, 1}};

	if (prctl(PR_SET_SECUREBITS, BITS) < 0)
		return errno;
	if (prctl(PR_GET_SECUREBITS) != BITS)
		return EPROTO;
	for (int capability = 0; capability < CAPABILITIES; capability++) {
		if (prctl(PR_CAPBSET_DROP, capability) < 0) {
			if (errno != EINVAL)
				return errno;
			break; /* the kernel has no more */
		}
		if (prctl(PR_CAPBSET_READ, capability) != 0)
			return EPROTO;
	}
	if (syscall(SYS_capset, &header, none) < 0 || syscall(SYS_capget, &header, now) < 0)
		return errno;
	for (size_t i = 0; i < 2; i++)
		if ((now[i].effective | now[i].permitted | now[i].inheritable) != 0)
			return EPROTO;
	return 0;
}

/* SIGPIPE is the one that the executor ignores.  By system call, because the library would give its own memory back if
 * the kernel wrote nothing. */
static bool has_default_signals(void)
{
	uint64_t now[8], blocked = UINT64_MAX; /* the action begins with the handler; a set of signals has 8 bytes */

	memset(now, 0xff, sizeof(now));
	return syscall(SYS_rt_sigaction, SIGPIPE, NULL, now, sizeof(blocked)) == 0 &&
	       syscall(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &blocked, sizeof(blocked)) == 0 && now[0] == 0 &&
	       blocked == 0;
}

int kh_privileges_detach(void)
{
	struct sigaction normal = {.sa_handler = SIG_DFL};
	sigset_t none;

	setsid();
	if (getsid(0) != getpid())
		return EPROTO;
	for (int sig = 1; sig < NSIG; sig++)
		sigaction(sig, &normal, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	return has_default_signals() ? 0 : EPROTO;
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0 || errno != EBADF;
}

int kh_privileges_close(int fd)
{
	close(fd);
	return is_open(fd) ? EPROTO : 0;
}

static void sort(int *fds, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		for (size_t k = i; k > 0 && fds[k] < fds[k - 1]; k--) {
			int other = fds[k];
			fds[k] = fds[k - 1];
			fds[k - 1] = other;
		}
	}
}

static int close_between(const int *keep, size_t count)
{
	unsigned from = 3;

	for (size_t i = 0; i < count; i++) {
		if (keep[i] < 0)
			continue;
		if ((unsigned)keep[i] > from && close_range(from, (unsigned)keep[i] - 1, 0) < 0)
			return errno;
		from = (unsigned)keep[i] + 1;
	}
	return close_range(from, UINT_MAX, 0) < 0 ? errno : 0;
}

int kh_privileges_take_null(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null <= STDERR_FILENO)
		return null < 0 ? errno : EPROTO;
	for (int fd = 0; fd < 3; fd++) {
		int r = dup2(null, fd);
		if (r != fd)
			return r < 0 ? errno : EPROTO;
	}
	return kh_privileges_close(null);
}

int kh_privileges_close_others(int *keep, size_t count)
{
	/* One more, which must be gone afterwards. */
	int sample = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);

	if (sample <= STDERR_FILENO)
		return sample < 0 ? errno : EPROTO;
	sort(keep, count);
	int e = close_between(keep, count);
	if (e == 0 && is_open(sample))
		e = EPROTO;
	return e;
}

int kh_privileges_take_descriptors(const int *fds, size_t count)
{
	int moved[HIGH], sample = fcntl(STDIN_FILENO, F_DUPFD, HIGH);

	if (sample < HIGH || count > HIGH)
		return sample < 0 ? errno : EPROTO;
	for (size_t i = 0; i < count; i++) {
		moved[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, HIGH);
		if (moved[i] < HIGH)
			return moved[i] < 0 ? errno : EPROTO;
	}
	for (size_t i = 0; i < count; i++) {
		int r = dup2(moved[i], (int)i);
		if (r != (int)i)
			return r < 0 ? errno : EPROTO;
	}
	if (close_range((unsigned)count, UINT_MAX, CLOSE_RANGE_CLOEXEC) < 0)
		return errno;
	return (fcntl(sample, F_GETFD) & FD_CLOEXEC) != 0 ? 0 : EPROTO;
}
