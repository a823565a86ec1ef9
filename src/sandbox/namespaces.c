/* The list of namespaces, and a comparison by the inodes of /proc/self/ns, which the kernel makes. */
#include "sandbox/namespaces.h"

#include "sandbox/setting.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const struct {
	uint64_t flag;
	enum kh_part part;
	const char *file; /* of /proc */
} namespaces[KH_NAMESPACES] = {
	{CLONE_NEWNS, KH_PART_MOUNT, "self/ns/mnt"},
	{CLONE_NEWPID, KH_PART_PID, "self/ns/pid"},
	{CLONE_NEWIPC, KH_PART_IPC, "self/ns/ipc"},
	{CLONE_NEWUTS, KH_PART_UTS, "self/ns/uts"},
	{CLONE_NEWCGROUP, KH_PART_CGROUPNS, "self/ns/cgroup"},
	{CLONE_NEWNET, KH_PART_NET, "self/ns/net"},
	{CLONE_NEWUSER, KH_PART_USER, "self/ns/user"},
};

uint64_t kh_namespaces_flags(void)
{
	enum kh_part part;
	uint64_t all = 0, flag;

	for (size_t i = 0; (flag = kh_namespaces_flag(i, &part)) != 0; i++)
		all |= flag;
	return all;
}

uint64_t kh_namespaces_flag(size_t index, enum kh_part *ret_part)
{
	if (index >= KH_NAMESPACES - 2)
		return 0;
	*ret_part = namespaces[index].part;
	return namespaces[index].flag;
}

/* 0 if it cannot be seen. */
static ino_t look(int proc, const char *file)
{
	struct stat st = {0};

	return fstatat(proc, file, &st, 0) == 0 ? st.st_ino : 0;
}

bool kh_namespaces_read(int proc, struct kh_namespaces *ret)
{
	ret->time = look(proc, "self/ns/time"); /* if the kernel has none, the sandbox is refused later */
	for (size_t i = 0; i < KH_NAMESPACES; i++) {
		ret->id[i] = look(proc, namespaces[i].file);
		if (ret->id[i] == 0)
			return false;
	}
	return true;
}

enum kh_part kh_namespaces_shared(int proc, const struct kh_namespaces *old, uint64_t flags)
{
	for (size_t i = 0; i < KH_NAMESPACES; i++) {
		ino_t now = (flags & namespaces[i].flag) != 0 ? look(proc, namespaces[i].file) : ~old->id[i];
		if (now == 0 || now == old->id[i])
			return namespaces[i].part;
	}
	return KH_PART_NONE;
}

int kh_namespaces_start_time(int proc)
{
	struct timespec monotonic = {0}, boot = {0};
	char offsets[96];

	if (syscall(SYS_unshare, CLONE_NEWTIME) < 0 || clock_gettime(CLOCK_MONOTONIC, &monotonic) < 0 ||
	    clock_gettime(CLOCK_BOOTTIME, &boot) < 0)
		return errno;
	snprintf(offsets, sizeof(offsets), "monotonic %lld 0\nboottime %lld 0\n", -(long long)monotonic.tv_sec,
		 -(long long)boot.tv_sec);
	return kh_setting_write(proc, "self/timens_offsets", offsets);
}

bool kh_namespaces_has_time(int proc, const struct kh_namespaces *old)
{
	ino_t now = look(proc, "self/ns/time");

	return now != 0 && old->time != 0 && now != old->time;
}
