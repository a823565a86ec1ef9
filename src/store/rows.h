/*
 * The rows of the store: one struct for each table.  record.c has the column tables; the backend has the SQL with its
 * constraints.  Times are microseconds since 1970, 0: never.  References are ids, 0: none.
 *
 * The revision of a row counts its changes: 1 when it is made, one more with each event that changes it (audit.h).  The
 * transaction keeps it; nobody else writes it.  0: no event of format 2 has changed the row.
 */
#ifndef KH_STORE_ROWS_H
#define KH_STORE_ROWS_H

#include "base/tainted.h"
#include "core/block/label.h"
#include "core/comm/phase.h"
#include "core/policy/budget.h"
#include "core/policy/grant.h"
#include "core/policy/policy.h"
#include "core/policy/window.h"

/* The head of an audit chain (L3): how many events, the id of the last one, its hash. */
struct kh_chain {
	int64_t n;
	int64_t last;
	struct kh_digest head;
};

/* One row, id 1: the store itself, and the system's chain. */
struct kh_system_row {
	int64_t id, revision;
	int64_t created_at;
	struct kh_view id_key;      /* sealed: public ids are made with it (publicid.h) */
	struct kh_digest audit_key; /* Ed25519 public key of the checkpoints */
	struct kh_digest policy;    /* the policy in force when a process last started */
	int64_t format;             /* of the events that are written now; 0: format 1 (audit.h) */
	int64_t halted_at;          /* no external operation begins; 0: they do (U8) */
	struct kh_chain chain;
};

/* Who may call: one token, one principal, one context. */
struct kh_token_row {
	int64_t id, revision;
	struct kh_view name; /* for people, and the name of a Reader */
	enum kh_role role;
	int64_t context;         /* a controller's; 0 for other roles */
	int64_t parent;          /* the token that made it; 0: Keyhole itself, at init */
	struct kh_digest secret; /* BLAKE2b-256 of the secret: the secret itself is stored nowhere */
	int64_t created_at, expires_at, revoked_at;
	struct kh_window_sums day; /* what its contexts took lately, and those of the tokens that it made (G4) */
	struct kh_view day_marks;  /* what of that is not older than 24 hours (core/policy/window.h) */
};

/* What one agent has been given. */
struct kh_context_row {
	int64_t id, revision;
	int64_t token;       /* whose context it is */
	enum kh_taint taint; /* the highest taint that it was given since the last reset */
	struct kh_budget budget;
	uint64_t total_1, total_2, total_3; /* microbits reserved or charged over its whole life, by category */
	uint64_t exposed;                   /* microbits delivered since the last reset */
	uint64_t escalations;               /* admitted since the last reset (B19) */
	int64_t put;                        /* bytes of content put in since the last reset */
	int64_t deliveries;                 /* since the last reset */
	int64_t own;              /* untrusted blocks of less than high taint that were added since then (K11) */
	int64_t blocks;           /* over its whole life, as far as they are known */
	int64_t last_block;       /* the newest; each names the one before it */
	int64_t last_text;        /* the newest delivery with text since the last reset (B13) */
	int64_t last_declaration; /* the newest; each names the one before it */
	int64_t goal, asked;      /* the newest goal, and message of the user, that its host added: blocks */
	int64_t reset_block;      /* the newest block at the last reset: older blocks no longer count as given */
	int64_t resets, created_at, reset_at;
};

enum kh_task_state { KH_TASK_OPEN, KH_TASK_CLOSED, KH_TASK_FAILED };
extern const struct kh_words kh_rows_task_words;

struct kh_task_row {
	int64_t id, revision;
	int64_t context;
	struct kh_view title; /* for people */
	enum kh_task_state state;
	enum kh_phase phase;
	struct kh_view plan;     /* canonical JSON; empty while planning */
	struct kh_digest policy; /* in force when it was opened */
	struct kh_budget budget;
	uint64_t total_1, total_2, total_3; /* as in the context */
	uint64_t escalations, escalation_limit;
	int64_t pending;       /* approvals that are pending */
	int64_t blocks;        /* sealed blocks that are known */
	int64_t first_block;   /* the oldest of them: the subject of a query if the task has exactly one block */
	int64_t queries;       /* admitted */
	int64_t egress;        /* bytes chosen by its Controller that went out (E5) */
	int64_t reader_egress; /* bytes of its queries and calls to Readers behind a network (E5) */
	int64_t put;           /* bytes of content put in */
	int64_t hosts;         /* 1: it has the calls of the host's own tools, and nothing else (K11) */
	int64_t opened_at, ended_at;
	struct kh_view reason; /* why it failed: a code */
	struct kh_chain chain;
	int64_t audit_seen; /* how many events the system's chain had when this one last named its head; 0: never */
};

