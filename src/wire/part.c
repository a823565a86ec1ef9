/* The names of a sandbox's parts.  Pure; accepts any number. */
#include "wire/part.h"

#include "base/words.h"

static const struct kh_words names =
	KH_WORDS([KH_PART_NONE] = "no part", [KH_PART_CLONE] = "clone3", [KH_PART_USER] = "user namespace",
		 [KH_PART_MOUNT] = "mount namespace", [KH_PART_PID] = "pid namespace", [KH_PART_IPC] = "ipc namespace",
		 [KH_PART_UTS] = "uts namespace", [KH_PART_NET] = "network namespace",
		 [KH_PART_CGROUPNS] = "cgroup namespace", [KH_PART_ROOT] = "pivot_root", [KH_PART_FOLDER] = "folder",
		 [KH_PART_LANDLOCK] = "landlock", [KH_PART_SECCOMP] = "seccomp", [KH_PART_PRIVILEGES] = "privileges",
		 [KH_PART_LIMITS] = "limits", [KH_PART_CGROUP] = "cgroup limits", [KH_PART_DESCRIPTORS] = "descriptors",
		 [KH_PART_PROGRAM] = "program", [KH_PART_TIME] = "time namespace");

const char *kh_part_name(enum kh_part part)
{
	return (unsigned)part < KH_PARTS ? kh_words_name(&names, part) : "unknown";
}
