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

/* Two boxes of a batch, one of them into an array and out of it; ranges of managed memory. */
static void
batches()
{
	cudaStream_t stream;
	cudaArray_t array;
	const cudaChannelFormatDesc word = cudaCreateChannelDesc<int>();
	int in[2][3][8], out[2][3][4] = {}, whole[2][3][8] = {};
	for (int i = 0; i < 48; i++)
		in[i / 24][i / 8 % 3][i % 8] = i;
	OK(cudaStreamCreate(&stream));
	OK(cudaMalloc3DArray(&array, &word, {8, 3, 2}));
	cudaMemcpy3DBatchOp op[2] = {};
	op[0].src.type = op[1].src.type = op[1].dst.type = cudaMemcpyOperandTypePointer;
	op[0].dst.type = cudaMemcpyOperandTypeArray;
	op[0].src.op.ptr.ptr = in;
	op[0].dst.op.array.array = array;
	op[0].extent = {8, 3, 2}; /* elements */
	op[1].src.op.ptr.ptr = in;
	op[1].dst.op.ptr.ptr = whole;
	op[1].extent = {sizeof in[0][0], 3, 2}; /* bytes */
	op[0].srcAccessOrder = op[1].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
	OK(cudaMemcpy3DBatchAsync(2, op, 0, stream));
	op[1] = {};
	op[1].src = op[0].dst;
	op[1].src.op.array.offset = {4, 0, 0};
	op[1].dst.type = cudaMemcpyOperandTypePointer;
	op[1].dst.op.ptr.ptr = out;
	op[1].extent = {4, 3, 2};
	op[1].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
	OK(cudaMemcpy3DBatchAsync(1, op + 1, 0, stream));
	OK(cudaStreamSynchronize(stream));
	CHECK(whole[1][2][7] == 47 && out[0][0][0] == 4 && out[1][2][3] == 47);
	FAILS(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(2, op, 0, 0));
	op[1].dst.op.ptr.rowLength = 3; /* too short */
	FAILS(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(1, op + 1, 0, stream));

	void *p[3];
	size_t bytes[3] = {10, 20, 30}, first[2] = {0, 2};
	cudaMemLocation place[2] = {{cudaMemLocationTypeDevice, 0}, {cudaMemLocationTypeHost, 0}};
	for (int i = 0; i < 3; i++)
		OK(cudaMallocManaged(&p[i], bytes[i]));
	OK(cudaMemPrefetchBatchAsync(p, bytes, 3, place, first, 2, 0, stream));
	int last[3];
	for (int i = 0; i < 3; i++)
		OK(cudaMemRangeGetAttribute(&last[i], sizeof(int),
		    cudaMemRangeAttributeLastPrefetchLocation, p[i], bytes[i]));
	CHECK(last[0] == 0 && last[1] == 0 && last[2] == cudaCpuDeviceId);
	OK(cudaMemDiscardBatchAsync(p, bytes, 3, 0, stream));
	first[0] = 1;
	FAILS(cudaErrorInvalidValue,
	    cudaMemDiscardAndPrefetchBatchAsync(p, bytes, 3, place, first, 2, 0, stream));
	for (void *q : p)
		OK(cudaFree(q));
	OK(cudaFreeArray(array));
	OK(cudaStreamDestroy(stream));
}

int
main()
{
	two_dimensions();
	three_dimensions();
	refused();
	batches();
	return passed();
}
