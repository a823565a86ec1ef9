/*
 * Readers: they read sealed content and answer (I3).  Here are the drivers; a Reader that is an agent with a token
 * needs none, because its queries wait in the store.  core/bcp/reader.h has what others need to know of a Reader.
 *
 * A driver gets one ask: the query of one round, the sealed blocks, and nothing else; each ask is a fresh context.
 * What it returns is tainted and has no effect until kh_answer_judge() has checked it.  A Reader can only send an
 * answer; late, dead or garbage is a fault, and a fault is a failed try.
 */
#ifndef KH_READER_READER_H
#define KH_READER_READER_H

#include "core/bcp/reader.h"
#include "core/comm/attribution.h"

struct kh_client; /* of an executor */

/* What a driver needs from the configuration and this process; `extract` needs nothing. */
struct kh_reader_settings {
	const struct kh_client *client; /* the executor */
	const struct kh_view *argv;     /* command: argv[0] is an absolute path */
	size_t argc;
	const struct kh_view *read; /* command: what it can read besides the system's programs and itself */
	size_t reads;
	/* openai, anthropic: see struct kh_config_reader */
	struct kh_view url, model, authority;
	struct kh_view key; /* the secret itself, wiped by the owner of the Reader; empty: none */
	bool local, schema;
	uint64_t max_tokens, retries;
	uint64_t timeout_ms; /* 0: 30 s */
};

extern const struct kh_reader_driver kh_reader_extract;   /* extract.c */
extern const struct kh_reader_driver kh_reader_typed;     /* typed.c */
extern const struct kh_reader_driver kh_reader_command;   /* command.c */
extern const struct kh_reader_driver kh_reader_openai;    /* openai.c */
extern const struct kh_reader_driver kh_reader_anthropic; /* anthropic.c */

/*
 * Verifies every block's attribution for its content (E10), for a Reader that nothing is sent to.  KH_ECHANGED if one
 * is not what was sealed.
 */
enum kh_err kh_reader_prove(struct kh_arena *arena, const struct kh_reader_ask *ask, struct kh_error *err) KH_CHECKED;

/* Every block in its fence, as text, each with a nonce of its own; verified first, as below. */
enum kh_err kh_reader_fences(struct kh_arena *arena, const struct kh_reader_ask *ask, struct kh_view **ret_texts,
			     struct kh_error *err) KH_CHECKED;

/*
 * The message for a Reader that is a program or an agent, as one JSON object on one line: the `bcp_query` of B24 with
 * two more members, `prompt` (K4) and `context`: a list with every block in its fence, as text (E11; `rendered` of
 * fence.h, because whoever passes the object to a model must not pass the bare content beside the fenced one).  Each
 * fence has a nonce of its own.  Verifies each block's attribution for its content and the task first: KH_ECHANGED with
 * code `changed` if one is not what was sealed.
 */
enum kh_err kh_reader_message(struct kh_arena *arena, const struct kh_reader_ask *ask, struct kh_view *ret_json,
			      struct kh_error *err) KH_CHECKED;

#endif
