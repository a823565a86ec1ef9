/*
 * What comes back from outside (E7-E9, I3): everything that a worker, a program, a server or a model can send.  This
 * program plays the executor itself, over a real channel, and errands and Readers that ask it get what the input says.
 *
 * The first byte chooses the errand or the Reader.  The rest are replies, each ended by a line "%%", one for each request
 * that is made; requests after the last find nothing.  A reply's first line is STATUS FAULT LOCATION, of which all may be
 * left out, then come header lines and an empty line for a fetch, then the output, and behind a line "%!" the errors.
 *
 * Whatever it is, an errand ends: well, with text that may become a block and details that are a JSON object, or with a
 * sentence.  A Reader's answer is one object on one line, and its fault has a sentence.
 */
#include "fuzz.h"

#include "base/utf8.h"
#include "core/policy/config.h"
#include "errand/errand.h"
#include "outside/client.h"
#include "reader/reader.h"
#include "wire/channel.h"
#include "wire/fault.h"
#include "wire/request.h"

#include <pthread.h>
#include <unistd.h>

#define WALL 2000 /* ms */
#define KEY  "sesame-key-of-the-endpoint"

static const char yaml[] =
	"policy:\n"
	"  operations:\n"
	"    - {name: comm.fetch, hosts: [example.com]}\n"
	"    - {name: comm.read, paths: [/srv/docs]}\n"
	"    - {name: comm.search, scopes: [web, internal, database], paths: [/srv/docs], databases: [shop, crm]}\n"
	"    - {name: comm.query, free_sql: allow, databases: [shop, crm]}\n"
	"    - {name: comm.exec, commands: [{name: date, argv: [/bin/date, \"{day}\"]}]}\n"
	"databases:\n"
	"  - {name: shop, file: /etc/hostname, rows: 4, bytes: 4096}\n"
	"  - {name: crm, host: db.example.com, dbname: crm, user: reader, rows: 4, bytes: 4096}\n"
	"search:\n"
	"  folders: [/srv/docs]\n"
	"  url: https://search.example.com/search\n"
	"  tables: [{database: shop, table: products, columns: [name, price]}, {database: crm, "
	"table: people, columns: [name]}]\n";

static const struct {
	const char *operation, *parameters;
} errands[] = {
	{"comm.fetch", "{\"url\":\"https://example.com/a\"}"},
	{"comm.read", "{\"path\":\"/srv/docs/a.txt\"}"},
	{"comm.search", "{\"query\":\"budget meeting\",\"scope\":\"web\",\"limit\":3}"},
	{"comm.search", "{\"query\":\"budget meeting\",\"scope\":\"internal\",\"limit\":3}"},
	{"comm.search", "{\"query\":\"budget meeting\",\"scope\":\"database\",\"limit\":3}"},
	{"comm.query", "{\"database\":\"shop\",\"statement\":\"SELECT a, b FROM t WHERE c = ?\",\"params\":[1]}"},
	{"comm.query", "{\"database\":\"crm\",\"statement\":\"SELECT a FROM t\"}"},
	{"comm.exec", "{\"command\":\"date\",\"args\":[\"monday\"]}"},
};
#define ERRANDS (sizeof(errands) / sizeof(errands[0]))

static const char *const queries[] = {
	"{\"category\":1,\"fields\":[{\"name\":\"a\",\"type\":\"boolean\"}]}",
	"{\"category\":2,\"questions\":[{\"id\":\"q1\",\"question\":\"Who?\",\"max_words\":3,"
	"\"expected_format\":\"person_name\"}]}",
};

static const struct kh_reader_driver *const drivers[] = {&kh_reader_openai, &kh_reader_anthropic, &kh_reader_command};
#define READERS (2 * sizeof(drivers) / sizeof(drivers[0]))

static struct {
	struct kh_arena lasting;
	const struct kh_config *config;
	struct kh_client client;
	int control; /* the executor's end */
	pthread_mutex_t lock;
	struct kh_view replies;
} outside = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* --- the executor ------------------------------------------------------------------------------------------------- */

/* What comes before the line LINE in *REST, which is then what follows it. */
static struct kh_view before(struct kh_view *rest, struct kh_view line)
{
	size_t at = kh_view_find(*rest, line, 0);
	struct kh_view all = kh_view_sub(*rest, 0, at);

	*rest = at == SIZE_MAX ? KH_LIT("") : kh_view_from(*rest, at + line.n);
	return all;
}

static struct kh_view next_reply(void)
{
	pthread_mutex_lock(&outside.lock);
	struct kh_view reply = before(&outside.replies, KH_LIT("\n%%\n"));
	pthread_mutex_unlock(&outside.lock);
	return reply;
}

/* A request that nobody waits for any more takes nothing. */
static void say(int fd, struct kh_message_out *out)
{
	struct kh_view packet;

	if (kh_message_end(out, &packet) == KH_OK)
		(void)!kh_channel_send_wait(fd, packet, NULL, 0, WALL);
}

