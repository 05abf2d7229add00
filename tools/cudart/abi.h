/*
 * The binary interface of CUDA's runtime, version 13, as far as this library speaks it: layouts and
 * numbers as the vendor's headers have them, under names of our own. A test compares them with the
 * headers where those are installed.
 */
#ifndef CUDART_ABI_H
#define CUDART_ABI_H

#include <stddef.h>
#include <stdint.h>

/* Only these functions are seen from outside, under the version the program asks for. */
#define API __attribute__((visibility("default")))
/* They are declared by the vendor's headers, not by ours. */
#ifndef __cplusplus
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#endif

#define CUDART_VERSION 13000

enum cu_error {
	CU_OK = 0,
	CU_INVALID_VALUE = 1,
	CU_MEMORY_ALLOCATION = 2,
	CU_INITIALIZATION_ERROR = 3,
	CU_UNLOADING = 4,
	CU_INVALID_CONFIGURATION = 9,
	CU_INVALID_PITCH_VALUE = 12,
	CU_INVALID_SYMBOL = 13,
	CU_INVALID_DEVICE_POINTER = 17,
	CU_INVALID_CHANNEL_DESCRIPTOR = 20,
	CU_INVALID_MEMCPY_DIRECTION = 21,
	CU_MISSING_CONFIGURATION = 52,
	CU_INVALID_DEVICE_FUNCTION = 98,
	CU_INVALID_DEVICE = 101,
	CU_INVALID_KERNEL_IMAGE = 200,
	CU_DEVICE_UNINITIALIZED = 201,
	CU_MAP_FAILED = 205,
	CU_NO_KERNEL_IMAGE = 209,
	CU_UNSUPPORTED_LIMIT = 215,
	CU_PEER_ACCESS_UNSUPPORTED = 217,
	CU_INVALID_PTX = 218,
	CU_FILE_NOT_FOUND = 301,
	CU_OPERATING_SYSTEM = 304,
	CU_INVALID_RESOURCE_HANDLE = 400,
	CU_ILLEGAL_STATE = 401,
	CU_SYMBOL_NOT_FOUND = 500,
	CU_NOT_READY = 600,
	CU_ILLEGAL_ADDRESS = 700,
	CU_LAUNCH_OUT_OF_RESOURCES = 701,
	CU_LAUNCH_TIMEOUT = 702,
	CU_PEER_ACCESS_NOT_ENABLED = 705,
	CU_ASSERT = 710,
	CU_HOST_MEMORY_ALREADY_REGISTERED = 712,
	CU_HOST_MEMORY_NOT_REGISTERED = 713,
	CU_HARDWARE_STACK_ERROR = 714,
	CU_ILLEGAL_INSTRUCTION = 715,
	CU_MISALIGNED_ADDRESS = 716,
	CU_INVALID_PC = 718,
	CU_LAUNCH_FAILURE = 719,
	CU_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
	CU_NOT_PERMITTED = 800,
	CU_NOT_SUPPORTED = 801,
	CU_STREAM_CAPTURE_UNSUPPORTED = 900,
	CU_STREAM_CAPTURE_INVALIDATED = 901,
	CU_STREAM_CAPTURE_MERGE = 902,
	CU_STREAM_CAPTURE_UNMATCHED = 903,
	CU_STREAM_CAPTURE_UNJOINED = 904,
	CU_STREAM_CAPTURE_ISOLATION = 905,
	CU_STREAM_CAPTURE_IMPLICIT = 906,
	CU_CAPTURED_EVENT = 907,
	CU_STREAM_CAPTURE_WRONG_THREAD = 908,
	CU_GRAPH_EXEC_UPDATE_FAILURE = 910,
	CU_INVALID_CLUSTER_SIZE = 912,
};

struct cu_dim3 {
	unsigned x, y, z;
};

struct cu_uuid {
	char bytes[16];
};

