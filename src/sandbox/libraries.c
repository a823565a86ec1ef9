/* By the dynamic linker's own list of what it has loaded. */
#include "sandbox/libraries.h"

#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static bool is_left_out(const char *path)
{
	static const char *const names[] = {"libmicrohttpd", "libgnutls", "libp11-kit", "libidn2", "libunistring",
					    "libtasn1",      "libnettle", "libhogweed", "libgmp",  "libffi"};
	const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0 && name[strlen(names[i])] == '.')
			return true;
	return false;
}

static int leave_out(struct dl_phdr_info *library, size_t size, void *page)
{
	const uintptr_t mask = *(const uintptr_t *)page - 1;

	(void)size;
	for (size_t i = 0; is_left_out(library->dlpi_name) && i < library->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &library->dlpi_phdr[i];
		uintptr_t from = (library->dlpi_addr + part->p_vaddr) & ~mask;
		uintptr_t to = (library->dlpi_addr + part->p_vaddr + part->p_memsz + mask) & ~mask;

		/* If it fails, a fork has the library as before. */
		if (part->p_type == PT_LOAD)
			(void)madvise((void *)from, to - from, MADV_DONTFORK);
	}
	return 0;
}

void kh_libraries_leave_out(void)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	dl_iterate_phdr(leave_out, &page);
}
