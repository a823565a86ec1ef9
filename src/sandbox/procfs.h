/*
 * /proc of a sandbox: the processes of its own pid namespace, and a few files about the machine that programs do not
 * start without, or guess wrongly without: node, ps, free.  The kernel's own files of these names tell what the whole
 * host does, so these are files of ours: which processors there are and of what model, the memory that the job may
 * have, and a machine that has just started and has had nothing to do.
 */
#ifndef KH_SANDBOX_PROCFS_H
#define KH_SANDBOX_PROCFS_H

#include "sandbox/tree.h"

#define KH_PROCFS_TEXT 32768

/* What is the same for all sandboxes of an executor: cpuinfo, and the beginning of stat. */
struct kh_procfs {
	size_t cpus, stat; /* bytes */
	char cpu_text[KH_PROCFS_TEXT], stat_text[KH_PROCFS_TEXT];
};

/* Reads which processors this process may use, and what /proc/cpuinfo says of the first of them. */
void kh_procfs_init(struct kh_procfs *machine);

/* Mounts /proc.  MEMORY is what the job may have.  0 or errno. */
int kh_procfs_mount(const struct kh_procfs *machine, uint64_t memory) KH_CHECKED;

/* Says that the job may have MEMORY instead.  0 or errno. */
int kh_procfs_resize(const struct kh_procfs *machine, uint64_t memory) KH_CHECKED;

/*
 * The list of mounts in /proc tells where granted folders lie on the host.  It has the mounts of a process's namespace
 * that are below its root.  So the root becomes that of another namespace, and the list has none.  There are two, and
 * one is a copy of the other:
 *
 *     namespace of the process   all mounts; a folder in which something is mounted is neither renamed nor removed
 *      └ holds, as a mount        the other one: its mounts stay while a process of the sandbox is there, and no longer
 *     root of the process        that of the other one
 *
 * The copy is made when all mounts are in their place.  PROC is a /proc in which this process is.  Stores a descriptor
 * of the root to come in *RET_TOP.  0 or errno.
 */
int kh_procfs_copy_mounts(int proc, int *ret_top) KH_CHECKED;

/* Makes TOP, which is closed, the root.  No user namespace can be made after that.  0 or errno. */
int kh_procfs_hide_mounts(int top) KH_CHECKED;

#endif
