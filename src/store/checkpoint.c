/*
 * Checkpoints: what is signed, and how it is read back.
 *
 * A body is parsed strictly: writing again what was read must give the same bytes.  So each checkpoint has exactly one
 * text, and the text holds nothing that was not checked.
 */
#include "store/checkpoint.h"

#include "base/emit.h"
#include "store/txn.h"

#include <sodium.h>
#include <stdio.h>

#define SIGNATURE 64
#define LIMIT     (SIZE_MAX / 4) /* no limit of its own: the arena's limit applies */

_Static_assert(crypto_sign_BYTES == SIGNATURE, "Ed25519");
_Static_assert(crypto_sign_SECRETKEYBYTES == sizeof(((struct kh_checkpoint_key *)0)->secret), "Ed25519");
_Static_assert(crypto_sign_PUBLICKEYBYTES == KH_DIGEST_SIZE && crypto_sign_SEEDBYTES == 32, "Ed25519");

void kh_checkpoint_key(const unsigned char seed[32], struct kh_checkpoint_key *ret_key)
{
	crypto_sign_seed_keypair(ret_key->public.bytes, ret_key->secret, seed);
}

void kh_checkpoint_forget(struct kh_checkpoint_key *key)
{
	sodium_memzero(key, sizeof(*key));
}

