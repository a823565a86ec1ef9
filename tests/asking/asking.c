/*
 * Asks a Reader that is a program, or a model behind an API, as the engine does, and says what came of it.
 *
 *     asking KEYHOLE [--time MS] [--times N] [--at-once N] [--read PATH] [--kill MS] -- PROGRAM
 * [ARGUMENT...] asking KEYHOLE [...] [--retries N] [--local 0|1] [--authority FILE] -- openai|anthropic URL [KEY]
 *
 * Standard input is the content of the one sealed block.  A line for each ask on standard output:
 *
 *     {"id":"a0","fault":"ok","detail":"","response":"{...}","ms":12}
 *
 * --times asks one after the other, --at-once in threads, all over one executor; --kill kills the executor so long
 * after the beginning.  The exit status is 0 where every ask came to something.
 */
#include "outside/client.h"
#include "reader/command.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define TASK      "t0123456789abcdef"
#define CONTENT   (32U << 20)
#define MEMORY    (1U << 30)
#define MOST      256
#define PATHS     8
#define ARGUMENTS 64

struct asked {
	pthread_t thread;
	struct kh_arena arena;
	struct kh_reader_ask ask;
	const struct kh_reader *reader;
	struct kh_tainted response;
	enum kh_reader_fault fault;
	struct kh_view detail;
	enum kh_err err;
	long ms;
};

struct options {
	const char *program;
	long time_ms, times, at_once, kill_ms, retries, local;
	struct kh_view authority;
	struct kh_view read[PATHS], argv[ARGUMENTS];
	size_t reads, argc;
};

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "asking: %s\n", what);
	exit(2);
}

static void need(enum kh_err e, const char *what)
{
	if (e != KH_OK)
		fail(what);
}

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void read_options(int argc, char **argv, struct options *options)
{
	const struct {
		const char *name;
		long *number;
	} numbers[] = {{"--time", &options->time_ms},    {"--times", &options->times},
		       {"--at-once", &options->at_once}, {"--kill", &options->kill_ms},
		       {"--retries", &options->retries}, {"--local", &options->local}};
	int i = 2;

	options->program = argc > 1 ? argv[1] : "";
	for (; i + 1 < argc && strcmp(argv[i], "--") != 0; i += 2) {
		bool known = strcmp(argv[i], "--read") == 0 && options->reads < PATHS;
		if (known)
			options->read[options->reads++] = kh_view_str(argv[i + 1]);
		if (strcmp(argv[i], "--authority") == 0) {
			options->authority = kh_view_str(argv[i + 1]);
			known = true;
		}
		for (size_t j = 0; j < sizeof(numbers) / sizeof(numbers[0]); j++) {
			if (strcmp(argv[i], numbers[j].name) == 0) {
				*numbers[j].number = strtol(argv[i + 1], NULL, 10);
				known = true;
			}
		}
		if (!known)
			fail("unknown option");
	}
	for (i++; i < argc && options->argc < ARGUMENTS; i++)
		options->argv[options->argc++] = kh_view_str(argv[i]);
	if (options->argc == 0 || options->times < 1 || options->at_once < 1 ||
	    options->times * options->at_once > MOST)
		fail("usage: asking KEYHOLE [OPTION VALUE]... -- PROGRAM [ARGUMENT...]");
}

static struct kh_view read_content(struct kh_arena *arena)
{
	char *text = kh_arena_alloc(arena, CONTENT);

	if (text == NULL)
		fail("no memory");
	return kh_view_of(text, fread(text, 1, CONTENT, stdin));
}

static struct kh_reader_block seal(struct kh_arena *arena, struct kh_view content)
{
	struct kh_attribution attribution = {.operation = KH_LIT("comm.fetch"),
					     .session_id = KH_LIT(TASK),
					     .source = KH_LIT("https://example.com/letter"),
					     .timestamp = 1000000};
	struct kh_view text;

	need(kh_attribution_make(arena, &attribution, content, NULL), "attribution");
	yyjson_mut_doc *doc = kh_json_new(arena);
	need(kh_canonical_mut(arena, kh_attribution_json(arena, doc, &attribution), &text, NULL), "canonical");
	return (struct kh_reader_block){.id = KH_LIT("b1"), .attribution = text, .content = kh_tainted_wrap(content)};
}

static const struct kh_query *make_query(struct kh_arena *arena)
{
	static struct kh_query query;
	struct kh_reasons errors;
	yyjson_val *val;

	kh_reasons_init(&errors, arena);
	need(kh_json_read(arena, KH_LIT("{\"category\":1,\"fields\":[{\"name\":\"a\",\"type\":\"boolean\"}]}"), &val,
			  NULL),
	     "query");
	need(kh_query_read(arena, val, KH_QUERY_CHECK, &query, &errors), "query");
	return &query;
}

