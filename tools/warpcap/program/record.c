/* What processes say over their links, written as one stream. */
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "program.h"

struct connection {
	struct connection *next;
	int fd;
	struct link_ring *ring; /* shared with the process; NULL until it has said hello */
	char *long_one;		/* [cap], of which n: a message that comes in parts */
	size_t n, cap;
	uint32_t *program; /* [n_program] their numbers in the stream */
	uint32_t *program_insns;
	uint32_t n_program;
	uint32_t *kernel; /* [n_kernel] */
	uint32_t *kernel_program;
	struct wcp_kernel_end *end; /* [n_kernel] totals so far, until the kernel ends */
	uint32_t n_kernel, n_open;
	bool left; /* in order */
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

static bool
lists_are_there(const struct wcp_warp_batch *b)
{
	if (!b->n_addr)
		return !memchr(b->mem_shape, WCP_MEM_LIST, b->n_mem);
	for (uint32_t i = 0; i < b->n_mem; i++)
		if (b->mem_shape[i] == WCP_MEM_LIST &&
		    (b->mem_addr[i] > b->n_addr ||
			(unsigned)__builtin_popcount(b->mem_mask[i]) > b->n_addr - b->mem_addr[i]))
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
	/* written so that it becomes vector code: the sign tells what is too large */
	uint32_t wrong = n_insn;
	uint8_t shape = 0;
	for (uint32_t i = 0; i < b->n_mem; i++)
		wrong |= b->mem_pc[i] | (n_insn - 1 - b->mem_pc[i]);
	for (uint32_t i = 0; i < b->n_mem; i++)
		shape = b->mem_shape[i] > shape ? b->mem_shape[i] : shape;
	if (b->n_mem && (wrong >> 31 || shape >= WCP_MEM_SHAPE_COUNT))
		return false;
	return lists_are_there(b);
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
	if (--c->n_open == 0 && r->busy == c) {
		r->busy = NULL;
		__atomic_store_n(&c->ring->eager, 0, __ATOMIC_SEQ_CST);
	}
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
	r->launches += bye->launches;
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
	case LINK_SKIP: return true;
	case LINK_PART:
	case LINK_HELLO:
	case LINK_SETTINGS: break;
	}
	return false;
}

/* ---- bytes ---------------------------------------------------------------------------------- */

/* A part of a long message; with the last of them it is taken. */
static bool
on_part(struct recorder *r, struct connection *c, const struct message *part)
{
	struct link_head head;
	if (c->n + part->bytes > c->cap) {
		const size_t cap = 2 * c->cap + part->bytes;
		char *p = cap <= 2ul * LINK_BYTES_MAX ? realloc(c->long_one, cap) : NULL;
		if (!p)
			return false;
		c->long_one = p;
		c->cap = cap;
	}
	memcpy(c->long_one + c->n, part->at, part->bytes);
	c->n += part->bytes;
	if (c->n < sizeof head)
		return true;
	memcpy(&head, c->long_one, sizeof head);
	if (c->n < sizeof head + head.bytes)
		return true;
	struct message m = {.at = c->long_one + sizeof head, .bytes = head.bytes};
	const bool whole = c->n == sizeof head + head.bytes;
	c->n = 0;
	return whole && on_message(r, c, head.kind, &m);
}

/* Done with so many bytes more. A process that waits for room goes on when there is plenty, and
 * when there will be no more. */
static void
give_room(struct link_ring *ring, uint32_t bytes)
{
	const uint64_t taken = ring->taken + bytes;
	__atomic_store_n(&ring->taken, taken, __ATOMIC_SEQ_CST);
	const uint64_t left = __atomic_load_n(&ring->put, __ATOMIC_SEQ_CST) - taken;
	if ((left < LINK_RING_BYTES / 2) && __atomic_load_n(&ring->waiting, __ATOMIC_SEQ_CST)) {
		__atomic_store_n(&ring->waiting, 0, __ATOMIC_SEQ_CST);
		syscall(SYS_futex, &ring->waiting, FUTEX_WAKE, 1, NULL, NULL, 0);
	}
}

