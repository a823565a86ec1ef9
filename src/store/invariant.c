/*
 * The rules, recomputed.  First the sums are updated with what the event changed, then every changed row is checked
 * against its rules.  The rows are the fold's, so the views in them are fingerprints.
 */
#include "store/invariant.h"

#include "core/block/taint.h"
#include "store/rule.h"

struct check {
	struct kh_fold *fold;
	const struct kh_invariant_event *event;
};

static bool same_text(struct kh_view a, struct kh_view b)
{
	return memcmp(&a, &b, sizeof(a)) == 0;
}

static bool same_digest(const struct kh_digest *a, const struct kh_digest *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/* --- sums --------------------------------------------------------------------------------------------------------- */

/* Adds what a query counts to the sums, SIGN times.  The arithmetic is unsigned: only what was added is subtracted. */
static void count_query(struct kh_fold_sums *s, const struct kh_query_row *q, uint64_t sign)
{
	size_t c = (size_t)q->category - 1;
	bool done = q->state == KH_QUERY_DONE;

	if (s == NULL || c > 2)
		return;
	s->reserved += sign * (done ? 0 : q->reserved);
	s->charged += sign * (done ? q->charged : 0);
	s->exposed += sign * (done && q->outcome == KH_OUTCOME_DELIVERED ? q->charged : 0);
	s->total[c] += sign * (q->reserved > q->charged ? q->reserved : q->charged);
	s->count[c] += sign;
	s->queries += sign;
	s->escalations += sign * (uint64_t)q->escalation;
	s->reader_egress += sign * (uint64_t)q->egress;
}

/* The row of the Reader with this name.  A linear search, because there are few Readers. */
static struct kh_fold_sums *reader_sums(struct kh_fold *fold, struct kh_view name)
{
	for (size_t i = 0; i < kh_fold_count(fold, KH_TABLE_READERS); i++) {
		const struct kh_reader_row *reader = kh_fold_at(fold, KH_TABLE_READERS, i);
		if (same_text(reader->name, name))
			return kh_fold_sums(fold, KH_TABLE_READERS, reader->id);
	}
	return NULL;
}

/* G4: what a context takes counts for its token and that one's host.  Events of format 1 are older than this account. */
static void sum_day(const struct check *c, int64_t context, struct kh_window_sums more)
{
	const struct kh_context_row *row = kh_fold_row(c->fold, KH_TABLE_CONTEXTS, context);
	const struct kh_token_row *token = row != NULL ? kh_fold_row(c->fold, KH_TABLE_TOKENS, row->token) : NULL;

	if (token == NULL || c->event->entry->format != KH_AUDIT_FORMAT)
		return;
	const struct kh_token_row *host = kh_fold_row(c->fold, KH_TABLE_TOKENS, token->parent);
	kh_window_add(&kh_fold_day(c->fold, token->id)->window, c->event->entry->at, more);
	if (host != NULL && host->role == KH_ROLE_HOST)
		kh_window_add(&kh_fold_day(c->fold, host->id)->window, c->event->entry->at, more);
}

static void sum_query(struct check *check, const struct kh_invariant_change *change)
{
	const struct kh_query_row *row = change->row, *was = change->was;
	struct kh_fold_sums *sums[] = {kh_fold_sums(check->fold, KH_TABLE_TASKS, row->task),
				       kh_fold_sums(check->fold, KH_TABLE_CONTEXTS, row->context),
				       reader_sums(check->fold, row->reader)};

	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
		if (!change->fresh)
			count_query(sums[i], was, UINT64_MAX);
		count_query(sums[i], row, 1);
	}
	if (sums[1] != NULL && check->event->entry->format != KH_AUDIT_FORMAT)
		sums[1]->escalations = 0; /* B19: this account of a context is younger than format 1 */
	if (change->fresh)
		sum_day(check, row->context,
			(struct kh_window_sums){.bits = row->reserved, .escalations = (uint64_t)row->escalation});
}