static void *ask_one(void *arg)
{
	struct asked *a = arg;
	long begun = now_ms();

	a->err = a->reader->driver->ask(a->reader, &a->arena, &a->ask, &a->response, &a->fault, &a->detail);
	a->ms = now_ms() - begun;
	return NULL;
}

static void print(struct asked *a)
{
	yyjson_mut_doc *doc = kh_json_new(&a->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	struct kh_view text;

	need(a->err, "the driver failed");
	kh_json_add(doc, obj, "id", a->ask.id);
	yyjson_mut_obj_add_str(doc, obj, "fault", kh_words_name(&kh_reader_fault_words, a->fault));
	kh_json_add(doc, obj, "detail", a->detail);
	kh_json_add(doc, obj, "response", kh_tainted_open(a->response));
	yyjson_mut_obj_add_int(doc, obj, "ms", a->ms);
	need(kh_json_write(&a->arena, obj, &text), "the result cannot be written");
	printf("%.*s\n", KH_FMT(text));
	kh_arena_done(&a->arena);
}

static void *kill_later(void *arg)
{
	const long *what = arg; /* when, whom */
	struct timespec time = {what[0] / 1000, what[0] % 1000 * 1000000};

	nanosleep(&time, NULL);
	kill((pid_t)what[1], SIGKILL);
	return NULL;
}

static void ask_all(const struct options *options, const struct kh_reader *reader, const struct kh_reader_block *block,
		    const struct kh_query *query)
{
	static struct asked all[MOST];

	for (long i = 0; i < options->times * options->at_once; i++) {
		struct asked *a = &all[i];
		kh_arena_init(&a->arena, NULL, MEMORY);
		a->reader = reader;
		a->ask = (struct kh_reader_ask){.id = kh_arena_printf(&a->arena, "a%ld", i),
						.from = KH_LIT("planner"),
						.task = KH_LIT(TASK),
						.query = query,
						.blocks = block,
						.block_count = 1,
						.nonce = {7, (unsigned char)i}};
	}
	for (long round = 0; round < options->times; round++) {
		struct asked *first = &all[round * options->at_once];
		for (long i = 0; i < options->at_once; i++)
			if (pthread_create(&first[i].thread, NULL, ask_one, &first[i]) != 0)
				fail("no thread");
		for (long i = 0; i < options->at_once; i++) {
			pthread_join(first[i].thread, NULL);
			print(&first[i]);
		}
	}
}

/* The Reader that the arguments name; *RET_SETTINGS lives as long as it. */
static struct kh_reader make_reader(const struct options *options, const struct kh_client *client,
				    struct kh_reader_settings *ret_settings)
{
	bool is_openai = kh_view_eq(options->argv[0], KH_LIT("openai"));
	struct kh_reader reader = {.name = KH_LIT("r"), .driver = &kh_reader_command, .settings = ret_settings};

	*ret_settings = (struct kh_reader_settings){.client = client,
						    .argv = options->argv,
						    .argc = options->argc,
						    .read = options->read,
						    .reads = options->reads,
						    .timeout_ms = (uint64_t)options->time_ms};
	if (!is_openai && !kh_view_eq(options->argv[0], KH_LIT("anthropic")))
		return reader;
	reader.driver = is_openai ? &kh_reader_openai : &kh_reader_anthropic;
	ret_settings->url = options->argc > 1 ? options->argv[1] : KH_LIT("");
	ret_settings->key = options->argc > 2 ? options->argv[2] : KH_LIT("");
	ret_settings->model = KH_LIT("small");
	ret_settings->authority = options->authority;
	ret_settings->local = options->local > 0;
	ret_settings->schema = true;
	ret_settings->retries = (uint64_t)options->retries;
	return reader;
}

int main(int argc, char **argv)
{
	struct options options = {.time_ms = 10000, .times = 1, .at_once = 1, .retries = 2, .local = 1};
	struct kh_error err = {.offset = SIZE_MAX};
	struct kh_arena arena;
	struct kh_client client;
	pthread_t killer;

	read_options(argc, argv, &options);
	kh_arena_init(&arena, NULL, MEMORY);
	if (kh_client_start(&client, &(struct kh_client_settings){.program = options.program}, &err) != KH_OK)
		fail(err.detail);
	struct kh_reader_block block = seal(&arena, read_content(&arena));
	struct kh_reader_settings settings;
	struct kh_reader reader = make_reader(&options, &client, &settings);
	long kill_what[] = {options.kill_ms, client.pid};
	if (options.kill_ms > 0 && pthread_create(&killer, NULL, kill_later, kill_what) != 0)
		fail("no thread");
	ask_all(&options, &reader, &block, make_query(&arena));
	if (options.kill_ms > 0)
		pthread_join(killer, NULL);
	kh_client_stop(&client);
	kh_arena_done(&arena);
	return 0;
}
