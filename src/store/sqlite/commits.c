/* The header of the WAL-index: https://www.sqlite.org/walformat.html, "The WAL-Index Header". */
#include "store/sqlite/commits.h"

#define FORMAT      3007000 /* the only one that there is */
#define FORMAT_AT   0
#define COMMITS_AT  2          /* in numbers of 32 bits, in the machine's byte order */
#define FIRST_BYTES (32 << 10) /* what SQLite maps at once */

const volatile uint32_t *kh_commits_of(struct kh_connection *c)
{
	sqlite3_file *file = NULL;
	void volatile *shared = NULL;
	int rc = sqlite3_file_control(c->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);

	if (rc != SQLITE_OK || file == NULL || file->pMethods == NULL || file->pMethods->iVersion < 2 ||
	    file->pMethods->xShmMap == NULL)
		return NULL;
	rc = file->pMethods->xShmMap(file, 0, FIRST_BYTES, 0, &shared);
	const volatile uint32_t *numbers = shared;
	if (rc != SQLITE_OK || numbers == NULL || __atomic_load_n(&numbers[FORMAT_AT], __ATOMIC_RELAXED) != FORMAT)
		return NULL;
	return &numbers[COMMITS_AT];
}
