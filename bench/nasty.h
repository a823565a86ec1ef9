/* Texts that are meant to be slow to screen. */
#ifndef KH_BENCH_NASTY_H
#define KH_BENCH_NASTY_H

#include "bench.h"

size_t kh_nasty_count(void);
const char *kh_nasty_name(size_t i);

/* N bytes of the I-th of them; to be freed. */
struct kh_view kh_nasty_make(size_t i, size_t n);

#endif
