#include <math.h>
#include "workload/workload.h"

WORKLOAD_PTX(blackscholes, "sdk/blackscholes.ptx");

static const struct parameter parameter[] = {
    {"N", "options", PARAMETER_INTEGER, 262144, 1, 1 << 28, NULL},
    {"CTAS", "that share them", PARAMETER_INTEGER, 480, 1, 65535, NULL},
    {NULL},
};

static uint64_t
footprint(const struct host *h)
{
	uint64_t n = (uint64_t)host_integer(h, "N");
	return 20 * n;
}

static double
cumulative_normal(double d)
{
	return 0.5 * erfc(-d * 0.70710678118654752440);
}

/* One option, in twice the precision; put from call by parity. */
static void
price_option(float *call, float *put, double price, double strike, double years)
{
	const double rate = (double)0.02f, volatility = (double)0.3f,
		     spread = volatility * sqrt(years);
	double d1 = (log(price / strike) + (rate + 0.5 * volatility * volatility) * years) / spread;
	double discounted = strike * exp(-rate * years);
	double value = price * cumulative_normal(d1) - discounted * cumulative_normal(d1 - spread);
	*call = (float)value;
	*put = (float)(value + discounted - price);
}

static void
run(struct host *h)
{
	int32_t n = (int32_t)host_integer(h, "N");
	uint64_t bytes = 4 * (uint64_t)n;
	float *price = host_uniform(h, n, 0, 5, 30), *strike = host_uniform(h, n, 1, 1, 100),
	      *years = host_uniform(h, n, 2, 0.25, 10), rate = 0.02f, volatility = 0.3f;
	float *call = host_memory(h, n, sizeof *call), *put = host_memory(h, n, sizeof *put);
	uint64_t dprice = host_input(h, "prices", price, bytes),
		 dstrike = host_input(h, "strikes", strike, bytes),
		 dyears = host_input(h, "years", years, bytes);
	uint64_t dcall = host_device(h, "calls", bytes), dput = host_device(h, "puts", bytes);
	host_launch(h, "blackscholes",
	    (struct host_shape){{(uint32_t)host_integer(h, "CTAS"), 1, 1}, {128, 1, 1}, 0},
	    ARGUMENTS(&dcall, &dput, &dprice, &dstrike, &dyears, &rate, &volatility, &n));
	host_download(h, dcall, bytes);
	host_download(h, dput, bytes);
	if (!host_verifies(h))
		return;
	for (int32_t i = 0; i < n; i++)
		price_option(
		    &call[i], &put[i], (double)price[i], (double)strike[i], (double)years[i]);
	host_expect_near(h, "call", dcall, call, n, 1e-4, 1e-4);
	host_expect_near(h, "put", dput, put, n, 1e-4, 1e-4);
}

const struct workload workload_blackscholes = {
    .name = "blackscholes",
    .summary = "prices of options: five coalesced streams, nothing used twice",
    .origin = "CUDA samples, BlackScholes",
    .parameter = parameter,
    .small = "N=5000 CTAS=7",
    .paper = "N=4000000 CTAS=480",
    .footprint = "20 N",
    .check = "within 1e-4 of double precision",
    .ptx = blackscholes_ptx,
    .ptx_end = blackscholes_ptx_end,
    .footprint_bytes = footprint,
    .run = run,
};
