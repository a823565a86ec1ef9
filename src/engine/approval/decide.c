/*
 * Deciding an approval.  First come all the checks, which change nothing; then the decision and its event; then the
 * consequences for what the approval is about (follow.h).
 */
#include "engine/approval/decide.h"

#include "base/buf.h"
#include "base/timestamp.h"
#include "base/utf8.h"
#include "engine/approval/carried.h"
#include "engine/approval/subject.h"
#include "engine/state/each.h"
#include "engine/state/find.h"
#include "engine/state/tally.h"

#include <sodium.h>

#define SECOND INT64_C(1000000)
#define DIGITS (2 * KH_DIGEST_SIZE)

const struct kh_words kh_approval_decide_words =
	KH_WORDS([KH_CHOICE_APPROVE] = "approve", [KH_CHOICE_REJECT] = "reject", [KH_CHOICE_EDIT] = "edit");

/* A decision in progress. */
struct deciding {
	struct kh_op *op;
	const struct kh_approval_decide *call;
	struct kh_approval_row *row;
	struct kh_task_row *task; /* NULL: none */
	const struct kh_approval_follow *follow;
	struct kh_approval_choice choice;
	struct kh_view host; /* that a wider grant is for: the one that was shown; empty: none */
};

/* --- checks ------------------------------------------------------------------------------------------------------- */

/* A6: agents do not decide, except a supervisor on tool calls. */
static enum kh_err check_role(const struct deciding *d)
{
	enum kh_role role = d->op->caller->role;
	bool agents = false;
	enum kh_err e = KH_OK;

	if (role == KH_ROLE_SUPERVISOR && d->follow->is_agents != NULL)
		e = d->follow->is_agents(d->op, d->row, &agents);
	if (e == KH_OK && role == KH_ROLE_REVIEWER && d->row->admin)
		return kh_error_set(
			d->op->err, KH_EREFUSED, "admin_needed",
			"only an admin can decide this: the tier of the operation needs an admin's agreement");
	if (e != KH_OK || role == KH_ROLE_REVIEWER || role == KH_ROLE_ADMIN || agents)
		return e;
	return kh_error_set(d->op->err, KH_EREFUSED, "forbidden", "a token with the role %s cannot decide this",
			    kh_words_name(&kh_policy_role_words, role));
}

/* Checks a text that the decider wrote, because everybody who reads the record sees it. */
static enum kh_err check_words(const struct deciding *d, const char *member, struct kh_view text, size_t limit)
{
	size_t len;

	for (size_t at = 0; at < text.n; at += len) {
		uint32_t c = 0;
		len = kh_utf8_decode(text, at, &c);
		if (len > 0 && !kh_utf8_is_invisible(c) && c != 0x2028 && c != 0x2029)
			continue;
		return kh_error_member(
			d->op->err, kh_view_str(member),
			kh_error_set(d->op->err, KH_EINPUT, "not_visible", "byte %zu is of no visible character", at));
	}
	if (text.n <= limit)
		return KH_OK;
	return kh_error_member(d->op->err, kh_view_str(member),
			       kh_error_set(d->op->err, KH_EINPUT, "too_long", "more than %zu bytes", limit));
}

/* What was decided; the state itself may have changed since. */
static const char *decided(const struct kh_approval_row *row)
{
	return row->state == KH_APPROVAL_REJECTED ? "rejected" : row->edited.n > 0 ? "edited" : "approved";
}

static enum kh_err tell_decided(const struct deciding *d)
{
	struct kh_op *op = d->op;
	const struct kh_approval_row *row = d->row;
	const char *state = kh_words_name(&kh_grant_approval_words, row->state);
	struct kh_token_row *decider;

	if (row->decided_by == 0)
		return kh_error_set(op->err, KH_EREFUSED, "already_decided", "nobody decided it: it is %s", state);
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_TOKENS, row->decided_by, &decider);
	if (e != KH_OK)
		return e;
	struct kh_view name = kh_arena_quote(op->arena, decider->name);
	struct kh_view from = kh_arena_quote(op->arena, row->decided_from);
	struct kh_view at = kh_timestamp_text(op->arena, row->decided_at);
	return kh_error_set(op->err, KH_EREFUSED, "already_decided", "%s %.*s %s it from %.*s at %.*s; it is %s",
			    kh_words_name(&kh_policy_role_words, decider->role), KH_FMT(name), decided(row),
			    KH_FMT(from), KH_FMT(at), state);
}

static enum kh_err check_digest(const struct deciding *d)
{
	struct kh_view want = kh_canonical_hex(d->op->arena, &d->row->digest);

	if (want.p == NULL)
		return KH_ENOMEM;
	if (d->call->shown.n == DIGITS && sodium_memcmp(want.p, d->call->shown.p, DIGITS) == 0)
		return KH_OK;
	return kh_error_set(d->op->err, KH_EREFUSED, "shown_differs",
			    "the digest is not that of what is to be decided: look at it again");
}

