// The least that an HTTP client can cost: one thread, one epoll instance, no signature, no record of operations. test/clientbench compares
// warp with it.
//
//	cc -O2 -o client client.c && ./client 127.0.0.1 9000 /bucket/object CONNECTIONS SECONDS RATE
//
// RATE 0 is a closed loop. Otherwise turn n is due n/RATE seconds after the start, and the connection that became idle last performs it. The
// result is one line of JSON, in microseconds: how late requests were sent, how long responses took from then on, processor time.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MAX_EVENTS = 64, BUFFER = 64 << 10 };

struct connection {
	int fd;
	int64_t sent; // when the request was sent
	size_t have;  // bytes of the response so far
	size_t whole; // length of the response; 0: not known yet
	char start[1024];
};

struct samples {
	uint32_t *list; // nanoseconds
	size_t n, space;
};

static struct connection *connections;
static struct connection **idle; // the last one became idle last
static int count, idles;
static char request[1024];
static int request_length;
static struct samples late, service;

static void fail(const char *what)
{
	fprintf(stderr, "client: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void sample(struct samples *s, int64_t value)
{
	if (s->n == s->space) {
		s->space = s->space ? 2 * s->space : 1 << 16;
		s->list = realloc(s->list, s->space * sizeof *s->list);
		if (!s->list)
			fail("samples");
	}
	s->list[s->n++] = value > UINT32_MAX ? UINT32_MAX : value < 0 ? 0 : value;
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static double percentile(const struct samples *s, double p)
{
	return s->n ? s->list[(size_t)(p * (s->n - 1))] / 1e3 : 0;
}

static void begin(struct connection *c)
{
	c->have = c->whole = 0;
	c->sent = now();
	if (send(c->fd, request, request_length, MSG_NOSIGNAL) != request_length)
		fail("send");
}

// finished reads what is there, and reports whether that is the end of the response.
static bool finished(struct connection *c)
{
	static char rest[BUFFER];
	for (;;) {
		bool header = c->whole == 0;
		size_t space = header ? sizeof c->start - 1 - c->have : sizeof rest;
		ssize_t n = recv(c->fd, header ? c->start + c->have : rest, space, MSG_DONTWAIT);
		if (n < 0 && errno == EAGAIN)
			return false;
		if (n < 0)
			fail("receive");
		if (n == 0) {
			fprintf(stderr, "client: the server closed the connection\n");
			exit(1);
		}
		c->have += n;
		if (header) {
			c->start[c->have] = 0;
			char *end = strstr(c->start, "\r\n\r\n");
			char *length = strcasestr(c->start, "\r\ncontent-length:");
			if (strncmp(c->start, "HTTP/1.1 200", c->have < 12 ? c->have : 12) != 0 || (end && !length) ||
			    (!end && c->have == sizeof c->start - 1)) {
				fprintf(stderr, "client: unexpected response: %s\n", c->start);
				exit(1);
			}
			if (!end)
				continue;
			c->whole = end + 4 - c->start + strtoul(length + 17, NULL, 10);
		}
		if (c->have == c->whole)
			return true;
	}
}

static double used(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e6 + u.ru_utime.tv_usec + u.ru_stime.tv_usec;
}

static void connect_all(int poll, const char *address, int port)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
	if (inet_pton(AF_INET, address, &to.sin_addr) != 1)
		fail("address");
	for (int i = 0; i < count; i++) {
		struct connection *c = &connections[i];
		int one = 1;
		struct epoll_event e = {.events = EPOLLIN | EPOLLRDHUP | EPOLLET, .data.ptr = c};
		c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&to, sizeof to) < 0)
			fail("connect");
		setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
		if (epoll_ctl(poll, EPOLL_CTL_ADD, c->fd, &e) < 0)
			fail("epoll_ctl");
		idle[idles++] = c;
	}
}

int main(int argc, char **argv)
{
	if (argc != 7) {
		fprintf(stderr, "usage: client ADDRESS PORT PATH CONNECTIONS SECONDS RATE\n");
		return 2;
	}
	count = atoi(argv[4]);
	double seconds = atof(argv[5]), rate = atof(argv[6]);
	connections = calloc(count, sizeof *connections);
	idle = calloc(count, sizeof *idle);
	if (count < 1 || !connections || !idle)
		fail("connections");
	request_length = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: %s:%s\r\n\r\n", argv[3], argv[1], argv[2]);
	if (prctl(PR_SET_TIMERSLACK, 1) < 0)
		fail("prctl");
	int poll = epoll_create1(EPOLL_CLOEXEC);
	if (poll < 0)
		fail("epoll_create1");
	connect_all(poll, argv[1], atoi(argv[2]));

	double before = used();
	int64_t start = now(), end = start + (int64_t)(seconds * 1e9), t = start;
	uint64_t next = 0;
	int64_t due = start;
	bool sending = true;
	while (sending || idles < count) {
		while (sending && idles > 0 && (rate == 0 || due <= t)) {
			struct connection *c = idle[--idles];
			begin(c);
			t = c->sent;
			if (rate > 0) {
				sample(&late, c->sent - due);
				due = start + (int64_t)(++next / rate * 1e9);
			}
			sending = (rate > 0 ? due : t) < end;
		}
		struct epoll_event events[MAX_EVENTS];
		struct timespec left = {0}, *wait = NULL;
		if (sending && idles > 0) {
			t = now();
			if (due <= t)
				continue;
			left.tv_sec = (due - t) / 1000000000LL;
			left.tv_nsec = (due - t) % 1000000000LL;
			wait = &left;
		}
		int n = epoll_pwait2(poll, events, MAX_EVENTS, wait, NULL);
		if (n < 0 && errno != EINTR)
			fail("epoll_pwait2");
		t = now();
		for (int i = 0; i < n; i++) {
			struct connection *c = events[i].data.ptr;
			if (!finished(c))
				continue;
			t = now();
			sample(&service, t - c->sent);
			idle[idles++] = c;
			if (rate == 0 && sending && t < end) {
				idles--;
				begin(c);
			}
		}
		if (rate == 0 && t >= end)
			sending = false;
	}
	double cpu = used() - before, spent = (now() - start) / 1e9;
	qsort(late.list, late.n, sizeof *late.list, compare);
	qsort(service.list, service.n, sizeof *service.list, compare);
	printf("{\"operations\": %zu, \"rate\": %.0f, \"late50\": %.1f, \"late99\": %.1f, \"service50\": %.1f, \"service99\": %.1f, "
	       "\"cpu\": %.2f}\n",
	       service.n, service.n / spent, percentile(&late, 0.5), percentile(&late, 0.99), percentile(&service, 0.5),
	       percentile(&service, 0.99), service.n ? cpu / service.n : 0);
	return 0;
}
