/*
 * Several processes on one store, each with a store and an engine of its own, at the same thing at the same moment:
 * exactly one wins, every time (A4, B6, A2, E7).
 *
 *     KH_TRIES=400 races
 *
 * The children are forked before anything is opened.  The first process sets each try up and looks at what came of it.
 */
#include "outside.h"
#include "scene.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCESSES 4
#define LIMIT_S   3000 /* no run takes as long: one that does hangs */

enum race {
	DECIDE,         /* one approval, a reviewer each, some approve and some reject */
	SPEND,          /* a task's budget that holds one more query */
	SPEND_TOGETHER, /* a context's budget that holds one more, each in a task of its own */
	RATE,           /* a rate that admits one more */
	USE_GRANT,      /* ask.begin of an approved escalation */
	TAKE,           /* ask.next of an agent */
	BEGIN,          /* ask.begin of an ask that no human had to approve */
	ANSWER,         /* the same ask answered, each time otherwise */
	RELEASE,        /* a delivery that is due */
	OPERATE,        /* an external operation that a human has approved */
	OPERATE_RATE,   /* the rate of an operation that admits one more (E5) */
	OPERATE_EGRESS, /* a task's bytes out that hold one more */
	OPERATE_GRANT,  /* a grant for a host with one use (A2) */
	RACES
};
static const char *const names[RACES] = {
	"an approval decided",
	"a task's budget spent",
	"a context's budget spent",
	"a rate used up",
	"a grant used",
	"an ask taken by an agent",
	"an ask begun",
	"an ask answered",
	"a delivery released",
	"an operation begun",
	"an operation's rate",
	"a task's egress",
	"a grant for a host used",
};

/* In memory that all processes share. */
struct shared {
	pthread_barrier_t barrier;
	struct world world; /* where the store is; nothing else of it is looked at by others */
	struct scene scene; /* tokens */
	struct world_token reviewers[PROCESSES];
	bool over;
	enum race race;
	int64_t now;
	struct text task[PROCESSES], approval, digest, ask, query;
	int64_t effect;
	bool won[PROCESSES];
	char told[PROCESSES][32];
};

#define LONG_URL "https://shop.example/a/way/of/forty/bytes/x"
#define READ     "{\"path\":\"/srv/prices.txt\"}"
#define SEARCH   "{\"query\":\"list price of product X\",\"scope\":\"internal\"}"
#define PLAN     "{\"plan\":\"Look it up.\",\"required_operations\":[\"comm.read\",\"comm.search\",\"comm.fetch\"]}"

#define POLICY                                                                                               \
	"  release: slots\n  budgets: {task_bits: 100000, context_bits: 100000, escalations: 1000,\n"        \
	"    token_bits: 10000000, token_escalations: 4000}\n"                                               \
	"  rates:\n    category_1: 100000/minute\n    category_2: 1/minute\n    category_3: 100000/minute\n" \
	"  egress_bytes: 60\n  operations:\n    - {name: comm.read, risk: moderate, paths: [/srv]}\n"        \
	"    - {name: comm.search, risk: low, rate: 1/minute}\n"                                             \
	"    - {name: comm.fetch, risk: moderate, rate: 1000/minute, hosts: [shop.example]}\n"

static void meet(struct shared *all)
{
	int e = pthread_barrier_wait(&all->barrier);

	if (e != 0 && e != PTHREAD_BARRIER_SERIAL_THREAD)
		world_give_up("barrier: %d", e);
}

/* --- what one process does ---------------------------------------------------------------------------------------- */

static const char *admit(struct world *w, const struct shared *all, const char *task, const char *query, bool *ret_won)
{
	struct world_query admitted;
	const char *code;
	char json[1024];

	snprintf(json, sizeof(json), "{\"target\":\"%s\",\"task\":\"%s\",%s}", all->scene.target.at, task, query);
	code = world_admit(w, all->scene.controller.token.at, json, &admitted);
	*ret_won = code == NULL && admitted.refused == KH_OUTCOME_NONE;
	if (code == NULL && !*ret_won)
		return kh_words_name(&kh_rows_outcome_words, admitted.refused);
	return code;
}

