/* Processor time of processes, in nanoseconds. */
#ifndef KH_BENCH_CPU_H
#define KH_BENCH_CPU_H

#include <sys/types.h>

/* Of PID, which need not be a child. */
double kh_bench_cpu(pid_t pid);

/* Of TOP and of all processes below it. */
double kh_bench_cpu_below(pid_t top);

#endif
