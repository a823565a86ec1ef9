/*
 * What the drivers of models behind an API have in common (I3): the prompt, how the request is sent, and how the
 * response is read.
 *
 * The request goes through the executor's `http` worker: this process has no connection of its own.  Each ask is one
 * request that contains nothing of an earlier one: the Reader's prompt, the query, the blocks in their fences, and the
 * form of the answer.
 *
 *     late      no complete answer in its time, including all retries
 *     dead      the endpoint cannot be reached, cuts off, answers with another status than 200
 *     garbage   something else than an answer: too much, no JSON, another type of content, a refusal, an answer that
 *               was cut, a call of a tool
 *
 * In the sentence for humans, text of the server is only ever quoted and cut: its error message, if the error is not
 * about the key.  The key goes into one header and nowhere else: an answer that repeats it is garbage.
 */
#ifndef KH_READER_MODEL_H
#define KH_READER_MODEL_H

#include "reader/reader.h"

#define KH_MODEL_TIMEOUT_MS 30000         /* if a Reader has none */
#define KH_MODEL_ANSWER     (1024U << 10) /* bytes of a response's body */
#define KH_MODEL_HEADERS    4
#define KH_MODEL_KEY        2048 /* bytes of a key */
#define KH_MODEL_TOKENS     512  /* of an answer, in addition to those that its form can need */

/* The object that the model answered with, in ROOT of a response; NULL and the reason if there is none.  KH_ENOMEM. */
typedef enum kh_err kh_model_find_fn(struct kh_arena *arena, yyjson_val *root, yyjson_val **ret_said, const char **why);

/* An API.  Both functions are pure, and fail only for lack of memory. */
struct kh_model_api {
	struct kh_view key_header;                /* "Authorization: Bearer ": the key is appended to this */
	struct kh_view headers[KH_MODEL_HEADERS]; /* the other headers; empty ones are skipped */
	struct kh_view path;                      /* how the URL of an endpoint ends, as a hint if it is missing */
	enum kh_err (*request)(struct kh_arena *arena, const struct kh_reader *reader, const struct kh_reader_ask *ask,
			       struct kh_view message, struct kh_view *ret_body);
	kh_model_find_fn *find;
};

/* What the model reads: the query as JSON, the fenced blocks, and a closing line.  KH_ECHANGED as kh_reader_message. */
enum kh_err kh_model_message(struct kh_arena *arena, const struct kh_reader_ask *ask, struct kh_view *ret_text,
			     struct kh_error *err) KH_CHECKED;

/* The model's instructions: the ask's own prompt, or the Reader's (K4). */
struct kh_view kh_model_prompt(const struct kh_reader_ask *ask);

/* The limit of an answer in tokens: the Reader's own, or one computed from the query. */
uint64_t kh_model_tokens(const struct kh_reader *reader, const struct kh_query *query);

/*
 * The answer in BODY, a response of an API.  *RET_WHY is empty and *RET_RESPONSE the answer in the form of bcp.txt, or
 * *RET_WHY says why there is none.
 */
enum kh_err kh_model_answer(struct kh_arena *arena, const struct kh_query *query, struct kh_tainted body,
			    kh_model_find_fn *find, struct kh_tainted *ret_response,
			    struct kh_view *ret_why) KH_CHECKED;

/* kh_reader_driver.ask of every driver for a model. */
enum kh_err kh_model_ask(const struct kh_reader *reader, struct kh_arena *arena, const struct kh_reader_ask *ask,
			 struct kh_tainted *ret_response, enum kh_reader_fault *ret_fault,
			 struct kh_view *ret_detail) KH_CHECKED;

#endif
