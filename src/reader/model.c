/*
 * One ask of a model behind an API.
 *
 * The server is assumed to be the attacker, and so is the model, because it has read what the attacker wrote.  The
 * response is kept, counted and passed on as tainted; from the headers only a type and a time to wait are read.  The
 * executor may die at any moment.  The only state is in the caller's arena, so any number of asks can run at once over
 * one client.
 */
#include "reader/model.h"

#include "base/buf.h"
#include "base/clock.h"
#include "core/bcp/message.h"
#include "core/block/prompt.h"
#include "core/comm/url.h"
#include "reader/answer_schema.h"
#include "reader/retry.h"
#include "reader/turn.h"
#include "wire/header.h"

#define MESSAGE 160 /* bytes of a server's error message that are shown */
#define ECHO    8   /* bytes of the key that must not be in it */

struct asking {
	struct kh_turn turn;
	const struct kh_model_api *api;
	struct kh_fetch fetch;
	struct kh_view secret; /* the header with the key, to be wiped */
	unsigned tries;
	bool waits_too_long; /* the server asks to wait beyond the deadline */
};

/* --- the request -------------------------------------------------------------------------------------------------- */

struct kh_view kh_model_prompt(const struct kh_reader_ask *ask)
{
	return ask->prompt.n > 0 ? ask->prompt : kh_prompt_find(KH_LIT("reader"))->text;
}

uint64_t kh_model_tokens(const struct kh_reader *reader, const struct kh_query *query)
{
	/* Two bytes a token, because names and numbers have few letters per token. */
	return reader->settings->max_tokens > 0 ? reader->settings->max_tokens
						: KH_MODEL_TOKENS + kh_answer_schema_bytes(query) / 2;
}

enum kh_err kh_model_message(struct kh_arena *arena, const struct kh_reader_ask *ask, struct kh_view *ret_text,
			     struct kh_error *err)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	struct kh_view *fences, query;
	struct kh_buf text;
	enum kh_err e = kh_reader_fences(arena, ask, &fences, err);

	if (e == KH_OK)
		e = kh_json_write(arena, kh_message_query(doc, ask->query, ask->id, ask->from), &query);
	if (e != KH_OK)
		return e;
	kh_buf_init(&text, arena, SIZE_MAX);
	if (ask->again.n > 0) {
		kh_buf_lit(&text, "This query is asked again. What came of the last try: ");
		kh_buf_add(&text, ask->again);
		kh_buf_lit(&text, "\n\n");
	}
	kh_buf_lit(&text, "The query:\n");
	kh_buf_add(&text, query);
	kh_buf_lit(&text, "\n\nThe content that it is about, each piece between two fences:\n");
	for (size_t i = 0; i < ask->block_count; i++) {
		kh_buf_byte(&text, '\n');
		kh_buf_add(&text, fences[i]);
	}
	kh_buf_lit(&text, "\nThat was all of the content. Answer the query that stands before it, from the content "
			  "alone, with the one JSON object that is asked for.\n");
	return kh_buf_end(&text, ret_text);
}

/* The request's body. */
static enum kh_err make_body(struct asking *a)
{
	struct kh_error err = {.offset = SIZE_MAX};
	struct kh_view message, *body = &a->turn.talk->input[0];
	enum kh_err e = kh_turn_made(&a->turn, kh_model_message(a->turn.arena, a->turn.ask, &message, &err), &err);

	if (kh_turn_goes_on(&a->turn, e))
		e = a->api->request(a->turn.arena, a->turn.reader, a->turn.ask, message, body);
	if (e == KH_OK && body->n > KH_REQUEST_BODY)
		kh_turn_fail(&a->turn, KH_READER_DEAD, KH_LIT("the content is longer than a request can be"));
	return e;
}

static void add_header(struct kh_fetch *fetch, struct kh_view header)
{
	if (header.n > 0)
		fetch->header[fetch->headers++] = header;
}

/* The request to the executor, except for the time; false if there is no executor, or the Reader's URL is not valid. */
static bool describe(struct asking *a)
{
	const struct kh_reader *reader = a->turn.reader;
	struct kh_fetch *fetch = &a->fetch;
	struct kh_url url;

	if (reader->settings->client == NULL ||
	    kh_url_read_web(reader->settings->url, reader->settings->local, &url, NULL) != KH_OK ||
	    reader->settings->key.n > KH_MODEL_KEY)
		return false;
	*fetch = (struct kh_fetch){.url = reader->settings->url,
				   .method = KH_METHOD_POST,
				   .plain = reader->settings->local,
				   .authority = reader->settings->authority,
				   .limits.output = KH_MODEL_ANSWER};
	if (reader->settings->local)
		fetch->host[fetch->hosts++] = kh_request_host(a->turn.arena, url.host, url.port);
	add_header(fetch, KH_LIT("Content-Type: application/json"));
	add_header(fetch, KH_LIT("Accept: application/json"));
	for (size_t i = 0; i < KH_MODEL_HEADERS; i++)
		add_header(fetch, a->api->headers[i]);
	if (reader->settings->key.n > 0)
		a->secret = kh_arena_printf(a->turn.arena, "%.*s%.*s", KH_FMT(a->api->key_header),
					    KH_FMT(reader->settings->key));
	add_header(fetch, a->secret);
	return true;
}

