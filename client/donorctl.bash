# SPDX-License-Identifier: GPL-2.0-only
# bash completion for donorctl(1)

_donorctl_commands="status get set release run holds modes donation tune stats domains attach"
_donorctl_commands+=" detach exits reset-failed config reload wait doctor version help"
_donorctl_options="--json --no-legend --no-ask-password --quiet --host --machine --timeout --help"
_donorctl_options+=" --version"

# The words that are not options, with those that belong to an option left out.
_donorctl_plain_words()
{
	local i skip=

	plain=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ $skip ]]; then
			[[ ${COMP_WORDS[i]} == = ]] || skip= # bash makes three words of --for=2h
			continue
		fi
		case ${COMP_WORDS[i]} in
		-H | -M | -m | --host | --machine | --timeout | --mode | --for | --until | --reason)
			skip=1
			;;
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
	1:tune) donorctl tune --no-legend 2>/dev/null | cut -d" " -f1 ;;
	2:tune) echo auto ;;
	1:wait) echo attached attaching detached conflict backoff failed unsupported ;;
	*:run) compgen -c -- "$current" ;;
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
	-m | --mode | --mode=) choices="power balanced performance" ;;
	--until | --until=) choices="released profile-change power-source-change reboot" ;;
	-H | --host* | -M | --machine* | --timeout* | --watch= | --for* | --reason*) choices= ;;
	*)
		if [[ $current == -* ]]; then
			choices=$_donorctl_options
			case ${plain[0]-} in
			stats) choices+=" --cpu --watch" ;;
			set) choices+=" --for --until --persist --reason --keep-holds" ;;
			donation) choices+=" --persist" ;;
			run) choices+=" --mode --reason" ;;
			tune) choices+=" --mode --persist" ;;
			exits) choices+=" --dump" ;;
			esac
		else
			choices=$(_donorctl_choices)
		fi
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$current")
}

complete -F _donorctl donorctl
