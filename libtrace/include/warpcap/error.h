/*
 * How the library fails: a function that can fail returns a count or 0, or a negative
 * enum wcp_status; it fills the caller's struct wcp_error once, where the failure happened.
 * The library never prints and never exits; naming the tool and the file is the caller's part.
 */
#ifndef WARPCAP_ERROR_H
#define WARPCAP_ERROR_H

#include <stdint.h>

#ifdef __GNUC__
#define WCP_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#else
#define WCP_PRINTF(fmt, first)
#endif

/* The negated value is the exit status a tool ends with. */
enum wcp_status {
	WCP_OK = 0,
	WCP_ENO = -1,	 /* the answer is no: a check failed, a kernel misbehaved */
	WCP_EUSAGE = -2, /* the caller asked for something that does not exist */
	WCP_EDATA = -3,	 /* the input is damaged, foreign or of the wrong kind */
	WCP_ESYS = -4,	 /* the system refused: memory, file, permission */
};

struct wcp_error {
	enum wcp_status status;
	uint64_t offset; /* byte offset in the input where it went wrong, 0 if none applies */
	char text[480];	 /* one line without newline, tool or file name */
};

/* Fills e (which may be NULL) and returns status, so that "return wcp_fail(e, ...)" reads well. */
int wcp_fail(struct wcp_error *e, enum wcp_status status, const char *format, ...) WCP_PRINTF(3, 4);

/* The same for a system call that set errno: appends ": " and the system's text; status is
 * WCP_ESYS. */
int wcp_fail_errno(struct wcp_error *e, const char *format, ...) WCP_PRINTF(2, 3);

#endif