/* An external operation of the task; RUNS is the moment of execution. */
static const char *operate(struct world *w, const struct shared *all, int me, bool *ret_won)
{
	const char *token = all->scene.controller.token.at, *task = all->task[0].at, *code;
	struct outside_act act;
	char parameters[128];

	snprintf(parameters, sizeof(parameters), "{\"url\":\"%s%d\"}",
		 all->race == OPERATE_EGRESS ? LONG_URL : "https://shop.example/", me);
	if (all->race == OPERATE)
		code = outside_call(w, token, task, all->query.at, "", false, &act);
	else if (all->race == OPERATE_RATE)
		code = outside_do(w, token, task, "comm.search", SEARCH, &act);
	else
		code = outside_do(w, token, task, "comm.fetch", parameters, &act);
	*ret_won = code == NULL && act.next == KH_CALL_RUNS;
	if (*ret_won) /* it ends with whoever began it, or it would count as running in the tries to come */
		code = outside_end(w, act.row, KH_ERRAND_FAILED, "", "{}");
	return code;
}

static const char *run_race(struct world *w, struct shared *all, int me, bool *ret_won)
{
	const struct scene *s = &all->scene;
	struct world_look look;
	struct world_ask ask = {.found = false};
	const char *code = NULL, *word = "";

	*ret_won = false;
	switch (all->race) {
	case DECIDE:
		code = world_decide(w, all->reviewers[me].token.at, all->approval.at,
				    me % 2 == 0 ? KH_CHOICE_APPROVE : KH_CHOICE_REJECT, all->digest.at, "");
		*ret_won = code == NULL;
		return code;
	case SPEND:
		return admit(w, all, all->task[0].at, SCENE_URGENT, ret_won);
	case SPEND_TOGETHER:
		return admit(w, all, all->task[me].at, SCENE_URGENT, ret_won);
	case RATE:
		return admit(w, all, all->task[0].at, SCENE_NAME, ret_won);
	case USE_GRANT:
	case BEGIN:
		return world_begin(w, all->effect, ret_won);
	case TAKE:
		code = world_next(w, s->reader.token.at, &ask);
		*ret_won = code == NULL && ask.found;
		return code;
	case ANSWER:
		code = world_respond(w, s->reader.token.at, all->ask.at,
				     me % 2 == 0 ? KH_LIT("{\"urgent\":true}") : KH_LIT("{\"urgent\":false}"), &word);
		*ret_won = code == NULL && strcmp(word, "accepted") == 0;
		return code != NULL ? code : word;
	case RELEASE:
		if (me % 2 == 0)
			world_due(w);
		else
			code = world_look(w, s->controller.token.at, all->query.at, &look);
		*ret_won = code == NULL;
		return code;
	case OPERATE:
	case OPERATE_RATE:
	case OPERATE_EGRESS:
	case OPERATE_GRANT:
		return operate(w, all, me, ret_won);
	case RACES:
		break;
	}
	return "no race";
}

static void take_part(struct world *w, struct shared *all, int me)
{
	const char *code;

	w->now = all->now;
	code = run_race(w, all, me, &all->won[me]);
	snprintf(all->told[me], sizeof(all->told[me]), "%s", code != NULL ? code : "");
}

__attribute__((noreturn)) static void child(struct shared *all, int me)
{
	struct world w;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(LIMIT_S);
	meet(all); /* the store is there */
	world_join(&w, &all->world, POLICY);
	for (;;) {
		meet(all);
		if (all->over)
			break;
		take_part(&w, all, me);
		meet(all);
	}
	world_close(&w);
	_exit(0);
}

/* --- setting up, and looking ----------------------------------------------------------------------------------- */

static void open_task(struct scene *s, uint64_t bits, struct text *ret_task)
{
	scene_must("open", world_open(&s->w, s->controller.token.at, bits, ret_task));
	scene_must("put", world_put(&s->w, s->controller.token.at, ret_task->at, "Text.", &s->block));
}

