/*
 * Readers: those who read sealed content and answer (I3).  Here are the drivers; a Reader that is an agent with a token
 * needs none, its queries wait in the store.  What others know of a Reader is core/bcp/reader.h.
 *
 * A driver is given one ask: the query of one round, the sealed blocks, and nothing else; each ask is a fresh context.
 * What it gives back is tainted and means nothing until kh_answer_judge() has seen it.  A Reader can send an answer
 * and nothing else; late, dead or garbage is a fault, and a fault is a failed try.
 */
#ifndef KH_READER_READER_H
#define KH_READER_READER_H

#include "core/bcp/reader.h"
#include "core/comm/attribution.h"

struct kh_client; /* of an executor */

/* What a driver needs of the configuration and this process; `extract` nothing. */
struct kh_reader_settings {
	const struct kh_client *client; /* the executor */
	const struct kh_view *argv;     /* command: argv[0] is an absolute path */
	size_t argc;
	const struct kh_view *read; /* command: what it sees besides the system's programs and itself, read-only */
	size_t reads;
	/* openai, anthropic: see struct kh_config_reader */
	struct kh_view url, model, authority;
	struct kh_view key; /* the secret itself, wiped by whoever made the Reader; empty: none */
	bool local, schema;
	uint64_t max_tokens, retries;
	uint64_t timeout_ms; /* 0: 30 s */
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