/* --- the response ------------------------------------------------------------------------------------------------- */

/* True if the response is of TYPE, whatever parameters follow it. */
static bool is_type(const struct asking *a, struct kh_view type)
{
	struct kh_view value = {NULL, 0};

	if (!kh_header_find(kh_tainted_open(a->turn.talk->head.headers), KH_LIT("Content-Type"), &value))
		return false;
	return kh_view_eq_nocase(kh_view_trim(kh_view_sub(value, 0, kh_view_find(value, KH_LIT(";"), 0))), type);
}

/* How long the server asks to wait; -1 if it does not. */
static int64_t asked_wait_ms(const struct asking *a)
{
	struct kh_view value;
	int64_t ms;

	if (!kh_header_find(kh_tainted_open(a->turn.talk->head.headers), KH_LIT("Retry-After"), &value) ||
	    !kh_retry_after_ms(value, kh_clock_wall_us() / 1000000, &ms))
		return -1;
	return ms;
}

/* True if TEXT contains a piece of the key that is long enough to matter. */
static bool repeats_key(const struct asking *a, struct kh_view text)
{
	struct kh_view key = a->turn.reader->settings->key;
	size_t piece = key.n < ECHO ? key.n : ECHO;

	for (size_t i = 0; key.n > 0 && i + piece <= key.n; i++)
		if (kh_view_find(text, kh_view_sub(key, i, i + piece), 0) != SIZE_MAX)
			return true;
	return false;
}

/*
 * The server's own explanation of an error: {"error": {"message": ...}}, quoted and cut.  Not if the error is about the
 * key, because servers often repeat the key there.
 */
static struct kh_view words_of(struct asking *a)
{
	unsigned status = a->turn.talk->head.status;
	yyjson_val *root = NULL;

	if (status == 401 || status == 403 ||
	    kh_json_read(a->turn.arena, kh_tainted_open(a->turn.talk->output), &root, NULL) != KH_OK)
		return KH_LIT("");
	struct kh_view message = kh_json_str(kh_json_get(kh_json_get(root, "error"), "message"));
	message = kh_view_sub(message, 0, MESSAGE); /* the rest is not shown, so it need not be searched */
	if (message.n == 0 || repeats_key(a, message))
		return KH_LIT("");
	return kh_arena_printf(a->turn.arena, "; it says %.*s",
			       KH_FMT(kh_arena_quote_most(a->turn.arena, message, MESSAGE)));
}

static const char *meaning_of(unsigned status)
{
	if (status == 401 || status == 403)
		return " (the key was not accepted)";
	if (status == 429)
		return " (too many requests)";
	if (status >= 300 && status < 400)
		return " (it leads elsewhere, and is not followed)";
	return "";
}

static void take_status(struct asking *a)
{
	unsigned status = a->turn.talk->head.status;
	struct kh_view hint = {NULL, 0};
	const char *again = a->waits_too_long ? ", and asks to wait longer than there is time"
			    : a->tries > 1    ? ", each time it was asked"
					      : "";

	if ((status == 404 || status == 405) && !kh_view_ends(a->turn.reader->settings->url, a->api->path))
		hint = kh_arena_printf(a->turn.arena, " (the URL of such an endpoint ends with %.*s)",
				       KH_FMT(a->api->path));
	kh_turn_fail(&a->turn, KH_READER_DEAD,
		     kh_arena_printf(a->turn.arena, "the endpoint answered with status %u%s%.*s%s%.*s", status,
				     meaning_of(status), KH_FMT(hint), again, KH_FMT(words_of(a))));
}

/* Reports a fault of the exchange; true if there was none. */
static bool take_end(struct asking *a)
{
	enum kh_fault fault = a->turn.talk->end.fault;

	if (a->turn.talk->how == KH_CONVERSE_UNMADE)
		kh_turn_fail(&a->turn, KH_READER_DEAD,
			     kh_arena_printf(a->turn.arena, "it could not be asked: %s", a->turn.talk->err.detail));
	else if (a->turn.talk->how == KH_CONVERSE_LATE)
		kh_turn_fail(&a->turn, KH_READER_LATE,
			     KH_LIT("no answer came in its time, and the executor did not end it"));
	else if (a->turn.talk->how == KH_CONVERSE_ENDED && fault == KH_FAULT_TIME)
		kh_turn_fail(&a->turn, KH_READER_LATE,
			     a->turn.talk->head.status == 0 ? KH_LIT("no answer came in its time")
							    : KH_LIT("an answer began and did not end in its time"));
	else if (a->turn.talk->how != KH_CONVERSE_ENDED || fault == KH_FAULT_OUTPUT || fault == KH_FAULT_HEADERS)
		kh_turn_fail(&a->turn, KH_READER_GARBAGE, KH_LIT("it sent more than an answer can have"));
	else if (fault != KH_FAULT_NONE)
		kh_turn_fail(&a->turn, KH_READER_DEAD, kh_converse_why(a->turn.talk));
	return a->turn.fault == KH_READER_OK;
}

