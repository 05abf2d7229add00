#include "workload.h"

extern const struct workload workload_vectoradd, workload_atax, workload_gesummv, workload_syrk,
    workload_2dconv, workload_gemm, workload_bfs, workload_spmv, workload_histogram,
    workload_reduction;

const struct workload *const workload_table[] = {
    &workload_vectoradd,
    &workload_atax,
    &workload_gesummv,
    &workload_syrk,
    &workload_2dconv,
    &workload_gemm,
    &workload_bfs,
    &workload_spmv,
    &workload_histogram,
    &workload_reduction,
    NULL,
};
