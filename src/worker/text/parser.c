/* Finds libgumbo's functions by name.  The library is the one that its header was of (meson.build), and stays loaded.
 */
#include "worker/text/parser.h"

#include <dlfcn.h>

enum kh_err kh_parser_load(struct kh_parser *ret_parser, struct kh_error *err)
{
	static const char *const names[] = {"gumbo_parse_with_options", "gumbo_get_attribute", "kGumboDefaultOptions"};
	void *library = dlopen(KH_LIBGUMBO, RTLD_NOW | RTLD_LOCAL), *found[3];

	if (library == NULL)
		return kh_error_set(err, KH_EREFUSED, "libgumbo",
				    KH_LIBGUMBO " cannot be loaded: pages cannot be read without it");
	for (size_t i = 0; i < 3; i++) {
		found[i] = dlsym(library, names[i]);
		if (found[i] == NULL)
			return kh_error_set(err, KH_EREFUSED, "libgumbo", KH_LIBGUMBO " has no %s", names[i]);
	}
	memcpy(&ret_parser->parse_with_options, &found[0], sizeof(found[0]));
	memcpy(&ret_parser->get_attribute, &found[1], sizeof(found[1]));
	memcpy(&ret_parser->defaults, &found[2], sizeof(found[2]));
	return KH_OK;
}
