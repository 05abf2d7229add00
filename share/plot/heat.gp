# A map of shades: white is least, black is most. Besides what base.gp names: lowest, highest. A row of the data: place along x, place along y, value.
set key off
unset grid
set border 15
set cblabel zlabel offset 1, 0
set cbtics out
if (plain) {
	shade(z) = substr(' .:-=+*#%@', 1 + int(9.99 * (z - lowest) / (highest - lowest)), 1 + int(9.99 * (z - lowest) / (highest - lowest)))
	set title sprintf("%s\n%s: blank %g ... @ %g", heading, zlabel, lowest, highest)
	plot $data using 1:2:(shade($3)) with labels notitle
} else {
	set palette defined (0 '#ffffff', 1 '#b8cfe5', 2 '#5f8fc0', 3 '#2a4f86', 4 '#000010')
	# Boxes and not an image: in that, what is missing would move all that follows. They overlap by a dot, lest seams show.
	dx = .5 + .0007 * places
	dy = .5 + .001 * rows
	plot $data using 1:2:($1 - .5):($1 + dx):($2 - .5):($2 + dy):3 with boxxyerror fillstyle solid noborder fillcolor palette notitle
}
