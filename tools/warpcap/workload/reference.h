/* Sums that several references need, each in the order of the kernels. */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stdint.h>

/* y[i] += sum over j of A[i][j] x[j]; A is m rows of n. */
void reference_rows(const float *A, const float *x, float *y, int32_t m, int32_t n);
/* y[j] += sum over i of A[i][j] x[i] */
void reference_columns(const float *A, const float *x, float *y, int32_t m, int32_t n);
/* C[m][n] += A[m][k] B[k][n] */
void reference_product(const float *A, const float *B, float *C, int32_t m, int32_t n, int32_t k);

/* The number of the centre nearest to a point, the first of several. */
int32_t
reference_nearest(const float *point, const float *centre, int32_t features, int32_t clusters);

#endif
