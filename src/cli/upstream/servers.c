/*
 * The commands.  What a client's file says is shown in quotes; its secrets go into files and are wiped.  What is written
 * was read as a configuration before.
 */
#include "cli/upstream/servers.h"

#include "cli/table.h"
#include "cli/upstream/edit.h"
#include "cli/upstream/keep.h"
#include "cli/upstream/trial.h"
#include "core/policy/upstreams.h"
#include "upstream/launch.h"
#include "upstream/port.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

struct taking {
	struct kh_frame *f;
	const struct kh_servers_args *args;
	struct kh_proposal_options options;
	struct kh_view source; /* the file, in quotes; empty: none */
	struct kh_proposal_entry *all;
	size_t n;
	const struct kh_config *config; /* as it was written; NULL: it was not */
};

/* --- what is proposed --------------------------------------------------------------------------------------------- */

/* HERE: the client's file, or the working directory; NULL: there is none. */
static void set_places(struct taking *t, const char *here, bool is_folder)
{
	char room[PATH_MAX];
	size_t n = 0;

	if (here != NULL && realpath(here, room) != NULL)
		n = is_folder ? strlen(room) : (size_t)(strrchr(room, '/') - room);

	t->options = (struct kh_proposal_options){
		.places = {.home = t->f->home.folder.path,
			   .user_home = getenv("HOME"),
			   .path = getenv("PATH"),
			   .here = n > 0 ? kh_arena_dup(&t->f->arena, kh_view_of(room, n)) : kh_view_of(NULL, 0)},
		.keep_arguments = t->args->keep_arguments,
	};
}

static bool is_wanted(const struct taking *t, struct kh_view name)
{
	const struct kh_option_list *names = &t->args->names;
	size_t i = 0;

	while (i < names->n && !kh_view_eq(kh_view_str(names->at[i]), name))
		i++;
	return names->n == 0 || i < names->n;
}

static enum kh_err propose(struct taking *t, const struct kh_list *servers)
{
	const struct kh_clientfile_server *from = servers->at;
	enum kh_err e = KH_OK;

	t->all = KH_NEW_N(&t->f->arena, struct kh_proposal_entry, servers->n);
	for (size_t i = 0; t->all != NULL && e == KH_OK && i < servers->n; i++) {
		if (is_wanted(t, from[i].name))
			e = kh_proposal_make(&t->f->arena, &t->options, &from[i], &t->all[t->n++]);
	}
	if (e != KH_OK || t->all == NULL)
		return kh_error_set(&t->f->err, KH_ENOMEM, "out_of_memory", "out of memory");
	if (t->n == 0)
		return kh_error_set(&t->f->err, KH_EINPUT, "import_invalid",
				    servers->n > 0 ? "no server of the file has a name that --name gives"
						   : "the file has no servers");
	return KH_OK;
}

/* Says every problem at once, in lines of their own, because one may be long; nothing is taken if there is one. */
static enum kh_err check_problems(struct taking *t)
{
	struct kh_view first = {NULL, 0};
	size_t problems = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (t->all[i].problem.n == 0)
			continue;
		struct kh_view line = kh_arena_printf(&t->f->arena, "keyhole: %.*s: %.*s\n",
						      KH_FMT(kh_arena_quote(&t->f->arena, t->all[i].given)),
						      KH_FMT(t->all[i].problem));
		if (!t->f->options.json)
			kh_frame_note(t->f, line);
		if (problems++ == 0)
			first = t->all[i].problem;
	}
	if (problems == 0)
		return KH_OK;
	if (t->f->options.json)
		return kh_error_set(&t->f->err, KH_EINPUT, "import_refused", "%.*s", KH_FMT(first));
	return kh_error_set(&t->f->err, KH_EINPUT, "import_refused",
			    "%zu of %zu servers cannot be taken, so none was%s", problems, t->n,
			    t->n > 1 ? "; --name NAME takes single ones" : "");
}

