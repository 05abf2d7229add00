// Variables of the device: global, constant, managed; addresses, sizes, first values.
#include "check.h"

__device__ int counter = 7;
__device__ double table[4] = {1, 2, 3, 4};
__constant__ float factor[3] = {0.5f, 1.5f, 2.5f};
__managed__ int shared_counter = 40;
__managed__ int shared_table[100];
static __device__ int hidden;

__global__ void
use(float *out)
{
	atomicAdd(&counter, 3);
	hidden = (int)table[2];
	shared_counter += 2;
	shared_table[threadIdx.x] = 10 * threadIdx.x;
	for (int i = 0; i < 3; i++)
		out[i] = factor[i] * (float)table[0];
}

int
main()
{
	int value;
	float *out, got[3];
	const float other[2] = {4, 8};
	const double first = 10;
	void *address;
	size_t bytes;
	CHECK(shared_counter == 40);
	OK(cudaMalloc(&out, sizeof got));
	OK(cudaMemcpyToSymbol(table, &first, sizeof first));
	OK(cudaMemcpyToSymbol(factor, other, sizeof other, sizeof(float)));
	use<<<1, 100>>>(out);
	OK(cudaDeviceSynchronize());
	OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
	CHECK(got[0] == 5 && got[1] == 40 && got[2] == 80);
	OK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
	CHECK(value == 307);
	OK(cudaMemcpyFromSymbol(&value, hidden, sizeof value));
	CHECK(value == 3);
	CHECK(shared_counter > 40 && shared_table[99] == 990);
	OK(cudaGetSymbolAddress(&address, table));
	OK(cudaGetSymbolSize(&bytes, table));
	CHECK(bytes == sizeof(double) * 4);
	double second;
	OK(cudaMemcpy(&second, (char *)address + 8, 8, cudaMemcpyDeviceToHost));
	CHECK(second == 2);
	OK(cudaMemcpyFromSymbol(&second, table, 8, 24));
	CHECK(second == 4);
	FAILS(cudaErrorInvalidValue, cudaMemcpyFromSymbol(&second, table, 8, 25));
	FAILS(cudaErrorInvalidSymbol, cudaMemcpyFromSymbol(&second, &second, 8));
	return passed();
}
