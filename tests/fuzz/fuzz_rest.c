/*
 * Requests to REST, as far as they are read by the table of their route (I4).  The first line is the route's name, then
 * a line for each parameter ("name=value"), an empty line, the Content-Type, and the body.  What is taken is what the
 * table says; what is refused names a member and quotes, never repeats.
 */
#include "fuzz.h"

#include "http/rest/routes.h"

static const struct kh_rest_route *find(struct kh_view name)
{
	size_t count = 0;
	const struct kh_rest_route *routes = kh_rest_routes_all(&count);

	for (size_t i = 0; i < count; i++)
		if (kh_view_eq(kh_view_str(routes[i].name), name))
			return &routes[i];
	return &routes[0];
}

static void check_value(const struct kh_rest_member *member, const struct kh_rest_value *value)
{
	HOLDS(value->there || !member->required);
	if (!value->there)
		return;
	switch (member->kind) {
	case KH_REST_NUMBER:
		HOLDS(value->number >= member->min && value->number <= member->max);
		break;
	case KH_REST_FLAG:
		HOLDS(value->number == 0 || value->number == 1);
		break;
	case KH_REST_TIME:
		HOLDS(value->number >= 0);
		break;
	case KH_REST_WORD:
		HOLDS(value->word < member->words->n);
		HOLDS(kh_view_eq(kh_view_str(member->words->at[value->word]), value->text));
		break;
	case KH_REST_IDS:
		for (size_t i = 0; i < value->count; i++)
			HOLDS(value->ids[i].p != NULL);
		break;
	case KH_REST_OBJECT:
		HOLDS(yyjson_is_obj(value->object));
		break;
	case KH_REST_TEXT:
	case KH_REST_ID:
	case KH_REST_ANSWER:
		HOLDS(value->text.p != NULL);
		break;
	}
}

static void check_values(const struct kh_rest_member *members, const struct kh_rest_value *values)
{
	for (size_t i = 0; members[i].name != NULL; i++)
		check_value(&members[i], &values[i]);
}

static void check_refused(enum kh_err e, const struct kh_error *err)
{
	HOLDS(e == KH_EINPUT || e == KH_ELIMIT);
	kh_fuzz_error(err);
}

static void read_body(struct kh_arena *arena, const struct kh_rest_route *route, struct kh_view text)
{
	struct kh_rest_value values[KH_REST_MEMBERS] = {0};
	struct kh_error err = {0};
	yyjson_val *body = NULL;

	if (route->body[0].name == NULL || kh_json_read(arena, text, &body, &err) != KH_OK)
		return;
	enum kh_err e = kh_rest_read_body(arena, route->body, body, values, &err);
	if (e == KH_OK)
		check_values(route->body, values);
	else
		check_refused(e, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_rest_value values[KH_REST_MEMBERS] = {0};
	struct kh_view input = kh_fuzz_view(data, size), line = {NULL, 0}, name;
	struct kh_error err = {0};
	struct kh_arena arena;
	enum kh_err e = KH_OK;

	kh_fuzz_begin(&arena);
	(void)!kh_view_split(&input, '\n', &line);
	const struct kh_rest_route *route = find(line);
	while (e == KH_OK && kh_view_split(&input, '\n', &line) && line.n > 0) {
		(void)!kh_view_split(&line, '=', &name);
		e = kh_rest_read_parameter(&arena, route->query, name, line.p != NULL ? line : KH_LIT(""), values,
					   &err);
	}
	if (e == KH_OK)
		e = kh_rest_read_parameters_end(route->query, values, &err);
	if (e == KH_OK)
		check_values(route->query, values);
	else
		check_refused(e, &err);
	if (kh_view_split(&input, '\n', &line))
		HOLDS(kh_rest_read_type(line) <= KH_REST_READ_OTHER);
	if (input.p != NULL)
		read_body(&arena, route, input);
	kh_arena_done(&arena);
	return 0;
}
