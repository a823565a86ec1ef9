/* A scene with a world outside: what the tests of single rules of external operations share. */
#ifndef KH_TESTS_OUTING_H
#define KH_TESTS_OUTING_H

#include "outside.h"
#include "scene.h"

#include <stdio.h>

#define FAST    "  release: immediate\n"
#define SEARCH  "{\"query\":\"list price of product X\",\"scope\":\"internal\"}"
#define FETCH_A "{\"url\":\"https://shop.example/a\"}"
#define FETCH_B "{\"url\":\"https://shop.example/b\"}"
#define FETCH_W "{\"url\":\"https://www.shop.example/a\"}"
#define HOSTS   "hosts: [shop.example, www.shop.example]"
#define ASKED   FAST "  operations:\n    - {name: comm.fetch, risk: moderate, " HOSTS "}\n"
#define LOW     FAST "  operations:\n    - {name: comm.fetch, risk: low, " HOSTS "}\n    - {name: comm.search, risk: low}\n"
#define PLAN    "{\"plan\":\"Look it up.\",\"required_operations\":[\"comm.fetch\",\"comm.search\",\"comm.read\"]}"
#define MINUTE  (60 * SECOND)
#define BATCH_OF(a, b)                                                                                          \
	"{\"external_info\":{\"required\":true,\"declarations\":[{\"action\":\"web_fetch\",\"target\":\"" a     \
	"\",\"reason\":\"The list price is needed for the answer.\"},{\"action\":\"web_fetch\",\"target\":\"" b \
	"\",\"reason\":\"The list price is needed for the answer.\"}]}}"

/* How many checks have passed and failed; who is there; what the latest call came to. */
extern int outing_passed, outing_failed;
extern struct scene outing;
extern struct outside_act outing_act;

#define CHECK(condition)                                                       \
	do {                                                                   \
		if (condition) {                                               \
			outing_passed++;                                       \
		} else {                                                       \
			outing_failed++;                                       \
			printf("%s:%d: %s\n", __func__, __LINE__, #condition); \
		}                                                              \
	} while (0)

/* Whether CODE is WANT; says so where it is not. */
bool outing_is(const char *code, const char *want);
/* The Controller's token. */
const char *outing_me(void);

void outing_execute(const char *plan);
/* A scene under POLICY whose task executes. */
void outing_set(const char *policy);
/* One more task of the Controller, in execution. */
struct text outing_another_task(void);

/* Declared and called in one; or by the id of a declaration or an approval.  What it came to is outing_act. */
const char *outing_call(const char *operation, const char *parameters);
const char *outing_resume(const char *id);
/* Whether it begins, or waits for somebody, where CODE is what the call said. */
bool outing_runs(const char *code);
bool outing_waits(const char *code);

const char *outing_decide(const char *by, const char *approval, enum kh_choice choice);
const char *outing_approve(const char *approval);
/* What runs ends well. */
void outing_end_ok(void);
/* How many operations have begun, by the audit. */
int outing_begun(void);

struct kh_declaration_row outing_row_of(const char *id);
struct kh_approval_row outing_approval_row(const char *id);

/* The Controller is told something about a page that says where to pay. */
void outing_poison(void);

#endif