/* Each name once: in the file, after it was mapped, and in the configuration unless that is replaced. */
static enum kh_err check_names(struct taking *t, const struct kh_config *config)
{
	for (size_t i = 0; i < t->n; i++) {
		for (size_t j = 0; j < i; j++) {
			if (kh_view_eq(t->all[i].name, t->all[j].name))
				return kh_error_set(
					&t->f->err, KH_EREFUSED, "upstream_exists",
					"%.*s and %.*s would both be called %.*s: take one of them, with --name",
					KH_FMT(kh_arena_quote(&t->f->arena, t->all[j].given)),
					KH_FMT(kh_arena_quote(&t->f->arena, t->all[i].given)), KH_FMT(t->all[i].name));
		}
		if (!t->args->replace && kh_settings_upstream(config, t->all[i].name) != NULL)
			return kh_error_set(&t->f->err, KH_EREFUSED, "upstream_exists",
					    KH_FOLDER_CONFIG
					    " has an upstream %.*s already: remove it, or say --replace",
					    KH_FMT(t->all[i].name));
	}
	return KH_OK;
}

static enum kh_err write_entries(struct taking *t, struct kh_view *ret_text)
{
	struct kh_buf buf = kh_frame_buf(t->f);
	struct kh_view entry;
	enum kh_err e = KH_OK;

	for (size_t i = 0; i < t->n && e == KH_OK; i++) {
		e = kh_proposal_text(&t->f->arena, &t->all[i], t->source, &entry);
		if (e == KH_OK)
			kh_buf_add(&buf, entry);
	}
	if (e == KH_OK)
		e = kh_buf_end(&buf, ret_text);
	return e == KH_OK ? e : kh_error_set(&t->f->err, e, "out_of_memory", "no memory for the section");
}

/* --- what is written ---------------------------------------------------------------------------------------------- */

/* Reads TEXT as the configuration that it will be: nothing but the upstreams may differ from the one that is. */
static enum kh_err check_text(struct kh_frame *f, struct kh_view text, const struct kh_config **ret_config)
{
	struct kh_launch launch = {.folder = f->home.folder.path, .file = KH_LIT(KH_FOLDER_CONFIG)};
	enum kh_err e = kh_config_read(&f->arena, text, KH_LIT(KH_FOLDER_CONFIG " as it would be"), ret_config,
				       &f->err);

	if (e == KH_OK)
		e = kh_launch_check(&launch, *ret_config, &f->err);
	if (e == KH_OK &&
	    memcmp(&(*ret_config)->policy.digest, &f->home.policy->digest, sizeof(f->home.policy->digest)) != 0)
		e = kh_error_set(&f->err, KH_EREFUSED, "upstream_flow",
				 "the change would touch more of keyhole.yaml than its upstreams: edit it by hand");
	return e;
}

static enum kh_err keep_secrets(struct taking *t, struct kh_keep *keep)
{
	enum kh_err e = KH_OK;

	for (size_t i = 0; i < t->n; i++) {
		const struct kh_proposal_secret *secrets = t->all[i].secrets.at;
		for (size_t k = 0; e == KH_OK && k < t->all[i].secrets.n; k++)
			e = kh_keep_secret(keep, &secrets[k], t->args->replace, &t->f->err);
	}
	return e;
}

/* The text of keyhole.yaml with ENTRIES, and without what they replace. */
static enum kh_err edit(struct taking *t, struct kh_view text, struct kh_view entries, struct kh_view *ret_text)
{
	enum kh_err e = KH_OK;

	for (size_t i = 0; e == KH_OK && i < t->n; i++) {
		if (kh_settings_upstream(t->f->home.config, t->all[i].name) != NULL)
			e = kh_edit_remove(&t->f->arena, text, t->all[i].name, &text, &t->f->err);
	}
	return e == KH_OK ? kh_edit_add(&t->f->arena, text, entries, ret_text, &t->f->err) : e;
}

static enum kh_err write_all(struct taking *t, struct kh_view entries)
{
	const struct kh_config *config;
	struct kh_keep keep;
	struct kh_view text;
	enum kh_err e = kh_keep_begin(&keep, &t->f->home.folder, &t->f->arena, &t->f->err);