/* Where a block came from. */
enum kh_block_kind {
	KH_BLOCK_SEALED,   /* put in; the Controller gets its content only in a fence, or if a rule vets it (U6) */
	KH_BLOCK_DELIVERY, /* an answer */
	KH_BLOCK_HOST,     /* put into a context by its host (K11) */
	KH_BLOCK_OUTPUT,   /* an agent's output (K9) */
};
extern const struct kh_words kh_rows_block_words;

struct kh_block_row {
	int64_t id, revision;
	int64_t context, task; /* task 0: it belongs to the context alone */
	enum kh_block_kind kind;
	enum kh_trust trust;
	enum kh_type type;
	enum kh_taint taint;
	struct kh_view source;  /* for people; visible characters only */
	int64_t put;            /* bytes that count as put in; 0: an operation got it, or it is not sealed */
	int64_t put_by;         /* the token that put it in: a Controller is shown the sources that it gave itself */
	struct kh_view content; /* sealed */
	struct kh_view prints;  /* sealed: fingerprints of content that was removed (core/block/prints.h) */
	struct kh_digest content_hash;
	struct kh_view tainted_by;  /* ids, ascending, as a JSON array of numbers */
	struct kh_view attribution; /* canonical JSON (E10); empty: none */
	struct kh_view origin;      /* blocks with the same are the same thing (B19; core/comm/origin.h); empty: none */
	int64_t given;              /* 1: the context has seen the content */
	int64_t prev;               /* the context's block before this one */
	int64_t prev_text;          /* the delivery with text before this one (B13); 0: none since the last reset */
	int64_t query;              /* of a delivery */
	int64_t declaration; /* of an operation's block: what was called; 0: it was put in, or before version 3 */
	/*
	 * Of a sealed block: the how-manieth of its task it was to become known.  -1: its operation's slot has not come
	 * (B17), and only the record knows it.  0: it was sealed before there were such numbers, or is not sealed.
	 */
	int64_t told;
	int64_t created_at; /* of an operation's block: its slot */
	int64_t expires_at; /* the content's retention (L5); 0: kept */
	int64_t purged_at;  /* when the content was removed; the hash stays */
};

enum kh_query_state {
	KH_QUERY_APPROVAL, /* a human decides whether the Reader may see it (B20) */
	KH_QUERY_ASKING,   /* with the Reader */
	KH_QUERY_HELD,     /* the answer waits for a reviewer */
	KH_QUERY_READY,    /* the outcome is known here and leaves at release_at (B17) */
	KH_QUERY_DONE,     /* the Controller may be told the outcome */
};
extern const struct kh_words kh_rows_query_words;

/* Everything that a Controller can learn about how a query ended (B16). */
enum kh_outcome {
	KH_OUTCOME_NONE, /* "": not ended */
	KH_OUTCOME_DELIVERED,
	KH_OUTCOME_FAILED,
	KH_OUTCOME_PENDING, /* never stored: the answer while a human has not decided */
	KH_OUTCOME_REJECTED,
	KH_OUTCOME_EXPIRED,
	KH_OUTCOME_BUDGET,
};
extern const struct kh_words kh_rows_outcome_words;

struct kh_query_row {
	int64_t id, revision;
	int64_t task, context;
	int64_t n; /* it is the n-th query of its task */
	int64_t category;
	enum kh_query_state state;
	enum kh_outcome outcome; /* set from READY on */
	struct kh_view reader;
	struct kh_view need;        /* what the Controller calls it; empty: nothing */
	struct kh_view body;        /* canonical JSON, with the members of admission */
	struct kh_view blocks;      /* ids of the sealed blocks, as a JSON array of numbers */
	enum kh_taint reader_taint; /* the highest taint of everything that the Reader reads */
	uint64_t content;           /* microbits reserved for fields or text */
	uint64_t reserved;          /* all items of its account (B8) */
	uint64_t length;            /* microbits of the held answer: its bound (B7); 0: none yet */
	uint64_t charged;           /* what was charged when it ended */
	int64_t escalation;         /* 1: it counted as an escalation */
	int64_t egress; /* bytes of words that go to a Reader behind a network (E5); 0: the Reader is here */
	int64_t tries;  /* invalid or failed tries, over all rounds */
	int64_t round;  /* B14: 0, then one for each repetition */
	int64_t admitted_at, deadline_at;
	int64_t ready_at, release_at, ended_at;
	struct kh_view held;   /* sealed: the normalised response that was held, or is ready to be delivered */
	struct kh_view reason; /* for humans: why it ended as it did, a code */
	int64_t approval;      /* the latest approval that was asked for */
	int64_t waits;      /* the first approval: what the Controller is told to wait for, whatever is asked later */
	int64_t pending_at; /* from then on the Controller may be told `pending`; 0: no human was asked */
	int64_t effect;     /* the ask that is open, or was last */
	int64_t delivery;   /* the block */
	int64_t event; /* the audit event that recorded the delivery; without it there is no delivery (a constraint) */
};

