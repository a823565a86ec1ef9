/* Everybody's calls, as they are drawn. */
#include "operate.h"

#include <inttypes.h>
#include <stdio.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* --- policies ----------------------------------------------------------------------------------------------------- */

#define WIDE "  rates:\n    category_1: 1000/minute\n    category_2: 1000/minute\n    category_3: 1000/minute\n"
#define BIT  UINT64_C(1000000)

const struct operate_policy operate_policies[OPERATE_POLICIES] = {
	{WIDE "  release: slots\n"
	      "  budgets: {task_bits: 1600, context_bits: 2800, token_bits: 3000, context_escalations: 5}\n",
	 {1600 * BIT, 2800 * BIT, 2, 5, 2, 3, 600 * SECOND, true, false, {0, 1000, 1000, 1000}, 3000 * BIT, 0}},
	{WIDE "  release: immediate\n"
	      "  budgets: {task_bits: 500, context_bits: 900, escalations: 1, context_escalations: 2, retries: 1}\n",
	 {500 * BIT, 900 * BIT, 1, 2, 1, 3, 600 * SECOND, false, false, {0, 1000, 1000, 1000}, 0, 0}},
	{WIDE
	 "  release: slots\n"
	 "  budgets: {task_bits: 100000, context_bits: 100000, escalations: 9, context_escalations: 1000, retries: 0}\n"
	 "  approvals: {expiry_seconds: 30, max_pending: 2}\n",
	 {100000 * BIT, 100000 * BIT, 9, 1000, 0, 2, 30 * SECOND, true, false, {0, 1000, 1000, 1000}, 0, 0}},
	{"  rates:\n    category_1: 3/minute\n    category_2: 2/minute\n    category_3: 2/minute\n"
	 "  release: immediate\n  user_messages: untrusted\n"
	 "  budgets: {task_bits: 4000, context_bits: 6000, escalations: 3, context_escalations: 4, retries: 2}\n",
	 {4000 * BIT, 6000 * BIT, 3, 4, 2, 3, 600 * SECOND, false, true, {0, 3, 2, 2}, 0, 0}},
	{WIDE "  release: immediate\n"
	      "  budgets: {task_bits: 60, context_bits: 5000, escalations: 0, context_escalations: 8, retries: 3}\n",
	 {60 * BIT, 5000 * BIT, 0, 8, 3, 3, 600 * SECOND, false, false, {0, 1000, 1000, 1000}, 0, 0}},
};

bool operate_differs(struct run *r, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(r->why, sizeof(r->why), fmt, args);
	va_end(args);
	return false;
}

__attribute__((format(printf, 2, 3))) static void say(const struct run *r, const char *fmt, ...)
{
	va_list args;

	if (!r->tell)
		return;
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
}

static const char *word(const char *code)
{
	return code != NULL ? code : "fine";
}

void operate_count(struct run *r, const char *code, uint64_t n)
{
	for (size_t i = 0; i < COUNT(r->refused); i++) {
		if (r->refused[i].code != NULL && strcmp(r->refused[i].code, code) != 0)
			continue;
		r->refused[i].code = code;
		r->refused[i].n += n;
		return;
	}
}

/* The caller was told CODE; the model says TOLD. */
static bool told_alike(struct run *r, const char *what, const char *code, const struct m_told *told)
{
	say(r, ": %s\n", word(code));
	if (code != NULL)
		operate_count(r, code, 1);
	if ((code == NULL) == (told->code == NULL) && (code == NULL || strcmp(code, told->code) == 0))
		return true;
	return operate_differs(r, "%s: the caller was told %s (%s), the model says %s", what, word(code),
			       r->w.err.detail, word(told->code));
}

static const char *token_of(const struct run *r, int token)
{
	static const char nobody[] =
		"kh-k00000000000000ff-0000000000000000000000000000000000000000000000000000000000000000";

	return token == MODEL_NONE || r->m.tokens[token].program ? nobody : r->tokens[token].token.at;
}

