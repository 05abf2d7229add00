# fig8.tsv for a reader: a row for each workload, the means, the paper's, and a sentence for each
# disagreement in direction.
BEGIN { FS = "\t" }
/^#/ || $1 == "class" { next }
{
	if (!($2 in row)) {
		row[$2] = ++rows
		name[rows] = $2
		class[rows] = $1
	}
	if (!($3 in column)) {
		column[$3] = ++columns
		policy[columns] = $3
	}
	value[row[$2], column[$3]] = $4
	if ($5 != "")
		paper[column[$3]] = $5
	hits[row[$2], column[$3]] = $7
	warps[row[$2], column[$3]] = $8
}

function line(a, b, what, r,  c) {
	printf "%-6s%-12s", a, b
	for (c = 1; c <= columns; c++)
		printf "%10s", what == "paper" ? sprintf("%.2f", paper[c]) : value[r, c] == "" ? "-" : sprintf("%.3f", value[r, c])
	printf "\n"
}

# What changed with the policy over all workloads: why its mean is what it is.
function why(c, r, better, worse, dh, dw, n, here, hit) {
	for (r = 1; r <= rows; r++) {
		if (warps[r, c] == "")
			continue
		n++
		better += value[r, c] > 1.01
		worse += value[r, c] < 0.99
		dh += hits[r, c] - hits[r, 1]
		dw += warps[r, c] / warps[r, 1]
		here += warps[r, 1]
		hit += hits[r, 1]
	}
	here_mean = here / n
	hit_mean = hit / n
	return sprintf("of %d workloads %d gain and %d lose more than 1 %%; on average L1D's hit rate changes by %+.1f points and active warps by %+.0f %%, from %.1f on an SM that has any", \
	    n, better, worse, dh / n, 100 * (dw / n - 1), here / n)
}

# The workload that is farthest on our side, and what the policy did to it.
function where(c, below, r, far) {
	for (r = 1; r <= rows; r++) {
		if (warps[r, c] == "")
			continue
		if (!far || (below ? value[r, c] < value[far, c] : value[r, c] > value[far, c]))
			far = r
	}
	if (value[far, c] > 0.99 && value[far, c] < 1.01)
		return ""
	return sprintf(" Farthest is %s (%.3f): L1D's hit rate goes from %.1f to %.1f %%, active warps from %.1f to %.1f.", \
	    name[far], value[far, c], hits[far, 1], hits[far, c], warps[far, 1], warps[far, c])
}

# Within 1 % nothing is gained or lost.
function direction(x) { return x > 1.01 ? "gains" : x < 0.99 ? "loses" : "neither gains nor loses" }

END {
	printf "CIAO Fig. 8a: IPC over that of GTO, machine %s, workloads of size %s\n\n", machine, size
	printf "%-6s%-12s", "class", "workload"
	for (c = 1; c <= columns; c++)
		printf "%10s", policy[c]
	printf "\n"
	for (r = 1; r <= rows; r++)
		line(class[r], name[r], "value", r)
	line("all", "paper", "paper")
	printf "\n"
	last = row["geomean"]
	for (c = 2; c <= columns; c++) {
		ours = value[last, c]
		if (direction(ours) == direction(paper[c]))
			continue
		disagreements++
		printf "%s %s against GTO in the paper (%.2f) and %s here (%.3f): %s.%s\n", policy[c], \
		    direction(paper[c]), paper[c], direction(ours), ours, why(c), where(c, ours < paper[c])
	}
	if (!disagreements)
		print "No mean differs from the paper's in direction."
	else if (here_mean < 12 && hit_mean > 50)
		printf "Workloads of this size leave most of an SM's 48 slots empty, %.1f of them have warps on an SM that has any, and L1D hits %.1f %% of accesses under GTO already: there is little to throttle or to isolate.\n", here_mean, hit_mean
}
