/* The operations of a reviewer as requests of REST (docs/use/HTTP.md).  An answer without the members that it must have
 * is an error, never an empty result. */
#include "cli/remotecall.h"

#include "base/timestamp.h"
#include "base/utf8.h"
#include "engine/approval/decide.h"
#include "engine/approval/list.h"
#include "engine/approval/show.h"
#include "engine/query/tries.h"

#define PATH 2048 /* bytes */

/* One call. */
struct calling {
	struct kh_remote *remote;
	void *call;
	struct kh_arena *arena;
	struct kh_error *err;
	struct kh_buf path;
};

static enum kh_err incomplete(struct calling *c, const char *what)
{
	return kh_remote_strange(c->remote, KH_EREFUSED, what, c->err);
}

/* Sends the request, with BODY or without, and reads the object that is answered. */
static enum kh_err send(struct calling *c, const struct kh_view *body, struct kh_view *ret_json, yyjson_val **ret_root)
{
	struct kh_remote_answer answer;
	struct kh_view path;
	enum kh_err e = kh_buf_end(&c->path, &path);

	if (e != KH_OK)
		return kh_error_set(c->err, e, "too_long", "an argument is too long");
	e = body != NULL ? kh_remote_post(c->remote, c->arena, path, *body, &answer, c->err)
			 : kh_remote_get(c->remote, c->arena, path, &answer, c->err);
	if (e != KH_OK)
		return e;
	e = kh_json_read(c->arena, answer.body, ret_root, NULL);
	if (e != KH_OK || !yyjson_is_obj(*ret_root))
		return kh_remote_strange(c->remote, e, "no JSON object", c->err);
	*ret_json = answer.body;
	return KH_OK;
}

/* Text that cannot be an id is not sent. */
static enum kh_err add_approval(struct calling *c, struct kh_view id)
{
	if (!kh_view_is_word(id, ""))
		return kh_error_set(c->err, KH_EUNKNOWN, "unknown_approval", "there is no approval %.*s",
				    KH_FMT(kh_arena_quote(c->arena, id)));
	kh_buf_lit(&c->path, "/approvals/");
	kh_buf_add(&c->path, id);
	return KH_OK;
}

/* --- approvals ---------------------------------------------------------------------------------------------------- */

static enum kh_err list(struct calling *c)
{
	struct kh_page *page = c->call;
	struct kh_view json, items;
	yyjson_val *root;

	kh_buf_printf(&c->path, "/approvals?all=%s", page->all ? "true" : "false");
	if (page->after.n > 0) {
		kh_buf_lit(&c->path, "&after=");
		kh_remote_encode(&c->path, page->after);
	}
	enum kh_err e = send(c, NULL, &json, &root);
	if (e != KH_OK)
		return e;
	yyjson_val *list = kh_json_get(root, "items");
	if (!yyjson_is_arr(list))
		return incomplete(c, "no list");
	yyjson_mut_doc *doc = kh_json_new(c->arena);
	e = kh_json_write(c->arena, yyjson_val_mut_copy(doc, list), &items);
	if (e != KH_OK)
		return kh_error_set(c->err, e, "out_of_memory", "out of memory");
	page->json = items;
	page->count = yyjson_arr_size(list);
	page->next = kh_json_str(kh_json_get(root, "next"));
	return KH_OK;
}

static enum kh_err show(struct calling *c)
{
	struct kh_approval_show *show = c->call;
	struct kh_view json;
	yyjson_val *root;

	enum kh_err e = add_approval(c, show->approval);
	kh_buf_printf(&c->path, "?page=%lld", (long long)show->page);
	if (e == KH_OK)
		e = send(c, NULL, &json, &root);
	if (e != KH_OK)
		return e;
	yyjson_val *text = kh_json_get(root, "text");
	if (!yyjson_is_str(text))
		return incomplete(c, "no text");
	show->json = json;
	show->text = kh_tainted_wrap(kh_json_str(text));
	return KH_OK;
}

