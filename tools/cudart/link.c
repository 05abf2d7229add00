/* The program's end of the link to warpcap. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "preset.h"
#include "runtime.h"

/* What is put is told of when there is enough of it, so that few calls are needed. */
static struct {
	int fd; /* -1: nobody listens */
	dev_t device;
	ino_t inode; /* of the socket: the program may close it and open something else there */
	struct link_ring *ring;
	uint64_t told; /* of what was put */
	double told_ms;
} link_out = {.fd = -1};

enum { ENOUGH_BYTES = 1 << 18, ENOUGH_AT_END_BYTES = 1 << 16, ENOUGH_MS = 5, PATIENCE_MS = 100 };

static double
now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static bool
is_ours(void)
{
	struct stat st;
	return fstat(link_out.fd, &st) == 0 && st.st_dev == link_out.device &&
	       st.st_ino == link_out.inode;
}

static void
hang_up(void)
{
	if (is_ours())
		close(link_out.fd);
	else
		fprintf(stderr,
		    "warpcap: '%s' has closed its connection to the recorder; what it does from "
		    "here on is not recorded\n",
		    program_invocation_short_name);
	link_out.fd = -1;
}

static bool
read_all(void *to, size_t bytes)
{
	char *p = to;
	while (bytes) {
		ssize_t n = read(link_out.fd, p, bytes);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		bytes -= (size_t)n;
	}
	return true;
}

void
link_flush(void)
{
	struct link_ring *r = link_out.ring;
	if (link_out.fd < 0 || link_out.told == r->put)
		return;
	link_out.told = r->put;
	link_out.told_ms = now_ms();
	if (!is_ours()) {
		hang_up();
		return;
	}
	if (__atomic_exchange_n(&r->rung, 1, __ATOMIC_SEQ_CST))
		return;
	while (send(link_out.fd, "", 1, MSG_NOSIGNAL) < 0)
		if (errno != EINTR) {
			hang_up();
			return;
		}
}

static bool
has_room(uint64_t bytes)
{
	const struct link_ring *r = link_out.ring;
	return r->put + bytes - __atomic_load_n(&r->taken, __ATOMIC_SEQ_CST) <= LINK_RING_BYTES;
}

