/*
 * Replays a corpus: the main of a fuzz target in builds without libFuzzer.  Each argument is a file or a folder of
 * files; every file is given to the target once, in memory of exactly its size.  An invariant that does not hold, or a
 * sanitizer's complaint, ends the program.
 */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static size_t replayed;

static int replay_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct stat st;
	int status = -1;

	if (file == NULL)
		return -1;
	if (fstat(fileno(file), &st) == 0) {
		size_t size = (size_t)st.st_size;
		uint8_t *data = malloc(size > 0 ? size : 1);
		if (data != NULL && fread(data, 1, size, file) == size) {
			fprintf(stderr, "%s\n", path);
			LLVMFuzzerTestOneInput(data, size);
			replayed++;
			status = 0;
		}
		free(data);
	}
	fclose(file);
	return status;
}

static int only_files(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int replay(const char *path)
{
	struct dirent **entries;
	struct stat st;
	int status = 0;

	if (stat(path, &st) != 0)
		return -1;
	if (!S_ISDIR(st.st_mode))
		return replay_file(path);
	int n = scandir(path, &entries, only_files, alphasort);
	for (int i = 0; i < n; i++) {
		char name[4096];
		int length = snprintf(name, sizeof(name), "%s/%s", path, entries[i]->d_name);
		if (length >= (int)sizeof(name) || replay_file(name) != 0)
			status = -1;
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return n < 0 ? -1 : status;
}

int main(int argc, char **argv)
{
	int status = 0;

	for (int i = 1; i < argc; i++) {
		if (replay(argv[i]) != 0) {
			perror(argv[i]);
			status = 1;
		}
	}
	printf("%zu files replayed\n", replayed);
	return status != 0 || replayed == 0;
}
