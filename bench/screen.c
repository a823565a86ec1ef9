/* P1: screening benign text against 1 GB/s and the pattern scan alone; nasty texts against 100 ms a MiB. */
#include "core/screen/screen.h"

#include "base/json.h"
#include "core/screen/forms.h"
#include "core/screen/normalise.h"
#include "nasty.h"
#include "prose.h"

#include <hs.h>
#include <stdio.h>
#include <stdlib.h>

#define MIB    (1U << 20)
#define LIMIT  ((size_t)1 << 31)
#define WANTED 1e9 /* bytes a second */
#define WORST  100e6
#define SHOWN  3 /* worst inputs of each mode */

static const char *const modes[] = {[KH_SCREEN_DOCUMENT] = "document",
				    [KH_SCREEN_ANSWER] = "answer",
				    [KH_SCREEN_NAME] = "name",
				    [KH_SCREEN_REVIEWED] = "reviewed"};

struct subject {
	struct kh_screen *screen;
	struct kh_arena arena;
	struct kh_view text;
	enum kh_screen_as as;
	size_t findings;
	enum kh_severity severity;
	hs_database_t *database; /* of the same rules */
	hs_scratch_t *scratch;
	size_t lines;
};

static double screen(void *ctx)
{
	struct subject *s = ctx;
	struct kh_findings findings;

	kh_arena_clear(&s->arena);
	kh_bench_must(kh_screen_text(s->screen, &s->arena, s->text, s->as, &findings), "kh_screen_text");
	s->findings = findings.n;
	s->severity = findings.severity;
	return 0;
}

static int on_match(unsigned id, unsigned long long from, unsigned long long to, unsigned flags, void *ctx)
{
	(void)id;
	(void)from;
	(void)to;
	(void)flags;
	(void)ctx;
	return 0;
}

static double scan(void *ctx)
{
	struct subject *s = ctx;
	hs_error_t e = hs_scan(s->database, s->text.p, (unsigned)s->text.n, 0, s->scratch, on_match, NULL);

	kh_bench_must(e == HS_SUCCESS ? KH_OK : KH_EINPUT, "hs_scan");
	return 0;
}

/* One pass that looks at every byte: for orientation. */
static double pass(void *ctx)
{
	struct subject *s = ctx;
	const char *p = s->text.p, *end = p + s->text.n;

	s->lines = 0;
	while (p < end && (p = memchr(p, '~', (size_t)(end - p))) != NULL) {
		s->lines++;
		p++;
	}
	return 0;
}

static double skeleton(void *ctx)
{
	struct subject *s = ctx;
	struct kh_view text;

	kh_arena_clear(&s->arena);
	kh_bench_must(kh_normalise_skeleton(&s->arena, s->text, &text), "kh_normalise_skeleton");
	return 0;
}

static enum kh_err on_form(void *ctx, const struct kh_forms_form *form)
{
	struct subject *s = ctx;

	s->lines += form->depth;
	return KH_OK;
}

static double forms(void *ctx)
{
	struct subject *s = ctx;

	kh_arena_clear(&s->arena);
	kh_bench_must(kh_forms_each(&s->arena, s->text, on_form, s), "kh_forms_each");
	return 0;
}

/* The rules as kh_rules_new() compiles them, to scan with and nothing else. */
static void compile(struct subject *s)
{
	size_t n;
	const struct kh_rule *rules = kh_rules_builtin(&n);
	const char **patterns = (const char **)(void *)kh_bench_alloc(n * sizeof(*patterns));
	unsigned *flags = (unsigned *)(void *)kh_bench_alloc(n * sizeof(*flags));
	hs_compile_error_t *why = NULL;

	for (size_t i = 0; i < n; i++) {
		patterns[i] = rules[i].pattern;
		flags[i] = HS_FLAG_CASELESS | HS_FLAG_MULTILINE;
	}
	hs_error_t e = hs_compile_multi(patterns, flags, NULL, (unsigned)n, HS_MODE_BLOCK, NULL, &s->database, &why);
	kh_bench_must(e == HS_SUCCESS ? KH_OK : KH_EINPUT, "hs_compile_multi");
	kh_bench_must(hs_alloc_scratch(s->database, &s->scratch) == HS_SUCCESS ? KH_OK : KH_ENOMEM, "hs_alloc_scratch");
	free((void *)patterns);
	free(flags);
}

