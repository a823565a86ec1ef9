/*
 * Declarations in their three forms.  The input is hostile and read strictly: each form has its list of members, values
 * stay the JSON that was sent (nothing is extracted by pattern), and all problems are reported together.
 */
#include "core/comm/declaration.h"

#include "base/utf8.h"
#include "core/comm/external_info.h"
#include "core/comm/operations.h"
#include "core/comm/phase.h"
#include "core/comm/session.h"
#include "core/comm/strict.h"
#include "core/comm/suspect.h"
#include "core/comm/vague.h"

#define ABOUT    4096 /* bytes of the parameters that a reason is compared with */
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

yyjson_val *kh_declaration_parameter(const struct kh_declaration *declaration, const char *name)
{
	for (size_t i = 0; i < declaration->parameter_count; i++) {
		if (kh_view_eq(declaration->parameters[i].name, kh_view_str(name)))
			return declaration->parameters[i].value;
	}
	return NULL;
}

/* What a reason is about, and so cannot consist of: the operation's name and its parameters, as far as they are short. */
static enum kh_err find_about(struct kh_arena *arena, const struct kh_declaration *declaration,
			      struct kh_view *ret_text)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *values = yyjson_mut_arr(doc);
	struct kh_view json = {NULL, 0};

	for (size_t i = 0; i < declaration->parameter_count; i++)
		yyjson_mut_arr_append(values, yyjson_val_mut_copy(doc, declaration->parameters[i].value));
	enum kh_err e = kh_json_write(arena, values, &json);
	if (e == KH_OK)
		*ret_text = kh_arena_printf(arena, "%.*s %.*s", KH_FMT(declaration->operation.full),
					    KH_FMT(kh_utf8_cut(json, ABOUT)));
	return e == KH_OK ? kh_arena_check(arena) : e;
}

/*
 * Reads one part of the justification, which must be long enough, not too long, and say something in particular (E3),
 * beyond what it is ABOUT.
 */
static enum kh_err read_part(struct kh_reasons *errors, struct kh_view path, yyjson_val *val, struct kh_view about,
			     struct kh_view *ret_text)
{
	struct kh_view text = kh_strict_text(errors, path, val);
	struct kh_vague vague;

	if (text.p == NULL)
		return KH_OK;
	if (text.n > KH_DECLARATION_PART_MAX) {
		kh_reasons_add(errors, "too_long", path, "has %zu bytes, at most %d are allowed", text.n,
			       KH_DECLARATION_PART_MAX);
		return KH_OK;
	}
	enum kh_err e = kh_vague_measure(errors->arena, text, about, &vague);
	if (e != KH_OK)
		return e;
	if (vague.characters < KH_VAGUE_CHARACTERS)
		kh_reasons_add(errors, "too_short", path, "has %zu characters, at least %d are needed",
			       vague.characters, KH_VAGUE_CHARACTERS);
	else if (kh_vague_is(&vague))
		kh_reasons_add(errors, "vague", path, "says nothing in particular: name what is needed and what for");
	*ret_text = text;
	return KH_OK;
}

/* What the user asked for may well be what is searched for; what it is used for is more than that. */
static enum kh_err read_justification(struct kh_reasons *errors, yyjson_val *in, struct kh_view about,
				      struct kh_declaration *declaration)
{
	static const char *const parts[] = {"user_request", "missing_knowledge", "expected_use"};
	struct kh_view *const texts[] = {&declaration->user_request, &declaration->missing_knowledge,
					 &declaration->expected_use};
	const struct kh_view abouts[] = {KH_LIT(""), KH_LIT(""), about};
	struct kh_view path = KH_LIT("justification");
	enum kh_err e = KH_OK;

	if (in == NULL || !kh_strict_object(errors, path, in))
		return KH_OK;
	kh_strict_known(errors, path, in, parts, COUNT(parts));
	for (size_t i = 0; e == KH_OK && i < COUNT(parts); i++) {
		yyjson_val *val = kh_strict_need(errors, path, in, parts[i]);
		e = read_part(errors, kh_strict_path(errors->arena, path, kh_view_str(parts[i])), val, abouts[i],
			      texts[i]);
	}
	return e;
}

static void check_phase(struct kh_reasons *errors, struct kh_view path, struct kh_view word)
{
	enum kh_phase phase;

	if (!kh_words_parse(&kh_phase_words, word, &phase))
		kh_reasons_add(errors, "phase_unknown", path, "phase must be exactly execution");
	else if (phase != KH_PHASE_EXECUTION)
		kh_reasons_add(errors, "OUTBOUND_FORBIDDEN_IN_PLANNING", path, "phase must be execution, not %s",
			       kh_words_name(&kh_phase_words, phase));
}

