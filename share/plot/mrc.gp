# Miss ratio over cache size, from a TSV report of warpreuse.
#
#   gnuplot -c mrc.gp REPORT.tsv OUT [TITLE]
#
# OUT ends in .svg, .png or .pdf; "-" draws in the terminal. Sampled reports show their 95 % bars.

if (ARGC < 2) { print "usage: gnuplot -c mrc.gp REPORT.tsv OUT.svg|OUT.png|- [TITLE]"; exit status 2 }
report = ARG1
out = ARG2
heading = ARGC > 2 ? ARG3 : "Misses of a fully associative LRU cache"
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
stats columns("mrc", "bytes miss_ratio") using 1:2 nooutput name "M"
if (!exists("M_records") || M_records == 0) { print report.": no table mrc with misses in it"; exit status 3 }
bars = system(sprintf("grep -c low95 '%s'", report)) + 0 > 0
cold = pair("cold_share")

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

unit(b) = b >= 2**30 ? sprintf("%g Gi", b / 2**30) : b >= 2**20 ? sprintf("%g Mi", b / 2**20) : \
    b >= 2**10 ? sprintf("%g Ki", b / 2**10) : sprintf("%g ", b)
set title heading
set xlabel sprintf("cache size (lines of %g B)", pair("line"))
set ylabel (plain ? "miss %" : "miss ratio (%)")
set logscale x 2
first = floor(log(M_min_x) / log(2) + 1e-9)
last = ceil(log(M_max_x) / log(2) - 1e-9)
if (last == first) { first = first - 1; last = last + 1 }
every_nth = (last - first) / (plain ? 6 : 10) + 1
set xtics () nomirror
do for [e=first:last:int(every_nth)] { set xtics add (unit(2.0**e)."B" 2.0**e) }
set xrange [2.0**first:2.0**last]
set yrange [0:100]
set ytics 20 nomirror
set border 3
set tics out
set key top right
if (!plain) {
	set mytics 2
	set grid xtics ytics lc rgb "#cccccc" lt 1 lw 0.5
}
style = M_records > 48 ? "steps" : "linespoints"
curve = columns("mrc", "bytes miss_ratio")
errors = columns("mrc", "bytes miss_ratio low95 high95")
floor_title = sprintf("first references (%.3g %%)", cold)
if (bars) {
	plot cold with lines dt 2 lc rgb "#666666" lw 1.5 title floor_title, \
	    errors using 1:2:3:4 with yerrorbars lc rgb "black" pt 7 ps 0.5 title "95 % interval", \
	    curve using 1:2 with lines lc rgb "black" lw 2 title "miss ratio, sampled"
} else { if (style eq "steps") {
	plot cold with lines dt 2 lc rgb "#666666" lw 1.5 title floor_title, \
	    curve using 1:2 with steps lc rgb "black" lw 2 title "miss ratio"
} else {
	plot cold with lines dt 2 lc rgb "#666666" lw 1.5 title floor_title, \
	    curve using 1:2 with linespoints lc rgb "black" lw 2 pt 7 ps 0.6 title "miss ratio"
}}
