#include "graph.h"
int
capture_add(struct stream *s, const struct op *op, struct node **made)
{
	(void)s;
	(void)op;
	(void)made;
	return CU_NOT_SUPPORTED;
}
int
capture_record(struct stream *s, struct event *e, unsigned flags)
{
	(void)s;
	(void)e;
	(void)flags;
	return CU_NOT_SUPPORTED;
}
int
capture_wait(struct stream *s, struct event *e, unsigned flags)
{
	(void)s;
	(void)e;
	(void)flags;
	return CU_NOT_SUPPORTED;
}
void
capture_invalidate(const struct stream *s)
{
	(void)s;
}
bool
capture_any(void)
{
	return false;
}
bool
capture_forbids_legacy(void)
{
	return false;
}
int
graph_run(const struct graph *g, struct stream *stream)
{
	(void)g;
	(void)stream;
	return CU_NOT_SUPPORTED;
}
struct graph *
graph_clone(const struct graph *g)
{
	(void)g;
	return 0;
}
void
graph_free(struct graph *g)
{
	(void)g;
}
