/* A whole gateway for fuzz targets.  See world.h. */
#include "world.h"

#include "core/policy/config.h"
#include "engine/approval/decide.h"
#include "engine/approval/list.h"
#include "engine/approval/show.h"
#include "engine/context/put.h"
#include "engine/task/revoke.h"
#include "engine/task/task.h"
#include "reader/reader.h"
#include "store/sqlite/sqlite.h"
#include "store/verify.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define EPOCH  INT64_C(1780000000000000)
#define SECOND INT64_C(1000000)
#define WAIT   2000 /* microseconds that a call waits: what nobody decides takes that long */
#define INPUTS 400  /* of one store */
#define SAID   4096 /* bytes of what Readers and the world say */
#define ID     17   /* bytes of a public id */
#define HEARD  512  /* bytes of a name's value */

static const char policy[] =
	"policy:\n"
	"  release: immediate\n"
	"  fenced: allow\n"
	"  rates: {category_1: 1000000/second, category_2: 1000000/second, category_3: 1000000/second}\n"
	"  operations:\n"
	"    - {name: comm.fetch, hosts: [example.com], risk: low, approval: auto, rate: 1000/minute}\n"
	"    - {name: comm.search, scopes: [web], risk: low, approval: auto, rate: 1000/minute}\n"
	"    - {name: comm.read, paths: [/srv], risk: moderate, approval: ask, rate: 1000/minute}\n"
	"    - {name: comm.exec, risk: high, approval: ask, commands: [{name: date, argv: [/bin/date, \"{day}\"]}]}\n";

static const char mail[] =
	"From: Ann Bell <ann@example.com>\nDate: Mon, 16 Mar 2026 10:00:00 +0100\n"
	"Subject: The budget\n\nHello Bob,\nthe meeting is on 17 March 2026 at 14:30 in Vienna, and the "
	"hotel costs EUR 1,250.50.\nPlease answer by Friday. https://example.com/agenda\n" KH_WORLD_SEALED "\n";

/* What is said by others than the target: set by an input, read by the gateway's threads. */
struct said {
	size_t n;
	bool there;
	char text[SAID];
};

static struct {
	const struct kh_world_parts *parts;
	const struct kh_policy *policy;
	struct kh_store *store;
	struct kh_engine *engine;
	struct kh_gateway *gateway;
	struct kh_arena lasting, arena; /* of the program; of the store */
	struct kh_view tokens[KH_WORLD_ROLES];
	struct kh_view context; /* of the controller */
	unsigned inputs;
	_Atomic int64_t now;
	_Atomic uint64_t dice;
	pthread_mutex_t lock; /* guards what follows */
	struct said reader, outside;
	struct {
		char text[HEARD];
		size_t n;
	} heard[128]; /* by the letter after "@" */
} world = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* --- clock, dice, Readers, the world ------------------------------------------------------------------------------ */

static int64_t clock_of(void *ctx)
{
	(void)ctx;
	return atomic_load(&world.now);
}

static void draw(void *ctx, unsigned char *bytes, size_t n)
{
	(void)ctx;
	for (size_t i = 0; i < n; i += KH_DIGEST_SIZE) {
		uint64_t count = atomic_fetch_add(&world.dice, 1);
		struct kh_digest digest = kh_canonical_digest(kh_view_of((const char *)&count, sizeof(count)));
		memcpy(bytes + i, digest.bytes, n - i < sizeof(digest.bytes) ? n - i : sizeof(digest.bytes));
	}
}

static void set_said(struct said *said, struct kh_view text)
{
	pthread_mutex_lock(&world.lock);
	said->there = text.n > 0;
	said->n = text.n < SAID ? text.n : SAID;
	if (said->n > 0)
		memcpy(said->text, text.p, said->n);
	pthread_mutex_unlock(&world.lock);
}

static bool get_said(struct said *said, struct kh_arena *arena, struct kh_tainted *ret_text)
{
	pthread_mutex_lock(&world.lock);
	bool there = said->there;
	if (there)
		*ret_text = kh_tainted_wrap(kh_arena_dup(arena, kh_view_of(said->text, said->n)));
	pthread_mutex_unlock(&world.lock);
	return there;
}

static enum kh_err ask_model(const struct kh_reader *reader, struct kh_arena *arena, const struct kh_reader_ask *ask,
			     struct kh_tainted *ret_response, enum kh_reader_fault *ret_fault,
			     struct kh_view *ret_detail)
{
	struct kh_error err;
	struct kh_view message;
	enum kh_err e = kh_reader_message(arena, ask, &message, &err);

	(void)reader;
	*ret_detail = KH_LIT("as the input says");
	*ret_fault = get_said(&world.reader, arena, ret_response) ? KH_READER_OK : KH_READER_GARBAGE;
	return e;
}

