/* Making a system's gateway.  Root does what only root can do (user, folders), a child that has become the gateway's
 * user makes the home, and root takes the tokens out of it. */
#include "cli/init/init_system.h"

#include "cli/init/init.h"
#include "home/file.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const enum kh_role roles[] = {KH_ROLE_ADMIN, KH_ROLE_REVIEWER, KH_ROLE_HOST, KH_ROLE_CONTROLLER};

struct places {
	struct kh_view etc, tokens, home, run, config, socket;
	const char *user;
	uid_t uid;
	gid_t gid;
};

/* What the child reports. */
struct told {
	enum kh_err e;
	bool left;
	struct kh_digest audit_key;
	char code[64], detail[512];
};

static enum kh_err cannot(struct kh_error *err, const char *what, const char *path)
{
	return kh_error_set(err, KH_EINPUT, "file_unwritable", "%s %s: %s", what, path, strerror(errno));
}

/* --- the user ----------------------------------------------------------------------------------------------------- */

/* Runs useradd(8); an existing user is not changed. */
static enum kh_err make_user(const struct places *p, struct kh_error *err)
{
	static const char program[] = "/usr/sbin/useradd";
	char *const argv[] = {(char[]){"useradd"},        (char[]){"--system"},
			      (char[]){"--user-group"},   (char[]){"--no-create-home"},
			      (char[]){"--home-dir"},     (char[]){"/var/lib/keyhole"},
			      (char[]){"--shell"},        (char[]){"/usr/sbin/nologin"},
			      (char *)(uintptr_t)p->user, NULL};
	char *const envp[] = {(char[]){"PATH=/usr/sbin:/usr/bin:/sbin:/bin"}, NULL};
	pid_t pid;
	int status = -1, why = posix_spawn(&pid, program, NULL, NULL, argv, envp);

	if (why == 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return KH_OK;
	return kh_error_set(err, KH_EREFUSED, "user_missing", "there is no user %s, and %s did not make one: %s",
			    p->user, program, why != 0 ? strerror(why) : "it failed");
}

static enum kh_err find_user(struct places *p, struct kh_error *err)
{
	const struct passwd *entry = getpwnam(p->user);

	if (entry == NULL) {
		enum kh_err e = make_user(p, err);
		if (e != KH_OK)
			return e;
		entry = getpwnam(p->user);
	}
	if (entry == NULL)
		return kh_error_set(err, KH_EREFUSED, "user_missing", "there is no user %s", p->user);
	if (entry->pw_uid == 0)
		return kh_error_set(err, KH_EREFUSED, "user_missing", "%s is root: the gateway needs a user of its own",
				    p->user);
	p->uid = entry->pw_uid;
	p->gid = entry->pw_gid;
	return KH_OK;
}

/* --- folders ------------------------------------------------------------------------------------------------------ */

/* Makes a folder of this mode and owner, or takes an existing one; does not make those above it. */
static enum kh_err make_folder(const char *path, mode_t mode, uid_t uid, gid_t gid, struct kh_error *err)
{
	struct stat st;

	if (mkdir(path, mode) != 0 && errno != EEXIST)
		return cannot(err, "cannot make", path);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool good = fd >= 0 && fchown(fd, uid, gid) == 0 && fchmod(fd, mode) == 0 && fstat(fd, &st) == 0;
	kh_file_close(fd);
	return good ? KH_OK : cannot(err, "cannot give away", path);
}

static enum kh_err make_above(const char *root, const char *path, struct kh_arena *arena, struct kh_error *err)
{
	struct kh_view full = kh_arena_printf(arena, "%s%s", root, path);

	if (full.p == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	return mkdir(full.p, 0755) == 0 || errno == EEXIST ? KH_OK : cannot(err, "cannot make", full.p);
}

static enum kh_err make_folders(const struct places *p, const char *root, struct kh_arena *arena, struct kh_error *err)
{
	static const char *const above[] = {"/etc", "/var", "/var/lib", "/run"};
	enum kh_err e = KH_OK;

	for (size_t i = 0; e == KH_OK && i < sizeof(above) / sizeof(above[0]); i++)
		e = make_above(root, above[i], arena, err);
	if (e == KH_OK)
		e = make_folder(p->etc.p, 0755, 0, 0, err);
	if (e == KH_OK)
		e = make_folder(p->tokens.p, 0700, 0, 0, err);
	if (e == KH_OK)
		e = make_folder(p->home.p, 0700, p->uid, p->gid, err);
	if (e == KH_OK)
		e = make_folder(p->run.p, 0755, p->uid, p->gid, err);
	return e;
}

/* Keeps an existing configuration. */
static enum kh_err make_config(const struct places *p, struct kh_view text, struct kh_error *err)
{
	int fd = open(p->config.p, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);

