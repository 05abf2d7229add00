# Bars side by side (bars) or on each other (stack). A row of the data: from, to, bottom, top.
if (n == 1 && kind eq 'bars') { set key off }
if (kind eq 'stack' && key_place eq 'right') { set key invert }
set xtics scale 0
set style fill solid 1 border lc rgb 'black'
if (geomean) { set arrow from places - 1.5, graph 0 to places - 1.5, graph 1 nohead dt 2 lc rgb '#666666' }
if (plain) {
	plot for [i=1:n] $data index i-1 using (($1 + $2) / 2):4:1:2:3:4 with boxxyerror lt i title legend[i]
} else {
	plot for [i=1:n] $data index i-1 using (($1 + $2) / 2):4:1:2:3:4 with boxxyerror \
	    fs pattern pattern_of[(i - 1) % 16 + 1] border lc rgb 'black' lc rgb fill_ink[(i - 1) % 16 + 1] title legend[i]
}