/* Sleeps until warpcap has made room; false: it is gone. */
static bool
wait_for_room(uint64_t bytes)
{
	struct link_ring *r = link_out.ring;
	const struct timespec patience = {.tv_nsec = PATIENCE_MS * 1000000L};
	char c;
	while (!has_room(bytes)) {
		link_flush();
		if (link_out.fd < 0)
			return false;
		__atomic_store_n(&r->waiting, 1, __ATOMIC_SEQ_CST);
		if (has_room(bytes))
			break;
		if (syscall(SYS_futex, &r->waiting, FUTEX_WAIT, 1, &patience, NULL, 0) == 0 ||
		    errno != ETIMEDOUT)
			continue;
		if (recv(link_out.fd, &c, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 || errno != EAGAIN) {
			hang_up();
			return false;
		}
	}
	return true;
}

/* Where n bytes can be put in one piece; NULL: nobody listens any more. What is empty begins anew,
 * so that few messages stay in few pages. */
static char *
make_room(uint32_t n)
{
	struct link_ring *r = link_out.ring;
	const uint32_t at = r->put % LINK_RING_BYTES, rest = LINK_RING_BYTES - at;
	const bool empty = __atomic_load_n(&r->taken, __ATOMIC_ACQUIRE) == r->put;
	const bool skip = n > rest || (empty && at >= n);
	if (!wait_for_room(n + (skip ? rest : 0)))
		return NULL;
	if (!skip)
		return r->buffer + at;
	const struct link_head head = {LINK_SKIP, rest - (uint32_t)sizeof head};
	memcpy(r->buffer + at, &head, sizeof head);
	__atomic_store_n(&r->put, r->put + rest, __ATOMIC_SEQ_CST);
	return r->buffer;
}

static void
has_been_put(uint32_t n)
{
	struct link_ring *r = link_out.ring;
	__atomic_store_n(&r->put, r->put + n, __ATOMIC_SEQ_CST);
	if (r->put - link_out.told >= ENOUGH_BYTES || __atomic_load_n(&r->eager, __ATOMIC_SEQ_CST))
		link_flush();
}

/* A long message goes as several. */
static void
put_in_parts(const struct iovec *v, int n)
{
	const uint32_t room = LINK_PIECE_BYTES / 4;
	size_t from = 0;
	while (n) {
		struct link_head head = {.kind = LINK_PART};
		char *to = make_room((uint32_t)sizeof head + room);
		if (!to)
			return;
		while (n && head.bytes < room) {
			const size_t left = v->iov_len - from, space = room - head.bytes;
			const size_t now = left < space ? left : space;
			if (now)
				memcpy(to + sizeof head + head.bytes,
				    (const char *)v->iov_base + from, now);
			head.bytes += (uint32_t)now;
			from += now;
			if (from == v->iov_len)
				v++, n--, from = 0;
		}
		memcpy(to, &head, sizeof head);
		has_been_put((uint32_t)sizeof head + head.bytes);
	}
}

enum { PIECES_MAX = 2 * LINK_COLUMNS + 8 };

/* One message. Lengths are multiples of 8, so that every message begins where a struct may. */
static int
send_pieces(enum link_kind kind, const struct iovec *piece, int n)
{
	static char padding[8];
	struct link_head head = {.kind = kind};
	struct iovec v[PIECES_MAX + 2];
	size_t bytes = 0;
	if (link_out.fd < 0)
		return 0;
	v[0] = (struct iovec){&head, sizeof head};
	for (int i = 0; i < n; i++) {
		v[i + 1] = piece[i];
		bytes += piece[i].iov_len;
	}
	if (bytes > LINK_BYTES_MAX) {
		link_note(
		    LINK_LEVEL_WARNING, false, "%zu bytes are too many for one record", bytes);
		rt.partial = true;
		return 0;
	}
	head.bytes = (uint32_t)link_padded(bytes);
	v[n + 1] = (struct iovec){padding, head.bytes - bytes};
	const uint32_t whole = (uint32_t)sizeof head + head.bytes;
	if (whole > LINK_PIECE_BYTES) {
		put_in_parts(v, n + 2);
		return 0;
	}
	char *to = make_room(whole);
	for (int i = 0; to && i < n + 2; i++) {
		if (v[i].iov_len)
			memcpy(to, v[i].iov_base, v[i].iov_len);
		to += v[i].iov_len;
	}
	if (to)
		has_been_put(whole);
	return 0;
}

static struct iovec
piece(const void *p, size_t bytes)
{
	union {
		const void *from;
		void *to;
	} u = {p};
	return (struct iovec){u.to, bytes};
}

static int
send_with_text(enum link_kind kind, const void *head, size_t bytes, const char *text)
{
	const struct iovec v[] = {piece(head, bytes), piece(text, strlen(text) + 1)};
	return send_pieces(kind, v, 2);
}

/* ---- what the executor hands over ----------------------------------------------------------- */

static int
on_program(void *arg, const struct wcp_program *p, struct wcp_error *e)
{
	const struct link_program head = {p->id, p->n_insn, p->n_reg, p->n_string};
	const struct iovec v[] = {piece(&head, sizeof head),
	    piece(p->insn, p->n_insn * sizeof *p->insn), piece(p->reg, p->n_reg * sizeof *p->reg),
	    piece(p->strings, p->n_string), piece(p->name, strlen(p->name) + 1)};
	(void)arg;
	(void)e;
	return send_pieces(LINK_PROGRAM, v, 5);
}

static int
on_kernel(void *arg, const struct wcp_kernel *k, struct wcp_error *e)
{
	(void)arg;
	(void)e;
	return send_with_text(LINK_KERNEL, k, sizeof *k, k->name);
}

static int
on_warp(void *arg, const struct wcp_warp_batch *b, struct wcp_error *e)
{
	static const char padding[8];
	struct wcp_warp_batch batch = *b;
	const struct link_warp head = {.kernel = b->kernel,
	    .n_seg = b->n_seg,
	    .n_run = b->n_run,
	    .n_guard = b->n_guard,
	    .n_mem = b->n_mem,
	    .n_addr = b->n_addr,
	    .n_event = b->n_event,
	    .warp_insns = b->warp_insns,
	    .thread_insns = b->thread_insns};
	struct link_column column[LINK_COLUMNS];
	struct iovec v[PIECES_MAX];
	int n = 0;
	(void)arg;
	(void)e;
	link_columns(&batch, &head, column);
	v[n++] = piece(&head, sizeof head);
	for (int i = 0; i < LINK_COLUMNS; i++) {
		const uint64_t bytes = column[i].bytes, pad = link_padded(bytes) - bytes;
		if (bytes)
			v[n++] = piece(*column[i].at, bytes);
		if (pad)
			v[n++] = piece(padding, pad);
	}
	return send_pieces(LINK_WARP, v, n);
}

static int
on_kernel_end(void *arg, const struct wcp_kernel_end *end, struct wcp_error *e)
{
	const struct iovec v = piece(end, sizeof *end);
	(void)arg;
	(void)e;
	send_pieces(LINK_KERNEL_END, &v, 1);
	if (link_out.fd >= 0 && (link_out.ring->put - link_out.told > ENOUGH_AT_END_BYTES ||
				    now_ms() > link_out.told_ms + ENOUGH_MS))
		link_flush();
	return 0;
}

static int
on_host(void *arg, const struct wcp_host_op *op, struct wcp_error *e)
{
	(void)arg;
	(void)e;
	return send_with_text(LINK_HOST, op, sizeof *op, op->label);
}

void
link_sink(struct wcp_sink *sink)
{
	*sink = (struct wcp_sink){.program = on_program,
	    .kernel = on_kernel,
	    .warp = on_warp,
	    .kernel_end = on_kernel_end,
	    .host = on_host};
}

void
link_host(enum wcp_host_kind kind, uint64_t address, uint64_t bytes, uint64_t value,
    uint64_t stream, const char *label)
{
	const struct wcp_host_op op = {.kind = kind,
	    .address = address,
	    .bytes = bytes,
	    .value = value,
	    .stream = stream,
	    .label = label ? label : ""};
	on_host(NULL, &op, NULL);
}

/* ---- coming and going ----------------------------------------------------------------------- */

/* The first message, with the shared memory's descriptor. */
static bool
say_hello(int memory)
{
	struct {
		struct link_head head;
		struct link_hello hello;
	} m = {{LINK_HELLO, sizeof m.hello}, {LINK_VERSION, (int32_t)getpid()}};
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec v = {&m, sizeof m};
	struct msghdr h = {.msg_iov = &v,
	    .msg_iovlen = 1,
	    .msg_control = &control,
	    .msg_controllen = sizeof control};
	struct cmsghdr *c = CMSG_FIRSTHDR(&h);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &memory, sizeof memory);
	return sendmsg(link_out.fd, &h, MSG_NOSIGNAL) == (ssize_t)sizeof m;
}