/*
 * The outbox: what is to happen outside.  Waiting: nobody has begun it, and whoever finds it may.  Begun: durably
 * marked before an effect that cannot be repeated.  If its holder has died, it ends as failed or unknown; it is never
 * run twice.
 */
enum kh_effect_kind { KH_EFFECT_ASK };
enum kh_effect_state {
	KH_EFFECT_WAITING,
	KH_EFFECT_BEGUN,
	KH_EFFECT_DONE,
	KH_EFFECT_FAILED,
	KH_EFFECT_UNKNOWN,
};
extern const struct kh_words kh_rows_effect_kind_words;
extern const struct kh_words kh_rows_effect_words;

/* One ask: one try of one round of one query.  What the Reader sees as query_id is this row's public id. */
struct kh_effect_row {
	int64_t id, revision;
	enum kh_effect_kind kind;
	enum kh_effect_state state;
	int64_t holder; /* the process that carries it out (store.h); 0: a Reader that is an agent, or nobody yet */
	int64_t task, query, round, try;
	struct kh_view reader;
	int64_t created_at, begun_at, ended_at;
	int64_t prev;   /* the accepted ask of the previous round; 0: this is the first round */
	int64_t before; /* the ask of the same query before this one; 0: it is the first, or older than version 3 */
	struct kh_view again;          /* why it is asked again: the code of the try before; empty: a first try */
	struct kh_tainted raw;         /* sealed: what the Reader sent, for the audit (B18) */
	struct kh_view verdict;        /* deliver, hold, reject, or the code of a fault */
	struct kh_view reasons;        /* sealed: JSON for humans: what validation found */
	int64_t expires_at, purged_at; /* of raw (L5) */
};

enum kh_approval_kind { /* A1 */
			KH_APPROVE_ESCALATION,
			KH_APPROVE_SUMMARY,
			KH_APPROVE_ANSWER,
			KH_APPROVE_DECLARATION,
			KH_APPROVE_TOOL_CALL,
			KH_APPROVE_PHASE,
			KH_APPROVE_UPSTREAM,
			KH_APPROVE_ELICITATION,
};
extern const struct kh_words kh_rows_approval_kind_words;

struct kh_approval_row {
	int64_t id, revision;
	enum kh_approval_kind kind;
	enum kh_approval state; /* A3 */
	int64_t context, task, query;
	struct kh_view subject;  /* sealed: the canonical JSON of what a reviewer is shown */
	struct kh_digest digest; /* of the subject: what a decision names (A6) */
	int64_t pages;           /* of the subject's text, 4 KiB each */
	struct kh_digest arguments, content, definition, policy; /* what a grant binds (A2) */
	struct kh_view operation; /* "bcp.query", "bcp.deliver", "task.execute", "comm.fetch", ... */
	struct kh_view host;      /* of a widened grant */
	int64_t admin;            /* 1: only an admin can decide it */
	int64_t fenced;           /* 1: it was shown that the content goes to the agent in a fence (E12) */
	int64_t uses, used;
	int64_t requested_at, expires_at; /* expiry of the request; after a decision, of the grant */
	int64_t decided_at, decided_by;
	int64_t told_at;             /* slot at which the decision takes effect; 0: it has, or has no slot (B17) */
	uint64_t charged;            /* microbits: for what a Controller can tell from the decision and its moment */
	struct kh_view decided_from; /* "cli", ... */
	struct kh_view note;         /* the note that the reviewer wrote */
	struct kh_view edited;       /* sealed: the edited response, normalised */
};