	if (e != KH_OK)
		return e;
	e = edit(t, keep.text, entries, &text);
	if (e == KH_OK)
		e = check_text(t->f, text, &config);
	for (size_t i = 0; e == KH_OK && i < t->n; i++) {
		if (kh_settings_upstream(config, t->all[i].name) == NULL)
			e = kh_error_set(&t->f->err, KH_EREFUSED, "upstream_flow",
					 "keyhole.yaml does not take the section at its end: edit it by hand");
	}
	if (e == KH_OK)
		e = keep_secrets(t, &keep);
	if (e != KH_OK) {
		kh_keep_abandon(&keep);
		return e;
	}
	e = kh_keep_end(&keep, text, &t->f->err);
	if (e == KH_OK)
		t->config = config;
	return e;
}

/* --- what is said ------------------------------------------------------------------------------------------------- */

/* Files that a human still has to fill, and those that would be made. */
static void put_files(struct taking *t, bool is_written, struct kh_buf *buf)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct kh_proposal_secret *secrets = t->all[i].secrets.at;
		for (size_t k = 0; k < t->all[i].secrets.n; k++) {
			if (secrets[k].value.n == 0)
				kh_buf_printf(
					buf,
					"keyhole: the value of %.*s is not in the file; put it, %.*s, into a file: "
					"install -m 600 /dev/stdin %.*s/" KH_PROPOSAL_FOLDER "/%.*s\n",
					KH_FMT(secrets[k].name), KH_FMT(secrets[k].from),
					KH_FMT(t->f->home.folder.path), KH_FMT(secrets[k].file));
			else if (!is_written)
				kh_buf_printf(buf, "keyhole: --write puts %.*s into " KH_PROPOSAL_FOLDER "/%.*s\n",
					      KH_FMT(secrets[k].name), KH_FMT(secrets[k].file));
		}
	}
}

static yyjson_mut_val *proposal_json(yyjson_mut_doc *doc, const struct kh_proposal_entry *p)
{
	yyjson_mut_val *obj = yyjson_mut_obj(doc), *files = yyjson_mut_arr(doc), *open = yyjson_mut_arr(doc);
	const struct kh_proposal_secret *secrets = p->secrets.at;

	kh_json_add(doc, obj, "name", p->name);
	kh_json_add(doc, obj, "given", p->given);
	for (size_t i = 0; i < p->secrets.n; i++)
		yyjson_mut_arr_add_strn(doc, secrets[i].value.n > 0 ? files : open, secrets[i].file.p,
					secrets[i].file.n);
	yyjson_mut_obj_add_val(doc, obj, "secrets", files);
	yyjson_mut_obj_add_val(doc, obj, "open", open);
	return obj;
}

/* What is written now, and what to do next. */
static void put_next(struct taking *t, struct kh_buf *buf)
{
	struct kh_view name = t->n == 1 ? t->all[0].name : KH_LIT("NAME");

	kh_buf_printf(buf, "keyhole: %zu upstream%s in %.*s/" KH_FOLDER_CONFIG ": look at what it may read and reach\n",
		      t->n, t->n == 1 ? "" : "s", KH_FMT(t->f->home.folder.path));
	if (!t->args->rules)
		kh_buf_printf(buf,
			      "next: keyhole upstream test %.*s --rules proposes a rule for each tool; then keyhole "
			      "upstream review %.*s\n",
			      KH_FMT(name), KH_FMT(name));
}

static int report(struct taking *t, bool is_written, struct kh_view section)
{
	yyjson_mut_doc *doc = kh_json_new(&t->f->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc), *list = yyjson_mut_arr(doc);
	struct kh_buf buf = kh_frame_buf(t->f);
	struct kh_view notes;

	if (t->f->options.json) {
		for (size_t i = 0; i < t->n; i++)
			yyjson_mut_arr_append(list, proposal_json(doc, &t->all[i]));
		yyjson_mut_obj_add_val(doc, obj, "upstreams", list);
		yyjson_mut_obj_add_bool(doc, obj, "written", is_written);
		if (!is_written)
			kh_json_add(doc, obj, "section", section);
		return kh_frame_object(t->f, obj);
	}
	put_files(t, is_written, &buf);
	if (is_written)
		put_next(t, &buf);
	if (kh_buf_end(&buf, &notes) != KH_OK)
		return kh_frame_fail_memory(t->f);
	kh_frame_note(t->f, notes);
	struct kh_buf out = kh_frame_buf(t->f);
	if (!is_written)
		kh_buf_add(&out, section);
	return kh_frame_text(t->f, &out);
}

