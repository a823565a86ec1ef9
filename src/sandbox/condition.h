/*
 * Conditions on the arguments of a system call, as rules of libseccomp.
 *
 * A filter is made of two programs, because libseccomp leaves open which of two overlapping rules of one program wins:
 *   the list        kills by default; allows a call, or answers an errno, or allows it with certain arguments;
 *   the exceptions  allow by default; answer an errno to certain arguments of calls that the list allows.
 */
#ifndef KH_SANDBOX_CONDITION_H
#define KH_SANDBOX_CONDITION_H

#include <keyhole/keyhole.h>

#include <seccomp.h>

enum kh_condition {
	KH_CONDITION_ALWAYS = 0,              /* no condition */
	KH_CONDITION_UNIX_SOCKET,             /* family and type: AF_UNIX, no datagrams */
	KH_CONDITION_TCP_SOCKET,              /* family, type and protocol: TCP */
	KH_CONDITION_NO_NAMESPACE,            /* flags of clone: none of CLONE_NEW* */
	KH_CONDITION_THREAD,                  /* flags of clone: those of a thread */
	KH_CONDITION_NOT_EXECUTABLE,          /* protection: without PROT_EXEC, else kill */
	KH_CONDITION_NOT_EXECUTABLE_OR_ERROR, /* protection: without PROT_EXEC, else the errno */
	KH_CONDITION_NO_INJECTION,            /* request of ioctl: nothing that types into a terminal */
	KH_CONDITION_OPTION_OF_PROGRAM,       /* options of prctl */
	KH_CONDITION_OPTION_OF_WORKER,
	KH_CONDITION_OPTION_OF_GATEWAY,
	KH_CONDITION_PERSONALITY, /* only to read it */
	KH_CONDITION_NO_DEVICE,   /* mode of mknod: no device, no setuid */
	KH_CONDITION_NO_DEVICE_AT,
	KH_CONDITION_MODE, /* mode: no setuid */
	KH_CONDITION_MODE_AT,
	KH_CONDITION_OPEN, /* flags and mode of open: no setuid */
	KH_CONDITION_OPEN_AT,
	KH_CONDITION_NO_LEASE,         /* command of fcntl: no lease, no watch */
	KH_CONDITION_DESCRIPTOR_FLAGS, /* command of fcntl: flags and copies of descriptors */
	KH_CONDITION_DESCRIPTOR_ONLY,  /* flags of newfstatat: AT_EMPTY_PATH */
	KH_CONDITION_NO_PEEK,          /* flags of preadv2 and pwritev2: nothing that tells what is in memory */
	KH_CONDITION_ADVICE,           /* fadvise64: nothing that takes pages out of memory */
	KH_CONDITION_NO_PAGEOUT,       /* madvise: the same */
	KH_CONDITION_NO_WHITEOUT,      /* flags of renameat2: nothing that leaves a device */
	KH_CONDITION_LIMIT_READ,       /* prlimit64: only to read */
	KH_CONDITION_LIMIT_OF_SELF,    /* prlimit64: only of the process itself, and not that of cores */
	KH_CONDITION_NO_CORE_LIMIT,    /* setrlimit: not that of cores */
	KH_CONDITION_NO_ADDRESS,       /* sendto: only to the peer */
	KH_CONDITION_SOCKET_OPTION,    /* setsockopt: only what libcurl sets */
	KH_CONDITION_NO_BUFFER,        /* setsockopt: no buffer sizes, no filters */
	KH_CONDITION_NO_FILTER,        /* setsockopt: no buffer sizes past the system's, no filters */
};

/* The two programs while they are made. */
struct kh_condition_programs {
	scmp_filter_ctx list, exceptions;
};

/*
 * Adds the call NUMBER under CONDITION.  ERROR is the errno for other arguments; 0 kills.  Without a condition, ERROR
 * is the errno of the call itself; 0 allows it.  Returns 0 or a negative errno.
 */
int kh_condition_add(struct kh_condition_programs *programs, enum kh_condition condition, int number,
		     int error) KH_CHECKED;

#endif
