/*
 * What the programs of this folder share: orders as JSON lines on standard input, events as JSON lines on standard
 * output, and an executor of the program under test.
 */
#ifndef KH_TESTS_UPSTREAM_ORDERS_H
#define KH_TESTS_UPSTREAM_ORDERS_H

#include "base/json.h"
#include "base/tainted.h"
#include "outside/client.h"

#define LINE (40U << 20) /* bytes of an order */

/* Ends the program: it was used wrongly, or the machine lacks something. */
_Noreturn void fail(const char *what, const char *why);

/* One event, from any thread. */
void print(struct kh_arena *arena, yyjson_mut_val *root);

void add_text(yyjson_mut_doc *doc, yyjson_mut_val *root, const char *key, struct kh_tainted text);

/* Members of an order; what is not there is empty or 0. */
struct kh_view text_of(struct kh_arena *arena, yyjson_val *object, const char *key);
size_t list_of(struct kh_arena *arena, yyjson_val *object, const char *key, struct kh_view *items, size_t most);
uint64_t number_of(yyjson_val *object, const char *key);
struct kh_upstream upstream_of(struct kh_arena *arena, yyjson_val *object);

/* Starts an executor of PROGRAM as SETTINGS say, and gives each item of their `servers` to MAKE. */
void start(struct kh_arena *arena, const char *program, const char *settings, struct kh_client *client,
	   void (*make)(struct kh_arena *arena, yyjson_val *at));

/* Gives each order to OBEY, until there are no more. */
void obey_all(void (*obey)(struct kh_arena *arena, yyjson_val *root));

#endif
