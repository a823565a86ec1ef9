/* The safe folders of git.  Paths are the operator's, and may have any character but NUL. */
#include "sandbox/gitsafe.h"

struct text {
	char at[2 * KH_MESSAGE_MAX];
	size_t n;
	bool full;
};

static void add(struct text *text, char c)
{
	text->full = text->full || text->n + 1 >= sizeof(text->at);
	if (!text->full)
		text->at[text->n++] = c;
}

static void add_all(struct text *text, const char *s)
{
	while (*s != '\0')
		add(text, *s++);
}

/* One line.  A line that does not fit, or has a character that git's files cannot have, is left out. */
static void add_folder(struct text *text, struct kh_view path, const char *behind)
{
	size_t from = text->n;
	bool plain = true;

	add_all(text, "\tdirectory = \"");
	for (size_t i = 0; i < path.n; i++) {
		if (path.p[i] == '"' || path.p[i] == '\\')
			add(text, '\\');
		plain = plain && (unsigned char)path.p[i] >= ' ';
		add(text, path.p[i]);
	}
	add_all(text, behind);
	add_all(text, "\"\n");
	if (text->full || !plain) {
		text->n = from;
		text->full = false;
	}
}

const char *kh_gitsafe_text(const struct kh_message *job)
{
	static const enum kh_message_field fields[] = {KH_FIELD_READ, KH_FIELD_WRITE};
	static struct text text; /* not shared: this process is a copy of the executor */
	struct kh_view path;
	size_t none;

	text.n = 0;
	add_all(&text, "[safe]\n");
	none = text.n;
	if (job->has[KH_FIELD_WORK])
		add_folder(&text, KH_LIT("/work"), "");
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		size_t cursor = 0;
		while (kh_message_item(job, fields[i], &cursor, &path)) {
			add_folder(&text, path, "");
			add_folder(&text, path, "/*"); /* those below it, since git 2.46 */
		}
	}
	text.at[text.n] = '\0';
	return text.n > none ? text.at : NULL;
}
