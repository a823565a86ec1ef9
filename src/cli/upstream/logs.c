/* Shows the log of an upstream server.  What stands in it may be the server's own words, so all of it is tainted. */
#include "cli/upstream/logs.h"

#include "cli/result.h"
#include "home/file.h"
#include "upstream/port.h"

#include <unistd.h>

/* The text of HOME/logs/NAME and ENDING; empty if there is none. */
static enum kh_err read_log(struct kh_frame *f, struct kh_view name, const char *ending, struct kh_view *ret_text)
{
	struct kh_view path = kh_arena_printf(&f->arena, "%.*s/" KH_PORT_FOLDER "/%.*s%s", KH_FMT(f->home.folder.path),
					      KH_FMT(name), ending);

	*ret_text = KH_LIT("");
	if (path.p == NULL || access(path.p, F_OK) != 0)
		return kh_arena_check(&f->arena);
	return kh_file_named(&f->arena, path, ret_text, &f->err);
}

/* The last COUNT lines of TEXT. */
static struct kh_view last_lines(struct kh_view text, uint64_t count)
{
	size_t at = text.n;

	while (at > 0 && (text.p[at - 1] != '\n' || at == text.n || count-- > 1))
		at--;
	return kh_view_from(text, at);
}

int kh_logs_run(struct kh_frame *f)
{
	const struct kh_logs_args *args = f->args;
	struct kh_view name = kh_view_str(f->words[0]), older, newer;
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	struct kh_buf buf = kh_frame_buf(f);
	struct kh_result result;

	if (kh_settings_upstream(f->home.config, name) == NULL)
		return KH_FRAME_REFUSE(f, "unknown_upstream", KH_FOLDER_CONFIG " has no upstream %.*s",
				       KH_FMT(kh_arena_quote(&f->arena, name)));
	enum kh_err e = read_log(f, name, ".log.1", &older);
	if (e == KH_OK)
		e = read_log(f, name, ".log", &newer);
	struct kh_view text = e == KH_OK ? kh_arena_printf(&f->arena, "%.*s%.*s", KH_FMT(older), KH_FMT(newer)) : name;
	if (e != KH_OK || text.p == NULL)
		return kh_frame_fail(f);
	text = kh_view_trim(last_lines(text, args->lines > 0 ? args->lines : KH_LOGS_LINES));
	if (f->options.json) {
		kh_result_init(&result, &f->arena);
		kh_json_add(doc, obj, "upstream", name);
		kh_result_lines(&result, doc, obj, "lines", kh_tainted_wrap(text));
		return kh_frame_object(f, obj);
	}
	if (text.n > 0)
		kh_terminal_frame(&buf, kh_tainted_wrap(text), kh_terminal_columns(STDOUT_FILENO));
	else
		kh_frame_note(f, KH_LIT("keyhole: it has no log yet: no gateway has called it\n"));
	return kh_frame_text(f, &buf);
}
