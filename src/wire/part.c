/* The list of a sandbox's parts and its texts.  Pure; accepts any number. */
#include "wire/part.h"

static const struct {
	const char *name, *about;
} parts[KH_PARTS] = {
	[KH_PART_NONE] = {"no part", "nothing"},
	[KH_PART_CLONE] = {"clone3", "starts a process in namespaces of its own; without it there is no sandbox"},
	[KH_PART_USER] = {"user namespace",
			  "other ids inside; without it an ordinary user cannot make the other namespaces"},
	[KH_PART_MOUNT] = {"mount namespace", "files of its own; without it the program would see the host's"},
	[KH_PART_PID] = {"pid namespace",
			 "processes of its own; without it others could be seen and would be left over"},
	[KH_PART_IPC] = {"ipc namespace",
			 "shared memory and queues of its own; without it the host's could be reached"},
	[KH_PART_UTS] = {"uts namespace", "a host name of its own; without it the host's would be seen"},
	[KH_PART_NET] = {"network namespace", "no network; without it the program could connect to anything"},
	[KH_PART_CGROUPNS] = {"cgroup namespace", "hides the host's cgroups; without it their names would be seen"},
	[KH_PART_ROOT] = {"pivot_root", "a root of its own; without it the host's root could be reached"},
	[KH_PART_FOLDER] = {"folder", "a folder that the request names; without it the program lacks its files"},
	[KH_PART_LANDLOCK] = {"landlock",
			      "a second fence around files; without it a fault in the first would be enough"},
	[KH_PART_SECCOMP] = {"seccomp", "a short list of system calls; without it the whole kernel could be attacked"},
	[KH_PART_PRIVILEGES] = {"privileges",
				"no ids, capabilities or setuid; without it the program could gain rights"},
	[KH_PART_LIMITS] = {"limits", "processor, memory, files; without them a program could starve the host"},
	[KH_PART_CGROUP] = {"cgroup limits",
			    "limits for all processes together; without them each has limits of its own"},
	[KH_PART_DESCRIPTORS] = {"descriptors",
				 "only those that were meant; without this the executor's would be left open"},
	[KH_PART_PROGRAM] = {"program", "the program itself, started inside"},
};

const char *kh_part_name(enum kh_part part)
{
	return (unsigned)part < KH_PARTS ? parts[part].name : "unknown";
}

const char *kh_part_about(enum kh_part part)
{
	return (unsigned)part < KH_PARTS ? parts[part].about : "unknown";
}
