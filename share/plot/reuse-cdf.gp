# Cumulative distribution of reuse distances, from a TSV report of warpreuse.
#
#   gnuplot -c reuse-cdf.gp REPORT.tsv OUT [TITLE]
#
# OUT ends in .svg, .png or .pdf; "-" draws in the terminal. First references have no distance and are
# not in the curve; the title says how many they are. With log2 bins the boxes show each bin's share.

if (ARGC < 2) { print "usage: gnuplot -c reuse-cdf.gp REPORT.tsv OUT.svg|OUT.png|- [TITLE]"; exit status 2 }
report = ARG1
out = ARG2
heading = ARGC > 2 ? ARG3 : "Reuse distances"
plain = out eq "-"

# Columns of a table of the report by their names, "?" where there is none.
pick = "< awk -F'\\t' -v table='%s' -v want='%s' '" . \
    "/^#table /{on=$0==\"#table \" table;head=on;next} !on||!NF||/^# /{next} " . \
    "head{for(i=1;i<=NF;i++)at[$i]=i;n=split(want,w,\" \");head=0;next} " . \
    "{s=\"\";for(i=1;i<=n;i++){v=w[i] in at?$(at[w[i]]):\"\";s=s (i>1?\" \":\"\") (v==\"\"?\"?\":v)}print s}' '%s'"
columns(table, want) = sprintf(pick, table, want, report)
ask(name) = system(sprintf("awk -F'\\t' '$1==\"%s\"{print $2;exit}' '%s'", name, report))
pair(name) = ask(name) eq "" ? NaN : ask(name) + 0.0

set datafile missing "?"
stats columns("histogram", "low high accesses") using 2:3 nooutput name "H"
if (!exists("H_records") || H_records == 0) { print report.": no table histogram with distances in it"; exit status 3 }
stats columns("histogram", "low high") using ($1 == 0 || $2 == 2 * $1 - 1) nooutput name "L"
boxes = L_min == 1
accesses = pair("accesses")
warm = accesses - pair("cold")

if (plain) {
	set terminal dumb 79 24 noenhanced
} else {
	set termoption noenhanced
	if (out[strlen(out)-3:] eq ".png") {
		set terminal pngcairo size 900,560 font "sans,12" noenhanced
	} else { if (out[strlen(out)-3:] eq ".pdf") {
		set terminal pdfcairo size 6.4in,4in font "sans,11" noenhanced
	} else {
		set terminal svg size 900,560 dynamic font "sans,14" noenhanced background "white"
	}}
	set output out
}

unit(n) = n >= 2**30 ? sprintf("%gGi", n / 2**30) : n >= 2**20 ? sprintf("%gMi", n / 2**20) : \
    n >= 2**10 ? sprintf("%gKi", n / 2**10) : sprintf("%g", n)
set title sprintf("%s (%.3g %% of %s are first references)", heading, pair("cold_share"), \
    sprintf("%.0f accesses", accesses))
# On a logarithmic axis distance 0 needs a place: a point x holds the references below x.
set xlabel "distance below (lines)"
set ylabel (plain ? "CDF %" : "references that reuse a line (%)")
set logscale x 2
last = ceil(log(H_max_x + 1) / log(2) - 1e-9)
last = last < 1 ? 1 : last
every_nth = last / (plain ? 8 : 16) + 1
set xtics () nomirror
do for [e=0:last:int(every_nth)] { set xtics add (unit(2.0**e) 2.0**e) }
set xrange [0.5:2.0**(last + 0.3)]
set yrange [0:100]
set ytics 20 nomirror
set border 3
set tics out
set key top left
if (!plain) {
	set mytics 2
	set grid ytics lc rgb "#cccccc" lt 1 lw 0.5
	set style fill solid 0.25 border lc rgb "#888888"
}
cdf = columns("histogram", "low high accesses cdf")
left(low) = low == 0 ? 0.5 : low
shape = boxes ? "linespoints" : "steps"
if (boxes && !plain) {
	# a bin's box covers it: from its first distance to behind its last
	plot cdf using (left($1)):(100 * $3 / warm):(left($1)):($2 + 1):(0):(100 * $3 / warm) \
	    with boxxyerror lc rgb "#888888" title "in this bin", \
	    cdf using ($2 + 1):4 with linespoints lc rgb "black" lw 2 pt 7 ps 0.6 title "at a smaller distance"
} else {
	plot cdf using ($2 + 1):4 with @shape lc rgb "black" lw 2 title "at a smaller distance"
}
