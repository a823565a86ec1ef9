/* A world with somebody in every role and a task with one sealed block: what the tests of single rules begin with. */
#ifndef KH_TESTS_SCENE_H
#define KH_TESTS_SCENE_H

#include "world.h"

#define SCENE_WHY    "\"justification\":\"The narrower questions were not enough here.\","
#define SCENE_URGENT "\"category\":1,\"fields\":[{\"name\":\"urgent\",\"type\":\"boolean\"}]"
#define SCENE_WIDE                                                                                       \
	"\"category\":1,\"fields\":[{\"name\":\"a\",\"type\":\"integer\",\"min\":0,\"max\":1073741823}," \
	"{\"name\":\"b\",\"type\":\"integer\",\"min\":0,\"max\":1073741823},"                            \
	"{\"name\":\"c\",\"type\":\"integer\",\"min\":0,\"max\":1073741823}]"
#define SCENE_ASK(format, words)                                                                               \
	SCENE_WHY                                                                                              \
	"\"category\":2,\"questions\":[{\"id\":\"who\",\"question\":\"Which one is it?\",\"max_words\":" words \
	",\"expected_format\":\"" format "\"}]"
#define SCENE_NAME SCENE_ASK("person_name", "3")
#define SCENE_SUMMARY \
	SCENE_WHY "\"category\":3,\"directive\":\"Summarize the key findings of this document.\",\"max_words\":10"

struct scene {
	struct world w;
	struct world_token host, reader, other_reader, reviewer, second_reviewer, supervisor, controller, stranger;
	struct text task, block;
	struct text target; /* the name of `reader` */
};

/* Ends the program where CODE is an error. */
void scene_must(const char *what, const char *code);

void scene_set(struct scene *s, const char *policy);
void scene_end(struct scene *s);

/* A query of the Controller to `reader` in TASK, or "" for the scene's; QUERY without the members of admission. */
const char *scene_try(struct scene *s, const char *task, const char *query, struct world_query *ret);
void scene_ask(struct scene *s, const char *query, struct world_query *ret);

/* The Reader takes its next ask and answers; what it is told. */
const char *scene_answer(struct scene *s, const char *response);

/* The outcome as the Controller sees it. */
enum kh_outcome scene_outcome(struct scene *s, const struct world_query *query);

/* The approval that QUERY waits for; its id. */
struct text scene_approval(struct scene *s, const struct world_query *query);

/* All pages are shown to the reviewer, who then decides; the code. */
const char *scene_decide(struct scene *s, const char *by, const char *approval, enum kh_choice choice,
			 const char *edit);

enum kh_taint scene_taint(struct scene *s); /* of the Controller's context */

/* How many events of a kind the audit has. */
int scene_events(struct scene *s, enum kh_audit_kind kind);

#endif
