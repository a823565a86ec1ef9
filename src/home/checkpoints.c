/* Checkpoints.  A witness file is not trusted: only its last checkpoint is read. */
#include "home/checkpoints.h"

#include "store/txn.h"
#include "store/witness.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define MEMORY  ((size_t)256 << 20) /* a checkpoint names every chain that has grown */
#define TAIL    16384               /* bytes of a witness file's end; a line has about 400 */
#define SECONDS INT64_C(1000000)

struct signing {
	const struct kh_checkpoint_key *key;
	const struct kh_config_audit *audit;
	struct kh_arena *arena;
	int64_t now;
	bool always;         /* sign even if none is due */
	struct kh_view line; /* out; empty: no checkpoint was due */
};

static enum kh_err is_due(struct kh_txn *txn, const struct signing *s, bool *ret_due)
{
	struct kh_backend_checkpoint stored;
	struct kh_checkpoint last;
	int64_t next;
	enum kh_err e = kh_txn_next_event(txn, &next);

	if (e == KH_OK)
		e = txn->backend->checkpoint(txn, s->arena, 0, &stored);
	if (e == KH_EUNKNOWN) {
		*ret_due = true;
		return KH_OK;
	}
	if (e == KH_OK)
		e = kh_checkpoint_parse(s->arena, stored.body, &last, txn->err);
	if (e != KH_OK)
		return e;
	*ret_due = next - 1 - last.last >= (int64_t)s->audit->checkpoint_events ||
		   s->now - last.at >= (int64_t)s->audit->checkpoint_seconds * SECONDS;
	return KH_OK;
}

static enum kh_err sign(struct kh_txn *txn, void *arg)
{
	struct signing *s = arg;
	bool due = true;

	kh_txn_use_arena(txn, s->arena);
	enum kh_err e = s->always ? KH_OK : is_due(txn, s, &due);
	return e == KH_OK && due ? kh_checkpoint_make(txn, s->key, s->now, s->arena, &s->line) : e;
}

/* Returns the configured path of the witness file, NUL-terminated. */
static enum kh_err witness_path(struct kh_arena *arena, const struct kh_config_audit *audit, struct kh_view *ret_path,
				struct kh_error *err)
{
	*ret_path = kh_arena_printf(arena, "%.*s", KH_FMT(audit->witness_file));
	return ret_path->p != NULL ? KH_OK : kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
}

/* Sends the checkpoint to every witness, even if sending to another one failed. */
static enum kh_err send(const struct signing *s, struct kh_error *err)
{
	struct kh_view path;
	enum kh_err e = KH_OK;

	if (s->audit->witness_syslog == KH_CONFIG_TRUE)
		kh_witness_syslog(s->line);
	if (s->audit->witness_file.n > 0)
		e = witness_path(s->arena, s->audit, &path, err);
	if (e == KH_OK && s->audit->witness_file.n > 0)
		e = kh_witness_file(path.p, s->line, err);
	return e;
}

enum kh_err kh_checkpoints_sign(struct kh_store *store, const struct kh_checkpoint_key *key,
				const struct kh_config_audit *audit, int64_t now, struct kh_error *err)
{
	struct kh_arena arena;
	struct signing s = {.key = key, .audit = audit, .arena = &arena, .now = now};

	kh_arena_init(&arena, NULL, MEMORY);
	enum kh_err e = kh_store_run(store, sign, &s, err);
	if (e == KH_OK && s.line.n > 0)
		e = send(&s, err);
	kh_arena_done(&arena);
	return e;
}

enum kh_err kh_checkpoints_now(struct kh_store *store, const struct kh_checkpoint_key *key,
			       const struct kh_config_audit *audit, int64_t now, struct kh_arena *arena,
			       struct kh_view *ret_line, struct kh_error *err)
{
	struct signing s = {.key = key, .audit = audit, .arena = arena, .now = now, .always = true};
	enum kh_err e = kh_store_run(store, sign, &s, err);

	if (e == KH_OK && s.line.n > 0)
		e = send(&s, err);
	if (e == KH_OK)
		*ret_line = s.line;
	return e;
}

/* --- comparing ---------------------------------------------------------------------------------------------------- */

struct comparing {
	struct kh_arena *arena;
	struct kh_view witnessed;
	struct kh_view line; /* the store's checkpoint of the same number; empty: it has none */
};

/* Reads the last line of the file at PATH that is a checkpoint; empty if there is no file, or no checkpoint in it. */
static enum kh_err read_tail(struct kh_arena *arena, const char *path, struct kh_view *ret_line, struct kh_error *err)
{
	char *tail = kh_arena_alloc(arena, TAIL);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	*ret_line = (struct kh_view){NULL, 0};
	if (tail == NULL || (fd < 0 && errno != ENOENT)) {
		int why = errno;
		if (fd >= 0)
			close(fd);
		return tail == NULL ? kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory")
				    : kh_error_set(err, KH_ESTORE, "witness_failed",
						   "the witness file cannot be read: %s", strerror(why));
	}
	if (fd < 0)
		return KH_OK;
	off_t end = lseek(fd, 0, SEEK_END);
	ssize_t n = end > 0 ? pread(fd, tail, TAIL, end > TAIL ? end - TAIL : 0) : 0;
	close(fd);
	struct kh_view rest = kh_view_trim(kh_view_of(tail, n > 0 ? (size_t)n : 0)), line, found = {NULL, 0};
	/* A crash may have cut off the last line; then the line before it counts. */
	while (rest.n > 0 && kh_view_split(&rest, '\n', &line))
		if (found.n == 0 || kh_witness_number(arena, line) > 0)
			found = line;
	*ret_line = found;
	return KH_OK;
}

static enum kh_err find_line(struct kh_txn *txn, void *arg)
{
	struct comparing *c = arg;
	int64_t number = kh_witness_number(c->arena, c->witnessed);

	kh_txn_use_arena(txn, c->arena);
	enum kh_err e = number > 0 ? kh_checkpoint_line(txn, number, c->arena, &c->line) : KH_EUNKNOWN;
	return e == KH_EUNKNOWN ? KH_OK : e;
}

static enum kh_err compare(struct kh_store *store, struct kh_arena *arena, const struct kh_config_audit *audit,
			   struct kh_error *err)
{
	struct comparing c = {.arena = arena};
	struct kh_view path;
	enum kh_err e = witness_path(arena, audit, &path, err);

	if (e == KH_OK)
		e = read_tail(arena, path.p, &c.witnessed, err);
	if (e != KH_OK || c.witnessed.n == 0)
		return e;
	e = kh_store_read(store, find_line, &c, err);
	return e == KH_OK ? kh_witness_compare(arena, c.witnessed, c.line, err) : e;
}

enum kh_err kh_checkpoints_compare(struct kh_store *store, const struct kh_config_audit *audit, struct kh_error *err)
{
	struct kh_arena arena;

	if (audit->witness_file.n == 0)
		return KH_OK;
	kh_arena_init(&arena, NULL, MEMORY);
	enum kh_err e = compare(store, &arena, audit, err);
	kh_arena_done(&arena);
	return e;
}
