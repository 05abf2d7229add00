// The four kinds of kernel whose speed has a floor, as a compiler writes them. Each works on n numbers with a thread for
// each number launched.

// y = 3 x + y over the halves of the numbers, by a sixteenth of the threads: loads and stores of whole lines
extern "C" __global__ void
coalesced(float *data, int n)
{
	const int half = n / 2, stride = half / 16;
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < stride)
		for (int j = i; j < half; j += stride)
			data[half + j] += 3 * data[j];
}

extern "C" __global__ void
alu(float *data, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	float a = i, b = 0.5f;
	unsigned c = i, d = 1;
#pragma unroll 1
	for (int k = 0; k < 64; k++) {
		a = fmaf(a, b, b);
		const float e = (a + b) * b;
		c += k;
		d ^= c;
		c += 3 * (d << 1);
		a = (a + e) * 0.25f;
	}
	if (i < n)
		data[i] = a + c;
}

// trip counts from data, an if/else in the loop, masked loads
extern "C" __global__ void
divergent(float *data, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned r = i * 2654435769u, sum = 0;
#pragma unroll 1
	for (int k = 4 + (r >> 28); k; k--) {
		r = r * 1664525u + 1013904223u;
		const unsigned high = r >> 16;
		if (high > 32768)
			sum += (unsigned)data[high & 16383];
		else {
			sum = (sum ^ high) + 3;
			sum += sum << 3;
		}
	}
	if (i < n && sum == 0x12345678u)
		data[i] = sum;
}

// every lane its own random number, again and again
extern "C" __global__ void
gather(float *data, int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned r = i * 2654435769u;
	float sum = 0;
#pragma unroll 1
	for (int k = 0; k < 16; k++) {
		r = r * 1664525u + 1013904223u;
		sum += data[r >> 12];
	}
	if (i < n && sum == 0.5f)
		data[i] = sum;
}
