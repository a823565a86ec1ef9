/* What a reviewer of an upstream server is shown.  Rows are collected in the transaction and rendered after it. */
#include "engine/upstream/review.h"

#include "base/buf.h"
#include "base/timestamp.h"
#include "engine/approval/subject.h"
#include "engine/upstream/changes.h"
#include "engine/upstream/fit.h"

static void more_digest(struct kh_canonical_state *state, const struct kh_digest *digest)
{
	kh_canonical_more(state, kh_view_of((const char *)digest->bytes, sizeof(digest->bytes)));
}

static void more_text(struct kh_canonical_state *state, struct kh_view text)
{
	struct kh_digest digest = kh_canonical_digest(text);

	more_digest(state, &digest);
}

struct kh_digest kh_upstream_review_digest(const struct kh_upstream_row *row, struct kh_tool_row *const *tools,
					   size_t count)
{
	struct kh_canonical_state state;

	kh_canonical_begin(&state);
	more_text(&state, row->name);
	more_text(&state, row->seen_about);
	more_digest(&state, &row->seen_program);
	for (size_t i = 0; i < count; i++) {
		more_text(&state, tools[i]->name);
		more_text(&state, kh_view_str(kh_words_name(&kh_rows_pin_words, tools[i]->state)));
		more_digest(&state, &tools[i]->pinned_hash);
		more_digest(&state, &tools[i]->seen_hash);
	}
	return kh_canonical_end(&state);
}

enum kh_err kh_upstream_review_run(struct kh_op *op, void *call)
{
	struct kh_upstream_review *review = call;
	enum kh_err e = kh_upstream_seen_find(op, review->name, &review->row);

	if (e == KH_OK && review->row == NULL)
		return kh_error_set(op->err, KH_EUNKNOWN, "unknown_upstream",
				    "no upstream server of this name was seen yet");
	return e == KH_OK ? kh_upstream_seen_tools(op, review->row, &review->tools, &review->count) : e;
}

/* --- rendering ---------------------------------------------------------------------------------------------------- */

#define WORDS_MAX (1U << 20) /* bytes of a tool's words, of which the inventory allows less */

struct rendering {
	const struct kh_alloc *alloc;
	yyjson_mut_doc *doc;
	struct kh_arena *arena;
	struct kh_screen *screen;
	enum kh_err e;
};

static void add_digest(struct rendering *r, yyjson_mut_val *obj, const char *key, const struct kh_digest *digest)
{
	kh_json_add(r->doc, obj, key, kh_canonical_hex(r->arena, digest));
}

static void add_time(struct rendering *r, yyjson_mut_val *obj, const char *key, int64_t at)
{
	if (at > 0)
		kh_json_add(r->doc, obj, key, kh_timestamp_text(r->arena, at));
}

/* What a column holds, as a value. */
static yyjson_val *read(struct rendering *r, struct kh_view text)
{
	yyjson_val *root = NULL;
	struct kh_error err;

	if (text.n > 0 && r->e == KH_OK)
		r->e = kh_json_read(r->arena, text, &root, &err);
	return root;
}

static void add_value(struct rendering *r, yyjson_mut_val *obj, const char *key, yyjson_val *value)
{
	if (value != NULL)
		(void)yyjson_mut_obj_add_val(r->doc, obj, key, yyjson_val_mut_copy(r->doc, value));
}

/* Every text that VALUE has, names of members too, one a line. */
static void collect(struct kh_buf *buf, yyjson_val *value)
{
	yyjson_obj_iter members;
	yyjson_arr_iter items;
	yyjson_val *at;

	if (yyjson_is_str(value)) {
		kh_buf_add(buf, kh_json_str(value));
		kh_buf_byte(buf, '\n');
	} else if (yyjson_is_arr(value)) {
		yyjson_arr_iter_init(value, &items);
		while ((at = yyjson_arr_iter_next(&items)) != NULL)
			collect(buf, at);
	} else if (yyjson_is_obj(value)) {
		yyjson_obj_iter_init(value, &members);
		while ((at = yyjson_obj_iter_next(&members)) != NULL) {
			collect(buf, at);
			collect(buf, yyjson_obj_iter_get_val(at));
		}
	}
}

/* Adds what the screen finds in the texts of VALUE. */
static void add_findings(struct rendering *r, yyjson_mut_val *obj, yyjson_val *value)
{
	struct kh_view text, json = {NULL, 0};
	struct kh_findings findings;
	struct kh_buf buf;

	if (value == NULL || r->e != KH_OK)
		return;
	kh_buf_init(&buf, r->arena, WORDS_MAX);
	collect(&buf, value);
	r->e = kh_buf_end(&buf, &text);
	if (r->e == KH_OK)
		r->e = kh_screen_text(r->screen, r->arena, text, KH_SCREEN_REVIEWED, &findings);
	if (r->e == KH_OK)
		r->e = kh_subject_findings(r->arena, &findings, KH_SEVERITY_MEDIUM, &json);
	if (r->e == KH_OK && json.n > 2)
		kh_json_add_raw(r->doc, obj, "findings", json);
}

