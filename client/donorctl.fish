# SPDX-License-Identifier: GPL-2.0-only
# fish completion for donorctl(1), which says itself what fits

function __donorctl_complete
    set -l before (commandline -opc)
    set -l offers ($before[1] __complete $before[2..-1] (commandline -ct) 2>/dev/null)
    if test "$offers[1]" = :command
        set -l first (contains -i -- -- $before)
        and complete -C (string join ' ' -- $before[(math $first + 1)..-1] (commandline -ct))
        return
    end
    string join \n -- $offers
end

complete -c donorctl -f -a '(__donorctl_complete)'
