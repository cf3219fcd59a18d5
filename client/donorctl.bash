# SPDX-License-Identifier: GPL-2.0-only
# bash completion for donorctl(1), which says itself what fits

_donorctl()
{
	local -a words=()
	local word current is_split=
	local -i i

	# bash makes three words of --json=short
	for ((i = 1; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ $is_split || $word == = ]] && ((${#words[@]})); then
			words[-1]+=$word
		else
			words+=("$word")
		fi
		[[ $word == = ]] && is_split=1 || is_split=
	done
	current=${words[-1]}

	local -a offers
	mapfile -t offers < <("${COMP_WORDS[0]}" __complete "${words[@]}" 2>/dev/null)
	offers=("${offers[@]%%$'\t'*}")
	if [[ ${offers[0]-} == :command ]]; then
		mapfile -t COMPREPLY < <(compgen -c -- "$current")
		return
	fi
	mapfile -t COMPREPLY < <(compgen -W "${offers[*]}" -- "$current")
	# what stands before the = is another word to bash
	[[ $current == *=* ]] && COMPREPLY=("${COMPREPLY[@]#"${current%%=*}="}")
	[[ ${COMPREPLY[*]-} == *= ]] && compopt -o nospace 2>/dev/null
	return 0
}

complete -F _donorctl donorctl
