/*
 * Mounts as descriptors: a copy of a part of the host's files, detached until it is put in its place.
 *
 * Nothing is believed.  After each system call these functions look at what it did, because a kernel, a container's
 * filter or a tracer may answer success without doing anything, and then the next step would write to the host.
 *
 * All return 0 or an errno, or a descriptor or -1 with errno.
 */
#ifndef KH_SANDBOX_TREE_H
#define KH_SANDBOX_TREE_H

#include <keyhole/keyhole.h>

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mount.h>
#include <sys/types.h>

#define KH_TREE_READ_ONLY (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)
#define KH_TREE_WRITABLE  (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)

/* The file systems that are the sandbox's own: its root and its private /tmp.  Only in these are places made. */
struct kh_tree_own {
	dev_t root, tmp;
};

/* Opens PATH below HOST, the host's root, with O_PATH.  LINKS has further RESOLVE_* flags. */
int kh_tree_host(int host, const char *path, uint64_t links);

/*
 * A detached copy of the mount that FD is in, from FD down and with all that is mounted below, with ATTR
 * (MOUNT_ATTR_*).  IDMAP is a user namespace whose ids the copy gets, or -1.  If what is mounted below does not support
 * that, only the topmost mount gets them.
 */
int kh_tree_clone(int fd, uint64_t attr, int idmap);

/* Moves TREE, which is closed, to NAME of the folder AT.  The folder, or else the file, must be there. */
int kh_tree_put(int tree, int at, const char *name) KH_CHECKED;

/*
 * Opens the folder that PLACE is in, and stores the last component of PLACE in NAME.  Follows no link.  Makes what is
 * missing in OWN, and nowhere else.  Each folder on the way that is below GUARD (NULL: none) becomes a mount of itself.
 * A mount cannot be renamed, so the path to PLACE stays what it is.
 */
int kh_tree_parent(const struct kh_tree_own *own, const char *place, const char *guard, char name[NAME_MAX + 1]);

/* Moves TREE, which is closed, to PLACE, which is made in OWN if it is missing.  GUARD is as above. */
int kh_tree_place(const struct kh_tree_own *own, int tree, const char *place, bool is_dir,
		  const char *guard) KH_CHECKED;

/* Makes a symbolic link to TARGET at PLACE. */
int kh_tree_link(const struct kh_tree_own *own, const char *target, const char *place) KH_CHECKED;

#endif
