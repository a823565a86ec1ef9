/* The doctor.  Nothing is assumed: the kernel's features are tried one by one (sandbox/probe.h), and then a whole
 * sandbox, by the executor that serves every other request. */
#include "cli/doctor.h"

#include "base/clock.h"
#include "base/json.h"
#include "cli/checkup.h"
#include "cli/machine.h"
#include "outside/converse.h"
#include "sandbox/ids.h"
#include "sandbox/probe.h"

#include <errno.h>
#include <pwd.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRIALS 2
#define WIDTH  88

#define PATIENCE_MS  20000 /* for a trial */
#define TRIAL_OUTPUT 4096  /* bytes; no output is expected */

/* Each is left out if it has no rows. */
enum { KERNEL, SETTINGS, NETWORK, SANDBOX, CONFIGURATION, DATABASES, SECTIONS };

struct section {
	const char *title, *key; /* for humans, for JSON */
	const struct kh_diagnosis *row;
	size_t n;
};

struct doctor {
	struct section sections[SECTIONS];
	struct kh_diagnosis parts[KH_PROBES], set[KH_MACHINE_SETTINGS], reach[KH_MACHINE_NETWORK], trials[TRIALS],
		home_row;
	struct kh_home home;
	bool has_home;          /* the home is open */
	struct kh_arena *arena; /* for the trials */
	struct utsname machine;
	unsigned uid;
	char user[64];
	bool has_colour;
};

/* Has TALK's request carried out and ignores its output.  If there was a fault, it is P's detail. */
static enum kh_fault try_request(struct kh_converse *talk, struct kh_diagnosis *p)
{
	talk->deadline_ms = kh_clock_ms() + PATIENCE_MS;
	enum kh_err e = kh_converse_run(talk);
	enum kh_fault fault = e == KH_OK ? kh_converse_fault(talk) : KH_FAULT_LOST;
	struct kh_view why = kh_converse_why(talk);

	if (fault != KH_FAULT_NONE)
		snprintf(p->detail, sizeof(p->detail), "%.*s", KH_FMT(why));
	return fault;
}

