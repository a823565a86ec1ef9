/* C1 and C2: checks a query, judges a response. */
#include "core/bcp/contract.h"

#include "base/member.h"
#include "core/bcp/lint.h"
#include "core/bcp/repeat.h"

static yyjson_mut_val *refusal(struct kh_call *call, const struct kh_reasons *errors)
{
	yyjson_mut_val *out = yyjson_mut_obj(call->doc);

	yyjson_mut_obj_add_bool(call->doc, out, "ok", false);
	yyjson_mut_obj_add_val(call->doc, out, "errors", kh_json_reasons(call->doc, errors));
	return out;
}

enum kh_err kh_bcp_contract_check(struct kh_call *call, yyjson_val *in, yyjson_mut_val **ret_out, struct kh_error *err)
{
	struct kh_query query;
	struct kh_reasons errors;
	yyjson_mut_doc *doc = call->doc;

	(void)err;
	kh_reasons_init(&errors, call->arena);
	enum kh_err e = kh_query_read(call->arena, in, KH_QUERY_CHECK, &query, &errors);
	if (e != KH_OK)
		return e;
	if (errors.n > 0) {
		*ret_out = refusal(call, &errors);
		return KH_OK;
	}
	yyjson_mut_val *out = yyjson_mut_obj(doc);
	yyjson_mut_obj_add_bool(doc, out, "ok", true);
	yyjson_mut_obj_add_uint(doc, out, "category", query.category);
	yyjson_mut_obj_add_uint(doc, out, "microbits", query.microbits);
	/* For people: three places, rounded. */
	uint64_t thousandths = (query.microbits + 500) / 1000;
	yyjson_mut_obj_add_real(doc, out, "bits", (double)thousandths / 1000.0);
	yyjson_mut_obj_add_uint(doc, out, "bound", query.bound);
	yyjson_mut_obj_add_val(doc, out, "advice", kh_lint_query(&query, call->arena, doc));
	*ret_out = out;
	return KH_OK;
}

/* Reads the texts of `recent`; an error if it is not an array of strings. */
static enum kh_err read_recent(struct kh_call *call, yyjson_val *arr, struct kh_recent *ret, struct kh_error *err)
{
	size_t n = yyjson_arr_size(arr), i = 0;
	struct kh_view *texts = KH_NEW_N(call->arena, struct kh_view, n);
	yyjson_arr_iter iter;
	yyjson_val *item;

	if (texts == NULL)
		return KH_ENOMEM;
	if (arr != NULL && !yyjson_is_arr(arr))
		return kh_error_set(err, KH_EINPUT, "wrong_type", "recent: expected an array of strings");
	if (yyjson_arr_iter_init(arr, &iter)) {
		while ((item = yyjson_arr_iter_next(&iter)) != NULL) {
			if (!yyjson_is_str(item))
				return kh_error_set(err, KH_EINPUT, "wrong_type", "recent: expected strings");
			texts[i++] = kh_json_str(item);
		}
	}
	*ret = (struct kh_recent){texts, n};
	return KH_OK;
}

/* Judges the further responses of `repeats` and compares the first one with them. */
static enum kh_err compare_repeats(struct kh_call *call, const struct kh_query *query, yyjson_val *repeats,
				   struct kh_answer *answer, struct kh_error *err)
{
	yyjson_arr_iter iter;
	yyjson_val *item;

	if (repeats == NULL)
		return KH_OK;
	if (!yyjson_arr_iter_init(repeats, &iter))
		return kh_error_set(err, KH_EINPUT, "wrong_type", "repeats: expected an array of responses");
	for (unsigned n = 1; (item = yyjson_arr_iter_next(&iter)) != NULL; n++) {
		struct kh_query again;
		struct kh_answer repeated;
		if (!kh_repeat_query(call->arena, query, n, &again))
			return call->arena->failed
				       ? KH_ENOMEM
				       : kh_error_set(err, KH_EINPUT, "too_many", "repeats: the query asks for fewer");
		enum kh_err e = kh_answer_judge_value(call->screen, call->arena, &again, item, (struct kh_recent){0},
						      &repeated);
		if (e != KH_OK)
			return e;
		kh_repeat_compare(answer, query, &repeated, &again);
	}
	return KH_OK;
}

static yyjson_mut_val *write_verdict(struct kh_call *call, const struct kh_query *query, const struct kh_answer *answer)
{
	yyjson_mut_doc *doc = call->doc;
	yyjson_mut_val *out = yyjson_mut_obj(doc);

	yyjson_mut_obj_add_str(doc, out, "verdict", kh_words_name(&kh_answer_verdict_words, answer->verdict));
	if (answer->verdict != KH_VERDICT_REJECT)
		yyjson_mut_obj_add_val(doc, out, "response", kh_answer_write(answer, query, doc));
	yyjson_mut_obj_add_val(doc, out, "reasons", kh_json_reasons(doc, &answer->reasons));
	yyjson_mut_val *microbits = yyjson_mut_obj_add_obj(doc, out, "microbits");
	/* Announced, reserved and charged are one number (B7). */
	yyjson_mut_obj_add_uint(doc, microbits, "reserved", query->bound);
	yyjson_mut_obj_add_uint(doc, microbits, "charged", query->bound);
	return out;
}

enum kh_err kh_bcp_contract_validate(struct kh_call *call, yyjson_val *in, yyjson_mut_val **ret_out,
				     struct kh_error *err)
{
	enum { QUERY, RESPONSE, RECENT, REPEATS, COUNT };
	struct kh_member m[COUNT] = {{.name = "query"}, {.name = "response"}, {.name = "recent"}, {.name = "repeats"}};
	struct kh_reasons errors;
	struct kh_query query;
	struct kh_recent recent;
	struct kh_answer answer;

	kh_reasons_init(&errors, call->arena);
	if (!yyjson_is_obj(in))
		return kh_error_set(err, KH_EINPUT, "wrong_type", "expected an object of query and response, got %s",
				    kh_json_type(in));
	kh_member_take(in, m, COUNT, KH_LIT(""), &errors);
	if (errors.n > 0)
		return kh_error_reason(err, KH_EINPUT, &errors);
	if (m[QUERY].val == NULL || m[RESPONSE].val == NULL)
		return kh_error_set(err, KH_EINPUT, "missing",
				    "expected an object of query and response; %s is missing",
				    m[QUERY].val ? "response" : "query");
	enum kh_err e = kh_query_read(call->arena, m[QUERY].val, KH_QUERY_CHECK, &query, &errors);
	if (e == KH_OK && errors.n > 0) {
		*ret_out = refusal(call, &errors);
		return KH_OK;
	}
	if (e == KH_OK)
		e = read_recent(call, m[RECENT].val, &recent, err);
	if (e == KH_OK)
		e = kh_answer_judge_value(call->screen, call->arena, &query, m[RESPONSE].val, recent, &answer);
	if (e == KH_OK)
		e = compare_repeats(call, &query, m[REPEATS].val, &answer, err);
	if (e == KH_OK)
		*ret_out = write_verdict(call, &query, &answer);
	return e;
}