	if (fd < 0 && errno == EEXIST)
		return KH_OK;
	bool good = fd >= 0 && fchmod(fd, 0644) == 0 && write(fd, text.p, text.n) == (ssize_t)text.n && fsync(fd) == 0;
	kh_file_close(fd);
	return good ? KH_OK : cannot(err, "cannot write", p->config.p);
}

/* --- the home ----------------------------------------------------------------------------------------------------- */

/* Runs as the gateway's user, in a process that ends afterwards. */
static void make_home(const struct places *p, struct kh_view config, struct kh_arena *arena, struct told *told)
{
	struct kh_init init = {.path = p->home, .config = config, .link = p->config.p};
	struct kh_error err = {.offset = SIZE_MAX};

	if (setgroups(0, NULL) != 0 || setresgid(p->gid, p->gid, p->gid) != 0 || setresuid(p->uid, p->uid, p->uid) != 0)
		told->e = kh_error_set(&err, KH_EREFUSED, "user_missing", "cannot become user %s: %s", p->user,
				       strerror(errno));
	else
		told->e = kh_init_home(arena, &init, &err);
	told->left = init.left;
	told->audit_key = init.audit_key;
	snprintf(told->code, sizeof(told->code), "%s", err.code != NULL ? err.code : kh_err_name(told->e));
	snprintf(told->detail, sizeof(told->detail), "%s", err.detail);
}

static enum kh_err make_home_beside(const struct places *p, struct kh_view config, struct kh_arena *arena,
				    struct told *ret_told, struct kh_error *err)
{
	int ends[2], status;
	struct told told = {.e = KH_EREFUSED};

	if (pipe2(ends, O_CLOEXEC) != 0)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "cannot start a process: %s", strerror(errno));
	pid_t pid = fork();
	if (pid == 0) {
		make_home(p, config, arena, &told);
		_exit(write(ends[1], &told, sizeof(told)) == (ssize_t)sizeof(told) ? 0 : 1);
	}
	close(ends[1]);
	bool good = pid > 0 && read(ends[0], &told, sizeof(told)) == (ssize_t)sizeof(told);
	close(ends[0]);
	if (pid > 0)
		waitpid(pid, &status, 0);
	if (!good)
		return kh_error_set(err, KH_EREFUSED, "home_incomplete", "the process that makes the home has failed");
	*ret_told = told;
	if (told.e == KH_OK)
		return KH_OK;
	kh_error_set(err, told.e, NULL, "%s", told.detail);
	err->code = ret_told->code; /* which lives as long as the caller */
	return told.e;
}

/* Root reads a token of the home that was just made, writes it where only root can read it, and removes the
 * original. */
static enum kh_err move_token(int from, const struct kh_folder *to, enum kh_role role, struct kh_error *err)
{
	char text[256];
	const char *name = kh_home_token_name(role);
	int fd = openat(from, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text)) : -1;

	kh_file_close(fd);
	if (n <= 0)
		return cannot(err, "cannot read", name);
	enum kh_err e = kh_folder_write(to, name, kh_view_of(text, (size_t)n), err);
	explicit_bzero(text, sizeof(text));
	if (e == KH_OK && unlinkat(from, name, 0) != 0)
		e = cannot(err, "cannot remove", name);
	return e;
}

