# SPDX-License-Identifier: GPL-2.0-only
# bash completion for donor-sim(1)

_donor_sim_options="--machine --workload --background --policy --list --seeds --seed --scale"
_donor_sim_options+=" --duration --hz --no-smt-sharing --interleave --mode --set --json --no-legend"
_donor_sim_options+=" --trace --help --version"

# The names that --list shows under this heading.
_donor_sim_names()
{
	donor-sim --list 2>/dev/null | awk -v heading="$1:" '
		/^[^ ]/ { inside = $0 == heading }
		inside && /^  / { print $1 }'
}

# Of a list with commas only what follows the last one is completed.
_donor_sim_policies()
{
	local done=

	[[ $current == *,* ]] && done=${current%,*},
	printf "$done%s\n" all $(_donor_sim_names Policies)
}

_donor_sim()
{
	local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} choices= files=

	[[ $current == = ]] && current= && previous="${COMP_WORDS[COMP_CWORD - 1]}="
	[[ $previous == = ]] && previous="${COMP_WORDS[COMP_CWORD - 2]}="
	case ${previous%=} in
	-m | --machine) choices=$(_donor_sim_names Machines) files=1 ;;
	-w | --workload | -b | --background) choices=$(_donor_sim_names Workloads) files=1 ;;
	-p | --policy) choices=$(_donor_sim_policies) ;;
	--mode) choices="power balanced performance" ;;
	--json) [[ $previous == *= ]] && choices="pretty short off" || choices=$_donor_sim_options ;;
	--trace) files=1 ;;
	--seeds | --seed | --scale | --duration | --hz | --set) ;;
	*) choices=$_donor_sim_options ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$choices" ${files:+-f} -- "$current")
}

complete -F _donor_sim donor-sim