static void wipe(struct taking *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct kh_proposal_secret *secrets = t->all[i].secrets.at;
		for (size_t k = 0; k < t->all[i].secrets.n; k++) {
			if (secrets[k].value.n > 0)
				explicit_bzero((void *)(uintptr_t)secrets[k].value.p, secrets[k].value.n);
		}
	}
}

/* The section as it would be alone in a file. */
static enum kh_err make_section(struct taking *t, struct kh_view entries, struct kh_view *ret_section)
{
	const struct kh_config *config;
	enum kh_err e = kh_edit_add(&t->f->arena, KH_LIT(""), entries, ret_section, &t->f->err);

	return e == KH_OK ? kh_config_read(&t->f->arena, *ret_section, KH_LIT("the section"), &config, &t->f->err) : e;
}

/* Takes SERVERS: into keyhole.yaml if IS_WRITTEN, else onto standard output. */
static int take(struct taking *t, const struct kh_list *servers, bool is_written)
{
	struct kh_view entries, section = {NULL, 0};
	enum kh_err e = propose(t, servers);

	if (e == KH_OK)
		e = check_problems(t);
	if (e == KH_OK)
		e = check_names(t, t->f->home.config);
	if (e == KH_OK)
		e = write_entries(t, &entries);
	if (e == KH_OK)
		e = make_section(t, entries, &section);
	if (e == KH_OK && is_written)
		e = write_all(t, entries);
	int status = e == KH_OK ? report(t, is_written, section) : kh_frame_fail(t->f);
	wipe(t);
	return status;
}

/* --- the commands ------------------------------------------------------------------------------------------------- */

int kh_servers_import(struct kh_frame *f)
{
	struct taking t = {.f = f, .args = f->args};
	const char *file = f->words[0], *slash = strrchr(file, '/');
	struct kh_list servers;
	struct kh_view text;

	set_places(&t, strcmp(file, "-") == 0 ? NULL : file, false);
	t.source = kh_arena_quote(&f->arena, kh_view_str(slash != NULL ? slash + 1 : file));
	if (kh_frame_input(f, file, KH_CLIENTFILE_SIZE, &text) != KH_OK)
		return kh_frame_fail(f);
	enum kh_err e = kh_clientfile_read(&f->arena, text, &servers, &f->err);
	if (text.n > 0)
		explicit_bzero((void *)(uintptr_t)text.p, text.n);
	return e == KH_OK ? take(&t, &servers, t.args->write) : kh_frame_fail(f);
}

/* Tries the server that was added, and writes rules for its tools. */
static int propose_rules(struct taking *t)
{
	struct kh_home home = t->f->home;

	home.config = t->config;
	int status = kh_trial_of(t->f, &home, t->f->words[0], &(struct kh_trial_args){.rules = true});
	if (status == KH_FRAME_DONE)
		kh_frame_note(t->f,
			      kh_arena_printf(&t->f->arena,
					      "next: read the rules, put what you want into `policy`; then keyhole "
					      "upstream review %s\n",
					      t->f->words[0]));
	return status;
}

/* Whether the first argument of PROGRAM is the name of a package, and no file. */
static bool takes_package(const char *program)
{
	static const char *const names[] = {"npx", "bunx", "uvx", "pipx"};
	const char *slash = strrchr(program, '/');

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(slash != NULL ? slash + 1 : program, names[i]) == 0)
			return true;
	}
	return false;
}

/* WORD as an absolute path if it is the relative path of a file, and says so: a gateway works in another folder. */
static struct kh_view make_absolute(const struct taking *t, const char *word)
{
	struct kh_view here = t->options.places.here, path = kh_view_str(word);
	char room[PATH_MAX];
	struct stat st;

