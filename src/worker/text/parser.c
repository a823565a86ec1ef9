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
	static const struct kh_library library = {.file = KH_LIBGUMBO,
						  .code = "libgumbo",
						  .need = ": pages cannot be read without it",
						  .symbols = symbols,
						  .count = sizeof(symbols) / sizeof(symbols[0])};

	return kh_library_load(&library, ret_parser, err);
}
