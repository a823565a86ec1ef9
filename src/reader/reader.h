/*
 * Readers: those who read sealed content and answer (I3).  This is the interface of the drivers; a Reader that is an
 * agent with a token needs none, its queries wait in the store.
 *
 * A driver is given one ask: the query of one round, the sealed blocks, and nothing else; each ask is a fresh context.
 * What it gives back is tainted and means nothing until kh_answer_judge() has seen it.  A Reader can send an answer
 * and nothing else; late, dead or garbage is a fault, and a fault is a failed try.
 */
#ifndef KH_READER_READER_H
#define KH_READER_READER_H

#include "base/tainted.h"
#include "core/bcp/query.h"
#include "core/comm/attribution.h"
#include "core/policy/words.h"

struct kh_client; /* of an executor */

struct kh_reader_block {
	struct kh_view id;          /* public */
	struct kh_view attribution; /* canonical JSON */
	struct kh_tainted content;
};

struct kh_reader_ask {
	struct kh_view id;            /* what the Reader sees as query_id */
	struct kh_view from;          /* the Controller's name */
	struct kh_view task;          /* public id: the session of the attributions */
	const struct kh_query *query; /* of this round */
	const struct kh_reader_block *blocks;
	size_t block_count;
	struct kh_view prompt;   /* what the Reader is told to be; empty: a Reader (K4) */
	unsigned char nonce[16]; /* fresh: of the fences */
	int64_t now;
};

enum kh_reader_fault {
	KH_READER_OK,
	KH_READER_LATE,    /* no answer in its time */
	KH_READER_DEAD,    /* it ended without one, or could not be started */
	KH_READER_GARBAGE, /* something else came */
	KH_READER_LOST,    /* the process that asked died (recover.h) */
	KH_READER_CHANGED, /* a sealed block is not what was sealed: it was not asked */
};
extern const struct kh_words kh_reader_fault_words;

struct kh_reader;

struct kh_reader_driver {
	const char *name; /* "extract", "command", "openai", "anthropic" */
	bool pure;        /* an answer is a function of the ask: asking twice does no harm */
	bool quick;       /* and it waits for nothing: a few KiB of content take microseconds */
	/*
	 * Asks and waits.  The response lives in the arena.  Fails only for lack of memory or by a fault of our own;
	 * what a Reader does wrong is *RET_FAULT, with a sentence in DETAIL for humans.  From any thread.
	 */
	enum kh_err (*ask)(const struct kh_reader *reader, struct kh_arena *arena, const struct kh_reader_ask *ask,
			   struct kh_tainted *ret_response, enum kh_reader_fault *ret_fault,
			   struct kh_view *ret_detail);
};

/* A configured Reader. */
struct kh_reader {
	struct kh_view name; /* what a query's `target` names */
	const struct kh_reader_driver *driver;
	const struct kh_client *client; /* the executor; extract: NULL */
	const struct kh_view *argv;     /* command: argv[0] is an absolute path */
	size_t argc;
	const struct kh_view *read; /* command: what it sees besides the system's programs and itself, read-only */
	size_t reads;
	/* openai, anthropic: see struct kh_config_reader */
	struct kh_view url, model, authority;
	struct kh_view key; /* the secret itself, wiped by whoever made the Reader; empty: none */
	bool local, schema;
	uint64_t max_tokens, retries;
	uint64_t timeout_ms;      /* 0: 30 s */
	uint64_t concurrency;     /* asked at once by one process; 0: no limit */
	bool triages, supervises; /* it verifies calls, too: tier 2, tier 3 (K7) */
};

extern const struct kh_reader_driver kh_reader_extract;   /* extract.c */
extern const struct kh_reader_driver kh_reader_command;   /* command.c */
extern const struct kh_reader_driver kh_reader_openai;    /* openai.c */
extern const struct kh_reader_driver kh_reader_anthropic; /* anthropic.c */

/*
 * Proves every block's attribution for its content (E10), for a Reader that is sent nothing.  KH_ECHANGED where one is
 * not what was sealed.
 */
enum kh_err kh_reader_prove(struct kh_arena *arena, const struct kh_reader_ask *ask, struct kh_error *err) KH_CHECKED;

/* Every block in its fence, as text, each with a nonce of its own; proved first, as below. */
enum kh_err kh_reader_fences(struct kh_arena *arena, const struct kh_reader_ask *ask, struct kh_view **ret_texts,
			     struct kh_error *err) KH_CHECKED;

/*
 * What a Reader that is a program or an agent is sent, as one JSON object on one line: the `bcp_query` of B24 with two
 * members more, `prompt` (K4) and `context`: a list with every block in its fence, as text (E11; `rendered` of fence.h,
 * because whoever hands the object to a model must not hand it the bare content beside the fenced).  Each fence has a
 * nonce of its own.  Proves each block's attribution for its content and the task first: KH_ECHANGED with code
 * `changed` where one is not what was sealed.
 */
enum kh_err kh_reader_message(struct kh_arena *arena, const struct kh_reader_ask *ask, struct kh_view *ret_json,
			      struct kh_error *err) KH_CHECKED;

#endif
