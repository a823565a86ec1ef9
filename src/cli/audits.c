/* Verifying and signing.  For a record that is not good, verification tells what is wrong and names the event.  The
 * exit status tells it too, for scripts. */
#include "cli/audits.h"

#include "base/clock.h"
#include "base/utf8.h"
#include "engine/audit/eventline.h"
#include "store/verify.h"
#include "store/witness.h"

#include <sodium.h>
#include <stdio.h>
#include <unistd.h>

#define WITNESS_LIMIT (64U << 20)
#define CLEAR         "\r\033[K"

/* --- verify ------------------------------------------------------------------------------------------------------- */

/* For progress messages. */
struct telling {
	int64_t started; /* kh_clock_ms */
	bool shown;
};

/* Shows nothing in the first second. */
static void tell(void *ctx, uint64_t done, uint64_t of)
{
	struct telling *a = ctx;

	if (kh_clock_ms() < a->started + 1000)
		return;
	a->shown = true;
	fprintf(stderr, CLEAR "verifying ... %llu of %llu events", (unsigned long long)done, (unsigned long long)of);
}

static enum kh_err read_key(struct kh_frame *f, struct kh_digest *ret_key, const struct kh_digest **ret_expected)
{
	const struct kh_audits_args *a = f->args;
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

/* Reads the lines of --witness, else of the configured witness file. */
static enum kh_err read_witness(struct kh_frame *f, struct kh_verify *v)
{
	const struct kh_audits_args *a = f->args;
	const struct kh_checkpoints *c = &f->home.checkpoints;

	v->has_witness = a->witness != NULL || c->path.n > 0;
	if (a->witness != NULL)
		return kh_frame_input(f, a->witness, WITNESS_LIMIT, &v->witness);
	if (c->path.n == 0)
		return KH_OK;
	v->witness_name = c->name;
	enum kh_err e = kh_witness_read(c->path.p, &f->arena, &v->witness, &f->err);
	return e == KH_ENOMEM ? kh_error_set(&f->err, e, "out_of_memory", "out of memory") : e;
}

/* What the record was compared with; empty: no witness. */
static struct kh_view witness_of(const struct kh_frame *f, const struct kh_verify *v)
{
	const struct kh_audits_args *a = f->args;

	return a->witness != NULL ? kh_view_str(a->witness) : v->has_witness ? f->home.checkpoints.path : KH_LIT("");
}

static void add_witness(struct kh_frame *f, yyjson_mut_doc *doc, yyjson_mut_val *obj, const struct kh_verify *v)
{
	yyjson_mut_val *witness = yyjson_mut_obj_add_obj(doc, obj, "witness");
	struct kh_view file = witness_of(f, v);

	kh_json_add(doc, witness, "file", kh_utf8_invalid(file) == SIZE_MAX ? file : kh_arena_quote(&f->arena, file));
	yyjson_mut_obj_add_uint(doc, witness, "compared", v->compared);
	yyjson_mut_obj_add_int(doc, witness, "last", v->witnessed);
}

struct naming {
	struct kh_frame *f;
	int64_t event;
	struct kh_view id;
};

static enum kh_err name_event(struct kh_txn *txn, void *arg)
{
	struct naming *n = arg;
	struct kh_eventline line;

	kh_txn_use_arena(txn, &n->f->arena);
	enum kh_err e = kh_eventline_init(&line, txn);
	if (e != KH_OK)
		return e;
	n->id = kh_arena_dup(&n->f->arena, kh_eventline_id(&line, n->event));
	kh_eventline_done(&line);
	return KH_OK;
}

/* The id of an event.  In a store that is too damaged to have one, its number. */
static struct kh_view event_id(struct kh_frame *f, int64_t event)
{
	struct naming n = {.f = f, .event = event};
	struct kh_error err;

