/*
 * Looks for installed programs.  The command comes from the user's own configuration.  A package.json may be anybody's:
 * it is read strictly and bounded, and the program that it names has to be inside of its package.
 */
#include "cli/upstream/resolve.h"

#include "base/json.h"
#include "core/policy/match.h"
#include "home/file.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct search {
	struct kh_arena *arena;
	const struct kh_resolve_places *places;
	struct kh_view name;
	const struct kh_texts *argv;
	struct kh_resolved *out;
};

static void blame(struct search *s, struct kh_view problem)
{
	if (s->out->problem.n == 0)
		s->out->problem = problem;
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static bool is_kind(const char *path, mode_t kind)
{
	struct stat st;

	return path != NULL && stat(path, &st) == 0 && (st.st_mode & S_IFMT) == kind;
}

/* The real path of what PATH names, in the arena; empty if there is nothing. */
static struct kh_view real(struct search *s, struct kh_view path)
{
	char room[PATH_MAX];

	if (path.p == NULL || realpath(path.p, room) == NULL)
		return kh_view_of(NULL, 0);
	return kh_arena_printf(s->arena, "%s", room);
}

static struct kh_view folder_of(struct kh_view path)
{
	while (path.n > 1 && path.p[path.n - 1] != '/')
		path.n--;
	return path.n > 1 ? kh_view_sub(path, 0, path.n - 1) : path;
}

static struct kh_view last_of(struct kh_view path)
{
	size_t n = path.n;

	while (n > 0 && path.p[n - 1] != '/')
		n--;
	return kh_view_from(path, n);
}

static struct kh_view terminated(struct search *s, struct kh_view text)
{
	return kh_arena_printf(s->arena, "%.*s", KH_FMT(text));
}

/* The sandbox has /usr, and what of the root is part of it, already. */
static bool is_systems(struct kh_view path)
{
	static const char *const roots[] = {"/usr", "/bin", "/sbin", "/lib", "/lib64"};

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		if (kh_match_path(kh_view_str(roots[i]), path))
			return true;
	}
	return false;
}

/* The program NAME in the folders of $PATH, and in ~/.local/bin; empty if there is none. */
static struct kh_view find_program(struct search *s, struct kh_view name)
{
	struct kh_view rest = kh_view_str(s->places->path != NULL ? s->places->path : ""), folder, found = {NULL, 0};
	struct kh_view own = kh_arena_printf(s->arena, "%s/.local/bin/%.*s",
					     s->places->user_home != NULL ? s->places->user_home : "", KH_FMT(name));

	while (found.n == 0 && rest.n > 0 && kh_view_split(&rest, ':', &folder)) {
		struct kh_view path = kh_arena_printf(s->arena, "%.*s/%.*s", KH_FMT(folder), KH_FMT(name));
		if (folder.n > 0 && folder.p[0] == '/' && path.p != NULL && is_kind(path.p, S_IFREG) &&
		    access(path.p, X_OK) == 0)
			found = path;
	}
	if (found.n == 0 && own.p != NULL && is_kind(own.p, S_IFREG) && access(own.p, X_OK) == 0)
		found = own;
	return found;
}

/* --- what comes out ----------------------------------------------------------------------------------------------- */

static void add_read(struct search *s, struct kh_view path)
{
	struct kh_texts *read = &s->out->read;

	if (path.n == 0 || is_systems(path) || read->n > 0)
		return;
	read->at = KH_NEW(s->arena, struct kh_view);
	if (read->at != NULL)
		read->at[read->n++] = path;
}

/* FIRST, SECOND if it is not empty, and the arguments of the command from FROM on. */
static void put_argv(struct search *s, struct kh_view first, struct kh_view second, size_t from)
{
	struct kh_texts *argv = &s->out->argv;

	argv->at = KH_NEW_N(s->arena, struct kh_view, s->argv->n + 2);
	if (argv->at == NULL)
		return; /* the arena is marked */
	argv->at[argv->n++] = first;
	if (second.n > 0)
		argv->at[argv->n++] = second;
	s->out->own = argv->n;
	for (size_t i = from; i < s->argv->n; i++)
		argv->at[argv->n++] = s->argv->at[i];
}

/* An interpreter outside of /usr is granted with the folder that its libraries are in. */
static void add_interpreter(struct search *s, struct kh_view program)
{
	struct kh_view path = real(s, program), folder = folder_of(path);

	if (path.n > 0)
		add_read(s, kh_view_eq(last_of(folder), KH_LIT("bin")) ? folder_of(folder) : path);
}

/* --- npx ---------------------------------------------------------------------------------------------------------- */