/* The pages that the decider has to have seen: who rejects sends nothing, so the text is enough. */
static enum kh_err count_pages(const struct deciding *d, int64_t *ret_pages)
{
	struct kh_carried carried = {0};
	yyjson_val *subject = NULL;
	enum kh_err e = KH_OK;

	if (d->call->choice != KH_CHOICE_REJECT)
		e = kh_subject_read(d->op, d->row, &subject);
	if (e == KH_OK && subject != NULL)
		e = kh_carried_find(d->op, d->row, subject, 0, &carried);
	if (e == KH_OK)
		*ret_pages = d->row->pages + carried.pages;
	return e;
}

/* Every page must have been shown to this principal. */
static enum kh_err check_pages(const struct deciding *d)
{
	struct kh_op *op = d->op;
	int64_t pages = 0;
	enum kh_err e = count_pages(d, &pages);

	if (e != KH_OK)
		return e;
	struct kh_each each = {.op = op, .index = KH_INDEX_SHOWINGS, .number = d->row->id};
	bool *seen = KH_NEW_N(op->arena, bool, (size_t)pages + 1);
	struct kh_showing_row showing;
	int64_t missing = 0;

	if (seen == NULL)
		return KH_ENOMEM;
	while (kh_each_peek(&each, KH_TABLE_SHOWINGS, &showing)) {
		if (showing.token == op->caller->id && showing.page >= 1 && showing.page <= pages)
			seen[showing.page] = true;
	}
	if (each.e != KH_OK)
		return each.e;
	for (int64_t page = pages; page >= 1; page--)
		missing = seen[page] ? missing : page;
	if (missing == 0)
		return KH_OK;
	return kh_error_set(op->err, KH_EREFUSED, "not_shown", "page %lld of %lld has not been shown to you",
			    (long long)missing, (long long)pages);
}

/* A2: a grant for a host is for the one that the decider was shown, however the decision spells it. */
static enum kh_err take_host(struct deciding *d)
{
	struct kh_op *op = d->op;
	yyjson_val *subject = NULL;
	enum kh_err e = d->call->host.n > 0 ? kh_subject_read(op, d->row, &subject) : KH_OK;
	struct kh_view shown = kh_json_str(kh_json_get(subject, "host"));

	if (e != KH_OK || d->call->host.n == 0)
		return e;
	if (shown.n == 0)
		return kh_error_set(op->err, KH_EREFUSED, "not_widened",
				    "what was shown goes to no host that a grant could be for");
	struct kh_view quoted = kh_arena_quote(op->arena, shown);
	if (!kh_view_eq_nocase(d->call->host, shown))
		return kh_error_set(op->err, KH_EREFUSED, "host_differs",
				    "what was shown goes to %.*s, and a grant is for no other host", KH_FMT(quoted));
	d->host = shown;
	return KH_OK;
}

/* A2: checks what may be widened, and how far. */
static enum kh_err check_width(struct deciding *d)
{
	const struct kh_approval_decide *call = d->call;
	bool plain = call->host.n == 0 && call->uses == 0 && call->until == 0;

	if (plain)
		return KH_OK;
	if (call->choice == KH_CHOICE_EDIT && d->follow->widens)
		return kh_error_set(d->op->err, KH_EREFUSED, "not_widened",
				    "an edited call gets an approval of its own, which can be for more");
	if (call->choice != KH_CHOICE_APPROVE || !d->follow->widens)
		return kh_error_set(
			d->op->err, KH_EREFUSED, "not_widened",
			"only the approval of a declaration or a tool call can be for more than what is shown");
	if (call->uses < 0 || call->uses > KH_APPROVAL_DECIDE_USES)
		return kh_error_set(d->op->err, KH_EINPUT, "out_of_range", "a grant has 1 to %d uses",
				    KH_APPROVAL_DECIDE_USES);
	if (call->until != 0 && (call->until <= d->op->now || call->until >= KH_TIMESTAMP_END))
		return kh_error_set(d->op->err, KH_EINPUT, "out_of_range", "a grant ends after it was given");
	return take_host(d);
}

/* Checks that the choice fits what the approval is about. */
static enum kh_err check_choice(struct deciding *d)
{
	bool edit = d->call->choice == KH_CHOICE_EDIT;
	enum kh_err e = KH_OK;

	if (d->follow->check != NULL)
		e = d->follow->check(d->op, d->row, &d->choice);
	else if (edit)
		e = kh_error_set(d->op->err, KH_EREFUSED, "not_editable",
				 "only an answer, a summary, a declaration or a call can be edited");
	return e == KH_OK ? check_width(d) : e;
}

static enum kh_err check(struct deciding *d)
{
	enum kh_err e = check_role(d);

