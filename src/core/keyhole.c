/*
 * The public API, include/keyhole/keyhole.h, over the parts of the core.  Nothing is decided here: this file parses
 * texts, calls the right part, and returns its output.
 */
#include "base/call.h"
#include "base/canonical.h"
#include "base/member.h"
#include "base/tainted.h"
#include "core/bcp/answer.h"
#include "core/bcp/contract.h"
#include "core/block/contract.h"
#include "core/comm/contract.h"
#include "core/policy/contract.h"
#include "core/screen/contract.h"
#include "core/screen/screen.h"

#define CALL_LIMIT (1024U << 20) /* bytes that one call may use */

struct kh {
	const struct kh_alloc *alloc;
	struct kh_arena arena; /* of the current call */
	struct kh_rules *rules;
	struct kh_screen *screen; /* NULL until it is first needed */
};

struct kh_text {
	const struct kh_alloc *alloc;
	size_t n;
	char p[];
};

struct kh_prepared {
	struct kh *kh;
	struct kh_arena arena; /* of the query */
	struct kh_query query;
};

const char *kh_version(void)
{
	return KH_VERSION;
}

enum kh_err kh_new(const struct kh_alloc *alloc, struct kh **ret_kh)
{
	const struct kh_alloc *used = alloc ? alloc : &kh_alloc_system;
	struct kh *kh = kh_alloc_zero(used, sizeof(*kh));

	if (kh == NULL)
		return KH_ENOMEM;
	kh->alloc = used;
	kh_arena_init(&kh->arena, used, CALL_LIMIT);
	*ret_kh = kh;
	return KH_OK;
}

void kh_free(struct kh *kh)
{
	if (kh == NULL)
		return;
	kh_screen_free(kh->screen);
	kh_rules_free(kh->rules);
	kh_arena_done(&kh->arena);
	kh_alloc_free(kh->alloc, kh, sizeof(*kh));
}

/* The screen, compiled when it is first needed. */
static enum kh_err need_screen(struct kh *kh, struct kh_error *err)
{
	enum kh_err e = KH_OK;

	if (kh->rules == NULL)
		e = kh_rules_new(kh->alloc, NULL, 0, &kh->rules, err);
	if (e == KH_OK && kh->screen == NULL)
		e = kh_screen_new(kh->alloc, kh->rules, &kh->screen);
	return e;
}

static enum kh_err give_text(struct kh *kh, struct kh_view v, struct kh_text **ret_text)
{
	struct kh_text *text = kh->alloc->resize(kh->alloc->ctx, NULL, 0, sizeof(*text) + v.n + 1);

	if (text == NULL)
		return KH_ENOMEM;
	*text = (struct kh_text){.alloc = kh->alloc, .n = v.n};
	memcpy(text->p, v.p, v.n);
	text->p[v.n] = '\0';
	*ret_text = text;
	return KH_OK;
}

struct kh_view kh_text_view(const struct kh_text *text)
{
	return kh_view_of(text->p, text->n);
}

void kh_text_free(struct kh_text *text)
{
	if (text != NULL)
		kh_alloc_free(text->alloc, text, sizeof(*text) + text->n + 1);
}

/* C7: the policy's text, the name of its file if there is one, and the request. */
static enum kh_err explain(struct kh_call *call, yyjson_val *in, yyjson_mut_val **ret_out, struct kh_error *err)
{
	enum { POLICY, FILE_NAME, REQUEST, COUNT };
	struct kh_member m[COUNT] = {{.name = "policy"}, {.name = "file"}, {.name = "request"}};
	struct kh_reasons errors;

