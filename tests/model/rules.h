/* What the operations of the model have in common. */
#ifndef KH_TESTS_RULES_H
#define KH_TESTS_RULES_H

#include "model.h"

#define BIT     UINT64_C(1000000)
#define MINUTE  INT64_C(60000000)
#define HOUR    (60 * MINUTE)
#define ROLE(r) (1U << (r))

/* SPEC 1, B4, A6: NULL, or why CALLER may not call what is for ROLES. */
const char *rule_may(const struct model *m, int caller, unsigned roles);

/* Whether the token is valid now. */
bool rule_lives(const struct model *m, int token);

/* Whether a context is the caller's to see. */
bool rule_sees(const struct model *m, int caller, int context);

/* NULL, or why TASK is not to be had. */
const char *rule_task_fault(const struct model *m, int caller, int task, bool must_be_open);

/* A new budget. */
struct m_money rule_fresh(uint64_t own, uint64_t policy);

/* B6: the policy's budget, or a smaller one of its own; and what that leaves, never less than 0. */
uint64_t rule_limit(const struct m_money *money, uint64_t policy);
void rule_follow(struct m_money *money, uint64_t policy);

/*
 * G4: what a context's token took over the last 24 hours, hours being whole ones; or the host that made it, if HOST.
 */
uint64_t rule_day_bits(const struct model *m, int context, bool host);
uint64_t rule_token_escalations(const struct model *m);
uint64_t rule_day_escalations(const struct model *m, int context, bool host);

/* Takes AMOUNT from the task and its context, or nothing from either (B6), if its token may take it (G4). */
bool rule_reserve(struct model *m, int task, uint64_t amount);

/* When what is known of Q at NOW may be told (B17). */
int64_t rule_slot(const struct m_query *q, int64_t now);

/* How long a query may take. */
int64_t rule_time_for(const struct model *m, int category);

/* What a query reserves beside its content (B8). */
uint64_t rule_aside(const struct model *m, const struct m_question *question);

/* The outcome is known, and leaves at its slot (B17). */
void rule_ready(struct model *m, struct m_query *q, enum m_outcome outcome);

/* The query ends now. */
void rule_end(struct model *m, struct m_query *q, enum m_outcome outcome);

/* The task ends, and what is open in it fails. */
void rule_end_task(struct model *m, int task, enum m_task_state state);

/* B19: which things a query is about, and whether it is an escalation. */
void rule_sources(const struct model *m, const struct m_query_call *call, unsigned *from, uint64_t *said);
void rule_things(const struct model *m, const struct m_query_call *call, bool *things);
bool rule_escalates(const struct m_task *task, const struct m_question *question, const bool *things);

#endif
