/* Reading secrets.  No message contains a secret: messages name the place where it should be. */
#include "home/secret.h"

#include <stdlib.h>
#include <string.h>

static enum kh_err no_memory(struct kh_error *err)
{
	return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
}

struct kh_secret kh_secret_of_reader(struct kh_arena *arena, const struct kh_config_reader *reader)
{
	struct kh_view owner = kh_arena_printf(arena, "reader %.*s", KH_FMT(reader->name));

	return (struct kh_secret){reader->key_file, reader->key_environment, owner, "key", true, reader->line};
}

struct kh_secret kh_secret_of_database(struct kh_arena *arena, const struct kh_config_database *database)
{
	struct kh_view owner = kh_arena_printf(arena, "database %.*s", KH_FMT(database->name));

	return (struct kh_secret){database->password_file, database->password_environment, owner, "password", false,
				  database->line};
}

struct kh_secret kh_secret_of_search(const struct kh_config_search *search)
{
	return (struct kh_secret){search->key_file, search->key_environment, KH_LIT("search"), "key", true,
				  search->line};
}

static struct kh_view find_kept(const struct kh_secret_kept *kept, struct kh_view path)
{
	while (kept != NULL && !kh_view_eq(kept->path, path))
		kept = kept->next;
	return kept != NULL ? kept->text : (struct kh_view){NULL, 0};
}

/* Reads a file anywhere.  If it can no longer be opened, uses what was read from it before. */
static enum kh_err read_anywhere(struct kh_arena *arena, struct kh_view path, struct kh_secret_kept **kept,
				 struct kh_view *ret_text, struct kh_error *err)
{
	struct kh_view before = find_kept(*kept, path), text;
	enum kh_err e = kh_folder_secret_at(arena, path.p, &text, err);

	if (e != KH_OK && before.n > 0 && strcmp(err->code, "file_unreadable") == 0) {
		text = kh_arena_dup(arena, before);
		e = text.p != NULL ? KH_OK : no_memory(err);
	}
	if (e != KH_OK)
		return e;
	struct kh_secret_kept *node = KH_NEW(arena, struct kh_secret_kept);
	if (node == NULL) {
		kh_secret_wipe(text);
		return no_memory(err);
	}
	*node = (struct kh_secret_kept){.path = path, .text = text, .next = *kept};
	*kept = node;
	*ret_text = text;
	return KH_OK;
}

static enum kh_err find(const struct kh_secret *secret, const struct kh_folder *folder, struct kh_arena *arena,
			struct kh_secret_kept **kept, struct kh_view *ret_text, struct kh_error *err)
{
	struct kh_view name = secret->file.n > 0 ? secret->file : secret->environment;
	struct kh_view text = kh_arena_printf(arena, "%.*s", KH_FMT(name)); /* with its NUL */

	if (text.p == NULL)
		return no_memory(err);
	if (secret->file.n > 0)
		return text.p[0] == '/' ? read_anywhere(arena, text, kept, ret_text, err)
					: kh_folder_secret(folder, arena, text.p, ret_text, err);
	const char *value = secure_getenv(text.p);
	*ret_text = kh_view_trim(kh_arena_dup(arena, kh_view_str(value != NULL ? value : "")));
	return kh_arena_check(arena) == KH_OK ? KH_OK : no_memory(err);
}

/* True if the secret can be sent: it is one line and, if it goes into a header, visible ASCII. */
static bool can_be_sent(const struct kh_secret *secret, struct kh_view text)
{
	bool good = text.n <= KH_SECRET_MAX;

	for (size_t i = 0; i < text.n && good; i++) {
		unsigned char c = (unsigned char)text.p[i];
		good = secret->in_header ? c > ' ' && c < 0x7f : c >= ' ' && c != 0x7f;
	}
	return good;
}

enum kh_err kh_secret_read(const struct kh_secret *secret, const struct kh_folder *folder, struct kh_arena *arena,
			   struct kh_secret_kept **kept, struct kh_view *ret_text, struct kh_error *err)
{
	bool is_file = secret->file.n > 0;
	struct kh_view text = {NULL, 0};

	*ret_text = text;
	if (!is_file && secret->environment.n == 0)
		return KH_OK;
	enum kh_err e = find(secret, folder, arena, kept, &text, err);
	if (e == KH_EUNKNOWN || (e == KH_OK && text.n == 0))
		return kh_error_set(err, KH_EUNKNOWN, "key_missing",
				    KH_FOLDER_CONFIG ":%u: %.*s has no %s: %s %.*s is not there, or empty",
				    secret->line, KH_FMT(secret->owner), secret->word,
				    is_file ? "the file" : "the environment's",
				    KH_FMT(is_file ? secret->file : secret->environment));
	if (e == KH_OK && !can_be_sent(secret, text)) {
		kh_secret_wipe(text);
		return kh_error_set(
			err, KH_EINPUT, "secret_invalid",
			KH_FOLDER_CONFIG ":%u: the %s of %.*s cannot be used: it has %s, or more than %d bytes",
			secret->line, secret->word, KH_FMT(secret->owner),
			secret->in_header ? "blanks or characters that a header cannot have" : "control characters",
			KH_SECRET_MAX);
	}
	if (e == KH_OK)
		*ret_text = text;
	return e;
}

void kh_secret_wipe(struct kh_view text)
{
	if (text.n > 0)
		explicit_bzero((void *)(uintptr_t)text.p, text.n);
}

void kh_secret_forget(const struct kh_secret_kept *kept)
{
	for (; kept != NULL; kept = kept->next)
		kh_secret_wipe(kept->text);
}
