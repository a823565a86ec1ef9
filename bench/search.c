/*
 * comm.search over 100,000 documents, as the gateway has it carried out: every look is a worker in a sandbox of its
 * own, with a pool of four.  How fast they are indexed, how long it takes to see that nothing has changed, and how long
 * a search takes, by the clock on the wall: other processes do most of the work.
 *
 * The documents are made of 50,000 words, a few of them very common and most of them rare, as in any language; the
 * queries are words of the documents, so that each finds something.
 */
#include "bench.h"
#include "errand/errand.h"
#include "errand/index.h"
#include "outside/client.h"
#include "prose.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DOCUMENTS 100000
#define EACH      1000 /* documents in a folder */
#define WORDS     150  /* of a document */
#define LIST      2048
#define LANGUAGE  50000 /* words */
#define RUNS      100   /* searches of a kind */
#define POOL      4
#define PAUSE_US  2000 /* before each: the pool is full again */
#define LIMIT_NS  1e7

static char folder[] = "/tmp/keyhole-bench-search-XXXXXX", docs[64];
static struct kh_view list[LIST];

struct series {
	double ns[4 * RUNS];
	size_t n;
};

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void must(bool ok, const char *what)
{
	kh_bench_must(ok ? KH_OK : KH_EUNKNOWN, what);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static void remove_all(void)
{
	nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* --- the documents ------------------------------------------------------------------------------------------------ */

static void read_list(void)
{
	struct kh_view rest = kh_prose_file(KH_SOURCE "/src/core/bcp/words-2048.txt"), line;
	size_t n = 0;

	while (n < LIST && kh_view_split(&rest, '\n', &line)) {
		line = kh_view_trim(line);
		if (line.n > 0 && kh_ascii_is_alpha(line.p[0]))
			list[n++] = line;
	}
	must(n == LIST, "words-2048.txt");
}

/* Word NUMBER of the language: those past the list are two of it in one. */
static size_t put_word(char *p, uint32_t number)
{
	struct kh_view first = list[number % LIST], second = list[number / LIST];
	size_t n = first.n;

	memcpy(p, first.p, n);
	if (number >= LIST) {
		memcpy(p + n, second.p, second.n);
		n += second.n;
	}
	return n;
}

/* A word as a text has it: the smaller its number, the more often. */
static uint32_t any_word(uint64_t *state)
{
	double u = (double)kh_bench_random(state, 1U << 30) / (double)(1U << 30);

	return (uint32_t)(u * u * u * u * LANGUAGE);
}

/* The words of document NUMBER, which are always the same. */
static void words_of(uint32_t number, uint32_t words[WORDS])
{
	uint64_t state = number + 1;

	for (size_t i = 0; i < 8; i++)
		kh_bench_random(&state, 2);
	for (size_t i = 0; i < WORDS; i++)
		words[i] = any_word(&state);
}

static void write_document(uint32_t number)
{
	static char text[WORDS * 64];
	struct kh_bench_text path = kh_bench_printf("%s/%u/%u.txt", docs, number / EACH, number);
	uint32_t words[WORDS];
	size_t n = 0;

	words_of(number, words);
	for (size_t i = 0; i < WORDS; i++) {
		n += put_word(text + n, words[i]);
		text[n++] = i == 7 ? '\n' : i % 15 == 14 ? '.' : ' ';
	}
	int fd = open(path.s, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	must(fd >= 0 && write(fd, text, n) == (ssize_t)n, path.s);
	close(fd);
}

static void write_documents(void)
{
	must(mkdtemp(folder) != NULL && chmod(folder, 0755) == 0, folder);
	atexit(remove_all);
	snprintf(docs, sizeof(docs), "%s/docs", folder);
	must(mkdir(docs, 0755) == 0, docs);
	for (uint32_t i = 0; i < DOCUMENTS; i++) {
		if (i % EACH == 0)
			must(mkdir(kh_bench_printf("%s/%u", docs, i / EACH).s, 0755) == 0, docs);
		write_document(i);
	}
}

/* --- measuring ---------------------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	double x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

static double quantile(struct series *s, size_t percent)
{
	must(s->n > 0, "a series");
	qsort(s->ns, s->n, sizeof(s->ns[0]), compare);
	return s->ns[(s->n - 1) * percent / 100];
}

static void row(const char *what, struct series *s)
{
	kh_bench_row(kh_bench_printf("  %s, p50", what).s, kh_bench_ns(quantile(s, 50)).s,
		     kh_bench_printf("p99 %s", kh_bench_ns(quantile(s, 99)).s).s, 0, "", "");
}

/* Looks through all documents; nanoseconds. */
static double refresh(const struct kh_errand_tools *tools, uint64_t *ret_indexed)
{
	struct kh_index_refresh call = {.wall_ms = 3600000};
	struct kh_arena arena;
	double begun = now_ns();

	kh_arena_init(&arena, &kh_alloc_system, (size_t)64 << 20);
	kh_bench_must(kh_index_refresh(tools, &arena, &call), "kh_index_refresh");
	if (!call.current)
		fprintf(stderr, "bench: the index: %.*s\n", KH_FMT(call.why));
	must(call.current, "the index");
	kh_arena_done(&arena);
	*ret_indexed = call.indexed;
	return now_ns() - begun;
}

enum kind { ONE, TWO, THREE, PHRASE, KINDS };
static const char *const kinds[KINDS] = {"one word", "two words", "three words", "a phrase of two words"};

/* A query of KIND that finds something, as parameters of comm.search. */
static struct kh_view make_query(enum kind kind, uint64_t *state, char *p)
{
	uint32_t words[WORDS], at = kh_bench_random(state, WORDS - 1);
	size_t n = 0;

	words_of(kh_bench_random(state, DOCUMENTS), words);
	memcpy(p, "{\"scope\":\"internal\",\"query\":\"", 29);
	n = 29;
	if (kind == PHRASE) {
		at -= at % 15 == 14; /* not over the end of a sentence */
		memcpy(p + n, "\\\"", 2);
		n += 2;
	}
	for (unsigned i = 0; i < (kind == PHRASE ? 2U : (unsigned)kind + 1); i++) {
		n += put_word(p + n, words[kind == PHRASE ? at + i : kh_bench_random(state, WORDS)]);
		p[n++] = ' ';
	}
	if (kind == PHRASE) {
		memcpy(p + n, "\\\"", 2);
		n += 2;
	}
	memcpy(p + n, "\"}", 2);
	return kh_view_of(p, n + 2);
}

static double search(const struct kh_errand_tools *tools, struct kh_view parameters)
{
	static const struct kh_policy_rule rule;
	struct kh_errand errand = {.operation = KH_LIT("comm.search"), .rule = &rule, .wall_ms = 30000};
	struct kh_errand_result result;
	struct kh_arena arena;

	kh_arena_init(&arena, &kh_alloc_system, (size_t)64 << 20);
	kh_bench_must(kh_json_read(&arena, parameters, &errand.parameters, NULL), "parameters");
	double begun = now_ns();
	kh_bench_must(kh_errand_run(tools, &errand, &arena, &result), "kh_errand_run");
	double ns = now_ns() - begun;
	if (result.end != KH_ERRAND_OK)
		fprintf(stderr, "bench: %.*s: %.*s\n", KH_FMT(parameters), KH_FMT(result.why));
	must(result.end == KH_ERRAND_OK && kh_tainted_size(result.content) > 20, "a search");
	kh_arena_done(&arena);
	return ns;
}

static void measure(const struct kh_errand_tools *tools)
{
	static struct series all, each[KINDS];
	static char query[1024];
	uint64_t state = 7;

	for (unsigned i = 0; i < RUNS; i++) {
		for (enum kind k = ONE; k < KINDS; k++) {
			struct kh_view parameters = make_query(k, &state, query);
			nanosleep(&(struct timespec){0, PAUSE_US * 1000L}, NULL);
			double ns = search(tools, parameters);
			each[k].ns[each[k].n++] = all.ns[all.n++] = ns;
		}
	}
	double middle = quantile(&all, 50);
	kh_bench_row("comm.search in a sandbox, p50 of all kinds", kh_bench_ns(middle).s,
		     kh_bench_printf("p99 %s", kh_bench_ns(quantile(&all, 99)).s).s, 0,
		     kh_bench_printf("<= %s", kh_bench_ns(LIMIT_NS).s).s, middle <= LIMIT_NS ? "met" : "missed");
	for (enum kind k = ONE; k < KINDS; k++)
		row(kinds[k], &each[k]);
}

int main(int argc, char **argv)
{
	struct kh_client client;
	struct kh_error err = {.detail = ""};
	struct kh_view indexed = {NULL, 0};
	uint64_t count = 0;

	must(argc == 2, "usage: bench-search build/keyhole");
	read_list();
	if (kh_client_start(&client, &(struct kh_client_settings){.program = argv[1], .pool = POOL}, &err) != KH_OK) {
		fprintf(stderr, "bench: %s\n", err.detail);
		return 1;
	}
	write_documents();
	indexed = kh_view_str(docs);
	struct kh_config config = {.search = {.folders = {&indexed, 1}, .refresh_seconds = 3600}};
	struct kh_errand_tools tools = {.client = &client, .config = &config, .home = kh_view_str(folder)};
	kh_bench_section("Search: 100,000 documents of 150 words, indexed by FTS5");
	double ns = refresh(&tools, &count);
	must(count == DOCUMENTS, "the number of documents");
	kh_bench_row("indexing", kh_bench_printf("%.0f documents/s", (double)count / ns * 1e9).s,
		     kh_bench_printf("all in %.1f s", ns / 1e9).s, 0, "", "");
	nanosleep(&(struct timespec){1, 0}, NULL);
	ns = refresh(&tools, &count);
	must(count == 0, "nothing has changed");
	kh_bench_row("a pass over what has not changed", kh_bench_ns(ns).s, "", 0, "", "");
	measure(&tools);
	kh_client_stop(&client);
	return 0;
}