/* The public id of a thing of the model; of MODEL_NONE one that nobody has. */
static struct text id_of(struct run *r, enum kh_publicid kind, const int64_t *places, int at)
{
	return world_id(&r->w, kind, at == MODEL_NONE ? INT64_C(1) << 40 : places[at]);
}

/* --- drawing ------------------------------------------------------------------------------------------------------ */

static int one_of(uint32_t draw, int count)
{
	return count > 0 ? (int)(draw % (uint32_t)count) : MODEL_NONE;
}

/* Nearly always somebody of this role, else anybody, or nobody. */
static int caller_of(const struct run *r, uint32_t draw, enum m_role role)
{
	int fit[MODEL_TOKENS], n = 0;

	if (draw % 100 < 2)
		return MODEL_NONE;
	if (draw % 100 < 7)
		return one_of(draw / 100, r->m.token_count);
	for (int i = 0; i < r->m.token_count; i++)
		if (r->m.tokens[i].role == role)
			fit[n++] = i;
	return n > 0 ? fit[(draw / 100) % (uint32_t)n] : MODEL_NONE;
}

/* Mostly one of those that FITS, else any, or none. */
#define DRAW_ONE(draw, count, fits, ret)                             \
	do {                                                         \
		int fit_[MODEL_MAX], n_ = 0;                         \
		for (int i = 0; i < (count); i++)                    \
			if (fits)                                    \
				fit_[n_++] = i;                      \
		if ((draw) % 100 < 3)                                \
			(ret) = MODEL_NONE;                          \
		else if ((draw) % 100 < 12 || n_ == 0)               \
			(ret) = one_of((draw) / 100, (count));       \
		else                                                 \
			(ret) = fit_[((draw) / 100) % (uint32_t)n_]; \
	} while (0)

/* Mostly whoever the thing belongs to, else as CALLER_OF draws. */
static int rightful(const struct run *r, uint32_t draw, int owner, enum m_role role)
{
	return owner == MODEL_NONE || draw % 16 == 0 ? caller_of(r, draw / 16, role) : owner;
}

static int owner_of(const struct run *r, int task)
{
	for (int i = 0; task != MODEL_NONE && i < r->m.token_count; i++)
		if (r->m.tokens[i].context == r->m.tasks[task].context)
			return i;
	return MODEL_NONE;
}

static int draw_task(const struct run *r, uint32_t draw, bool with_blocks)
{
	const struct model *m = &r->m;
	int task;

	DRAW_ONE(draw, m->task_count, m->tasks[i].state == M_OPEN && (!with_blocks || m->tasks[i].blocks > 0), task);
	return task;
}

/* An answer to QUESTION, or now and then one of quite another shape. */
static int draw_answer(uint32_t draw, int question, int round, bool good)
{
	int answer = (int)(draw % script_answer_count);
	int category = script_questions[question].is.category;

	for (size_t i = 0; i < script_answer_count; i++, answer = (answer + 1) % (int)script_answer_count) {
		const struct script_answer *a = &script_answers[answer];

		if (a->is.question == question &&
		    (!good || ((round == 0 ? a->is.first : a->is.again) != M_REJECT && !a->loud)))
			return answer;
		if (!good && draw % 11 == 0 && script_questions[a->is.question].is.category != category)
			return answer;
	}
	return 0;
}

/* --- the operations ----------------------------------------------------------------------------------------------- */

/* Whether it matters in what order things that are due are seen to: an agent is late, or two deliveries are to be paid
 * for, and the budget may hold one. */
static bool order_matters(const struct model *m)
{
	int deliveries = 0;

	for (int i = 0; i < m->ask_count; i++)
		if (m->asks[i].state == M_BEGUN && m->asks[i].begun + 60 * SECOND <= m->now)
			return true;
	for (int i = 0; i < m->query_count; i++)
		deliveries += m->queries[i].state == M_READY && m->queries[i].release <= m->now;
	return deliveries > 1;
}

