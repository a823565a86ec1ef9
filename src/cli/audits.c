/* Verifying and signing.  For a record that is not good, verification tells what is wrong and names the event.  The
 * exit status tells it too, for scripts. */
#include "cli/audits.h"

#include "cli/frame.h"
#include "engine/audit/eventline.h"
#include "home/checkpoints.h"
#include "store/verify.h"

#include <sodium.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define WITNESS_LIMIT (64U << 20)
#define CLEAR         "\r\033[K"

/* --- verify ------------------------------------------------------------------------------------------------------- */

struct verify {
	bool state, progress;
	const char *witness, *key;
	/* for progress messages */
	time_t started;
	bool shown;
};

static time_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/* Shows nothing in the first second. */
static void tell(void *ctx, uint64_t done, uint64_t of)
{
	struct verify *a = ctx;

	if (now() <= a->started + 1)
		return;
	a->shown = true;
	fprintf(stderr, CLEAR "verifying ... %llu of %llu events", (unsigned long long)done, (unsigned long long)of);
}

static enum kh_err read_key(struct kh_frame *f, struct kh_digest *ret_key, const struct kh_digest **ret_expected)
{
	const struct verify *a = f->args;
	size_t n = 0;

	*ret_expected = NULL;
	if (a->key != NULL) {
		if (strlen(a->key) != 2 * KH_DIGEST_SIZE ||
		    sodium_hex2bin(ret_key->bytes, KH_DIGEST_SIZE, a->key, 2 * KH_DIGEST_SIZE, NULL, &n, NULL) != 0 ||
		    n != KH_DIGEST_SIZE)
			return kh_error_set(&f->err, KH_EINPUT, "bad_option",
					    "--key is a public key: 64 hexadecimal digits");
		*ret_expected = ret_key;
	} else if (f->home.has_key) {
		*ret_key = f->home.key.public;
		*ret_expected = ret_key;
	}
	return KH_OK;
}

/* Reads the lines of --witness, else of the configured witness file, if there is one. */
static enum kh_err read_witness(struct kh_frame *f, struct kh_view *ret_lines)
{
	const struct verify *a = f->args;
	struct kh_view path = f->home.config->audit.witness_file;

	*ret_lines = (struct kh_view){NULL, 0};
	if (a->witness != NULL)
		return kh_frame_input(f, a->witness, WITNESS_LIMIT, ret_lines);
	if (path.n == 0)
		return KH_OK;
	path = kh_arena_printf(&f->arena, "%.*s", KH_FMT(path));
	if (path.p == NULL)
		return kh_error_set(&f->err, KH_ENOMEM, "out_of_memory", "out of memory");
	return access(path.p, F_OK) == 0 ? kh_frame_input(f, path.p, WITNESS_LIMIT, ret_lines) : KH_OK;
}

