/* The driver's pools of memory: the runtime's. */
#include "driver/driver.h"

API int
cuMemPoolCreate(void **out, const struct cu_mem_pool_props *props)
{
	return DRIVER(cudaMemPoolCreate(out, props));
}

API int
cuMemPoolDestroy(void *pool)
{
	return DRIVER(cudaMemPoolDestroy(pool));
}

API int
cuMemPoolTrimTo(void *pool, size_t keep)
{
	return DRIVER(cudaMemPoolTrimTo(pool, keep));
}

API int
cuMemPoolSetAttribute(void *pool, int attribute, const void *value)
{
	return DRIVER(cudaMemPoolSetAttribute(pool, attribute, value));
}

API int
cuMemPoolGetAttribute(void *pool, int attribute, void *value)
{
	return DRIVER(cudaMemPoolGetAttribute(pool, attribute, value));
}

API int
cuMemPoolSetAccess(void *pool, const struct cu_mem_access *list, size_t n)
{
	return DRIVER(cudaMemPoolSetAccess(pool, list, n));
}

API int
cuMemPoolGetAccess(int *flags, void *pool, const struct cu_mem_location *location)
{
	return DRIVER(cudaMemPoolGetAccess(flags, pool, location));
}

API int
cuDeviceSetMemPool(int device, void *pool)
{
	return DRIVER(cudaDeviceSetMemPool(device, pool));
}

API int
cuMemGetDefaultMemPool(void **out, const struct cu_mem_location *location, int type)
{
	return DRIVER(cudaMemGetDefaultMemPool(out, location, type));
}

API int
cuMemGetMemPool(void **out, const struct cu_mem_location *location, int type)
{
	return DRIVER(cudaMemGetMemPool(out, location, type));
}

API int
cuMemSetMemPool(const struct cu_mem_location *location, int type, void *pool)
{
	return DRIVER(cudaMemSetMemPool(location, type, pool));
}