/* Adds why the tool cannot be approved, if it cannot, and why its results have no types, if they have none. */
static void add_unfit(struct rendering *r, yyjson_mut_val *obj, struct kh_view text, yyjson_val *seen)
{
	struct kh_view why = {NULL, 0}, untyped = {NULL, 0};

	if (text.n > 0 && r->e == KH_OK)
		r->e = kh_fit_tool(r->alloc, r->arena, text, &why);
	if (why.n > 0)
		kh_json_add(r->doc, obj, "unfit", why);
	if (seen != NULL && r->e == KH_OK)
		r->e = kh_fit_results(r->alloc, r->arena, seen, &untyped);
	if (untyped.n > 0)
		kh_json_add(r->doc, obj, "untyped", untyped);
}

static void add_tool(struct rendering *r, yyjson_mut_val *list, const struct kh_tool_row *row)
{
	yyjson_val *seen = read(r, row->seen), *pinned = read(r, row->pinned);
	yyjson_mut_val *obj = yyjson_mut_arr_add_obj(r->doc, list);

	kh_json_add(r->doc, obj, "name", row->name);
	(void)yyjson_mut_obj_add_str(r->doc, obj, "state", kh_words_name(&kh_rows_pin_words, row->state));
	if (row->alias.n > 0)
		kh_json_add(r->doc, obj, "alias", row->alias);
	add_value(r, obj, "tool", seen);
	add_findings(r, obj, seen);
	add_unfit(r, obj, row->seen, seen);
	if (pinned != NULL && memcmp(&row->pinned_hash, &row->seen_hash, sizeof(row->seen_hash)) != 0) {
		add_value(r, obj, "pinned", pinned);
		if (seen != NULL)
			(void)yyjson_mut_obj_add_val(r->doc, obj, "changes",
						     kh_changes_list(r->doc, r->arena, pinned, seen));
	}
	if (row->words.n > 0)
		kh_json_add(r->doc, obj, "words", row->words);
	add_time(r, obj, "seen_at", row->seen_at);
	add_time(r, obj, "approved_at", row->approved_at);
}

static yyjson_mut_val *render(struct rendering *r, const struct kh_upstream_review *review)
{
	struct kh_digest digest = kh_upstream_review_digest(review->row, review->tools, review->count);
	const struct kh_upstream_row *row = review->row;
	yyjson_mut_val *obj = yyjson_mut_obj(r->doc);

	kh_json_add(r->doc, obj, "name", row->name);
	(void)yyjson_mut_obj_add_str(r->doc, obj, "state", kh_words_name(&kh_rows_pin_words, row->state));
	add_digest(r, obj, "digest", &digest);
	add_digest(r, obj, "program", &row->seen_program);
	if (row->state != KH_PIN_SEEN && memcmp(&row->program, &row->seen_program, sizeof(row->program)) != 0)
		add_digest(r, obj, "pinned_program", &row->program);
	yyjson_val *about = read(r, row->seen_about);
	add_value(r, obj, "about", about);
	add_findings(r, obj, about);
	add_time(r, obj, "seen_at", row->seen_at);
	add_time(r, obj, "approved_at", row->approved_at);
	yyjson_mut_val *tools = yyjson_mut_obj_add_arr(r->doc, obj, "tools");
	for (size_t i = 0; i < review->count; i++) {
		/* A row that nobody approved, of a tool that is gone, is free for another. */
		if (review->tools[i]->seen.n > 0 || review->tools[i]->alias.n > 0)
			add_tool(r, tools, review->tools[i]);
	}
	return obj;
}

enum kh_err kh_upstream_review_finish(struct kh_engine *engine, struct kh_arena *arena, void *call,
				      struct kh_error *err)
{
	struct kh_upstream_review *review = call;
	struct kh_engine_screen *taken = kh_engine_screen_take(engine);
	struct rendering r = {.alloc = kh_engine_alloc(engine), .doc = kh_json_new(arena), .arena = arena};

	if (taken == NULL)
		return KH_ENOMEM;
	r.screen = kh_engine_screen_of(taken);
	yyjson_mut_val *obj = render(&r, review);
	kh_engine_screen_give(engine, taken);
	if (r.e != KH_OK && r.e != KH_ENOMEM)
		return kh_error_set(err, KH_ESTORE, "store_corrupt",
				    "what is stored of the upstream server is not JSON");
	return r.e == KH_OK ? kh_json_write(arena, obj, &review->json) : r.e;
}
