#include "workload.h"

extern const struct workload workload_atax, workload_bicg, workload_mvt, workload_gesummv,
    workload_syrk, workload_syr2k, workload_2mm, workload_3mm, workload_2dconv, workload_3dconv,
    workload_corr, workload_fdtd2d, workload_bfs, workload_vectoradd, workload_gemm,
    workload_histogram, workload_reduction, workload_spmv;

/* Suite by suite: PolyBench, Rodinia, SDK, SHOC. */
const struct workload *const workload_table[] = {
    &workload_atax,
    &workload_bicg,
    &workload_mvt,
    &workload_gesummv,
    &workload_syrk,
    &workload_syr2k,
    &workload_2mm,
    &workload_3mm,
    &workload_2dconv,
    &workload_3dconv,
    &workload_corr,
    &workload_fdtd2d,
    &workload_bfs,
    &workload_vectoradd,
    &workload_gemm,
    &workload_histogram,
    &workload_reduction,
    &workload_spmv,
    NULL,
};
