#compdef donorctl
# SPDX-License-Identifier: GPL-2.0-only
# zsh completion for donorctl(1), which says itself what fits

_donorctl() {
	local -a offers plain attached is_option
	local offer name

	offers=("${(@f)$($words[1] __complete "${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
	if [[ $offers[1] == :command ]]; then
		local first=${words[(i)--]}
		((first < CURRENT)) || return 1
		shift $first words
		((CURRENT -= first))
		_normal
		return
	fi
	for offer in $offers; do
		name=${${offer%%$'\t'*}//:/\\:}
		[[ $offer == *$'\t'* ]] && name+=":${offer#*$'\t'}"
		[[ ${offer%%$'\t'*} == *= ]] && attached+=("$name") || plain+=("$name")
	done
	[[ $PREFIX == -* ]] && is_option=(-o)
	_describe $is_option donorctl plain -- attached -S ''
}

_donorctl "$@"