/* A Controller and a Reader that nothing is left over for. */
static void fresh_pair(struct scene *s, uint64_t bits)
{
	static int made;
	char name[32];

	snprintf(s->target.at, sizeof(s->target.at), "r%d", made);
	scene_must("token", world_token(&s->w, s->w.admin.at, s->target.at, KH_ROLE_READER, 0, 0, &s->reader));

	snprintf(name, sizeof(name), "c%d", made++);
	scene_must("token", world_token(&s->w, s->host.token.at, name, KH_ROLE_CONTROLLER, 0, bits, &s->controller));
}

static void ask_in(struct scene *s, const struct text *task, const char *query, struct world_query *ret)
{
	scene_must("query", scene_try(s, task->at, query, ret));
	if (ret->refused != KH_OUTCOME_NONE)
		world_give_up("not admitted");
}

/* A task in execution; an operation that was approved, or a grant for the host. */
static void set_up_outside(struct scene *s, struct shared *all)
{
	const char *token = s->controller.token.at, *task = all->task[0].at;
	bool wide = all->race == OPERATE_EGRESS || all->race == OPERATE_GRANT;
	struct outside_act act;
	struct text approval;

	scene_must("execute", outside_execute(&s->w, token, task, PLAN, &approval));
	if (all->race == OPERATE_RATE)
		return;
	scene_must("call", outside_do(&s->w, token, task, wide ? "comm.fetch" : "comm.read",
				      wide ? "{\"url\":\"https://shop.example/\"}" : READ, &act));
	scene_must("decide", outside_decide(&s->w, s->reviewer.token.at, act.approval.at, KH_CHOICE_APPROVE, "",
					    wide ? "shop.example" : "", all->race == OPERATE_EGRESS ? 100 : wide,
					    wide ? s->w.now + 60 * SECOND : 0));
	s->w.now += SECOND; /* past the slot at which the decision takes effect */
	all->query = act.id;
}

static void set_up(struct scene *s, struct shared *all)
{
	struct world_query query;
	struct kh_query_row row;
	struct world_ask ask;
	int64_t pages;

	s->w.now += SECOND;
	world_due(&s->w);
	fresh_pair(s, all->race == SPEND_TOGETHER ? 13 : 0); /* a query costs 4 bits and its slots: less than 9 */
	if (all->race == USE_GRANT || all->race == BEGIN)    /* for Keyhole itself to carry out */
		snprintf(s->target.at, sizeof(s->target.at), WORLD_PROGRAM);
	open_task(s, all->race == SPEND ? 13 : 0, &all->task[0]);
	for (int i = 1; i < PROCESSES && all->race == SPEND_TOGETHER; i++)
		open_task(s, 0, &all->task[i]);
	if (all->race == DECIDE || all->race == USE_GRANT) {
		ask_in(s, &all->task[0], SCENE_SUMMARY, &query);
		all->approval = query.approval;
		for (int i = 0; i < PROCESSES && all->race == DECIDE; i++)
			scene_must("show", world_show(&s->w, all->reviewers[i].token.at, query.approval.at, 1,
						      &all->digest, &pages));
		if (all->race == USE_GRANT)
			scene_must("decide",
				   scene_decide(s, s->reviewer.token.at, query.approval.at, KH_CHOICE_APPROVE, ""));
	} else if (all->race >= OPERATE) {
		set_up_outside(s, all);
		return;
	} else if (all->race >= TAKE) {
		ask_in(s, &all->task[0], SCENE_URGENT, &query);
	} else {
		return;
	}
	all->query = query.id;
	if (all->race == ANSWER || all->race == RELEASE) {
		scene_must("next", world_next(&s->w, s->reader.token.at, &ask));
		all->ask = ask.id;
	}
	if (all->race == RELEASE) {
		const char *word;

		scene_must("respond",
			   world_respond(&s->w, s->reader.token.at, ask.id.at, KH_LIT("{\"urgent\":true}"), &word));
		s->w.now += SECOND;
	}
	WORLD_LOAD(&s->w, KH_TABLE_QUERIES, query.row, &row);
	all->effect = row.effect;
}

