// Copies and memsets of one to three dimensions, and what is refused.
#include <cstring>
#include <vector>
#include "check.h"

typedef std::vector<unsigned char> bytes;

static bytes
numbered(size_t n)
{
	bytes b(n);
	for (size_t i = 0; i < n; i++)
		b[i] = (unsigned char)(i * 7 + i / 256);
	return b;
}

static void
two_dimensions()
{
	const size_t width = 100, height = 37;
	const bytes from = numbered(width * height);
	bytes to(width * height), strided(height * 128, 9);
	void *p;
	size_t pitch;
	OK(cudaMallocPitch(&p, &pitch, width, height));
	CHECK(pitch >= width && pitch % 32 == 0);
	OK(cudaMemcpy2D(p, pitch, from.data(), width, width, height, cudaMemcpyHostToDevice));
	OK(cudaMemcpy2D(strided.data(), 128, p, pitch, width, height, cudaMemcpyDeviceToHost));
	for (size_t y = 0; y < height; y++) {
		CHECK(!memcmp(&strided[y * 128], &from[y * width], width));
		for (size_t x = width; x < 128; x++)
			CHECK(strided[y * 128 + x] == 9);
	}
	OK(cudaMemset2D((char *)p + pitch + 10, pitch, 0xee, 20, 3));
	OK(cudaMemcpy2D(to.data(), width, p, pitch, width, height, cudaMemcpyDeviceToHost));
	for (size_t y = 0; y < height; y++)
		for (size_t x = 0; x < width; x++)
			CHECK(to[y * width + x] ==
			      (y >= 1 && y < 4 && x >= 10 && x < 30 ? 0xee : from[y * width + x]));
	FAILS(cudaErrorInvalidPitchValue,
	    cudaMemcpy2D(p, pitch, from.data(), width - 1, width, height, cudaMemcpyHostToDevice));
	OK(cudaFree(p));
}

static void
three_dimensions()
{
	const size_t w = 20, h = 11, d = 5;
	const bytes from = numbered(w * h * d);
	bytes to(w * h * d);
	cudaPitchedPtr p;
	OK(cudaMalloc3D(&p, make_cudaExtent(w, h, d)));
	cudaMemcpy3DParms in = {};
	in.srcPtr = make_cudaPitchedPtr((void *)from.data(), w, w, h);
	in.dstPtr = p;
	in.extent = make_cudaExtent(w, h, d);
	in.kind = cudaMemcpyHostToDevice;
	OK(cudaMemcpy3D(&in));
	OK(cudaMemset3D(
	    make_cudaPitchedPtr((char *)p.ptr, p.pitch, w, h), 1, make_cudaExtent(3, 2, 4)));
	cudaMemcpy3DParms out = {};
	out.srcPtr = p;
	out.dstPtr = make_cudaPitchedPtr(to.data(), w, w, h);
	out.srcPos = make_cudaPos(1, 2, 1);
	out.dstPos = make_cudaPos(4, 0, 0);
	out.extent = make_cudaExtent(w - 4, h - 2, d - 1);
	out.kind = cudaMemcpyDeviceToHost;
	OK(cudaMemcpy3D(&out));
	for (size_t z = 0; z < d; z++)
		for (size_t y = 0; y < h; y++)
			for (size_t x = 0; x < w; x++) {
				const size_t fx = x - 3, fy = y + 2, fz = z + 1;
				const bool copied = x >= 4 && y < h - 2 && z < d - 1;
				const bool set = fx < 3 && fy < 2 && fz < 4;
				CHECK(to[(z * h + y) * w + x] ==
				      (!copied	? 0
					  : set ? 1
						: from[(fz * h + fy) * w + fx]));
			}
	OK(cudaFree(p.ptr));
}

static void
refused()
{
	char host[64], *p;
	OK(cudaMalloc(&p, 64));
	FAILS(cudaErrorInvalidValue, cudaMemcpy(p, host, 65, cudaMemcpyHostToDevice));
	FAILS(cudaErrorInvalidValue, cudaMemcpy(host, p + 60, 5, cudaMemcpyDeviceToHost));
	FAILS(cudaErrorInvalidValue, cudaMemcpy(host, host, 5, cudaMemcpyHostToDevice));
	FAILS(cudaErrorInvalidValue, cudaMemcpy(p, p, 5, cudaMemcpyHostToDevice));
	FAILS(cudaErrorInvalidValue, cudaMemcpy(p, (void *)16, 5, cudaMemcpyHostToDevice));
	FAILS(cudaErrorInvalidMemcpyDirection, cudaMemcpy(p, host, 5, (cudaMemcpyKind)9));
	FAILS(cudaErrorInvalidValue, cudaMemset(host, 0, 5));
	FAILS(cudaErrorInvalidValue, cudaMemset(p, 0, 65));
	OK(cudaMemcpy(p, host, 0, cudaMemcpyHostToDevice));
	OK(cudaMemcpy(p + 10, p, 10, cudaMemcpyDeviceToDevice));
	OK(cudaMemcpy(host, host + 10, 10, cudaMemcpyHostToHost));
	OK(cudaFree(p));
	FAILS(cudaErrorInvalidValue, cudaMemcpy(host, p, 5, cudaMemcpyDeviceToHost));
}

int
main()
{
	two_dimensions();
	three_dimensions();
	refused();
	return passed();
}