/*
 * An external operation, from its declaration to its result (E3-E12).  Declared: nobody has to be asked; it may be
 * called.  Asked: a human or a supervisor decides, or a model is asked first.  Running: durably marked before the
 * effect, which cannot be repeated; if its holder has died, it ends as unknown.  If it was not sent because the tool of an
 * upstream server was found to have changed, it is asked again.  So the row is its own outbox entry.
 */
enum kh_declaration_state {
	KH_DECLARATION_DECLARED,
	KH_DECLARATION_ASKED,
	KH_DECLARATION_RUNNING,
	KH_DECLARATION_READY, /* the outcome is known here and leaves at release_at (B17) */
	KH_DECLARATION_DONE,  /* the Controller may be told the outcome */
};
extern const struct kh_words kh_rows_declaration_words;

/* Everything that a Controller can learn about how an operation ended (E12). */
enum kh_ended {
	KH_ENDED_NOT, /* "none" */
	KH_ENDED_OK,
	KH_ENDED_FAILED,
	KH_ENDED_UNKNOWN,  /* it began and was cut off: whether it took place is not known */
	KH_ENDED_DENIED,   /* a supervisor, a model or the policy said no after it was declared */
	KH_ENDED_REJECTED, /* a human said no after it was declared */
	KH_ENDED_EXPIRED,  /* nobody decided, or its task ended before it was called */
};
extern const struct kh_words kh_rows_ended_words;

/* What models said of a call (K7, tiers 2 and 3). */
enum kh_triage { KH_TRIAGE_NOT, KH_TRIAGE_ALLOW, KH_TRIAGE_DENY, KH_TRIAGE_PASS };
extern const struct kh_words kh_rows_triage_words;

struct kh_declaration_row {
	int64_t id, revision;
	int64_t task, context;
	int64_t prev; /* the context's declaration before this one */
	enum kh_declaration_state state;
	enum kh_ended ended;               /* set from READY on */
	struct kh_view operation;          /* "comm.fetch" */
	struct kh_view parameters;         /* canonical JSON, as the Controller wrote them */
	struct kh_view justification;      /* likewise */
	struct kh_digest arguments;        /* of the parameters (grant.h) */
	struct kh_digest content;          /* of what they refer to by {"$block": id}; zero: nothing */
	struct kh_view host;               /* the host that it goes to; empty: none */
	int64_t screened;                  /* 1: the declaration has findings, a human decides (E3) */
	int64_t fenced;                    /* 1: the content is to be given to the context inside a fence (E12) */
	int64_t asks;                      /* the approval that was asked for last, of either kind */
	int64_t approval;                  /* the one for what was declared; several declarations may share it (E6) */
	int64_t verified;                  /* the approval by which a human or a supervisor allowed it (K7); 0: none */
	enum kh_triage triage, supervised; /* what the models of tiers 2 and 3 said */
	int64_t verify_at;                 /* when a model was asked first: slots are counted from it; 0: none was */
	int64_t verdict_at;         /* the slot from which what it said counts (B17); 0: it has not said anything */
	int64_t replaced;           /* the declaration that a reviewer put in place of this one (E6) */
	int64_t modified;           /* the declaration that a reviewer replaced by this one */
	int64_t egress;             /* bytes that it added to the task's egress */
	int64_t reader_egress;      /* bytes that models behind a network were sent to verify it (E5) */
	uint64_t reserved, charged; /* microbits of its outcome and time (B8) */
	int64_t holder;             /* the process that carries it out (store.h) */
	int64_t taken_at;           /* of a host's own tool: when a caller was told, once, that it may call it (K11) */
	int64_t working;            /* 1: as far as is known its worker has not ended, even if its task has */
	int64_t block;              /* its result, sealed */
	int64_t fault; /* of an upstream's tool that failed: a sealed block with what it said of that; 0: none */
	int64_t declared_at, begun_at, ended_at;
	int64_t wall_ms; /* milliseconds from its beginning to its last slot: a little more than it may run */
	int64_t release_at;
	struct kh_view reason; /* for humans: the gate's code, or why it ended as it did */
};

/* What came back besides the block: text from outside, for humans only (E12).  Purged with the block's content (L5). */
struct kh_result_row {
	int64_t id, revision;
	int64_t declaration, task;
	struct kh_digest original_hash; /* zero: the block's content is what came back, unchanged */
	struct kh_view original;        /* sealed: what came back, if the block holds text made from it */
	struct kh_view details;         /* sealed: JSON: status, final URL, type, length, errors */
	int64_t created_at, expires_at, purged_at;
};

