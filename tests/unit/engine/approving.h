/* Steps of the tests of approvals: asking for one of any kind, showing all of it, deciding it. */
#ifndef KH_TESTS_UNIT_ENGINE_APPROVING_H
#define KH_TESTS_UNIT_ENGINE_APPROVING_H

#include "engine/approval/decide.h"
#include "engine/approval/show.h"
#include "fixture.h"

/* An operation of the test's own that asks, as those of the engine do. */
struct kh_approving {
	struct kh_view task;
	enum kh_approval_kind kind;
	struct kh_view text;
	bool untrusted;
	const char *mark; /* a code; NULL: none */
	struct kh_view id;
	struct kh_approval_row *row;
};

static inline enum kh_err kh_approving_run(struct kh_op *op, void *call)
{
	struct kh_approving *a = call;
	struct kh_reasons marks;
	struct kh_approval_request request = {
		.kind = a->kind,
		.text = a->text,
		.untrusted = a->untrusted,
		.marks = &marks,
		.source = KH_LIT("[{\"id\":\"b1\"}]"),
		.operation = KH_LIT("comm.fetch"),
		.host = a->kind == KH_APPROVE_DECLARATION ? KH_LIT("example.org") : KH_LIT(""),
		.arguments = kh_canonical_digest(KH_LIT("arguments")),
		.content = kh_canonical_digest(KH_LIT("content")),
	};

	kh_reasons_init(&marks, op->arena);
	if (a->mark != NULL)
		kh_reasons_add(&marks, a->mark, KH_LIT("text"), "marked");
	enum kh_err e = kh_find_task(op, a->task, &request.task);
	if (e == KH_OK)
		e = kh_approval_request(op, &request, &a->row);
	if (e == KH_OK)
		a->id = kh_op_id(op, KH_ID_APPROVAL, a->row->id);
	return e;
}

/* Asks, and gives the id. */
static inline struct kh_view kh_approving_ask(struct kh_fixture *f, struct kh_view task, enum kh_approval_kind kind,
					      const char *text)
{
	struct kh_approving ask = {.task = task, .kind = kind, .text = kh_view_str(text)};

	must(f->t, kh_fixture_own(f, kh_approving_run, &ask));
	return ask.id;
}

static inline struct kh_approval_row *kh_approving_row(struct kh_fixture *f, struct kh_view id)
{
	return kh_fixture_row(f, KH_TABLE_APPROVALS, kh_fixture_number(f, KH_ID_APPROVAL, id));
}

/* Shows every page to the holder of TOKEN; the digest. */
static inline struct kh_view kh_approving_show(struct kh_fixture *f, struct kh_view token, struct kh_view id)
{
	struct kh_approval_show show = {.approval = id};
	int64_t pages = 1;

	for (int64_t page = 1; page <= pages; page++) {
		show.page = page;
		must(f->t, kh_fixture_call(f, token, kh_approval_show_run, &show));
		pages = show.pages;
	}
	return kh_json_str(kh_json_get(kh_fixture_json(f, show.json), "digest"));
}

/* Shows and decides. */
static inline enum kh_err kh_approving_decide(struct kh_fixture *f, struct kh_view token, struct kh_view id,
					      enum kh_choice choice, const char *edited)
{
	struct kh_approval_decide decide = {
		.approval = id,
		.choice = choice,
		.shown = kh_approving_show(f, token, id),
		.edited = kh_tainted_wrap(kh_view_str(edited != NULL ? edited : "")),
		.from = KH_LIT("test"),
	};

	return kh_fixture_call(f, token, kh_approval_decide_run, &decide);
}

/* Whether EVENT, a text of canonical JSON, holds PART. */
static inline bool kh_approving_has(struct kh_view event, const char *part)
{
	return event.p != NULL && kh_view_find(event, kh_view_str(part), 0) != SIZE_MAX;
}

#endif