/* The same for an external operation, which is not a query and has no category (B8). */
static void count_declaration(struct kh_fold_sums *s, const struct kh_declaration_row *d, uint64_t sign)
{
	bool done = d->state == KH_DECLARATION_DONE;

	if (s == NULL)
		return;
	s->reserved += sign * (done ? 0 : d->reserved);
	s->charged += sign * (done ? d->charged : 0);
	s->egress += sign * (uint64_t)d->egress;
	s->reader_egress += sign * (uint64_t)d->reader_egress;
}

static void sum_declaration(struct check *check, const struct kh_invariant_change *change)
{
	const struct kh_declaration_row *row = change->row, *was = change->was;
	struct kh_fold_sums *sums[] = {kh_fold_sums(check->fold, KH_TABLE_TASKS, row->task),
				       kh_fold_sums(check->fold, KH_TABLE_CONTEXTS, row->context)};

	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
		if (!change->fresh)
			count_declaration(sums[i], was, UINT64_MAX);
		count_declaration(sums[i], row, 1);
	}
	sum_day(check, row->context,
		(struct kh_window_sums){.bits = row->reserved - (change->fresh ? 0 : was->reserved)});
}

static void sum_block(struct check *check, const struct kh_invariant_change *change)
{
	const struct kh_block_row *row = change->row, *was = change->was;
	struct kh_fold_sums *context = kh_fold_sums(check->fold, KH_TABLE_CONTEXTS, row->context);
	struct kh_fold_sums *task = kh_fold_sums(check->fold, KH_TABLE_TASKS, row->task);
	bool is_new = row->told >= 0 && (change->fresh || was->told < 0); /* known from this event on */

	if (context != NULL) {
		context->blocks += is_new;
		context->deliveries += change->fresh && row->kind == KH_BLOCK_DELIVERY;
		context->own += change->fresh && row->kind == KH_BLOCK_HOST && row->trust == KH_UNTRUSTED &&
				row->taint != KH_TAINT_HIGH;
		context->put += change->fresh ? (uint64_t)row->put : 0;
		if (row->given && (change->fresh || !was->given))
			context->taint = kh_label_max_taint(context->taint, row->taint);
	}
	if (task != NULL) {
		task->sealed_blocks += is_new && row->kind == KH_BLOCK_SEALED;
		task->put += change->fresh ? (uint64_t)row->put : 0;
	}
	if (change->fresh)
		sum_day(check, row->context, (struct kh_window_sums){.put = (uint64_t)row->put});
}

static void sum_approval(struct check *check, const struct kh_invariant_change *change)
{
	const struct kh_approval_row *row = change->row, *was = change->was;
	struct kh_fold_sums *task = kh_fold_sums(check->fold, KH_TABLE_TASKS, row->task);
	struct kh_fold_sums *context = kh_fold_sums(check->fold, KH_TABLE_CONTEXTS, row->context);

	if (task != NULL) {
		task->pending += (row->state == KH_APPROVAL_PENDING) -
				 (!change->fresh && was->state == KH_APPROVAL_PENDING);
		task->charged += change->fresh ? row->charged : 0;
	}
	if (context != NULL)
		context->charged += change->fresh ? row->charged : 0;
	if (change->fresh)
		sum_day(check, row->context, (struct kh_window_sums){.bits = row->charged});
}

/* A reset starts the sums again, except those that count over the whole life of the context. */
static void reset(struct kh_fold *fold, const struct kh_context_row *row)
{
	struct kh_fold_sums *s = kh_fold_sums(fold, KH_TABLE_CONTEXTS, row->id);

	s->charged = s->exposed = s->deliveries = s->own = s->escalations = s->put = 0;
	s->taint = KH_TAINT_LOW;
}

static void sum(struct check *c)
{
	for (size_t i = 0; i < c->event->count; i++) {
		const struct kh_invariant_change *change = &c->event->changes[i];
		if (change->table == KH_TABLE_CONTEXTS && c->event->kind == KH_AUDIT_CONTEXT_RESET)
			reset(c->fold, change->row);
	}
	for (size_t i = 0; i < c->event->count; i++) {
		const struct kh_invariant_change *change = &c->event->changes[i];
		if (change->table == KH_TABLE_QUERIES)
			sum_query(c, change);
		else if (change->table == KH_TABLE_BLOCKS)
			sum_block(c, change);
		else if (change->table == KH_TABLE_APPROVALS)
			sum_approval(c, change);
		else if (change->table == KH_TABLE_DECLARATIONS)
			sum_declaration(c, change);
	}
}