struct package {
	struct kh_view spec;    /* as it is written: "@scope/name@1.2.3" */
	struct kh_view name;    /* "@scope/name" */
	struct kh_view version; /* "1.2.3"; empty: any */
	struct kh_view command; /* the program in it; empty: its own */
	size_t next;            /* the first of its arguments */
};

static bool is_package(struct kh_view name)
{
	size_t slash = kh_view_find(name, KH_LIT("/"), 0);
	bool has_scope = name.n > 0 && name.p[0] == '@';

	if (name.n == 0 || name.n > 214 || name.p[0] == '.' || has_scope != (slash != SIZE_MAX))
		return false;
	struct kh_view last = kh_view_from(name, has_scope ? slash + 1 : 0);
	return last.n > 0 && last.p[0] != '.' && kh_view_is_word(last, "-._~") &&
	       (!has_scope || (slash > 1 && kh_view_is_word(kh_view_sub(name, 1, slash), "-._~")));
}

static void split_spec(struct package *p, struct kh_view spec)
{
	size_t at = kh_view_find(spec, KH_LIT("@"), 1);

	p->spec = spec;
	p->name = kh_view_sub(spec, 0, at != SIZE_MAX ? at : spec.n);
	p->version = at != SIZE_MAX ? kh_view_from(spec, at + 1) : kh_view_of(NULL, 0);
	if (kh_view_eq(p->version, KH_LIT("latest")))
		p->version = kh_view_of(NULL, 0);
}

/* Reads "npx [-y] [-p PACKAGE] [--] PACKAGE|COMMAND ..."; false if there is no package in it. */
static bool read_npx(const struct kh_texts *argv, struct package *ret)
{
	struct kh_view named = {NULL, 0};
	size_t i = 1;

	*ret = (struct package){.next = argv->n};
	for (; i < argv->n && argv->at[i].n > 0 && argv->at[i].p[0] == '-'; i++) {
		struct kh_view option = argv->at[i], equals = KH_LIT("--package=");
		if (kh_view_eq(option, KH_LIT("--"))) {
			i++;
			break;
		}
		if (kh_view_starts(option, equals))
			named = kh_view_from(option, equals.n);
		else if ((kh_view_eq(option, KH_LIT("-p")) || kh_view_eq(option, KH_LIT("--package"))) &&
			 i + 1 < argv->n)
			named = argv->at[++i];
	}
	if (i >= argv->n)
		return false;
	split_spec(ret, named.n > 0 ? named : argv->at[i]);
	ret->command = named.n > 0 ? argv->at[i] : kh_view_of(NULL, 0);
	ret->next = i + 1;
	return is_package(ret->name);
}

/* The program that a package.json names for the package, or for COMMAND of it. */
static struct kh_view bin_of(yyjson_val *root, const struct package *p)
{
	yyjson_val *bin = kh_json_get(root, "bin"), *key, *value;
	struct kh_view wanted = p->command.n > 0 ? p->command : last_of(p->name), only = {NULL, 0};
	size_t i, max;

	if (yyjson_is_str(bin))
		return kh_json_str(bin);
	yyjson_obj_foreach (bin, i, max, key, value) {
		if (kh_view_eq(kh_json_str(key), wanted))
			return kh_json_str(value);
		only = kh_json_str(value);
	}
	return yyjson_obj_size(bin) == 1 && p->command.n == 0 ? only : kh_view_of(NULL, 0);
}

/* Takes the package in ROOT, a folder node_modules, if it is there in the wanted version. */
static bool take_package(struct search *s, struct kh_view root, const struct package *p)
{
	struct kh_view folder = kh_arena_printf(s->arena, "%.*s/%.*s", KH_FMT(root), KH_FMT(p->name)), text;
	struct kh_view file = kh_arena_printf(s->arena, "%.*s/package.json", KH_FMT(folder));
	struct kh_view within = real(s, folder);
	yyjson_val *json;

	if (within.n == 0 || file.p == NULL || !is_kind(file.p, S_IFREG) ||
	    kh_file_named(s->arena, file, &text, NULL) != KH_OK || text.n > 1U << 20 ||
	    kh_json_read(s->arena, text, &json, NULL) != KH_OK)
		return false;
	if (p->version.n > 0 && !kh_view_eq(kh_json_str(kh_json_get(json, "version")), p->version))
		return false;
	struct kh_view bin = bin_of(json, p);
	if (bin.n == 0)
		return false;
	struct kh_view program = real(s, kh_arena_printf(s->arena, "%.*s/%.*s", KH_FMT(within), KH_FMT(bin)));
	struct kh_view node = find_program(s, KH_LIT("node"));
	if (program.n == 0 || !kh_match_path(within, program) || node.n == 0)
		return false;
	put_argv(s, node, program, p->next);
	/* A global package has what it needs in its own folder; others share the folder node_modules. */
	s->out->program = kh_view_ends(root, KH_LIT("/lib/node_modules")) ? within : real(s, root);
	add_interpreter(s, node);
	return true;
}

