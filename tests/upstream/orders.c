/* Orders and events of the programs beside this file. */
#include "orders.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of standard output */

_Noreturn void fail(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	exit(2);
}

void print(struct kh_arena *arena, yyjson_mut_val *root)
{
	struct kh_view text;

	if (kh_json_write(arena, root, &text) != KH_OK)
		fail("event", "not UTF-8");
	pthread_mutex_lock(&lock);
	printf("%.*s\n", KH_FMT(text));
	fflush(stdout);
	pthread_mutex_unlock(&lock);
}

void add_text(yyjson_mut_doc *doc, yyjson_mut_val *root, const char *key, struct kh_tainted text)
{
	kh_json_add(doc, root, key, kh_tainted_open(text));
}

struct kh_view text_of(struct kh_arena *arena, yyjson_val *object, const char *key)
{
	return kh_arena_dup(arena, kh_json_str(kh_json_get(object, key)));
}

size_t list_of(struct kh_arena *arena, yyjson_val *object, const char *key, struct kh_view *items, size_t most)
{
	yyjson_val *list = kh_json_get(object, key), *item;
	yyjson_arr_iter all;
	size_t n = 0;

	yyjson_arr_iter_init(list, &all);
	while (list != NULL && n < most && (item = yyjson_arr_iter_next(&all)) != NULL)
		items[n++] = kh_arena_dup(arena, kh_json_str(item));
	return n;
}

uint64_t number_of(yyjson_val *object, const char *key)
{
	int64_t number = 0;

	return kh_json_int(kh_json_get(object, key), &number) ? (uint64_t)number : 0;
}

struct kh_upstream upstream_of(struct kh_arena *arena, yyjson_val *object)
{
	struct kh_upstream up = {.url = text_of(arena, object, "url"),
				 .plain = yyjson_is_true(kh_json_get(object, "plain")),
				 .authority = text_of(arena, object, "authority"),
				 .idle_ms = number_of(object, "idle"),
				 .message = number_of(object, "message"),
				 .a_second = number_of(object, "a_second")};

	up.headers = list_of(arena, object, "headers", up.header, KH_REQUEST_HEADERS);
	up.secrets = list_of(arena, object, "secrets", up.secret, KH_UPSTREAM_SECRETS);
	up.hosts = list_of(arena, object, "hosts", up.host, KH_REQUEST_HOSTS);
	return up;
}

static void tell(void *context, const char *sentence)
{
	(void)context;
	fprintf(stderr, "%s\n", sentence);
}

void start(struct kh_arena *arena, const char *program, const char *settings, struct kh_client *client,
	   void (*make)(struct kh_arena *arena, yyjson_val *at))
{
	struct kh_client_settings with = {.program = program};
	struct kh_error err = {.detail = ""};
	yyjson_val *root, *item;
	yyjson_arr_iter all;

	if (kh_json_read(arena, kh_view_str(settings), &root, &err) != KH_OK)
		fail("settings", err.detail);
	with.pool = (unsigned)number_of(root, "pool");
	with.replaced = yyjson_is_true(kh_json_get(root, "replaced"));
	if (kh_client_start(client, &with, &err) != KH_OK || kh_client_replace(client, tell, NULL, &err) != KH_OK)
		fail("executor", err.detail);
	yyjson_arr_iter_init(kh_json_get(root, "servers"), &all);
	while ((item = yyjson_arr_iter_next(&all)) != NULL)
		make(arena, item);
	printf("{\"executor\":%d}\n", client->pid);
	fflush(stdout);
}

void obey_all(void (*obey)(struct kh_arena *arena, yyjson_val *root))
{
	struct kh_error err = {.detail = ""};
	char *line = malloc(LINE);

	while (line != NULL && fgets(line, LINE, stdin) != NULL) {
		yyjson_val *root;
		struct kh_arena work;
		kh_arena_init(&work, &kh_alloc_system, 16 * (size_t)LINE);
		if (kh_json_read(&work, kh_view_trim(kh_view_str(line)), &root, &err) != KH_OK)
			fail("order", err.detail);
		obey(&work, root);
		kh_arena_done(&work);
	}
	free(line);
}
