/* SPDX-License-Identifier: GPL-2.0-only */

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "service/cleanup.h"
#include "tests/sim/fuzz.h"

/* Without libFuzzer: each file of a folder, as TAP. The first that fails ends the program. */

enum {
	MOST_BYTES = 4096,
};

static int choose(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int replay(const char *folder, const char *name)
{
	_cleanup_(freep) char *path = NULL;
	__u8 bytes[MOST_BYTES];
	size_t size;
	FILE *file;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return -1;
	file = fopen(path, "re");
	if (!file) {
		fprintf(stderr, "cannot read %s: %m\n", path);
		return -1;
	}
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	printf("# %s\n", name);
	fflush(stdout); /* who aborts is the last that was named */
	return LLVMFuzzerTestOneInput(bytes, size);
}

int main(int argc, char **argv)
{
	struct dirent **entries;
	int nr = argc == 2 ? scandir(argv[1], &entries, choose, alphasort) : 0;
	int failed = 0;

	if (nr <= 0) {
		fprintf(stderr, "usage: fuzz-replay FOLDER, which has files\n");
		return 2;
	}
	printf("1..%d\n", nr);
	for (int i = 0; i < nr; i++) {
		int r = replay(argv[1], entries[i]->d_name);

		printf("%sok %d - %s\n", r ? "not " : "", i + 1, entries[i]->d_name);
		failed |= r;
		free(entries[i]);
	}
	free(entries);
	return failed ? 1 : 0;
}
