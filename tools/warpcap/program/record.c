/* What processes say over their links, written as one stream. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "program.h"

struct connection {
	struct connection *next;
	int fd;
	char *input; /* [cap], of which [from, to) is not taken yet */
	size_t from, to, cap;
	uint32_t *program; /* [n_program] their numbers in the stream */
	uint32_t *program_insns;
	uint32_t n_program;
	uint32_t *kernel; /* [n_kernel] */
	uint32_t *kernel_program;
	struct wcp_kernel_end *end; /* [n_kernel] totals so far, until the kernel ends */
	uint32_t n_kernel, n_open;
	const struct link_tail *tail; /* shared with the process */
	uint64_t taken;		      /* bytes that came, the hello left out */
	bool left;		      /* in order */
};

static struct connection *
find(const struct recorder *r, int fd)
{
	struct connection *c = r->first;
	while (c && c->fd != fd)
		c = c->next;
	return c;
}

void
recorder_accept(struct recorder *r, int fd)
{
	const struct link_head head = {LINK_SETTINGS, sizeof *r->settings};
	struct connection *c = calloc(1, sizeof *c);
	struct iovec v[] = {{(void *)(uintptr_t)&head, sizeof head},
	    {(void *)(uintptr_t)r->settings, sizeof *r->settings}};
	const struct msghdr m = {.msg_iov = v, .msg_iovlen = 2};
	if (!c || sendmsg(fd, &m, MSG_NOSIGNAL) != (ssize_t)(sizeof head + sizeof *r->settings)) {
		free(c);
		close(fd);
		return;
	}
	c->fd = fd;
	c->next = r->first;
	r->first = c;
	r->used = true;
}

unsigned
recorder_poll(const struct recorder *r, struct pollfd *out, unsigned room)
{
	unsigned n = 0;
	for (const struct connection *c = r->first; c && n < room; c = c->next)
		if (!r->busy || c == r->busy)
			out[n++] = (struct pollfd){.fd = c->fd, .events = POLLIN};
	return n;
}

/* ---- messages ------------------------------------------------------------------------------- */

/* A message's bytes, taken piece by piece; what is not there is NULL. */
struct message {
	char *at;
	size_t bytes;
	bool short_of;
};

static void *
take(struct message *m, uint64_t bytes)
{
	char *p = m->at;
	if (bytes > m->bytes) {
		m->short_of = true;
		return NULL;
	}
	m->at += bytes;
	m->bytes -= bytes;
	return p;
}

static const char *
take_text(struct message *m)
{
	const char *p = m->at;
	const size_t n = strnlen(p, m->bytes);
	if (n == m->bytes)
		m->short_of = true;
	return take(m, n + 1) ? p : "";
}

static void
write_failed(struct recorder *r, const struct wcp_error *e)
{
	const char *path = r->tool->output;
	if (!r->failed)
		tool_error(r->tool, path && strcmp(path, "-") ? path : "standard output", e);
	r->failed = true;
}

static bool
writes(const struct recorder *r)
{
	return r->writer && !r->failed;
}

void
recorder_push(struct recorder *r)
{
	struct wcp_error e;
	if (writes(r) && wcp_writer_push(r->writer, &e) < 0)
		write_failed(r, &e);
}

static bool
grow(uint32_t **array, uint32_t n)
{
	uint32_t *p = n & (n - 1) ? *array : realloc(*array, (n ? 2ul * n : 1) * sizeof **array);
	if (p)
		*array = p;
	return p != NULL;
}

static bool
on_program(struct recorder *r, struct connection *c, struct message *m)
{
	struct wcp_error e;
	const struct link_program *head = take(m, sizeof *head);
	if (!head || head->id != c->n_program || !grow(&c->program, c->n_program) ||
	    !grow(&c->program_insns, c->n_program))
		return false;
	struct wcp_program p = {.id = r->n_programs,
	    .n_insn = head->n_insn,
	    .n_reg = head->n_reg,
	    .n_string = head->n_string};
	p.insn = take(m, (uint64_t)p.n_insn * sizeof *p.insn);
	p.reg = take(m, (uint64_t)p.n_reg * sizeof *p.reg);
	p.strings = take(m, p.n_string);
	p.name = take_text(m);
	if (m->short_of)
		return false;
	c->program[c->n_program] = r->n_programs++;
	c->program_insns[c->n_program++] = p.n_insn;
	if (writes(r) && wcp_writer_program(r->writer, &p, &e) < 0)
		write_failed(r, &e);
	return true;
}

