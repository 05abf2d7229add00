# From the comparison of each workload's policies to one table: IPC over that of GTO, geometric means
# by class and over all, and what the paper has (section V-B) beside ours.
BEGIN {
	FS = OFS = "\t"
	put("LWS", lws)
	put("SWS", sws)
	put("CI", ci)
	n_policy = split("gto ccws best-swl statpcal ciao-t ciao-p ciao-c", policy, " ")
	paper["gto"] = 1; paper["ccws"] = 1.02; paper["best-swl"] = 1.16; paper["statpcal"] = 1.24
	paper["ciao-t"] = 1.34; paper["ciao-p"] = 1.34; paper["ciao-c"] = 1.56
	print "#table fig8"
	print "# title: IPC over that of GTO"
	print "class", "workload", "policy", "relative", "paper", "ipc", "l1d_hit_rate", "active_warps"
}

function put(class, names, list, n, i) {
	n = split(names, list, " ")
	for (i = 1; i <= n; i++)
		class_of[list[i]] = class
}

FNR == 1 {
	workload = FILENAME
	sub(/.*\//, "", workload)
	sub(/\..*/, "", workload)
}
/^#table/ { comparison = $0 == "#table comparison"; next }
comparison && NF == 9 && $1 != "input" {
	name = $2
	sub(/:.*/, "", name)
	if (name == "swl")
		name = "best-swl"
	if ($6 + 0 <= 0)
		next
	print class_of[workload], workload, name, $6, "", $5, $7, $9
	add(class_of[workload], name, $6)
	add("all", name, $6)
}

function add(class, name, x) {
	logs[class, name] += log(x)
	n[class, name]++
}

function means(class, i) {
	for (i = 1; i <= n_policy; i++)
		if (n[class, policy[i]])
			print class, class == "all" ? "geomean" : "gm-" tolower(class), policy[i], \
			    exp(logs[class, policy[i]] / n[class, policy[i]]), \
			    class == "all" ? paper[policy[i]] : "", "", "", ""
}

END {
	means("LWS")
	means("SWS")
	means("CI")
	means("all")
	print "# report: fig8"
}