static bool find_package(struct search *s, const struct package *p)
{
	const struct kh_resolve_places *at = s->places;
	const char *user = at->user_home != NULL ? at->user_home : "/nonexistent";
	struct kh_view node = real(s, find_program(s, KH_LIT("node")));
	const struct kh_view roots[] = {
		kh_arena_printf(s->arena, "%.*s/servers/%.*s/node_modules", KH_FMT(at->home), KH_FMT(s->name)),
		kh_arena_printf(s->arena, "%.*s/node_modules", KH_FMT(at->here.n > 0 ? at->here : at->home)),
		kh_arena_printf(s->arena, "%s/node_modules", user),
		kh_arena_printf(s->arena, "%s/.npm-global/lib/node_modules", user),
		kh_arena_printf(s->arena, "%.*s/lib/node_modules", KH_FMT(folder_of(folder_of(node)))),
		KH_LIT("/usr/local/lib/node_modules"),
		KH_LIT("/usr/lib/node_modules"),
	};

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		if (roots[i].n > 0 && roots[i].p[0] == '/' && take_package(s, roots[i], p))
			return true;
	}
	return false;
}

static void resolve_npx(struct search *s)
{
	struct package p;

	if (!read_npx(s->argv, &p)) {
		blame(s, KH_LIT("no package of the registry is on its command line: install it, and name the program's "
				"absolute path"));
		return;
	}
	if (!find_package(s, &p))
		blame(s,
		      kh_arena_printf(s->arena,
				      "%.*s is not installed, and nothing is downloaded in a sandbox; run: npm install "
				      "--ignore-scripts --prefix %.*s/servers/%.*s %.*s",
				      KH_FMT(kh_arena_quote(s->arena, p.spec)), KH_FMT(s->places->home),
				      KH_FMT(s->name), KH_FMT(p.spec)));
}

/* --- uvx ---------------------------------------------------------------------------------------------------------- */

/* A program of an environment of Python: its folder is the environment's, and its interpreter may be elsewhere. */
static void take_environment(struct search *s, struct kh_view program, size_t next)
{
	struct kh_view path = real(s, program), folder = folder_of(folder_of(path));
	struct kh_view python = kh_arena_printf(s->arena, "%.*s/bin/python", KH_FMT(folder));
	struct kh_view settings = kh_arena_printf(s->arena, "%.*s/pyvenv.cfg", KH_FMT(folder));

	put_argv(s, path, kh_view_of(NULL, 0), next);
	if (settings.p != NULL && is_kind(settings.p, S_IFREG)) {
		s->out->program = folder;
		add_interpreter(s, python);
	}
}

static void resolve_uvx(struct search *s, size_t from)
{
	struct kh_view package = {NULL, 0}, command;
	size_t i = from;

	for (; i < s->argv->n && s->argv->at[i].n > 0 && s->argv->at[i].p[0] == '-'; i++) {
		bool has_value = kh_view_eq(s->argv->at[i], KH_LIT("--from")) && i + 1 < s->argv->n;
		if (has_value)
			package = s->argv->at[++i];
	}
	command = i < s->argv->n ? s->argv->at[i] : kh_view_of(NULL, 0);
	command = kh_view_sub(command, 0, kh_view_find(command, KH_LIT("@"), 0));
	if (package.n == 0)
		package = command;
	if (!is_package(command)) {
		blame(s, KH_LIT("no package is on its command line: install it, and name the program's absolute path"));
		return;
	}
	struct kh_view program = find_program(s, command);
	if (program.n > 0)
		take_environment(s, program, i + 1);
	else
		blame(s, kh_arena_printf(
				 s->arena,
				 "%.*s is not installed, and nothing is downloaded in a sandbox; run: uv tool install "
				 "%.*s",
				 KH_FMT(kh_arena_quote(s->arena, command)), KH_FMT(kh_arena_quote(s->arena, package))));
}

/* --- programs ----------------------------------------------------------------------------------------------------- */

/*
 * The folder node_modules that PATH is in, with the packages that it needs; empty if it is in none, or in a global one,
 * whose packages have what they need in folders of their own.
 */
