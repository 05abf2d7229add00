// The layouts this project writes down for itself are those of the installed headers.
#include <cstddef>
#include "check.h"
#include "../../tools/cudart/abi.h"

#define SAME(ours, theirs) static_assert(sizeof(ours) == sizeof(theirs), #theirs)
#define AT(ours, our_field, theirs, field)                                                     \
	static_assert(offsetof(ours, our_field) == offsetof(theirs, field) &&                   \
		sizeof(((ours *)0)->our_field) == sizeof(((theirs *)0)->field),                 \
	    #theirs "." #field)

SAME(cu_device_prop, cudaDeviceProp);
AT(cu_device_prop, total_global_mem, cudaDeviceProp, totalGlobalMem);
AT(cu_device_prop, major, cudaDeviceProp, major);
AT(cu_device_prop, multi_processor_count, cudaDeviceProp, multiProcessorCount);
AT(cu_device_prop, max_texture_2d_linear, cudaDeviceProp, maxTexture2DLinear);
AT(cu_device_prop, surface_alignment, cudaDeviceProp, surfaceAlignment);
AT(cu_device_prop, l2_cache_size, cudaDeviceProp, l2CacheSize);
AT(cu_device_prop, managed_memory, cudaDeviceProp, managedMemory);
AT(cu_device_prop, shared_mem_per_block_optin, cudaDeviceProp, sharedMemPerBlockOptin);
AT(cu_device_prop, cluster_launch, cudaDeviceProp, clusterLaunch);
AT(cu_device_prop, reserved, cudaDeviceProp, reserved);
SAME(cu_func_attributes, cudaFuncAttributes);
AT(cu_func_attributes, max_dynamic_shared_bytes, cudaFuncAttributes, maxDynamicSharedSizeBytes);
SAME(cu_launch_config, cudaLaunchConfig_t);
AT(cu_launch_config, attribute, cudaLaunchConfig_t, attrs);
SAME(cu_launch_attribute, cudaLaunchAttribute);
AT(cu_launch_attribute, value, cudaLaunchAttribute, val);
SAME(cu_pointer_attributes, cudaPointerAttributes);
SAME(cu_memcpy_3d, cudaMemcpy3DParms);
AT(cu_memcpy_3d, extent, cudaMemcpy3DParms, extent);
AT(cu_memcpy_3d, dst_pos, cudaMemcpy3DParms, dstPos);
SAME(cu_memcpy_3d_peer, cudaMemcpy3DPeerParms);
AT(cu_memcpy_3d_peer, dst_array, cudaMemcpy3DPeerParms, dstArray);
SAME(cu_memcpy_3d_batch, cudaMemcpy3DBatchOp);
AT(cu_memcpy_3d_batch, to.of.array.at, cudaMemcpy3DBatchOp, dst.op.array.offset);
AT(cu_memcpy_3d_batch, from.of.memory.hint, cudaMemcpy3DBatchOp, src.op.ptr.locHint);
SAME(cu_mem_access, cudaMemAccessDesc);
SAME(cu_channel_desc, cudaChannelFormatDesc);
SAME(cu_resource_desc, cudaResourceDesc);
AT(cu_resource_desc, of.linear.bytes, cudaResourceDesc, res.linear.sizeInBytes);
AT(cu_resource_desc, of.pitch.pitch_bytes, cudaResourceDesc, res.pitch2D.pitchInBytes);
SAME(cu_texture_desc, cudaTextureDesc);
AT(cu_texture_desc, normalized, cudaTextureDesc, normalizedCoords);
AT(cu_texture_desc, mipmap_max, cudaTextureDesc, maxMipmapLevelClamp);
SAME(cu_resource_view_desc, cudaResourceViewDesc);
AT(cu_resource_view_desc, first_layer, cudaResourceViewDesc, firstLayer);
SAME(cu_mem_pool_props, cudaMemPoolProps);
SAME(cu_kernel_params, cudaKernelNodeParams);
SAME(cu_memset_params, cudaMemsetParams);
SAME(cu_host_params, cudaHostNodeParams);
SAME(cu_graph_edge, cudaGraphEdgeData);
SAME(cu_graph_node_params, cudaGraphNodeParams);
AT(cu_graph_node_params, of.memcpy.copy, cudaGraphNodeParams, memcpy.copyParams);
AT(cu_graph_node_params, of.alloc.pointer, cudaGraphNodeParams, alloc.dptr);
SAME(cu_mem_alloc_params, cudaMemAllocNodeParams);
SAME(cu_update_result, cudaGraphExecUpdateResultInfo);
SAME(cu_instantiate_params, cudaGraphInstantiateParams);
static_assert(CU_LAUNCH_COOPERATIVE == (int)cudaLaunchAttributeCooperative, "");
static_assert(CU_NODE_MEM_FREE == (int)cudaGraphNodeTypeMemFree, "");
static_assert(CU_GRAPH_EXEC_UPDATE_FAILURE == (int)cudaErrorGraphExecUpdateFailure, "");

int
main()
{
	return passed();
}