/* --- rules -------------------------------------------------------------------------------------------------------- */

static const char *check_system(const struct check *c, const struct kh_invariant_change *change)
{
	const struct kh_system_row *row = change->row, *was = change->was;

	if (row->id != 1)
		return "is a second one";
	if (!change->fresh && (!same_digest(&row->audit_key, &was->audit_key) || !same_text(row->id_key, was->id_key)))
		return "has another key than before";
	if (!change->fresh && row->halted_at != was->halted_at &&
	    c->event->kind != (row->halted_at != 0 ? KH_AUDIT_HALTED : KH_AUDIT_RESUMED))
		return "was stopped, or goes on, without an event of it (U8)";
	return NULL;
}

/* G4: the account of a token over 24 hours, recomputed from the events and their times. */
static bool is_day(const struct check *c, const struct kh_invariant_change *change)
{
	const struct kh_token_row *row = change->row, *was = change->was;
	struct kh_fold_day *day = kh_fold_day(c->fold, row->id);
	const struct kh_window *window = &day->window;
	int64_t newest = window->n > 0 ? window->marks[window->n - 1].hour : 0;
	char text[KH_WINDOW_TEXT];

	if (memcmp(&row->day, &window->sums, sizeof(row->day)) != 0)
		return false;
	if (day->compared == newest && same_text(row->day_marks, was->day_marks))
		return true; /* marks change only with a newer one */
	day->compared = newest;
	return kh_fold_is_text(c->fold, row->day_marks, kh_view_of(text, kh_window_write(window, text)));
}

static const char *check_token(const struct check *c, const struct kh_invariant_change *change)
{
	const struct kh_token_row *row = change->row, *was = change->was;

	if (!is_day(c, change))
		return "counts other bits, escalations or bytes over 24 hours than there were (G4)";
	if (change->fresh)
		return row->revoked_at != 0 ? "was revoked before it was made" : NULL;
	if (row->role != was->role || row->context != was->context || row->parent != was->parent ||
	    !same_digest(&row->secret, &was->secret) || !same_text(row->name, was->name))
		return "is another token than before";
	if (was->revoked_at != 0 && row->revoked_at != was->revoked_at)
		return "was revoked, and is again";
	return NULL;
}

static const char *check_totals(const uint64_t total[3], const struct kh_fold_sums *s)
{
	return memcmp(total, s->total, sizeof(s->total)) != 0 ? "has other totals than its queries (B6)" : NULL;
}

/* B6: what a context or a task has spent is what its queries have. */
static const char *check_spent(const struct kh_budget *b, const uint64_t total[3], const struct kh_fold_sums *s)
{
	if (!kh_budget_valid(b))
		return "has a budget that is not what remains, is reserved and was charged (B6)";
	if (b->own != 0 && b->budget > b->own && b->budget > b->reserved + b->charged)
		return "has a larger budget than was set for it (B6)";
	if (b->reserved != s->reserved)
		return "has other microbits reserved than its queries (B6)";
	if (b->charged != s->charged)
		return "was charged other microbits than its queries, calls and approvals (B6)";
	return check_totals(total, s);
}

/* B6: what was set for one itself stays; one that was made before it was kept gets its value once. */
static bool is_own_other(const struct kh_budget *b, const struct kh_budget *was)
{
	return was->own != 0 && b->own != was->own;
}

