/*
 * Functions with awkward control flow, compiled twice: for the host, and by clang to PTX that the
 * executor runs. No undefined behaviour, no contraction: results must agree bit for bit.
 */
#ifndef TESTS_EXEC_FUNCTIONS_H
#define TESTS_EXEC_FUNCTIONS_H

#ifndef DEVICE
#define DEVICE static
#endif
typedef unsigned u32;
typedef unsigned long long u64;
typedef long long s64;

DEVICE u32
draw(u32 *s)
{
	*s = *s * 1664525u + 1013904223u;
	return *s >> 8;
}

DEVICE void
sort(int *a, int lo, int hi)
{
	if (lo >= hi)
		return;
	int p = a[(lo + hi) / 2], i = lo, j = hi;
	while (i <= j) {
		while (a[i] < p)
			i++;
		while (a[j] > p)
			j--;
		if (i <= j) {
			int t = a[i];
			a[i++] = a[j];
			a[j--] = t;
		}
	}
	sort(a, lo, j);
	sort(a, i, hi);
}

/* recursion, local arrays */
DEVICE u32
quicksort(u32 t)
{
	int a[24], n = (int)(t % 24) + 1;
	u32 s = t * 7 + 1, h = 0;
	for (int i = 0; i < n; i++)
		a[i] = (int)(draw(&s) % 1000) - 500;
	sort(a, 0, n - 1);
	for (int i = 0; i < n; i++)
		h = h * 31 + (u32)a[i];
	return h;
}

/* a dense switch with fall-through, continue and return inside a loop */
DEVICE u32
switches(u32 t)
{
	u32 h = 0, s = t;
	for (u32 i = 0; i < 50; i++) {
		u32 r = draw(&s);
		switch (r % 13) {
		case 0: h += r; break;
		case 1: h ^= r; /* fall through */
		case 2: h *= 3; break;
		case 3:
			if (h & 1)
				continue;
			h >>= 1;
			break;
		case 4: h = h << 3 | h >> 29; break;
		case 5: h -= i; break;
		case 6:
			if (r & 8)
				return h;
			break;
		case 7: h += (u32)__builtin_popcount(r); break;
		case 8:
			for (u32 k = r % 7; k; k--)
				h += k * r;
			break;
		case 9: h = ~h; break;
		case 10: h /= r | 1; break;
		case 11: h %= r | 3; break;
		default: h += 7;
		}
	}
	return h;
}

DEVICE u32
ackermann(u32 m, u32 n)
{
	if (m == 0)
		return n + 1;
	return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

DEVICE u32
ackermanns(u32 t)
{
	return ackermann(t % 3, t % 5);
}

DEVICE u32
collatz(u32 t)
{
	u32 c = 0;
	for (u64 n = t + 1; n != 1; c++)
		n = n & 1 ? 3 * n + 1 : n / 2;
	return c;
}

struct record {
	u32 a;
	double d;
	unsigned char c[5];
	short q;
};

DEVICE struct record
change(u32 t, struct record x)
{
	x.a += t;
	x.d *= 1.5;
	x.c[t % 5] = (unsigned char)t;
	x.q = (short)(x.q - 3);
	return x;
}

/* structs by value */
DEVICE u32
records(u32 t)
{
	struct record x = {1, (double)t, {0, 3, 6, 9, 12}, (short)t};
	for (u32 i = 0; i < t % 4 + 1; i++)
		x = change(t + i, x);
	return x.a + (u32)x.d * 7 + x.c[0] + x.c[1] * 3u + x.c[2] * 5u + x.c[3] * 7u +
	       x.c[4] * 11u + (u32)x.q;
}

DEVICE u32
add_of(u32 a, u32 b)
{
	return a + b;
}

DEVICE u32
product_of(u32 a, u32 b)
{
	return a * b + 1;
}

DEVICE u32
half_of(u32 a, u32 b)
{
	return (a ^ b) >> 1;
}

DEVICE u32
distance_of(u32 a, u32 b)
{
	return a > b ? a - b : b - a;
}

/* calls through pointers that differ from lane to lane */
DEVICE u32
pointers(u32 t)
{
	u32 (*const table[4])(u32, u32) = {add_of, product_of, half_of, distance_of};
	u32 h = t, s = t;
	for (u32 i = 0; i < 20; i++)
		h = table[draw(&s) & 3](h, i + t);
	return h;
}

DEVICE u32
floats(u32 t)
{
	float x = (float)t * 0.37f - 11.0f, y = 1;
	u32 s = t;
	union {
		float f;
		u32 u;
	} v;
	for (int i = 0; i < 40; i++) {
		float r = (float)(draw(&s) & 1023) / 64.0f;
		if (r > 8)
			x = x * 0.5f + r;
		else if (r > 4)
			x = __builtin_fabsf(x) - r;
		else
			y = y / (1.0f + r) + x;
		if (x > 1e6f)
			break;
	}
	v.f = x + y;
	return v.u;
}

DEVICE u32
doubles(u32 t)
{
	double x = t * 0.37 - 11.0;
	u32 s = t;
	union {
		double f;
		u64 u;
	} v;
	for (int i = 0; i < 40; i++) {
		double r = (draw(&s) & 1023) / 64.0;
		x = r > 8 ? x * 0.5 + r : (__builtin_fabs(x) + r) / 3.0;
	}
	v.f = x;
	return (u32)(v.u ^ v.u >> 32);
}

/* loops that cannot be reduced */
DEVICE u32
jumps(u32 t)
{
	u32 h = 0, n = t & 31, s = t;
a:
	h += 3;
	if (draw(&s) & 1)
		goto c;
b:
	h *= 5;
	if (n-- == 0)
		return h;
c:
	h ^= n;
	if (draw(&s) & 2)
		goto b;
	if (draw(&s) & 4)
		goto a;
	if (n > 40)
		return h;
	n++;
	if (h & 64)
		n = 0;
	if (draw(&s) % 9)
		goto c;
	return h + 1;
}

DEVICE u32
wide(u32 t)
{
	u64 x = t * 0x9e3779b97f4a7c15ull, y = x;
	for (u32 i = 0; i < 10; i++) {
		y = (u64)((s64)y / (s64)((i + 3) * 7)) - (x >> 3) % 1000;
		x = x * x + y;
		x ^= x >> (t % 61);
		y += (u64)(short)x;
		y *= (u64)((signed char)(x >> 5) | 1);
	}
	return (u32)(x ^ y);
}

/* three loops, left at every level */
DEVICE u32
nested(u32 t)
{
	u32 h = 0;
	for (u32 i = 0; i < t % 7 + 1; i++)
		for (u32 j = i; j < t % 11; j++) {
			if ((i * j + t) % 3 == 0)
				continue;
			for (u32 k = 0; k < (i ^ j); k++) {
				if (k == 5)
					goto out;
				h += i * j * k;
				if (h % 17 == 3)
					break;
			}
			h++;
		out:
			if (h > 5000)
				return h;
		}
	return h + 100000;
}

#define EACH_FUNCTION(X) \
	X(quicksort)     \
	X(switches)      \
	X(ackermanns)    \
	X(collatz)       \
	X(records)       \
	X(pointers)      \
	X(floats)        \
	X(doubles)       \
	X(jumps)         \
	X(wide)          \
	X(nested)

#endif
