/* The digest of what a server is run from.  Files are read by a worker in a sandbox that has only them. */
#include "upstream/program.h"

#include "base/clock.h"
#include "outside/converse.h"

#define MEMORY  (256ULL << 20) /* for the names in a large folder */
#define FILES   128            /* folders in folders */
#define SECONDS 60

static void add_texts(yyjson_mut_doc *doc, yyjson_mut_val *root, const char *key, const struct kh_texts *texts)
{
	yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, root, key);

	for (size_t i = 0; i < texts->n; i++)
		(void)yyjson_mut_arr_add_strn(doc, list, texts->at[i].p, texts->at[i].n);
}

/* The names of PAIRS, and nothing else: a secret that is replaced is still the same secret. */
static void add_names(yyjson_mut_doc *doc, yyjson_mut_val *root, const char *key, const struct kh_pairs *pairs)
{
	yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, root, key);

	for (size_t i = 0; i < pairs->n; i++)
		(void)yyjson_mut_arr_add_strn(doc, list, pairs->at[i].name.p, pairs->at[i].name.n);
}

static enum kh_err unreadable(struct kh_error *err, struct kh_view path, const char *why)
{
	return kh_error_set(err, KH_EREFUSED, "program_unreadable", "%.*s: %s", KH_FMT(path), why);
}

/* Asks a worker for the digest of what is at PATH. */
static enum kh_err ask_digest(const struct kh_program *program, struct kh_arena *arena, struct kh_view path,
			      struct kh_view *ret_hex, struct kh_error *err)
{
	struct kh_run run = {.profile = KH_PROFILE_READ,
			     .read = {path},
			     .reads = 1,
			     .limits = {.memory = MEMORY, .files = FILES, .cpu_s = SECONDS}};
	int64_t left = program->until_ms - kh_clock_ms();
	struct kh_converse *c = kh_converse_new(program->client, arena, left > 1 ? (uint64_t)left : 1, 64);
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);
	struct kh_view job;

	kh_json_add(doc, root, "folder", path);
	(void)yyjson_mut_obj_add_bool(doc, root, "digest", true);
	enum kh_err e = kh_json_write(arena, root, &job);
	if (e != KH_OK || c == NULL)
		return KH_ENOMEM;
	c->run = &run;
	c->input[0] = job;
	c->input[1] = KH_LIT("\n");
	e = kh_converse_run(c);
	if (e != KH_OK)
		return e;
	if (c->how == KH_CONVERSE_LATE)
		return unreadable(err, path, "reading it took too long");
	if (c->how != KH_CONVERSE_ENDED || c->end.fault != KH_FAULT_NONE || c->end.status != 0 ||
	    kh_tainted_size(c->output) != 2 * (size_t)KH_DIGEST_SIZE)
		return unreadable(err, path, "it is not there, cannot be read, or is too large");
	*ret_hex = kh_arena_dup(arena, kh_tainted_open(c->output));
	return kh_arena_check(arena);
}

static enum kh_err add_contents(const struct kh_program *program, struct kh_arena *arena, yyjson_mut_doc *doc,
				yyjson_mut_val *list, struct kh_view path, struct kh_error *err)
{
	yyjson_mut_val *one = yyjson_mut_arr_add_obj(doc, list);
	struct kh_view hex;

	enum kh_err e = ask_digest(program, arena, path, &hex, err);
	if (e != KH_OK)
		return e;
	kh_json_add(doc, one, "path", path);
	/* What a worker said goes into a digest, whatever it is. */
	(void)yyjson_mut_obj_add_strn(doc, one, "digest", hex.p, hex.n);
	return KH_OK;
}

/* True if PATH is one of the granted paths, or below one, and not in the program's own folder, which is counted. */
static bool is_granted(const struct kh_config_upstream *up, struct kh_view path)
{
	bool is_granted = false;

	for (size_t i = 0; i < up->read.n; i++) {
		struct kh_view folder = up->read.at[i];
		is_granted |= kh_view_starts(path, folder) && (path.n == folder.n || path.p[folder.n] == '/');
	}
	return is_granted && !(up->program.n > 0 && kh_view_starts(path, up->program));
}

static enum kh_err add_program(const struct kh_program *program, struct kh_arena *arena, yyjson_mut_doc *doc,
			       yyjson_mut_val *root, struct kh_error *err)
{
	const struct kh_config_upstream *up = program->up;
	yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, root, "contents");
	enum kh_err e = KH_OK;

	add_texts(doc, root, "command", &up->command);
	add_texts(doc, root, "read", &up->read);
	add_texts(doc, root, "write", &up->write);
	add_texts(doc, root, "network", &up->network);
	add_names(doc, root, "env", &up->env);
	if (up->program.n > 0)
		e = add_contents(program, arena, doc, list, up->program, err);
	for (size_t i = 0; i < up->command.n && e == KH_OK; i++) {
		if (is_granted(up, up->command.at[i]))
			e = add_contents(program, arena, doc, list, up->command.at[i], err);
	}
	return e;
}

enum kh_err kh_program_digest(const struct kh_program *program, struct kh_arena *arena, struct kh_digest *ret_digest,
			      struct kh_error *err)
{
	const struct kh_config_upstream *up = program->up;
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);
	enum kh_err e = KH_OK;
	struct kh_view text;

	add_names(doc, root, "secrets", &up->secrets);
	if (up->command.n > 0) {
		e = add_program(program, arena, doc, root, err);
	} else {
		kh_json_add(doc, root, "url", up->url);
		add_names(doc, root, "headers", &up->headers);
	}
	if (e == KH_OK)
		e = kh_canonical_mut(arena, root, &text, err);
	if (e == KH_OK)
		*ret_digest = kh_canonical_digest(text);
	return e;
}
