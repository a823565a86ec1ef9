/* What tests of approved tools share: a server is seen with its tools, and an admin approves what he was shown. */
#ifndef KH_TESTS_UNIT_ENGINE_OFFERING_H
#define KH_TESTS_UNIT_ENGINE_OFFERING_H

#include "engine/upstream/approve.h"
#include "fixture.h"

#define KH_OFFERING_TOOLS 256

/* Servers `post` and `mail` are configured, and `off` is turned off. */
#define KH_OFFERING_SERVERS                        \
	"upstreams:\n"                             \
	"  - {name: post, command: [/bin/true]}\n" \
	"  - {name: mail, command: [/bin/true]}\n" \
	"  - {name: off, command: [/bin/true], enabled: false}\n"

/* SERVER is seen with these tools, each all that it says of it as JSON, in the order of their names; NULL ends them. */
static inline void kh_offering_see(struct kh_fixture *f, const char *server, const char *const *texts)
{
	static struct kh_seen_tool tools[KH_OFFERING_TOOLS];
	struct kh_upstream_seen seen = {.name = kh_view_str(server),
					.program = kh_canonical_digest(KH_LIT("program")),
					.about = KH_LIT("{\"name\":\"a server\"}"),
					.tools = tools};
	struct kh_error err = {0};

	for (; texts[seen.count] != NULL; seen.count++) {
		struct kh_view text = kh_view_str(texts[seen.count]), own = {NULL, 0};
		yyjson_val *tool = kh_fixture_json(f, text);
		assert_true(seen.count < KH_OFFERING_TOOLS);
		assert_int_equal(kh_canonical_json(&f->arena, tool, &own, &err), KH_OK);
		tools[seen.count] = (struct kh_seen_tool){kh_json_str(kh_json_get(tool, "name")), own,
							  kh_canonical_digest(own)};
	}
	if (kh_engine_own(f->engine, kh_upstream_seen_run, &seen, &f->arena, &err) != KH_OK)
		fail_msg("it is not seen: %s %s", err.code, err.detail);
}

static inline yyjson_val *kh_offering_review(struct kh_fixture *f, const char *server)
{
	struct kh_upstream_review review = {.name = kh_view_str(server)};
	struct kh_error err = {0};

	if (kh_engine_call(f->engine, kh_token_read(f->engine, f->admin), kh_upstream_review_run, &review, &f->arena,
			   &err) != KH_OK)
		fail_msg("no review: %s %s", err.code, err.detail);
	return kh_fixture_json(f, review.json);
}

/* The admin approves all that SERVER offers, with his own WORDS (JSON, may be NULL). */
static inline void kh_offering_approve(struct kh_fixture *f, const char *server, const char *words)
{
	struct kh_upstream_approve approve = {
		.name = kh_view_str(server),
		.digest = kh_json_str(kh_json_get(kh_offering_review(f, server), "digest")),
		.words = words != NULL ? kh_fixture_json(f, kh_view_str(words)) : NULL,
	};
	struct kh_error err = {0};

	if (kh_engine_call(f->engine, kh_token_read(f->engine, f->admin), kh_upstream_approve_run, &approve, &f->arena,
			   &err) != KH_OK)
		fail_msg("not approved: %s %s", err.code, err.detail);
}

#endif
