# SPDX-License-Identifier: GPL-2.0-only
"""What bash, zsh and fish offer; each as a person meets it, and for every command that the help shows."""

import os
import re
import subprocess
import tempfile

import pytest
from fake_donord import DONORCTL, MODES, SOURCE
from terminal import Terminal

HOME = tempfile.TemporaryDirectory(prefix="home-")  # fish makes folders there
DONORCTL = os.path.realpath(DONORCTL)
ENVIRONMENT = {**os.environ, "PATH": f"{os.path.dirname(DONORCTL)}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "TERM": "dumb",
               "HOME": HOME.name, "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"}


def commands():
    text = subprocess.run([DONORCTL, "help"], capture_output=True, text=True, timeout=20, check=True).stdout
    return re.findall(r"^  ([a-z][\w-]*) ", text.split("Options:")[0], re.M)


def in_bash(*words):
    """COMP_WORDS as bash splits them: at = as well."""
    split = [part for word in words for part in (re.split("(=)", word) if word.startswith("--") else [word])]
    line = " ".join(f"'{word}'" for word in ("donorctl", *split))
    if words[-1].endswith("=") and split[-1] == "":
        line, split = line.removesuffix(" ''"), split[:-1]
    script = (f"source {SOURCE}/client/donorctl.bash; COMP_WORDS=({line}); COMP_CWORD={len(split)}; _donorctl; "
              "printf '%s\\n' \"${COMPREPLY[@]}\"")
    found = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=20, env=ENVIRONMENT)
    assert found.returncode == 0 and found.stderr == "", found
    prefix = words[-1].split("=")[0] + "=" if words[-1].startswith("--") and "=" in words[-1] else ""
    return [prefix + word for word in found.stdout.split()]


def in_fish(*words):
    line = " ".join(("donorctl", *words))
    found = subprocess.run(["fish", "--no-config", "-c", f"source {SOURCE}/client/donorctl.fish; complete -C '{line}'"],
                           capture_output=True, text=True, timeout=20, env=ENVIRONMENT)
    assert found.returncode == 0 and found.stderr == "", found
    return [row.split("\t")[0] for row in found.stdout.splitlines()]


ZSH = f"""
PS1= PS2= RPS1= ; unsetopt ZLE_RPROMPT PROMPT_SP PROMPT_CR; autoload -Uz compinit; compinit -D -u
autoload -Uz +X _normal; functions[_donorctl]=$(<{SOURCE}/client/donorctl.zsh); compdef _donorctl donorctl
zstyle ':completion:*' list-colors ''; zstyle ':completion:*' verbose no; LISTMAX=10000; bindkey '^I' complete-and-tell
compadd () {{ # what the completion system would insert goes to a file
	if [[ ${{@[1,(i)(-|--)]}} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return; fi
	local -a found; builtin compadd -O found "$@"; print -rl -- $found >>$OFFERS; builtin compadd "$@"
}}
complete-and-tell () {{ zle list-choices; print done >>$OFFERS; zle kill-whole-line }}
zle -C list-choices list-choices _main_complete
zle -N complete-and-tell
print READY
"""


class Zsh:
    """An interactive shell on a terminal: the completion system runs nowhere else."""

    def __init__(self, folder):
        self.offers = folder / "offers"
        (folder / "rc").write_text(ZSH)
        self.terminal = Terminal(["zsh", "-f", "-i"], {**ENVIRONMENT, "OFFERS": str(self.offers), "TERM": "vt100"})
        self.terminal.type(f"source {folder}/rc\n")
        self.terminal.wait(lambda said: "\nREADY" in said.replace("\r", ""), "the shell")

    def complete(self, *words):
        self.offers.write_text("")
        self.terminal.type(" ".join(("donorctl", *words)) + "\t")
        self.terminal.wait(lambda _said: self.offers.read_text().endswith("done\n"), "offers")
        return self.offers.read_text().split()[:-1]


@pytest.fixture(scope="module")
def zsh(tmp_path_factory):
    shell = Zsh(tmp_path_factory.mktemp("zsh"))
    yield shell
    shell.terminal.close()


@pytest.fixture(params=["bash", "zsh", "fish"])
def offers(request):
    if request.param == "zsh":
        return request.getfixturevalue("zsh").complete
    return {"bash": in_bash, "fish": in_fish}[request.param]


def test_every_command_is_offered(offers):
    assert sorted(offers("")) == sorted(commands())
    assert sorted(offers("help", "")) == sorted(commands())


@pytest.mark.parametrize("words, wanted", [
    (["sta"], ["status", "stats"]),
    (["set", ""], MODES),
    (["--json=short", "set", "p"], ["power", "performance"]),
    (["status", "--json="], ["--json=pretty", "--json=short", "--json=off"]),
    (["status", "--json=s"], ["--json=short"]),
    (["-H", "far", "set", "b"], ["balanced"]),
    (["--host=far", "set", "b"], ["balanced"]),
    (["donation", ""], ["select-cpu", "enqueue"]),
    (["donation", "enqueue", "o"], ["on", "off"]),
    (["wait", "at"], ["attached", "attaching"]),
    (["wait", "b"], ["backoff"]),
    (["tune", "--mode=p"], ["--mode=power", "--mode=performance"]),
    (["tune", "-m", "power", "slice_m"], ["slice_min_ns", "slice_max_ns"]),
    (["tune", "slice_max_ns", "a"], ["auto"]),
    (["tune", "--p"], ["--persist"]),
    (["set", "power", "--p"], ["--persist"]),
    (["set", "power", "--until=r"], ["--until=released", "--until=reboot"]),
    (["set", "--for=2h", "b"], ["balanced"]),
    (["set", "--reason=x", "b"], ["balanced"]),
    (["exits", "--d"], ["--dump"]),
    (["run", "-m", "b"], ["balanced"]),
    (["log-level", "e"], ["emerg", "err"]),
    (["stats", "--w"], ["--watch"]),
    (["help", "do"], ["donation", "domains", "doctor"]),
    (["top", "--o"], ["--once"]),
    (["attach", "--j"], []),
    (["status", "--host="], []),
    (["-H", ""], []),
    (["attach", ""], []),
], ids=lambda value: " ".join(value) or "none")
def test_completion(offers, words, wanted):
    assert sorted(offers(*words)) == sorted(wanted)


def test_options_are_those_of_the_command(offers):
    everywhere = {"--no-legend", "--no-ask-password", "--quiet", "--host=", "--machine=", "--timeout=", "--help", "--version"}
    assert set(offers("attach", "--")) == everywhere
    assert set(offers("stats", "--")) == everywhere | {"--json", "--cpu", "--watch"}


def test_words_of_the_help_have_choices():
    """Each placeholder in capitals is one that the completion knows, or names something that only the reader knows."""
    free = {"SECONDS", "SEC", "USER", "HOST", "CONTAINER", "TIME", "TEXT", "ID", "COOKIE", "VALUE", "N", "STYLE"}
    text = subprocess.run([DONORCTL, "help"], capture_output=True, text=True, timeout=20, check=True).stdout
    shown = set(re.findall(r"\b[A-Z]{3,}\b", re.sub(r"^.*\n", "", text).split("Options:")[0])) - {"JSON", "CPU"} - free
    known = set(re.findall(r'\{ "([A-Z]+)", ', (SOURCE / "client/complete.c").read_text())) | {"COMMAND"}
    assert shown and shown <= known