	kh_reasons_init(&errors, call->arena);
	kh_member_take(in, m, COUNT, KH_LIT(""), &errors);
	struct kh_view policy = kh_member_string(&m[POLICY], true, KH_LIT(""), &errors);
	struct kh_view file = kh_member_string(&m[FILE_NAME], false, KH_LIT(""), &errors);
	if (call->arena->failed)
		return KH_ENOMEM;
	if (errors.n > 0)
		return kh_error_reason(err, KH_EINPUT, &errors);
	if (m[REQUEST].val == NULL)
		return kh_error_set(err, KH_EINPUT, "missing", "request is required");
	return kh_policy_contract_explain(call, policy, file.p ? file : KH_LIT("policy"), m[REQUEST].val, ret_out, err);
}

static const struct command {
	kh_call_fn *fn;
	bool screens;      /* needs the screen's rules */
	bool needs_moment; /* needs a time and random bytes */
} commands[] = {
	[KH_BCP_CHECK] = {.fn = kh_bcp_contract_check},
	[KH_BCP_VALIDATE] = {.fn = kh_bcp_contract_validate, .screens = true},
	[KH_BLOCK_RENDER] = {.fn = kh_block_contract_render},
	[KH_BLOCK_PARSE] = {.fn = kh_block_contract_parse},
	[KH_BLOCK_TAINT] = {.fn = kh_block_contract_taint},
	[KH_SCREEN] = {.fn = kh_screen_contract_screen, .screens = true},
	[KH_FENCE_WRAP] = {.fn = kh_comm_contract_wrap, .needs_moment = true},
	[KH_FENCE_UNWRAP] = {.fn = kh_comm_contract_unwrap},
	[KH_COMM_CHECK] = {.fn = kh_comm_contract_check, .screens = true},
	[KH_POLICY_EXPLAIN] = {.fn = explain, .screens = true},
	[KH_SCREEN_RULES] = {.fn = kh_screen_contract_rules},
};

static enum kh_err run(struct kh *kh, const struct command *command, struct kh_view in, const struct kh_moment *moment,
		       struct kh_view *ret_out, struct kh_error *err)
{
	struct kh_call call = {.arena = &kh->arena, .screen = kh->screen};
	yyjson_mut_val *out = NULL;
	yyjson_val *root = NULL;
	enum kh_err e = kh_json_read(&kh->arena, in, &root, err);

	if (e != KH_OK)
		return e;
	if (!yyjson_is_obj(root))
		return kh_error_at(err, KH_EINPUT, "wrong_type", 0, "expected a JSON object, got %s",
				   kh_json_type(root));
	if (moment != NULL) {
		call.now = moment->now;
		memcpy(call.nonce, moment->nonce, sizeof(call.nonce));
	}
	call.doc = kh_json_new(&kh->arena);
	if (call.doc == NULL)
		return KH_ENOMEM;
	e = command->fn(&call, root, &out, err);
	return e == KH_OK ? kh_json_write(&kh->arena, out, ret_out) : e;
}

enum kh_err kh_call(struct kh *kh, enum kh_command command, struct kh_view in, const struct kh_moment *moment,
		    struct kh_text **ret_out, struct kh_error *err)
{
	struct kh_error unused;
	struct kh_view out;
	enum kh_err e = KH_OK;

	if (err == NULL)
		err = &unused;
	*err = (struct kh_error){.offset = SIZE_MAX};
	if (command < KH_BCP_CHECK || command > KH_SCREEN_RULES)
		return kh_error_set(err, KH_EUNKNOWN, "unknown_command", "no command has the number %d", (int)command);
	if (commands[command].needs_moment && moment == NULL)
		return kh_error_set(err, KH_EREFUSED, "no_moment", "this command needs the time and random bytes");
	if (commands[command].screens)
		e = need_screen(kh, err);
	kh_arena_clear(&kh->arena);
	if (e == KH_OK)
		e = run(kh, &commands[command], in, moment, &out, err);
	if (e == KH_OK)
		e = give_text(kh, out, ret_out);
	if (e != KH_OK && err->err == KH_OK)
		kh_error_set(err, e, kh_err_name(e), e == KH_ENOMEM ? "out of memory" : "the result cannot be written");
	return e;
}

