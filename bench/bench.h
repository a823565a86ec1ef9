/*
 * Measuring, for the programs of `make bench`.
 *
 * Machines are noisy, so nothing is measured alone: the cases of one comparison take turns, round after round, and the
 * best round of each counts, in processor time, which other programs do not add to.  A program writes rows,
 * tab-separated; bench/run makes one table of all of them.  A figure that misses its mark is a word in the table, never
 * a failure: only something broken ends a program.
 */
#ifndef KH_BENCH_BENCH_H
#define KH_BENCH_BENCH_H

#include "base/arena.h"

/* One unit of the work.  0: the time that this thread was at work counts; else this, in nanoseconds. */
typedef double kh_bench_fn(void *ctx);

struct kh_bench_case {
	kh_bench_fn *run;
	void *ctx;
	double ns; /* filled in: the best time of one unit */
};

/* Times the cases, interleaved. */
void kh_bench_time(struct kh_bench_case *cases, size_t count);

/* The same for one case; its best time. */
double kh_bench_once(kh_bench_fn *run, void *ctx);

/* A figure as text: "1.25 us", "870 MB/s". */
struct kh_bench_text {
	char s[96];
};
struct kh_bench_text kh_bench_ns(double ns);
struct kh_bench_text kh_bench_rate(double bytes, double ns);
struct kh_bench_text kh_bench_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

void kh_bench_section(const char *title);

/* A row as it is.  PEER, WANTED and MET may be empty; RATIO 0: none. */
void kh_bench_row(const char *what, const char *figure, const char *peer, double ratio, const char *wanted,
		  const char *met);

/* NS against PEER_NS of the peer called PEER; at most LIMIT times as much is wanted (0: shown only). */
void kh_bench_ratio(const char *what, double ns, const char *peer, double peer_ns, double limit);

/* The same in bytes a second; the ratio is of speeds, and WANTED (0: shown only) is in bytes a second. */
void kh_bench_speed(const char *what, double bytes, double ns, const char *peer, double peer_ns, double wanted);

/* NS against a limit. */
void kh_bench_limit(const char *what, double ns, double limit_ns);

/* Ends the program where E is not KH_OK: the figures would mean nothing. */
void kh_bench_must(enum kh_err e, const char *what);

/* malloc, or the end. */
char *kh_bench_alloc(size_t n);

/* A number below N, from a fixed sequence: every run measures the same. */
uint32_t kh_bench_random(uint64_t *state, uint32_t n);

#endif
