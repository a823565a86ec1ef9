/*
 * The operations of the random sequences: each draws who calls and what about, asks the model and the engine, and holds
 * one answer against the other.
 */
#ifndef KH_TESTS_OPERATE_H
#define KH_TESTS_OPERATE_H

#include "compare.h"
#include "script.h"

enum kind {
	CLOCK,
	OPEN,
	CLOSE,
	PUT,
	ADMIT,
	NEXT,
	RESPOND,
	BEGIN,
	TELL,
	LOOK,
	SHOW,
	DECIDE,
	RESET,
	TOKEN,
	REVOKE,
	MESSAGE,
	STATUS,
	RESTART,
	KINDS
};

struct operation {
	enum kind kind;
	uint32_t draw[8]; /* whatever it has to decide */
};

/* Policies, and what they are to the model. */
struct operate_policy {
	const char *yaml;
	struct m_policy is;
};
#define OPERATE_POLICIES 5
extern const struct operate_policy operate_policies[OPERATE_POLICIES];

struct run {
	struct world w;
	struct model m;
	struct compare c;
	struct m_question questions[32];
	struct m_answer answers[MODEL_SAID];
	int said[MODEL_SAID];
	int policy;         /* in force */
	uint64_t sequences; /* on this store so far: names of Readers are never used twice */
	struct world_token tokens[MODEL_TOKENS];
	struct text names[MODEL_TOKENS];
	struct text digests[MODEL_MAX];
	uint64_t operations[KINDS], outcomes[8]; /* figures */
	struct {
		const char *code;
		uint64_t n;
	} refused[64];
	bool unseen; /* something may be due that nobody has seen to */
	bool tell;   /* print every operation */
	char why[768];
};

/* Notes the difference; false. */
__attribute__((format(printf, 2, 3))) bool operate_differs(struct run *r, const char *fmt, ...);

void operate_count(struct run *r, const char *code, uint64_t n);

/* Does it; false, and r->why, where engine and model differ. */
bool operate_run(struct run *r, enum kind kind, const uint32_t *draw);

/* CALLER makes a token; the next one of the model. */
bool operate_token(struct run *r, int caller, enum m_role role, int64_t expires, uint64_t bits);

#endif
