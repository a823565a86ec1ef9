/*
 * Translates declarations in the form of another system (COMPAT.md, section 3: {"external_info":{...}}): an action with
 * a target and params becomes an operation with parameters.
 *
 *     web_search            comm.search   target: query
 *     web_fetch, api_call   comm.fetch    target: url
 *     database_query        comm.query    target: database, or statement if params name the database
 *     file_read             comm.read     target: path
 *     command_exec          comm.exec     target: command
 *     tool_call             comm.mcp.*    target: "server.tool", "server__tool" or the operation's name;
 *                                         params: arguments
 *     file_write            refused: nothing here writes
 *
 * Two parameter names of that system are accepted: max_results for limit, query for statement.
 */
#ifndef KH_CORE_COMM_EXTERNAL_INFO_H
#define KH_CORE_COMM_EXTERNAL_INFO_H

#include "core/comm/parameter.h"

/* One item, translated but not yet checked. */
struct kh_external_info {
	bool is_object;           /* if false, nothing below is set */
	struct kh_view operation; /* {NULL, 0} if the action is unknown */
	struct kh_view operation_path;
	struct kh_parameter *parameters;
	size_t parameter_count;
	yyjson_val *reason; /* NULL if it is missing, which has been reported */
};

/* The declarations of {"external_info":{...}}: an array of at least one; NULL and a report otherwise. */
yyjson_val *kh_external_info_list(struct kh_reasons *errors, yyjson_val *in);

/* Translates the item at PATH; what is wrong with its own members is reported.  Fails only for lack of memory. */
enum kh_err kh_external_info_read(struct kh_reasons *errors, struct kh_view path, yyjson_val *in,
				  struct kh_external_info *ret_item) KH_CHECKED;

#endif
