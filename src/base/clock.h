/*
 * The two clocks of a process.  The core must not use them, because it gets time as an argument; tools/check-includes
 * checks that.
 */
#ifndef KH_BASE_CLOCK_H
#define KH_BASE_CLOCK_H

#include <stdint.h>

/* Milliseconds of the monotonic clock: for deadlines and durations. */
int64_t kh_clock_ms(void);

/* The same in microseconds. */
int64_t kh_clock_us(void);

/* Microseconds since 1970, as in timestamp.h: for times that are recorded or shown. */
int64_t kh_clock_wall_us(void);

#endif
