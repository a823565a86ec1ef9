/*
 * Hostile Controllers, two processes, some humans: what the test knows of them, and what they do.  Each act draws what
 * it needs; false, and hostile.why, where something happened that must not.
 */
#ifndef KH_TESTS_HOSTILE_H
#define KH_TESTS_HOSTILE_H

#include "gates.h"
#include "outside.h"
#include "scene.h"

#define COUNT(a)    (sizeof(a) / sizeof((a)[0]))
#define CONTROLLERS 3
#define PROCESSES   2
#define KEPT        256 /* of each kind that are remembered: a ring */

enum kind {
	CLOCK,
	OPEN,
	CLOSE,
	EXECUTE,
	DECLARE,
	CALL,   /* declared and called in one */
	RESUME, /* by the id of a declaration or an approval */
	DECIDE,
	LOOK,
	END,
	POISON, /* a page is asked about, and the answer delivered */
	RESET,
	RELOAD,
	RESTART,
	KINDS
};

struct a_task {
	struct g_task is;
	struct text id;
};

struct a_declaration {
	struct g_declaration is;
	struct text id;
	int64_t row;
	bool running;
	int process;  /* that carries it out */
	int approval; /* the latest, counted from 1; 0: none */
};

struct an_approval {
	struct g_grant is;
	struct text id;
	int64_t row;
};

struct hostile {
	struct world w[PROCESSES];
	int policy[PROCESSES];
	struct world_token host, reader, reviewer, supervisor, controllers[CONTROLLERS];
	struct g_context contexts[CONTROLLERS];
	struct a_task tasks[KEPT];
	struct a_declaration declarations[KEPT];
	struct an_approval approvals[KEPT];
	bool just_used[KEPT];
	int task_count, declaration_count, approval_count;
	int task;    /* that this call is about */
	int process; /* that most of this sequence goes to */
	uint64_t seed;
	/* figures */
	uint64_t calls[KINDS], began, waited, stricter, stopped_after_approval;
	struct {
		const char *code;
		uint64_t n;
	} refused[64];
	bool tell;
	char why[512];
};
extern struct hostile hostile;

/* Chances. */
int hostile_pick(int n);
bool hostile_chance(int of);

/* One of the newest of COUNT things that are kept in a ring; -1: there is none. */
int hostile_recent(int count);

/* Something happened that must not: hostile.why; false. */
__attribute__((format(printf, 1, 2))) bool hostile_broken(const char *fmt, ...);
/* Prints what happens where every call is to be told. */
__attribute__((format(printf, 1, 2))) void hostile_told(const char *fmt, ...);
/* One more refusal with CODE. */
void hostile_count(const char *code);
const char *hostile_token(int controller);
int hostile_find(const char *id);

/* What was declared, and what a human was asked for, is known from now on. */
int hostile_declared(const char *id, int context, int task, int call, bool valid);
void hostile_asked(const char *id, int d, int process);

/* The engine has begun declaration D for CALLER: whether that is what every gate says. */
bool hostile_begins(int d, int caller, int process);
/* It did not begin: whether every gate would have passed is counted. */
void hostile_held(int d, int process, const char *code);

/* The acts, in process W. */
bool hostile_open(struct world *w, int caller);
bool hostile_close(struct world *w, int caller);
bool hostile_execute(struct world *w, int caller);
bool hostile_declare(struct world *w, int caller, int process);
bool hostile_batch(struct world *w, int caller, int process);
bool hostile_call(struct world *w, int caller, int process);
bool hostile_resume(struct world *w, int caller, int process);
bool hostile_decide(struct world *w, int process);
bool hostile_end(void);
bool hostile_poison(struct world *w, int caller);
bool hostile_reset(struct world *w, int caller);
bool hostile_reload(int process);
bool hostile_restart(int process);
bool hostile_look(struct world *w, int caller);

#endif
