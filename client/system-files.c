/* SPDX-License-Identifier: GPL-2.0-only */
#include "client/system-files.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "service/cleanup.h"

static int full_path(const char *path, char **ret)
{
	const char *root = getenv("DONORCTL_ROOT");

	return asprintf(ret, "%s%s", root ? root : "", path) < 0 ? -ENOMEM : 0;
}

bool system_has(const char *path)
{
	_cleanup_(freep) char *full = NULL;

	return full_path(path, &full) >= 0 && !access(full, F_OK);
}

static int read_line(const char *full, char *line, size_t size)
{
	_cleanup_(fclosep) FILE *file = fopen(full, "re");

	line[0] = '\0';
	if (!file)
		return -errno;
	if (!fgets(line, (int)size, file))
		return ferror(file) ? -EIO : -ENODATA;
	line[strcspn(line, "\n")] = '\0';
	return 0;
}

int system_read_line(const char *path, char *line, size_t size)
{
	_cleanup_(freep) char *full = NULL;
	int r;

	line[0] = '\0';
	r = full_path(path, &full);
	return r < 0 ? r : read_line(full, line, size);
}

size_t system_count_lines(const char *pattern)
{
	_cleanup_(freep) char *full = NULL;
	_cleanup_(globfree) glob_t names = { 0 };
	char line[256], other[256];
	size_t nr = 0, k;

	if (full_path(pattern, &full) < 0 || glob(full, 0, NULL, &names))
		return 0;
	for (size_t i = 0; i < names.gl_pathc; i++) {
		if (read_line(names.gl_pathv[i], line, sizeof(line)) < 0)
			continue;
		for (k = 0; k < i; k++)
			if (read_line(names.gl_pathv[k], other, sizeof(other)) >= 0 &&
			    !strcmp(line, other))
				break;
		nr += k == i;
	}
	return nr;
}