static bool do_clock(struct run *r, const uint32_t *draw)
{
	static const int64_t steps[] = {300,    7 * MS,     7 * MS,      60 * MS,      200 * MS,    SECOND,
					SECOND, 9 * SECOND, 40 * SECOND, 100 * SECOND, 601 * SECOND};

	r->w.now += steps[draw[0] % COUNT(steps)] + draw[1] % 50;
	r->m.now = r->w.now;
	say(r, "clock: %" PRId64 " us\n", r->w.now - WORLD_START);
	/* What is due has not been seen to when the next call comes; but what comes first of two things is another
	 * question. */
	r->unseen = draw[2] % 4 == 0 && !order_matters(&r->m);
	if (r->unseen)
		return true;
	world_due(&r->w);
	model_due(&r->m, true);
	return true;
}

static bool do_open(struct run *r, const uint32_t *draw)
{
	int caller = caller_of(r, draw[0], M_CONTROLLER);
	uint64_t bits = draw[1] % 4 == 0 ? 40 + draw[2] % 800 : 0;
	struct text id;
	struct m_told told = model_open(&r->m, caller, bits * BIT);

	say(r, "open by %d", caller);
	if (!told_alike(r, "open", world_open(&r->w, token_of(r, caller), bits, &id), &told))
		return false;
	if (told.code == NULL)
		r->c.places.tasks[told.made] = world_row(&r->w, KH_ID_TASK, id.at);
	return true;
}

static bool do_close(struct run *r, const uint32_t *draw)
{
	int task = draw_task(r, draw[2], false);
	int caller = draw[1] % 5 == 0 ? caller_of(r, draw[0], M_HOST)
				      : rightful(r, draw[0], owner_of(r, task), M_CONTROLLER);
	struct text id = id_of(r, KH_ID_TASK, r->c.places.tasks, task);
	struct m_told told = model_close(&r->m, caller, task);

	say(r, "close task %d by %d", task, caller);
	return told_alike(r, "close", world_close_task(&r->w, token_of(r, caller), id.at), &told);
}

static bool do_put(struct run *r, const uint32_t *draw)
{
	int task = draw_task(r, draw[2], false), caller = rightful(r, draw[0], owner_of(r, task), M_CONTROLLER);
	struct text id = id_of(r, KH_ID_TASK, r->c.places.tasks, task), block;
	static const char *const contents[] = {"March 15. " SCRIPT_CANARY, "March 16. " SCRIPT_CANARY, SCRIPT_CANARY};
	struct m_told told = model_put(&r->m, caller, task, (int)(draw[3] % 3));

	say(r, "put content %u into task %d by %d", draw[3] % 3, task, caller);
	if (!told_alike(r, "put", world_put(&r->w, token_of(r, caller), id.at, contents[draw[3] % 3], &block), &told))
		return false;
	if (told.code == NULL)
		r->c.places.blocks[told.made] = world_row(&r->w, KH_ID_BLOCK, block.at);
	return true;
}

static void draw_blocks(const struct run *r, const uint32_t *draw, struct m_query_call *call)
{
	const struct model *m = &r->m;

	if (call->task != MODEL_NONE && m->tasks[call->task].blocks == 1 && draw[0] % 2 == 0)
		return;
	call->block_count = draw[0] % 20 == 1 ? 0 : 1 + (int)(draw[0] % 7 == 0);
	for (int k = 0; k < call->block_count; k++) {
		DRAW_ONE(draw[1 + k], m->block_count, m->blocks[i].task == call->task, call->blocks[k]);
		if (call->blocks[k] != MODEL_NONE && r->c.places.blocks[call->blocks[k]] == 0)
			call->blocks[k] = MODEL_NONE; /* nobody has been told its id */
	}
	if (call->block_count == 2 && call->blocks[0] == call->blocks[1])
		call->block_count = 1; /* named twice: another test's */
}

