/* Tokens.  A secret is shown once, when it is made, or goes into a new file; after that it is wiped from memory. */
#include "cli/tokens.h"

#include "cli/frame.h"
#include "cli/table.h"
#include "engine/context/token.h"
#include "engine/task/revoke.h"

#include <sodium.h>

/* --- create ------------------------------------------------------------------------------------------------------- */

struct create {
	const char *role, *out;
	uint64_t expires_ms, bits;
};

static enum kh_err take_create(struct kh_frame *f, struct kh_token_create *ret_call)
{
	const struct create *a = f->args;
	unsigned role = KH_ROLE_CONTROLLER;

	if (a->role != NULL && !kh_words_parse(&kh_policy_role_words, kh_view_str(a->role), &role)) {
		struct kh_view list = kh_words_list(&f->arena, &kh_policy_role_words);
		return kh_error_set(&f->err, KH_EINPUT, "bad_option", "--role is %.*s", KH_FMT(list));
	}
	*ret_call = (struct kh_token_create){
		.name = kh_view_str(f->words[0]),
		.role = (enum kh_role)role,
		.bits = a->bits,
		.expires_at = a->expires_ms > 0 ? kh_engine_now(f->home.engine) + (int64_t)(a->expires_ms * 1000) : 0,
	};
	randombytes_buf(ret_call->secret, sizeof(ret_call->secret));
	return KH_OK;
}

static int write_json(struct kh_frame *f, const struct kh_token_create *call, bool with_secret)
{
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	kh_json_add(doc, obj, "id", call->id);
	kh_json_add(doc, obj, "name", call->name);
	yyjson_mut_obj_add_str(doc, obj, "role", kh_words_name(&kh_policy_role_words, call->role));
	if (call->context.n > 0)
		kh_json_add(doc, obj, "context", call->context);
	if (with_secret)
		kh_json_add(doc, obj, "token", call->text);
	return kh_frame_object(f, obj);
}

static int write_text(struct kh_frame *f, const struct kh_token_create *call, const char *file)
{
	struct kh_buf buf;

	kh_buf_init(&buf, &f->arena, 8192);
	if (file == NULL) {
		kh_buf_add(&buf, call->text);
		kh_buf_byte(&buf, '\n');
		kh_frame_note(f, KH_LIT("This is the only time that the token is shown.\n"));
	} else {
		kh_buf_add(&buf, call->id);
		kh_buf_byte(&buf, '\n');
	}
	return kh_frame_text(f, &buf);
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

static int run_create(struct kh_frame *f)
{
	const struct create *a = f->args;
	struct kh_token_create call = {0};
	int fd = -1;
	enum kh_err e = take_create(f, &call);

	if (e == KH_OK && a->out != NULL)
		e = kh_folder_reserve(&f->arena, a->out, &fd, &f->err);
	if (e != KH_OK)
		return kh_frame_fail(f);
	e = kh_engine_call(f->home.engine, f->token, kh_token_create_run, &call, &f->arena, &f->err);
	explicit_bzero(call.secret, sizeof(call.secret));
	if (e == KH_OK && fd >= 0)
		e = fill_file(f, fd, a->out, call.text);
	else if (fd >= 0)
		kh_folder_discard(fd, a->out);
	if (e != KH_OK)
		return kh_frame_fail(f);
	int status = f->options.json ? write_json(f, &call, a->out == NULL) : write_text(f, &call, a->out);
	explicit_bzero((void *)(uintptr_t)call.text.p, call.text.n);
	return status;
}

static const struct kh_frame_command create = {
	.name = "token create",
	.usage = "[OPTION...] NAME",
	.about = "Make a token.  A token is one caller; a controller's token also begins a fresh context.  The token "
		 "is\n"
		 "written once and stored nowhere.  An admin makes every kind of token, a host makes controllers' "
		 "tokens.\n",
	.least = 1,
	.most = 1,
	.use = KH_HOME_CALL,
	.role = KH_ROLE_ADMIN,
	.run = run_create,
};

int kh_tokens_create_main(int argc, char **argv)
{
	struct create a = {0};
	const struct kh_option own[] = {
		{"--role", "ROLE", "controller (default), reader, supervisor, host, reviewer or admin",
		 .text = &a.role},
		{"--expires", "SECONDS", "valid so long (default: until it is revoked)", .number = &a.expires_ms,
		 .unit = KH_OPTION_SECONDS},
		{"--bits", "N", "a smaller budget for a controller's context", .number = &a.bits},
		{"--out", "FILE", "write the token into a new file (0600), not to standard output", .text = &a.out},
	};

	return kh_frame_main(&create, own, sizeof(own) / sizeof(own[0]), &a, argc, argv);
}

/* --- list --------------------------------------------------------------------------------------------------------- */

static int run_list(struct kh_frame *f)
{
	static const struct kh_table_column columns[] = {
		{"ID", "id", KH_TABLE_TEXT},
		{"NAME", "name", KH_TABLE_TEXT},
		{"ROLE", "role", KH_TABLE_TEXT},
		{"CONTEXT", "context", KH_TABLE_TEXT},
		{"CREATED", "created_at", KH_TABLE_TIME},
		{"EXPIRES", "expires_at", KH_TABLE_TIME},
		{"REVOKED", "revoked_at", KH_TABLE_TIME},
	};
	struct kh_token_list call = {0};
	yyjson_val *list;
	struct kh_buf buf;

	if (kh_engine_call(f->home.engine, f->token, kh_token_list_run, &call, &f->arena, &f->err) != KH_OK)
		return kh_frame_fail(f);
	if (kh_json_read(&f->arena, call.json, &list, &f->err) != KH_OK)
		return kh_frame_fail(f);
	if (f->options.json) {
		yyjson_mut_doc *doc = kh_json_new(&f->arena);
		return kh_frame_list(f, "tokens", doc, yyjson_val_mut_copy(doc, list));
	}
	kh_buf_init(&buf, &f->arena, KH_FRAME_TEXT);
	kh_table_list(&buf, list, columns, sizeof(columns) / sizeof(columns[0]), "No tokens.");
	return kh_frame_text(f, &buf);
}

static const struct kh_frame_command list = {
	.name = "token list",
	.usage = "[OPTION...]",
	.about = "List tokens, without their secrets.  An admin sees all of them, a host those that it made.\n",
	.use = KH_HOME_CALL,
	.role = KH_ROLE_ADMIN,
	.run = run_list,
};

int kh_tokens_list_main(int argc, char **argv)
{
	return kh_frame_main(&list, NULL, 0, NULL, argc, argv);
}

/* --- revoke ------------------------------------------------------------------------------------------------------- */

static int run_revoke(struct kh_frame *f)
{
	struct kh_revoke call = {.id = kh_view_str(f->words[0])};

	if (kh_engine_call(f->home.engine, f->token, kh_revoke_run, &call, &f->arena, &f->err) != KH_OK)
		return kh_frame_fail(f);
	if (!f->options.json)
		return KH_FRAME_DONE;
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	kh_json_add(doc, obj, "revoked", call.id);
	return kh_frame_object(f, obj);
}

static const struct kh_frame_command revoke = {
	.name = "token revoke",
	.usage = "[OPTION...] ID",
	.about = "Revoke a token, at once and for good.  ID is the one that `token list` shows.\n",
	.least = 1,
	.most = 1,
	.use = KH_HOME_CALL,
	.role = KH_ROLE_ADMIN,
	.run = run_revoke,
};

int kh_tokens_revoke_main(int argc, char **argv)
{
	return kh_frame_main(&revoke, NULL, 0, NULL, argc, argv);
}
