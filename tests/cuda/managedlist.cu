/* A list of managed nodes that host and kernel walk along, and pointers to functions that kernels
 * are given.
 */
#include "check.h"

typedef int (*operation)(int, int);

struct node {
	int value;
	node *next;
};

__device__ int
add(int a, int b)
{
	return a + b;
}

__device__ int
multiply(int a, int b)
{
	return a * b;
}

__device__ operation table[2] = {add, multiply};
__device__ operation chosen = add;
__managed__ int results[64];

__global__ void
walk(node *n, int *sum)
{
	*sum = 0;
	for (; n; n = n->next) {
		*sum += n->value;
		n->value *= 2;
	}
}

__global__ void
apply(operation given)
{
	const int i = threadIdx.x;

	results[i] = given(i, 5) + table[i & 1](i, 2);
}

int
main(void)
{
	node *head = nullptr, *next;
	operation given;
	int *sum;

	OK(cudaMallocManaged(&sum, sizeof *sum));
	for (int i = 0; i < 50; i++) {
		OK(cudaMallocManaged(&next, sizeof *next));
		*next = {i, head};
		head = next;
	}
	walk<<<1, 1>>>(head, sum);
	OK(cudaDeviceSynchronize());
	CHECK(*sum == 1225);
	for (int i = 49; head; i--, head = next) {
		next = head->next;
		CHECK(head->value == 2 * i);
		OK(cudaFree(head));
	}
	OK(cudaMemcpyFromSymbol(&given, chosen, sizeof given));
	apply<<<1, 64>>>(given);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < 64; i++)
		CHECK(results[i] == i + 5 + (i & 1 ? 2 * i : i + 2));
	return passed();
}
