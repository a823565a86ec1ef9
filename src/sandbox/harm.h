/*
 * The filter of the spawner, which its executors and their sandboxes inherit: no allow-list, because an executor needs
 * nearly everything, but a list of what none of them ever does.  It takes the kernel's most attacked parts (modules,
 * kexec, BPF, performance counters, io_uring, keys, userfaultfd) and the memory of other processes away from a spawner
 * or executor that was taken over, root or not.
 */
#ifndef KH_SANDBOX_HARM_H
#define KH_SANDBOX_HARM_H

#include <keyhole/keyhole.h>

#include <stddef.h>

/* The INDEX-th call that is refused; NULL past the end. */
const char *kh_harm_at(size_t index);

/* Refuses them (EPERM) to this process and to all that it starts, and tries whether that holds.  0 or errno. */
int kh_harm_refuse(void) KH_CHECKED;

#endif
