/*
 * Where in cgroup v2 the executor's folder can be, so that it gets the memory and pids controllers.
 *
 * A folder with processes in it cannot pass controllers on to the folders below it; only the root of all can.  So the
 * folder that the executor itself is in will do only if it can be left: for a folder below it, by all the processes
 * that are in it, if they are Keyhole's.  A service manager may have seen to that: with systemd's DelegateSubgroup= a
 * service's processes are below the folder that it was given, and that one is used.
 */
#ifndef KH_SANDBOX_DELEGATE_H
#define KH_SANDBOX_DELEGATE_H

#include <stdbool.h>

/*
 * OWN is the folder of this process, ABOVE the one that holds it (-1 where there is none).  Gives the one of them that
 * passes both controllers on to what is made in it; -1 where neither does, and all is then as it was.
 *
 * Moves this process, its children, its parent and its parent's children, if nobody else is in OWN.  ABOVE is used only
 * where a service manager has marked it as given away, or where such a move led out of it.
 */
int kh_delegate_find(int own, int above);

/* Whether one of them should do, because it was given away or was left already: one that does not now may soon. */
bool kh_delegate_expected(int own, int above);

/* Moves back into FOLDER what was moved out of it; not while it has other folders that need it to stay so. */
void kh_delegate_undo(int folder);

#endif