static void measure_benign(struct subject *s, const char *name, struct kh_view text)
{
	enum { SCREEN, SCAN, PASS, SKELETON, FORMS, COUNT };
	struct kh_bench_case c[COUNT] = {{screen, s, 0}, {scan, s, 0}, {pass, s, 0}, {skeleton, s, 0}, {forms, s, 0}};
	double n = (double)text.n;

	s->text = text;
	s->as = KH_SCREEN_DOCUMENT;
	kh_bench_time(c, COUNT);
	kh_bench_speed(kh_bench_printf("screen %s, %.0f KiB (P1)", name, n / 1024).s, n, c[SCREEN].ns, "hs_scan alone",
		       c[SCAN].ns, WANTED);
	kh_bench_speed("  the same against one pass over the bytes", n, c[SCREEN].ns, "memchr", c[PASS].ns, 0);
	kh_bench_speed("  stage: skeleton, the normal form", n, c[SKELETON].ns, "hs_scan alone", c[SCAN].ns, 0);
	kh_bench_speed("  stage: decoders (kh_forms_each)", n, c[FORMS].ns, "hs_scan alone", c[SCAN].ns, 0);
	kh_bench_row("  findings kept",
		     kh_bench_printf("%zu, %s", s->findings, kh_words_name(&kh_severity_words, s->severity)).s, "", 0,
		     "", "");
}

/* The texts of a corpus file, one after another. */
static struct kh_view corpus(const char *path)
{
	struct kh_view rest = kh_prose_file(path), line;
	char *out = kh_bench_alloc(rest.n + 1);
	size_t n = 0;

	while (kh_view_split(&rest, '\n', &line)) {
		yyjson_doc *doc = yyjson_read(line.p, line.n, 0);
		struct kh_view text = kh_json_str(kh_json_get(yyjson_doc_get_root(doc), "text"));
		if (text.n > 0)
			memcpy(out + n, text.p, text.n), n += text.n, out[n++] = '\n';
		yyjson_doc_free(doc);
	}
	return kh_view_of(out, n);
}

struct bad {
	size_t kind;
	double ns;
};

static int slower(const void *a, const void *b)
{
	const struct bad *x = a, *y = b;

	return (x->ns < y->ns) - (x->ns > y->ns);
}

static void measure_nasty(struct subject *s, enum kh_screen_as as)
{
	size_t n = kh_nasty_count();
	struct bad *all = (struct bad *)(void *)kh_bench_alloc(n * sizeof(*all));

	s->as = as;
	for (size_t i = 0; i < n; i++) {
		const char *only = getenv("KH_BENCH_ONLY");
		all[i] = (struct bad){i, 0};
		if (only != NULL && strcmp(only, kh_nasty_name(i)) != 0)
			continue;
		s->text = kh_nasty_make(i, MIB);
		all[i] = (struct bad){i, kh_bench_once(screen, s)};
		if (getenv("KH_BENCH_ALL") != NULL)
			fprintf(stderr, "%s\t%s\t%s\n", modes[as], kh_nasty_name(i), kh_bench_ns(all[i].ns).s);
		free((void *)(uintptr_t)s->text.p);
	}
	qsort(all, n, sizeof(*all), slower);
	for (size_t i = 0; i < SHOWN && i < n; i++)
		kh_bench_limit(kh_bench_printf("1 MiB as %s: %s%s", modes[as], kh_nasty_name(all[i].kind),
					       i == 0 ? ", the worst (P1)" : "")
				       .s,
			       all[i].ns, WORST);
	kh_bench_limit(kh_bench_printf("1 MiB as %s: the middle of %zu kinds", modes[as], n).s, all[n / 2].ns, WORST);
	free(all);
}

static void measure_all_benign(struct subject *s)
{
	const char *shared = getenv("SHARED");

	measure_benign(s, "benign prose", kh_prose_story(MIB));
	measure_benign(s, "short benign prose", kh_prose_story(4096));
	measure_benign(s, "random words", kh_prose_make(MIB));
	if (shared != NULL) {
		struct kh_view mails = corpus(kh_bench_printf("%s/corpora/llmail_benign.jsonl", shared).s);
		if (mails.n > 0)
			measure_benign(s, "benign mails", mails);
	}
}

int main(void)
{
	struct kh_rules *rules;
	struct subject s;

	memset(&s, 0, sizeof(s));
	kh_arena_init(&s.arena, NULL, LIMIT);
	kh_bench_must(kh_rules_new(NULL, NULL, 0, &rules, NULL), "kh_rules_new");
	kh_bench_must(kh_screen_new(NULL, rules, &s.screen), "kh_screen_new");
	compile(&s);
	kh_bench_section("Screening");
	if (getenv("KH_BENCH_ONLY") == NULL)
		measure_all_benign(&s);
	for (unsigned as = 0; as < sizeof(modes) / sizeof(modes[0]); as++)
		measure_nasty(&s, (enum kh_screen_as)as);
	hs_free_scratch(s.scratch);
	hs_free_database(s.database);
	kh_screen_free(s.screen);
	kh_rules_free(rules);
	kh_arena_done(&s.arena);
	return 0;
}