bool kh_checkpoint_signed(struct kh_view body, struct kh_view signature, const struct kh_digest *key)
{
	return signature.n == SIGNATURE &&
	       crypto_sign_verify_detached((const unsigned char *)signature.p, (const unsigned char *)body.p, body.n,
					   key->bytes) == 0;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static void write_last(struct kh_emit *emit, int64_t last, bool numbered)
{
	char text[24];

	if (numbered) {
		kh_emit_add_int(emit, "last", last);
		return;
	}
	int n = snprintf(text, sizeof(text), "%lld", (long long)last);
	kh_emit_add(emit, "last", kh_view_of(text, (size_t)n));
}

static void write_witnesses(struct kh_emit *emit, const struct kh_checkpoint *c)
{
	kh_emit_key(emit, "witnesses");
	kh_emit_array(emit);
	for (size_t i = 0; i < c->witness_count; i++) {
		kh_emit_array(emit);
		kh_emit_text(emit, c->witnesses[i].name);
		kh_emit_int(emit, c->witnesses[i].first);
		kh_emit_int(emit, c->witnesses[i].seen);
		kh_emit_end(emit);
	}
	kh_emit_end(emit);
}

static enum kh_err write_body(struct kh_arena *arena, const struct kh_checkpoint *c, struct kh_view *ret_body)
{
	struct kh_emit emit;

	kh_emit_begin(&emit, arena, LIMIT);
	kh_emit_object(&emit);
	kh_emit_add_int(&emit, "at", c->at);
	kh_emit_key(&emit, "heads");
	kh_emit_array(&emit);
	for (size_t i = 0; i < c->count; i++) {
		kh_emit_array(&emit);
		kh_emit_int(&emit, c->heads[i].number);
		kh_emit_int(&emit, c->heads[i].chain.n);
		kh_emit_digest(&emit, &c->heads[i].chain.head);
		kh_emit_end(&emit);
	}
	kh_emit_end(&emit);
	write_last(&emit, c->last, c->numbered);
	kh_emit_add_int(&emit, "n", c->n);
	kh_emit_add_digest(&emit, "prev", &c->prev);
	kh_emit_add_digest(&emit, "store", &c->store);
	if (c->witness_count > 0)
		write_witnesses(&emit, c);
	kh_emit_end(&emit);
	return kh_emit_finish(&emit, ret_body);
}

static enum kh_err write_line(struct kh_arena *arena, const struct kh_checkpoint_line *line, struct kh_view *ret_line)
{
	char hex[SIGNATURE * 2 + 1];
	struct kh_emit emit;

	sodium_bin2hex(hex, sizeof(hex), line->signature, SIGNATURE);
	kh_emit_begin(&emit, arena, LIMIT);
	kh_emit_object(&emit);
	kh_emit_add_int(&emit, "checkpoint", line->n);
	kh_emit_add_digest(&emit, "hash", &line->hash);
	write_last(&emit, line->last, line->numbered);
	kh_emit_add(&emit, "signature", kh_view_of(hex, SIGNATURE * 2));
	kh_emit_add_digest(&emit, "store", &line->store);
	kh_emit_end(&emit);
	return kh_emit_finish(&emit, ret_line);
}

struct since {
	struct kh_chains *chains;
	int64_t last;
	bool failed;
};

static bool take(const struct kh_audit_entry *entry, void *arg)
{
	struct since *since = arg;
	struct kh_chains_head *head = kh_chains_get(since->chains, entry->chain);

	if (head == NULL) {
		since->failed = true;
		return false;
	}
	head->chain = (struct kh_chain){.n = entry->n, .last = entry->id, .head = entry->hash};
	since->last = entry->id;
	return true;
}

enum kh_err kh_checkpoint_heads(struct kh_txn *txn, int64_t after, struct kh_chains *chains, int64_t *ret_last)
{
	struct since since = {.chains = chains, .last = after};
	enum kh_err e = kh_audit_read(txn, after, take, &since);

	if (e == KH_OK && since.failed)
		e = KH_ENOMEM;
	if (e == KH_OK)
		*ret_last = since.last;
	return e;
}

enum kh_err kh_checkpoint_last(struct kh_txn *txn, struct kh_arena *arena, struct kh_checkpoint *ret_last,
			       struct kh_digest *ret_hash)
{
	struct kh_backend_checkpoint stored;
	enum kh_err e = txn->backend->checkpoint(txn, arena, 0, &stored);

	if (e == KH_EUNKNOWN) {
		*ret_last = (struct kh_checkpoint){.n = 0};
		*ret_hash = (struct kh_digest){{0}};
		return KH_OK;
	}
	if (e == KH_OK)
		e = kh_checkpoint_parse(arena, stored.body, ret_last, txn->err);
	if (e == KH_EINPUT)
		return kh_error_set(txn->err, KH_ESTORE, "bad_checkpoint", "the last checkpoint cannot be read");
	if (e == KH_OK)
		*ret_hash = kh_canonical_digest(stored.body);
	return e;
}

static enum kh_err check_key(struct kh_txn *txn, const struct kh_checkpoint_key *key)
{
	struct kh_system_row *system;
	enum kh_err e = kh_txn_load(txn, KH_TABLE_SYSTEM, 1, &system);

	if (e == KH_OK && memcmp(&system->audit_key, &key->public, sizeof(key->public)) != 0)
		e = kh_error_set(txn->err, KH_EREFUSED, "audit_key_other",
				 "the key is not the one that this store's checkpoints are signed with");
	return e;
}

enum kh_err kh_checkpoint_sign(const struct kh_checkpoint *checkpoint, const struct kh_checkpoint_key *key,
			       struct kh_arena *arena, struct kh_checkpoint_made *ret_made)
{
	struct kh_checkpoint c = *checkpoint;
	struct kh_checkpoint_made made = {.n = c.n, .last = c.last, .prev = c.prev};
	struct kh_checkpoint_line line = {.n = c.n, .last = c.last, .store = key->public};

	c.store = key->public;
	enum kh_err e = write_body(arena, &c, &made.body);
	if (e != KH_OK)
		return e;
	crypto_sign_detached(made.signature, NULL, (const unsigned char *)made.body.p, made.body.n, key->secret);
	memcpy(line.signature, made.signature, SIGNATURE);
	line.hash = kh_canonical_digest(made.body);
	e = write_line(arena, &line, &made.line);
	if (e == KH_OK)
		*ret_made = made;
	return e;
}

enum kh_err kh_checkpoint_add(struct kh_txn *txn, const struct kh_checkpoint_key *key,
			      const struct kh_checkpoint_made *made, struct kh_arena *arena)
{
	struct kh_backend_checkpoint stored = {.id = 0};
	struct kh_digest hash = {{0}};

	if (txn->arena == NULL)
		kh_txn_use_arena(txn, arena);
	enum kh_err e = check_key(txn, key);
	if (e == KH_OK)
		e = txn->backend->checkpoint(txn, arena, 0, &stored);
	if (e == KH_OK)
		hash = kh_canonical_digest(stored.body);
	if (e != KH_OK && e != KH_EUNKNOWN)
		return e;
	if (stored.id != made->n - 1 || memcmp(&hash, &made->prev, sizeof(hash)) != 0)
		return kh_error_set(txn->err, KH_ECHANGED, "checkpoint_order", "another checkpoint was stored first");
	stored = (struct kh_backend_checkpoint){
		.id = made->n, .body = made->body, .signature = kh_view_of((const char *)made->signature, SIGNATURE)};
	return txn->backend->add_checkpoint(txn, &stored);
}

enum kh_err kh_checkpoint_line(struct kh_txn *txn, int64_t number, struct kh_arena *arena, struct kh_view *ret_line)
{
	struct kh_backend_checkpoint stored;
	struct kh_checkpoint c;
	enum kh_err e = txn->backend->checkpoint(txn, arena, number, &stored);

	if (e == KH_OK)
		e = kh_checkpoint_parse(arena, stored.body, &c, txn->err);
	if (e == KH_EINPUT || (e == KH_OK && stored.signature.n != SIGNATURE))
		e = kh_error_set(txn->err, KH_ESTORE, "bad_checkpoint", "a checkpoint cannot be read");
	if (e != KH_OK)
		return e;
	struct kh_checkpoint_line line = {.n = c.n,
					  .last = c.last,
					  .numbered = c.numbered,
					  .store = c.store,
					  .hash = kh_canonical_digest(stored.body)};
	memcpy(line.signature, stored.signature.p, SIGNATURE);
	return write_line(arena, &line, ret_line);
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static bool parse_hex(yyjson_val *val, unsigned char *bytes, size_t size)
{
	struct kh_view hex = kh_json_str(val);
	size_t n = 0;

	return hex.n == size * 2 && sodium_hex2bin(bytes, size, hex.p, hex.n, NULL, &n, NULL) == 0 && n == size;
}

/* Whether the text is the one spelling is seen when it is written again. */
static bool parse_last(yyjson_val *val, int64_t *ret_last, bool *ret_numbered)
{
	*ret_numbered = !yyjson_is_str(val);
	return *ret_numbered ? kh_json_int(val, ret_last) : kh_view_int(kh_json_str(val), ret_last);
}

static bool parse_digest(yyjson_val *val, struct kh_digest *ret_digest)
{
	return parse_hex(val, ret_digest->bytes, KH_DIGEST_SIZE);
}

static bool parse_head(yyjson_val *item, struct kh_chains_head *ret_head)
{
	ret_head->there = true;
	return yyjson_arr_size(item) == 3 && kh_json_int(yyjson_arr_get(item, 0), &ret_head->number) &&
	       kh_json_int(yyjson_arr_get(item, 1), &ret_head->chain.n) &&
	       parse_digest(yyjson_arr_get(item, 2), &ret_head->chain.head);
}

static bool parse_heads(struct kh_arena *arena, yyjson_val *list, struct kh_checkpoint *c)
{
	yyjson_arr_iter iter = yyjson_arr_iter_with(list);
	struct kh_chains_head *heads = KH_NEW_N(arena, struct kh_chains_head, yyjson_arr_size(list));
	yyjson_val *item;

	if (heads == NULL || !yyjson_is_arr(list))
		return false;
	while ((item = yyjson_arr_iter_next(&iter)) != NULL) {
		if (!parse_head(item, &heads[c->count]) ||
		    (c->count > 0 && heads[c->count].number <= heads[c->count - 1].number))
			return false;
		c->count++;
	}
	c->heads = heads;
	return true;
}

/* LIST is NULL if the checkpoint names no witness. */
static bool parse_witnesses(struct kh_arena *arena, yyjson_val *list, struct kh_checkpoint *c)
{
	yyjson_arr_iter iter = yyjson_arr_iter_with(list);
	struct kh_checkpoint_witness *witnesses = KH_NEW_N(arena, struct kh_checkpoint_witness, yyjson_arr_size(list));
	yyjson_val *item;

	if (list == NULL)
		return true;
	if (witnesses == NULL || yyjson_arr_size(list) == 0)
		return false;
	while ((item = yyjson_arr_iter_next(&iter)) != NULL) {
		struct kh_checkpoint_witness *w = &witnesses[c->witness_count++];
		w->name = kh_json_str(yyjson_arr_get(item, 0));
		if (yyjson_arr_size(item) != 3 || w->name.p == NULL ||
		    !kh_json_int(yyjson_arr_get(item, 1), &w->first) ||
		    !kh_json_int(yyjson_arr_get(item, 2), &w->seen) || w->first < 1 || w->seen < w->first)
			return false;
	}
	c->witnesses = witnesses;
	return true;
}

enum kh_err kh_checkpoint_parse(struct kh_arena *arena, struct kh_view body, struct kh_checkpoint *ret_checkpoint,
				struct kh_error *err)
{
	struct kh_checkpoint c = {.count = 0};
	struct kh_view again = {"", 0};
	yyjson_val *root;
	enum kh_err e = kh_json_read(arena, body, &root, err);

	if (e != KH_OK)
		return e;
	bool good = kh_json_int(kh_json_get(root, "at"), &c.at) &&
		    parse_last(kh_json_get(root, "last"), &c.last, &c.numbered) &&
		    kh_json_int(kh_json_get(root, "n"), &c.n) && parse_digest(kh_json_get(root, "prev"), &c.prev) &&
		    parse_digest(kh_json_get(root, "store"), &c.store) &&
		    parse_heads(arena, kh_json_get(root, "heads"), &c) &&
		    parse_witnesses(arena, kh_json_get(root, "witnesses"), &c);
	if (kh_arena_check(arena) != KH_OK)
		return KH_ENOMEM;
	e = good ? write_body(arena, &c, &again) : KH_OK;
	if (e == KH_ENOMEM)
		return e;
	if (e != KH_OK || !good || !kh_view_eq(again, body))
		return kh_error_set(err, KH_EINPUT, "bad_checkpoint", "the text is not a checkpoint");
	*ret_checkpoint = c;
	return KH_OK;
}

bool kh_checkpoint_read_line(struct kh_arena *arena, struct kh_view line, struct kh_checkpoint_line *ret_line)
{
	struct kh_checkpoint_line l = {.n = 0};
	struct kh_view again;
	yyjson_val *root;
	size_t at = kh_view_find(line, KH_LIT("{\"checkpoint\":"), 0);

	if (at == SIZE_MAX)
		return false;
	line = kh_view_trim(kh_view_from(line, at));
	if (kh_json_read(arena, line, &root, NULL) != KH_OK)
		return false;
	bool good = kh_json_int(kh_json_get(root, "checkpoint"), &l.n) && l.n > 0 &&
		    parse_last(kh_json_get(root, "last"), &l.last, &l.numbered) &&
		    parse_digest(kh_json_get(root, "hash"), &l.hash) &&
		    parse_digest(kh_json_get(root, "store"), &l.store) &&
		    parse_hex(kh_json_get(root, "signature"), l.signature, SIGNATURE);
	if (!good || write_line(arena, &l, &again) != KH_OK || !kh_view_eq(line, again))
		return false;
	*ret_line = l;
	return true;
}