static const char *check_context(const struct check *c, const struct kh_invariant_change *change)
{
	const struct kh_context_row *row = change->row, *was = change->was;
	const struct kh_fold_sums *s = kh_fold_sums(c->fold, KH_TABLE_CONTEXTS, row->id);
	const uint64_t total[] = {row->total_1, row->total_2, row->total_3};
	const char *broken = check_spent(&row->budget, total, s);

	if (broken != NULL)
		return broken;
	if (row->taint != s->taint)
		return "has a taint that is not the highest of what it was given (B23)";
	if (row->escalations != s->escalations)
		return "counts other escalations than there were since its last reset (B19)";
	if ((uint64_t)row->put != s->put)
		return "counts other bytes than were put in (G4)";
	if (row->exposed != s->exposed || (uint64_t)row->deliveries != s->deliveries || (uint64_t)row->own != s->own ||
	    (uint64_t)row->blocks != s->blocks)
		return "counts other deliveries or blocks than there are";
	if (!change->fresh && is_own_other(&row->budget, &was->budget))
		return "has another budget set for it than before (B6)";
	if (!change->fresh && row->resets != was->resets && c->event->kind != KH_AUDIT_CONTEXT_RESET)
		return "was reset without a reset";
	return NULL;
}

static const char *check_task(const struct check *c, const struct kh_invariant_change *change)
{
	const struct kh_task_row *row = change->row, *was = change->was;
	const struct kh_fold_sums *s = kh_fold_sums(c->fold, KH_TABLE_TASKS, row->id);
	const uint64_t total[] = {row->total_1, row->total_2, row->total_3};
	const char *broken = check_spent(&row->budget, total, s);

	if (broken != NULL)
		return broken;
	if ((uint64_t)row->queries != s->queries || (uint64_t)row->blocks != s->sealed_blocks ||
	    row->pending != s->pending)
		return "counts other queries, blocks or approvals than there are";
	if ((uint64_t)row->put != s->put)
		return "counts other bytes than were put in (G4)";
	if ((uint64_t)row->egress != s->egress || (uint64_t)row->reader_egress != s->reader_egress)
		return "counts other bytes than its operations and queries sent out (E5)";
	if (row->escalations != s->escalations || row->escalations > row->escalation_limit)
		return "counts other escalations than there were, or more than it may have (B19)";
	if (change->fresh)
		return NULL;
	if (row->context != was->context || row->hosts != was->hosts || is_own_other(&row->budget, &was->budget) ||
	    !same_digest(&row->policy, &was->policy))
		return "is another task than before";
	if (was->state != KH_TASK_OPEN && row->state != was->state)
		return "had ended, and has another state";
	return NULL;
}

static const char *check_block(const struct check *c, const struct kh_invariant_change *change)
{
	const struct kh_block_row *row = change->row, *was = change->was;

	if (row->trust == KH_UNTRUSTED && row->type == KH_INSTRUCTION)
		return "is an untrusted instruction (K1)";
	if (row->kind == KH_BLOCK_SEALED && row->trust != KH_UNTRUSTED &&
	    (row->trust != KH_VETTED || row->type != KH_DATA || row->declaration == 0))
		return "is sealed, and trusted more than a tool's result can be (U6)";
	if (change->fresh)
		return row->content.n == 0 && row->content.p == NULL ? NULL
		       : kh_fold_is_of(c->fold, row->content, &row->content_hash)
			       ? NULL
			       : "has a hash that is not its content's (K1)";
	if (row->context != was->context || row->task != was->task || row->kind != was->kind || row->put != was->put ||
	    row->trust != was->trust || row->type != was->type || row->taint != was->taint ||
	    !same_digest(&row->content_hash, &was->content_hash) || !same_text(row->tainted_by, was->tainted_by) ||
	    !same_text(row->attribution, was->attribution) || row->query != was->query || row->given < was->given)
		return "is another block than before (K1)";
	if (row->told != was->told && (was->told >= 0 || c->event->kind != KH_AUDIT_OPERATION_TOLD))
		return "became known without an event that told it (B17)";
	if (!same_text(row->content, was->content) &&
	    (row->content.p != NULL || row->content.n != 0 || row->purged_at == 0 ||
	     c->event->kind != KH_AUDIT_CONTENT_PURGED))
		return "has other content than before (L5)";
	if (!same_text(row->prints, was->prints) && (was->purged_at != 0 || c->event->kind != KH_AUDIT_CONTENT_PURGED))
		return "has other fingerprints than those of the content that was removed (K7)";
	return NULL;
}

