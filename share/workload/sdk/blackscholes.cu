/*
 * Prices of European options (Black and Scholes), as the CUDA samples compute them: threads stride over the options, five
 * coalesced streams, nothing used twice.
 */
#include "../device.h"

DEVICE float
cumulative_normal(float d)
{
	float size = d < 0 ? -d : d, k = 1.0f / FMA(0.2316419f, size, 1.0f);
	float polynomial = FMA(k, 1.330274429f, -1.821255978f);
	polynomial = FMA(k, polynomial, 1.781477937f);
	polynomial = FMA(k, polynomial, -0.356563782f);
	polynomial = FMA(k, polynomial, 0.31938153f);
	float tail = 0.39894228040143267794f * EXP(-0.5f * d * d) * (k * polynomial);
	return d > 0 ? 1.0f - tail : tail;
}

KERNEL
blackscholes(float *call, float *put, const float *price, const float *strike, const float *years, float rate, float volatility, int n)
{
	ROLLED
	for (int i = GLOBAL_X; i < n; i += GRID_X * BLOCK_X) {
		float root = __nvvm_sqrt_rn_f(years[i]), spread = volatility * root;
		float d1 = FMA(FMA(0.5f * volatility, volatility, rate), years[i], LOG(price[i] / strike[i])) / spread;
		float d2 = d1 - spread, n1 = cumulative_normal(d1), n2 = cumulative_normal(d2);
		float discounted = strike[i] * EXP(-rate * years[i]);
		call[i] = price[i] * n1 - discounted * n2;
		put[i] = discounted * (1.0f - n2) - price[i] * (1.0f - n1);
	}
}
