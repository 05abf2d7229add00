// nvcc -rdc=true -fmad=false -gencode arch=compute_75,code=compute_75
// Mandelbrot set after Mariani and Silver: a square whose border is of one colour is filled, another
// is divided into four, small ones are computed.
#include <vector>
#include "check.h"

#define SIZE   256
#define ROUNDS 64

static __host__ __device__ int
dwell(int px, int py)
{
	const float cx = -2.0f + 3.0f * px / SIZE, cy = -1.5f + 3.0f * py / SIZE;
	float x = cx, y = cy;
	int n = 0;
	for (; n < ROUNDS && x * x + y * y < 4; n++) {
		const float t = x * x - y * y + cx;
		y = 2 * x * y + cy;
		x = t;
	}
	return n;
}

__global__ void
fill(int *image, int x0, int y0, int side, int value)
{
	const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < side && y < side)
		image[(y0 + y) * SIZE + x0 + x] = value;
}

__global__ void
pixels(int *image, int x0, int y0, int side)
{
	const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < side && y < side)
		image[(y0 + y) * SIZE + x0 + x] = dwell(x0 + x, y0 + y);
}

// One block a square, 64 threads.
__global__ void
square(int *image, int x0, int y0, int side)
{
	__shared__ int least, most;
	x0 += side * blockIdx.x;
	y0 += side * blockIdx.y;
	if (threadIdx.x == 0) {
		least = ROUNDS + 1;
		most = -1;
	}
	__syncthreads();
	for (int i = threadIdx.x; i < 4 * side; i += blockDim.x) {
		const int k = i % side, edge = i / side;
		const int x = edge == 0 || edge == 2 ? k : edge == 1 ? side - 1 : 0;
		const int y = edge == 1 || edge == 3 ? k : edge == 2 ? side - 1 : 0;
		const int n = dwell(x0 + x, y0 + y);
		atomicMin(&least, n);
		atomicMax(&most, n);
	}
	__syncthreads();
	if (threadIdx.x)
		return;
	const dim3 block(16, 4), grid((side + 15) / 16, (side + 3) / 4);
	if (least == most)
		fill<<<grid, block>>>(image, x0, y0, side, least);
	else if (side <= 16)
		pixels<<<grid, block>>>(image, x0, y0, side);
	else
		square<<<dim3(2, 2), 64>>>(image, x0, y0, side / 2);
}

int
main()
{
	std::vector<int> image(SIZE * SIZE, -1);
	int *d, wrong = 0;
	OK(cudaMalloc(&d, image.size() * sizeof(int)));
	OK(cudaMemset(d, 0xff, image.size() * sizeof(int)));
	square<<<dim3(4, 4), 64>>>(d, 0, 0, SIZE / 4);
	OK(cudaGetLastError());
	OK(cudaMemcpy(image.data(), d, image.size() * sizeof(int), cudaMemcpyDeviceToHost));
	for (int y = 0; y < SIZE; y++)
		for (int x = 0; x < SIZE; x++)
			wrong += image[y * SIZE + x] != dwell(x, y);
	// a filled square may hide a filament thinner than a pixel
	CHECK(wrong <= SIZE * SIZE / 1000);
	return passed();
}
