# Curves: cumulative distributions, miss ratios, series over time. Besides what base.gp names: shape, every_nth.
if (plain) {
	plot for [i=1:n] $data index i-1 using 1:2 with lines lt i title legend[i]
} else {
	array dash_of[5] = [1, 2, 4, 5, 3]
	array point_of[10] = [7, 4, 9, 12, 5, 6, 8, 13, 10, 11]
	colour(i) = ink[(i - 1) % 16 + 1]
	do for [i=1:n] {
		set style line i lc rgb colour(i) lw 2.2 dt dash_of[(i - 1) % 5 + 1] pt point_of[(i - 1) % 10 + 1] ps 0.8 pi every_nth
	}
	if (error_bars) {
		plot for [i=1:n] $data index i-1 using 1:2:3:4 with yerrorbars lc rgb colour(i) pt 7 ps 0 title (i == 1 ? '95 % interval' : ''), \
		    for [i=1:n] $data index i-1 using 1:2 with @shape ls i title legend[i]
	} else {
		plot for [i=1:n] $data index i-1 using 1:2 with @shape ls i title legend[i]
	}
}
