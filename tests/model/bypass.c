/*
 * No bypass (issue: "No bypass"; E1-E6, K6, K7, A2, A4): random sequences of calls by hostile Controllers, by two
 * processes on one store, with policies that change, processes that die, clocks that run: nothing ever begins of which
 * not every gate of gates.h has passed at that moment, nothing begins twice, and nothing else is in the audit.
 *
 *     KH_SEQUENCES=100000 KH_SEED=1 bypass      so many, from that seed on
 *     KH_ONLY=4700 bypass                       the store of one seed, with every call told
 *
 * State goes on from one sequence to the next on the same store: what one has left over the next may misuse.
 */
#include "hostile.h"

#include "engine/recover.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS   4   /* of a sequence */
#define SHARING 500 /* sequences on one store */

static const int weights[KINDS] = {
	[CLOCK] = 5,   [OPEN] = 3, [CLOSE] = 1, [EXECUTE] = 6, [DECLARE] = 10, [CALL] = 24,  [RESUME] = 18,
	[DECIDE] = 18, [LOOK] = 2, [END] = 11,  [POISON] = 2,  [RESET] = 1,    [RELOAD] = 1, [RESTART] = 1};
static const char *const kind_names[KINDS] = {"clock",  "open", "close", "execute", "declare", "call",   "resume",
					      "decide", "look", "end",   "poison",  "reset",   "reload", "restart"};

/* --- sequences ------------------------------------------------------------------------------------------------------
 */

static enum kind draw_kind(void)
{
	int sum = 0, at, kind = 0;

	for (int k = 0; k < KINDS; k++)
		sum += weights[k];
	at = hostile_pick(sum);
	while (at >= weights[kind])
		at -= weights[kind++];
	return (enum kind)kind;
}

static bool step(void)
{
	static const int64_t steps[] = {G_SECOND / 10, G_SECOND,      7 * G_SECOND,
					20 * G_SECOND, 61 * G_SECOND, 700 * G_SECOND};
	enum kind kind = draw_kind();
	int process = hostile_chance(8) ? !hostile.process : hostile.process, caller = hostile_pick(CONTROLLERS);
	struct world *w = &hostile.w[process];

	hostile.calls[kind]++;
	hostile.task = hostile_recent(hostile.task_count);
	/* Mostly in a task of its own. */
	if (hostile.task >= 0 && !hostile_chance(8))
		caller = hostile.tasks[hostile.task].is.context;
	switch (kind) {
	case CLOCK:
		hostile.w[0].now += steps[hostile_pick((int)COUNT(steps))];
		hostile.w[1].now = hostile.w[0].now;
		return true;
	case OPEN:
		return hostile_open(w, caller);
	case CLOSE:
		return hostile_close(w, caller);
	case EXECUTE:
		return hostile_execute(w, caller);
	case DECLARE:
		return hostile_chance(4) ? hostile_batch(w, caller, process) : hostile_declare(w, caller, process);
	case CALL:
		return hostile_call(w, caller, process);
	case RESUME:
		return hostile_resume(w, caller, process);
	case DECIDE:
		return hostile_decide(w, process);
	case LOOK:
		return hostile_look(w, caller);
	case END:
		return hostile_end();
	case POISON:
		return hostile_poison(w, caller);
	case RESET:
		return hostile_reset(w, caller);
	case RELOAD:
		return hostile_reload(process);
	case RESTART:
		return !hostile_chance(5) || hostile_restart(process);
	case KINDS:
		break;
	}
	return hostile_broken("no such kind");
}

static void cast(void)
{
	struct world *w = &hostile.w[0];
	char name[16];

	scene_must("host", world_token(w, w->admin.at, "host", KH_ROLE_HOST, 0, 0, &hostile.host));
	scene_must("reader", world_token(w, w->admin.at, "reader", KH_ROLE_READER, 0, 0, &hostile.reader));
	scene_must("reviewer", world_token(w, w->admin.at, "reviewer", KH_ROLE_REVIEWER, 0, 0, &hostile.reviewer));
	scene_must("supervisor",
		   world_token(w, w->admin.at, "supervisor", KH_ROLE_SUPERVISOR, 0, 0, &hostile.supervisor));
	for (int i = 0; i < CONTROLLERS; i++) {
		snprintf(name, sizeof(name), "agent%d", i);
		scene_must(name, world_token(w, hostile.host.token.at, name, KH_ROLE_CONTROLLER, 0, 0,
					     &hostile.controllers[i]));
		hostile.contexts[i] = (struct g_context){.number = i};
	}
}

static bool count_events(const struct kh_audit_entry *entry, void *arg)
{
	uint64_t *count = arg;

	*count += kh_view_eq(entry->kind, kh_view_str(kh_words_name(&kh_audit_kind_words, KH_AUDIT_OPERATION_BEGUN)));
	return true;
}

static enum kh_err count_begun(struct kh_txn *txn, void *arg)
{
	return kh_audit_read(txn, 0, count_events, arg);
}

