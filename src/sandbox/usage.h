/*
 * How much memory the processes of a sandbox have together, for a machine without a cgroup that would bound it.  Limits
 * of one process do not: many processes, and memory that they share, are outside of them.
 */
#ifndef KH_SANDBOX_USAGE_H
#define KH_SANDBOX_USAGE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * True if all that runs below the process FIRST, a sandbox's first, has more than LIMIT bytes: its own memory, memory
 * that is shared without a file, and page tables.  Memory that several processes have is counted once.  Stores in *RET_KIB what
 * they have if it is counted for each: if that has not changed, hardly anything has happened.
 */
bool kh_usage_exceeds(int first, uint64_t limit, uint64_t *ret_kib);

/* How much of that all processes of the machine have, in KiB; 0 if it cannot be read. */
uint64_t kh_usage_of_machine(void);

#endif