enum kh_err kh_model_answer(struct kh_arena *arena, const struct kh_query *query, struct kh_tainted body,
			    kh_model_find_fn *find, struct kh_tainted *ret_response, struct kh_view *ret_why)
{
	yyjson_val *root = NULL, *said = NULL;
	struct kh_view json = {NULL, 0};
	const char *why = "not JSON";
	enum kh_err e = kh_json_read(arena, kh_tainted_open(body), &root, NULL);

	if (e == KH_OK) {
		why = NULL;
		e = find(arena, root, &said, &why);
	}
	if (e == KH_OK && said != NULL)
		e = kh_answer_schema_restore(arena, query, said, &json);
	if (e == KH_ENOMEM || (e != KH_OK && why == NULL))
		return e;
	*ret_why = why != NULL ? kh_view_str(why) : KH_LIT("");
	*ret_response = kh_tainted_wrap(json);
	return KH_OK;
}

/* Takes the answer out of the body of a good response. */
static enum kh_err take_answer(struct asking *a)
{
	struct kh_tainted response = {{NULL, 0}};
	struct kh_view why = {NULL, 0};
	enum kh_err e = KH_OK;

	if (is_type(a, KH_LIT("text/event-stream")))
		why = KH_LIT("it streams, which it was not asked to");
	else if (!is_type(a, KH_LIT("application/json")))
		why = KH_LIT("its answer is of another type than application/json");
	else
		e = kh_model_answer(a->turn.arena, a->turn.ask->query, a->turn.talk->output, a->api->find, &response,
				    &why);
	if (e != KH_OK)
		return e;
	if (why.n == 0 && a->turn.reader->settings->key.n > 0 &&
	    kh_view_find(kh_tainted_open(response), a->turn.reader->settings->key, 0) != SIZE_MAX)
		why = KH_LIT("it repeats the key");
	if (why.n > 0)
		kh_turn_fail(&a->turn, KH_READER_GARBAGE, why);
	else
		a->turn.response = response;
	return KH_OK;
}

/* --- retries ------------------------------------------------------------------------------------------------------ */

/* True if the last request is to be sent again; has waited before it returns. */
static bool is_again(struct asking *a)
{
	int64_t left = a->turn.talk->deadline_ms - kh_clock_ms(), wait = asked_wait_ms(a);

	a->tries++;
	if (!kh_retry_is_due(a->turn.talk->head.status) || a->tries > a->turn.reader->settings->retries)
		return false;
	int64_t pause = kh_retry_pause_ms(a->tries, a->turn.ask->nonce[a->tries % sizeof(a->turn.ask->nonce)]);
	if (pause < wait)
		pause = wait;
	if (pause >= left) { /* the time would be over before the answer */
		a->waits_too_long = wait >= left;
		return false;
	}
	kh_converse_pause(pause);
	return true;
}

static enum kh_err request_all(struct asking *a)
{
	enum kh_err e;

	do
		e = kh_converse_run(a->turn.talk);
	while (e == KH_OK && is_again(a));
	if (e != KH_OK)
		return e;
	/* For a response that is not an answer, the status says more than how its body ended. */
	if (a->turn.talk->head.status != 0 && a->turn.talk->head.status != 200)
		take_status(a);
	else if (take_end(a))
		return take_answer(a);
	return KH_OK;
}

enum kh_err kh_model_ask(const struct kh_reader *reader, struct kh_arena *arena, const struct kh_reader_ask *ask,
			 struct kh_tainted *ret_response, enum kh_reader_fault *ret_fault, struct kh_view *ret_detail)
{
	struct asking a = {.api = reader->driver->api};

	if (!kh_turn_init(&a.turn, reader, arena, ask, KH_MODEL_TIMEOUT_MS, KH_MODEL_ANSWER))
		return KH_ENOMEM;
	a.turn.talk->fetch = &a.fetch;
	enum kh_err e = make_body(&a);
	if (kh_turn_goes_on(&a.turn, e) && !describe(&a))
		kh_turn_fail(&a.turn, KH_READER_DEAD, KH_LIT("it is not configured so that it could be asked"));
	if (e == KH_OK)
		e = kh_arena_check(arena);
	if (kh_turn_goes_on(&a.turn, e))
		e = request_all(&a);
	if (a.secret.n > 0)
		explicit_bzero((void *)(uintptr_t)a.secret.p, a.secret.n);
	return kh_turn_end(&a.turn, e, ret_response, ret_fault, ret_detail);
}
