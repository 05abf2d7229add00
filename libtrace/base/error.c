#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "warpcap/error.h"

int
wcp_fail(struct wcp_error *e, enum wcp_status status, const char *format, ...)
{
	if (e) {
		va_list ap;
		va_start(ap, format);
		vsnprintf(e->text, sizeof e->text, format, ap);
		va_end(ap);
		e->status = status;
		e->offset = 0;
	}
	return status;
}

int
wcp_fail_errno(struct wcp_error *e, const char *format, ...)
{
	int number = errno;
	if (e) {
		va_list ap;
		va_start(ap, format);
		int n = vsnprintf(e->text, sizeof e->text, format, ap);
		va_end(ap);
		if (n >= 0 && (size_t)n < sizeof e->text)
			snprintf(e->text + n, sizeof e->text - (size_t)n, ": %s", strerror(number));
		e->status = WCP_ESYS;
		e->offset = 0;
	}
	errno = number;
	return WCP_ESYS;
}
