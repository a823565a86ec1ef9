/* Test tools of the conformance program that ask their client for input by `input_required` (2026-07-28). */
#ifndef KH_TESTS_CONFORMANCE_CONFORM_INPUT_H
#define KH_TESTS_CONFORMANCE_CONFORM_INPUT_H

#include "mcp/tool.h"

enum kh_work_next kh_conform_input_elicitation(struct kh_mcp_call *call, struct kh_mcp_result *ret_result);
enum kh_work_next kh_conform_input_sampling(struct kh_mcp_call *call, struct kh_mcp_result *ret_result);
enum kh_work_next kh_conform_input_roots(struct kh_mcp_call *call, struct kh_mcp_result *ret_result);
enum kh_work_next kh_conform_input_state(struct kh_mcp_call *call, struct kh_mcp_result *ret_result);
enum kh_work_next kh_conform_input_several(struct kh_mcp_call *call, struct kh_mcp_result *ret_result);
enum kh_work_next kh_conform_input_rounds(struct kh_mcp_call *call, struct kh_mcp_result *ret_result);
enum kh_work_next kh_conform_input_capable(struct kh_mcp_call *call, struct kh_mcp_result *ret_result);

/* The text that the client's input NAME has as MEMBER of its content, where it was accepted; else {NULL, 0}. */
struct kh_view kh_conform_input_text(const struct kh_mcp_call *call, const char *name, const char *member);

#endif