static void check_session(struct kh_reasons *errors, struct kh_view path, struct kh_view id, struct kh_view expected)
{
	if (!kh_session_is_id(id))
		kh_reasons_add(errors, "session_malformed", path,
			       "session_id is not of the form [A-Za-z0-9_][A-Za-z0-9_.:-]{0,127}");
	else if (expected.n > 0 && !kh_view_eq(id, expected))
		kh_reasons_add(errors, "session_mismatch", path, "session_id is not this task's");
}

/* Reads the phase, which may also be called `execution_phase`.  If it has both names, both are checked. */
static void read_phase(struct kh_reasons *errors, struct kh_view path, yyjson_val *in, bool required,
		       struct kh_declaration *declaration)
{
	static const char *const names[] = {"execution_phase", "phase"};

	for (size_t i = 0; i < COUNT(names); i++) {
		struct kh_view at = kh_strict_path(errors->arena, path, kh_view_str(names[i]));
		yyjson_val *val = kh_json_get(in, names[i]);
		if (val == NULL)
			continue;
		declaration->phase = kh_strict_text(errors, at, val);
		if (declaration->phase.p != NULL)
			check_phase(errors, at, declaration->phase);
	}
	if (required && kh_json_get(in, "execution_phase") == NULL)
		(void)kh_strict_need(errors, path, in, "phase");
}

/*
 * Reads the phase and `session_id` of IN.  If a session is EXPECTED, no other is accepted.  REQUIRED: neither may be
 * left out.
 */
static void read_binding(struct kh_reasons *errors, struct kh_view path, yyjson_val *in, bool required,
			 struct kh_view expected, struct kh_declaration *declaration)
{
	yyjson_val *session = required ? kh_strict_need(errors, path, in, "session_id") : kh_json_get(in, "session_id");
	struct kh_view session_path = kh_strict_path(errors->arena, path, KH_LIT("session_id"));

	read_phase(errors, path, in, required, declaration);
	declaration->session_id = kh_strict_text(errors, session_path, session);
	if (declaration->session_id.p != NULL)
		check_session(errors, session_path, declaration->session_id, expected);
}

/* Looks the operation up and reports what is wrong with its name; *RET_NAME's operation is NULL in that case. */
static enum kh_err read_operation(struct kh_reasons *errors, struct kh_view path, struct kh_view name,
				  struct kh_operation_name *ret_name)
{
	struct kh_error err;
	enum kh_err e = kh_operation_find(errors->arena, &kh_operations_own, name, ret_name, &err);

	if (e == KH_OK || e == KH_ENOMEM)
		return e;
	kh_reasons_add(errors, err.code, path, "%s", err.detail);
	return KH_OK;
}

/* Whether the document's format has this parameter for every operation.  Those that do not use it only record it. */
static bool is_of_document(struct kh_view name)
{
	return kh_view_eq(name, KH_LIT("query")) || kh_view_eq(name, KH_LIT("url")) ||
	       kh_view_eq(name, KH_LIT("scope"));
}

bool kh_declaration_uses(const struct kh_declaration *declaration, const struct kh_parameter *parameter)
{
	const struct kh_operation *operation = declaration->operation.operation;

	return operation->is_upstream || kh_operation_parameter(operation, parameter->name) != NULL;
}

enum kh_err kh_declaration_write(struct kh_arena *arena, const struct kh_declaration *declaration, bool used,
				 yyjson_val **ret_object, struct kh_error *err)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *made = yyjson_mut_obj(doc);

	for (size_t i = 0; i < declaration->parameter_count; i++) {
		const struct kh_parameter *p = &declaration->parameters[i];
		if (kh_declaration_uses(declaration, p) == used)
			yyjson_mut_obj_add(made, yyjson_mut_strn(doc, p->name.p, p->name.n),
					   yyjson_val_mut_copy(doc, p->value));
	}
	return kh_json_freeze(arena, made, ret_object, err);
}