/* The state that is left is that of one winner. */
static bool look_at(struct scene *s, const struct shared *all, int wins)
{
	struct kh_context_row context;
	struct kh_effect_row effect;
	struct kh_query_row query;

	WORLD_LOAD(&s->w, KH_TABLE_CONTEXTS, s->controller.context_row, &context);
	if (context.budget.budget != context.budget.remaining + context.budget.reserved + context.budget.charged)
		return false;
	if (all->race == RELEASE) { /* all are told that it is delivered, and it is, once */
		WORLD_LOAD(&s->w, KH_TABLE_QUERIES, world_row(&s->w, KH_ID_QUERY, all->query.at), &query);
		return wins == PROCESSES && query.outcome == KH_OUTCOME_DELIVERED && context.deliveries == 1 &&
		       context.budget.charged == query.charged;
	}
	if (wins != 1)
		return false;
	if (all->race == SPEND || all->race == SPEND_TOGETHER)
		return context.budget.reserved > 0 && context.budget.reserved < 9 * KH_MICROBIT;
	if (all->race == USE_GRANT || all->race == BEGIN || all->race == TAKE) {
		WORLD_LOAD(&s->w, KH_TABLE_EFFECTS, all->effect, &effect);
		return effect.state == KH_EFFECT_BEGUN;
	}
	return true;
}

static bool one_try(struct scene *s, struct shared *all, int64_t try)
{
	int wins = 0;
	bool good;

	all->race = (enum race)(try % RACES);
	memset(all->won, 0, sizeof(all->won));
	set_up(s, all);
	all->scene = *s;
	all->now = s->w.now;
	meet(all);
	take_part(&s->w, all, 0);
	meet(all);
	for (int i = 0; i < PROCESSES; i++)
		wins += all->won[i];
	good = look_at(s, all, wins);
	if (!good) {
		printf("try %lld, %s: %d winners:", (long long)try, names[all->race], wins);
		for (int i = 0; i < PROCESSES; i++)
			printf(" %s", all->won[i] ? "won" : all->told[i]);
		printf("\n");
	}
	return good;
}

static struct shared *share(void)
{
	struct shared *all = mmap(NULL, sizeof(*all), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_barrierattr_t attr;

	if (all == MAP_FAILED || pthread_barrierattr_init(&attr) != 0 ||
	    pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) != 0 ||
	    pthread_barrier_init(&all->barrier, &attr, PROCESSES) != 0)
		world_give_up("no shared memory");
	return all;
}

int main(void)
{
	static struct scene s;
	const char *text = getenv("KH_TRIES"), *bad;
	int64_t tries = text != NULL ? strtoll(text, NULL, 10) : 360, failed = 0;
	struct shared *all = share();
	pid_t children[PROCESSES];

	for (int i = 1; i < PROCESSES; i++) {
		children[i] = fork();
		if (children[i] < 0)
			world_give_up("fork: %d", errno);
		if (children[i] == 0)
			child(all, i);
	}
	alarm(LIMIT_S);
	scene_set(&s, POLICY);
	for (int i = 0; i < PROCESSES; i++) {
		char name[32];

		snprintf(name, sizeof(name), "decider%d", i);
		scene_must(name, world_token(&s.w, s.w.admin.at, name, KH_ROLE_REVIEWER, 0, 0, &all->reviewers[i]));
	}
	all->world = s.w;
	meet(all);
	for (int64_t i = 0; i < tries; i++)
		failed += !one_try(&s, all, i);
	all->over = true;
	meet(all);
	for (int i = 1; i < PROCESSES; i++) {
		int status;

		failed += waitpid(children[i], &status, 0) != children[i] || status != 0;
	}
	bad = world_verify(&s.w);
	if (bad != NULL)
		printf("the audit: %s\n", bad);
	failed += bad != NULL;
	world_remove(&s.w);
	printf("%d processes, %d kinds of races\n%lld passed, %lld failed\n", PROCESSES, RACES,
	       (long long)(tries - failed), (long long)failed);
	return failed != 0;
}