	if (kh_store_read(f->home.store, name_event, &n, &err) == KH_OK && n.id.p != NULL)
		return n.id;
	return kh_arena_printf(&f->arena, "%lld", (long long)event);
}

static int say_json(struct kh_frame *f, const struct kh_verify *v)
{
	const struct {
		const char *key;
		uint64_t n;
	} counts[] = {{"events", v->events},
		      {"chains", v->chains},
		      {"checkpoints", v->checkpoints},
		      {"covered", (uint64_t)v->covered},
		      {"rows", v->rows}};
	size_t shown = sizeof(counts) / sizeof(counts[0]) -
		       (v->state ? 0 : 1); /* rows were counted only with --state */
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	yyjson_mut_obj_add_bool(doc, obj, "good", v->good);
	if (!v->good) {
		yyjson_mut_obj_add_str(doc, obj, "code", v->code);
		if (v->event != 0)
			kh_json_add(doc, obj, "event", event_id(f, v->event));
		yyjson_mut_obj_add_int(doc, obj, "chain", v->chain);
		kh_json_add(doc, obj, "detail", v->detail);
	}
	yyjson_mut_obj_add_bool(doc, obj, "state", v->state);
	for (size_t i = 0; i < shown; i++)
		yyjson_mut_obj_add_uint(doc, obj, counts[i].key, counts[i].n);
	if (v->has_witness)
		add_witness(f, doc, obj, v);
	return kh_frame_outcome(kh_frame_object(f, obj), v->good);
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void say_witness(struct kh_frame *f, const struct kh_verify *v, struct kh_buf *buf)
{
	struct kh_view file = kh_arena_quote(&f->arena, witness_of(f, v));
	long long unsent = (long long)v->checkpoints - (long long)v->witnessed;

	if (!v->has_witness) {
		kh_buf_lit(buf, "  compared with no witness: none is configured\n");
		return;
	}
	kh_buf_printf(buf, "  compared with the witness %.*s: %llu checkpoint%s", KH_FMT(file),
		      (unsigned long long)v->compared, plural(v->compared));
	if (v->compared > 0)
		kh_buf_printf(buf, ", the newest is number %lld", (long long)v->witnessed);
	if (v->compared > 0 && unsent > 0)
		kh_buf_printf(buf, "; it has not got the last %lld", unsent);
	kh_buf_lit(buf, "\n");
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
	say_witness(f, v, buf);
	if (!f->home.has_key && ((const struct kh_audits_args *)f->args)->key == NULL)
		kh_buf_lit(buf, "  the key is the one that the store names: --key HEX compares it with one you know\n");
}

static int say_text(struct kh_frame *f, const struct kh_verify *v)
{
	struct kh_buf buf = kh_frame_buf(f);

	if (v->good) {
		say_good(f, v, &buf);
	} else {
		kh_buf_printf(&buf, "NOT GOOD: %.*s (%s)\n", KH_FMT(v->detail), v->code);
		if (v->event > 0)
			kh_buf_printf(&buf, "  `keyhole audit show %.*s` has the event\n",
				      KH_FMT(event_id(f, v->event)));
	}
	return kh_frame_outcome(kh_frame_text(f, &buf), v->good);
}

static int say(struct kh_frame *f, const struct kh_verify *v)
{
	return f->options.json ? say_json(f, v) : say_text(f, v);
}

static int verify_home(struct kh_frame *f)
{
	const struct kh_audits_args *a = f->args;
	struct telling telling = {.started = kh_clock_ms()};
	struct kh_verify v = {.state = a->state, .ctx = &telling, .arena = &f->arena};
	struct kh_digest key;
	enum kh_err e = read_key(f, &key, &v.audit_key);

	if (e == KH_OK)
		e = read_witness(f, &v);
	if (e == KH_OK) {
		if (a->progress || isatty(STDERR_FILENO))
			v.progress = tell;
		e = kh_verify_store(f->home.store, &v, &f->err);
		if (telling.shown)
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
int kh_audits_verify(struct kh_frame *f)
{
	struct kh_error err = {.offset = SIZE_MAX};

	if (kh_home_open(&f->home, KH_HOME_READ, &f->options, &f->err) != KH_OK) {
		if (f->err.code == NULL || (f->err.err != KH_ECHANGED && strcmp(f->err.code, "bad_checkpoint") != 0))
			return kh_frame_fail(f);
		struct kh_verify v = {.code = f->err.code, .detail = kh_view_str(f->err.detail)};
		return say(f, &v);
	}
	int status = verify_home(f);
	kh_home_close(&f->home, &err);
	return status;
}

/* --- checkpoint --------------------------------------------------------------------------------------------------- */

int kh_audits_checkpoint(struct kh_frame *f)
{
	struct kh_view line = {"", 0};

	if (kh_checkpoints_make(&f->home.checkpoints, kh_engine_now(f->home.engine), &f->arena, &line, &f->err) !=
	    KH_OK)
		return kh_frame_fail(f);
	if (line.n == 0)
		line = f->options.json ? KH_LIT("{}") : KH_LIT("nothing new since the last checkpoint");
	return kh_frame_json(f, line);
}