	if (e == KH_OK && d->row->state != KH_APPROVAL_PENDING)
		e = tell_decided(d);
	if (e == KH_OK)
		e = check_words(d, "note", d->call->note, KH_APPROVAL_DECIDE_NOTE);
	if (e == KH_OK)
		e = check_words(d, "from", d->call->from, KH_APPROVAL_DECIDE_FROM);
	if (e == KH_OK && d->call->from.n == 0)
		e = kh_error_set(d->op->err, KH_EINPUT, "missing", "a decision says where it comes from");
	if (e == KH_OK)
		e = check_digest(d);
	if (e == KH_OK)
		e = check_pages(d);
	return e == KH_OK ? check_choice(d) : e;
}

/* --- the decision ------------------------------------------------------------------------------------------------- */

static struct kh_view describe(const struct deciding *d)
{
	struct kh_emit what;

	kh_op_describe(d->op, &what);
	kh_emit_add_word(&what, "choice", kh_words_name(&kh_approval_decide_words, d->call->choice));
	kh_emit_add(&what, "from", d->call->from);
	kh_emit_add(&what, "note", d->call->note);
	kh_emit_add_word(&what, "role", kh_words_name(&kh_policy_role_words, d->op->caller->role));
	kh_emit_add(&what, "shown", d->call->shown);
	return kh_op_described(d->op, &what);
}

static enum kh_approval state_after(enum kh_choice choice)
{
	return choice == KH_CHOICE_REJECT ? KH_APPROVAL_REJECTED
	       : choice == KH_CHOICE_EDIT ? KH_APPROVAL_EDITED
					  : KH_APPROVAL_APPROVED;
}

/* Unless the reviewer set an expiry, the grant is valid for as long as a request may wait, counted from now. */
static enum kh_err write_decision(const struct deciding *d)
{
	const struct kh_approval_decide *call = d->call;
	struct kh_approval_row *row = d->row;
	struct kh_op *op = d->op;

	kh_approval_end(row, d->task, state_after(call->choice));
	row->told_at = kh_approval_slot(op, row);
	row->decided_at = op->now;
	row->decided_by = op->caller->id;
	row->decided_from = kh_arena_dup(op->arena, call->from);
	row->note = kh_arena_dup(op->arena, call->note);
	if (call->choice != KH_CHOICE_REJECT) {
		int64_t usual = op->now + (int64_t)op->policy->approvals.expiry_seconds * SECOND;
		row->expires_at = call->until != 0 ? call->until : usual;
		row->host = kh_arena_dup(op->arena, d->host);
	}
	if (call->choice == KH_CHOICE_APPROVE && call->uses != 0)
		row->uses = call->uses;
	kh_tally_add(kh_engine_tally(op->engine), KH_TALLY_DECIDED,
		     kh_view_str(kh_words_name(&kh_grant_approval_words, row->state)), KH_LIT(""), 1);
	return kh_op_event(op, KH_AUDIT_APPROVAL_DECIDED, d->task, describe(d));
}

static enum kh_err load(struct deciding *d)
{
	enum kh_err e = kh_find_approval(d->op, d->call->approval, &d->row);

	if (e == KH_OK)
		e = kh_approval_task(d->op, d->row, &d->task);
	if (e == KH_OK)
		d->follow = kh_approval_follow(d->op, d->row);
	return e;
}

/* A refused decision is recorded on the system's chain, with the reason. */
static enum kh_err refuse(const struct deciding *d, enum kh_err why)
{
	struct kh_view id = kh_op_id(d->op, KH_ID_APPROVAL, d->row->id);
	struct kh_view what = kh_arena_printf(
		d->op->arena, "{\"approval\":\"%.*s\",\"code\":\"%s\",\"operation\":\"approval.decide\"}", KH_FMT(id),
		d->op->err->code);

	return kh_op_refuse(d->op, KH_AUDIT_REFUSED, NULL, what, why);
}

enum kh_err kh_approval_decide_run(struct kh_op *op, void *call)
{
	struct kh_approval_decide *decide = call;
	struct deciding d = {.op = op, .call = decide, .choice = {.choice = decide->choice, .edited = decide->edited}};
	enum kh_err e = load(&d);

	if (e == KH_OK)
		e = kh_approval_due(op, d.row); /* a late decision is recorded as expired, not as decided (A3) */
	if (e == KH_OK && d.follow->due != NULL)
		e = d.follow->due(op, d.row); /* the same if the deadline of what it is about has passed */
	if (e != KH_OK)
		return e;
	e = check(&d);
	if (e == KH_OK && decide->choice == KH_CHOICE_EDIT)
		e = d.follow->edit(op, d.row, &d.choice);
	if (e == KH_EREFUSED)
		return refuse(&d, e);
	if (e == KH_OK)
		e = write_decision(&d);
	if (e == KH_OK && d.row->told_at == 0 && d.follow->decided != NULL)
		e = d.follow->decided(op, d.row);
	if (e == KH_OK)
		decide->row = d.row;
	return e;
}