/* The body of a decision.  What was edited goes as a string, and is read at the gateway as at home. */
static enum kh_err write_decision(struct calling *c, struct kh_view edited, struct kh_view *ret_body)
{
	const struct kh_approval_decide *decide = c->call;
	yyjson_mut_doc *doc = kh_json_new(c->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	yyjson_mut_obj_add_str(doc, obj, "decision", kh_words_name(&kh_approval_decide_words, decide->choice));
	kh_json_add(doc, obj, "digest", decide->shown);
	if (decide->choice == KH_CHOICE_EDIT)
		kh_json_add(doc, obj, "edited", edited);
	if (decide->note.n > 0)
		kh_json_add(doc, obj, "note", decide->note);
	if (decide->host.n > 0)
		kh_json_add(doc, obj, "host", decide->host);
	if (decide->uses > 0)
		yyjson_mut_obj_add_sint(doc, obj, "uses", decide->uses);
	if (decide->until > 0)
		kh_json_add(doc, obj, "until", kh_timestamp_text(c->arena, decide->until));
	enum kh_err e = kh_arena_check(c->arena);
	return e == KH_OK ? kh_json_write(c->arena, obj, ret_body) : e;
}

static enum kh_err decide(struct calling *c)
{
	const struct kh_approval_decide *decide = c->call;
	struct kh_view json, body, edited = kh_tainted_open(decide->edited);
	yyjson_val *root;

	if (kh_utf8_invalid(edited) != SIZE_MAX || kh_utf8_invalid(decide->note) != SIZE_MAX ||
	    kh_utf8_invalid(decide->host) != SIZE_MAX || kh_utf8_invalid(decide->shown) != SIZE_MAX)
		return kh_error_set(c->err, KH_EINPUT, "bad_utf8", "a decision is written in UTF-8");
	enum kh_err e = write_decision(c, edited, &body);
	if (e != KH_OK)
		return kh_error_set(c->err, e, "out_of_memory", "out of memory");
	e = add_approval(c, decide->approval);
	kh_buf_lit(&c->path, "/decision");
	if (e == KH_OK)
		e = send(c, &body, &json, &root);
	return e == KH_OK && kh_json_str(kh_json_get(root, "state")).n == 0 ? incomplete(c, "no state") : e;
}

/* --- queries ------------------------------------------------------------------------------------------------------ */

static enum kh_err show_tries(struct calling *c)
{
	struct kh_tries *tries = c->call;
	struct kh_view json;
	yyjson_val *root;

	if (!kh_view_is_word(tries->query, ""))
		return kh_error_set(c->err, KH_EUNKNOWN, "unknown_query", "there is no query %.*s",
				    KH_FMT(kh_arena_quote(c->arena, tries->query)));
	kh_buf_lit(&c->path, "/queries/");
	kh_buf_add(&c->path, tries->query);
	kh_buf_lit(&c->path, "/tries");
	if (tries->number > 0)
		kh_buf_printf(&c->path, "?try=%lld&page=%lld", (long long)tries->number, (long long)tries->page);
	enum kh_err e = send(c, NULL, &json, &root);
	if (e == KH_OK && !yyjson_is_arr(kh_json_get(root, "tries")))
		return incomplete(c, "no tries");
	if (e == KH_OK)
		tries->json = json;
	return e;
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

static const struct {
	kh_engine_fn *fn;
	enum kh_err (*run)(struct calling *c);
} operations[] = {
	{kh_approval_list_run, list},
	{kh_approval_show_run, show},
	{kh_approval_decide_run, decide},
	{kh_tries_run, show_tries},
};

enum kh_err kh_remotecall_run(struct kh_remote *remote, kh_engine_fn *fn, void *call, struct kh_arena *arena,
			      struct kh_error *err)
{
	struct calling c = {.remote = remote, .call = call, .arena = arena, .err = err};

	kh_buf_init(&c.path, arena, PATH);
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		if (operations[i].fn == fn)
			return operations[i].run(&c);
	return kh_error_set(err, KH_EREFUSED, "not_here", "this cannot be done over a gateway");
}
