/*
 * Declarations of the form external_info.  The input is hostile; anything nested in params is kept as it is or
 * reported.
 */
#include "core/comm/external_info.h"

#include "base/utf8.h"
#include "core/comm/declaration.h"
#include "core/comm/operations.h"
#include "core/comm/strict.h"

#define REASON_MAX       500  /* characters */
#define TARGET_MAX       1000 /* characters */
#define ALTERNATIVES_MAX 16

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct action {
	const char *name;
	const char *operation; /* the target is its first parameter; NULL: the target names the operation */
} actions[] = {
	{"web_search", "comm.search"}, {"web_fetch", "comm.fetch"},
	{"api_call", "comm.fetch"},    {"database_query", "comm.query"},
	{"file_read", "comm.read"},    {"command_exec", "comm.exec"},
	{"tool_call", NULL},
};

yyjson_val *kh_external_info_list(struct kh_reasons *errors, yyjson_val *in)
{
	static const char *const outer[] = {"external_info"}, *const inner[] = {"required", "declarations"};
	struct kh_view path = KH_LIT("external_info"), list_path = KH_LIT("external_info.declarations");
	yyjson_val *info = kh_json_get(in, "external_info");

	kh_strict_known(errors, KH_LIT(""), in, outer, COUNT(outer));
	if (!kh_strict_object(errors, path, info))
		return NULL;
	kh_strict_known(errors, path, info, inner, COUNT(inner));
	yyjson_val *required = kh_strict_need(errors, path, info, "required");
	yyjson_val *list = kh_strict_need(errors, path, info, "declarations");
	if (required != NULL && !yyjson_is_true(required))
		kh_reasons_add(errors, "bad_value", KH_LIT("external_info.required"),
			       "expected true: what is not required needs no declaration");
	if (list == NULL)
		return NULL;
	if (!yyjson_is_arr(list))
		kh_reasons_add(errors, "wrong_type", list_path, "expected an array, not %s", kh_json_type(list));
	else if (yyjson_arr_size(list) == 0)
		kh_reasons_add(errors, "empty", list_path, "nothing is declared");
	else if (yyjson_arr_size(list) > KH_DECLARATIONS_MAX)
		kh_reasons_add(errors, "too_many", list_path, "has %zu items, at most %d are allowed",
			       yyjson_arr_size(list), KH_DECLARATIONS_MAX);
	else
		return list;
	return NULL;
}

/* Checks the members that are only information for the reviewer, who sees the declaration as it was sent. */
static void check_notes(struct kh_reasons *errors, struct kh_view path, yyjson_val *in)
{
	yyjson_val *priority = kh_json_get(in, "priority"), *cost = kh_json_get(in, "estimated_cost");
	yyjson_val *others = kh_json_get(in, "alternatives"), *item;
	struct kh_view at = kh_strict_path(errors->arena, path, KH_LIT("alternatives")), word = kh_json_str(cost);
	int64_t n;
	size_t i, max;

	if (priority != NULL && (!kh_json_int(priority, &n) || n < 1 || n > 3))
		kh_reasons_add(errors, "out_of_range", kh_strict_path(errors->arena, path, KH_LIT("priority")),
			       "expected 1, 2 or 3");
	if (cost != NULL && !kh_view_eq(word, KH_LIT("LOW")) && !kh_view_eq(word, KH_LIT("MED")) &&
	    !kh_view_eq(word, KH_LIT("HIGH")))
		kh_reasons_add(errors, "bad_value", kh_strict_path(errors->arena, path, KH_LIT("estimated_cost")),
			       "expected LOW, MED or HIGH");
	if (others == NULL || yyjson_is_null(others))
		return;
	if (!yyjson_is_arr(others))
		kh_reasons_add(errors, "wrong_type", at, "expected an array, not %s", kh_json_type(others));
	if (yyjson_arr_size(others) > ALTERNATIVES_MAX) {
		kh_reasons_add(errors, "too_many", at, "at most %d alternatives are allowed", ALTERNATIVES_MAX);
		return;
	}
	yyjson_arr_foreach (others, i, max, item)
		kh_strict_text(errors, kh_strict_index(errors->arena, at, i), item);
}

/* A text of 1 to MAX characters; reported and {NULL, 0} otherwise. */
static struct kh_view bounded(struct kh_reasons *errors, struct kh_view path, yyjson_val *val, size_t max)
{
	struct kh_view text = kh_strict_text(errors, path, val);

	if (text.p == NULL || (text.n > 0 && kh_utf8_length(text) <= max))
		return text;
	kh_reasons_add(errors, text.n ? "too_long" : "empty", path, "expected 1 to %zu characters", max);
	return (struct kh_view){NULL, 0};
}

static const struct action *find_action(struct kh_reasons *errors, struct kh_view path, struct kh_view word)
{
	for (size_t i = 0; i < COUNT(actions); i++) {
		if (kh_view_eq(word, kh_view_str(actions[i].name)))
			return &actions[i];
	}
	if (kh_view_eq(word, KH_LIT("file_write")))
		kh_reasons_add(errors, "file_write_refused", path, "nothing outside is written by declaration");
	else
		kh_reasons_add(errors, "action_unknown", path, "no such action");
	return NULL;
}