/* The store of one seed.  Figures go on. */
static bool run_store(uint64_t seed, uint64_t sequences)
{
	uint64_t began = hostile.began, recorded = 0;
	const char *bad = NULL;
	bool good = true;

	hostile.seed = seed * UINT64_C(0x2545f4914f6cdd1d);
	hostile.task_count = hostile.declaration_count = hostile.approval_count = 0;
	memset(hostile.declarations, 0, sizeof(hostile.declarations));
	memset(hostile.approvals, 0, sizeof(hostile.approvals));
	hostile.policy[0] = hostile.policy[1] = hostile_pick(G_POLICIES);
	world_make(&hostile.w[0], g_policies[hostile.policy[0]].yaml, seed);
	world_join(&hostile.w[1], &hostile.w[0], g_policies[hostile.policy[1]].yaml);
	cast();
	for (uint64_t i = 0; i < sequences && good; i++) {
		hostile.process = hostile_pick(PROCESSES);
		good = hostile_open(&hostile.w[hostile.process], (int)(i % CONTROLLERS));
		hostile.task = (hostile.task_count - 1) % KEPT;
		if (good && !hostile_chance(4))
			good = hostile_execute(&hostile.w[hostile.process], (int)(i % CONTROLLERS));
		for (int k = 0; k < CALLS && good; k++)
			good = step();
		hostile.w[0].now += 15 * G_SECOND; /* so that rates are not all there is */
		hostile.w[1].now = hostile.w[0].now;
	}
	if (good) {
		kh_arena_clear(&hostile.w[0].call);
		world_inside(&hostile.w[0], count_begun, &recorded);
		if (recorded != hostile.began - began)
			good = hostile_broken("%" PRIu64 " began, and %" PRIu64 " are in the audit",
					      hostile.began - began, recorded);
	}
	if (good)
		bad = world_verify(&hostile.w[0]);
	if (bad != NULL)
		good = hostile_broken("the audit: %s", bad);
	world_close(&hostile.w[1]);
	world_remove(&hostile.w[0]);
	return good;
}

static uint64_t number(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

static void tell_figures(uint64_t sequences)
{
	uint64_t calls = 0;

	for (int k = 0; k < KINDS; k++)
		calls += hostile.calls[k];
	printf("%" PRIu64 " sequences, %" PRIu64 " calls (", sequences, calls);
	for (int k = 0; k < KINDS; k++)
		printf("%s%s %" PRIu64, k > 0 ? ", " : "", kind_names[k], hostile.calls[k]);
	printf("); began %" PRIu64 ", waited for a human %" PRIu64 ", stricter than the gates %" PRIu64 "; refused:",
	       hostile.began, hostile.waited, hostile.stricter);
	for (size_t k = 0; k < COUNT(hostile.refused) && hostile.refused[k].code != NULL; k++)
		printf(" %s %" PRIu64, hostile.refused[k].code, hostile.refused[k].n);
	printf("\n");
}

/* Every gate was at work, or this proves nothing. */
static bool all_seen(void)
{
	static const char *const codes[] = {"missing",
					    "operation_malformed",
					    "session_mismatch",
					    "OUTBOUND_FORBIDDEN_IN_PLANNING",
					    "OPERATION_NOT_ALLOWED",
					    "DOMAIN_BLOCKED",
					    "NETWORK_MODE_BLOCKED",
					    "rate_limited",
					    "egress_exceeded",
					    "taint_denied",
					    "approvals_pending"};
	bool all = true;

	for (size_t i = 0; i < COUNT(codes); i++) {
		bool seen = false;

		for (size_t k = 0; k < COUNT(hostile.refused) && hostile.refused[k].code != NULL; k++)
			seen = seen || strcmp(hostile.refused[k].code, codes[i]) == 0;
		if (!seen)
			printf("never refused with %s\n", codes[i]);
		all = all && seen;
	}
	return all && hostile.began > 0 && hostile.waited > 0;
}

/* Of one of several processes that share the work. */
struct part {
	uint64_t done, failed;
};

/* The stores from FIRST on that are this part's. */
static void run_part(uint64_t first, uint64_t sequences, uint64_t number_of_part, uint64_t parts, struct part *part)
{
	for (uint64_t i = number_of_part * SHARING; i < sequences && part->failed == 0; i += parts * SHARING) {
		uint64_t n = sequences - i < SHARING ? sequences - i : SHARING;

		if (run_store(first + i, n)) {
			part->done += n;
		} else {
			printf("seed %" PRIu64 ": %s\n", first + i, hostile.why);
			part->failed++;
		}
	}
	tell_figures(part->done);
	if (part->failed == 0 && part->done >= 20000 && !all_seen())
		part->failed++;
	fflush(stdout);
}

static int run_parts(uint64_t first, uint64_t sequences, uint64_t parts)
{
	struct part *all = mmap(NULL, parts * sizeof(*all), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t done = 0, failed = 0;
	int status;

	if (all == MAP_FAILED)
		world_give_up("out of memory");
	for (uint64_t i = 0; i < parts; i++) {
		if (fork() == 0) {
			run_part(first, sequences, i, parts, &all[i]);
			_exit(0);
		}
	}
	while (wait(&status) > 0)
		failed += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
	for (uint64_t i = 0; i < parts; i++) {
		done += all[i].done;
		failed += all[i].failed;
	}
	printf("%" PRIu64 " passed, %" PRIu64 " failed\n", done, failed);
	return failed != 0;
}

int main(void)
{
	uint64_t sequences = number("KH_SEQUENCES", 100000), first = number("KH_SEED", 1) * 10000000;
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (getenv("KH_ONLY") != NULL) {
		hostile.tell = true;
		bool good = run_store(number("KH_ONLY", 0), number("KH_LENGTH", SHARING));
		printf("%s\n%d passed, %d failed\n", hostile.why, good, !good);
		return !good;
	}
	return run_parts(first, sequences, cores < 1 ? 1 : cores > 8 ? 8 : (uint64_t)cores);
}