static bool
add_kernel(struct connection *c, const struct wcp_kernel *k, uint32_t id)
{
	if (!(c->n_kernel & (c->n_kernel - 1))) {
		const size_t cap = c->n_kernel ? 2ul * c->n_kernel : 1;
		struct wcp_kernel_end *p = realloc(c->end, cap * sizeof *p);
		if (!p)
			return false;
		c->end = p;
	}
	if (!grow(&c->kernel, c->n_kernel) || !grow(&c->kernel_program, c->n_kernel))
		return false;
	c->kernel[c->n_kernel] = id;
	c->kernel_program[c->n_kernel] = k->program;
	c->end[c->n_kernel++] = (struct wcp_kernel_end){.kernel = id};
	c->n_open++;
	return true;
}

static bool
on_kernel(struct recorder *r, struct connection *c, struct message *m)
{
	struct wcp_error e;
	struct wcp_kernel *k = take(m, sizeof *k);
	if (!k || k->id != c->n_kernel || k->program >= c->n_program ||
	    (k->parent != WCP_NONE32 && k->parent >= c->n_kernel) ||
	    !add_kernel(c, k, r->n_kernels))
		return false;
	k->name = take_text(m);
	k->id = r->n_kernels++;
	k->program = c->program[k->program];
	k->parent = k->parent == WCP_NONE32 ? k->parent : c->kernel[k->parent];
	r->busy = c;
	if (!m->short_of && writes(r) && wcp_writer_kernel(r->writer, k, &e) < 0)
		write_failed(r, &e);
	return !m->short_of;
}

static bool
ascends(const uint32_t *at, uint32_t n, uint32_t end)
{
	for (uint32_t i = 0; i < n; i++)
		if (at[i] > (i + 1 < n ? at[i + 1] : end))
			return false;
	return true;
}

/* Is the batch one that can be looked at without fear? */
static bool
holds_together(const struct wcp_warp_batch *b, uint32_t n_insn)
{
	if (!ascends(b->seg_run, b->n_seg, b->n_run) ||
	    !ascends(b->seg_guard, b->n_seg, b->n_guard) ||
	    !ascends(b->seg_mem, b->n_seg, b->n_mem) ||
	    !ascends(b->seg_event, b->n_seg, b->n_event))
		return false;
	for (uint32_t i = 0; i < b->n_run; i++)
		if (b->run_pc[i] > n_insn || b->run_len[i] > n_insn - b->run_pc[i])
			return false;
	for (uint32_t i = 0; i < b->n_mem; i++)
		if (b->mem_pc[i] >= n_insn || b->mem_shape[i] >= WCP_MEM_SHAPE_COUNT ||
		    (b->mem_shape[i] == WCP_MEM_LIST &&
			(b->mem_addr[i] > b->n_addr ||
			    (unsigned)__builtin_popcount(b->mem_mask[i]) >
				b->n_addr - b->mem_addr[i])))
			return false;
	return true;
}

static bool
on_warp(struct recorder *r, struct connection *c, struct message *m)
{
	struct wcp_error e;
	struct link_column column[LINK_COLUMNS];
	const struct link_warp *head = take(m, sizeof *head);
	if (!head || head->kernel >= c->n_kernel)
		return false;
	struct wcp_warp_batch b = {.kernel = c->kernel[head->kernel],
	    .warp_insns = head->warp_insns,
	    .thread_insns = head->thread_insns,
	    .n_seg = head->n_seg,
	    .n_run = head->n_run,
	    .n_guard = head->n_guard,
	    .n_mem = head->n_mem,
	    .n_addr = head->n_addr,
	    .n_event = head->n_event};
	link_columns(&b, head, column);
	for (int i = 0; i < LINK_COLUMNS; i++)
		*column[i].at = take(m, link_padded(column[i].bytes));
	if (m->short_of || !holds_together(&b, c->program_insns[c->kernel_program[head->kernel]]))
		return false;
	for (uint32_t i = 0; i < b.n_event; i++)
		if (b.event_kind[i] == WCP_EVENT_LAUNCH && b.event_arg[i] < c->n_kernel)
			b.event_arg[i] = c->kernel[b.event_arg[i]];
	struct wcp_kernel_end *end = &c->end[head->kernel];
	end->warp_insns += b.warp_insns;
	end->thread_insns += b.thread_insns;
	end->mem_insns += b.n_mem;
	if (writes(r) && wcp_writer_warp(r->writer, &b, &e) < 0)
		write_failed(r, &e);
	return true;
}

