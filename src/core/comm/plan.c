/* Plans.  An agent writes them, so they are hostile and read as strictly as a declaration. */
#include "core/comm/plan.h"

#include "core/comm/operations.h"
#include "core/comm/strict.h"

/* Reads the members of OBJ except `operation` as parameters of ITEM.  If CHECK, checks each.  None is required. */
static enum kh_err read_parameters(struct kh_arena *arena, struct kh_view path, yyjson_val *obj, bool check,
				   struct kh_plan_item *item, struct kh_reasons *errors)
{
	const struct kh_operation *operation = item->operation.operation;
	yyjson_obj_iter iter = yyjson_obj_iter_with(obj);
	enum kh_err e = KH_OK;
	yyjson_val *key;

	if (yyjson_obj_size(obj) > KH_OPERATION_ARGUMENTS_MAX) {
		kh_reasons_add(errors, "too_many", path, "more than %d parameters", KH_OPERATION_ARGUMENTS_MAX);
		return KH_OK;
	}
	item->parameters = KH_NEW_N(arena, struct kh_parameter, yyjson_obj_size(obj));
	if (item->parameters == NULL)
		return KH_ENOMEM;
	while (e == KH_OK && (key = yyjson_obj_iter_next(&iter)) != NULL) {
		struct kh_view name = kh_json_str(key);
		struct kh_parameter parameter = {name, yyjson_obj_iter_get_val(key), kh_strict_path(arena, path, name)};
		const struct kh_parameter_spec *spec = kh_operation_parameter(operation, name);
		if (kh_view_eq(name, KH_LIT("operation")))
			continue;
		if (spec != NULL && check)
			e = kh_parameter_check(spec, &parameter, errors);
		else if (spec == NULL && !operation->is_upstream)
			kh_reasons_add(errors, "unknown_member", parameter.path, "%s has no such parameter",
				       operation->name);
		item->parameters[item->parameter_count++] = parameter;
	}
	return e;
}

static enum kh_err read_item(struct kh_arena *arena, struct kh_view path, yyjson_val *in, bool check,
			     struct kh_plan_item *item, struct kh_reasons *errors)
{
	static const char *const nested[] = {"operation", "parameters"};
	bool object = yyjson_is_obj(in);
	yyjson_val *name = object ? kh_strict_need(errors, path, in, "operation") : in;
	yyjson_val *parameters = object ? kh_json_get(in, "parameters") : NULL;
	struct kh_view at = object ? kh_strict_path(arena, path, KH_LIT("operation")) : path;
	struct kh_view text = kh_strict_text(errors, at, name);
	struct kh_error err;

	if (text.p == NULL)
		return kh_arena_check(arena);
	enum kh_err e = kh_operation_find(arena, &kh_operations_own, text, &item->operation, &err);
	if (e == KH_ENOMEM)
		return e;
	if (e != KH_OK) {
		kh_reasons_add(errors, err.code, at, "%s", err.detail);
		return KH_OK;
	}
	if (!object)
		return KH_OK;
	if (parameters == NULL)
		return read_parameters(arena, path, in, check, item, errors);
	kh_strict_known(errors, path, in, nested, 2);
	path = kh_strict_path(arena, path, KH_LIT("parameters"));
	return kh_strict_object(errors, path, parameters)
		       ? read_parameters(arena, path, parameters, check, item, errors)
		       : KH_OK;
}

static enum kh_err read_items(struct kh_arena *arena, yyjson_val *list, bool check, struct kh_plan *plan,
			      struct kh_reasons *errors)
{
	struct kh_view path = KH_LIT("required_operations");
	enum kh_err e = KH_OK;
	yyjson_val *in;
	size_t i, n;

	if (!yyjson_is_arr(list)) {
		kh_reasons_add(errors, "wrong_type", path, "expected an array, not %s", kh_json_type(list));
		return KH_OK;
	}
	if (yyjson_arr_size(list) > KH_PLAN_OPERATIONS_MAX) {
		kh_reasons_add(errors, "too_many", path, "has %zu items, at most %d are allowed", yyjson_arr_size(list),
			       KH_PLAN_OPERATIONS_MAX);
		return KH_OK;
	}
	plan->items = KH_NEW_N(arena, struct kh_plan_item, yyjson_arr_size(list));
	if (plan->items == NULL)
		return KH_ENOMEM;
	yyjson_arr_foreach (list, i, n, in) {
		if (e == KH_OK)
			e = read_item(arena, kh_strict_index(arena, path, i), in, check, &plan->items[i], errors);
	}
	plan->item_count = yyjson_arr_size(list);
	return e;
}

enum kh_err kh_plan_read(struct kh_arena *arena, yyjson_val *in, bool check, struct kh_plan *ret_plan,
			 struct kh_reasons *errors)
{
	static const char *const known[] = {"plan", "required_operations"};
	struct kh_plan plan = {.items = NULL};
	size_t before = errors->n;

	if (!kh_strict_object(errors, KH_LIT(""), in))
		return kh_arena_check(arena);
	kh_strict_known(errors, KH_LIT(""), in, known, 2);
	plan.text = kh_strict_text(errors, KH_LIT("plan"), kh_strict_need(errors, KH_LIT(""), in, "plan"));
	if (plan.text.p != NULL && kh_view_trim(plan.text).n == 0)
		kh_reasons_add(errors, "empty", KH_LIT("plan"), "must say what is planned");
	if (plan.text.n > KH_PLAN_TEXT_MAX)
		kh_reasons_add(errors, "too_long", KH_LIT("plan"), "has %zu bytes, at most %d are allowed", plan.text.n,
			       KH_PLAN_TEXT_MAX);
	yyjson_val *list = kh_strict_need(errors, KH_LIT(""), in, "required_operations");
	enum kh_err e = list ? read_items(arena, list, check, &plan, errors) : KH_OK;
	if (e == KH_OK)
		e = kh_arena_check(arena);
	if (e == KH_OK && errors->n == before)
		*ret_plan = plan;
	return e;
}

static const struct kh_parameter *find(const struct kh_parameter *parameters, size_t count, struct kh_view name)
{
	for (size_t i = 0; i < count; i++) {
		if (kh_view_eq(parameters[i].name, name))
			return &parameters[i];
	}
	return NULL;
}

bool kh_plan_names(const struct kh_plan *plan, struct kh_view operation, const struct kh_parameter *parameters,
		   size_t count)
{
	for (size_t i = 0; i < plan->item_count; i++) {
		const struct kh_plan_item *item = &plan->items[i];
		size_t same = 0;
		if (!kh_view_eq(item->operation.full, operation))
			continue;
		while (same < item->parameter_count) {
			const struct kh_parameter *fixed = &item->parameters[same];
			const struct kh_parameter *given = find(parameters, count, fixed->name);
			if (given == NULL || !yyjson_equals(fixed->value, given->value))
				break;
			same++;
		}
		if (same == item->parameter_count)
			return true;
	}
	return false;
}