/* What lies in the ring now. Messages begin where a struct may: their lengths are rounded up. */
static bool
take_messages(struct recorder *r, struct connection *c)
{
	struct link_ring *ring = c->ring;
	struct link_head head;
	__atomic_store_n(&ring->rung, 0, __ATOMIC_SEQ_CST);
	const uint64_t put = __atomic_load_n(&ring->put, __ATOMIC_SEQ_CST);
	while (ring->taken != put) {
		const uint32_t at = ring->taken % LINK_RING_BYTES, rest = LINK_RING_BYTES - at;
		const uint64_t left = put - ring->taken;
		const char *from = ring->buffer + at;
		if (left > LINK_RING_BYTES || left % 8 || at % 8)
			return false;
		memcpy(&head, from, sizeof head);
		if (head.bytes % 8 || head.bytes > left - sizeof head ||
		    head.bytes > rest - sizeof head)
			return false;
		struct message m = {.at = ring->buffer + at + sizeof head, .bytes = head.bytes};
		if (head.kind == LINK_PART ? !on_part(r, c, &m) : !on_message(r, c, head.kind, &m))
			return false;
		give_room(ring, (uint32_t)sizeof head + head.bytes);
	}
	return true;
}

/* The process is gone. What it had begun ends where it stopped. */
static void
leave(struct recorder *r, struct connection *c)
{
	struct connection **p = &r->first;
	if (c->n_open || c->n)
		r->flags |= WCP_END_INTERRUPTED;
	for (uint32_t i = 0; i < c->n_kernel; i++)
		if (c->end[i].kernel != WCP_NONE32)
			end_kernel(r, c, &c->end[i]);
	while (*p != c)
		p = &(*p)->next;
	*p = c->next;
	close(c->fd);
	if (c->ring)
		munmap(c->ring, sizeof *c->ring);
	free(c->long_one);
	free(c->program);
	free(c->program_insns);
	free(c->kernel);
	free(c->kernel_program);
	free(c->end);
	free(c);
}

static bool
map_ring(struct connection *c, int fd)
{
	struct stat st;
	void *p = MAP_FAILED;
	if (fstat(fd, &st) == 0 && st.st_size == (off_t)sizeof *c->ring)
		p = mmap(NULL, sizeof *c->ring, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	c->ring = p == MAP_FAILED ? NULL : p;
	return c->ring != NULL;
}

/* The first message, and the descriptor that comes with it. False: it is none of ours. */
static bool
receive_hello(struct connection *c, bool *gone)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct {
		struct link_head head;
		struct link_hello hello;
	} said;
	struct iovec v = {&said, sizeof said};
	struct msghdr h = {.msg_iov = &v,
	    .msg_iovlen = 1,
	    .msg_control = &control,
	    .msg_controllen = sizeof control};
	const ssize_t n = recvmsg(c->fd, &h, MSG_CMSG_CLOEXEC);
	const struct cmsghdr *m = n > 0 ? CMSG_FIRSTHDR(&h) : NULL;
	int fd;
	*gone = n == 0 || (n < 0 && errno != EINTR);
	if (n <= 0)
		return true;
	if (!m || m->cmsg_type != SCM_RIGHTS || m->cmsg_len != CMSG_LEN(sizeof fd))
		return false;
	memcpy(&fd, CMSG_DATA(m), sizeof fd);
	if (n == (ssize_t)sizeof said && said.head.kind == LINK_HELLO &&
	    said.hello.version == LINK_VERSION)
		return map_ring(c, fd);
	close(fd);
	return false;
}

/* Somebody has rung, or is gone, and then nothing more comes. */
static bool
answer(struct connection *c, bool *gone)
{
	char bytes[64];
	if (!c->ring)
		return receive_hello(c, gone);
	const ssize_t n = read(c->fd, bytes, sizeof bytes);
	*gone = n == 0 || (n < 0 && errno != EINTR);
	return true;
}

static void
look(struct recorder *r, struct connection *c, bool whole, bool gone)
{
	if (!whole || (c->ring && !take_messages(r, c))) {
		tool_warn(
		    r->tool, "what a program sends is damaged; the rest of it is not recorded");
		r->flags |= WCP_END_INTERRUPTED;
		gone = true;
	}
	if (gone)
		leave(r, c);
}

unsigned
recorder_poll(struct recorder *r, struct pollfd *out, unsigned room)
{
	unsigned n = 0;
	/* what it has put may be the end of its kernel, and it may sleep now until another goes on
	 */
	if (r->busy && r->first->next) {
		__atomic_store_n(&r->busy->ring->eager, 1, __ATOMIC_SEQ_CST);
		look(r, r->busy, true, false);
	}
	for (const struct connection *c = r->first; c && n < room; c = c->next)
		if (!r->busy || c == r->busy)
			out[n++] = (struct pollfd){.fd = c->fd, .events = POLLIN};
	return n;
}

void
recorder_read(struct recorder *r, int fd)
{
	struct connection *c = find(r, fd);
	bool gone = false;
	if (!c || (r->busy && r->busy != c))
		return;
	const bool whole = answer(c, &gone);
	look(r, c, whole, gone);
}
