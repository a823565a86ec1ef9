/*
 * A server that runs.
 *
 * The lock `looking` guards what was found.  It is held while the server is asked what it offers, so that no call passes a
 * look that is under way.  Of a list only names and digests are kept.
 */
#include "upstream/running.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "upstream/inputs.h"
#include "upstream/launch.h"
#include "upstream/program.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define MEMORY   (4U << 20)  /* bytes of a request */
#define SCRATCH  (64U << 20) /* bytes while a list is read */
#define SPARE_MS 60000       /* the executor ends it so much later than its user would */
#define REST_MS  5000        /* the longest pause that a call waits for */
#define TRIES    4           /* sessions, or looks, that one call may begin */

struct kh_running {
	struct kh_running_settings settings;
	struct kh_arena arena; /* of the request */
	struct kh_run run;
	struct kh_talk *talk;
	atomic_bool is_stopped;

	pthread_mutex_t looking;
	uint64_t life;    /* that was looked at; 0: none */
	uint64_t changes; /* that the server had told by then */
	int64_t looked_ms;
	struct kh_digest program;
	struct kh_arena kept;     /* for: */
	struct kh_inventory list; /* names and digests alone */
};

/* --- beginning and end -------------------------------------------------------------------------------------------- */

static enum kh_err connect_to(struct kh_running *r, struct kh_error *err)
{
	const struct kh_running_settings *s = &r->settings;
	struct kh_launch launch = {.arena = &r->arena, .folder = s->folder, .file = KH_LIT("keyhole.yaml")};
	struct kh_talk_settings talk = {.alloc = s->alloc,
					.client = s->client,
					.servers = s->servers,
					.elicits = s->elicits,
					.starts = (unsigned)s->up->starts,
					.watch = &r->settings.watch};
	struct kh_upstream upstream;
	enum kh_err e;

	if (s->up->command.n > 0) {
		/* A call that takes long is no idleness: whoever runs the server knows better when nobody calls. */
		uint64_t longest = s->up->timeout_seconds * 1000;
		e = kh_launch_run(&launch, s->up, &r->run, err);
		r->run.rates.idle_ms = SPARE_MS + (r->run.rates.idle_ms > longest ? r->run.rates.idle_ms : longest);
		talk.run = &r->run;
	} else {
		e = kh_launch_http(&launch, s->up, &upstream, err);
		talk.upstream = &upstream;
	}
	return e == KH_OK ? kh_talk_new(&talk, &r->talk, err) : e;
}

enum kh_err kh_running_new(const struct kh_running_settings *settings, struct kh_running **ret_running,
			   struct kh_error *err)
{
	struct kh_running *r = kh_alloc_zero(settings->alloc, sizeof(*r));

	if (r == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	r->settings = *settings;
	kh_arena_init(&r->arena, settings->alloc, MEMORY);
	kh_arena_init(&r->kept, settings->alloc, MEMORY);
	(void)pthread_mutex_init(&r->looking, NULL);
	enum kh_err e = connect_to(r, err);
	if (e == KH_OK)
		*ret_running = r;
	else
		kh_running_free(r);
	return e;
}

void kh_running_free(struct kh_running *running)
{
	if (running == NULL)
		return;
	kh_talk_free(running->talk);
	kh_arena_done(&running->kept);
	kh_arena_done(&running->arena);
	(void)pthread_mutex_destroy(&running->looking);
	kh_alloc_free(running->settings.alloc, running, sizeof(*running));
}

struct kh_server_state kh_running_state(struct kh_running *running)
{
	return kh_talk_state(running->talk);
}

void kh_running_stop(struct kh_running *running)
{
	running->is_stopped = true;
	kh_talk_stop(running->talk);
}

void kh_running_allow(struct kh_running *running, uint64_t bytes)
{
	running->run.bytes_out = bytes;
}

bool kh_running_recall(struct kh_running *running)
{
	return kh_talk_recall(running->talk);
}

/* --- looking at what it offers ------------------------------------------------------------------------------------ */

static void refuse(struct kh_running_call *call, const char *code, struct kh_view why)
{
	call->response = (struct kh_upstream_response){.end = KH_RESPONSE_REFUSED, .code = code, .why = why};
}

static enum kh_err keep_list(struct kh_running *r, const struct kh_inventory *list)
{
	kh_arena_clear(&r->kept);
	r->list = (struct kh_inventory){.tools = KH_NEW_N(&r->kept, struct kh_inventory_tool, list->count)};
	for (size_t i = 0; r->list.tools != NULL && i < list->count; i++)
		r->list.tools[i] = (struct kh_inventory_tool){
			.name = kh_tainted_wrap(kh_arena_dup(&r->kept, kh_tainted_open(list->tools[i].name))),
			.digest = list->tools[i].digest};
	if (kh_arena_check(&r->kept) != KH_OK)
		return KH_ENOMEM;
	r->list.count = list->count;
	return KH_OK;
}

/* Finds the digest of what it is run from. */
static enum kh_err digest_program(struct kh_running *r, struct kh_running_call *call, struct kh_arena *scratch,
				  struct kh_arena *arena)
{
	struct kh_program program = {.client = r->settings.client, .up = r->settings.up, .until_ms = call->until_ms};
	struct kh_error err = {.detail = ""};