static enum kh_err move_tokens(const struct places *p, struct kh_arena *arena, struct kh_error *err)
{
	struct kh_folder to = {.fd = -1};
	enum kh_err e = kh_folder_open(arena, p->tokens, &to, err);
	int from = open(p->home.p, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (e == KH_OK && from < 0)
		e = cannot(err, "cannot open", p->home.p);
	for (size_t i = 0; e == KH_OK && i < sizeof(roles) / sizeof(roles[0]); i++)
		e = move_token(from, &to, roles[i], err);
	kh_file_close(from);
	kh_folder_close(&to);
	return e;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static enum kh_err find_places(struct kh_frame *f, const struct kh_init_system *system, struct places *p)
{
	const char *root = system->root != NULL ? system->root : "";

	*p = (struct places){
		.etc = kh_arena_printf(&f->arena, "%s/etc/keyhole", root),
		.tokens = kh_arena_printf(&f->arena, "%s/etc/keyhole/tokens", root),
		.config = kh_arena_printf(&f->arena, "%s/etc/keyhole/" KH_FOLDER_CONFIG, root),
		.home = kh_arena_printf(&f->arena, "%s/var/lib/keyhole", root),
		.run = kh_arena_printf(&f->arena, "%s/run/keyhole", root),
		.socket = kh_arena_printf(&f->arena, "%s/run/keyhole/" KH_CONFIG_SOCKET, root),
		.user = system->user != NULL ? system->user : "keyhole",
	};
	if (kh_arena_check(&f->arena) != KH_OK)
		return kh_error_set(&f->err, KH_ENOMEM, "out_of_memory", "out of memory");
	if (f->options.home != NULL)
		return kh_error_set(&f->err, KH_EINPUT, "bad_option", "--system has a home of its own: no --home");
	if (geteuid() != 0)
		return kh_error_set(&f->err, KH_EREFUSED, "needs_root",
				    "--system makes a user and folders of root's: run it as root");
	if (root[0] != '\0' && root[0] != '/')
		return kh_error_set(&f->err, KH_EINPUT, "bad_option", "--root needs an absolute path");
	return KH_OK;
}

static int write_made(struct kh_frame *f, const struct places *p, const struct told *told,
		      const struct kh_init_reader_made *reader)
{
	struct kh_view key = kh_canonical_hex(&f->arena, &told->audit_key);
	struct kh_buf buf = kh_frame_buf(f);

	if (f->options.json)
		return KH_FRAME_PAIRS(f, {"home", p->home}, {"config", p->config}, {"tokens", p->tokens},
				      {"socket", p->socket}, {"user", kh_view_str(p->user)}, {"audit_key", key},
				      {"reader", reader->name}, {"internal", kh_init_reader_word(reader)});
	kh_buf_printf(&buf,
		      "Made a gateway for this machine.\n\n"
		      "  %s  the configuration\n"
		      "  %s  tokens, root's alone\n"
		      "  %s  store and key, of user %s\n\n"
		      "The record is signed; the public half of its key, to be noted elsewhere:\n"
		      "  %.*s\n",
		      p->config.p, p->tokens.p, p->home.p, p->user, KH_FMT(key));
	kh_init_reader_tell(&buf, reader, p->home);
	kh_buf_printf(&buf,
		      "\n"
		      "Next:\n"
		      "  systemctl enable --now keyhole.service\n"
		      "or, without systemd (it becomes user %s by itself):\n"
		      "  keyhole serve --home %s\n\n"
		      "A token for each agent, in a file of the user that it runs as, here alice:\n"
		      "  keyhole token create alice --home %s \\\n"
		      "    --token-file %s/admin.token | install -m 600 -o alice /dev/stdin ~alice/keyhole.token\n"
		      "and, as alice, what to paste into the agent's client:\n"
		      "  keyhole mcp --print --socket %s --token-file ~/keyhole.token\n\n"
		      "A reviewer gets a token in the same way, with --role reviewer, and needs no home:\n"
		      "  KEYHOLE_URL=http://127.0.0.1:7433 keyhole approvals watch --token-file ~/keyhole.token\n",
		      p->user, p->home.p, p->home.p, p->tokens.p, p->socket.p);
	return kh_frame_text(f, &buf);
}

/* An existing configuration is kept, so a model that was named would be lost: it is refused, and not asked for. */
static enum kh_err find_reader(struct kh_frame *f, const struct places *p, const struct kh_init_reader *options,
			       struct kh_init_reader_made *ret_made)
{
	bool is_there = access(p->config.p, F_OK) == 0;

	if (is_there && options->url.p != NULL && !kh_view_eq(options->url, KH_LIT("none")))
		return kh_error_set(&f->err, KH_EREFUSED, "file_exists",
				    "%s is there and stays as it is: put the Reader into it, without --reader",
				    p->config.p);
	return kh_init_reader_find(f, options, !is_there, ret_made);
}

int kh_init_system_run(struct kh_frame *f, const struct kh_init_system *system, const struct kh_init_reader *options)
{
	struct places p;
	struct kh_init_reader_made reader;
	struct told told = {.e = KH_OK};
	enum kh_err e = find_places(f, system, &p);
	struct kh_view config = {NULL, 0};

	if (e == KH_OK)
		e = find_reader(f, &p, options, &reader);
	if (e == KH_OK) {
		config = kh_init_config(&f->arena, reader.yaml, p.socket.p);
		e = config.p != NULL ? find_user(&p, &f->err)
				     : kh_error_set(&f->err, KH_ENOMEM, "out_of_memory", "out of memory");
	}
	umask(022);
	if (e == KH_OK)
		e = make_folders(&p, system->root != NULL ? system->root : "", &f->arena, &f->err);
	if (e == KH_OK)
		e = make_config(&p, config, &f->err);
	if (e == KH_OK)
		e = make_home_beside(&p, config, &f->arena, &told, &f->err);
	if (e == KH_OK)
		e = move_tokens(&p, &f->arena, &f->err);
	if (e != KH_OK)
		return kh_frame_fail(f);
	return write_made(f, &p, &told, &reader);
}
