/* Tokens.  A secret is shown once, when it is made, or goes into a new file; after that it is wiped from memory. */
#include "cli/tokens.h"

#include "cli/listing.h"
#include "engine/context/render_token.h"
#include "engine/task/revoke.h"

#include <sodium.h>

/* --- create ------------------------------------------------------------------------------------------------------- */

static enum kh_err take_create(struct kh_frame *f, struct kh_token_create *ret_call)
{
	const struct kh_tokens_args *a = f->args;
	unsigned role = KH_ROLE_CONTROLLER;

	if (a->role.p != NULL && !kh_words_parse(&kh_policy_role_words, a->role, &role)) {
		struct kh_view list = kh_words_list(&f->arena, &kh_policy_role_words);
		return kh_error_set(&f->err, KH_EINPUT, "bad_option", "--role is %.*s", KH_FMT(list));
	}
	*ret_call = (struct kh_token_create){
		.name = kh_view_str(f->words[0]),
		.role = (enum kh_role)role,
		.of = a->context,
		.bits = a->bits,
		.expires_at = a->expires_ms > 0 ? kh_engine_now(f->home.engine) + (int64_t)(a->expires_ms * 1000) : 0,
	};
	randombytes_buf(ret_call->secret, sizeof(ret_call->secret));
	return KH_OK;
}

/* FILE: where the secret is instead; NULL: it is written. */
static int write_created(struct kh_frame *f, const struct kh_token_create *call, const char *file)
{
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *obj = kh_render_token_created(doc, &f->arena, call);

	if (file == NULL)
		kh_json_add(doc, obj, "token", call->text);
	if (f->options.json)
		return kh_frame_object(f, obj);
	if (file == NULL)
		kh_frame_note(f, KH_LIT("This is the only time that the token is shown.\n"));
	return kh_frame_json(f, file == NULL ? call->text : call->id);
}

static enum kh_err fill_file(struct kh_frame *f, int fd, const char *path, struct kh_view token)
{
	struct kh_view line = kh_arena_printf(&f->arena, "%.*s\n", KH_FMT(token));

	if (line.p == NULL) {
		kh_folder_discard(fd, path);
		return kh_error_set(&f->err, KH_ENOMEM, "out_of_memory", "out of memory");
	}
	enum kh_err e = kh_folder_fill(fd, path, line, &f->err);
	explicit_bzero((void *)(uintptr_t)line.p, line.n);
	return e;
}

int kh_tokens_create(struct kh_frame *f)
{
	const struct kh_tokens_args *a = f->args;
	struct kh_token_create call = {0};
	int fd = -1;
	enum kh_err e = take_create(f, &call);

	if (e == KH_OK && a->out != NULL)
		e = kh_folder_reserve(&f->arena, a->out, &fd, &f->err);
	if (e != KH_OK)
		return kh_frame_fail(f);
	e = kh_frame_call(f, kh_token_create_run, &call);
	explicit_bzero(call.secret, sizeof(call.secret));
	if (e == KH_OK && fd >= 0)
		e = fill_file(f, fd, a->out, call.text);
	else if (fd >= 0)
		kh_folder_discard(fd, a->out);
	if (e != KH_OK)
		return kh_frame_fail(f);
	int status = write_created(f, &call, a->out);
	explicit_bzero((void *)(uintptr_t)call.text.p, call.text.n);
	return status;
}

/* --- list --------------------------------------------------------------------------------------------------------- */

int kh_tokens_list(struct kh_frame *f)
{
	struct kh_page call = {0};

	return kh_listing_write(f, kh_token_list_run, &call, "tokens",
				"ID: id; NAME: name; ROLE: role; CONTEXT: context;"
				"CREATED: created_at time; EXPIRES: expires_at time;"
				"REVOKED: revoked_at time; LEFT: last_24_hours.words",
				"No tokens.");
}

/* --- revoke ------------------------------------------------------------------------------------------------------- */

int kh_tokens_revoke(struct kh_frame *f)
{
	struct kh_revoke call = {.id = kh_view_str(f->words[0])};

	return KH_FRAME_DO(f, kh_revoke_run, &call, {"revoked", call.id});
}
