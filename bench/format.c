/* Category-2 answers: what judging one costs, by format and stage. */
#include "bench.h"

#include "core/bcp/answer.h"
#include "core/screen/normalise.h"
#include "core/screen/screen.h"

#include <stdio.h>

#define LIMIT (64U << 20)

static const char *const typical[KH_FORMAT_COUNT] = {
	[KH_FORMAT_PERSON_NAME] = "Ada Lovelace",
	[KH_FORMAT_DATE] = "15th of March 2026",
	[KH_FORMAT_TIME] = "3:30 pm",
	[KH_FORMAT_DATETIME] = "2026-03-15 15:30",
	[KH_FORMAT_EMAIL] = "ada@example.com",
	[KH_FORMAT_PHONE] = "+44 20 7946 0958",
	[KH_FORMAT_INTEGER] = "1,200",
	[KH_FORMAT_NUMBER] = "3.75",
	[KH_FORMAT_AMOUNT] = "$1,200.50",
	[KH_FORMAT_YES_NO] = "Yes",
	[KH_FORMAT_COUNTRY] = "Norway",
	[KH_FORMAT_LANGUAGE] = "Portuguese",
	[KH_FORMAT_IDENTIFIER] = "INV-2026-0042",
	[KH_FORMAT_SHORT_LIST] = "budget, hiring plan, office move",
	[KH_FORMAT_SHORT_TEXT] = "the quarterly figures for the northern region",
};

struct subject {
	enum kh_format format;
	struct kh_screen *screen;
	struct kh_arena kept, scratch;
	struct kh_query query;
	struct kh_view response, raw;
	struct kh_view normal;
	enum kh_verdict verdict;
};

static double judge(void *ctx)
{
	struct subject *s = ctx;
	struct kh_answer answer;

	kh_arena_clear(&s->scratch);
	kh_bench_must(kh_answer_judge(s->screen, &s->scratch, &s->query, kh_tainted_wrap(s->response),
				      (struct kh_recent){NULL, 0}, &answer),
		      "kh_answer_judge");
	s->verdict = answer.verdict;
	return 0;
}

static double normalise(void *ctx)
{
	struct subject *s = ctx;
	struct kh_normalised normal;

	kh_arena_clear(&s->scratch);
	kh_bench_must(kh_normalise_text(&s->scratch, s->raw, &normal), "kh_normalise_text");
	return 0;
}

static double format(void *ctx)
{
	struct subject *s = ctx;
	struct kh_view canonical;
	const char *problem;

	kh_arena_clear(&s->scratch);
	(void)kh_format_read(s->format, (struct kh_format_detail){0}, &s->scratch, s->normal, &canonical, &problem);
	return 0;
}

static double screen(void *ctx)
{
	struct subject *s = ctx;
	enum kh_format_screen kind = kh_format_screen(s->format);
	enum kh_screen_as as = kind == KH_FORMAT_SCREEN_NAME ? KH_SCREEN_NAME : KH_SCREEN_ANSWER;
	struct kh_findings findings;

	if (kind == KH_FORMAT_SCREEN_CLOSED)
		return 0;
	kh_arena_clear(&s->scratch);
	kh_bench_must(kh_screen_text(s->screen, &s->scratch, s->raw, as, &findings), "kh_screen_text");
	if (kind == KH_FORMAT_SCREEN_TOKEN)
		kh_bench_must(kh_screen_text(s->screen, &s->scratch, s->raw, KH_SCREEN_DOCUMENT, &findings),
			      "kh_screen_text");
	return 0;
}

static double peer(void *ctx)
{
	const struct subject *s = ctx;

	yyjson_doc_free(yyjson_read(s->response.p, s->response.n, 0));
	return 0;
}

static void prepare(struct subject *s)
{
	const char *name = kh_format_name(s->format);
	struct kh_normalised normal;
	struct kh_reasons errors;
	yyjson_val *root;

	s->raw = kh_view_str(typical[s->format]);
	s->response = kh_arena_printf(&s->kept, "{\"answers\":[{\"id\":\"q1\",\"answer\":\"%s\"}]}",
				      typical[s->format]);
	struct kh_view query = kh_arena_printf(
		&s->kept,
		"{\"category\":2,\"questions\":[{\"id\":\"q1\",\"question\":\"What does "
		"the mail say about it?\",\"max_words\":10,\"expected_format\":\"%s\"}]}",
		name);
	kh_reasons_init(&errors, &s->kept);
	kh_bench_must(kh_json_read(&s->kept, query, &root, NULL), "the query's JSON");
	kh_bench_must(kh_query_read(&s->kept, root, KH_QUERY_CHECK, &s->query, &errors), "the query");
	kh_bench_must(errors.n == 0 ? KH_OK : KH_EREFUSED, "the query");
	kh_bench_must(kh_normalise_text(&s->kept, s->raw, &normal), "kh_normalise_text");
	s->normal = normal.text;
}

static void measure(struct subject *s)
{
	enum { JUDGE, PEER, NORMALISE, FORMAT, SCREEN, COUNT };
	struct kh_bench_case c[COUNT] = {
		{judge, s, 0}, {peer, s, 0}, {normalise, s, 0}, {format, s, 0}, {screen, s, 0}};

	prepare(s);
	kh_bench_time(c, COUNT);
	struct kh_bench_text figure = kh_bench_printf("%.2f us (%.2f, %.2f, %.2f)", c[JUDGE].ns / 1e3,
						      c[NORMALISE].ns / 1e3, c[FORMAT].ns / 1e3, c[SCREEN].ns / 1e3);
	struct kh_bench_text other = kh_bench_printf("yyjson_read+free %s", kh_bench_ns(c[PEER].ns).s);
	kh_bench_row(kh_bench_printf("%s%s", kh_format_name(s->format),
				     s->verdict == KH_VERDICT_DELIVER ? "" : " (not delivered)")
			     .s,
		     figure.s, other.s, c[JUDGE].ns / c[PEER].ns, "", "");
}

int main(void)
{
	struct kh_rules *rules;
	struct subject s;

	memset(&s, 0, sizeof(s));
	kh_bench_must(kh_rules_new(NULL, NULL, 0, &rules, NULL), "kh_rules_new");
	kh_bench_must(kh_screen_new(NULL, rules, &s.screen), "kh_screen_new");
	kh_bench_section("Category 2: judging an answer (of it: normalise, format, screen)");
	for (unsigned i = 0; i < KH_FORMAT_COUNT; i++) {
		s.format = (enum kh_format)i;
		kh_arena_init(&s.kept, NULL, LIMIT);
		kh_arena_init(&s.scratch, NULL, LIMIT);
		measure(&s);
		kh_arena_done(&s.kept);
		kh_arena_done(&s.scratch);
	}
	kh_screen_free(s.screen);
	kh_rules_free(rules);
	return 0;
}