/* The operation that a tool_call's target names: "server.tool", "server__tool" or all of "comm.mcp.server.tool". */
static struct kh_view tool_operation(struct kh_arena *arena, struct kh_view target)
{
	size_t at = kh_view_find(target, KH_LIT("__"), 0);

	if (kh_view_starts(target, KH_LIT("comm.mcp.")))
		return target;
	if (at == SIZE_MAX || kh_view_find(kh_view_sub(target, 0, at), KH_LIT("."), 0) != SIZE_MAX)
		return kh_arena_printf(arena, "comm.mcp.%.*s", KH_FMT(target));
	struct kh_view server = kh_view_sub(target, 0, at), tool = kh_view_from(target, at + 2);
	return kh_arena_printf(arena, "comm.mcp.%.*s.%.*s", KH_FMT(server), KH_FMT(tool));
}

/* The name that a member of params has as a parameter of its operation. */
static struct kh_view translate(const struct action *action, struct kh_view name)
{
	if (kh_view_eq(kh_view_str(action->name), KH_LIT("web_search")) && kh_view_eq(name, KH_LIT("max_results")))
		return KH_LIT("limit");
	if (kh_view_eq(kh_view_str(action->name), KH_LIT("database_query")) && kh_view_eq(name, KH_LIT("query")))
		return KH_LIT("statement");
	return name;
}

static void add(struct kh_reasons *errors, struct kh_external_info *item, struct kh_view name, yyjson_val *value,
		struct kh_view path)
{
	for (size_t i = 0; i < item->parameter_count; i++) {
		if (kh_view_eq(item->parameters[i].name, name))
			kh_reasons_add(errors, "duplicate_name", path, "the parameter is given twice");
	}
	item->parameters[item->parameter_count++] = (struct kh_parameter){name, value, path};
}

static enum kh_err take_parameters(struct kh_reasons *errors, struct kh_view path, yyjson_val *in,
				   const struct action *action, struct kh_external_info *item)
{
	yyjson_val *params = kh_json_get(in, "params"), *target = kh_json_get(in, "target"), *key;
	struct kh_view at = kh_strict_path(errors->arena, path, KH_LIT("params"));
	const struct kh_operation *row = kh_operation_named(&kh_operations_own, item->operation);

	item->parameters = KH_NEW_N(errors->arena, struct kh_parameter, yyjson_obj_size(params) + 1);
	if (item->parameters == NULL)
		return KH_ENOMEM;
	if (params != NULL && !yyjson_is_null(params))
		kh_strict_object(errors, at, params);
	if (yyjson_obj_size(params) > KH_OPERATION_ARGUMENTS_MAX) {
		kh_reasons_add(errors, "too_many", at, "more than %d params", KH_OPERATION_ARGUMENTS_MAX);
		return KH_OK;
	}
	if (row != NULL && row->parameter_count > 0 && yyjson_is_str(target)) {
		struct kh_view name = kh_view_str(row->parameters[0].name);
		if (kh_view_eq(name, KH_LIT("database")) && kh_json_get(params, "database") != NULL)
			name = KH_LIT("statement");
		add(errors, item, name, target, kh_strict_path(errors->arena, path, KH_LIT("target")));
	}
	yyjson_obj_iter iter = yyjson_obj_iter_with(params);
	while ((key = yyjson_obj_iter_next(&iter)) != NULL)
		add(errors, item, translate(action, kh_json_str(key)), yyjson_obj_iter_get_val(key),
		    kh_strict_path(errors->arena, at, kh_json_str(key)));
	return KH_OK;
}

enum kh_err kh_external_info_read(struct kh_reasons *errors, struct kh_view path, yyjson_val *in,
				  struct kh_external_info *ret_item)
{
	static const char *const known[] = {
		"action",         "reason",       "target", "params",          "priority",
		"estimated_cost", "alternatives", "phase",  "execution_phase", "session_id",
	};
	struct kh_external_info item = {.is_object = kh_strict_object(errors, path, in)};
	enum kh_err e = KH_OK;

	if (!item.is_object) {
		*ret_item = item;
		return kh_arena_check(errors->arena);
	}
	kh_strict_known(errors, path, in, known, COUNT(known));
	struct kh_view action_path = kh_strict_path(errors->arena, path, KH_LIT("action"));
	struct kh_view target_path = kh_strict_path(errors->arena, path, KH_LIT("target"));
	struct kh_view word = kh_strict_text(errors, action_path, kh_strict_need(errors, path, in, "action"));
	struct kh_view target = bounded(errors, target_path, kh_strict_need(errors, path, in, "target"), TARGET_MAX);
	const struct action *action = word.p ? find_action(errors, action_path, word) : NULL;
	item.reason = kh_strict_need(errors, path, in, "reason");
	if (kh_utf8_length(kh_json_str(item.reason)) > REASON_MAX)
		bounded(errors, kh_strict_path(errors->arena, path, KH_LIT("reason")), item.reason, REASON_MAX);
	check_notes(errors, path, in);
	if (action != NULL && target.p != NULL) {
		item.operation_path = action->operation ? action_path : target_path;
		item.operation = action->operation ? kh_view_str(action->operation)
						   : tool_operation(errors->arena, target);
		e = take_parameters(errors, path, in, action, &item);
	}
	if (e == KH_OK)
		e = kh_arena_check(errors->arena);
	if (e == KH_OK)
		*ret_item = item;
	return e;
}
