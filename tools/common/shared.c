#include "shared.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static FILE *
open_in(const char *head, size_t length, const char *directory, const char *name)
{
	char path[8300];
	int n = snprintf(path, sizeof path, "%.*s%s/%s", (int)length, head, directory, name);
	return n > 0 && (size_t)n < sizeof path ? fopen(path, "re") : NULL;
}

/* A program stands in PREFIX/bin, or in bin of a build directory within the source. */
static FILE *
open_beside(const char *directory, const char *name)
{
	static const char *const tail[] = {
	    "/../share/warpcap/", "/../../share/", "/../../../share/"};
	char self[4096], place[4200];
	FILE *f = NULL;
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	self[n > 0 ? n : 0] = 0;
	char *slash = strrchr(self, '/');
	for (size_t i = 0; !f && slash && i < sizeof tail / sizeof tail[0]; i++) {
		snprintf(place, sizeof place, "%s%s", tail[i], directory);
		f = open_in(self, (size_t)(slash - self), place, name);
	}
	return f;
}

FILE *
shared_open(const char *variable, const char *directory, const char *name)
{
	static const char installed[] = WARPCAP_DATADIR "/warpcap/";
	FILE *f = NULL;
	for (const char *p = variable ? getenv(variable) : NULL; !f && p && *p;) {
		size_t length = strcspn(p, ":");
		f = open_in(p, length, "", name);
		p += length + (p[length] == ':');
	}
	f = f ? f : open_beside(directory, name);
	return f ? f : open_in(installed, sizeof installed - 1, directory, name);
}
