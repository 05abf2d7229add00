/* usage: stream_dump [-j THREADS] [-k warp|access] FILE
 * Prints a stream (of that kind) as text through the library; status 3 and a line on standard error
 * when it is damaged. */
#include <stdlib.h>
#include <unistd.h>
#include "stream_text.h"

int
main(int argc, char **argv)
{
	struct wcp_read_options o = {0};
	struct wcp_error e;
	for (int c; (c = getopt(argc, argv, "j:k:")) != -1;) {
		if (c == 'j')
			o.threads = (unsigned)atoi(optarg);
		else if (c == 'k')
			o.link = *optarg == 'w' ? WCP_LINK_WARP : WCP_LINK_ACCESS;
		else
			return 2;
	}
	const char *path = optind < argc ? argv[optind] : "-";
	struct wcp_reader *r = wcp_reader_open(path, &o, &e);
	struct wcp_item item;
	int s = r ? 1 : e.status;
	size_t lines = 0;
	if (r)
		text_provenance(stdout, r, &lines);
	while (s > 0 && (s = wcp_reader_next(r, &item, &e)) == 1) {
		text_provenance(stdout, r, &lines);
		text_item(stdout, &item);
	}
	if (s < 0)
		fprintf(stderr, "stream_dump: %s: %s\n", path, e.text);
	wcp_reader_close(r);
	return s < 0 ? -s : 0;
}