static void write_query(struct run *r, const struct m_query_call *call, char *json, size_t size)
{
	struct text task = id_of(r, KH_ID_TASK, r->c.places.tasks, call->task);
	int n = snprintf(json, size, "{\"target\":\"%s\",\"task\":\"%s\",",
			 call->reader == MODEL_NONE ? "nobody" : r->names[call->reader].at, task.at);

	if (call->need != MODEL_NONE)
		n += snprintf(json + n, size - (size_t)n, "\"need\":\"need%d\",", call->need);
	for (int k = 0; k < call->block_count; k++) {
		struct text id = id_of(r, KH_ID_BLOCK, r->c.places.blocks, call->blocks[k]);

		n += snprintf(json + n, size - (size_t)n, "%s\"%s\"%s", k == 0 ? "\"blocks\":[" : ",", id.at,
			      k + 1 == call->block_count ? "]," : "");
	}
	snprintf(json + n, size - (size_t)n, "%s}", script_questions[call->question].json);
}

static bool do_admit(struct run *r, const uint32_t *draw)
{
	int task = draw_task(r, draw[1], true), caller = rightful(r, draw[0], owner_of(r, task), M_CONTROLLER);
	struct m_query_call call = {
		.task = task, .question = (int)(draw[2] % (ASK_GOOD + 3)), .need = (int)(draw[3] % 3) - 1};
	struct world_query query;
	struct m_told told;
	char json[2048];
	const char *code;

	if (call.question >= ASK_GOOD)
		call.question = call.question == ASK_GOOD ? ASK_NAME : ASK_SUMMARY; /* more often than the others */
	if (draw[2] / 16 % 12 == 0)
		call.question = (int)(draw[2] / 200 % script_question_count);
	DRAW_ONE(draw[4], r->m.token_count, r->m.tokens[i].role == M_READER, call.reader);
	draw_blocks(r, draw + 5, &call);
	write_query(r, &call, json, sizeof(json));
	told = model_admit(&r->m, caller, &call);
	say(r, "query %d to %d in task %d, need %d, %d blocks (%d), by %d", call.question, call.reader, call.task,
	    call.need, call.block_count, call.blocks[0], caller);
	code = world_admit(&r->w, token_of(r, caller), json, &query);
	if (!told_alike(r, "query", code, &told))
		return false;
	if (code != NULL)
		return true;
	if (query.refused != (enum kh_outcome)told.outcome || (query.row != 0) != (told.made != MODEL_NONE))
		return operate_differs(r, "query: outcome %d, the model says %d", (int)query.refused,
				       (int)told.outcome);
	if (told.made == MODEL_NONE)
		return true;
	r->c.places.queries[told.made] = query.row;
	if ((query.approval.at[0] != '\0') != (told.approval != MODEL_NONE))
		return operate_differs(r, "query: approval \"%s\", the model says %d", query.approval.at,
				       told.approval);
	if (told.approval != MODEL_NONE)
		r->c.places.approvals[told.approval] = world_row(&r->w, KH_ID_APPROVAL, query.approval.at);
	return true;
}

static bool do_next(struct run *r, const uint32_t *draw)
{
	const struct model *m = &r->m;
	int waiting, caller;
	struct m_told told;
	struct world_ask ask;

	DRAW_ONE(draw[1], m->ask_count, m->asks[i].state == M_WAITING && !m->tokens[m->asks[i].reader].program,
		 waiting);
	caller = rightful(r, draw[0], waiting == MODEL_NONE ? MODEL_NONE : m->asks[waiting].reader, M_READER);
	told = model_next(&r->m, caller);

	say(r, "next by %d", caller);
	if (!told_alike(r, "next", world_next(&r->w, token_of(r, caller), &ask), &told))
		return false;
	if (told.code != NULL)
		return true;
	if (ask.found != (told.made != MODEL_NONE))
		return operate_differs(r, "next: found %d, the model says ask %d", ask.found, told.made);
	if (ask.found && ask.row != r->c.places.asks[told.made])
		return operate_differs(r, "next: row %" PRId64 ", the model says ask %d", ask.row, told.made);
	return true;
}

/* The answer alone, or in a message. */
static const char *wrap(const struct run *r, const char *text, const char *ask, bool message, char *space, size_t size)
{
	(void)r;
	if (!message || text[0] != '{')
		return text;
	snprintf(space, size, "{\"type\":\"bcp_response\",\"query_id\":\"%s\",\"response\":%s}", ask, text);
	return space;
}