static void
end_kernel(struct recorder *r, struct connection *c, const struct wcp_kernel_end *end)
{
	struct wcp_error e;
	if (writes(r) && wcp_writer_kernel_end(r->writer, end, &e) < 0)
		write_failed(r, &e);
	if (--c->n_open == 0 && r->busy == c)
		r->busy = NULL;
}

static bool
on_kernel_end(struct recorder *r, struct connection *c, struct message *m)
{
	struct wcp_kernel_end *end = take(m, sizeof *end);
	if (!end || end->kernel >= c->n_kernel || c->end[end->kernel].kernel == WCP_NONE32)
		return false;
	c->end[end->kernel].kernel = WCP_NONE32;
	end->kernel = c->kernel[end->kernel];
	end_kernel(r, c, end);
	return true;
}

static bool
on_host(struct recorder *r, struct message *m)
{
	struct wcp_error e;
	struct wcp_host_op *op = take(m, sizeof *op);
	if (!op || op->kind >= WCP_HOST_COUNT)
		return false;
	op->label = take_text(m);
	if (!m->short_of && writes(r) && wcp_writer_host(r->writer, op, &e) < 0)
		write_failed(r, &e);
	return !m->short_of;
}

static bool
on_note(struct recorder *r, struct message *m)
{
	const struct link_note *note = take(m, sizeof *note);
	const char *text = note ? take_text(m) : "";
	if (!note || m->short_of)
		return false;
	if (note->fault)
		r->flags |= WCP_END_FAULT;
	if (note->level == LINK_LEVEL_VERBOSE)
		tool_note(r->tool, 1, "%s", text);
	else if (note->level == LINK_LEVEL_ERROR)
		tool_fail(r->tool, 0, "%s", text);
	else
		tool_warn(r->tool, "%s", text);
	return true;
}

static bool
on_bye(struct recorder *r, struct connection *c, struct message *m)
{
	const struct link_bye *bye = take(m, sizeof *bye);
	if (!bye)
		return false;
	r->flags |= bye->partial ? WCP_END_PARTIAL : 0;
	r->found += bye->found;
	c->left = true;
	return true;
}

static bool
on_message(struct recorder *r, struct connection *c, enum link_kind kind, struct message *m)
{
	switch (kind) {
	case LINK_PROGRAM: return on_program(r, c, m);
	case LINK_KERNEL: return on_kernel(r, c, m);
	case LINK_WARP: return on_warp(r, c, m);
	case LINK_KERNEL_END: return on_kernel_end(r, c, m);
	case LINK_HOST: return on_host(r, m);
	case LINK_NOTE: return on_note(r, m);
	case LINK_BYE: return on_bye(r, c, m);
	case LINK_HELLO: return true;
	case LINK_SETTINGS: break;
	}
	return false;
}

/* ---- bytes ---------------------------------------------------------------------------------- */

/* Room for a message whose length is known, and for more when there is none waiting. */
static bool
make_room(struct connection *c, size_t bytes)
{
	if (c->from == c->to)
		c->from = c->to = 0;
	if (c->cap - c->from >= bytes && c->to < c->cap)
		return true;
	memmove(c->input, c->input + c->from, c->to - c->from);
	c->to -= c->from;
	c->from = 0;
	if (c->cap >= bytes && c->to < c->cap)
		return true;
	char *p = realloc(c->input, bytes > 1u << 20 ? bytes : 1u << 20);
	if (!p)
		return false;
	c->input = p;
	c->cap = bytes > 1u << 20 ? bytes : 1u << 20;
	return true;
}