static const struct kh_reader_driver model = {.name = "model", .pure = true, .ask = ask_model};
static const struct kh_reader_driver slow = {.name = "slow", .ask = ask_model};
static const struct kh_reader readers[] = {
	{.name = KH_LIT_INIT("extract"), .driver = &kh_reader_extract},
	{.name = KH_LIT_INIT("model"), .driver = &model, .triages = true},
	{.name = KH_LIT_INIT("slow"), .driver = &slow},
};

static bool can_run(struct kh_view operation)
{
	return operation.n > 0;
}

static enum kh_err errand_run(const struct kh_errand_tools *tools, const struct kh_errand *errand,
			      struct kh_arena *arena, struct kh_errand_result *ret_result)
{
	(void)tools;
	*ret_result = (struct kh_errand_result){
		.end = KH_ERRAND_FAILED, .source = errand->operation, .why = KH_LIT("as the input says")};
	if (get_said(&world.outside, arena, &ret_result->content)) {
		ret_result->end = KH_ERRAND_OK;
		ret_result->why = KH_LIT("");
	}
	return KH_OK;
}

static const struct kh_errands errands = {.can_run = can_run, .run = errand_run};

/* --- the gateway, made and ended ---------------------------------------------------------------------------------- */

/* Refusals are fine: the input may say anything. */
static enum kh_err try(enum kh_role role, kh_engine_fn *fn, void *of, struct kh_arena *arena)
{
	struct kh_error err = {0};
	enum kh_err e = kh_engine_call(world.engine, kh_world_token(role), fn, of, arena, &err);

	HOLDS(e != KH_ESTORE && e != KH_ENOMEM && e != KH_ECHANGED);
	if (e != KH_OK)
		kh_fuzz_error(&err);
	return e;
}

static void end(void)
{
	struct kh_verify verify = {.state = true, .arena = &world.arena};
	struct kh_error err = {0};

	if (world.engine == NULL)
		return;
	if (world.parts->stop != NULL)
		world.parts->stop();
	HOLDS(kh_gateway_stop(world.gateway, 30 * SECOND));
	world.parts->end();
	kh_gateway_free(world.gateway);
	HOLDS(kh_verify_store(world.store, &verify, &err) == KH_OK);
	if (!verify.good)
		kh_fuzz_broken(verify.detail.p, verify.code, (int)verify.event);
	kh_engine_free(world.engine);
	kh_store_close(world.store);
	kh_fuzz_empty();
	kh_arena_done(&world.arena);
	world.engine = NULL;
}

static void make_store(void)
{
	static const unsigned char random[64] = {7};
	struct kh_digest key = {{1}};
	char path[128];

	snprintf(path, sizeof(path), "%s/keyhole.db", kh_fuzz_folder());
	HOLDS(kh_store_open(&kh_sqlite_backend, path, KH_STORE_CREATE, &world.store, NULL) == KH_OK);
	HOLDS(kh_engine_create(world.store, &world.arena, &key, random, EPOCH, &world.tokens[KH_ROLE_ADMIN], NULL) ==
	      KH_OK);
}

/* By the host if it is a Controller's, so that the host may fill its context.  False if that was refused. */
static bool make_token(enum kh_role role, const char *name)
{
	struct kh_token_create create = {.name = kh_view_str(name), .role = role};
	enum kh_role by = role == KH_ROLE_CONTROLLER ? KH_ROLE_HOST : KH_ROLE_ADMIN;

	if (role == KH_ROLE_HOOK)
		create.of = world.context;
	draw(NULL, create.secret, sizeof(create.secret));
	if (try(by, kh_token_create_run, &create, &world.arena) != KH_OK)
		return false;
	world.tokens[role] = create.text;
	if (role == KH_ROLE_CONTROLLER) {
		world.context = create.context;
		kh_world_hear(create.context);
	}
	return true;
}

static void make(void)
{
	struct kh_engine_settings settings = {
		.alloc = &kh_alloc_system,
		.policy = world.policy,
		.readers = readers,
		.reader_count = sizeof(readers) / sizeof(readers[0]),
		.errands = &errands,
		.clock = clock_of,
		.random = draw,
		.retention = 24 * 3600 * SECOND,
		.version = KH_LIT("fuzz"),
	};
	struct kh_gateway_settings gateway = {.threads = 2, .asks = 2, .wait = WAIT};

	kh_arena_init(&world.arena, &kh_alloc_system, 256U << 20);
	atomic_store(&world.now, EPOCH);
	atomic_store(&world.dice, 0);
	make_store();
	settings.store = world.store;
	HOLDS(kh_engine_new(&settings, &world.engine, NULL) == KH_OK);
	HOLDS(make_token(KH_ROLE_READER, "agent"));
	HOLDS(make_token(KH_ROLE_SUPERVISOR, "supervisor"));
	HOLDS(make_token(KH_ROLE_HOST, "host"));
	HOLDS(make_token(KH_ROLE_REVIEWER, "reviewer"));
	gateway.engine = world.engine;
	HOLDS(kh_gateway_new(&gateway, &world.gateway, NULL) == KH_OK);
	world.inputs = 0;
	world.parts->begin();
}

