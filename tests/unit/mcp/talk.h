/*
 * What the tests of MCP share: a gateway over the engine's fixture, a peer whose transport keeps what is sent, and
 * words for what a client does.
 *
 *     struct kh_talk *talk = kh_talk_open(t, NULL);
 *     yyjson_val *answer = kh_talk_ask(talk, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
 */
#ifndef KH_TESTS_UNIT_MCP_TALK_H
#define KH_TESTS_UNIT_MCP_TALK_H

#include "../engine/fixture.h"
#include "mcp/mcp.h"

#define KH_TALK_MOST 512

struct kh_talk_message {
	struct kh_view text;
	bool last;
	unsigned status;
	uintptr_t exchange; /* which one, counted from 1 */
};

struct kh_talk {
	struct kh_fixture *f;
	struct kh_gateway *gateway;
	struct kh_mcp *mcp;
	struct kh_mcp_peer *peer; /* the controller's */
	uintptr_t exchanges;
	pthread_mutex_t lock;
	pthread_cond_t came;
	struct kh_talk_message messages[KH_TALK_MOST];
	size_t count;
	struct kh_mcp_headers *headers; /* what the next messages come with; NULL: nothing */
};

extern const struct kh_mcp_transport kh_talk_transport;

/* WAIT: microseconds that a call waits for a human. */
struct kh_talk *kh_talk_open(struct kh_test *t, const char *policy, int64_t wait, struct kh_view approvals);
void kh_talk_close(struct kh_talk *talk);

/* Another peer, with this token.  kh_talk_as() has the next messages come from it. */
struct kh_mcp_peer *kh_talk_peer(struct kh_talk *talk, struct kh_view token);

/* Sends a message from PEER; the number of its exchange.  It must be taken. */
uintptr_t kh_talk_send(struct kh_talk *talk, struct kh_mcp_peer *peer, const char *message);

/* The last message of an exchange, waited for; and the N-th of its messages (from 0), waited for likewise. */
const struct kh_talk_message *kh_talk_last(struct kh_talk *talk, uintptr_t exchange);
const struct kh_talk_message *kh_talk_nth(struct kh_talk *talk, uintptr_t exchange, size_t n);
size_t kh_talk_count(struct kh_talk *talk, uintptr_t exchange);

/* Sends, waits for the answer, and parses it; NULL where it is empty.  And the status that came with it. */
yyjson_val *kh_talk_ask(struct kh_talk *talk, struct kh_mcp_peer *peer, const char *message);
unsigned kh_talk_status(struct kh_talk *talk);

/* `initialize` with VERSION and CAPABILITIES (JSON), and notifications/initialized. */
void kh_talk_begin(struct kh_talk *talk, struct kh_mcp_peer *peer, const char *version, const char *capabilities);

/* tools/call of TOOL with ARGUMENTS (JSON), as a message.  EXTRA: members of params besides, with their commas. */
const char *kh_talk_tool(struct kh_talk *talk, int id, const char *tool, const char *arguments, const char *extra);

/* The same with the `_meta` of 2026-07-28; CAPABILITIES are the client's. */
const char *kh_talk_modern(struct kh_talk *talk, int id, const char *method, const char *params,
			   const char *capabilities);

/* What is at a path of names and indexes: "result.content.0.text". */
yyjson_val *kh_talk_at(yyjson_val *root, const char *path);
struct kh_view kh_talk_text(yyjson_val *root, const char *path);
int kh_talk_code(yyjson_val *answer); /* of its error; 0: none */

#endif
