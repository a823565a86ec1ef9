/*
 * Landlock: file rights by folder, no TCP, and no abstract sockets or signals to processes outside, as far as the
 * kernel's ABI supports it.  By system call; async-signal-safe, so that it can run between fork and exec.
 */
#ifndef KH_SANDBOX_LANDLOCK_H
#define KH_SANDBOX_LANDLOCK_H

#include <keyhole/keyhole.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kh_landlock_right {
	KH_LANDLOCK_READ,  /* read files and folders */
	KH_LANDLOCK_RUN,   /* the same, and execute */
	KH_LANDLOCK_KEEP,  /* read, write and create files; neither list, remove, rename nor cut off */
	KH_LANDLOCK_WRITE, /* read, write, create, remove, rename; not execute */
	KH_LANDLOCK_ALL,   /* write and execute */
};

struct kh_landlock_rule {
	const char *path; /* as seen by this process now; ignored if it does not exist */
	enum kh_landlock_right right;
	int fd; /* the file itself, if PATH is NULL */
};

/* The ABI version, or 0 if the kernel has no Landlock. */
int kh_landlock_abi(void);

/* Restricts this process and all that it starts to the rights of RULES.  Needs no_new_privs.  0 or errno. */
int kh_landlock_restrict(const struct kh_landlock_rule *rules, size_t count) KH_CHECKED;

/* The same for files alone: TCP is as it was. */
int kh_landlock_restrict_files(const struct kh_landlock_rule *rules, size_t count) KH_CHECKED;

/* The same as the first, except that TCP connections to PORTS are permitted. */
int kh_landlock_restrict_except(const struct kh_landlock_rule *rules, size_t count, const uint16_t *ports,
				size_t port_count) KH_CHECKED;

#endif
