/*
 * Writes what the build makes of the table of operations (src/core/comm/operations.c), so that it is written once:
 *
 *     operations.json   each row: its texts, and of its parameters the JSON schema and how a command line takes them;
 *                       tools/embed-tools makes MCP tools of it, tools/embed-completion what shells complete
 *     operations.inc    OPERATION_NAMES "comm.search, comm.fetch, ... or comm.exec", for messages
 */
#include "base/alloc.h"
#include "core/comm/operations.h"

#include <stdio.h>

#define MEMORY ((size_t)1 << 20)
#define REFERENCE                                                                                           \
	"{\"$block\": \"b0123456789abcdef\"}: that sealed block's content, put in when it runs, where the " \
	"policy allows it"

static yyjson_mut_doc *doc;
static struct kh_arena arena;

/* What is taken in its place: a value of its own kind, or sealed content (K8). */
static const char *reference_of(enum kh_parameter_kind kind)
{
	return kind == KH_PARAMETER_QUERY    ? ". Or " REFERENCE
	       : kind == KH_PARAMETER_VALUES ? ". A value may be " REFERENCE
	       : kind == KH_PARAMETER_ARGS   ? ", or " REFERENCE
					     : "";
}

static void add_types(yyjson_mut_val *schema, const char *first, const char *second)
{
	yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, schema, "type");

	yyjson_mut_arr_add_str(doc, list, first);
	yyjson_mut_arr_add_str(doc, list, second);
}

static yyjson_mut_val *schema_of(const struct kh_parameter_spec *spec)
{
	yyjson_mut_val *schema = yyjson_mut_obj(doc), *words;
	struct kh_view about = kh_arena_printf(&arena, "%c%s%s.", spec->about[0] & ~0x20, spec->about + 1,
					       reference_of(spec->kind));

	switch (spec->kind) {
	case KH_PARAMETER_QUERY:
		add_types(schema, "string", "object");
		break;
	case KH_PARAMETER_VALUES:
		add_types(schema, "array", "object");
		break;
	case KH_PARAMETER_ARGS:
		yyjson_mut_obj_add_str(doc, schema, "type", "array");
		yyjson_mut_obj_add_uint(doc, schema, "maxItems", spec->max);
		break;
	case KH_PARAMETER_LIMIT:
		yyjson_mut_obj_add_str(doc, schema, "type", "integer");
		yyjson_mut_obj_add_uint(doc, schema, "minimum", 1);
		yyjson_mut_obj_add_uint(doc, schema, "maximum", spec->max);
		break;
	case KH_PARAMETER_SCOPE:
		yyjson_mut_obj_add_str(doc, schema, "type", "string");
		words = yyjson_mut_obj_add_arr(doc, schema, "enum");
		for (size_t i = 0; i < kh_operation_scope_words.n; i++)
			yyjson_mut_arr_add_str(doc, words, kh_operation_scope_words.at[i]);
		break;
	case KH_PARAMETER_URL:
	case KH_PARAMETER_NAME:
	case KH_PARAMETER_STATEMENT:
	case KH_PARAMETER_PATH:
	case KH_PARAMETER_COMMAND:
	case KH_PARAMETER_SERVER:
	case KH_PARAMETER_URI:
		yyjson_mut_obj_add_str(doc, schema, "type", "string");
		break;
	}
	kh_json_add(doc, schema, "description", about);
	return schema;
}

static void add_parameter(yyjson_mut_val *list, const struct kh_parameter_spec *spec)
{
	yyjson_mut_val *obj = yyjson_mut_arr_add_obj(doc, list);

	yyjson_mut_obj_add_str(doc, obj, "name", spec->name);
	yyjson_mut_obj_add_str(doc, obj, "about", spec->about);
	yyjson_mut_obj_add_val(doc, obj, "schema", schema_of(spec));
	yyjson_mut_obj_add_bool(doc, obj, "is_word", spec->required);
	yyjson_mut_obj_add_bool(doc, obj, "is_list", kh_operation_is_list(spec));
	yyjson_mut_obj_add_bool(doc, obj, "is_option", kh_operation_is_option(spec));
	yyjson_mut_obj_add_bool(doc, obj, "is_file", spec->kind == KH_PARAMETER_PATH);
	yyjson_mut_obj_add_bool(doc, obj, "is_url", spec->kind == KH_PARAMETER_URL);
}

static void add_operation(yyjson_mut_val *list, const struct kh_operation *row)
{
	yyjson_mut_val *obj = yyjson_mut_arr_add_obj(doc, list), *parameters;

	yyjson_mut_obj_add_str(doc, obj, "name", row->name);
	yyjson_mut_obj_add_str(doc, obj, "title", row->title);
	yyjson_mut_obj_add_str(doc, obj, "about", row->about);
	yyjson_mut_obj_add_str(doc, obj, "says", row->says);
	yyjson_mut_obj_add_str(doc, obj, "example", row->example);
	yyjson_mut_obj_add_bool(doc, obj, "asks", row->risk == KH_RISK_HIGH);
	yyjson_mut_obj_add_bool(doc, obj, "changes", row->effects != KH_EFFECT_NONE);
	parameters = yyjson_mut_obj_add_arr(doc, obj, "parameters");
	for (size_t i = 0; i < row->parameter_count; i++)
		add_parameter(parameters, &row->parameters[i]);
}

/* The rows that have a tool and a command: all but the one that stands for upstream servers' tools. */
static size_t count_own(void)
{
	size_t n = 0;

	for (size_t i = 0; i < kh_operations_own.n; i++)
		n += !kh_operations_own.at[i].is_upstream;
	return n;
}

static bool write_names(FILE *out)
{
	size_t own = count_own(), n = 0;

	fputs("#define OPERATION_NAMES \"", out);
	for (size_t i = 0; i < kh_operations_own.n; i++) {
		if (kh_operations_own.at[i].is_upstream)
			continue;
		fprintf(out, "%s%s", n == 0 ? "" : n + 1 == own ? " or " : ", ", kh_operations_own.at[i].name);
		n++;
	}
	return fputs("\"\n", out) >= 0;
}

static bool write_rows(FILE *out)
{
	struct kh_view text;

	kh_arena_init(&arena, &kh_alloc_system, MEMORY);
	doc = kh_json_new(&arena);
	yyjson_mut_val *list = yyjson_mut_arr(doc);
	for (size_t i = 0; i < kh_operations_own.n; i++) {
		if (!kh_operations_own.at[i].is_upstream)
			add_operation(list, &kh_operations_own.at[i]);
	}
	bool done = kh_json_write(&arena, list, &text) == KH_OK && fwrite(text.p, 1, text.n, out) == text.n;
	kh_arena_done(&arena);
	return done;
}

int main(int argc, char **argv)
{
	FILE *rows = argc == 3 ? fopen(argv[1], "w") : NULL, *names = argc == 3 ? fopen(argv[2], "w") : NULL;

	if (rows == NULL || names == NULL || !write_rows(rows) || !write_names(names))
		return 1;
	return fclose(rows) == 0 && fclose(names) == 0 ? 0 : 1;
}
