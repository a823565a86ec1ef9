/*
 * Self-lockdown, part by part.  The order matters: privileges are dropped before the system calls that drop them are
 * forbidden, so the filter comes last.
 *
 * Capabilities and Landlock are per thread, so a process that already has threads is refused: its other threads would
 * stay unrestricted.
 */
#include "sandbox/lockdown.h"

#include "sandbox/filter.h"
#include "sandbox/landlock.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CAPABILITIES 64 /* more than any kernel has */

static enum kh_err refused(struct kh_error *err, const char *part, int error)
{
	return kh_error_set(err, KH_EREFUSED, "lockdown", "%s: %s", part, strerrordesc_np(error));
}

/* A directory has one link for each subdirectory, besides `.` and its own name.  This counts the threads. */
static enum kh_err check_threads(struct kh_error *err)
{
	struct stat st;

	if (stat("/proc/self/task", &st) != 0)
		return refused(err, "threads cannot be counted", errno);
	if (st.st_nlink != 3)
		return kh_error_set(err, KH_EREFUSED, "lockdown", "threads: this process has %lu",
				    (unsigned long)st.st_nlink - 2);
	return KH_OK;
}

/* Drops what a later execve could give back.  EPERM is ignored, because only a process that may change the bounding set
 * needs to drop it. */
static int drop_bounding(void)
{
	for (unsigned long cap = 0; cap < CAPABILITIES && prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++)
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) != 0 && errno != EPERM)
			return errno;
	return 0;
}

static int drop_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
	int error = drop_bounding();

	if (error != 0)
		return error;
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0)
		return errno;
	return syscall(SYS_capset, &header, none) != 0 ? errno : 0;
}

/* Landlock ignores missing paths, but a missing store is a mistake. */
static enum kh_err check_there(const char *what, const char *path, bool is_folder, struct kh_error *err)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return refused(err, what, errno);
	return is_folder && !S_ISDIR(st.st_mode) ? refused(err, what, ENOTDIR) : KH_OK;
}

static enum kh_err restrict_files(const char *folder, const struct kh_lockdown_path *others, size_t count,
				  struct kh_error *err)
{
	struct kh_landlock_rule rules[KH_LOCKDOWN_PATHS + 1] = {{.path = folder, .right = KH_LANDLOCK_WRITE}};
	size_t n = folder != NULL ? 1 : 0;
	enum kh_err e = n > 0 ? check_there("the folder", folder, true, err) : KH_OK;

	if (e == KH_OK && count > KH_LOCKDOWN_PATHS)
		e = refused(err, "paths beside the folder", E2BIG);
	for (size_t i = 0; e == KH_OK && i < count; i++) {
		e = check_there("a path beside the folder", others[i].path, false, err);
		rules[n++] = (struct kh_landlock_rule){.path = others[i].path,
						       .right = others[i].keeps ? KH_LANDLOCK_KEEP : KH_LANDLOCK_READ};
	}
	if (e != KH_OK)
		return e;
	int error = kh_landlock_restrict(rules, n);
	return error != 0 ? refused(err, "landlock", error) : KH_OK;
}

static enum kh_err drop_privileges(struct kh_error *err)
{
	int error;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return refused(err, "no_new_privs", errno);
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
		return refused(err, "dumpable", errno);
	error = drop_capabilities();
	return error != 0 ? refused(err, "capabilities", error) : KH_OK;
}

enum kh_err kh_lockdown_beside(const char *folder, const struct kh_lockdown_path *others, size_t count,
			       struct kh_error *err)
{
	struct kh_filter *filter = NULL;
	enum kh_err e = check_threads(err);
	int error;

	if (e == KH_OK)
		e = kh_filter_new(KH_FILTER_GATEWAY, &kh_alloc_system, &filter, err);
	if (e == KH_OK)
		e = drop_privileges(err);
	if (e == KH_OK)
		e = restrict_files(folder, others, count, err);
	if (e == KH_OK) {
		error = kh_filter_install(filter);
		if (error != 0)
			e = refused(err, "seccomp", error);
	}
	kh_filter_free(filter);
	return e;
}

enum kh_err kh_lockdown(const char *folder, struct kh_error *err)
{
	return kh_lockdown_beside(folder, NULL, 0, err);
}