/* Checks the parameters that are given, and reports those that are missing; PATH is their path. */
static enum kh_err check_parameters(struct kh_reasons *errors, struct kh_view path,
				    const struct kh_declaration *declaration)
{
	const struct kh_operation *operation = declaration->operation.operation;
	enum kh_err e = KH_OK;

	if (operation->is_upstream && declaration->parameter_count > KH_OPERATION_ARGUMENTS_MAX)
		kh_reasons_add(errors, "too_many", path, "more than %d arguments", KH_OPERATION_ARGUMENTS_MAX);
	for (size_t i = 0; e == KH_OK && !operation->is_upstream && i < declaration->parameter_count; i++) {
		const struct kh_parameter *parameter = &declaration->parameters[i];
		const struct kh_parameter_spec *spec = kh_operation_parameter(operation, parameter->name);
		if (spec != NULL)
			e = kh_parameter_check(spec, parameter, errors);
		else if (is_of_document(parameter->name))
			(void)kh_strict_text(errors, parameter->path, parameter->value);
		else
			kh_reasons_add(errors, "unknown_member", parameter->path, "%s has no such parameter",
				       operation->name);
	}
	for (size_t i = 0; e == KH_OK && i < operation->parameter_count; i++) {
		const struct kh_parameter_spec *spec = &operation->parameters[i];
		if (spec->required && kh_declaration_parameter(declaration, spec->name) == NULL)
			kh_reasons_add(errors, "missing", kh_strict_path(errors->arena, path, kh_view_str(spec->name)),
				       "%s needs %s", operation->name, spec->name);
	}
	return e;
}

/* Takes the members of OBJ as parameters, except those named in EXCEPT. */
static enum kh_err take_parameters(struct kh_arena *arena, struct kh_view path, yyjson_val *obj,
				   const char *const *except, size_t except_count, struct kh_declaration *declaration)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(obj);
	yyjson_val *key;

	declaration->parameters = KH_NEW_N(arena, struct kh_parameter, yyjson_obj_size(obj));
	if (declaration->parameters == NULL)
		return KH_ENOMEM;
	while ((key = yyjson_obj_iter_next(&iter)) != NULL) {
		struct kh_view name = kh_json_str(key);
		size_t i = 0;
		while (i < except_count && !kh_view_eq(name, kh_view_str(except[i])))
			i++;
		if (i == except_count)
			declaration->parameters[declaration->parameter_count++] = (struct kh_parameter){
				name, yyjson_obj_iter_get_val(key), kh_strict_path(arena, path, name)};
	}
	return KH_OK;
}

/* Reads the parameters: the object `parameters`, or if there is none, the members beside the OWN ones. */
static enum kh_err read_parameters(struct kh_reasons *errors, yyjson_val *in, const char *const *own, size_t own_count,
				   struct kh_declaration *declaration)
{
	yyjson_val *inner = kh_json_get(in, "parameters");
	struct kh_view path = inner != NULL ? KH_LIT("parameters") : KH_LIT("");
	enum kh_err e = KH_OK;

	if (inner != NULL) {
		kh_strict_known(errors, KH_LIT(""), in, own, own_count);
		if (!kh_strict_object(errors, path, inner))
			return KH_OK;
	}
	if (declaration->operation.operation == NULL)
		return KH_OK;
	e = take_parameters(errors->arena, path, inner != NULL ? inner : in, own, inner != NULL ? 0 : own_count,
			    declaration);
	if (e == KH_OK && inner == NULL && declaration->parameter_count == 0 &&
	    kh_json_get(in, "justification") != NULL) {
		(void)kh_strict_need(errors, path, in, "parameters");
		return KH_OK;
	}
	return e == KH_OK ? check_parameters(errors, path, declaration) : e;
}

/* Reads why it is needed: `justification` with its parts, or `reason`. */
static enum kh_err read_why(struct kh_reasons *errors, yyjson_val *in, struct kh_declaration *declaration)
{
	yyjson_val *justification = kh_json_get(in, "justification"), *reason = kh_json_get(in, "reason");
	bool is_full = kh_json_get(in, "parameters") != NULL;
	struct kh_view about = {NULL, 0};
	enum kh_err e = find_about(errors->arena, declaration, &about);

	if (e != KH_OK)
		return e;
	if (justification != NULL && reason != NULL)
		kh_reasons_add(errors, "bad_value", KH_LIT("justification"),
			       "expected `reason` or `justification`, not both");
	else if (justification != NULL)
		return read_justification(errors, justification, about, declaration);
	else if (reason != NULL)
		return read_part(errors, KH_LIT("reason"), reason, about, &declaration->reason);
	else
		(void)kh_strict_need(errors, KH_LIT(""), in, is_full ? "justification" : "reason");
	return KH_OK;
}

/* Reads a declaration in the full form, in the short one, or in parts of both. */
static enum kh_err read_own(struct kh_reasons *errors, yyjson_val *in, struct kh_view expected,
			    struct kh_declaration *declaration)
{
	static const char *const own[] = {"operation", "parameters",      "justification", "reason",
					  "phase",     "execution_phase", "session_id"};
	enum kh_err e = read_parameters(errors, in, own, COUNT(own), declaration);

