/*
 * Puts calls to tier 1 of verification without a store, for tools/eval-launder.  Lines {"tool":...,"arguments":{...},
 * "sources":[{"id":...,"from":"world|delivery|own","content":...}]} in; what the reviewer would be shown, a line each,
 * out.  In place of "arguments", "calls" has the arguments of several calls in their order, each of which begins; the
 * line is about the first that shares something with a source, or about the last.
 */
#include "core/block/verify.h"

#include <stdio.h>
#include <stdlib.h>

#define ARENA_LIMIT (1024U << 20)

static enum kh_verify_from from_word(struct kh_view word)
{
	return kh_view_eq(word, KH_LIT("own"))        ? KH_VERIFY_OWN
	       : kh_view_eq(word, KH_LIT("delivery")) ? KH_VERIFY_DELIVERY
						      : KH_VERIFY_WORLD;
}

static yyjson_mut_val *write_match(yyjson_mut_doc *doc, const struct kh_verification *v, const struct kh_match *match,
				   const struct kh_verify_source *sources)
{
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	yyjson_mut_obj_add_str(doc, obj, "kind", kh_compare_kind(match->kind));
	kh_json_add(doc, obj, "member", v->members[match->text]);
	kh_json_add(doc, obj, "block", sources[match->source].id);
	kh_json_add(doc, obj, "shared", kh_arena_quote(v->reasons.arena, match->shared));
	yyjson_mut_obj_add_bool(doc, obj, "decoded", match->decoded);
	return obj;
}

static yyjson_mut_val *write(yyjson_mut_doc *doc, const struct kh_verification *verification,
			     const struct kh_verify_source *sources)
{
	yyjson_mut_val *obj = yyjson_mut_obj(doc), *matches = yyjson_mut_arr(doc);

	yyjson_mut_obj_add_str(doc, obj, "result", verification->suspicious ? "suspicious" : "clear");
	yyjson_mut_obj_add_bool(doc, obj, "flagged", verification->flagged);
	yyjson_mut_obj_add_str(doc, obj, "taint", kh_words_name(&kh_label_taint_words, verification->taint));
	yyjson_mut_obj_add_val(doc, obj, "reasons", kh_json_reasons(doc, &verification->reasons));
	for (size_t i = 0; i < verification->matches.n; i++)
		yyjson_mut_arr_add_val(matches, write_match(doc, verification, &verification->matches.at[i], sources));
	yyjson_mut_obj_add_val(doc, obj, "matches", matches);
	return obj;
}

/* What the calls before sent: every parameter that there is, and all of them. */
struct sending {
	struct kh_sent at[64];
	size_t n;
};

static struct kh_sent *find_sent(struct sending *sent, struct kh_view name)
{
	for (size_t i = 0; i < sent->n; i++) {
		if (kh_view_eq(sent->at[i].name, name))
			return &sent->at[i];
	}
	if (sent->n == sizeof(sent->at) / sizeof(sent->at[0]))
		return NULL;
	sent->at[sent->n] = (struct kh_sent){.name = name};
	return &sent->at[sent->n++];
}

/* A call has begun: the next ones are compared after it. */
static bool begin(struct kh_arena *arena, const struct kh_verify_request *call, struct sending *sent)
{
	struct kh_sent_value *values = NULL;
	struct kh_sent before[KH_SENT_VALUES + 2];
	struct kh_view line;
	size_t count = 0;
	bool fine = kh_sent_split(arena, call->tool, call->arguments, &values, &count) == KH_OK;

	for (size_t i = 0; fine && i < count; i++) {
		struct kh_sent *of = find_sent(sent, values[i].name);
		fine = of != NULL;
		if (fine)
			before[i] = *of;
	}
	fine = fine && kh_sent_all(arena, before, values, count, &line) == KH_OK;
	for (size_t i = 0; fine && i < count; i++)
		fine = kh_sent_add(arena, find_sent(sent, values[i].name), values[i].value) == KH_OK;
	struct kh_sent *all = fine ? find_sent(sent, KH_LIT("")) : NULL;
	return all != NULL && kh_sent_add(arena, all, line) == KH_OK;
}

/* The calls of a line, up to the first with a match.  OF has what they have in common. */
static bool verify_all(struct kh_screen *screen, struct kh_arena *arena, const struct kh_verify_request *of,
		       yyjson_val *calls, struct kh_verification *ret)
{
	struct kh_verify_request call = *of;
	struct sending sent = {.n = 0};
	size_t i, max;
	yyjson_val *arguments;

	ret->matches.n = 0;
	yyjson_arr_foreach (calls, i, max, arguments) {
		call.arguments = arguments;
		call.sent = sent.at;
		call.sent_count = sent.n;
		if (kh_verify_call(screen, arena, &call, ret) != KH_OK)
			return false;
		if (ret->matches.n > 0)
			return true;
		if (!begin(arena, &call, &sent))
			return false;
	}
	return max > 0;
}

static bool verify(struct kh_screen *screen, struct kh_arena *arena, struct kh_view line)
{
	yyjson_val *root = NULL, *list, *item;
	struct kh_verification v;
	struct kh_view text;
	size_t i, max, count = 0;

	if (kh_json_read(arena, line, &root, NULL) != KH_OK)
		return false;
	list = kh_json_get(root, "sources");
	struct kh_verify_source *sources = KH_NEW_N(arena, struct kh_verify_source, yyjson_arr_size(list) + 1);
	if (sources == NULL)
		return false;
	yyjson_arr_foreach (list, i, max, item)
		sources[count++] = (struct kh_verify_source){
			.id = kh_json_str(kh_json_get(item, "id")),
			.content = kh_json_str(kh_json_get(item, "content")),
			.from = from_word(kh_json_str(kh_json_get(item, "from"))),
		};
	struct kh_verify_request call = {
		.tool = kh_json_str(kh_json_get(root, "tool")),
		.arguments = kh_json_get(root, "arguments"),
		.sources = sources,
		.source_count = count,
		.taint = KH_TAINT_HIGH,
	};
	if (call.arguments != NULL ? kh_verify_call(screen, arena, &call, &v) != KH_OK
				   : !verify_all(screen, arena, &call, kh_json_get(root, "calls"), &v))
		return false;
	yyjson_mut_doc *doc = kh_json_new(arena);
	if (kh_json_write(arena, write(doc, &v, sources), &text) != KH_OK)
		return false;
	fwrite(text.p, 1, text.n, stdout);
	return putchar('\n') != EOF;
}

int main(void)
{
	struct kh_screen *screen = NULL;
	struct kh_rules *rules = NULL;
	struct kh_arena arena;
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	int status = 0;

	kh_arena_init(&arena, &kh_alloc_system, ARENA_LIMIT);
	if (kh_rules_new(NULL, NULL, 0, &rules, NULL) != KH_OK || kh_screen_new(NULL, rules, &screen) != KH_OK)
		return 1;
	while (status == 0 && (n = getline(&line, &cap, stdin)) > 0) {
		if (!verify(screen, &arena, kh_view_of(line, (size_t)n))) {
			fprintf(stderr, "verify-calls: this line is no call: %.*s\n", n < 200 ? (int)n : 200, line);
			status = 2;
		}
		kh_arena_clear(&arena);
	}
	free(line);
	kh_screen_free(screen);
	kh_rules_free(rules);
	kh_arena_done(&arena);
	return status;
}