static bool do_respond(struct run *r, const uint32_t *draw)
{
	const struct model *m = &r->m;
	int caller, ask, answer;
	struct text id;
	struct m_told told;
	char space[512];
	const char *code, *got = NULL;

	DRAW_ONE(draw[1], m->ask_count, m->asks[i].state == M_BEGUN, ask);
	caller = rightful(r, draw[0], ask == MODEL_NONE ? MODEL_NONE : m->asks[ask].reader, M_READER);
	answer = ask == MODEL_NONE ? 0
				   : draw_answer(draw[2], m->queries[m->asks[ask].query].question, m->asks[ask].round,
						 draw[3] % 4 != 0);
	id = id_of(r, KH_ID_ASK, r->c.places.asks, ask);
	told = model_respond(&r->m, caller, ask, answer);
	say(r, "respond to ask %d with %s by %d", ask, script_answers[answer].text, caller);
	code = world_respond(
		&r->w, token_of(r, caller), id.at,
		kh_view_str(wrap(r, script_answers[answer].text, id.at, draw[5] % 2 == 0, space, sizeof(space))), &got);
	if (!told_alike(r, "respond", code, &told))
		return false;
	if (code == NULL && strcmp(got, told.word) != 0)
		return operate_differs(r, "respond: the Reader was told %s, the model says %s", got, told.word);
	return true;
}

static bool do_begin(struct run *r, const uint32_t *draw)
{
	const struct model *m = &r->m;
	struct m_told told;
	bool found = false;
	int ask;

	DRAW_ONE(draw[1], m->ask_count, m->asks[i].state == M_WAITING && m->tokens[m->asks[i].reader].program, ask);
	if (ask == MODEL_NONE || !m->tokens[m->asks[ask].reader].program)
		return true;
	told = model_begin(&r->m, ask);
	say(r, "begin ask %d", ask);
	if (!told_alike(r, "begin", world_begin(&r->w, r->c.places.asks[ask], &found), &told))
		return false;
	return found == (told.made != MODEL_NONE) ||
	       operate_differs(r, "begin: found %d, the model says %d", found, told.made);
}

static bool do_tell(struct run *r, const uint32_t *draw)
{
	static const enum kh_reader_fault faults[] = {KH_READER_LATE, KH_READER_DEAD, KH_READER_GARBAGE};
	const struct model *m = &r->m;
	enum kh_reader_fault fault = draw[4] % 5 == 0 ? faults[draw[5] % COUNT(faults)] : KH_READER_OK;
	struct m_told told;
	const char *code, *got = "";
	int ask, answer;

	DRAW_ONE(draw[1], m->ask_count, m->asks[i].state == M_BEGUN && m->tokens[m->asks[i].reader].program, ask);
	if (ask == MODEL_NONE || !m->tokens[m->asks[ask].reader].program || m->asks[ask].state == M_WAITING)
		return true;
	answer = draw_answer(draw[2], m->queries[m->asks[ask].query].question, m->asks[ask].round, draw[3] % 4 != 0);
	told = model_tell(&r->m, ask, fault != KH_READER_OK ? MODEL_NONE : answer);
	say(r, "the program answers ask %d with %s", ask,
	    fault != KH_READER_OK ? "a fault" : script_answers[answer].text);
	code = world_tell(&r->w, r->c.places.asks[ask],
			  kh_view_str(fault != KH_READER_OK ? "" : script_answers[answer].text), fault, &got);
	if (!told_alike(r, "tell", code, &told))
		return false;
	return strcmp(got, told.word) == 0 || operate_differs(r, "tell: %s, the model says %s", got, told.word);
}