	if (e == KH_OK)
		e = read_why(errors, in, declaration);
	/* The full form says all of it, unless its task is known. */
	bool is_full = kh_json_get(in, "reason") == NULL &&
		       (kh_json_get(in, "parameters") != NULL || kh_json_get(in, "justification") != NULL);
	read_binding(errors, KH_LIT(""), in, is_full && expected.n == 0, expected, declaration);
	return e;
}

/* Reads an item of the form external_info: it is translated, then checked like the others. */
static enum kh_err read_item(struct kh_reasons *errors, struct kh_view path, yyjson_val *in, struct kh_view expected,
			     struct kh_declaration *declaration)
{
	struct kh_external_info item;
	struct kh_view about = {NULL, 0};
	enum kh_err e = kh_external_info_read(errors, path, in, &item);

	if (e != KH_OK || !item.is_object)
		return e;
	declaration->parameters = item.parameters;
	declaration->parameter_count = item.parameter_count;
	if (item.operation.p != NULL)
		e = read_operation(errors, item.operation_path, item.operation, &declaration->operation);
	if (e == KH_OK && declaration->operation.operation != NULL)
		e = check_parameters(errors, kh_strict_path(errors->arena, path, KH_LIT("params")), declaration);
	if (e == KH_OK)
		e = find_about(errors->arena, declaration, &about);
	if (e == KH_OK)
		e = read_part(errors, kh_strict_path(errors->arena, path, KH_LIT("reason")), item.reason, about,
			      &declaration->reason);
	read_binding(errors, path, in, false, expected, declaration);
	return e;
}

static enum kh_err read_external_info(struct kh_reasons *errors, yyjson_val *in, struct kh_view expected,
				      struct kh_declarations *list)
{
	struct kh_view path = KH_LIT("external_info.declarations");
	yyjson_val *items = kh_external_info_list(errors, in), *item;
	enum kh_err e = KH_OK;
	size_t i, n;

	if (items == NULL)
		return KH_OK;
	list->n = yyjson_arr_size(items);
	list->at = KH_NEW_N(errors->arena, struct kh_declaration, list->n);
	if (list->at == NULL)
		return KH_ENOMEM;
	yyjson_arr_foreach (items, i, n, item) {
		if (e == KH_OK)
			e = read_item(errors, kh_strict_index(errors->arena, path, i), item, expected, &list->at[i]);
	}
	return e;
}

static enum kh_err read_single(struct kh_reasons *errors, yyjson_val *in, struct kh_view expected,
			       struct kh_declarations *list)
{
	struct kh_view path = KH_LIT("operation");
	struct kh_view name = kh_strict_text(errors, path, kh_strict_need(errors, KH_LIT(""), in, "operation"));
	enum kh_err e = KH_OK;

	list->n = 1;
	list->at = KH_NEW(errors->arena, struct kh_declaration);
	if (list->at == NULL)
		return KH_ENOMEM;
	if (name.p != NULL)
		e = read_operation(errors, path, name, &list->at->operation);
	if (e != KH_OK)
		return e;
	return read_own(errors, in, expected, list->at);
}

/* The URI of a resource, which is only declared alone; empty: there is none. */
static struct kh_view uri_of(const struct kh_declarations *list)
{
	const struct kh_operation *row = list->n == 1 ? list->at[0].operation.operation : NULL;
	const struct kh_parameter_spec *spec = row != NULL ? kh_operation_of_kind(row, KH_PARAMETER_URI) : NULL;

	return spec != NULL ? kh_json_str(kh_declaration_parameter(&list->at[0], spec->name)) : KH_LIT("");
}

enum kh_err kh_declaration_check(struct kh_arena *arena, struct kh_screen *screen, yyjson_val *in,
				 struct kh_view session_id, struct kh_declarations *ret_declarations,
				 struct kh_reasons *errors, struct kh_reasons *review)
{
	struct kh_declarations list = {.at = NULL};
	size_t before = errors->n;
	enum kh_err e;

	if (!kh_strict_object(errors, KH_LIT(""), in))
		return kh_arena_check(arena);
	e = kh_json_get(in, "external_info") != NULL ? read_external_info(errors, in, session_id, &list)
						     : read_single(errors, in, session_id, &list);
	if (e == KH_OK && errors->n == before && screen != NULL)
		e = kh_suspect_value(screen, KH_LIT(""), in, uri_of(&list), review);
	if (e == KH_OK)
		e = kh_arena_check(arena);
	if (e == KH_OK && errors->n == before)
		*ret_declarations = list;
	return e;
}