	call->is_fresh = true;
	enum kh_err e = kh_program_digest(&program, scratch, &r->program, &err);
	if (e == KH_OK || e == KH_ENOMEM)
		return e;
	refuse(call, "program_unreadable", kh_arena_printf(arena, "its program cannot be read: %s", err.detail));
	return KH_OK;
}

static enum kh_err report(struct kh_running *r, const struct kh_talk_session *session, bool is_new,
			  const struct kh_inventory *list, struct kh_running_call *call, struct kh_arena *scratch,
			  struct kh_arena *arena)
{
	struct kh_running_found found = {.server = r->settings.up->name,
					 .program = r->program,
					 .manner = &session->manner,
					 .list = list,
					 .life = is_new ? session->life : 0};
	struct kh_error err = {.detail = ""};

	enum kh_err e = r->settings.found(r->settings.context, &found, scratch, &err);
	if (e == KH_ENOMEM)
		return e;
	if (e != KH_OK)
		refuse(call, err.code, kh_arena_printf(arena, "what it offers cannot be recorded: %s", err.detail));
	return e == KH_OK ? keep_list(r, list) : KH_OK;
}

/* Asks the server what it offers.  Called with the lock. */
static enum kh_err look(struct kh_running *r, const struct kh_talk_session *session, struct kh_running_call *call,
			struct kh_arena *scratch, struct kh_arena *arena)
{
	uint64_t changes = kh_talk_changes(r->talk);
	bool is_new = r->life != session->life;
	struct kh_inventory list = {.count = 0};
	enum kh_err e = KH_OK;

