// Texture and surface objects of arrays, pitched and linear memory, made and asked about.
#include <vector>
#include "check.h"

__global__ void
read_2d(cudaTextureObject_t t, float *out, int w, int h, float dx)
{
	const int x = threadIdx.x, y = blockIdx.x;
	if (x < w && y < h)
		out[y * w + x] = tex2D<float>(t, x + dx, y + 0.5f);
}

__global__ void
read_linear(cudaTextureObject_t t, uchar4 *out)
{
	out[threadIdx.x] = tex1Dfetch<uchar4>(t, threadIdx.x);
}

__global__ void
read_3d(cudaTextureObject_t t, int *out)
{
	out[threadIdx.x] = tex3D<int>(t, threadIdx.x % 4, threadIdx.x / 4 % 3, threadIdx.x / 12);
}

__global__ void
turn(cudaSurfaceObject_t s, int w)
{
	const int x = threadIdx.x, y = blockIdx.x;
	float v;
	surf2Dread(&v, s, x * 4, y);
	surf2Dwrite(-v, s, x * 4, y);
}

static void
linear_and_3d(float *out)
{
	cudaTextureDesc texture = {};
	cudaTextureObject_t t;
	cudaSurfaceObject_t s;
	cudaArray_t array;
	texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeClamp;
	texture.filterMode = cudaFilterModePoint;
	texture.readMode = cudaReadModeElementType;
	uchar4 *colours, shown[32];
	OK(cudaMallocManaged(&colours, sizeof shown));
	for (int i = 0; i < 32; i++)
		colours[i] = make_uchar4(i, 2 * i, 3 * i, 255 - i);
	cudaResourceDesc resource = {};
	resource.resType = cudaResourceTypeLinear;
	resource.res.linear.devPtr = colours;
	resource.res.linear.desc = cudaCreateChannelDesc<uchar4>();
	resource.res.linear.sizeInBytes = sizeof shown;
	OK(cudaCreateTextureObject(&t, &resource, &texture, NULL));
	read_linear<<<1, 32>>>(t, (uchar4 *)out);
	OK(cudaMemcpy(shown, out, sizeof shown, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 32; i++)
		CHECK(shown[i].x == i && shown[i].y == 2 * i && shown[i].w == 255 - i);
	OK(cudaDestroyTextureObject(t));

	int numbers[24], read[24];
	for (int i = 0; i < 24; i++)
		numbers[i] = 100 - i;
	cudaChannelFormatDesc desc = cudaCreateChannelDesc<int>();
	OK(cudaMalloc3DArray(&array, &desc, make_cudaExtent(4, 3, 2)));
	cudaMemcpy3DParms copy = {};
	copy.srcPtr = make_cudaPitchedPtr(numbers, 16, 4, 3);
	copy.dstArray = array;
	copy.extent = make_cudaExtent(4, 3, 2);
	copy.kind = cudaMemcpyHostToDevice;
	OK(cudaMemcpy3D(&copy));
	resource = {};
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	OK(cudaCreateTextureObject(&t, &resource, &texture, NULL));
	read_3d<<<1, 24>>>(t, (int *)out);
	OK(cudaMemcpy(read, out, sizeof read, cudaMemcpyDeviceToHost));
	for (int i = 0; i < 24; i++)
		CHECK(read[i] == numbers[i]);
	FAILS(cudaErrorInvalidValue, cudaCreateSurfaceObject(&s, &resource));
}

int
main()
{
	const int w = 24, h = 10;
	std::vector<float> in(w * h), got(w * h);
	for (int i = 0; i < w * h; i++)
		in[i] = i;
	float *out;
	OK(cudaMalloc(&out, w * h * sizeof(float)));

	cudaArray_t array;
	cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>(), back;
	OK(cudaMallocArray(&array, &desc, w, h, cudaArraySurfaceLoadStore));
	OK(cudaMemcpy2DToArray(array, 0, 0, in.data(), w * sizeof(float), w * sizeof(float), h,
	    cudaMemcpyHostToDevice));
	cudaExtent extent;
	unsigned flags;
	OK(cudaArrayGetInfo(&back, &extent, &flags, array));
	CHECK(back.x == 32 && back.f == cudaChannelFormatKindFloat && extent.width == w &&
	      extent.height == h && extent.depth == 0 && flags == cudaArraySurfaceLoadStore);

	cudaResourceDesc resource = {}, resource_back;
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	cudaTextureDesc texture = {}, texture_back;
	texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeClamp;
	texture.filterMode = cudaFilterModePoint;
	texture.readMode = cudaReadModeElementType;
	cudaTextureObject_t t;
	OK(cudaCreateTextureObject(&t, &resource, &texture, NULL));
	read_2d<<<h, 32>>>(t, out, w, h, 0.5f);
	OK(cudaMemcpy(got.data(), out, w * h * sizeof(float), cudaMemcpyDeviceToHost));
	CHECK(got == in);
	OK(cudaGetTextureObjectResourceDesc(&resource_back, t));
	OK(cudaGetTextureObjectTextureDesc(&texture_back, t));
	CHECK(resource_back.res.array.array == array &&
	      texture_back.addressMode[1] == cudaAddressModeClamp);
	OK(cudaDestroyTextureObject(t));
	texture.filterMode = cudaFilterModeLinear;
	OK(cudaCreateTextureObject(&t, &resource, &texture, NULL));
	read_2d<<<h, 32>>>(t, out, w, h, 1.0f);
	OK(cudaMemcpy(got.data(), out, w * h * sizeof(float), cudaMemcpyDeviceToHost));
	CHECK(got[0] == 0.5f && got[w - 2] == w - 1.5f && got[w - 1] == w - 1);
	OK(cudaDestroyTextureObject(t));

	cudaSurfaceObject_t s;
	OK(cudaCreateSurfaceObject(&s, &resource));
	turn<<<h, w>>>(s, w);
	OK(cudaMemcpy2DFromArray(got.data(), w * sizeof(float), array, 0, 0, w * sizeof(float), h,
	    cudaMemcpyDeviceToHost));
	for (int i = 0; i < w * h; i++)
		CHECK(got[i] == -in[i]);
	OK(cudaDestroySurfaceObject(s));
	OK(cudaFreeArray(array));

	float *pitched;
	size_t pitch;
	OK(cudaMallocPitch(&pitched, &pitch, w * sizeof(float), h));
	OK(cudaMemcpy2D(pitched, pitch, in.data(), w * sizeof(float), w * sizeof(float), h,
	    cudaMemcpyHostToDevice));
	resource = {};
	resource.resType = cudaResourceTypePitch2D;
	resource.res.pitch2D.devPtr = pitched;
	resource.res.pitch2D.desc = desc;
	resource.res.pitch2D.width = w;
	resource.res.pitch2D.height = h;
	resource.res.pitch2D.pitchInBytes = pitch;
	texture.filterMode = cudaFilterModePoint;
	OK(cudaCreateTextureObject(&t, &resource, &texture, NULL));
	read_2d<<<h, 32>>>(t, out, w, h, 0.5f);
	OK(cudaMemcpy(got.data(), out, w * h * sizeof(float), cudaMemcpyDeviceToHost));
	CHECK(got == in);
	OK(cudaDestroyTextureObject(t));

	linear_and_3d(out);
	return passed();
}