void kh_world_init(const struct kh_world_parts *parts)
{
	world.parts = parts;
	kh_arena_init(&world.lasting, &kh_alloc_system, 64U << 20);
	HOLDS(kh_config_policy(&world.lasting, kh_view_str(policy), KH_LIT("keyhole.yaml"), &world.policy, NULL) ==
	      KH_OK);
	make();
	atexit(end);
}

struct kh_engine *kh_world_engine(void)
{
	return world.engine;
}

struct kh_gateway *kh_world_gateway(void)
{
	return world.gateway;
}

struct kh_token_claim kh_world_token(enum kh_role role)
{
	return kh_token_read(world.engine, world.tokens[role]);
}

/* --- names -------------------------------------------------------------------------------------------------------- */

static void keep(unsigned char letter, struct kh_view value)
{
	if (value.n > HEARD)
		return;
	memcpy(world.heard[letter].text, value.p, value.n);
	world.heard[letter].n = value.n;
}

static bool is_hex(struct kh_view text)
{
	for (size_t i = 0; i < text.n; i++)
		if (!((text.p[i] >= '0' && text.p[i] <= '9') || (text.p[i] >= 'a' && text.p[i] <= 'f')))
			return false;
	return true;
}

/* The newest value of the member KEY, a text. */
static void hear_member(struct kh_view text, struct kh_view key, unsigned char letter)
{
	for (size_t at = 0; (at = kh_view_find(text, key, at)) != SIZE_MAX; at += key.n) {
		struct kh_view rest = kh_view_from(text, at + key.n), value;
		if (kh_view_split(&rest, '"', &value) && rest.p != NULL && value.n > 0)
			keep(letter, value);
	}
}

void kh_world_hear(struct kh_view text)
{
	pthread_mutex_lock(&world.lock);
	for (size_t at = 0; at + ID <= text.n; at++) {
		bool begins = at == 0 || !is_hex(kh_view_sub(text, at - 1, at));
		if (begins && strchr("tcqrbakde", text.p[at]) != NULL && text.p[at] != 0 &&
		    is_hex(kh_view_sub(text, at + 1, at + ID)) &&
		    (at + ID == text.n || !is_hex(kh_view_sub(text, at + ID, at + ID + 1))))
			keep((unsigned char)text.p[at], kh_view_sub(text, at, at + ID));
	}
	hear_member(text, KH_LIT("\"digest\":\""), '#');
	hear_member(text, KH_LIT("\"requestState\":\""), '$');
	hear_member(text, KH_LIT("\"next\":\""), '>');
	pthread_mutex_unlock(&world.lock);
}

void kh_world_keep(char letter, struct kh_view value)
{
	pthread_mutex_lock(&world.lock);
	keep((unsigned char)letter, value);
	pthread_mutex_unlock(&world.lock);
}

/* The value of the name with this letter; false if there is no such name. */
static bool value_of(struct kh_arena *arena, unsigned char letter, struct kh_view *ret_value)
{
	bool there = false;

	if (letter >= '0' && letter < '0' + KH_WORLD_ROLES) {
		*ret_value = world.tokens[letter - '0'];
		return true;
	}
	pthread_mutex_lock(&world.lock);
	if (letter < sizeof(world.heard) / sizeof(world.heard[0]) && world.heard[letter].n > 0) {
		*ret_value = kh_arena_dup(arena, kh_view_of(world.heard[letter].text, world.heard[letter].n));
		there = true;
	}
	pthread_mutex_unlock(&world.lock);
	return there;
}

struct kh_view kh_world_fill(struct kh_arena *arena, struct kh_view line)
{
	size_t room = 0, n = 0;
	struct kh_view value;

	for (size_t i = 0; i < line.n; i++)
		room += line.p[i] == '@' ? HEARD : 1;
	char *filled = kh_arena_alloc(arena, room + 1);
	HOLDS(filled != NULL);
	for (size_t i = 0; i < line.n; i++) {
		if (line.p[i] != '@' || i + 1 == line.n || !value_of(arena, (unsigned char)line.p[i + 1], &value)) {
			filled[n++] = line.p[i];
			continue;
		}
		memcpy(filled + n, value.p, value.n);
		n += value.n;
		i++;
	}
	return kh_view_of(filled, n);
}