static void try_run(struct kh_converse *talk, struct kh_diagnosis *p)
{
	struct kh_run run = {.argv = {KH_LIT_INIT("true")}, .argc = 1};

	talk->run = &run;
	bool ran = try_request(talk, p) == KH_FAULT_NONE;
	int status = talk->end.status;
	unsigned long long time_us = talk->end.time_us;

	talk->run = NULL;
	p->has = ran && status == 0;
	if (p->has)
		snprintf(p->detail, sizeof(p->detail), "true, in %llu.%llu ms", time_us / 1000, time_us / 100 % 10);
	else if (ran)
		snprintf(p->detail, sizeof(p->detail), "the program true ended with %s %d",
			 WIFSIGNALED(status) ? "signal" : "status",
			 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

/* Tries a fetch from loopback, which the executor must refuse: no connection is made. */
static void try_refusal(struct kh_converse *talk, struct kh_diagnosis *p)
{
	struct kh_fetch fetch = {.url = KH_LIT_INIT("https://127.0.0.1/")};

	talk->fetch = &fetch;
	p->has = try_request(talk, p) == KH_FAULT_ADDRESS;
	talk->fetch = NULL;
}

static void try_sandbox(struct kh_arena *arena, struct kh_diagnosis row[TRIALS])
{
	struct kh_converse *talk = KH_NEW(arena, struct kh_converse); /* too large for a stack */
	struct kh_client client;
	struct kh_error err = {.code = "out_of_memory", .detail = "out of memory"};

	row[0] = (struct kh_diagnosis){
		.name = "runs a program",
		.is_required = true,
		.without = "keyhole sandbox refuses every request",
		.remedy = "what is missing above comes first; if nothing is, please report this"};
	row[1] = (struct kh_diagnosis){.name = "refuses 127.0.0.1",
				       .is_required = true,
				       .without = "the executor does not answer, or does not hold its address policy",
				       .remedy = "please report this"};
	if (talk == NULL || kh_client_start(&client, &(struct kh_client_settings){0}, &err) != KH_OK) {
		for (size_t i = 0; i < TRIALS; i++)
			snprintf(row[i].detail, sizeof(row[i].detail), "%s: %s", err.code, err.detail);
		return;
	}
	talk->client = &client;
	talk->arena = arena;
	talk->most = talk->most_errors = TRIAL_OUTPUT;
	try_run(talk, &row[0]);
	try_refusal(talk, &row[1]);
	kh_client_stop(&client);
}

static void examine(struct doctor *d)
{
	const struct passwd *entry = getpwuid(geteuid());

	/* Show the name only if it has no special characters. */
	snprintf(d->user, sizeof(d->user), "user %u", geteuid());
	if (entry != NULL && kh_view_is_word(kh_view_str(entry->pw_name), "_.-"))
		snprintf(d->user, sizeof(d->user), "%.32s (uid %u)", entry->pw_name, geteuid());
	uname(&d->machine);
	d->uid = geteuid();
	d->sections[KERNEL] = (struct section){"Kernel, each tried just now", "kernel", d->parts,
					       kh_probe_all(d->parts)};
	d->sections[SETTINGS] = (struct section){"Settings", "settings", d->set, KH_MACHINE_SETTINGS};
	kh_machine_settings(d->set);
	d->sections[NETWORK] = (struct section){"For sandbox fetch", "network", d->reach, KH_MACHINE_NETWORK};
	kh_machine_network(d->reach);
	d->sections[SANDBOX] = (struct section){"A whole sandbox", "sandbox", d->trials, TRIALS};
	try_sandbox(d->arena, d->trials);
}

/* Examines what the configuration of the home folder names; nothing if there is no such folder.  It comes last,
 * because root becomes the home's owner here, for good, and so sees what the gateway will see. */
static void examine_home(struct doctor *d, const struct kh_home_options *options)
{
	struct kh_error err = {.offset = SIZE_MAX};
	struct section *configuration = &d->sections[CONFIGURATION];

	*configuration = (struct section){"What " KH_FOLDER_CONFIG " names", "configuration", NULL, 0};
	d->sections[DATABASES] = (struct section){"Databases of the configuration", "databases", NULL, 0};
	if (kh_home_open(&d->home, KH_HOME_LOOK, options, &err) == KH_OK) {
		d->has_home = true;
		configuration->row = kh_checkup_run(&d->home, &configuration->n);
		d->sections[DATABASES].row = kh_checkup_databases(&d->home, &d->sections[DATABASES].n);
		return;
	}
	if (options->home == NULL && kh_home_is_missing(&err))
		return;
	d->home_row = (struct kh_diagnosis){.name = "home folder",
					    .is_required = true,
					    .without = "the gateway does not start",
					    .remedy = "correct what is said, or `keyhole init` makes another home"};
	snprintf(d->home_row.detail, sizeof(d->home_row.detail), "%s: %s", err.code, err.detail);
	configuration->row = &d->home_row;
	configuration->n = 1;
}

static bool works(const struct section *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->row[i].is_required && !s->row[i].has)
			return false;
	return true;
}

/* A sandbox ran, and no part that it needs is missing. */
static bool is_well(const struct doctor *d)
{
	return works(&d->sections[SANDBOX]) && works(&d->sections[KERNEL]);
}

static const char *verdict(const struct doctor *d)
{
	return is_well(d)                     ? "A sandbox works here."
	       : works(&d->sections[SANDBOX]) ? "A program ran here, but a part that a sandbox needs is missing."
					      : "No sandbox works here.";
}

/* Returns one word for a row: it is there; it is not, and the sandbox works with less; or there is no sandbox
 * without it. */
static const char *state(const struct kh_diagnosis *p)
{
	return p->has ? "ok" : p->is_required ? "missing" : "less";
}

/* Prints TEXT in lines of WIDTH, indented. */
static void print_wrapped(const char *text, int indent)
{
	struct kh_view rest = kh_view_str(text), word;
	size_t column = 0;

	while (kh_view_split(&rest, ' ', &word)) {
		if (column == 0 || column + 1 + word.n > WIDTH) {
			printf("%s%*s", column > 0 ? "\n" : "", indent, "");
			column = (size_t)indent;
		} else {
			putchar(' ');
			column++;
		}
		printf("%.*s", KH_FMT(word));
		column += word.n;
	}
	putchar('\n');
}

static void print_row(const struct doctor *d, const struct kh_diagnosis *p)
{
	const char *colour = !d->has_colour ? "" : p->has ? "\033[32m" : p->is_required ? "\033[1;31m" : "\033[33m";
	char text[400];

	int pad = strlen(p->name) < 20 ? 20 - (int)strlen(p->name) : 1;

	printf("  %s%-7s%s  %s%*s%s\n", colour, state(p), d->has_colour ? "\033[0m" : "", p->name,
	       p->detail[0] != '\0' ? pad : 0, "", p->detail);
	if (p->has)
		return;
	snprintf(text, sizeof(text), "means: %s", p->without);
	print_wrapped(text, 11);
	snprintf(text, sizeof(text), "to do: %s", p->remedy);
	print_wrapped(text, 11);
}

static void print_section(const struct doctor *d, const struct section *s)
{
	printf("\n%s%s%s\n", d->has_colour ? "\033[1m" : "", s->title, d->has_colour ? "\033[0m" : "");
	for (size_t i = 0; i < s->n; i++)
		print_row(d, &s->row[i]);
}

static bool has_own_users(void)
{
	unsigned first = 0;

	return kh_ids_range("/etc/passwd", "/etc/group", &first, NULL) == KH_OK && first > 0;
}

/* Returns what the sandbox cannot protect, depending on the user who runs it (I9). */
static const char *about_user(const struct doctor *d)
{
	if (d->uid == 0 && !has_own_users())
		return "Keyhole runs as root here, in a user namespace with few ids. Programs in all sandboxes are "
		       "user "
		       "65534 outside, who should own nothing; Keyhole itself could do everything, so a user of its "
		       "own is better: `keyhole init --system` makes one.";
	return d->uid == 0
		       ? "Keyhole runs as root here. Each sandbox is a user of its own outside, from 2100000000 on, "
			 "who "
			 "owns nothing; Keyhole itself could do everything, so a user of its own is better: `keyhole "
			 "init --system` makes one."
		       : "Keyhole runs as you. Programs in the sandbox have your user id outside too: what keeps them "
			 "from your files is the sandbox alone. And what runs as you without a sandbox, such as an "
			 "agent, can read and change whatever Keyhole can (store, tokens, sealed content), trace it "
			 "and end it. That holds for `keyhole serve` and for `keyhole mcp` without a gateway alike. To "
			 "keep an "
			 "agent and its gateway apart, run the gateway as a user of its own (`keyhole init --system`); "
			 "`keyhole mcp` is then a relay that holds a token and nothing else.";
}

static int print_text(const struct doctor *d)
{
	printf("keyhole %s on %s %s, %s, as %s\n", kh_version(), d->machine.sysname, d->machine.release,
	       d->machine.machine, d->user);
	for (size_t i = 0; i < SECTIONS; i++)
		if (d->sections[i].n > 0)
			print_section(d, &d->sections[i]);
	printf("\n%sWho runs it%s\n", d->has_colour ? "\033[1m" : "", d->has_colour ? "\033[0m" : "");
	print_wrapped(about_user(d), 2);
	printf("\n%s\n", verdict(d));
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : -1;
}

static yyjson_mut_val *section_json(yyjson_mut_doc *doc, const struct section *s)
{
	yyjson_mut_val *list = yyjson_mut_arr(doc);

	for (size_t i = 0; i < s->n; i++) {
		const struct kh_diagnosis *p = &s->row[i];
		yyjson_mut_val *row = yyjson_mut_arr_add_obj(doc, list);
		yyjson_mut_obj_add_str(doc, row, "name", p->name);
		yyjson_mut_obj_add_str(doc, row, "state", state(p));
		yyjson_mut_obj_add_bool(doc, row, "required", p->is_required);
		yyjson_mut_obj_add_str(doc, row, "detail", p->detail);
		if (!p->has) {
			yyjson_mut_obj_add_str(doc, row, "means", p->without);
			yyjson_mut_obj_add_str(doc, row, "todo", p->remedy);
		}
	}
	return list;
}

static int print_json(const struct doctor *d)
{
	yyjson_mut_doc *doc = kh_json_new(d->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	struct kh_view text;

	yyjson_mut_obj_add_bool(doc, obj, "works", is_well(d));
	yyjson_mut_obj_add_str(doc, obj, "version", kh_version());
	yyjson_mut_obj_add_str(doc, obj, "kernel_release", d->machine.release);
	yyjson_mut_obj_add_str(doc, obj, "machine", d->machine.machine);
	yyjson_mut_obj_add_uint(doc, obj, "uid", d->uid);
	for (size_t i = 0; i < SECTIONS; i++)
		if (d->sections[i].n > 0)
			yyjson_mut_obj_add_val(doc, obj, d->sections[i].key, section_json(doc, &d->sections[i]));
	yyjson_mut_obj_add_str(doc, obj, "user", about_user(d));
	bool done = kh_json_write(d->arena, obj, &text) == KH_OK && fwrite(text.p, 1, text.n, stdout) == text.n &&
		    putchar('\n') != EOF && fflush(stdout) == 0;
	return done ? 0 : -1;
}

int kh_doctor_run(struct kh_frame *f)
{
	const struct kh_doctor_args *a = f->args;
	struct doctor *d = KH_NEW(&f->arena, struct doctor);

	if (d == NULL)
		return kh_frame_fail_memory(f);
	if (f->count > 0)
		return KH_FRAME_REFUSE(f, "bad_option", "this command takes no arguments");
	d->arena = &f->arena;
	d->has_colour = f->has_colour;
	examine(d);
	examine_home(d, &(struct kh_home_options){.home = a->home});
	bool lost = (a->json ? print_json(d) : print_text(d)) != 0;
	int why = errno;
	if (d->has_home)
		(void)kh_home_close(&d->home, &f->err);
	if (lost)
		return KH_FRAME_REFUSE(f, "output_lost", "%s", strerror(why));
	return is_well(d) ? KH_FRAME_DONE : KH_FRAME_NOT;
}
