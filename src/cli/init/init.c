/* Making a home, whole or not at all.  The order guarantees that: the folder is taken first, in one step that only
 * one process can win, and keyhole.yaml, without which nothing opens a home, is written last. */
#include "cli/init/init.h"

#include "base/clock.h"
#include "cli/frame.h"
#include "core/policy/config.h"
#include "engine/context/token.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

/* The tokens of a new home; the admin's is made with the store. */
static const enum kh_role roles[] = {KH_ROLE_REVIEWER, KH_ROLE_HOST, KH_ROLE_CONTROLLER};

struct making {
	struct kh_arena *arena;
	struct kh_init *init;
	struct kh_folder folder;
	bool made_folder, made_store;
	const char *made[8]; /* files */
	size_t count;
	struct kh_checkpoint_key key;
};

/* The keyhole.yaml of a new home: up to the Readers, examples of them, up to the relays' socket, and what follows. */
static const char before_readers[] =
	"# Keyhole's configuration: keyhole.yaml(5).  Everything may be left out: what stands here is the "
	"default, and\n"
	"# so is what is commented out, but for what is called an example.  An unknown key or a bad value is "
	"an error that\n"
	"# names the line.  `keyhole serve` reads it again at SIGHUP.\n"
	"\n"
	"# What agents may do.\n"
	"policy:\n"
	"  budgets:\n"
	"    task_bits: 16384       # what one task may learn: about 34 short answers\n"
	"    context_bits: 65536    # all tasks of one conversation together\n"
	"    escalations: 2         # of a task; one more and the task fails\n"
	"    retries: 2             # how often a Reader is asked again\n"
	"    alert_percent: 80\n"
	"\n"
	"  rates:                   # queries to a Reader: 0 (denied), N (an hour), N/second|minute|hour\n"
	"    category_1: 60/minute\n"
	"    category_2: 30/minute\n"
	"    category_3: 10/hour\n"
	"\n"
	"  release: slots           # outcomes leave at doubling times; immediate: at once (a channel)\n"
	"\n"
	"  approvals:\n"
	"    expiry_seconds: 600\n"
	"    max_pending: 3         # of a task\n"
	"\n"
	"# Who reads sealed content and answers.  `extract` is built in, offline, and always there.  A key is in a\n"
	"# file that nobody else may read, or in the environment; never here.";
static const char reader_examples[] =
	"#  - name: gpt\n"
	"#    driver: openai                  # any OpenAI-compatible chat endpoint\n"
	"#    url: https://api.openai.com/v1/chat/completions\n"
	"#    model: gpt-4o-mini\n"
	"#    key_file: openai.key            # in the home folder, mode 0600\n"
	"#    internal: false                 # may whoever runs it read the agent's words?  If not, it is asked in\n"
	"#                                    # execution only, and its queries are counted (reader_egress)\n"
	"#  - name: local\n"
	"#    driver: openai\n"
	"#    url: http://127.0.0.1:8080/v1/chat/completions\n"
	"#    model: any\n"
	"#    local: true                     # loopback and private addresses, plain http\n"
	"#  - name: claude\n"
	"#    driver: anthropic\n"
	"#    url: https://api.anthropic.com/v1/messages\n"
	"#    model: claude-haiku-4-5\n"
	"#    key_environment: ANTHROPIC_API_KEY\n"
	"#  - name: script\n"
	"#    driver: command                 # a program, in a sandbox of its own for every query\n"
	"#    argv: [/usr/bin/python3, /opt/readers/mail.py]\n"
	"#    read: [/opt/readers]\n"
	"\n";
static const char before_socket[] =
	"# How the record is kept.\n"
	"#audit:\n"
	"#  checkpoint_events: 10000   # a signed checkpoint after so many events, or so many seconds\n"
	"#  checkpoint_seconds: 60\n"
	"#  retention_days: 30         # of sealed content and raw responses; 0: for ever\n"
	"#  witness_file: /mnt/elsewhere/keyhole-checkpoints   # an example\n"
	"#  witness_syslog: false\n"
	"\n"
	"# How clients reach `keyhole serve`.\n";
