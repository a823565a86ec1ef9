/*
 * What @modelcontextprotocol/conformance expects of a server under test: tools, prompts and resources with the names of
 * its scenarios.  Only in a program of the tests (main.c), which says so when it starts; a test holds that the released
 * program has none of these names.
 *
 * None of it touches the store, and every role sees it.  The tools are in conform_tools.h.
 */
#ifndef KH_TESTS_CONFORMANCE_CONFORM_H
#define KH_TESTS_CONFORMANCE_CONFORM_H

#include "mcp/tool.h"

/* Adds to `prompts` of prompts/list, to `resources` of resources/list, to `resourceTemplates` of
 * resources/templates/list. */
void kh_conform_prompts(yyjson_mut_doc *doc, yyjson_mut_val *array);
void kh_conform_resources(yyjson_mut_doc *doc, yyjson_mut_val *array);
void kh_conform_templates(yyjson_mut_doc *doc, yyjson_mut_val *array);

/*
 * prompts/get.  False: NAME is none of these.  The answer is *RET_PROMPT (description, messages), or, where that is
 * NULL, what RESULT says: `inputs`, or a JSON-RPC error.
 */
bool kh_conform_prompt(struct kh_mcp_call *call, struct kh_view name, yyjson_val *arguments,
		       struct kh_mcp_result *result, yyjson_mut_val **ret_prompt);

/* resources/read: adds to `contents`.  False: URI is none of these. */
bool kh_conform_resource(yyjson_mut_doc *doc, struct kh_view uri, yyjson_mut_val *contents);

/* completion/complete: whether NAME is a prompt of these, which has arguments; there is nothing to complete. */
bool kh_conform_completes(struct kh_view name);

/* resources/subscribe: whether URI can be subscribed to.  Nothing of it ever changes. */
bool kh_conform_watches(struct kh_view uri);

/* For the files of this group: a literal as a value of DOC; a content array of one text. */
yyjson_mut_val *kh_conform_json(yyjson_mut_doc *doc, const char *literal);
yyjson_mut_val *kh_conform_text(yyjson_mut_doc *doc, struct kh_view text);

/* 1 x 1 pixel, image/png; a millisecond of silence, audio/wav; base64. */
#define KH_CONFORM_PNG "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mNQSFgAAAHEASFcollRAAAAAElFTkSuQmCC"
#define KH_CONFORM_WAV "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA=="

#endif
