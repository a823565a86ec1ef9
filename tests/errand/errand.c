/*
 * Carries errands out as the engine does, over an executor of the program under test, without an engine around them:
 * nothing is governed here.
 *
 *     errand KEYHOLE CONFIGURATION HOME
 *
 * Standard input has one errand a line, standard output what came of it:
 *
 *     {"operation":"comm.query","parameters":{...},"passwords":["..."],"key":"...","ms":5000}
 *     {"end":"ok","content":"...","original":0,"details":{...},"source":"...","why":"","ms":12}
 *
 * `passwords` are of the configuration's databases, in their order; `ms` is the errand's time, the policy's if it is
 * left out.  `original` is how many bytes of it there are.  Rule and limits are the configuration's for the operation.
 */
#include "errand/errand.h"
#include "core/comm/operations.h"
#include "core/policy/allot.h"
#include "outside/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define TASK      "t0123456789abcdef"
#define LINE      (32U << 20)
#define MEMORY    (512U << 20)
#define PASSWORDS 16

static _Noreturn void fail(const char *what, const char *why)
{
	fprintf(stderr, "errand: %s: %s\n", what, why);
	exit(2);
}

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static struct kh_view read_file(struct kh_arena *arena, const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = kh_arena_alloc(arena, 1U << 20);

	if (file == NULL || text == NULL)
		fail(path, "cannot be read");
	size_t n = fread(text, 1, 1U << 20, file);
	fclose(file);
	return kh_view_of(text, n);
}

static const char *end_name(enum kh_errand_end end)
{
	return end == KH_ERRAND_OK ? "ok" : end == KH_ERRAND_FAILED ? "failed" : "unknown";
}

/* Content as text; what is not UTF-8 is a fault of the errand, and seen. */
static void print_result(struct kh_arena *arena, const struct kh_errand_result *result, long ms)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);
	struct kh_view details = kh_tainted_open(result->details), text;
	yyjson_val *said = NULL;

	yyjson_mut_obj_add_str(doc, root, "end", end_name(result->end));
	kh_json_add(doc, root, "content", kh_tainted_open(result->content));
	yyjson_mut_obj_add_uint(doc, root, "original", kh_tainted_size(result->original));
	if (details.n > 0 && kh_json_read(arena, details, &said, NULL) != KH_OK)
		fail("details", "not JSON");
	yyjson_mut_obj_add_val(doc, root, "details",
			       said != NULL ? yyjson_val_mut_copy(doc, said) : yyjson_mut_null(doc));
	kh_json_add(doc, root, "source", result->source);
	kh_json_add(doc, root, "why", result->why);
	yyjson_mut_obj_add_int(doc, root, "ms", ms);
	if (kh_json_write(arena, root, &text) != KH_OK)
		fail("result", "not UTF-8");
	printf("%.*s\n", KH_FMT(text));
	fflush(stdout);
}

static void run_line(const struct kh_errand_tools *base, struct kh_view line)
{
	struct kh_errand_tools tools = *base;
	struct kh_view passwords[PASSWORDS] = {{NULL, 0}}, path;
	struct kh_errand_result result;
	struct kh_error err = {.detail = ""};
	struct kh_arena arena;
	yyjson_val *root, *item;
	int64_t ms;
	size_t i, n;

	kh_arena_init(&arena, &kh_alloc_system, MEMORY);
	if (kh_json_read(&arena, line, &root, &err) != KH_OK)
		fail("input", err.detail);
	yyjson_arr_foreach (kh_json_get(root, "passwords"), i, n, item)
		if (i < PASSWORDS)
			passwords[i] = kh_json_str(item);
	tools.passwords = passwords;
	tools.search_key = kh_json_str(kh_json_get(root, "key"));
	struct kh_errand errand = {.operation = kh_json_str(kh_json_get(root, "operation")),
				   .parameters = kh_json_get(root, "parameters"),
				   .task = KH_LIT(TASK)};
	errand.rule = kh_policy_rule(&tools.config->policy, &arena, errand.operation, KH_LIT(""), &path);
	errand.limits = kh_allot_of(&tools.config->policy, errand.rule,
				    kh_operation_named(&kh_operations_own, errand.operation), errand.parameters);
	errand.wall_ms = kh_json_int(kh_json_get(root, "ms"), &ms) ? (uint64_t)ms : errand.limits.seconds * 1000;
	long begun = now_ms();
	if (kh_errand_run(&tools, &errand, &arena, &result) != KH_OK)
		fail("errand", "out of memory");
	print_result(&arena, &result, now_ms() - begun);
	kh_arena_done(&arena);
}

int main(int argc, char **argv)
{
	struct kh_client client;
	struct kh_error err = {.detail = ""};
	struct kh_errand_tools tools = {.client = &client};
	struct kh_arena arena;
	static char line[LINE];

	if (argc != 4)
		fail("usage", "errand KEYHOLE CONFIGURATION HOME");
	kh_arena_init(&arena, &kh_alloc_system, MEMORY);
	if (kh_config_read(&arena, read_file(&arena, argv[2]), kh_view_str(argv[2]), &tools.config, &err) != KH_OK)
		fail("configuration", err.detail);
	tools.home = kh_view_str(argv[3]);
	if (kh_client_start(&client, &(struct kh_client_settings){.program = argv[1], .pool = 1}, &err) != KH_OK)
		fail("executor", err.detail);
	while (fgets(line, sizeof(line), stdin) != NULL)
		run_line(&tools, kh_view_trim(kh_view_str(line)));
	kh_client_stop(&client);
	kh_arena_done(&arena);
	return 0;
}