/* B18, B24: the delivery is the message of the protocol, the normalised answer in it, and the taint of B23. */
static bool right_delivery(struct run *r, int query, const struct world_look *look)
{
	static const char *const taints[] = {"low", "medium", "high"};
	const struct m_query *q = &r->m.queries[query];
	char want[512];

	snprintf(want, sizeof(want),
		 "{\"type\":\"bcp_response_delivery\",\"query_id\":\"%s\",\"category\":%d,\"from_agent\":\"%s\","
		 "\"response\":%s,\"trust\":\"untrusted\",\"taint\":\"%s\",\"attribution\":[{\"block\":\"b",
		 id_of(r, KH_ID_QUERY, r->c.places.queries, query).at, r->m.questions[q->question].category,
		 r->names[q->reader].at, script_answers[q->answer].delivered, taints[r->m.blocks[q->block].taint]);
	if (!kh_view_starts(look->delivery, kh_view_str(want)))
		return operate_differs(r, "look: delivered %.*s, the model says %s", KH_FMT(look->delivery), want);
	if (world_row(&r->w, KH_ID_BLOCK, look->block.at) != r->c.places.blocks[q->block] &&
	    r->c.places.blocks[q->block] != 0)
		return operate_differs(r, "look: another block was delivered");
	return true;
}

static bool do_look(struct run *r, const uint32_t *draw)
{
	const struct model *m = &r->m;
	int caller, query;
	struct world_look look;
	struct m_told told;
	struct text id;

	DRAW_ONE(draw[1], m->query_count, m->queries[i].state != M_DONE || i % 2 == 0, query);
	caller = rightful(r, draw[0], owner_of(r, query == MODEL_NONE ? MODEL_NONE : m->queries[query].task),
			  M_CONTROLLER);
	id = id_of(r, KH_ID_QUERY, r->c.places.queries, query);
	told = model_look(&r->m, caller, query);
	say(r, "look at query %d by %d", query, caller);
	const char *code = world_look(&r->w, token_of(r, caller), id.at, &look);
	if (!told_alike(r, "look", code, &told))
		return false;
	if (code != NULL || (told.early && look.outcome == KH_OUTCOME_NONE && look.approval.at[0] == '\0'))
		return true;
	r->outcomes[look.outcome]++;
	if (look.outcome != (enum kh_outcome)told.outcome)
		return operate_differs(r, "look: query %d: outcome %d, the model says %d", query, (int)look.outcome,
				       (int)told.outcome);
	if (told.approval != MODEL_NONE &&
	    world_row(&r->w, KH_ID_APPROVAL, look.approval.at) != r->c.places.approvals[told.approval])
		return operate_differs(r, "look: query %d: another approval is waited for", query);
	if ((told.outcome == M_DELIVERED) != (look.delivery.n > 0) ||
	    (told.outcome != M_PENDING && look.approval.at[0]))
		return operate_differs(r, "look: query %d: more or less than its outcome", query);
	return told.outcome != M_DELIVERED || right_delivery(r, query, &look);
}

static bool show(struct run *r, int caller, int approval)
{
	struct text id = id_of(r, KH_ID_APPROVAL, r->c.places.approvals, approval), digest;
	struct m_told told = model_show(&r->m, caller, approval);
	int64_t pages;

	say(r, "show approval %d to %d", approval, caller);
	if (!told_alike(r, "show", world_show(&r->w, token_of(r, caller), id.at, 1, &digest, &pages), &told))
		return false;
	if (told.code == NULL)
		r->digests[approval] = digest;
	return true;
}

static bool do_show(struct run *r, const uint32_t *draw)
{
	int caller = caller_of(r, draw[0], M_REVIEWER), approval;

	DRAW_ONE(draw[1], r->m.approval_count, r->m.approvals[i].state == M_ASKED, approval);
	return show(r, caller, approval);
}