/* A limit on the size of files holds for this one too, and must not end the program. */
static bool
set_size(int fd, off_t bytes)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction before;
	sigaction(SIGXFSZ, &ignore, &before);
	const bool ok = ftruncate(fd, bytes) == 0;
	sigaction(SIGXFSZ, &before, NULL);
	return ok;
}

static bool
share_ring(void)
{
	const int fd = memfd_create("warpcap", MFD_CLOEXEC);
	void *p = MAP_FAILED;
	if (fd >= 0 && set_size(fd, sizeof *link_out.ring))
		p = mmap(NULL, sizeof *link_out.ring, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	const bool ok = p != MAP_FAILED && say_hello(fd);
	if (fd >= 0)
		close(fd);
	if (p != MAP_FAILED)
		link_out.ring = p;
	return ok;
}

/* To where a program neither looks for what it opens nor, mostly, closes what it does not know. */
static void
move_out_of_the_way(void)
{
	struct stat st = {0};
	const int high = fcntl(link_out.fd, F_DUPFD_CLOEXEC, 1000);
	if (high >= 0) {
		close(link_out.fd);
		link_out.fd = high;
	}
	if (fstat(link_out.fd, &st) == 0) {
		link_out.device = st.st_dev;
		link_out.inode = st.st_ino;
	}
}

static bool
meet(const char *name, struct link_settings *settings)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const size_t length = strlen(name);
	struct link_head head;
	struct link_settings got;
	if (length + 1 > sizeof address.sun_path)
		return false;
	memcpy(address.sun_path + 1, name, length);
	link_out.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	move_out_of_the_way();
	if (link_out.fd < 0 ||
	    connect(link_out.fd, (const struct sockaddr *)&address,
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)) < 0)
		return false;
	if (!read_all(&head, sizeof head) || head.kind != LINK_SETTINGS ||
	    head.bytes != sizeof got || !read_all(&got, sizeof got) || got.version != LINK_VERSION)
		return false;
	*settings = got;
	return share_ring();
}

void
link_open(struct link_settings *settings)
{
	const char *name = getenv(LINK_ENVIRONMENT);
	*settings = (struct link_settings){.launch_last = UINT64_MAX, .device = preset_default};
	if (!name || meet(name, settings))
		return;
	fprintf(stderr, "warpcap: the recorder cannot be reached; '%s' runs without it\n",
	    program_invocation_short_name);
	link_forget();
}

void
link_note(enum link_level level, bool fault, const char *format, ...)
{
	const struct link_note note = {level, fault};
	char text[1024];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	if (link_out.fd < 0) {
		if (level != LINK_LEVEL_VERBOSE)
			fprintf(stderr, "warpcap: %s%s\n",
			    level == LINK_LEVEL_WARNING ? "warning: " : "", text);
		return;
	}
	send_with_text(LINK_NOTE, &note, sizeof note, text);
	link_flush();
}

void
link_bye(void)
{
	const struct link_bye bye = {rt.partial, rt.found, rt.launches};
	const struct iovec v = piece(&bye, sizeof bye);
	send_pieces(LINK_BYE, &v, 1);
	link_flush();
}

void
link_forget(void)
{
	if (link_out.fd >= 0 && is_ours())
		close(link_out.fd);
	if (link_out.ring)
		munmap(link_out.ring, sizeof *link_out.ring);
	link_out.fd = -1;
	link_out.ring = NULL;
}
