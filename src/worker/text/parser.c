/* The functions of libgumbo that are used.  meson.build ensures that the library matches its header. */
#include "worker/text/parser.h"

#include "worker/library.h"

enum kh_err kh_parser_load(struct kh_parser *ret_parser, struct kh_error *err)
{
	static const struct kh_library_symbol symbols[] = {
		{"gumbo_parse_with_options", offsetof(struct kh_parser, parse_with_options)},
		{"gumbo_get_attribute", offsetof(struct kh_parser, get_attribute)},
		{"kGumboDefaultOptions", offsetof(struct kh_parser, defaults)},
	};

	return KH_LIBRARY_LOAD(KH_LIBGUMBO, "libgumbo", ": pages cannot be read without it", symbols, ret_parser, err);
}