static const char *check_delivery(const struct check *c, const struct kh_query_row *q)
{
	const struct kh_block_row *block = kh_fold_row(c->fold, KH_TABLE_BLOCKS, q->delivery);

	if (c->event->kind != KH_AUDIT_QUERY_DELIVERED || q->event != c->event->entry->id)
		return "was delivered by another event than it names (L2)";
	if (block == NULL || block->query != q->id || block->kind != KH_BLOCK_DELIVERY ||
	    block->context != q->context || !block->given)
		return "was delivered without its block (B23)";
	if (block->taint != kh_taint_step_down(q->reader_taint))
		return "was delivered with a taint that is not one step below its Reader's (B23)";
	return q->charged < q->reserved ? "was charged less than was reserved for it (B7)" : NULL;
}

static const char *check_ended(const struct check *c, const struct kh_query_row *q)
{
	if (q->outcome == KH_OUTCOME_DELIVERED)
		return check_delivery(c, q);
	if (c->event->kind != KH_AUDIT_QUERY_ENDED)
		return "ended without an event of its end";
	if (q->outcome == KH_OUTCOME_NONE || q->delivery != 0 || q->event != 0)
		return "ended with a delivery that there was not";
	return q->charged != q->reserved ? "was not charged what was reserved for it (B6)" : NULL;
}

static bool is_other_query(const struct kh_query_row *a, const struct kh_query_row *b)
{
	return a->task != b->task || a->context != b->context || a->n != b->n || a->category != b->category ||
	       a->content != b->content || a->reserved != b->reserved || a->reader_taint != b->reader_taint ||
	       a->escalation != b->escalation || a->egress != b->egress || a->admitted_at != b->admitted_at ||
	       a->deadline_at != b->deadline_at || !same_text(a->reader, b->reader) || !same_text(a->need, b->need) ||
	       !same_text(a->body, b->body) || !same_text(a->blocks, b->blocks);
}

static const char *check_query(const struct check *c, const struct kh_invariant_change *change)
{
	const struct kh_query_row *row = change->row, *was = change->was;
	const struct kh_task_row *task = kh_fold_row(c->fold, KH_TABLE_TASKS, row->task);

	if (row->category < 1 || row->category > 3 || task == NULL || task->context != row->context)
		return "is not a query of its task";
	if (change->fresh && (row->state > KH_QUERY_ASKING || row->charged != 0 || row->content > row->reserved))
		return "did not begin as a query does";
	if (!change->fresh && is_other_query(row, was))
		return "is another query than before";
	if (!change->fresh && row->state < was->state)
		return "went back to an earlier state";
	if (!change->fresh && was->state == KH_QUERY_DONE &&
	    (row->outcome != was->outcome || row->charged != was->charged || row->delivery != was->delivery ||
	     row->event != was->event))
		return "had ended, and ended again";
	if ((row->state >= KH_QUERY_READY) != (row->outcome != KH_OUTCOME_NONE) || row->outcome == KH_OUTCOME_PENDING)
		return "has an outcome that does not go with its state (B16)";
	if (row->state == KH_QUERY_DONE && (change->fresh || was->state != KH_QUERY_DONE))
		return check_ended(c, row);
	return row->state != KH_QUERY_DONE && (row->charged != 0 || row->event != 0 || row->delivery != 0)
		       ? "is settled before its end"
		       : NULL;
}

static const char *check_effect(const struct check *c, const struct kh_invariant_change *change)
{
	const struct kh_effect_row *row = change->row, *was = change->was;

	(void)c;
	if (change->fresh)
		return NULL;
	if (row->query != was->query || row->task != was->task || row->round != was->round || row->try != was->try)
		return "is another ask than before";
	if (was->state >= KH_EFFECT_DONE && row->state != was->state)
		return "had ended, and ended again (E7)";
	return NULL;
}

