/* The block commands of the offline contract.  The input is hostile; the strict readers of this folder parse it. */
#include "core/block/contract.h"

#include "core/block/blockjson.h"
#include "core/block/taint.h"
#include "core/block/xml.h"

/* A command at work: what it reads, the blocks in it, what it writes, and why it does not. */
struct work {
	struct kh_call *call;
	yyjson_val *in;
	struct kh_blocks set;
	yyjson_mut_val *out;
	struct kh_error problem;
};

/* Checks that the input is an object with no members but KNOWN. */
static enum kh_err check_input(struct work *w, const struct kh_words *known)
{
	yyjson_val *stranger = kh_json_stranger(w->in, known);

	if (!yyjson_is_obj(w->in))
		return kh_error_set(&w->problem, KH_EINPUT, "wrong_type", "an object was expected, not %s",
				    kh_json_type(w->in));
	if (stranger == NULL)
		return KH_OK;
	struct kh_view quoted = kh_arena_quote(w->call->arena, kh_json_str(stranger));
	return kh_error_set(&w->problem, KH_EINPUT, "unknown_member", "there is no member %.*s here", KH_FMT(quoted));
}

/*
 * Runs BODY for an input with the members KNOWN.  The result is its output, or {"error":{...}}.  Only lack of memory
 * stays a failure.
 */
static enum kh_err run(struct kh_call *call, yyjson_val *in, const struct kh_words *known,
		       enum kh_err (*body)(struct work *w), yyjson_mut_val **ret_out, struct kh_error *err)
{
	struct work w = {.call = call, .in = in, .out = yyjson_mut_obj(call->doc), .problem = {.offset = SIZE_MAX}};

	kh_blocks_init(&w.set, call->arena, call->nonce);
	enum kh_err e = check_input(&w, known);
	if (e == KH_OK)
		e = body(&w);
	if (e == KH_ENOMEM || kh_arena_check(call->arena) != KH_OK)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory for these blocks");
	if (e != KH_OK) {
		w.problem.err = e; /* sets the code if there is no better one */
		w.out = yyjson_mut_obj(call->doc);
		yyjson_mut_obj_add_val(call->doc, w.out, "error", kh_json_error(call->doc, &w.problem));
	}
	if (kh_arena_check(call->arena) != KH_OK)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory for the answer");
	*ret_out = w.out;
	return KH_OK;
}

/* The member `blocks`, into the set. */
static enum kh_err read_blocks(struct work *w)
{
	return kh_blockjson_read_all(&w->set, kh_json_get(w->in, "blocks"), "blocks", &w->problem);
}

/* Member KEY, which must be a string. */
static enum kh_err get_string(struct work *w, const char *key, struct kh_view *ret_v)
{
	yyjson_val *val = kh_json_get(w->in, key);
	enum kh_err e = KH_OK;

	if (val == NULL)
		e = kh_error_set(&w->problem, KH_EINPUT, "missing", "there is no %s", key);
	else if (!yyjson_is_str(val))
		e = kh_error_set(&w->problem, KH_EINPUT, "wrong_type", "%s is %s, expected a string", key,
				 kh_json_type(val));
	else
		*ret_v = kh_json_str(val);
	return kh_error_member(&w->problem, kh_view_str(key), e);
}

static enum kh_err render(struct work *w)
{
	struct kh_view xml;
	enum kh_err e = read_blocks(w);

	if (e == KH_OK)
		e = kh_xml_write(w->call->arena, &w->set, &xml);
	if (e == KH_OK)
		kh_json_add(w->call->doc, w->out, "xml", xml);
	return e;
}

static enum kh_err parse(struct work *w)
{
	struct kh_view xml;
	enum kh_err e = get_string(w, "xml", &xml);

	if (e == KH_OK)
		e = kh_xml_read(&w->set, xml, &w->problem);
	if (e == KH_OK)
		yyjson_mut_obj_add_val(w->call->doc, w->out, "blocks",
				       kh_blockjson_write_all(w->call->doc, w->call->arena, &w->set));
	return e;
}

/* The ids of the blocks of CLOSURE, or of the untrusted ones of them. */
static yyjson_mut_val *write_ids(yyjson_mut_doc *doc, const struct kh_blocks *set, const struct kh_closure *closure,
				 bool untrusted)
{
	yyjson_mut_val *arr = yyjson_mut_arr(doc);

	for (size_t i = 0; i < closure->n; i++) {
		struct kh_view id = set->at[closure->at[i].id]->id;
		if (!untrusted || closure->at[i].trust == KH_UNTRUSTED)
			yyjson_mut_arr_add_strn(doc, arr, id.p, id.n);
	}
	return arr;
}

static enum kh_err taint(struct work *w)
{
	yyjson_mut_doc *doc = w->call->doc;
	struct kh_closure closure;
	struct kh_view of;
	enum kh_err e = read_blocks(w);

	if (e == KH_OK)
		e = get_string(w, "of", &of);
	if (e == KH_OK)
		e = kh_taint_closure(&w->set, w->call->arena, of, &closure, &w->problem);
	if (e != KH_OK)
		return e;
	yyjson_mut_obj_add_val(doc, w->out, "closure", write_ids(doc, &w->set, &closure, false));
	yyjson_mut_obj_add_val(doc, w->out, "untrusted", write_ids(doc, &w->set, &closure, true));
	yyjson_mut_obj_add_bool(doc, w->out, "flagged", closure.flagged);
	return KH_OK;
}

static const struct kh_words rendered = KH_WORDS("blocks"), parsed = KH_WORDS("xml"),
			     tainted = KH_WORDS("blocks", "of");

enum kh_err kh_block_contract_render(struct kh_call *call, yyjson_val *in, yyjson_mut_val **ret_out,
				     struct kh_error *err)
{
	return run(call, in, &rendered, render, ret_out, err);
}

enum kh_err kh_block_contract_parse(struct kh_call *call, yyjson_val *in, yyjson_mut_val **ret_out,
				    struct kh_error *err)
{
	return run(call, in, &parsed, parse, ret_out, err);
}

enum kh_err kh_block_contract_taint(struct kh_call *call, yyjson_val *in, yyjson_mut_val **ret_out,
				    struct kh_error *err)
{
	return run(call, in, &tainted, taint, ret_out, err);
}