static int say_json(struct kh_frame *f, const struct kh_verify *v)
{
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	yyjson_mut_obj_add_bool(doc, obj, "good", v->good);
	if (!v->good) {
		yyjson_mut_obj_add_str(doc, obj, "code", v->code);
		if (v->event != 0)
			yyjson_mut_obj_add_int(doc, obj, "event", v->event);
		yyjson_mut_obj_add_int(doc, obj, "chain", v->chain);
		kh_json_add(doc, obj, "detail", v->detail);
	}
	yyjson_mut_obj_add_bool(doc, obj, "state", v->state);
	yyjson_mut_obj_add_uint(doc, obj, "events", v->events);
	yyjson_mut_obj_add_uint(doc, obj, "chains", v->chains);
	yyjson_mut_obj_add_uint(doc, obj, "checkpoints", v->checkpoints);
	yyjson_mut_obj_add_int(doc, obj, "covered", v->covered);
	if (v->state)
		yyjson_mut_obj_add_uint(doc, obj, "rows", v->rows);
	int status = kh_frame_object(f, obj);
	return status != KH_FRAME_DONE ? status : v->good ? KH_FRAME_DONE : KH_FRAME_NOT;
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void say_good(struct kh_frame *f, const struct kh_verify *v, struct kh_buf *buf)
{
	kh_buf_printf(buf, "good: %llu event%s in %llu chain%s, %llu signed checkpoint%s",
		      (unsigned long long)v->events, plural(v->events), (unsigned long long)v->chains,
		      plural(v->chains), (unsigned long long)v->checkpoints, plural(v->checkpoints));
	if (v->state)
		kh_buf_printf(buf, "; %llu row%s as the events say, and every rule holds", (unsigned long long)v->rows,
			      plural(v->rows));
	kh_buf_lit(buf, "\n");
	if (v->covered < (int64_t)v->events)
		kh_buf_printf(buf, "  not covered by a checkpoint yet: %lld event%s\n",
			      (long long)v->events - (long long)v->covered, plural(v->events - (uint64_t)v->covered));
	if (!f->home.has_key && ((const struct verify *)f->args)->key == NULL)
		kh_buf_lit(buf, "  the key is the one that the store names: --key HEX compares it with one you know\n");
}

static int say_text(struct kh_frame *f, const struct kh_verify *v)
{
	struct kh_buf buf;

	kh_buf_init(&buf, &f->arena, 8192);
	if (v->good) {
		say_good(f, v, &buf);
	} else {
		kh_buf_printf(&buf, "NOT GOOD: %.*s (%s)\n", KH_FMT(v->detail), v->code);
		if (v->event > 0)
			kh_buf_printf(&buf, "  `keyhole audit show %lld` has the event\n", (long long)v->event);
	}
	int status = kh_frame_text(f, &buf);
	return status != KH_FRAME_DONE ? status : v->good ? KH_FRAME_DONE : KH_FRAME_NOT;
}

static int say(struct kh_frame *f, const struct kh_verify *v)
{
	return f->options.json ? say_json(f, v) : say_text(f, v);
}

static int verify_home(struct kh_frame *f)
{
	struct verify *a = f->args;
	struct kh_verify v = {.state = a->state, .ctx = a, .arena = &f->arena};
	struct kh_digest key;
	enum kh_err e = read_key(f, &key, &v.audit_key);

	if (e == KH_OK)
		e = read_witness(f, &v.witness);
	if (e == KH_OK) {
		if (a->progress || isatty(STDERR_FILENO))
			v.progress = tell;
		a->started = now();
		e = kh_verify_store(f->home.store, &v, &f->err);
		if (a->shown)
			fputs(CLEAR, stderr);
	}
	/* `init` signs the first checkpoint.  So from a home without any, checkpoints were removed, and perhaps
	 * events too. */
	if (e == KH_OK && v.good && v.checkpoints == 0) {
		v.good = false;
		v.code = "no_checkpoint";
		v.detail = KH_LIT("the record has no signed checkpoint, and a home has one from its beginning");
	}
	return e == KH_OK ? say(f, &v) : kh_frame_fail(f);
}

/* Other commands refuse a home whose store is not the one that its witness saw; here that is the result. */
static int run_verify(struct kh_frame *f)
{
	struct kh_error err = {.offset = SIZE_MAX};

	if (kh_home_open(&f->home, KH_HOME_READ, &f->options, &f->err) != KH_OK) {
		if (f->err.err != KH_ECHANGED || f->err.code == NULL)
			return kh_frame_fail(f);
		struct kh_verify v = {.code = f->err.code, .detail = kh_view_str(f->err.detail)};
		return say(f, &v);
	}
	int status = verify_home(f);
	kh_home_close(&f->home, &err);
	return status;
}

static const struct kh_frame_command verify = {
	.name = "audit verify",
	.usage = "[OPTION...]",
	.about = "Verify the record: every event's bytes and place, every signed checkpoint, and what a witness saw.\n"
		 "With --state also that every row is what the events say, and that budgets, taints, approvals and\n"
		 "deliveries follow the rules.  Names the first event that is at fault.\n",
	.status = "0 good; 1 not good; 2 not usable.",
	.without_home = true,
	.run = run_verify,
};

int kh_audits_verify_main(int argc, char **argv)
{
	struct verify a = {0};
	const struct kh_option own[] = {
		{"--state", NULL, "verify the rows too", .flag = &a.state},
		{"--witness", "FILE", "compare with the checkpoints in FILE (default: the configuration's witness)",
		 .text = &a.witness},
		{"--key", "HEX", "the public key that is expected (default: of the home's audit.key)", .text = &a.key},
		{"--progress", NULL, "show progress, also if standard error is no terminal", .flag = &a.progress},
	};

	return kh_frame_main(&verify, own, sizeof(own) / sizeof(own[0]), &a, argc, argv);
}

/* --- checkpoint --------------------------------------------------------------------------------------------------- */

static int run_checkpoint(struct kh_frame *f)
{
	struct kh_view line = {"", 0};
	struct kh_buf buf;

	if (kh_checkpoints_now(f->home.store, &f->home.key, &f->home.config->audit, kh_engine_now(f->home.engine),
			       &f->arena, &line, &f->err) != KH_OK)
		return kh_frame_fail(f);
	if (f->options.json)
		return kh_frame_json(f, line.n > 0 ? line : KH_LIT("{}"));
	kh_buf_init(&buf, &f->arena, 8192);
	kh_buf_add(&buf, line.n > 0 ? line : KH_LIT("nothing new since the last checkpoint"));
	kh_buf_byte(&buf, '\n');
	return kh_frame_text(f, &buf);
}

static const struct kh_frame_command checkpoint = {
	.name = "audit checkpoint",
	.usage = "[OPTION...]",
	.about = "Sign the heads of all chains now, and send the checkpoint to the witnesses of the configuration.  "
		 "The\n"
		 "checkpoint is also written as one line, which you can keep as a witness of your own.\n",
	.use = KH_HOME_CALL,
	.without_token = true,
	.run = run_checkpoint,
};

int kh_audits_checkpoint_main(int argc, char **argv)
{
	return kh_frame_main(&checkpoint, NULL, 0, NULL, argc, argv);
}