	if (word[0] == '/' || here.n == 0 || stat(word, &st) != 0 || !S_ISREG(st.st_mode))
		return path;
	while (kh_view_starts(path, KH_LIT("./")))
		path = kh_view_from(path, 2);
	if (strstr(word, "..") != NULL && realpath(word, room) != NULL)
		path = kh_arena_printf(&t->f->arena, "%s", room);
	else /* a link stays one: an environment of Python is found by it */
		path = kh_arena_printf(&t->f->arena, "%.*s/%.*s", KH_FMT(here), KH_FMT(path));
	kh_frame_note(t->f, kh_arena_printf(&t->f->arena, "keyhole: %.*s is taken as %.*s\n",
					    KH_FMT(kh_arena_quote(&t->f->arena, kh_view_str(word))),
					    KH_FMT(kh_arena_quote(&t->f->arena, path))));
	return path;
}

/* The command that was given.  The program, if it is a path, and its first argument that is no option may be relative. */
static void take_argv(struct taking *t, struct kh_texts *argv)
{
	const char *program = t->f->words[1];
	bool had_first = takes_package(program);

	argv->at[argv->n++] = strchr(program, '/') != NULL ? make_absolute(t, program) : kh_view_str(program);
	for (int i = 2; i < t->f->count; i++) {
		bool is_first = !had_first && t->f->words[i][0] != '-';
		had_first = had_first || is_first;
		argv->at[argv->n++] = is_first ? make_absolute(t, t->f->words[i]) : kh_view_str(t->f->words[i]);
	}
}

int kh_servers_add(struct kh_frame *f)
{
	struct taking t = {.f = f, .args = f->args};
	struct kh_clientfile_server server = {.name = kh_view_str(f->words[0])};
	struct kh_view first = kh_view_str(f->words[1]);
	bool is_url = f->count == 2 && kh_view_find(first, KH_LIT("://"), 0) != SIZE_MAX;

	if (!kh_upstreams_is_name(server.name))
		return KH_FRAME_REFUSE(
			f, "bad_option",
			"NAME is a small letter, then small letters, digits and -, 32 at most, and not host");
	if (t.args->rules && f->options.json)
		return KH_FRAME_REFUSE(f, "bad_option", "--rules writes a part of keyhole.yaml, and not JSON");
	set_places(&t, ".", true);
	if (is_url) {
		server.url = first;
	} else {
		server.argv.at = KH_NEW_N(&f->arena, struct kh_view, (size_t)f->count);
		if (server.argv.at == NULL)
			return kh_frame_fail_memory(f);
		take_argv(&t, &server.argv);
	}
	int status = take(&t, &(struct kh_list){&server, 1}, true);
	return status == KH_FRAME_DONE && t.args->rules ? propose_rules(&t) : status;
}

int kh_servers_remove(struct kh_frame *f)
{
	struct kh_view name = kh_view_str(f->words[0]), text;
	const struct kh_config *config;
	struct kh_keep keep;
	enum kh_err e = kh_keep_begin(&keep, &f->home.folder, &f->arena, &f->err);

	if (e != KH_OK)
		return kh_frame_fail(f);
	e = kh_edit_remove(&f->arena, keep.text, name, &text, &f->err);
	if (e == KH_OK)
		e = check_text(f, text, &config);
	if (e == KH_OK)
		e = kh_keep_end(&keep, text, &f->err);
	else
		kh_keep_abandon(&keep);
	if (e != KH_OK)
		return kh_frame_fail(f);
	const struct kh_config_upstream *up = kh_settings_upstream(f->home.config, name);
	for (size_t i = 0; up != NULL && i < up->secrets.n && !f->options.json; i++)
		kh_frame_note(f, kh_arena_printf(&f->arena, "keyhole: the file of its secret %.*s stays: %.*s\n",
						 KH_FMT(up->secrets.at[i].name), KH_FMT(up->secrets.at[i].text)));
	if (f->options.json)
		return KH_FRAME_PAIRS(f, {"removed", name});
	return KH_FRAME_DONE;
}

static void add_texts(yyjson_mut_doc *doc, yyjson_mut_val *obj, const char *key, const struct kh_texts *texts)
{
	yyjson_mut_val *list = yyjson_mut_arr(doc);

	for (size_t i = 0; i < texts->n; i++)
		yyjson_mut_arr_add_strn(doc, list, texts->at[i].p != NULL ? texts->at[i].p : "", texts->at[i].n);
	yyjson_mut_obj_add_val(doc, obj, key, list);
}

