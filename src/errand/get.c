/*
 * A GET, from request to end.  The executor may die at any moment; the server may send anything until its time is over.
 * Only one header is looked for in what it sends, and nothing else is interpreted.
 */
#include "errand/get.h"

#include "outside/converse.h"
#include "wire/header.h"

/* Stores the result. */
static void take_end(const struct kh_converse *talk, struct kh_get_result *ret_result)
{
	struct kh_view type = KH_LIT("");
	enum kh_fault fault = kh_converse_fault(talk);

	(void)kh_header_find(kh_tainted_open(talk->head.headers), KH_LIT("content-type"), &type);
	*ret_result = (struct kh_get_result){
		.done = fault == KH_FAULT_NONE && talk->head.status > 0,
		.status = talk->head.status,
		.fault = fault,
		.url = talk->head.url,
		.location = talk->head.location,
		.type = kh_tainted_wrap(type),
		.body = talk->output,
	};
	if (fault != KH_FAULT_NONE) {
		ret_result->why = kh_converse_why(talk);
	} else if (talk->head.status == 0) {
		ret_result->fault = KH_FAULT_HTTP;
		ret_result->why = KH_LIT("no response came");
	}
}

enum kh_err kh_get_run(const struct kh_client *client, struct kh_fetch *fetch, uint64_t wall_ms, struct kh_arena *arena,
		       struct kh_get_result *ret_result)
{
	struct kh_converse *talk = kh_converse_new(client, arena, wall_ms, fetch->limits.output);
	enum kh_err e = KH_ENOMEM;

	if (talk != NULL) {
		talk->fetch = fetch;
		e = kh_converse_run(talk);
	}
	explicit_bzero(fetch, sizeof(*fetch));
	if (e != KH_OK)
		return e;
	take_end(talk, ret_result);
	return kh_arena_check(arena);
}