static bool may_decide(const struct check *c, const struct kh_approval_row *row)
{
	const struct kh_token_row *token = kh_fold_row(c->fold, KH_TABLE_TOKENS, row->decided_by);

	return token != NULL && row->decided_at != 0 &&
	       (token->role == KH_ROLE_REVIEWER || token->role == KH_ROLE_ADMIN ||
		(token->role == KH_ROLE_SUPERVISOR && row->kind == KH_APPROVE_TOOL_CALL));
}

static const char *check_approval(const struct check *c, const struct kh_invariant_change *change)
{
	const struct kh_approval_row *row = change->row, *was = change->was;
	bool decided = row->state == KH_APPROVAL_APPROVED || row->state == KH_APPROVAL_REJECTED ||
		       row->state == KH_APPROVAL_EDITED;

	if (change->fresh && row->state != KH_APPROVAL_PENDING)
		return "was decided before it was asked for (A3)";
	if (change->fresh && !kh_fold_is_of(c->fold, row->subject, &row->digest))
		return "has a digest that is not its subject's (A6)";
	if (!change->fresh && row->state != was->state && !kh_grant_may_become(was->state, row->state))
		return "went from one state to another that does not follow it (A3)";
	if (!change->fresh &&
	    (row->kind != was->kind || row->context != was->context || row->task != was->task ||
	     row->query != was->query || !same_text(row->operation, was->operation) ||
	     !same_digest(&row->arguments, &was->arguments) || !same_digest(&row->definition, &was->definition) ||
	     !same_digest(&row->policy, &was->policy) || row->charged != was->charged || row->fenced != was->fenced))
		return "is another approval than before (A2)";
	if (decided && row->state != was->state && (c->event->kind != KH_AUDIT_APPROVAL_DECIDED || !may_decide(c, row)))
		return "was decided by nobody who may (A6)";
	if (row->told_at != was->told_at &&
	    c->event->kind != (row->told_at != 0 ? KH_AUDIT_APPROVAL_DECIDED : KH_AUDIT_APPROVAL_TOLD))
		return "takes effect at another time than was decided (B17)";
	if (row->used < 0 || row->used > row->uses)
		return "was used more often than it may be (A2)";
	if (row->used != was->used && (row->used != was->used + 1 || c->event->kind != KH_AUDIT_APPROVAL_USED))
		return "was used without an event of its use (A2)";
	return NULL;
}

static const char *check_reader(const struct check *c, const struct kh_invariant_change *change)
{
	const struct kh_reader_row *row = change->row;
	const struct kh_fold_sums *s = kh_fold_sums(c->fold, KH_TABLE_READERS, row->id);
	const uint64_t count[3] = {row->queries_1, row->queries_2, row->queries_3};

	if (memcmp(count, s->count, sizeof(count)) != 0)
		return "counts other queries than there are";
	return check_totals((const uint64_t[]){row->total_1, row->total_2, row->total_3}, s);
}

static bool is_other_declaration(const struct kh_declaration_row *a, const struct kh_declaration_row *b)
{
	return a->task != b->task || a->context != b->context || !same_text(a->operation, b->operation) ||
	       !same_text(a->parameters, b->parameters) || !same_text(a->justification, b->justification) ||
	       !same_digest(&a->arguments, &b->arguments) || !same_digest(&a->content, &b->content) ||
	       !same_text(a->host, b->host) || a->screened != b->screened || a->declared_at != b->declared_at;
}

/* U4: nothing was sent, because the tool was found to have changed; the call waits like those that come after it. */
static bool returns(const struct check *c, const struct kh_declaration_row *row, const struct kh_declaration_row *was)
{
	return c->event->kind == KH_AUDIT_DECLARATION_ASKED && was->state == KH_DECLARATION_RUNNING &&
	       row->state == KH_DECLARATION_ASKED && row->begun_at == 0;
}