enum kh_err kh_prepared_new(struct kh *kh, struct kh_view query, struct kh_prepared **ret_prepared,
			    struct kh_error *err)
{
	struct kh_prepared *prepared = kh_alloc_zero(kh->alloc, sizeof(*prepared));
	struct kh_reasons errors;
	yyjson_val *root = NULL;

	if (prepared == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	prepared->kh = kh;
	kh_arena_init(&prepared->arena, kh->alloc, CALL_LIMIT);
	kh_reasons_init(&errors, &prepared->arena);
	enum kh_err e = kh_json_read(&prepared->arena, query, &root, err);
	if (e == KH_OK)
		e = kh_query_read(&prepared->arena, root, KH_QUERY_CHECK, &prepared->query, &errors);
	if (e == KH_OK && errors.n > 0)
		e = kh_error_reason(err, KH_EREFUSED, &errors);
	if (e != KH_OK)
		kh_prepared_free(prepared);
	else
		*ret_prepared = prepared;
	return e;
}

void kh_prepared_free(struct kh_prepared *prepared)
{
	if (prepared == NULL)
		return;
	kh_arena_done(&prepared->arena);
	kh_alloc_free(prepared->kh->alloc, prepared, sizeof(*prepared));
}

unsigned kh_prepared_category(const struct kh_prepared *prepared)
{
	return prepared->query.category;
}

uint64_t kh_prepared_microbits(const struct kh_prepared *prepared)
{
	return prepared->query.bound;
}

/* The normalised response as JSON. */
static enum kh_err give_response(struct kh *kh, const struct kh_query *query, const struct kh_answer *answer,
				 struct kh_text **ret_response)
{
	yyjson_mut_doc *doc = kh_json_new(&kh->arena);
	struct kh_view text;
	enum kh_err e = KH_ENOMEM;

	if (doc != NULL)
		e = kh_json_write(&kh->arena, kh_answer_write(answer, query, doc), &text);
	return e == KH_OK ? give_text(kh, text, ret_response) : e;
}

enum kh_err kh_prepared_judge(struct kh_prepared *prepared, struct kh_view response, enum kh_verdict *ret_verdict,
			      uint64_t *ret_charged, struct kh_text **ret_response, struct kh_error *err)
{
	struct kh *kh = prepared->kh;
	struct kh_answer answer;
	struct kh_text *text = NULL;
	enum kh_err e = KH_OK;

	if (prepared->query.category > 1)
		e = need_screen(kh, err);
	kh_arena_clear(&kh->arena);
	if (e == KH_OK)
		e = kh_answer_judge(kh->screen, &kh->arena, &prepared->query, kh_tainted_wrap(response),
				    (struct kh_recent){0}, &answer);
	if (e == KH_OK && ret_response != NULL && answer.verdict != KH_VERDICT_REJECT)
		e = give_response(kh, &prepared->query, &answer, &text);
	if (e != KH_OK)
		return kh_error_set(err, e, kh_err_name(e), "out of memory");
	if (ret_response != NULL)
		*ret_response = text;
	*ret_verdict = answer.verdict;
	*ret_charged = prepared->query.bound;
	return KH_OK;
}

enum kh_err kh_canonical(struct kh *kh, struct kh_view json, struct kh_text **ret_canonical, struct kh_error *err)
{
	struct kh_view text;
	yyjson_val *root = NULL;

	kh_arena_clear(&kh->arena);
	enum kh_err e = kh_json_read(&kh->arena, json, &root, err);
	if (e == KH_OK)
		e = kh_canonical_json(&kh->arena, root, &text, err);
	return e == KH_OK ? give_text(kh, text, ret_canonical) : e;
}

void kh_digest_of(struct kh_view bytes, unsigned char ret_digest[32])
{
	struct kh_digest digest = kh_canonical_digest(bytes);

	memcpy(ret_digest, digest.bytes, sizeof(digest.bytes));
}