static const char after_socket[] =
	"#  listen: [\"127.0.0.1:7433\"]   # HTTP: /mcp, /api/v1, /metrics, /healthz, /readyz; []: none\n"
	"#  connections: 10000\n"
	"#  wait_seconds: 50             # how long a call waits before it answers `pending`\n"
	"#  stop_seconds: 10             # how long a stop waits for what runs\n"
	"# An address that is not loopback needs TLS (or `plain: true` behind a proxy), and the names it is "
	"called by.\n"
	"# An example:\n"
	"#  tls_certificate: gateway.crt\n"
	"#  tls_key: gateway.key\n"
	"#  hosts: [gateway.example.com]\n"
	"#  origins: [\"https://console.example.com\"]\n"
	"#  url: https://gateway.example.com:7433/\n"
	"#  pool: 1                      # sandboxes that wait ready\n"
	"\n"
	"# What external operations find: comm.query and comm.search read databases, comm.search folders and a\n"
	"# SearXNG-compatible endpoint, comm.fetch hosts that are not public.  The policy says who may.  Examples:\n"
	"#databases:\n"
	"#  - name: shop\n"
	"#    file: /srv/shop/shop.db         # SQLite; or host, dbname and user of PostgreSQL\n"
	"#search:\n"
	"#  folders: [/srv/docs]\n"
	"#  url: https://search.example.com/search\n"
	"#network:\n"
	"#  private_hosts: [intranet.example.com]\n"
	"\n"
	"# Models that look at a call before it happens: names of readers.  An example:\n"
	"#verification:\n"
	"#  triage: gpt\n";

struct kh_view kh_init_config(struct kh_arena *arena, struct kh_view readers, const char *socket)
{
	const char *mark = socket != NULL ? "" : "#";

	return kh_arena_printf(arena,
			       "%s%s%.*s%s%s%s%sgateway:\n"
			       "%s  socket: %-21s # for `keyhole mcp`; in the home folder unless absolute\n"
			       "%s",
			       before_readers, readers.n > 0 ? "\n" : "  Examples:\n#readers:\n", KH_FMT(readers),
			       readers.n > 0 ? "# Others, as examples:\n" : "", reader_examples, before_socket, mark,
			       mark, socket != NULL ? socket : KH_CONFIG_SOCKET, after_socket);
}

static enum kh_err failed(struct kh_error *err, const char *what, struct kh_view path, struct kh_arena *arena)
{
	int why = errno;
	struct kh_view quoted = kh_arena_quote(arena, path);

	return kh_error_set(err, KH_EINPUT, "file_unwritable", "%s %.*s: %s", what, KH_FMT(quoted), strerror(why));
}

/* Makes the folders above PATH, if they are missing. */
static enum kh_err make_parents(struct kh_arena *arena, struct kh_view path, struct kh_error *err)
{
	char *p = KH_NEW_N(arena, char, path.n + 1);

	if (p == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	memcpy(p, path.p, path.n);
	for (size_t i = 1; i < path.n; i++) {
		if (p[i] != '/' || p[i - 1] == '/')
			continue;
		p[i] = '\0';
		bool good = mkdir(p, 0700) == 0 || errno == EEXIST || errno == EROFS || errno == EACCES;
		p[i] = '/';
		if (!good)
			return failed(err, "cannot make", kh_view_of(p, i), arena);
	}
	return KH_OK;
}

/* Calls FN for every entry of an open folder, from the first on.  False: it cannot be read, or FN said so of one. */
static bool each_entry(int fd, bool (*fn)(int fd, const char *name))
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
	bool good = dir != NULL;

	if (dir == NULL && copy >= 0)
		close(copy);
	for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;)
		good = fn(fd, entry->d_name) && good;
	if (dir != NULL)
		closedir(dir);
	return good;
}