static struct kh_view modules_of(struct search *s, struct kh_view path)
{
	struct kh_view name = KH_LIT("/node_modules");
	size_t at = kh_view_find(path, KH_LIT("/node_modules/"), 0);
	struct kh_view folder = kh_view_sub(path, 0, at != SIZE_MAX ? at + name.n : 0);

	if (at == SIZE_MAX || kh_view_ends(folder, KH_LIT("/lib/node_modules")))
		return kh_view_of(NULL, 0);
	return terminated(s, folder);
}

/* The folder of a script's program: the nearest one above it with a package.json or its like; else the script itself. */
static struct kh_view project_of(struct search *s, struct kh_view script)
{
	static const char *const marks[] = {"package.json", "pyproject.toml", "pyvenv.cfg", "setup.py"};
	struct kh_view folder = script, modules = modules_of(s, script);

	if (modules.n > 0)
		return modules;
	for (size_t up = 0; up < 4 && folder.n > 1; up++) {
		folder = folder_of(folder);
		for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
			struct kh_view mark = kh_arena_printf(s->arena, "%.*s/%s", KH_FMT(folder), marks[i]);
			if (mark.p != NULL && is_kind(mark.p, S_IFREG))
				return terminated(s, folder);
		}
	}
	return script;
}

static void resolve_plain(struct search *s)
{
	struct kh_view first = s->argv->at[0], second = s->argv->n > 1 ? s->argv->at[1] : kh_view_of(NULL, 0);
	struct kh_view program = first.p[0] == '/' ? terminated(s, first) : find_program(s, first);
	struct kh_view script = second.n > 0 && second.p[0] == '/' ? real(s, terminated(s, second))
								   : kh_view_of(NULL, 0);

	if (memchr(first.p, '/', first.n) != NULL && first.p[0] != '/') {
		blame(s, KH_LIT("its command is a relative path: expected an absolute one"));
		return;
	}
	if (program.p == NULL || !is_kind(program.p, S_IFREG) || access(program.p, X_OK) != 0) {
		blame(s,
		      kh_arena_printf(s->arena, "there is no program %.*s here: install it, or name its absolute path",
				      KH_FMT(kh_arena_quote(s->arena, first))));
		return;
	}
	put_argv(s, program, kh_view_of(NULL, 0), 1);
	if (script.p != NULL && is_kind(script.p, S_IFREG)) { /* an interpreter, and what it runs */
		s->out->program = project_of(s, script);
		s->out->own++;
		add_interpreter(s, program);
	} else if (!is_systems(program)) {
		s->out->program = project_of(s, real(s, program));
	}
	if (s->out->program.p != NULL && !is_kind(s->out->program.p, S_IFDIR)) {
		add_read(s, s->out->program);
		s->out->program = kh_view_of(NULL, 0);
	}
}

enum kh_err kh_resolve_command(struct kh_arena *arena, const struct kh_resolve_places *places, struct kh_view name,
			       const struct kh_texts *argv, struct kh_resolved *ret_resolved)
{
	struct search s = {.arena = arena, .places = places, .name = name, .argv = argv, .out = ret_resolved};
	struct kh_view program = argv->n > 0 ? last_of(argv->at[0]) : kh_view_of(NULL, 0);
	struct kh_view second = argv->n > 1 ? argv->at[1] : kh_view_of(NULL, 0);

	*ret_resolved = (struct kh_resolved){.own = 0};
	if (program.n == 0)
		blame(&s, KH_LIT("its command is empty"));
	else if (kh_view_eq(program, KH_LIT("npx")) || kh_view_eq(program, KH_LIT("bunx")))
		resolve_npx(&s);
	else if (kh_view_eq(program, KH_LIT("uvx")))
		resolve_uvx(&s, 1);
	else if (kh_view_eq(program, KH_LIT("pipx")) && kh_view_eq(second, KH_LIT("run")))
		resolve_uvx(&s, 2);
	else if (kh_view_eq(program, KH_LIT("docker")) || kh_view_eq(program, KH_LIT("podman")))
		blame(&s, KH_LIT("a container is started by a service outside of Keyhole's sandbox: name the program "
				 "that is "
				 "in it, or the server's url"));
	else if (kh_view_eq(program, KH_LIT("uv")) || kh_view_eq(program, KH_LIT("npm")) ||
		 kh_view_eq(program, KH_LIT("pnpm")) || kh_view_eq(program, KH_LIT("yarn")))
		blame(&s, KH_LIT("it installs or builds when it starts, and nothing is downloaded in a sandbox: "
				 "install it, "
				 "and name the interpreter and the script by their absolute paths"));
	else
		resolve_plain(&s);
	return kh_arena_check(arena);
}