struct cu_device_prop {
	char name[256];
	struct cu_uuid uuid;
	char luid[8];
	unsigned luid_device_node_mask;
	size_t total_global_mem;
	size_t shared_mem_per_block;
	int regs_per_block;
	int warp_size;
	size_t mem_pitch;
	int max_threads_per_block;
	int max_threads_dim[3];
	int max_grid_size[3];
	size_t total_const_mem;
	int major, minor;
	size_t texture_alignment, texture_pitch_alignment;
	int multi_processor_count;
	int integrated;
	int can_map_host_memory;
	int max_texture_1d, max_texture_1d_mipmap, max_texture_2d[2], max_texture_2d_mipmap[2],
	    max_texture_2d_linear[3], max_texture_2d_gather[2], max_texture_3d[3],
	    max_texture_3d_alt[3], max_texture_cubemap, max_texture_1d_layered[2],
	    max_texture_2d_layered[3], max_texture_cubemap_layered[2];
	int max_surface_1d, max_surface_2d[2], max_surface_3d[3], max_surface_1d_layered[2],
	    max_surface_2d_layered[3], max_surface_cubemap, max_surface_cubemap_layered[2];
	size_t surface_alignment;
	int concurrent_kernels;
	int ecc_enabled;
	int pci_bus_id, pci_device_id, pci_domain_id;
	int tcc_driver;
	int async_engine_count;
	int unified_addressing;
	int memory_bus_width;
	int l2_cache_size;
	int persisting_l2_cache_max_size;
	int max_threads_per_multi_processor;
	int stream_priorities_supported;
	int global_l1_cache_supported, local_l1_cache_supported;
	size_t shared_mem_per_multiprocessor;
	int regs_per_multiprocessor;
	int managed_memory;
	int is_multi_gpu_board, multi_gpu_board_group_id;
	int host_native_atomic_supported;
	int pageable_memory_access;
	int concurrent_managed_access;
	int compute_preemption_supported;
	int can_use_host_pointer_for_registered_mem;
	int cooperative_launch;
	size_t shared_mem_per_block_optin;
	int pageable_memory_access_uses_host_page_tables;
	int direct_managed_mem_access_from_host;
	int max_blocks_per_multi_processor;
	int access_policy_max_window_size;
	size_t reserved_shared_mem_per_block;
	int host_register_supported;
	int sparse_cuda_array_supported;
	int host_register_read_only_supported;
	int timeline_semaphore_interop_supported;
	int memory_pools_supported;
	int gpu_direct_rdma_supported;
	unsigned gpu_direct_rdma_flush_writes_options;
	int gpu_direct_rdma_writes_ordering;
	unsigned memory_pool_supported_handle_types;
	int deferred_mapping_cuda_array_supported;
	int ipc_event_supported;
	int cluster_launch;
	int unified_function_pointers;
	int device_numa_config, device_numa_id;
	int mps_enabled;
	int host_numa_id;
	unsigned gpu_pci_device_id, gpu_pci_subsystem_id;
	int host_numa_multinode_ipc_supported;
	int reserved[56];
};

struct cu_func_attributes {
	size_t shared_bytes, const_bytes, local_bytes;
	int max_threads_per_block;
	int num_regs;
	int ptx_version, binary_version;
	int cache_mode_ca;
	int max_dynamic_shared_bytes;
	int preferred_carveout;
	int cluster_dim_must_be_set;
	int required_cluster[3];
	int cluster_scheduling_policy;
	int non_portable_cluster_allowed;
	int reserved[16];
};

struct cu_launch_attribute {
	int id;
	char pad[4];
	union {
		char pad[64];
		int number;
		struct cu_dim3 dim;
	} value;
};
enum cu_launch_attribute_id {
	CU_LAUNCH_COOPERATIVE = 2,
	CU_LAUNCH_CLUSTER_DIMENSION = 4,
	CU_LAUNCH_PROGRAMMATIC_EVENT = 7,
	CU_LAUNCH_PRIORITY = 8,
	CU_LAUNCH_COMPLETION_EVENT = 12,
	CU_LAUNCH_ATTRIBUTES = 17,
};

struct cu_launch_config {
	struct cu_dim3 grid, block;
	size_t dynamic_shared_bytes;
	void *stream;
	struct cu_launch_attribute *attribute; /* [n_attribute] */
	unsigned n_attribute;
};

enum cu_memcpy_kind {
	CU_HOST_TO_HOST,
	CU_HOST_TO_DEVICE,
	CU_DEVICE_TO_HOST,
	CU_DEVICE_TO_DEVICE,
	CU_COPY_DEFAULT,
};

enum cu_memory_type {
	CU_MEMORY_UNREGISTERED,
	CU_MEMORY_HOST,
	CU_MEMORY_DEVICE,
	CU_MEMORY_MANAGED,
};

struct cu_pointer_attributes {
	int type; /* enum cu_memory_type */
	int device;
	void *device_pointer, *host_pointer;
	long reserved[8];
};

struct cu_extent {
	size_t width, height, depth;
};

struct cu_pos {
	size_t x, y, z;
};

struct cu_pitched_ptr {
	void *ptr;
	size_t pitch, xsize, ysize;
};

struct cu_array;

struct cu_memcpy_3d {
	struct cu_array *src_array;
	struct cu_pos src_pos;
	struct cu_pitched_ptr src_ptr;
	struct cu_array *dst_array;
	struct cu_pos dst_pos;
	struct cu_pitched_ptr dst_ptr;
	struct cu_extent extent;
	int kind; /* enum cu_memcpy_kind */
};

struct cu_memcpy_3d_peer {
	struct cu_array *src_array;
	struct cu_pos src_pos;
	struct cu_pitched_ptr src_ptr;
	int src_device;
	struct cu_array *dst_array;
	struct cu_pos dst_pos;
	struct cu_pitched_ptr dst_ptr;
	int dst_device;
	struct cu_extent extent;
};

struct cu_mem_location {
	int type, id;
};
struct cu_mem_access {
	struct cu_mem_location location;
	int flags; /* 1: may be read, 3: and written */
};