static bool is_of_any_folder(int fd, const char *name)
{
	(void)fd;
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Makes the folder, or takes it if it is empty. */
static enum kh_err take_folder(struct making *m, struct kh_error *err)
{
	struct kh_view path = m->init->path, quoted = kh_arena_quote(m->arena, path);
	enum kh_err e = make_parents(m->arena, path, err);

	if (e != KH_OK)
		return e;
	if (mkdir(path.p, 0700) == 0)
		m->made_folder = true;
	else if (errno != EEXIST)
		return failed(err, "cannot make", path, m->arena);
	e = kh_folder_open(m->arena, path, &m->folder, err);
	if (e != KH_OK || m->made_folder || each_entry(m->folder.fd, is_of_any_folder))
		return e;
	if (kh_folder_has(&m->folder, KH_FOLDER_CONFIG))
		return kh_error_set(err, KH_EREFUSED, "home_exists",
				    "%.*s is a home already; --home DIR makes another one", KH_FMT(quoted));
	return kh_error_set(err, KH_EREFUSED, "home_exists",
			    "%.*s is neither empty nor a whole home: remove it if an init was cut off there, or name "
			    "another with --home DIR",
			    KH_FMT(quoted));
}

static enum kh_err put(struct making *m, const char *name, struct kh_view text, struct kh_error *err)
{
	enum kh_err e = kh_folder_write(&m->folder, name, text, err);

	if (e == KH_OK)
		m->made[m->count++] = name;
	return e;
}

static enum kh_err put_link(struct making *m, struct kh_error *err)
{
	if (symlinkat(m->init->link, m->folder.fd, KH_FOLDER_CONFIG) != 0)
		return failed(err, "cannot make", KH_LIT(KH_FOLDER_CONFIG), m->arena);
	m->made[m->count++] = KH_FOLDER_CONFIG;
	return KH_OK;
}

static enum kh_err put_line(struct making *m, const char *name, struct kh_view line, struct kh_error *err)
{
	struct kh_view text = kh_arena_printf(m->arena, "%.*s\n", KH_FMT(line));

	if (text.p == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	enum kh_err e = put(m, name, text, err);
	explicit_bzero((void *)(uintptr_t)text.p, text.n);
	return e;
}

static enum kh_err put_key(struct making *m, struct kh_error *err)
{
	unsigned char seed[32];
	char hex[2 * sizeof(seed) + 1];

	randombytes_buf(seed, sizeof(seed));
	kh_checkpoint_key(seed, &m->key);
	m->init->audit_key = m->key.public;
	sodium_bin2hex(hex, sizeof(hex), seed, sizeof(seed));
	enum kh_err e = put_line(m, KH_FOLDER_KEY, kh_view_of(hex, sizeof(hex) - 1), err);
	explicit_bzero(seed, sizeof(seed));
	explicit_bzero(hex, sizeof(hex));
	return e;
}

static enum kh_err put_token(struct making *m, struct kh_engine *engine, struct kh_view admin, enum kh_role role,
			     struct kh_error *err)
{
	struct kh_token_create call = {.name = kh_view_str(kh_words_name(&kh_policy_role_words, role)), .role = role};

	randombytes_buf(call.secret, sizeof(call.secret));
	enum kh_err e = kh_engine_call(engine, kh_token_read(engine, admin), kh_token_create_run, &call, m->arena, err);
	if (e == KH_OK)
		e = put_line(m, kh_home_token_name(role), call.text, err);
	explicit_bzero(call.secret, sizeof(call.secret));
	if (e == KH_OK)
		explicit_bzero((void *)(uintptr_t)call.text.p, call.text.n);
	return e;
}

static enum kh_err put_tokens(struct making *m, struct kh_store *store, struct kh_view admin, struct kh_error *err)
{
	const struct kh_policy *policy;
	struct kh_engine *engine = NULL;
	enum kh_err e = kh_config_policy(m->arena, m->init->config, KH_LIT(KH_FOLDER_CONFIG), &policy, err);

	if (e == KH_OK)
		e = put_line(m, kh_home_token_name(KH_ROLE_ADMIN), admin, err);
	if (e == KH_OK)
		e = kh_engine_new(&(struct kh_engine_settings){.alloc = &kh_alloc_system,
							       .store = store,
							       .policy = policy,
							       .version = kh_view_str(kh_version())},
				  &engine, err);
	for (size_t i = 0; e == KH_OK && i < sizeof(roles) / sizeof(roles[0]); i++)
		e = put_token(m, engine, admin, roles[i], err);
	if (engine != NULL)
		kh_engine_free(engine);
	return e;
}

/* Signs the first checkpoint, so that a home has one from its beginning (L3). */
static enum kh_err put_checkpoint(struct making *m, struct kh_store *store, struct kh_error *err)
{
	static const struct kh_config_audit no_witness = {.line = 0};
	struct kh_checkpoints checkpoints;
	struct kh_view line;
	enum kh_err e = kh_checkpoints_init(&checkpoints, store, &m->key, &no_witness, m->arena, err);

	return e == KH_OK ? kh_checkpoints_make(&checkpoints, kh_clock_wall_us(), m->arena, &line, err) : e;
}

static enum kh_err put_store(struct making *m, struct kh_error *err)
{
	struct kh_view admin = {0};
	unsigned char random[64];
	struct kh_store *store;

	m->made_store = true; /* set even if this fails half way: the key shows that this folder is ours to fill */
	enum kh_err e = kh_home_open_store(&m->folder, m->arena, KH_STORE_CREATE, &store, err);
	if (e != KH_OK)
		return e;
	randombytes_buf(random, sizeof(random));
	e = kh_engine_create(store, m->arena, &m->init->audit_key, random, kh_clock_wall_us(), &admin, err);
	explicit_bzero(random, sizeof(random));
	if (e == KH_OK)
		e = put_tokens(m, store, admin, err);
	if (e == KH_OK)
		e = put_checkpoint(m, store, err);
	if (admin.n > 0)
		explicit_bzero((void *)(uintptr_t)admin.p, admin.n);
	kh_store_close(store);
	return e;
}

/* Removes a file of the store: the database, or what it keeps beside itself. */
static bool remove_store(int fd, const char *name)
{
	return !kh_view_starts(kh_view_str(name), KH_LIT(KH_FOLDER_STORE)) || unlinkat(fd, name, 0) == 0;
}

/* Removes what was made, and nothing else. */
static void undo(struct making *m)
{
	bool good = true;

	while (m->count > 0)
		good = unlinkat(m->folder.fd, m->made[--m->count], 0) == 0 && good;
	if (m->made_store)
		good = each_entry(m->folder.fd, remove_store) && good;
	if (m->made_folder)
		good = rmdir(m->init->path.p) == 0 && good;
	m->init->left = !good;
}

enum kh_err kh_init_home(struct kh_arena *arena, struct kh_init *init, struct kh_error *err)
{
	struct making m = {.arena = arena, .init = init, .folder.fd = -1};

	umask(077);
	enum kh_err e = take_folder(&m, err);
	if (e == KH_OK)
		e = put_key(&m, err);
	if (e == KH_OK)
		e = put_store(&m, err);
	if (e == KH_OK)
		e = init->link != NULL ? put_link(&m, err) : put(&m, KH_FOLDER_CONFIG, init->config, err);
	if (e != KH_OK)
		undo(&m);
	kh_checkpoint_forget(&m.key);
	kh_folder_close(&m.folder);
	return e;
}

/* --- the command -------------------------------------------------------------------------------------------------- */

static int write_made(struct kh_frame *f, const struct kh_init *init, const struct kh_init_reader_made *reader)
{
	struct kh_view key = kh_canonical_hex(&f->arena, &init->audit_key);
	struct kh_buf buf = kh_frame_buf(f);

	if (f->options.json)
		return KH_FRAME_PAIRS(f, {"home", init->path}, {"audit_key", key}, {"reader", reader->name},
				      {"internal", kh_init_reader_word(reader)});
	kh_buf_lit(&buf, "Made a home in ");
	kh_buf_add(&buf, init->path);
	kh_buf_printf(&buf,
		      ".\n\n"
		      "  keyhole.yaml      the policy; every value in it is the default%s\n"
		      "  *.token           who may call: give an agent controller.token and nothing else\n"
		      "  audit.key         signs the record; its public half, to be noted elsewhere:\n"
		      "                    %.*s\n",
		      reader->yaml.n > 0 ? ", but for a Reader" : "", KH_FMT(key));
	kh_init_reader_tell(&buf, reader, init->path);
	kh_buf_lit(&buf, "\n"
			 "Next, the gateway, which says what to paste into an agent's client:\n"
			 "  keyhole serve\n"
			 "or by hand:\n"
			 "  task=$(keyhole task open \"read my mail\")\n"
			 "  keyhole task add \"$task\" mail.txt\n"
			 "  keyhole query query.json --task \"$task\"\n"
			 "\n"
			 "`keyhole demo` is a guided tour.  An agent that runs as your own user can read this\n"
			 "folder: see keyhole(1) on what that does not protect.\n");
	return kh_frame_text(f, &buf);
}

/* A home that is there is refused in the end: nobody is asked about one. */
static bool may_ask(struct kh_arena *arena, struct kh_view home)
{
	struct kh_view config = kh_arena_printf(arena, "%.*s/" KH_FOLDER_CONFIG, KH_FMT(home));

	return config.p != NULL && access(config.p, F_OK) != 0;
}

int kh_init_run(struct kh_frame *f)
{
	const struct kh_init_args *args = f->args;
	struct kh_init_reader_made reader;
	struct kh_init init = {0};

	if (args->system.is_wanted)
		return kh_init_system_run(f, &args->system, &args->reader);
	if (args->system.root != NULL || args->system.user != NULL)
		return KH_FRAME_REFUSE(f, "bad_option", "--root and --user are for --system");
	enum kh_err e = kh_folder_path(&f->arena, f->options.home, &init.path, &f->err);
	if (e == KH_OK)
		e = kh_init_reader_find(f, &args->reader, may_ask(&f->arena, init.path), &reader);
	if (e == KH_OK)
		init.config = kh_init_config(&f->arena, reader.yaml, NULL);
	if (e == KH_OK && init.config.p == NULL)
		e = kh_error_set(&f->err, KH_ENOMEM, "out_of_memory", "out of memory");
	if (e == KH_OK)
		e = kh_init_home(&f->arena, &init, &f->err);
	if (e == KH_OK)
		return write_made(f, &init, &reader);
	int status = kh_frame_fail(f);
	if (init.left)
		fprintf(stderr, "  what was made could not be removed: remove the folder yourself\n");
	return status;
}