static bool do_decide(struct run *r, const uint32_t *draw)
{
	static const char wrong[] = "00000000000000000000000000000000000000000000000000000000000000ff";
	const struct model *m = &r->m;
	int caller = caller_of(r, draw[0], M_REVIEWER), approval, answer = 0;
	enum m_choice choice = draw[2] % 8 < 5 ? M_APPROVE : draw[2] % 8 < 6 ? M_REFUSE : M_EDIT;
	bool named = draw[3] % 16 != 0;
	struct text id;
	struct m_told told;

	DRAW_ONE(draw[1], m->approval_count, m->approvals[i].state == M_ASKED, approval);
	if (draw[4] % 8 != 0 && !show(r, caller, approval))
		return false;
	if (approval != MODEL_NONE) {
		const struct m_query *q = &m->queries[m->approvals[approval].query];

		if (choice == M_APPROVE && q->answer != MODEL_NONE && script_answers[q->answer].loud)
			choice = M_REFUSE;
		answer = draw_answer(draw[5], q->question, 0, draw[6] % 4 != 0);
		/* Whatever a human writes can be a summary. */
		if (script_answers[answer].loud ||
		    (q->question == ASK_SUMMARY && script_answers[answer].is.question != ASK_SUMMARY))
			answer = draw_answer(draw[5], q->question, 0, true);
		named = named && r->digests[approval].at[0] != '\0';
	}
	id = id_of(r, KH_ID_APPROVAL, r->c.places.approvals, approval);
	told = model_decide(&r->m, caller, approval, choice, named, answer);
	say(r, "decide approval %d by %d: choice %d, %s", approval, caller, (int)choice, named ? "named" : "not named");
	return told_alike(r, "decide",
			  world_decide(&r->w, token_of(r, caller), id.at, (enum kh_choice)choice,
				       named && approval != MODEL_NONE ? r->digests[approval].at : wrong,
				       choice == M_EDIT ? script_answers[answer].text : ""),
			  &told);
}

static bool do_reset(struct run *r, const uint32_t *draw)
{
	int caller = caller_of(r, draw[0], M_REVIEWER), context;
	struct text id;
	struct m_told told;

	DRAW_ONE(draw[1], r->m.context_count, true, context);
	id = id_of(r, KH_ID_CONTEXT, r->c.places.contexts, context);
	told = model_reset(&r->m, caller, context);
	say(r, "reset context %d by %d", context, caller);
	if (!told_alike(r, "reset", world_reset(&r->w, token_of(r, caller), id.at), &told))
		return false;
	r->m.now = ++r->w.now; /* what is asked in the same microsecond counts as before */
	return true;
}

bool operate_token(struct run *r, int caller, enum m_role role, int64_t expires, uint64_t bits)
{
	int at = r->m.token_count;
	struct m_told told = model_token(&r->m, caller, role, expires, bits * BIT);

	snprintf(r->names[at].at, sizeof(r->names[at].at), "n%" PRIu64 "_%d", r->sequences, at);
	say(r, "token %d of role %d by %d", at, (int)role, caller);
	if (!told_alike(r, "token",
			world_token(&r->w, token_of(r, caller), r->names[at].at, (enum kh_role)role, expires, bits,
				    &r->tokens[at]),
			&told))
		return false;
	if (told.code == NULL && role == M_CONTROLLER)
		r->c.places.contexts[r->m.tokens[at].context] = r->tokens[at].context_row;
	return true;
}

static bool do_token(struct run *r, const uint32_t *draw)
{
	enum m_role role = (enum m_role)(draw[1] % (M_ADMIN + 1));
	int caller = caller_of(r, draw[0], role == M_CONTROLLER ? M_HOST : M_ADMIN);

	return operate_token(r, caller, role, draw[2] % 2 == 0 ? r->w.now + 20 * SECOND : 0,
			     role == M_CONTROLLER && draw[3] % 2 == 0 ? 100 : 0);
}

static bool do_revoke(struct run *r, const uint32_t *draw)
{
	int caller = caller_of(r, draw[0], draw[1] % 2 == 0 ? M_HOST : M_ADMIN), token;
	struct m_told told;
	struct text id;

	DRAW_ONE(draw[2], r->m.token_count, i > 1, token);
	if (token == 0)
		token = 1; /* the first admin serves all sequences */
	if (token != MODEL_NONE && r->m.tokens[token].program)
		token = MODEL_NONE;
	id = token == MODEL_NONE ? world_id(&r->w, KH_ID_TOKEN, INT64_C(1) << 40) : r->tokens[token].id;
	told = model_revoke(&r->m, caller, token);
	say(r, "revoke token %d by %d", token, caller);
	return told_alike(r, "revoke", world_revoke(&r->w, token_of(r, caller), id.at), &told);
}