/* E4, E7: a running operation was begun once, by its own event, and only a begun operation has a result. */
static const char *check_declaration(const struct check *c, const struct kh_invariant_change *change)
{
	const struct kh_declaration_row *row = change->row, *was = change->was;
	bool begins = row->begun_at != was->begun_at && !returns(c, row, was);

	if (change->fresh && row->state == KH_DECLARATION_DONE)
		return "ended before it was declared (E3)";
	if (!change->fresh && is_other_declaration(row, was))
		return "is another declaration than before (E3)";
	if (begins &&
	    (c->event->kind != KH_AUDIT_OPERATION_BEGUN || row->state != KH_DECLARATION_RUNNING || was->begun_at != 0))
		return "was begun without an event of its beginning, or twice (E7)";
	if (!begins && row->state == KH_DECLARATION_RUNNING && was->state != KH_DECLARATION_RUNNING)
		return "runs and was not begun (E7)";
	if (was->state == KH_DECLARATION_DONE && (row->state != was->state || row->ended != was->ended))
		return "had ended, and has another state (E7)";
	if (row->working > was->working && !begins)
		return "has a worker that was not begun (E7)";
	if (row->taken_at != was->taken_at && (was->taken_at != 0 || row->state != KH_DECLARATION_RUNNING))
		return "was allowed more than once, or without having begun (K11)";
	if (row->block != was->block && c->event->kind != KH_AUDIT_OPERATION_ENDED &&
	    (row->block != 0 || c->event->kind != KH_AUDIT_OPERATION_TOLD)) /* cut off before it was told */
		return "has a result that no event of its end brought (E10)";
	if (row->fault != was->fault && c->event->kind != KH_AUDIT_OPERATION_ENDED &&
	    (row->fault != 0 || c->event->kind != KH_AUDIT_OPERATION_TOLD))
		return "has a failure's words that no event of its end brought (E10)";
	if (row->fault != 0 && row->ended != KH_ENDED_FAILED)
		return "has a failure's words, and did not fail (U6)";
	if (row->state == KH_DECLARATION_DONE && row->charged != row->reserved)
		return "was not charged what was reserved for it (B6)";
	return NULL;
}

static const char *check(const struct check *c, const struct kh_invariant_change *change)
{
	static const char *(*const rules[KH_TABLE_COUNT])(const struct check *, const struct kh_invariant_change *) = {
		[KH_TABLE_SYSTEM] = check_system,    [KH_TABLE_TOKENS] = check_token,
		[KH_TABLE_CONTEXTS] = check_context, [KH_TABLE_TASKS] = check_task,
		[KH_TABLE_BLOCKS] = check_block,     [KH_TABLE_QUERIES] = check_query,
		[KH_TABLE_EFFECTS] = check_effect,   [KH_TABLE_APPROVALS] = check_approval,
		[KH_TABLE_READERS] = check_reader,   [KH_TABLE_DECLARATIONS] = check_declaration,
	};

	if (rules[change->table] != NULL)
		return rules[change->table](c, change);
	return kh_rule_broken(change->table, c->event->kind, change->row, change->fresh ? NULL : change->was);
}

/* Whether exactly one query says that this event delivered it. */
static bool is_delivered(const struct kh_invariant_event *event)
{
	size_t count = 0;

	for (size_t i = 0; i < event->count; i++) {
		const struct kh_query_row *q = event->changes[i].row;
		count += event->changes[i].table == KH_TABLE_QUERIES && q->outcome == KH_OUTCOME_DELIVERED &&
			 q->event == event->entry->id;
	}
	return count == 1;
}

const char *kh_invariant_broken(struct kh_fold *fold, const struct kh_invariant_event *event,
				const struct kh_invariant_change **ret_change)
{
	struct check c = {.fold = fold, .event = event};

	sum(&c);
	for (size_t i = 0; i < event->count; i++) {
		const char *broken = check(&c, &event->changes[i]);
		if (broken != NULL) {
			*ret_change = &event->changes[i];
			return broken;
		}
	}
	if (event->kind == KH_AUDIT_QUERY_DELIVERED && !is_delivered(event)) {
		static const struct kh_query_row nothing;
		static const struct kh_invariant_change none = {.table = KH_TABLE_QUERIES, .row = &nothing};
		*ret_change = event->count > 0 ? event->changes : &none;
		return "has no query that was delivered";
	}
	return NULL;
}
