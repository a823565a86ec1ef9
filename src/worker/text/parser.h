/* libgumbo, the HTML5 parser; only the workers that make text of pages load it (library.h). */
#ifndef KH_WORKER_TEXT_PARSER_H
#define KH_WORKER_TEXT_PARSER_H

#include "base/error.h"

#include <gumbo.h>

struct kh_parser {
	__typeof__(gumbo_parse_with_options) *parse_with_options;
	__typeof__(gumbo_get_attribute) *get_attribute;
	const GumboOptions *defaults;
};

/* KH_EREFUSED, code `libgumbo`, if the library is missing. */
enum kh_err kh_parser_load(struct kh_parser *ret_parser, struct kh_error *err) KH_CHECKED;

#endif
