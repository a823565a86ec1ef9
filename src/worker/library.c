/* Finds a library's symbols by name.  Trusts the machine's own libraries. */
#include "worker/library.h"

#include <dlfcn.h>
#include <string.h>

enum kh_err kh_library_load(const struct kh_library *library, void *ret_symbols, struct kh_error *err)
{
	void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);

	if (handle == NULL)
		return kh_error_set(err, KH_EREFUSED, library->code, "%s cannot be loaded%s", library->file,
				    library->need);
	for (size_t i = 0; i < library->count; i++) {
		const struct kh_library_symbol *symbol = &library->symbols[i];
		void *address = dlsym(handle, symbol->name);
		if (address == NULL)
			return kh_error_set(err, KH_EREFUSED, library->code, "%s has no %s", library->file,
					    symbol->name);
		memcpy((char *)ret_symbols + symbol->at, &address, sizeof(address));
	}
	return KH_OK;
}