static void say_bytes(int fd, enum kh_message_type type, struct kh_view bytes)
{
	static char buffer[KH_MESSAGE_MAX];
	struct kh_message_out out;

	if (bytes.n == 0)
		return;
	kh_message_begin(&out, buffer, sizeof(buffer), type);
	kh_message_bulk(&out, kh_view_sub(bytes, 0, KH_MESSAGE_BULK));
	say(fd, &out);
}

static void say_head(int fd, uint64_t status, struct kh_view location, struct kh_view headers)
{
	static char buffer[KH_MESSAGE_MAX];
	struct kh_message_out out;

	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_HEAD);
	kh_message_number(&out, KH_FIELD_STATUS, status % 400 + 200);
	if (headers.n > 0)
		kh_message_text(&out, KH_FIELD_HEADERS, headers);
	if (location.n > 0 && memchr(location.p, '\0', location.n) == NULL) {
		kh_message_text(&out, KH_FIELD_URL, location);
		kh_message_text(&out, KH_FIELD_LOCATION, location);
	}
	say(fd, &out);
}

static void say_end(int fd, uint64_t fault, uint64_t status, bool fetch)
{
	char buffer[256];
	struct kh_message_out out;

	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_END);
	if (fault == KH_FAULT_NONE && !fetch)
		kh_message_number(&out, KH_FIELD_STATUS, status << 8 & 0xff00);
	kh_message_number(&out, KH_FIELD_FAULT, fault);
	say(fd, &out);
}

static uint64_t number_of(struct kh_view *line)
{
	struct kh_view word;
	int64_t number;

	return kh_view_split(line, ' ', &word) && kh_view_int(word, &number) && number > 0 ? (uint64_t)number : 0;
}

static void reply(int fd, bool fetch)
{
	struct kh_view rest = next_reply(), line = before(&rest, KH_LIT("\n"));
	uint64_t status = number_of(&line), fault = number_of(&line) % KH_FAULTS;

	/* A busy executor is asked again after a pause, for as long as it says so. */
	if (fault == KH_FAULT_BUSY)
		fault = KH_FAULT_PROGRAM;
	if (fetch && fault == KH_FAULT_NONE)
		say_head(fd, status, line.p != NULL ? line : KH_LIT(""), before(&rest, KH_LIT("\n\n")));
	struct kh_view output = before(&rest, KH_LIT("\n%!\n"));
	say_bytes(fd, KH_MESSAGE_OUTPUT, output);
	if (!fetch)
		say_bytes(fd, KH_MESSAGE_ERRORS, rest);
	say_end(fd, fault, status, fetch);
}

static bool hear(int fd, enum kh_message_state *state, struct kh_message *ret_message, int *ret_fd)
{
	static char buffer[KH_MESSAGE_MAX];
	int fds[KH_MESSAGE_FDS];
	struct kh_view packet;
	size_t count = 0;

	if (kh_channel_receive_wait(fd, buffer, &packet, fds, &count, -1) != KH_IO_DONE)
		return false;
	HOLDS(kh_message_read(packet, count, state, ret_message, NULL) == KH_OK);
	if (count > 0)
		*ret_fd = fds[0];
	return true;
}

static void *play(void *unused)
{
	enum kh_message_state state = KH_STATE_CONTROL;
	struct kh_message message;
	int fd = -1, none;

	while (hear(outside.control, &state, &message, &fd)) {
		enum kh_message_state request = KH_STATE_REQUEST_NEW;
		if (hear(fd, &request, &message, &none)) {
			bool fetch = message.type == KH_MESSAGE_FETCH;
			bool fed = !fetch || message.number[KH_FIELD_METHOD] == KH_METHOD_POST;
			while (fed && request == KH_STATE_REQUEST_FED && hear(fd, &request, &message, &none))
				;
			reply(fd, fetch);
		}
		close(fd);
	}
	return unused;
}

/* --- what asks it ------------------------------------------------------------------------------------------------- */

static const struct kh_policy_rule *rule_of(struct kh_view operation)
{
	const struct kh_policy_rule *rules = outside.config->policy.operations.at;

	for (size_t i = 0; i < outside.config->policy.operations.n; i++)
		if (kh_view_eq(rules[i].name, operation))
			return &rules[i];
	return NULL;
}

static void check_errand(struct kh_arena *arena, const struct kh_errand_result *result)
{
	struct kh_view content = kh_tainted_open(result->content), details = kh_tainted_open(result->details);
	yyjson_val *root = NULL;

	kh_fuzz_showable(result->source);
	if (result->end == KH_ERRAND_OK) {
		HOLDS(content.n <= KH_ERRAND_CONTENT && kh_utf8_invalid(content) == SIZE_MAX);
	} else {
		HOLDS(result->why.n > 0 && content.n == 0);
		kh_fuzz_showable(result->why);
	}
	HOLDS(details.n <= KH_ERRAND_DETAILS);
	if (details.n > 0)
		HOLDS(kh_json_read(arena, details, &root, NULL) == KH_OK && yyjson_is_obj(root));
}

