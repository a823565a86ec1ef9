/*
 * Schemas of answers.  The query is the Controller's and was checked.  The answer that is restored is hostile, and is
 * only rearranged here.
 */
#include "reader/answer_schema.h"

#include "core/bcp/answer.h"

#define AROUND 32 /* bytes of JSON around a value, with room for a model's own spacing */

/* An object whose members are all required, and which has no others. */
struct object {
	yyjson_mut_doc *doc;
	yyjson_mut_val *schema, *properties, *required;
};

static struct object begin_object(yyjson_mut_doc *doc)
{
	struct object o = {.doc = doc, .schema = yyjson_mut_obj(doc)};

	yyjson_mut_obj_add_str(doc, o.schema, "type", "object");
	o.properties = yyjson_mut_obj_add_obj(doc, o.schema, "properties");
	o.required = yyjson_mut_obj_add_arr(doc, o.schema, "required");
	yyjson_mut_obj_add_bool(doc, o.schema, "additionalProperties", false);
	return o;
}

static void add_property(struct object *o, struct kh_view name, yyjson_mut_val *schema)
{
	yyjson_mut_obj_add(o->properties, yyjson_mut_strn(o->doc, name.p, name.n), schema);
	yyjson_mut_arr_add_strn(o->doc, o->required, name.p, name.n);
}

static yyjson_mut_val *schema_of_type(yyjson_mut_doc *doc, const char *type)
{
	yyjson_mut_val *schema = yyjson_mut_obj(doc);

	yyjson_mut_obj_add_str(doc, schema, "type", type);
	return schema;
}

static yyjson_mut_val *field_schema(yyjson_mut_doc *doc, const struct kh_field *field)
{
	yyjson_mut_val *schema, *values;

	if (field->type == KH_FIELD_BOOLEAN)
		return schema_of_type(doc, "boolean");
	if (field->type == KH_FIELD_ENUM) {
		schema = schema_of_type(doc, "string");
		values = yyjson_mut_obj_add_arr(doc, schema, "enum");
		for (size_t i = 0; i < field->value_count; i++)
			yyjson_mut_arr_add_strn(doc, values, field->values[i].p, field->values[i].n);
		return schema;
	}
	schema = schema_of_type(doc, "integer");
	yyjson_mut_obj_add_sint(doc, schema, "minimum", field->min);
	yyjson_mut_obj_add_sint(doc, schema, "maximum", field->max);
	return schema;
}

/* The number of characters of WORDS words and the blanks between them. */
static size_t length_of(unsigned words)
{
	return (size_t)words * (KH_ANSWER_WORD + 1) - 1;
}

/* A text.  The description, which the model reads, says what a schema cannot. */
static yyjson_mut_val *text_schema(yyjson_mut_doc *doc, unsigned words, bool lengths, struct kh_view description)
{
	yyjson_mut_val *schema = schema_of_type(doc, "string");

	kh_json_add(doc, schema, "description", description);
	if (lengths)
		yyjson_mut_obj_add_uint(doc, schema, "maxLength", length_of(words));
	return schema;
}

static yyjson_mut_val *fields_schema(yyjson_mut_doc *doc, const struct kh_query *query)
{
	struct object o = begin_object(doc);

	for (size_t i = 0; i < query->field_count; i++)
		add_property(&o, query->fields[i].name, field_schema(doc, &query->fields[i]));
	return o.schema;
}

static yyjson_mut_val *answers_schema(yyjson_mut_doc *doc, struct kh_arena *arena, const struct kh_query *query,
				      bool lengths)
{
	struct object o = begin_object(doc);

	for (size_t i = 0; i < query->question_count; i++) {
		const struct kh_question *q = &query->questions[i];
		struct kh_view description = kh_arena_printf(arena, "%s, at most %u words", kh_format_name(q->format),
							     q->max_words);
		add_property(&o, q->id, text_schema(doc, q->max_words, lengths, description));
	}
	return o.schema;
}

yyjson_mut_val *kh_answer_schema_make(yyjson_mut_doc *doc, struct kh_arena *arena, const struct kh_query *query,
				      bool lengths)
{
	struct object o = begin_object(doc);

	if (query->category == 1)
		add_property(&o, KH_LIT("fields"), fields_schema(doc, query));
	else if (query->category == 2)
		add_property(&o, KH_LIT("answers"), answers_schema(doc, arena, query, lengths));
	else
		add_property(&o, KH_LIT("summary"),
			     text_schema(doc, query->max_words, lengths,
					 kh_arena_printf(arena, "at most %u words", query->max_words)));
	return o.schema;
}

static size_t field_bytes(const struct kh_field *field)
{
	size_t most = AROUND; /* also enough for a number or a boolean */

	for (size_t i = 0; field->type == KH_FIELD_ENUM && i < field->value_count; i++)
		most = field->values[i].n > most ? field->values[i].n : most;
	return field->name.n + most + AROUND;
}

size_t kh_answer_schema_bytes(const struct kh_query *query)
{
	size_t n = AROUND;

	for (size_t i = 0; query->category == 1 && i < query->field_count; i++)
		n += field_bytes(&query->fields[i]);
	for (size_t i = 0; query->category == 2 && i < query->question_count; i++)
		n += query->questions[i].id.n + length_of(query->questions[i].max_words) + AROUND;
	return query->category == 3 ? n + length_of(query->max_words) : n;
}

/* Converts {"q1": "...", ...} to [{"id": "q1", "answer": "..."}, ...]. */
static yyjson_mut_val *list_answers(yyjson_mut_doc *doc, yyjson_val *answers)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(answers);
	yyjson_mut_val *list = yyjson_mut_arr(doc), *pair;
	yyjson_val *key;

	while ((key = yyjson_obj_iter_next(&iter)) != NULL) {
		pair = yyjson_mut_arr_add_obj(doc, list);
		yyjson_mut_obj_add_val(doc, pair, "id", yyjson_val_mut_copy(doc, key));
		yyjson_mut_obj_add_val(doc, pair, "answer", yyjson_val_mut_copy(doc, yyjson_obj_iter_get_val(key)));
	}
	return list;
}

/* The one number that would change when it is written again: -0 must not become 0 (B10). */
static void keep_sign(yyjson_mut_val *fields)
{
	yyjson_mut_obj_iter iter = yyjson_mut_obj_iter_with(fields);
	yyjson_mut_val *key, *value;

	while ((key = yyjson_mut_obj_iter_next(&iter)) != NULL) {
		value = yyjson_mut_obj_iter_get_val(key);
		if (yyjson_mut_is_sint(value) && yyjson_mut_get_sint(value) == 0)
			yyjson_mut_set_raw(value, "-0", 2);
	}
}

enum kh_err kh_answer_schema_restore(struct kh_arena *arena, const struct kh_query *query, yyjson_val *said,
				     struct kh_view *ret_json)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *body = yyjson_val_mut_copy(doc, said);
	yyjson_val *answers = kh_json_get(said, "answers");

	keep_sign(yyjson_mut_obj_get(body, "fields"));
	if (query->category == 2 && yyjson_is_obj(answers))
		yyjson_mut_obj_put(body, yyjson_mut_str(doc, "answers"), list_answers(doc, answers));
	return kh_json_write(arena, body, ret_json);
}
