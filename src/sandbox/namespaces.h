/*
 * The namespaces of a sandbox: which there are, and whether a process is in new ones.
 */
#ifndef KH_SANDBOX_NAMESPACES_H
#define KH_SANDBOX_NAMESPACES_H

#include "wire/part.h"

#include <stdint.h>
#include <sys/types.h>

#define KH_NAMESPACES 7 /* the last two are not made by clone3, or not always (apply.c): those of network and user */

/* Which namespaces a process is in. */
struct kh_namespaces {
	ino_t id[KH_NAMESPACES];
	ino_t time; /* made apart from the others, for the next process */
};

/* The flags of all namespaces but those of network and user, for clone3. */
uint64_t kh_namespaces_flags(void);

/* The INDEX-th of them and the part that it is; 0 past the end. */
uint64_t kh_namespaces_flag(size_t index, enum kh_part *ret_part);

/* Those of this process, by PROC, a descriptor of /proc.  False if one cannot be seen. */
bool kh_namespaces_read(int proc, struct kh_namespaces *ret) KH_CHECKED;

/* The part that is not new: this process still shares it with OLD, or it cannot be seen.  KH_PART_NONE if all of FLAGS
 * are new. */
enum kh_part kh_namespaces_shared(int proc, const struct kh_namespaces *old, uint64_t flags);

/*
 * Makes a time namespace for all processes that this one starts from now on: in it the clocks that count from the boot
 * of the host, and so its uptime, begin now.  0 or errno.  The process must be dumpable.
 */
int kh_namespaces_start_time(int proc) KH_CHECKED;

/* True if this process is in another time namespace than OLD. */
bool kh_namespaces_has_time(int proc, const struct kh_namespaces *old);

#endif