/* The rate of an operation in a context (E5). */
struct kh_rate_row {
	int64_t id, revision;
	int64_t context;
	struct kh_view operation;
	struct kh_view quota; /* state, as text (quotatext.h of the engine) */
};

/* What a token's calls sent in one parameter (core/block/sent.h); an empty name: in all. */
struct kh_sent_row {
	int64_t id, revision;
	int64_t token;
	struct kh_view name;          /* operation and path */
	struct kh_view lines;         /* sealed: the pieces, folded */
	struct kh_view last;          /* sealed: the latest value, folded */
	int64_t moving;               /* 1: the latest value was not the one before */
	int64_t prefix, suffix;       /* bytes of the latest value that were left out as constant */
	int64_t same_start, same_end; /* bytes that it has in common with the one before */
	int64_t calls;
	int64_t fallen; /* bytes that are no longer in lines */
	int64_t changed_at;
};

/*
 * What a context has sent to an upstream server since a human reset the context, as far as it matters for what may come
 * back from there (U6).  There is no row for one that has sent only what a low taint permits.
 */
struct kh_dealing_row {
	int64_t id, revision;
	int64_t context;
	struct kh_view server; /* its name in the configuration */
	int64_t tainted;       /* 1: arguments, when the context's taint was above low, or sealed content in them */
	int64_t carried;       /* 1: sealed content that was put into arguments */
};

/* A page of an approval's text that was shown to a principal (A6). */
struct kh_showing_row {
	int64_t id, revision;
	int64_t approval, token, page, shown_at;
};

/* Totals and rates of a Reader (B6, B9). */
struct kh_reader_row {
	int64_t id, revision;
	struct kh_view name;
	uint64_t queries_1, queries_2, queries_3;
	uint64_t total_1, total_2, total_3;       /* microbits reserved or charged */
	struct kh_view quota_1, quota_2, quota_3; /* state of the rates, as text (quotatext.h of the engine) */
};

/* How far a human has agreed to what an upstream server offers (U4). */
enum kh_pin {
	KH_PIN_SEEN,     /* nobody has approved it yet */
	KH_PIN_APPROVED, /* what is approved is what was seen last */
	KH_PIN_HELD, /* it was approved, and was seen to differ since: a human has to look, even if it changes back */
};
extern const struct kh_words kh_rows_pin_words;

/* An upstream MCP server: as it was approved, and as it was last seen (U4). */
struct kh_upstream_row {
	int64_t id, revision;
	struct kh_view name;                    /* in the configuration */
	struct kh_digest program, seen_program; /* of what is run, or of where it is called; zero: none was approved */
	enum kh_pin state;
	struct kh_view about, seen_about; /* sealed: JSON: what the server says of itself, with its instructions */
	int64_t seen_at, approved_at, approved_by; /* BY: a token */
};

/* One tool of an upstream server.  An empty `pinned` was never approved; an empty `seen` is no longer offered. */
struct kh_tool_row {
	int64_t id, revision;
	int64_t upstream;
	struct kh_view alias; /* its name for Controllers, [A-Za-z0-9_-]{1,64}; given when it is first approved */
	struct kh_view name;  /* sealed: the server's own name for it */
	struct kh_digest pinned_hash, seen_hash;
	enum kh_pin state;
	struct kh_view pinned, seen; /* sealed: canonical JSON of all that the server says of it */
	struct kh_view words;        /* sealed: the reviewer's own description; empty: the server's */
	int64_t seen_at, approved_at, approved_by;
};

/*
 * Which process runs an upstream server for a context, if several have the store open (U1).  Its holder counts as long as
 * it is alive, so a lease is never taken from one that lives.
 */
struct kh_lease_row {
	int64_t id, revision;
	int64_t context;       /* 0: of a server that all contexts share */
	struct kh_view server; /* its name in the configuration */
	int64_t holder;        /* the process that has it (store.h); 0: nobody */
	int64_t wanted;        /* 1: a call in another process waits until it is given back */
};

/* The lowest category that was asked about one thing in a task (B19). */
struct kh_need_row {
	int64_t id, revision;
	int64_t task;
	struct kh_view name; /* "content:HASH", "origin:...", "need:..." (query/about.h of the engine) */
	int64_t lowest;
};

#endif