/* --- what others do ----------------------------------------------------------------------------------------------- */

static void decide(struct kh_arena *arena, enum kh_choice choice, struct kh_view text)
{
	struct kh_page list = {.all = false};
	struct kh_approval_show show = {.page = 1};
	yyjson_val *listed = NULL, *shown = NULL;

	if (try(KH_ROLE_REVIEWER, kh_approval_list_run, &list, arena) != KH_OK || list.count == 0)
		return;
	HOLDS(kh_json_read(arena, list.json, &listed, NULL) == KH_OK);
	struct kh_view id = kh_json_str(kh_json_get(yyjson_arr_get_last(listed), "id"));
	show.approval = id;
	if (try(KH_ROLE_REVIEWER, kh_approval_show_run, &show, arena) != KH_OK)
		return;
	HOLDS(kh_json_read(arena, show.json, &shown, NULL) == KH_OK);
	struct kh_approval_decide decide = {.approval = id,
					    .choice = choice,
					    .shown = kh_json_str(kh_json_get(shown, "digest")),
					    .edited = kh_tainted_wrap(text),
					    .from = KH_LIT("fuzz")};
	(void)!try(KH_ROLE_REVIEWER, kh_approval_decide_run, &decide, arena);
	kh_gateway_look(world.gateway);
}

static void put(struct kh_arena *arena, struct kh_view text)
{
	struct kh_put put = {.source = KH_LIT("page"), .content = kh_tainted_wrap(text)};

	if (value_of(arena, 't', &put.task) && try(KH_ROLE_HOST, kh_put_run, &put, arena) == KH_OK)
		kh_world_hear(put.id);
}

static bool open_task(void)
{
	struct kh_task_open open = {.title = KH_LIT("a task")};
	struct kh_put put = {.source = KH_LIT("mail.txt"), .content = kh_tainted_wrap(kh_view_str(mail))};

	if (try(KH_ROLE_CONTROLLER, kh_task_open_run, &open, &world.arena) != KH_OK)
		return false;
	kh_world_hear(open.id);
	put.task = open.id;
	bool done = try(KH_ROLE_CONTROLLER, kh_put_run, &put, &world.arena) == KH_OK;
	if (done)
		kh_world_hear(put.id);
	return done;
}

static void pass(struct kh_view text)
{
	int64_t seconds;

	if (kh_view_int(text, &seconds) && seconds > 0 && seconds <= 100000)
		atomic_fetch_add(&world.now, seconds * SECOND);
}

bool kh_world_act(struct kh_view line)
{
	struct kh_view text = kh_view_from(line, 3);
	struct kh_arena arena;

	if (!kh_view_starts(line, KH_LIT("!")))
		return false;
	kh_fuzz_begin(&arena);
	switch (line.n > 1 ? line.p[1] : '\0') {
	case 'r':
		set_said(&world.reader, text);
		break;
	case 'w':
		set_said(&world.outside, text);
		break;
	case 'p':
		put(&arena, text);
		break;
	case '+':
		decide(&arena, KH_CHOICE_APPROVE, text);
		break;
	case '-':
		decide(&arena, KH_CHOICE_REJECT, text);
		break;
	case 'e':
		decide(&arena, KH_CHOICE_EDIT, text);
		break;
	case '>':
		pass(text);
		break;
	case 't':
		(void)!open_task();
		break;
	default:
		break;
	}
	kh_arena_done(&arena);
	return true;
}

/* A context and a task for the next input.  False if one before it has revoked the host's token. */
static bool make_context(void)
{
	char name[32];

	pthread_mutex_lock(&world.lock);
	memset(world.heard, 0, sizeof(world.heard));
	pthread_mutex_unlock(&world.lock);
	set_said(&world.reader, KH_LIT(""));
	set_said(&world.outside, KH_LIT(""));
	atomic_fetch_add(&world.now, SECOND);
	snprintf(name, sizeof(name), "controller%u", world.inputs);
	return make_token(KH_ROLE_CONTROLLER, name) && make_token(KH_ROLE_HOOK, "hook") && open_task();
}

void kh_world_begin(void)
{
	/* What the input before has left: its approvals are nobody's any more. */
	if (world.inputs > 0) {
		struct kh_revoke revoke = {.id = kh_view_sub(world.tokens[KH_ROLE_CONTROLLER], 3, 20)};
		(void)!try(KH_ROLE_ADMIN, kh_revoke_run, &revoke, &world.arena);
	}
	if (++world.inputs > INPUTS || !make_context()) {
		end();
		make();
		world.inputs = 1;
		HOLDS(make_context());
	}
}
