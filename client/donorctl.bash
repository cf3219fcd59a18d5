# SPDX-License-Identifier: GPL-2.0-only
# bash completion for donorctl(1)

_donorctl_commands="status get set modes donation stats domains attach detach wait doctor version"
_donorctl_commands+=" help"
_donorctl_options="--json --no-legend --no-ask-password --quiet --host --machine --timeout --help"
_donorctl_options+=" --version"

# The words that are not options, with those that belong to an option left out.
_donorctl_plain_words()
{
	local i skip=

	plain=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ $skip ]]; then
			skip=
			continue
		fi
		case ${COMP_WORDS[i]} in
		-H | -M | --host | --machine | --timeout) skip=1 ;;
		=) skip=1 ;; # bash makes three words of --json=short
		-*) ;;
		*) plain+=("${COMP_WORDS[i]}") ;;
		esac
	done
}

_donorctl_choices()
{
	case ${#plain[@]}:${plain[0]-} in
	0:) echo "$_donorctl_commands" ;;
	1:set) echo power balanced performance ;;
	1:donation) echo select-cpu enqueue ;;
	2:donation) echo on off auto ;;
	1:wait) echo attached attaching detached conflict failed unsupported ;;
	1:help) echo "$_donorctl_commands" ;;
	esac
}

_donorctl()
{
	local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} choices
	local -a plain

	[[ $current == = ]] && current= && previous="${COMP_WORDS[COMP_CWORD - 1]}="
	[[ $previous == = ]] && previous="${COMP_WORDS[COMP_CWORD - 2]}="
	_donorctl_plain_words
	case $previous in
	--json=) choices="pretty short off" ;;
	-H | --host* | -M | --machine* | --timeout* | --watch=) choices= ;;
	*)
		if [[ $current == -* ]]; then
			choices=$_donorctl_options
			[[ ${plain[0]-} == stats ]] && choices+=" --cpu --watch"
		else
			choices=$(_donorctl_choices)
		fi
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$current")
}

complete -F _donorctl donorctl
