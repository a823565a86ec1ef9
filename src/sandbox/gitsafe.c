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
static void add_folder(struct text *text, const char *path, const char *behind)
{
	size_t from = text->n;
	bool plain = true;

	add_all(text, "\tdirectory = \"");
	for (; *path != '\0'; path++) {
		if (*path == '"' || *path == '\\')
			add(text, '\\');
		plain = plain && (unsigned char)*path >= ' ';
		add(text, *path);
	}
	add_all(text, behind);
	add_all(text, "\"\n");
	if (text->full || !plain) {
		text->n = from;
		text->full = false;
	}
}

const char *kh_gitsafe_text(const struct kh_grants *grants)
{
	static struct text text; /* not shared: this process is a copy of the executor */
	size_t none;

	text.n = 0;
	add_all(&text, "[safe]\n");
	none = text.n;
	for (size_t i = 0; i < grants->count; i++) {
		if (!grants->at[i].is_dir)
			continue;
		add_folder(&text, grants->at[i].place, "");
		add_folder(&text, grants->at[i].place, "/*"); /* those below it, since git 2.46 */
	}
	text.at[text.n] = '\0';
	return text.n > none ? text.at : NULL;
}
