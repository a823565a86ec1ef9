/* Measuring and writing rows. */
#include "bench.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS      200
#define ROUND_NS    1e6   /* that a case has in a round */
#define PATIENCE_NS 300e6 /* that all rounds of one case may take */
#define SLOW_NS     2e9   /* where once is enough */

/* The time that this thread was at work: others may have the processor in between, and the figures stay. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double time_of(const struct kh_bench_case *c, size_t times)
{
	double start = now(), given = 0;

	for (size_t i = 0; i < times; i++)
		given += c->run(c->ctx);
	return (given > 0 ? given : now() - start) / (double)times;
}

void kh_bench_time(struct kh_bench_case *cases, size_t count)
{
	/* The first unit warms up caches and arenas; the next ones say how many fit in a round. */
	for (size_t i = 0; i < count; i++) {
		double first = time_of(&cases[i], 1);
		cases[i].ns = first > SLOW_NS ? first : time_of(&cases[i], first > ROUND_NS ? 1 : 8);
	}
	for (int round = 0; round < ROUNDS; round++) {
		for (size_t i = 0; i < count; i++) {
			double best = cases[i].ns;
			if (best * (round + 1) > PATIENCE_NS)
				continue;
			double ns = time_of(&cases[i], best < ROUND_NS ? (size_t)ceil(ROUND_NS / best) : 1);
			cases[i].ns = ns < best ? ns : best;
		}
	}
}

double kh_bench_once(kh_bench_fn *run, void *ctx)
{
	struct kh_bench_case c = {.run = run, .ctx = ctx};

	kh_bench_time(&c, 1);
	return c.ns;
}

struct kh_bench_text kh_bench_printf(const char *fmt, ...)
{
	struct kh_bench_text text;
	va_list args;

	va_start(args, fmt);
	vsnprintf(text.s, sizeof(text.s), fmt, args);
	va_end(args);
	return text;
}

/* Three digits that count. */
static struct kh_bench_text figure(double value, const char *unit)
{
	int decimals = value < 10 ? 2 : value < 100 ? 1 : 0;

	return kh_bench_printf("%.*f %s", decimals, value, unit);
}

struct kh_bench_text kh_bench_ns(double ns)
{
	if (ns < 1e3)
		return figure(ns, "ns");
	if (ns < 1e6)
		return figure(ns / 1e3, "us");
	return ns < 1e9 ? figure(ns / 1e6, "ms") : figure(ns / 1e9, "s");
}

struct kh_bench_text kh_bench_rate(double bytes, double ns)
{
	double rate = bytes / ns; /* a byte a nanosecond is a gigabyte a second */

	return rate < 1 ? figure(rate * 1e3, "MB/s") : figure(rate, "GB/s");
}

void kh_bench_section(const char *title)
{
	printf("#\t%s\n", title);
	fflush(stdout);
}

void kh_bench_row(const char *what, const char *text, const char *peer, double ratio, const char *wanted,
		  const char *met)
{
	struct kh_bench_text times = ratio > 0 ? figure(ratio, "x") : kh_bench_printf("%s", "");

	printf("%s\t%s\t%s\t%s\t%s\t%s\n", what, text, peer, times.s, wanted, met);
	fflush(stdout);
}

static const char *verdict(bool met)
{
	return met ? "met" : "missed";
}

void kh_bench_ratio(const char *what, double ns, const char *peer, double peer_ns, double limit)
{
	struct kh_bench_text other = kh_bench_printf("%s %s", peer, kh_bench_ns(peer_ns).s);
	struct kh_bench_text wanted = kh_bench_printf("<= %.3g x", limit);
	double ratio = ns / peer_ns;

	kh_bench_row(what, kh_bench_ns(ns).s, other.s, ratio, limit > 0 ? wanted.s : "",
		     limit > 0 ? verdict(ratio <= limit) : "");
}

void kh_bench_speed(const char *what, double bytes, double ns, const char *peer, double peer_ns, double wanted)
{
	struct kh_bench_text other = kh_bench_printf("%s %s", peer, kh_bench_rate(bytes, peer_ns).s);
	struct kh_bench_text least = kh_bench_printf(">= %s", kh_bench_rate(wanted, 1e9).s);

	kh_bench_row(what, kh_bench_rate(bytes, ns).s, other.s, peer_ns / ns, wanted > 0 ? least.s : "",
		     wanted > 0 ? verdict(bytes * 1e9 / ns >= wanted) : "");
}

void kh_bench_limit(const char *what, double ns, double limit_ns)
{
	struct kh_bench_text most = kh_bench_printf("<= %s", kh_bench_ns(limit_ns).s);

	kh_bench_row(what, kh_bench_ns(ns).s, "", ns / limit_ns, most.s, verdict(ns <= limit_ns));
}

void kh_bench_must(enum kh_err e, const char *what)
{
	if (e == KH_OK)
		return;
	fprintf(stderr, "bench: %s failed: %d\n", what, (int)e);
	exit(1);
}

char *kh_bench_alloc(size_t n)
{
	char *p = malloc(n > 0 ? n : 1);

	if (p == NULL)
		kh_bench_must(KH_ENOMEM, "malloc");
	return p;
}

uint32_t kh_bench_random(uint64_t *state, uint32_t n)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((*state >> 33) % n);
}
