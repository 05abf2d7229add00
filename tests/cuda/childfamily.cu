// nvcc -rdc=true -gencode arch=compute_75,code=compute_75
// Kernels that launch themselves: quicksort and quadrature in streams of their own, work that is
// launched where it is large, tail and fire-and-forget launches, calls of the runtime in kernels.
#include <algorithm>
#include <cmath>
#include <vector>
#include "check.h"

__global__ void
quicksort(unsigned *d, int left, int right, int depth)
{
	unsigned *l = d + left, *r = d + right, pivot = d[(left + right) / 2];
	cudaStream_t s;
	if (depth >= 16 || right - left <= 24) { // selection
		for (int i = left; i < right; i++)
			for (int j = i + 1; j <= right; j++)
				if (d[j] < d[i]) {
					const unsigned t = d[i];
					d[i] = d[j];
					d[j] = t;
				}
		return;
	}
	while (l <= r) {
		while (*l < pivot)
			l++;
		while (*r > pivot)
			r--;
		if (l <= r) {
			const unsigned t = *l;
			*l++ = *r;
			*r-- = t;
		}
	}
	cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
	if (left < r - d)
		quicksort<<<1, 1, 0, s>>>(d, left, r - d, depth + 1);
	if (l - d < right)
		quicksort<<<1, 1, 0, s>>>(d, l - d, right, depth + 1);
	cudaStreamDestroy(s);
}

static void
check_quicksort(void)
{
	const int n = 1500;
	std::vector<unsigned> v(n), got(n);
	unsigned *d;
	for (int i = 0; i < n; i++)
		v[i] = (unsigned)i * 2654435761u % 1000;
	OK(cudaMalloc(&d, n * sizeof *d));
	OK(cudaMemcpy(d, v.data(), n * sizeof *d, cudaMemcpyHostToDevice));
	quicksort<<<1, 1>>>(d, 0, n - 1, 0);
	OK(cudaMemcpy(got.data(), d, n * sizeof *d, cudaMemcpyDeviceToHost));
	std::sort(v.begin(), v.end());
	CHECK(got == v);
}

__host__ __device__ static double
f(double x)
{
	return x * x * x - 2 * x + 1;
}

__global__ void
quadrature(double a, double b, double *sum, int depth)
{
	const double m = (a + b) / 2;
	if (!depth) {
		atomicAdd(sum, (b - a) / 6 * (f(a) + 4 * f(m) + f(b)));
		return;
	}
	quadrature<<<1, 1>>>(a, m, sum, depth - 1);
	quadrature<<<1, 1>>>(m, b, sum, depth - 1);
}

__global__ void
note(int *order, int *n, int what)
{
	order[(*n)++] = what;
}

__global__ void
ordered(int *order, int *n)
{
	note<<<1, 1, 0, cudaStreamTailLaunch>>>(order, n, 3);
	note<<<1, 1>>>(order, n, 1);
	note<<<1, 1>>>(order, n, 2);
	order[(*n)++] = 0;
}

// A neighbourhood larger than 16 is visited by a grid of its own.
__global__ void visit(const int *row, const int *col, int *level, int v, int next);

__global__ void
expand(const int *row, const int *col, int *level, int now, int n)
{
	const int v = blockIdx.x * blockDim.x + threadIdx.x,
		  degree = v < n ? row[v + 1] - row[v] : 0;
	if (v >= n || level[v] != now)
		return;
	if (degree > 16)
		visit<<<(degree + 31) / 32, 32>>>(row, col, level, v, now + 1);
	else
		for (int e = row[v]; e < row[v + 1]; e++)
			atomicCAS(&level[col[e]], -1, now + 1);
}

__global__ void
visit(const int *row, const int *col, int *level, int v, int next)
{
	const int e = row[v] + blockIdx.x * blockDim.x + threadIdx.x;
	if (e < row[v + 1])
		atomicCAS(&level[col[e]], -1, next);
}

template <class T>
static T *
up(const std::vector<T> &v)
{
	T *p;
	OK(cudaMalloc(&p, v.size() * sizeof(T)));
	OK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
	return p;
}

static void
check_traversal(void)
{
	const int n = 400;
	std::vector<int> row(n + 1), col, level(n, -1), queue{0}, got(n);
	for (int v = 0; v < n; v++) {
		for (int e = 0; e < (v % 50 == 0 ? 90 : 2); e++)
			col.push_back((v * 31 + e * e * 7 + 11) % n);
		row[v + 1] = (int)col.size();
	}
	int *device_row = up(row), *device_col = up(col);
	level[0] = 0;
	int *device_level = up(level), last = 0;
	for (size_t i = 0; i < queue.size(); i++)
		for (int e = row[queue[i]]; e < row[queue[i] + 1]; e++)
			if (level[col[e]] < 0) {
				last = level[col[e]] = level[queue[i]] + 1;
				queue.push_back(col[e]);
			}
	for (int now = 0; now < last; now++)
		expand<<<4, 128>>>(device_row, device_col, device_level, now, n);
	OK(cudaMemcpy(got.data(), device_level, n * sizeof(int), cudaMemcpyDeviceToHost));
	CHECK(got == level);
}

__global__ void
calls(int *p, int n, int *ok)
{
	int device, sms;
	cudaEvent_t e;
	*ok = cudaGetDevice(&device) == cudaSuccess && device == 0 &&
	      cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess &&
	      sms > 0 && cudaEventCreateWithFlags(&e, cudaEventDisableTiming) == cudaSuccess &&
	      cudaEventRecord(e, 0) == cudaSuccess && cudaEventDestroy(e) == cudaSuccess;
	cudaMemsetAsync(p, 1, n * sizeof *p);
	cudaMemcpyAsync(p + n, p, n * sizeof *p, cudaMemcpyDeviceToDevice);
	*ok &= cudaGetLastError() == cudaSuccess;
	note<<<1, 2000>>>(p, p, 0);
	*ok &= cudaGetLastError() == cudaErrorInvalidConfiguration;
}

int
main()
{
	double *sum, total;
	int *order, *n, got[4], ok, word;
	check_quicksort();
	OK(cudaMalloc(&sum, sizeof *sum));
	OK(cudaMemset(sum, 0, sizeof *sum));
	quadrature<<<1, 1>>>(0, 2, sum, 5);
	OK(cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost));
	CHECK(std::fabs(total - 2) < 1e-12);
	OK(cudaMalloc(&order, sizeof got));
	OK(cudaMalloc(&n, sizeof *n));
	OK(cudaMemset(n, 0, sizeof *n));
	ordered<<<1, 1>>>(order, n);
	OK(cudaMemcpy(got, order, sizeof got, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 4; i++)
		CHECK(got[i] == i);
	check_traversal();
	int *p;
	OK(cudaMalloc(&p, 200 * sizeof *p));
	calls<<<1, 1>>>(p, 100, n);
	OK(cudaMemcpy(&ok, n, sizeof ok, cudaMemcpyDeviceToHost));
	CHECK(ok);
	OK(cudaMemcpy(&word, p + 199, sizeof word, cudaMemcpyDeviceToHost));
	CHECK(word == 0x01010101);
	return passed();
}