	r->life = 0; /* until all of it is known */
	call->response = (struct kh_upstream_response){.end = KH_RESPONSE_CAME};
	if (is_new)
		e = digest_program(r, call, scratch, arena);
	if (e == KH_OK && call->response.end == KH_RESPONSE_CAME && session->manner.has_tools) {
		e = kh_inventory_list(r->talk, session, call->until_ms, scratch, &list, &call->response);
		call->response.message = kh_tainted_wrap((struct kh_view){NULL, 0});
		call->response.why = kh_arena_dup(arena, call->response.why);
		call->response.said = kh_tainted_wrap(kh_arena_dup(arena, kh_tainted_open(call->response.said)));
	}
	if (e == KH_OK && call->response.end == KH_RESPONSE_CAME)
		e = report(r, session, is_new, &list, call, scratch, arena);
	if (e != KH_OK || call->response.end != KH_RESPONSE_CAME)
		return e;
	r->life = session->life;
	r->changes = changes;
	r->looked_ms = kh_clock_ms();
	return KH_OK;
}

static bool is_known(struct kh_running *r, const struct kh_talk_session *session)
{
	return r->life == session->life && r->changes == kh_talk_changes(r->talk) &&
	       kh_clock_ms() - r->looked_ms < KH_RUNNING_LOOK_MS;
}

static bool same(const struct kh_digest *a, const struct kh_digest *b)
{
	return memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

/* Compares what was found with what was approved.  Called with the lock. */
static void compare(struct kh_running *r, struct kh_running_call *call)
{
	const struct kh_errand_tool *tool = call->errand->tool;
	const struct kh_inventory_tool *found = tool->is_resource ? NULL : kh_inventory_find(&r->list, tool->name);

	if (!same(&r->program, &tool->program))
		refuse(call, "program_changed", KH_LIT("its program is not the one that was approved"));
	else if (tool->is_resource)
		return;
	else if (found == NULL)
		refuse(call, "tool_gone", KH_LIT("the server does not offer this tool any more"));
	else if (!same(&found->digest, &tool->hash))
		refuse(call, "tool_changed", KH_LIT("the tool is not as it was approved"));
}

/* Looks, if LOOKS, and compares.  Called with the lock. */
static enum kh_err compare_with(struct kh_running *r, const struct kh_talk_session *session,
				struct kh_running_call *call, bool looks, struct kh_arena *arena)
{
	struct kh_arena scratch;
	enum kh_err e = KH_OK;

	call->response = (struct kh_upstream_response){.end = KH_RESPONSE_CAME};
	kh_arena_init(&scratch, r->settings.alloc, SCRATCH);
	if (looks)
		e = look(r, session, call, &scratch, arena);
	kh_arena_done(&scratch);
	if (e == KH_OK && call->response.end == KH_RESPONSE_CAME)
		compare(r, call);
	return e;
}

/* Finds out whether the tool may be called, or the resource read, in SESSION. */
static enum kh_err check(struct kh_running *r, const struct kh_talk_session *session, struct kh_running_call *call,
			 struct kh_arena *arena)
{
	struct timespec until = {.tv_sec = call->until_ms / 1000, .tv_nsec = call->until_ms % 1000 * 1000000};

	if (pthread_mutex_clocklock(&r->looking, CLOCK_MONOTONIC, &until) != 0) {
		refuse(call, "upstream_timeout", KH_LIT("it was not ready in time"));
		return KH_OK;
	}
	bool looks = !is_known(r, session);
	enum kh_err e = compare_with(r, session, call, looks, arena);
	/* What was approved may be newer than the last look. */
	if (e == KH_OK && !looks && call->response.end != KH_RESPONSE_CAME)
		e = compare_with(r, session, call, true, arena);
	pthread_mutex_unlock(&r->looking);
	return e;
}

/* --- calling ------------------------------------------------------------------------------------------------------ */

/* Waits for the end of the pause after a life that failed; false if that is too long. */
static bool rest(struct kh_running *r, const struct kh_running_call *call)
{
	struct kh_server_state state = kh_talk_state(r->talk);
	struct timespec pause = {.tv_sec = state.wait_ms / 1000, .tv_nsec = state.wait_ms % 1000 * 1000000 + 999999};

	if (state.phase != KH_SERVER_PAUSED || state.wait_ms > REST_MS ||
	    kh_clock_ms() + state.wait_ms >= call->until_ms)
		return false;
	return nanosleep(&pause, NULL) == 0;
}

/* Sends the call, with the INPUTS that the server asked for in the round before; NULL: it is the first. */
static enum kh_err send_round(struct kh_running *r, const struct kh_talk_session *session, struct kh_running_call *call,
			      struct kh_inquiry *inquiry, const struct kh_inputs *inputs, struct kh_arena *arena)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	bool is_resource = call->errand->tool->is_resource;
	struct kh_talk_asked asked = {.method = is_resource ? "resources/read" : "tools/call",
				      .name = call->errand->tool->name,
				      .doc = doc,
				      .params = yyjson_mut_obj(doc),
				      .until_ms = call->until_ms,
				      .inquiry = inquiry};

	kh_json_add(doc, asked.params, is_resource ? "uri" : "name", asked.name);
	if (!is_resource)
		yyjson_mut_obj_add_val(doc, asked.params, "arguments",
				       yyjson_val_mut_copy(doc, call->errand->parameters));
	if (inputs != NULL)
		yyjson_mut_obj_add_val(doc, asked.params, "inputResponses",
				       yyjson_mut_val_mut_copy(doc, inputs->responses));
	if (inputs != NULL && inputs->state != NULL)
		yyjson_mut_obj_add_val(doc, asked.params, "requestState", yyjson_mut_val_mut_copy(doc, inputs->state));
	return kh_talk_ask(r->talk, session, &asked, arena, &call->response);
}

/* Waits until a human has answered; false: the call's time or the server's session is over first. */
static bool await_inputs(struct kh_running *r, const struct kh_talk_session *session,
			 const struct kh_running_call *call, struct kh_inputs *inputs)
{
	const struct timespec pause = {.tv_nsec = KH_INQUIRY_LOOK_MS * 1000000L};
	struct kh_server_state state;

	while (!kh_inputs_look(inputs)) {
		(void)nanosleep(&pause, NULL);
		state = kh_talk_state(r->talk);
		if (r->is_stopped || state.phase != KH_SERVER_UP || state.life != session->life ||
		    kh_clock_ms() >= call->until_ms)
			return false;
	}
	return true;
}

/* A server of the newer generation may answer that it needs input first: then it is called again with that. */
static enum kh_err send_call(struct kh_running *r, const struct kh_talk_session *session, struct kh_running_call *call,
			     struct kh_arena *arena)
{
	const struct kh_policy_rule *rule = call->errand->rule;
	struct kh_inquiry inquiry = {.human = r->settings.human,
				     .errand = call->errand,
				     .alloc = r->settings.alloc,
				     .until_ms = call->until_ms};
	bool asks = inquiry.human->ask != NULL && rule != NULL && rule->elicitation == KH_ELICITATION_ASK;
	struct kh_inputs inputs = {.arena = arena, .inquiry = asks ? &inquiry : NULL};
	enum kh_err e = send_round(r, session, call, inputs.inquiry, NULL, arena);