/* Messages begin where a struct may: their lengths are rounded up on both sides. */
static bool
take_messages(struct recorder *r, struct connection *c, size_t *wanted)
{
	struct link_head head;
	*wanted = sizeof head;
	while (c->to - c->from >= sizeof head) {
		memcpy(&head, c->input + c->from, sizeof head);
		if (head.bytes > LINK_BYTES_MAX || head.bytes % 8)
			return false;
		if (c->to - c->from < sizeof head + head.bytes) {
			*wanted = sizeof head + head.bytes;
			break;
		}
		struct message m = {.at = c->input + c->from + sizeof head, .bytes = head.bytes};
		c->from += sizeof head + head.bytes;
		if (!on_message(r, c, head.kind, &m))
			return false;
	}
	return true;
}

/* What the process had not sent yet when it went. */
static void
take_tail(struct recorder *r, struct connection *c)
{
	const struct link_tail *t = c->tail;
	size_t wanted;
	if (!t || t->n > sizeof t->buffer || c->taken < t->before || c->taken - t->before >= t->n)
		return;
	const size_t skip = c->taken - t->before, n = t->n - skip;
	if (!make_room(c, c->to - c->from + n))
		return;
	memcpy(c->input + c->to, t->buffer + skip, n);
	c->to += n;
	c->taken += n;
	take_messages(r, c, &wanted);
}

/* The process is gone. What it had begun ends where it stopped. */
static void
leave(struct recorder *r, struct connection *c)
{
	struct connection **p = &r->first;
	if (c->n_open || c->from != c->to)
		r->flags |= WCP_END_INTERRUPTED;
	for (uint32_t i = 0; i < c->n_kernel; i++)
		if (c->end[i].kernel != WCP_NONE32)
			end_kernel(r, c, &c->end[i]);
	while (*p != c)
		p = &(*p)->next;
	*p = c->next;
	close(c->fd);
	if (c->tail)
		munmap((void *)(uintptr_t)c->tail, sizeof *c->tail);
	free(c->input);
	free(c->program);
	free(c->program_insns);
	free(c->kernel);
	free(c->kernel_program);
	free(c->end);
	free(c);
}

/* Bytes, and the descriptor that comes with the first of them. */
static ssize_t
receive(struct connection *c)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec v = {c->input + c->to, c->cap - c->to};
	struct msghdr h = {.msg_iov = &v,
	    .msg_iovlen = 1,
	    .msg_control = &control,
	    .msg_controllen = sizeof control};
	const ssize_t n = recvmsg(c->fd, &h, MSG_CMSG_CLOEXEC);
	const struct cmsghdr *m = n > 0 ? CMSG_FIRSTHDR(&h) : NULL;
	int fd;
	if (n > 0)
		c->taken += (uint64_t)n;
	if (!m || m->cmsg_type != SCM_RIGHTS || m->cmsg_len != CMSG_LEN(sizeof fd))
		return n;
	memcpy(&fd, CMSG_DATA(m), sizeof fd);
	struct stat st;
	void *p = MAP_FAILED;
	if (!c->tail && fstat(fd, &st) == 0 && st.st_size >= (off_t)sizeof *c->tail)
		p = mmap(NULL, sizeof *c->tail, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (p != MAP_FAILED) {
		c->tail = p;
		c->taken -= sizeof(struct link_head) + sizeof(struct link_hello);
	}
	return n;
}

void
recorder_read(struct recorder *r, int fd)
{
	struct connection *c = find(r, fd);
	size_t wanted = sizeof(struct link_head);
	bool whole = c && (c->to == c->from || take_messages(r, c, &wanted));
	if (!c)
		return;
	if (whole && make_room(c, wanted)) {
		ssize_t n = receive(c);
		if (n < 0 && errno == EINTR)
			return;
		if (n > 0) {
			c->to += (size_t)n;
			whole = take_messages(r, c, &wanted);
		}
		if (n > 0 && whole)
			return;
		if (whole)
			take_tail(r, c);
	}
	if (!whole) {
		tool_warn(
		    r->tool, "what a program sends is damaged; the rest of it is not recorded");
		r->flags |= WCP_END_INTERRUPTED;
	}
	leave(r, c);
}
