# bash completion of warpcap and its tools: options are what each tool's -h lists, so this file need not know them.

_warpcap_words()
{
	# "  -o, --output FILE   help" gives -o and --output; with an argument name, what follows is a file or a free word.
	"$1" -h 2>/dev/null | sed -n 's/^  \(-.\), \(--[a-z0-9-]*\).*/\1 \2/p; s/^      \(--[a-z0-9-]*\).*/\1/p'
}

_warpcap_argument_of()
{
	# The name that -h gives the argument of option $2 of tool $1.
	"$1" -h 2>/dev/null | sed -n -e "s/^  $2, --[a-z0-9-]* \([A-Z][^ ]*\)  .*/\1/p" \
	    -e "s/^  \(-., \|    \)$2 \([A-Z][^ ]*\)  .*/\2/p" | head -n 1
}

_warpcap()
{
	local tool=$1 word=$2 previous=$3 argument
	COMPREPLY=()
	if [[ $previous == -* ]]; then
		argument=$(_warpcap_argument_of "$tool" "$previous")
		case $argument in
		'') ;;
		FILE | *FILE*) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
		NAME)
			if [[ $tool == *warpcap && $previous == -w ]]; then
				mapfile -t COMPREPLY < <(compgen -W "$("$tool" -l 2>/dev/null | awk '{print $1}')" -- "$word")
			fi
			return
			;;
		*) return ;;
		esac
	fi
	if [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_warpcap_words "$tool")" -- "$word")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
	fi
}

complete -o filenames -F _warpcap warpcap warpflat warpdump warpinfo warpcut warpreuse warpratio warplocal warpintf warpcache warpdram warpsched warpplot warpannotate warpexport
