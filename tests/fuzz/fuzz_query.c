/*
 * Queries (B1-B3): what is accepted and written again is accepted again and costs the same, and so is every better
 * query that lint proposes (B22).
 */
#include "fuzz.h"

#include "core/bcp/lint.h"

static bool read_query(struct kh_arena *arena, yyjson_val *in, enum kh_query_purpose purpose,
		       struct kh_query *ret_query)
{
	struct kh_reasons errors;

	kh_reasons_init(&errors, arena);
	HOLDS(kh_query_read(arena, in, purpose, ret_query, &errors) == KH_OK);
	kh_fuzz_reasons(&errors);
	return errors.n == 0;
}

static struct kh_view write(struct kh_arena *arena, yyjson_mut_val *val)
{
	struct kh_view text;

	HOLDS(kh_json_write(arena, val, &text) == KH_OK);
	return text;
}

/* TEXT is a query, and a good one. */
static struct kh_query good_query(struct kh_arena *arena, struct kh_view text)
{
	struct kh_query query;
	yyjson_val *root = NULL;

	HOLDS(kh_json_read(arena, text, &root, NULL) == KH_OK);
	HOLDS(read_query(arena, root, KH_QUERY_CHECK, &query));
	return query;
}

static void check_accepted(struct kh_arena *arena, const struct kh_query *query)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *item;
	size_t i, n;

	HOLDS(doc != NULL);
	struct kh_view text = write(arena, kh_query_write(query, doc));
	/* Our spelling may be longer than the one that was read. */
	if (text.n <= KH_QUERY_BYTES) {
		struct kh_query again = good_query(arena, text);
		HOLDS(again.category == query->category && again.microbits == query->microbits &&
		      again.bound == query->bound);
		HOLDS(kh_view_eq(text, write(arena, kh_query_write(&again, doc))));
	}
	yyjson_mut_arr_foreach(kh_lint_query(query, arena, doc), i, n, item)
	{
		struct kh_view advice = write(arena, yyjson_mut_obj_get(item, "query"));
		struct kh_query better = good_query(arena, advice);
		HOLDS(better.category < query->category);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_query query, admitted;
	yyjson_val *root = NULL;
	struct kh_arena arena;

	kh_fuzz_begin(&arena);
	if (kh_json_read(&arena, kh_fuzz_view(data, size), &root, NULL) == KH_OK) {
		bool good = read_query(&arena, root, KH_QUERY_CHECK, &query);
		/* Admission asks for more, never for less. */
		HOLDS(!read_query(&arena, root, KH_QUERY_ADMIT, &admitted) || good);
		if (good)
			check_accepted(&arena, &query);
	}
	kh_arena_done(&arena);
	return 0;
}