/* An end of a copy in a batch; what is counted are elements. */
struct cu_memcpy_operand {
	int type; /* enum cu_operand_type */
	union {
		struct {
			void *pointer;
			size_t row_elements, layer_rows; /* 0: as the copy's extent */
			struct cu_mem_location hint;
		} memory;
		struct {
			struct cu_array *array;
			struct cu_pos at;
		} array;
	} of;
};
enum cu_operand_type {
	CU_OPERAND_POINTER = 1,
	CU_OPERAND_ARRAY,
};

struct cu_memcpy_3d_batch {
	struct cu_memcpy_operand from, to;
	struct cu_extent extent;
	int order;
	unsigned flags;
};

struct cu_channel_desc {
	int x, y, z, w; /* bits */
	int kind;	/* enum cu_channel_kind */
};
enum cu_channel_kind {
	CU_CHANNEL_SIGNED,
	CU_CHANNEL_UNSIGNED,
	CU_CHANNEL_FLOAT,
	CU_CHANNEL_NONE,
};

enum cu_resource_type {
	CU_RESOURCE_ARRAY,
	CU_RESOURCE_MIPMAPPED,
	CU_RESOURCE_LINEAR,
	CU_RESOURCE_PITCH_2D,
};

struct cu_resource_desc {
	int type; /* enum cu_resource_type */
	union {
		struct cu_array *array;
		struct cu_mipmapped *mipmapped;
		struct {
			void *pointer;
			struct cu_channel_desc desc;
			size_t bytes;
		} linear;
		struct {
			void *pointer;
			struct cu_channel_desc desc;
			size_t width, height, pitch_bytes;
		} pitch;
		int reserved[32];
	} of;
	unsigned flags;
};

struct cu_texture_desc {
	int address_mode[3];
	int filter_mode;
	int read_mode;
	int srgb;
	float border[4];
	int normalized;
	unsigned max_anisotropy;
	int mipmap_filter;
	float mipmap_bias, mipmap_min, mipmap_max;
	int disable_trilinear;
	int seamless_cubemap;
};

struct cu_resource_view_desc {
	int format;
	size_t width, height, depth;
	unsigned first_level, last_level, first_layer, last_layer;
	unsigned reserved[16];
};

struct cu_mem_pool_props {
	int alloc_type, handle_types;
	struct cu_mem_location location;
	void *security;
	size_t max_bytes;
	unsigned short usage;
	unsigned char reserved[54];
};

struct cu_kernel_params {
	void *func;
	struct cu_dim3 grid, block;
	unsigned shared_bytes;
	void **args;
	void **extra;
};

struct cu_memset_params {
	void *dst;
	size_t pitch;
	unsigned value;
	unsigned element_bytes;
	size_t width, height;
};

typedef void cu_host_fn(void *arg);
typedef void cu_log_fn(void *arg, int level, char *text, size_t bytes);
typedef void cu_stream_callback(void *stream, int status, void *arg);

struct cu_host_params {
	cu_host_fn *fn;
	void *arg;
};

struct cu_graph_edge {
	unsigned char from_port, to_port, type, reserved[5];
};

enum cu_node_type {
	CU_NODE_KERNEL,
	CU_NODE_MEMCPY,
	CU_NODE_MEMSET,
	CU_NODE_HOST,
	CU_NODE_GRAPH,
	CU_NODE_EMPTY,
	CU_NODE_WAIT_EVENT,
	CU_NODE_EVENT_RECORD,
	CU_NODE_MEM_ALLOC = 10,
	CU_NODE_MEM_FREE = 11,
	CU_NODE_CONDITIONAL = 13,
};

struct cu_mem_alloc_params {
	struct cu_mem_pool_props pool;
	const void *access;
	size_t n_access;
	size_t bytes;
	void *pointer;
};

struct cu_conditional_params {
	unsigned long long handle;
	int type;
	unsigned n;
	void **body; /* [n] out: the node's own */
};

struct cu_graph_node_params {
	int type; /* enum cu_node_type */
	int reserved0[3];
	union {
		long long reserved[29];
		struct cu_kernel_params kernel;
		struct {
			int flags, reserved[3];
			struct cu_memcpy_3d copy;
		} memcpy;
		struct cu_memset_params memset;
		struct cu_host_params host;
		struct {
			void *graph;
			int ownership;
		} graph;
		void *event;
		struct cu_mem_alloc_params alloc;
		void *free_pointer;
		struct cu_conditional_params conditional;
	} of;
	long long reserved2;
};

struct cu_update_result {
	int result;
	void *error_node, *error_from_node;
};

struct cu_instantiate_params {
	unsigned long long flags;
	void *upload_stream, *error_node;
	int result;
};

struct cu_ipc_handle {
	char reserved[64];
};

/* What __cudaRegisterTexture and __cudaRegisterSurface point to are host variables of the program;
 * texture references are gone from CUDA 12 on, so nothing is read from them. */

#endif
