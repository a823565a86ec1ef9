/*
 * Looks a path up as the executor will: without following links.
 *
 * A program that may write to a folder can change it while somebody names a path in it.  So no question is asked twice:
 * a path counts only if it was opened whole without a link.  Links of the system's are put into the path as text, and
 * then it is opened again.
 */
#include "cli/grantpath.h"

#include "base/view.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LINKS 40 /* as many as the kernel follows */

/*
 * True if the link PATH comes with the system: one of /, such as /bin and /lib, one of /var, such as /var/run, or one in
 * the folders of programs.  A link anywhere else may have been made by a program that was allowed to write there, and
 * would lead the next grant to where that program wants it.
 */
static bool is_systems(const char *path)
{
	static const char *const folders[] = {"/usr/", "/bin/", "/sbin/", "/lib/", "/lib64/", "/etc/"};
	struct kh_view link = kh_view_str(path), folder = kh_view_of(path, (size_t)(strrchr(path, '/') - path) + 1);

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (kh_view_starts(link, kh_view_str(folders[i])))
			return true;
	return kh_view_eq(folder, KH_LIT("/")) || kh_view_eq(folder, KH_LIT("/var/"));
}

/* The absolute path of what PATH names; false if there is a link on the way, or nothing (errno).  It is opened once and
 * then asked for its name, so that nobody can put a link there in between. */
static bool without_links(const char *path, char real[PATH_MAX])
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS};
	char name[32];
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

	if (fd < 0)
		return false;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	ssize_t n = readlink(name, real, PATH_MAX - 1);
	close(fd);
	if (n <= 0)
		return false;
	real[n] = '\0';
	return true;
}

/* Joins FOLDER, NAME and REST; false if that is too long. */
static bool join(const char *folder, const char *name, const char *rest, char ret_path[PATH_MAX])
{
	int n = snprintf(ret_path, PATH_MAX, "%s/%s%s", folder, name, rest);

	errno = ENAMETOOLONG;
	return n > 0 && n < PATH_MAX;
}

/*
 * Finds the first link on the way to PATH: its absolute path, whose folder has no link in it, and what follows it in
 * PATH.  False if there is none, which can be because it is gone again.
 */
static bool first_link(const char *path, char ret_link[PATH_MAX], const char **ret_rest)
{
	char folder[PATH_MAX] = "", at[PATH_MAX];
	struct stat st;

	if (path[0] != '/' && !without_links(".", folder))
		return false;
	for (const char *name = path, *end; *(name += strspn(name, "/")) != '\0'; name = end) {
		end = name + strcspn(name, "/");
		int n = snprintf(at, sizeof(at), "%s/%.*s", folder, (int)(end - name), name);
		if (n <= 0 || (size_t)n >= sizeof(at) || lstat(at, &st) != 0)
			return false;
		if (S_ISLNK(st.st_mode)) {
			memcpy(ret_link, at, (size_t)n + 1);
			*ret_rest = end;
			return true;
		}
		if (!without_links(at, folder))
			return false;
		if (strcmp(folder, "/") == 0)
			folder[0] = '\0';
	}
	return false;
}

/* Writes PATH with what the link LINK leads to in its place to RET_PATH. */
static bool expand(const char *link, const char *rest, char ret_path[PATH_MAX])
{
	char target[PATH_MAX], folder[PATH_MAX];
	size_t length = (size_t)(strrchr(link, '/') - link);
	ssize_t n = readlink(link, target, sizeof(target) - 1);

	if (n <= 0)
		return false;
	target[n] = '\0';
	memcpy(folder, link, length);
	folder[length] = '\0';
	return target[0] == '/' ? join("", target + 1, rest, ret_path) : join(folder, target, rest, ret_path);
}

bool kh_grantpath_find(const char *path, char ret_real[PATH_MAX])
{
	char now[PATH_MAX], link[PATH_MAX], longer[PATH_MAX];
	const char *rest;

	if (strlen(path) >= sizeof(now)) {
		errno = ENAMETOOLONG;
		return false;
	}
	memcpy(now, path, strlen(path) + 1);
	for (int i = 0; i < LINKS; i++) {
		if (without_links(now, ret_real))
			return true;
		if (errno != ELOOP)
			return false;
		if (!first_link(now, link, &rest))
			continue;
		memcpy(ret_real, link, strlen(link) + 1);
		if (!is_systems(link)) {
			errno = ELOOP;
			return false;
		}
		if (!expand(link, rest, longer))
			return false;
		memcpy(now, longer, strlen(longer) + 1);
	}
	memcpy(ret_real, now, strlen(now) + 1);
	errno = ELOOP;
	return false;
}