static void run_errand(struct kh_arena *arena, size_t i)
{
	static const struct kh_view passwords[] = {KH_LIT_INIT(""), KH_LIT_INIT("sesame")};
	struct kh_errand_tools tools = {.client = &outside.client,
					.config = outside.config,
					.home = kh_view_str(kh_fuzz_folder()),
					.passwords = passwords,
					.search_key = KH_LIT(KEY)};
	struct kh_errand errand = {.operation = kh_view_str(errands[i].operation),
				   .rule = rule_of(kh_view_str(errands[i].operation)),
				   .task = KH_LIT("t0123456789abcdef"),
				   .wall_ms = WALL};
	struct kh_errand_result result = {.end = KH_ERRAND_FAILED};

	HOLDS(kh_json_read(arena, kh_view_str(errands[i].parameters), &errand.parameters, NULL) == KH_OK);
	HOLDS(kh_errand_run(&tools, &errand, arena, &result) == KH_OK);
	check_errand(arena, &result);
}

static struct kh_query read_query(struct kh_arena *arena, const char *text)
{
	struct kh_reasons errors;
	struct kh_query query;
	yyjson_val *val = NULL;

	kh_reasons_init(&errors, arena);
	HOLDS(kh_json_read(arena, kh_view_str(text), &val, NULL) == KH_OK);
	HOLDS(kh_query_read(arena, val, KH_QUERY_CHECK, &query, &errors) == KH_OK && errors.n == 0);
	return query;
}

static void ask_reader(struct kh_arena *arena, size_t i)
{
	static const struct kh_view argv[] = {KH_LIT_INIT("/bin/cat")};
	struct kh_reader_settings settings = {.client = &outside.client,
					      .argv = argv,
					      .argc = 1,
					      .url = KH_LIT("https://model.example.com/v1/chat/completions"),
					      .model = KH_LIT("small"),
					      .key = KH_LIT(KEY),
					      .schema = true,
					      .timeout_ms = WALL};
	struct kh_reader reader = {.name = KH_LIT("r"), .driver = drivers[i / 2], .settings = &settings};
	struct kh_query query = read_query(arena, queries[i % 2]);
	struct kh_reader_ask ask = {.id = KH_LIT("r0123456789abcdef"),
				    .from = KH_LIT("c"),
				    .task = KH_LIT("t0123456789abcdef"),
				    .query = &query};
	enum kh_reader_fault fault = KH_READER_OK;
	struct kh_tainted response = kh_tainted_wrap(KH_LIT(""));
	struct kh_view detail = {NULL, 0};
	yyjson_val *root = NULL;

	HOLDS(reader.driver->ask(&reader, arena, &ask, &response, &fault, &detail) == KH_OK);
	struct kh_view text = kh_tainted_open(response);
	/* A program knows no key. */
	HOLDS(reader.driver->api == NULL ||
	      (kh_view_find(detail, KH_LIT(KEY), 0) == SIZE_MAX && kh_view_find(text, KH_LIT(KEY), 0) == SIZE_MAX));
	kh_fuzz_showable(detail);
	if (fault != KH_READER_OK) {
		HOLDS(detail.n > 0);
		return;
	}
	HOLDS(memchr(text.p, '\n', text.n) == NULL);
	HOLDS(kh_json_read(arena, text, &root, NULL) == KH_OK && yyjson_is_obj(root));
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	pthread_t thread;
	int ends[2];

	(void)argc;
	(void)argv;
	kh_arena_init(&outside.lasting, &kh_alloc_system, 64U << 20);
	HOLDS(kh_config_read(&outside.lasting, kh_view_str(yaml), KH_LIT("keyhole.yaml"), &outside.config, NULL) ==
	      KH_OK);
	HOLDS(kh_channel_pair(ends, NULL) == KH_OK);
	outside.client.control = ends[0];
	outside.control = ends[1];
	HOLDS(pthread_create(&thread, NULL, play, NULL) == 0);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_arena arena;

	if (outside.config == NULL)
		LLVMFuzzerInitialize(NULL, NULL);
	if (size == 0)
		return 0;
	pthread_mutex_lock(&outside.lock);
	outside.replies = kh_fuzz_view(data + 1, size - 1);
	pthread_mutex_unlock(&outside.lock);
	kh_fuzz_begin(&arena);
	size_t which = data[0] % (ERRANDS + READERS);
	if (which < ERRANDS)
		run_errand(&arena, which);
	else
		ask_reader(&arena, which - ERRANDS);
	kh_arena_done(&arena);
	return 0;
}
