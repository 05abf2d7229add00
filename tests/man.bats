load helper

pages() { ls "$ROOT"/man/*.[1-8]; }

# rendered PAGE SECTION: its text, without overstriking
rendered() {
	mandoc -Tascii -O width=200 "$1" | sed 's/.\x08//g' |
	    awk -v section="$2" '/^[A-Z]/{on = ($0 == section); next} on'
}

# "o output FILE" for each option of stdin's lines "-o, --output FILE"
normal() {
	sed -E -e 's/^(-.) ([^-,][^,]*), /\1, /' -e 's/=/ /' |
	    awk '{letter = "."; name = "."; argument = "."
		for (i = 1; i <= NF; i++) {
			w = $i; sub(/,$/, "", w)
			if (w ~ /^--/) name = substr(w, 3)
			else if (w ~ /^-.$/) letter = substr(w, 2)
			else { argument = w; break }
		}
		print letter, name, argument}' | sort
}

help_options() { "$1" -h | sed -nE 's/^ {2,6}(-.*)/\1/p' | sed -E 's/  .*//' | normal; }
page_options() { rendered "$1" OPTIONS | sed -nE 's/^     (-[^ ].*)/\1/p' | sed -E 's/  .*//' | normal; }

# the letters and long names that a synopsis mentions, one a line
mentioned() {
	tr '[]|\n' '    ' | grep -oE '(^| )-[^ ]+' | awk '{
		if ($1 ~ /^--/) print substr($1, 3)
		else for (i = 2; i <= length($1); i++) print substr($1, i, 1)}' | sort -u
}

@test "man: mandoc has nothing to say about any page" {
	run -0 bash -c "mandoc -Tlint -Wwarning $(pages | tr '\n' ' ')"
	[ -z "$output" ]
}

@test "man: every tool has a page, and every page's options are those of the tool's -h" {
	bad=
	for tool in "$B"/bin/*; do
		name=$(basename "$tool")
		page=$ROOT/man/$name.1
		if [ ! -e "$page" ]; then
			echo "$name has no page"
			bad=1
			continue
		fi
		diff -u --label "$name -h" --label "$name.1 OPTIONS" <(help_options "$tool") <(page_options "$page") || bad=1
		diff -u --label "usage of $name" --label "$name.1 SYNOPSIS" \
		    <("$tool" -h | sed '/^$/,$d' | sed '1s/^usage: [^ ]*//' | sed '$d' | mentioned) \
		    <(rendered "$page" SYNOPSIS | mentioned) || bad=1
	done
	[ -z "$bad" ]
}

@test "man: every tool's page has the sections of the house" {
	bad=
	for tool in "$B"/bin/*; do
		for section in NAME SYNOPSIS DESCRIPTION OPTIONS "EXIT STATUS" EXAMPLES "SEE ALSO"; do
			grep -qx ".Sh $section" "$ROOT/man/$(basename "$tool").1" || { echo "$tool: no $section"; bad=1; }
		done
	done
	[ -z "$bad" ]
}

@test "man: pages that are referred to exist" {
	bad=
	for page in $(pages); do
		while read -r name section; do
			[ -e "$ROOT/man/$name.$section" ] || { echo "$page: $name($section)"; bad=1; }
		done < <(sed -nE 's/^\.Xr (warp[a-z-]*) ([1-8]).*/\1 \2/p' "$page")
	done
	[ -z "$bad" ]
}

@test "man: every example runs and prints what it shows" {
	run -0 "$T/man-examples" $(pages)
	[ -z "$output" ]
}

@test "man: what README.md shows is what its commands print" {
	run -0 "$T/man-examples" "$ROOT/README.md"
	[ -z "$output" ]
}

@test "man: an example that prints something else is found" {
	cat >x.1 <<'EOF'
.Sh EXAMPLES
.Bd -literal -offset indent
$ printf 'a\enb\enc\en'
a
...
c
$ echo '* (x) [y]'
* (x) [y]
$ echo one
> echo two
one
two
.Ed
EOF
	run -0 "$T/man-examples" x.1
	[ -z "$output" ]
	sed -i 's/^two$/three/' x.1
	run -1 "$T/man-examples" x.1
	[[ $output == "x.1:9: "*"-three"*"+two"* ]]
}

@test "man: an example that does not end is stopped and told, with all it started" {
	cat >x.1 <<'EOF'
.Sh EXAMPLES
.Bd -literal -offset indent
$ sleep 77777 | cat
$ echo '  after'
  after
.Ed
EOF
	EXAMPLE_SECONDS=1 run -1 "$T/man-examples" x.1
	[ "$output" = 'x.1:3: $ sleep 77777 | cat
has not ended after 1 s' ]
}
