# What all pictures share: thin axes on two sides, curves and bars that differ in grey, too. Comes before the kind's own
# style. What is known by then: kind, plain (drawn in a terminal), n, legend[1..n], key_place, key_columns, places,
# rows (of a map), geomean, error_bars, zlabel, heading.
set border 3
set tics out nomirror
set ytics nomirror
set key samplen 2.5 width 1 Left reverse
if (key_place eq 'above') {
	set key at graph 0.5, graph 1.015 center bottom horizontal maxrows 1
	set title offset 0, 1
	set tmargin 4
}
if (key_place eq 'right') { set key outside right top vertical }
if (key_place eq 'below') {
	set key bmargin center horizontal maxcols key_columns
	set xlabel offset 0, 0.5
}
if (plain) {
	set key outside top center horizontal
	set title offset 0, 0
	set xlabel offset 0, 0
	set tmargin -1
}
if (!plain) { set grid ytics back lc rgb '#cccccc' lt 1 lw 0.5 }

# dark and light in turn; dashes and points tell them apart without colour
array ink[16] = ['#000000', '#c0392b', '#1f618d', '#7d8c00', '#8e44ad', '#ca6f1e', '#117a65', '#7f8c8d', \
    '#000000', '#c0392b', '#1f618d', '#7d8c00', '#8e44ad', '#ca6f1e', '#117a65', '#7f8c8d']
# hatched bars first, then plain greys and pale colours
array pattern_of[16] = [3, 0, 4, 2, 5, 1, 6, 7, 3, 3, 3, 3, 3, 3, 3, 3]
array fill_ink[16] = ['#303030', '#000000', '#1f618d', '#c0392b', '#117a65', '#8e44ad', '#ca6f1e', '#7d8c00', \
    '#c8c8c8', '#8a8a8a', '#f4d0c8', '#a8c8e8', '#d4e8b8', '#606090', '#e8dca0', '#a06060']