/* A command on one line, cut if it is long. */
static struct kh_view line_of(struct kh_arena *arena, const struct kh_texts *command)
{
	struct kh_view line = {NULL, 0};
	struct kh_buf buf;

	kh_buf_init(&buf, arena, KH_CONFIG_ARGUMENTS * 2);
	for (size_t i = 0; i < command->n; i++) {
		if (i > 0)
			kh_buf_lit(&buf, " ");
		kh_buf_add(&buf, command->at[i]);
	}
	return kh_buf_end(&buf, &line) == KH_OK ? kh_arena_quote_most(arena, line, 72) : line;
}

/* How the gateway runs it. */
static void add_state(yyjson_mut_doc *doc, yyjson_mut_val *obj, struct kh_view folder,
		      const struct kh_config_upstream *up)
{
	struct kh_port_state state;
	uint64_t sent = kh_port_look(folder, up->name, &state);

	if (up->enabled == KH_CONFIG_FALSE)
		state = (struct kh_port_state){.state = "off"};
	yyjson_mut_obj_add_strcpy(doc, obj, "state", state.state);
	yyjson_mut_obj_add_uint(doc, obj, "processes", state.processes);
	yyjson_mut_obj_add_strcpy(doc, obj, "why", state.why);
	yyjson_mut_obj_add_uint(doc, obj, "sent_today", sent);
	if (up->network.n > 0)
		yyjson_mut_obj_add_uint(doc, obj, "bytes_out", up->bytes_out);
}

static yyjson_mut_val *upstream_json(yyjson_mut_doc *doc, struct kh_arena *arena, struct kh_view folder,
				     const struct kh_config_upstream *up)
{
	yyjson_mut_val *obj = yyjson_mut_obj(doc), *secrets = yyjson_mut_arr(doc);
	bool is_program = up->command.n > 0;

	kh_json_add(doc, obj, "name", up->name);
	kh_json_add(doc, obj, "kind", is_program ? KH_LIT("program") : KH_LIT("http"));
	kh_json_add(doc, obj, "what", is_program ? line_of(arena, &up->command) : up->url);
	yyjson_mut_obj_add_bool(doc, obj, "enabled", up->enabled == KH_CONFIG_TRUE);
	yyjson_mut_obj_add_bool(doc, obj, "shared", up->shared == KH_CONFIG_TRUE);
	if (is_program)
		add_texts(doc, obj, "command", &up->command);
	add_texts(doc, obj, "read", &up->read);
	add_texts(doc, obj, "write", &up->write);
	add_texts(doc, obj, "network", &up->network);
	for (size_t i = 0; i < up->secrets.n; i++)
		yyjson_mut_arr_add_strn(doc, secrets, up->secrets.at[i].name.p, up->secrets.at[i].name.n);
	yyjson_mut_obj_add_val(doc, obj, "secrets", secrets);
	add_state(doc, obj, folder, up);
	yyjson_mut_obj_add_uint(doc, obj, "line", up->line);
	return obj;
}

int kh_servers_list(struct kh_frame *f)
{
	const struct kh_config_upstream *all = f->home.config->upstreams.at;
	yyjson_mut_doc *doc = kh_json_new(&f->arena);
	yyjson_mut_val *list = yyjson_mut_arr(doc);
	struct kh_buf buf = kh_frame_buf(f);
	yyjson_val *frozen;

	for (size_t i = 0; i < f->home.config->upstreams.n; i++)
		yyjson_mut_arr_append(list, upstream_json(doc, &f->arena, f->home.folder.path, &all[i]));
	if (f->options.json)
		return kh_frame_list(f, "upstreams", doc, list);
	if (kh_json_freeze(&f->arena, list, &frozen, &f->err) != KH_OK)
		return kh_frame_fail(f);
	kh_table_list(&buf, frozen,
		      "NAME: name; KIND: kind; STATE: state; RUN: processes; SHARED: shared; READS: read length; "
		      "WRITES: write length;"
		      "HOSTS: network length; SENT: sent_today; SECRETS: secrets length; WHAT: what; WHY: why",
		      "No upstreams: keyhole upstream import FILE takes those of a client.");
	return kh_frame_text(f, &buf);
}
