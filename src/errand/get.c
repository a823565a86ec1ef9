/*
 * A GET, from request to end.  The executor may die at any moment; the server may send anything until its time is over.
 * Only one header is looked for in what it sends, and nothing else is interpreted.
 */
#include "errand/get.h"

#include "base/clock.h"
#include "outside/converse.h"
#include "wire/header.h"

struct getting {
	struct kh_fetch fetch;
	struct kh_converse talk;
};

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

static void describe(const struct kh_get *get, struct kh_fetch *fetch)
{
	*fetch = (struct kh_fetch){.url = get->url,
				   .method = KH_METHOD_GET,
				   .plain = get->plain,
				   .authority = get->authority,
				   .redirects = get->redirects,
				   .limits = {.output = get->most}};
	for (; fetch->hosts < get->host_count && fetch->hosts < KH_REQUEST_HOSTS; fetch->hosts++)
		fetch->host[fetch->hosts] = get->hosts[fetch->hosts];
	for (; fetch->headers < get->header_count && fetch->headers < KH_REQUEST_HEADERS; fetch->headers++)
		fetch->header[fetch->headers] = get->headers[fetch->headers];
}

enum kh_err kh_get_run(const struct kh_client *client, const struct kh_get *get, struct kh_arena *arena,
		       struct kh_get_result *ret_result)
{
	struct getting *g = KH_NEW(arena, struct getting); /* a conversation is too large for a stack */

	if (g == NULL)
		return KH_ENOMEM;
	describe(get, &g->fetch);
	g->talk.client = client;
	g->talk.arena = arena;
	g->talk.fetch = &g->fetch;
	g->talk.deadline_ms = kh_clock_ms() + (int64_t)get->wall_ms;
	g->talk.most = get->most;
	enum kh_err e = kh_converse_run(&g->talk);
	explicit_bzero(&g->fetch, sizeof(g->fetch));
	if (e != KH_OK)
		return e;
	take_end(&g->talk, ret_result);
	return kh_arena_check(arena);
}
