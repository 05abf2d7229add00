/* The program's end of the link to warpcap. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "preset.h"
#include "runtime.h"

/* Small messages wait in memory that warpcap sees too, so that none is lost with the process and
 * few calls are needed. */
static struct {
	int fd; /* -1: nobody listens */
	struct link_tail *tail;
	double flushed_ms;
} link_out = {.fd = -1};

enum { ENOUGH_BYTES = 1 << 14, ENOUGH_MS = 5 };

static double
now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static bool
write_all(struct iovec *v, int n)
{
	while (n && link_out.fd >= 0) {
		const struct msghdr m = {.msg_iov = v, .msg_iovlen = (size_t)n};
		ssize_t done = sendmsg(link_out.fd, &m, MSG_NOSIGNAL);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0) {
			close(link_out.fd);
			link_out.fd = -1;
			break;
		}
		for (; n && (size_t)done >= v->iov_len; v++, n--)
			done -= (ssize_t)v->iov_len;
		if (n) {
			v->iov_base = (char *)v->iov_base + done;
			v->iov_len -= (size_t)done;
		}
	}
	return link_out.fd >= 0;
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
	struct link_tail *t = link_out.tail;
	if (link_out.fd < 0 || !t->n)
		return;
	struct iovec v = {t->buffer, t->n};
	const uint32_t n = t->n;
	write_all(&v, 1);
	t->n = 0;
	t->before += n;
	link_out.flushed_ms = now_ms();
}

enum { PIECES_MAX = 2 * LINK_COLUMNS + 8 };

/* One message; the pieces lie in memory that stays as it is for the call. Lengths are multiples of
 * 8, so that every message begins where a struct may. */
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
	head.bytes = (uint32_t)link_padded(bytes);
	v[n + 1] = (struct iovec){padding, head.bytes - bytes};
	struct link_tail *t = link_out.tail;
	const uint32_t whole = (uint32_t)sizeof head + head.bytes;
	if (whole > sizeof t->buffer - t->n)
		link_flush();
	if (whole > sizeof t->buffer) {
		write_all(v, n + 2);
		t->before += whole;
		return 0;
	}
	uint32_t at = t->n;
	for (int i = 0; i < n + 2; i++) {
		memcpy(t->buffer + at, v[i].iov_base, v[i].iov_len);
		at += (uint32_t)v[i].iov_len;
	}
	__atomic_store_n(&t->n, at, __ATOMIC_RELEASE);
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
	if (link_out.fd >= 0 &&
	    (link_out.tail->n > ENOUGH_BYTES || now_ms() > link_out.flushed_ms + ENOUGH_MS))
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
say_hello(int tail)
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
	memcpy(CMSG_DATA(c), &tail, sizeof tail);
	return sendmsg(link_out.fd, &h, MSG_NOSIGNAL) == (ssize_t)sizeof m;
}

static bool
share_tail(void)
{
	const int fd = memfd_create("warpcap", MFD_CLOEXEC);
	void *p = MAP_FAILED;
	if (fd >= 0 && ftruncate(fd, sizeof *link_out.tail) == 0)
		p = mmap(NULL, sizeof *link_out.tail, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	const bool ok = p != MAP_FAILED && say_hello(fd);
	if (fd >= 0)
		close(fd);
	if (p != MAP_FAILED)
		link_out.tail = p;
	return ok;
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
	if (link_out.fd < 0 ||
	    connect(link_out.fd, (const struct sockaddr *)&address,
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)) < 0)
		return false;
	if (!read_all(&head, sizeof head) || head.kind != LINK_SETTINGS ||
	    head.bytes != sizeof got || !read_all(&got, sizeof got) || got.version != LINK_VERSION)
		return false;
	*settings = got;
	return share_tail();
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
			fprintf(stderr, "warpcap: %s\n", text);
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
	if (link_out.fd >= 0)
		close(link_out.fd);
	if (link_out.tail)
		munmap(link_out.tail, sizeof *link_out.tail);
	link_out.fd = -1;
	link_out.tail = NULL;
}
