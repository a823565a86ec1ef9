/*
 * The two clocks of a process.  Not for the core, which gets time as an argument: tools/check-includes sees to that.
 */
#ifndef KH_BASE_CLOCK_H
#define KH_BASE_CLOCK_H

#include <stdint.h>

/* Milliseconds of a clock that only goes forward and that nobody sets: for deadlines and durations. */
int64_t kh_clock_ms(void);

/* The same in microseconds. */
int64_t kh_clock_us(void);

/* Microseconds since 1970, as timestamp.h has them: for what is recorded and shown. */
int64_t kh_clock_wall_us(void);

#endif