static bool do_message(struct run *r, const uint32_t *draw)
{
	int caller = caller_of(r, draw[0], M_HOST), context;
	struct text id, block;
	struct m_told told;

	DRAW_ONE(draw[1], r->m.context_count, true, context);
	id = id_of(r, KH_ID_CONTEXT, r->c.places.contexts, context);
	told = model_message(&r->m, caller, context);
	say(r, "message to context %d by %d", context, caller);
	if (!told_alike(r, "message", world_message(&r->w, token_of(r, caller), id.at, "Find out who wrote.", &block),
			&told))
		return false;
	if (told.code == NULL)
		r->c.places.blocks[told.made] = world_row(&r->w, KH_ID_BLOCK, block.at);
	return true;
}

/* What is to be seen of a task; the canaries are looked for in all of it. */
static bool do_status(struct run *r, const uint32_t *draw)
{
	static const char *const states[] = {"open", "closed", "failed"};
	int task = draw_task(r, draw[1], false), caller = rightful(r, draw[0], owner_of(r, task), M_CONTROLLER);
	struct text id = id_of(r, KH_ID_TASK, r->c.places.tasks, task);
	struct m_told told = model_see(&r->m, caller, task);
	const struct m_task *m;
	struct kh_view json;
	yyjson_val *root, *exact;

	say(r, "status of task %d by %d", task, caller);
	if (!told_alike(r, "status", world_task_json(&r->w, token_of(r, caller), id.at, &json), &told))
		return false;
	if (told.code != NULL)
		return true;
	if (kh_json_read(&r->w.call, json, &root, NULL) != KH_OK)
		return operate_differs(r, "status: not JSON");
	m = &r->m.tasks[task];
	struct m_money now = rule_shown(&r->m, task);
	exact = kh_json_get(kh_json_get(root, "budget"), "microbits");
	if (!kh_view_eq(kh_json_str(kh_json_get(root, "state")), kh_view_str(states[m->state])) ||
	    yyjson_get_uint(kh_json_get(exact, "budget")) != now.budget ||
	    yyjson_get_uint(kh_json_get(exact, "remaining")) != now.remaining ||
	    yyjson_get_int(kh_json_get(root, "queries")) != m->queries)
		return operate_differs(r, "status: task %d is shown as %.*s", task, KH_FMT(json));
	(void)world_tasks_json(&r->w, token_of(r, caller), &json);
	return true;
}

static bool do_restart(struct run *r, const uint32_t *draw)
{
	if (draw[0] % 3 == 0) {
		r->policy = (int)(draw[1] % OPERATE_POLICIES);
		r->m.policy = operate_policies[r->policy].is;
		r->m.policy_number = r->policy;
	}
	say(r, "restart with policy %d\n", r->policy);
	world_restart(&r->w, operate_policies[r->policy].yaml);
	world_recover(&r->w);
	model_recover(&r->m);
	return true;
}

static bool (*const operations[KINDS])(struct run *r, const uint32_t *draw) = {
	[CLOCK] = do_clock,   [OPEN] = do_open,       [CLOSE] = do_close,     [PUT] = do_put,
	[ADMIT] = do_admit,   [NEXT] = do_next,       [RESPOND] = do_respond, [BEGIN] = do_begin,
	[TELL] = do_tell,     [LOOK] = do_look,       [SHOW] = do_show,       [DECIDE] = do_decide,
	[RESET] = do_reset,   [TOKEN] = do_token,     [REVOKE] = do_revoke,   [MESSAGE] = do_message,
	[STATUS] = do_status, [RESTART] = do_restart,
};
bool operate_run(struct run *r, enum kind kind, const uint32_t *draw)
{
	return operations[kind](r, draw);
}
