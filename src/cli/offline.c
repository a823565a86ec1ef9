/*
 * The offline commands: read, call the library, write.
 *
 * Input on stdin is hostile; messages on stderr have been escaped by the core.  A result is written whole and flushed
 * before the next line is read, so that a program that uses two pipes gets its answer.
 */
#include "cli/offline.h"

#include "base/clock.h"
#include "base/json.h"
#include "home/file.h"

#include <errno.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <time.h>

#define UNUSABLE    2
#define ARENA_LIMIT (4U * KH_FILE_LIMIT - 1)

struct offline {
	struct kh *kh;
	struct kh_arena arena; /* for the current input */
	enum kh_command command;
	const char *name;
};

static int complain(const struct offline *o, const struct kh_error *err)
{
	fprintf(stderr, "keyhole %s: ", o->name);
	if (err->offset != SIZE_MAX)
		fprintf(stderr, "byte %zu: ", err->offset);
	if (err->member[0] != '\0')
		fprintf(stderr, "%s: ", err->member);
	fprintf(stderr, "%s\n", err->detail);
	return UNUSABLE;
}

static int complain_errno(const struct offline *o, const char *what)
{
	fprintf(stderr, "keyhole %s: %s: %s\n", o->name, what, strerror(errno));
	return UNUSABLE;
}

static bool put_line(struct kh_view v)
{
	return fwrite(v.p, 1, v.n, stdout) == v.n && putchar('\n') != EOF && fflush(stdout) == 0;
}

/* Returns the time and fresh random bytes. */
static struct kh_moment moment_now(void)
{
	struct kh_moment moment;
	moment.now = kh_clock_wall_us();
	randombytes_buf(moment.nonce, sizeof(moment.nonce));
	return moment;
}

/* Replaces the name of a policy by its text, because the library reads no files; the name is kept for messages.
 * Input that names no file stays as it is: the core reports what is wrong with it. */
static enum kh_err expand_policy(struct offline *o, struct kh_view *in, struct kh_error *err)
{
	yyjson_val *root = NULL;
	struct kh_view text;
	enum kh_err e = kh_json_read(&o->arena, *in, &root, err);
	struct kh_view path = kh_json_str(kh_json_get(root, "policy"));

	if (e != KH_OK || path.p == NULL)
		return e;
	e = kh_file_named(&o->arena, path, &text, err);
	if (e != KH_OK)
		return e;
	yyjson_mut_doc *doc = kh_json_new(&o->arena);
	yyjson_mut_val *out = yyjson_val_mut_copy(doc, root);
	yyjson_mut_obj_put(out, yyjson_mut_str(doc, "policy"), yyjson_mut_strn(doc, text.p, text.n));
	yyjson_mut_obj_put(out, yyjson_mut_str(doc, "file"), yyjson_mut_strn(doc, path.p, path.n));
	e = kh_json_write(&o->arena, out, in);
	return e == KH_OK ? KH_OK : kh_error_set(err, e, "file_unreadable", "the policy is not UTF-8 text");
}

static enum kh_err call(struct offline *o, struct kh_view in, struct kh_text **ret_out, struct kh_error *err)
{
	struct kh_moment moment = moment_now();

	*err = (struct kh_error){.offset = SIZE_MAX};
	enum kh_err e = o->command == KH_POLICY_EXPLAIN ? expand_policy(o, &in, err) : KH_OK;
	return e == KH_OK ? kh_call(o->kh, o->command, in, &moment, ret_out, err) : e;
}

static int run_one(struct offline *o, struct kh_view in)
{
	struct kh_error err;
	struct kh_text *out = NULL;
	int status = 0;

	if (call(o, in, &out, &err) != KH_OK)
		return complain(o, &err);
	if (!put_line(kh_text_view(out)))
		status = complain_errno(o, "writing the result");
	kh_text_free(out);
	return status;
}

static int run_whole(struct offline *o)
{
	struct kh_view in;
	struct kh_error err;
	enum kh_err e = kh_file_read(stdin, &o->arena, &in);

	if (e == KH_EINPUT)
		return complain_errno(o, "reading stdin");
	if (e != KH_OK) {
		kh_error_set(&err, e, kh_err_name(e), "the input is too large");
		return complain(o, &err);
	}
	return run_one(o, in);
}

/* Writes the error of a line in place of its result. */
static bool put_error(struct offline *o, const struct kh_error *err)
{
	struct kh_view text;

	kh_arena_clear(&o->arena);
	yyjson_mut_doc *doc = kh_json_new(&o->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	yyjson_mut_obj_add_val(doc, obj, "error", kh_json_error(doc, err));
	if (kh_json_write(&o->arena, obj, &text) != KH_OK) {
		errno = ENOMEM;
		return false;
	}
	return put_line(text);
}

static int run_batch(struct offline *o)
{
	for (;;) {
		struct kh_view in;
		struct kh_error err;
		struct kh_text *out = NULL;
		bool end;
		enum kh_err e = kh_file_line(stdin, &o->arena, &in, &end);
		if (e == KH_EINPUT)
			return complain_errno(o, "reading stdin");
		if (end)
			return 0;
		if (e != KH_OK)
			kh_error_set(&err, e, kh_err_name(e), "the line is too large");
		else
			e = call(o, in, &out, &err);
		bool done = e == KH_OK ? put_line(kh_text_view(out)) : put_error(o, &err);
		kh_text_free(out);
		if (!done)
			return complain_errno(o, "writing the result");
		kh_arena_clear(&o->arena);
	}
}

int kh_offline_run(enum kh_command command, const char *name, bool batch)
{
	struct offline o = {.command = command, .name = name};
	int status;

	/* A closed output is reported as an error, instead of ending the process by a signal. */
	signal(SIGPIPE, SIG_IGN);
	if (sodium_init() < 0 || kh_new(NULL, &o.kh) != KH_OK) {
		fprintf(stderr, "keyhole %s: cannot start: out of memory or no random numbers\n", name);
		return UNUSABLE;
	}
	kh_arena_init(&o.arena, NULL, ARENA_LIMIT);
	if (command == KH_SCREEN_RULES)
		status = run_one(&o, KH_LIT("{}"));
	else
		status = batch ? run_batch(&o) : run_whole(&o);
	kh_arena_done(&o.arena);
	kh_free(o.kh);
	return status;
}
