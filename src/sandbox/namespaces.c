/* The list of namespaces, and a comparison by the inodes of /proc/self/ns, which the kernel makes. */
#include "sandbox/namespaces.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sys/stat.h>

static const struct {
	uint64_t flag;
	enum kh_part part;
	const char *file; /* of /proc */
} namespaces[KH_NAMESPACES] = {
	{CLONE_NEWNS, KH_PART_MOUNT, "self/ns/mnt"},   {CLONE_NEWPID, KH_PART_PID, "self/ns/pid"},
	{CLONE_NEWIPC, KH_PART_IPC, "self/ns/ipc"},    {CLONE_NEWUTS, KH_PART_UTS, "self/ns/uts"},
	{CLONE_NEWNET, KH_PART_NET, "self/ns/net"},    {CLONE_NEWCGROUP, KH_PART_CGROUPNS, "self/ns/cgroup"},
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
	if (index >= KH_NAMESPACES - 1)
		return 0;
	*ret_part = namespaces[index].part;
	return namespaces[index].flag;
}

bool kh_namespaces_read(int proc, struct kh_namespaces *ret)
{
	for (size_t i = 0; i < KH_NAMESPACES; i++) {
		struct stat st = {0};

		if (fstatat(proc, namespaces[i].file, &st, 0) != 0 || st.st_ino == 0)
			return false;
		ret->id[i] = st.st_ino;
	}
	return true;
}

enum kh_part kh_namespaces_shared(int proc, const struct kh_namespaces *old, bool with_user)
{
	struct kh_namespaces now;

	if (!kh_namespaces_read(proc, &now))
		return KH_PART_PID;
	for (size_t i = 0; i < KH_NAMESPACES - (with_user ? 0 : 1); i++)
		if (now.id[i] == old->id[i])
			return namespaces[i].part;
	return KH_PART_NONE;
}
