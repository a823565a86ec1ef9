/*
 * Finds the folder of cgroup v2 in which the executor's folder gets the memory and pids controllers.
 *
 * A folder with processes in it cannot pass controllers on to the folders below it; only the root of the hierarchy can.
 * So the executor's current folder can be used only if all the processes in it can be moved to a folder below it, which
 * is done if they are Keyhole's.  A service manager may have arranged that already: with systemd's DelegateSubgroup= a
 * service's processes are below the folder that was delegated to it, and that folder is used.
 */
#ifndef KH_SANDBOX_DELEGATE_H
#define KH_SANDBOX_DELEGATE_H

#include <stdbool.h>

/*
 * OWN is the folder of this process, ABOVE the one that holds it (-1 if there is none).  Returns the one of them that
 * passes both controllers on to folders made in it; -1 if neither does, and then nothing has changed.
 *
 * Moves this process, its children, its parent and its parent's children (and those of the gateway, if the parent is a
 * spawner), if no other process is in OWN.  ABOVE is used
 * only if a service manager has marked it as delegated, or if such a move led out of it.
 */
int kh_delegate_find(int own, int above);

/* True if one of them should work, because it was delegated or its processes were moved out already.  If it does not
 * work now, it may soon. */
bool kh_delegate_expected(int own, int above);

/* Moves the processes that were moved out of FOLDER back into it, unless other folders in it still need the move. */
void kh_delegate_undo(int folder);

#endif
