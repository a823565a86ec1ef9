/*
 * Puts queries to the Reader `extract` without a store, for tools/eval.  Lines {"query":...,"content":...} in; lines
 * {"response":...,"verdict":...,"delivered":...} out, where delivered is what the Controller would get, or null.
 * With -t N the first line is answered N times, and the time of one answer is written.
 */
#include "core/bcp/answer.h"
#include "core/screen/screen.h"
#include "reader/extract.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ARENA_LIMIT (256U << 20)

struct asking {
	struct kh_screen *screen;
	struct kh_arena arena;
	struct kh_query query;
	struct kh_view content;
};

static bool read_line(struct asking *a, struct kh_view line)
{
	struct kh_reasons errors;
	yyjson_val *root = NULL;

	kh_reasons_init(&errors, &a->arena);
	if (kh_json_read(&a->arena, line, &root, NULL) != KH_OK ||
	    kh_query_read(&a->arena, kh_json_get(root, "query"), KH_QUERY_CHECK, &a->query, &errors) != KH_OK ||
	    errors.n > 0)
		return false;
	a->content = kh_json_str(kh_json_get(root, "content"));
	return a->content.p != NULL;
}

static bool answer(struct asking *a)
{
	struct kh_recent none = {NULL, 0};
	struct kh_view response, text;
	struct kh_answer judged;
	yyjson_val *body = NULL;

	if (kh_extract_respond(&a->arena, &a->query, a->content, &response) != KH_OK ||
	    kh_answer_judge(a->screen, &a->arena, &a->query, kh_tainted_wrap(response), none, &judged) != KH_OK ||
	    kh_json_read(&a->arena, response, &body, NULL) != KH_OK)
		return false;
	yyjson_mut_doc *doc = kh_json_new(&a->arena);
	yyjson_mut_val *out = yyjson_mut_obj(doc);
	yyjson_mut_obj_add_val(doc, out, "response", yyjson_val_mut_copy(doc, body));
	yyjson_mut_obj_add_str(doc, out, "verdict", kh_words_name(&kh_answer_verdict_words, judged.verdict));
	yyjson_mut_obj_add_val(doc, out, "delivered",
			       judged.values != NULL && judged.verdict == KH_VERDICT_DELIVER
				       ? kh_answer_write(&judged, &a->query, doc)
				       : yyjson_mut_null(doc));
	if (kh_json_write(&a->arena, out, &text) != KH_OK)
		return false;
	fwrite(text.p, 1, text.n, stdout);
	return putchar('\n') != EOF;
}

static int time_it(struct asking *a, long times)
{
	struct timespec from, to;
	struct kh_arena arena;
	struct kh_view response = KH_LIT("");

	kh_arena_init(&arena, &kh_alloc_system, ARENA_LIMIT);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	for (long i = 0; i < times; i++) {
		kh_arena_clear(&arena);
		if (kh_extract_respond(&arena, &a->query, a->content, &response) != KH_OK)
			return 1;
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	double ns = (double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec);
	printf("%zu bytes, %.2f us: %.*s\n", a->content.n, ns / 1e3 / (double)times, KH_FMT(response));
	kh_arena_done(&arena);
	return 0;
}

int main(int argc, char **argv)
{
	struct asking a = {0};
	struct kh_rules *rules;
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	int status = 0;

	if (kh_rules_new(&kh_alloc_system, NULL, 0, &rules, &(struct kh_error){0}) != KH_OK ||
	    kh_screen_new(&kh_alloc_system, rules, &a.screen) != KH_OK)
		return 2;
	kh_arena_init(&a.arena, &kh_alloc_system, ARENA_LIMIT);
	while (status == 0 && (n = getline(&line, &cap, stdin)) > 0) {
		kh_arena_clear(&a.arena);
		if (!read_line(&a, kh_view_trim(kh_view_of(line, (size_t)n)))) {
			fprintf(stderr,
				"ask-extract: not {\"query\":...,\"content\":...} with a query that is in order\n");
			status = 2;
		} else if (argc == 3 && strcmp(argv[1], "-t") == 0) {
			status = time_it(&a, strtol(argv[2], NULL, 10));
			break;
		} else if (!answer(&a)) {
			status = 1;
		}
	}
	free(line);
	kh_arena_done(&a.arena);
	kh_screen_free(a.screen);
	kh_rules_free(rules);
	return status;
}