	for (int round = 0; e == KH_OK && round < KH_INPUTS_ROUNDS && call->response.end == KH_RESPONSE_CAME; round++) {
		if (!kh_rpc_version_is_stateless(session->manner.version) ||
		    !kh_inputs_read(&inputs, call->response.message))
			break;
		bool is_whole = await_inputs(r, session, call, &inputs);
		if (is_whole)
			e = send_round(r, session, call, inputs.inquiry, &inputs, arena);
		/* What the server made of the call so far is not known, whatever has become of this round. */
		if (!is_whole || call->response.end == KH_RESPONSE_OVER || call->response.end == KH_RESPONSE_REFUSED)
			call->response = (struct kh_upstream_response){
				.end = KH_RESPONSE_LOST,
				.code = "server_gone",
				.why = KH_LIT("it, or the call's time, ended before it got what it had asked for")};
	}
	kh_inquiry_end(&inquiry);
	return e == KH_OK ? kh_arena_check(arena) : e;
}

/* One try; *RET_AGAIN: nothing was sent, and another may do better. */
static enum kh_err try_call(struct kh_running *r, struct kh_running_call *call, struct kh_arena *arena, bool *ret_again)
{
	struct kh_talk_session session;

	if (r->is_stopped) {
		refuse(call, "server_held", KH_LIT("it was stopped"));
		return KH_OK;
	}
	enum kh_err e = kh_talk_open(r->talk, call->until_ms, arena, &session, &call->response);
	if (e == KH_OK && call->response.end != KH_RESPONSE_CAME)
		*ret_again = rest(r, call);
	if (e == KH_OK && call->response.end == KH_RESPONSE_CAME) {
		e = check(r, &session, call, arena);
		*ret_again = call->response.end == KH_RESPONSE_OVER;
	}
	if (e == KH_OK && call->response.end == KH_RESPONSE_CAME && call->errand->tool->is_resource &&
	    !session.manner.has_resources)
		refuse(call, "no_resources", KH_LIT("the server says that it has no resources"));
	if (r->is_stopped)
		refuse(call, "server_held", KH_LIT("it was stopped"));
	/* Until here nothing was called, whatever has become of the questions. */
	if (e != KH_OK || call->response.end != KH_RESPONSE_CAME) {
		call->response.end = KH_RESPONSE_REFUSED;
		return e;
	}
	e = send_call(r, &session, call, arena);
	*ret_again = call->response.end == KH_RESPONSE_OVER;
	return e;
}

int64_t kh_running_until(const struct kh_running *running, const struct kh_errand *errand)
{
	uint64_t own = running->settings.up->timeout_seconds * 1000;

	return kh_clock_ms() + (int64_t)(own > 0 && own < errand->wall_ms ? own : errand->wall_ms);
}

enum kh_err kh_running_ask(struct kh_running *running, struct kh_running_call *call, struct kh_arena *arena)
{
	enum kh_err e = KH_OK;
	bool again = true;

	for (int tries = 0; e == KH_OK && again && tries < TRIES; tries++) {
		again = false;
		e = try_call(running, call, arena, &again);
	}
	if (call->response.end == KH_RESPONSE_OVER)
		call->response.end = KH_RESPONSE_REFUSED;
	return e;
}
