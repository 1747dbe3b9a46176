#!/usr/bin/env python3
"""Writes the shell completion of csink and atime for bash, zsh and fish, from what the programs' --help prints.

OUT/bash/csink, OUT/zsh/_csink, OUT/fish/csink.fish, and the same for atime. Subcommands, options, and the words that an
option's value may be come from the help (lib/command_help.py); what else a value may be follows from its placeholder.
"""

import argparse
import pathlib
import re

from lib import command_help

HEAD = "Made from the help of {program} by scripts/generate_completion.py: changes belong there."
# Values by placeholder: files, folders, process numbers. Anything else has no candidates.
FILES = {"FILE", "FOLDER", "FIFO", "RUN", "SPOOL", "A B"}


def kinds_of(option):
    """Of "FILE|FOLDER|PID": {"file", "pid"}."""
    parts = {part.strip(". ") for part in option.argument.split("|")}
    return ({"file"} if parts & FILES else set()) | ({"pid"} if "PID" in parts else set())


def runs_program(command):
    return "PROGRAM" in command.usage or "-- A" in command.usage


def shown(option):
    """What a list of candidates shows beside the option; not the words of the value, which are candidates themselves."""
    listed = " ".join(re.split(r", | or ", option.text)) == " ".join(option.words)
    return f"{option.argument.lower()} of the output" if listed and option.argument == "FORMAT" else option.text


def quoted(text):
    """For a shell, in single quotes."""
    return "'" + text.replace("'", "'\\''") + "'"


# ---- bash ------------------------------------------------------------------------------------------------------------

BASH = r"""# bash completion of @program@. @head@

# The options of a subcommand.
_@program@_options() {
    case $1 in
@options@
    esac
}

# What the value of an option is: "words A B", "file", "pid", "file pid" or "any"; nothing for an option without one.
_@program@_value() {
    case "$1 $2" in
@values@
    esac
}

# The same for an operand: subcommand and number. A number above those that are listed has the last one's.
_@program@_operand() {
    case "$1 $2" in
@operands@
    esac
}

_@program@_candidates() {
    local kind=$1 current=$2 found=()
    COMPREPLY=()
    case $kind in
        words\ *) mapfile -t COMPREPLY < <(compgen -W "${kind#words }" -- "$current") ;;
        *file*)
            # Names with blanks are quoted by bash.
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    esac
    if [[ $kind == *pid* && $current =~ ^[0-9]+$ ]]; then
        mapfile -t found < <(cd /proc && compgen -W "$(echo [0-9]*)" -- "$current")
        COMPREPLY+=("${found[@]}")
    fi
}

_@program@() {
    local command='' words=0 current=${COMP_WORDS[COMP_CWORD]} i word
    local value_of='' skip=0
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        # bash makes three words of --format=json.
        if [[ $word == '=' ]]; then
            [[ -n $value_of ]] && skip=1
            continue
        fi
        if ((skip)); then
            skip=0 value_of=''
            continue
        fi
        value_of=''
        if [[ $word == -- ]]; then
            _@program@_program "$((i + 1))"
            return
        fi
        if [[ $word == -* ]]; then
            if [[ -n $(_@program@_value "$command" "$word") ]]; then
                value_of=$word
                [[ ${COMP_WORDS[i + 1]} != '=' ]] && skip=1
            fi
            continue
        fi
@take_word@
    done
    [[ $current == '=' ]] && current=''
    if [[ -n $value_of ]]; then
        _@program@_candidates "$(_@program@_value "$command" "$value_of")" "$current"
    elif [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_@program@_options "$command")" -- "$current")
@begin@
    else
        _@program@_candidates "$(_@program@_operand "$command" "$((words + 1))")" "$current"
    fi
}

# A program and its arguments, from word $1 on.
_@program@_program() {
    if ((COMP_CWORD == $1)); then
        mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
    fi
    if ((${#COMPREPLY[@]} == 0)); then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
    fi
}

complete -F _@program@ @program@
"""
# csink's first word is the subcommand; the first word behind atime's options is the program.
BASH_SUBCOMMAND = ("        if [[ -z $command ]]; then command=$word; else ((++words)); fi",
                   "    elif [[ -z $command ]]; then\n"
                   "        mapfile -t COMPREPLY < <(compgen -W '@subcommands@' -- \"$current\")")
BASH_PROGRAM = ("        _@program@_program \"$i\"\n        return", "    elif true; then\n        _@program@_program \"$COMP_CWORD\"")


def bash_kind(option):
    if option.words:
        return "words " + " ".join(option.words)
    return " ".join(sorted(kinds_of(option))) or "any"


def bash(commands):
    top = commands[0]
    options, values, operands = [], [], []
    for command in commands:
        spellings = [s for option in command.options for s in option.spellings]
        options.append(f"        {quoted(command.name)}) echo {quoted(' '.join(spellings))} ;;")
        for option in command.options:
            if option.argument:
                patterns = " | ".join(quoted(f"{command.name} {s}") for s in option.spellings)
                values.append(f"        {patterns}) echo {quoted(bash_kind(option))} ;;")
        for at, operand in enumerate(command.operands):
            last = at + 1 == len(command.operands)
            several = operand.repeated or operand.argument == "A B"
            pattern = f"{quoted(command.name + ' ')}*" if last and several else quoted(f"{command.name} {at + 1}")
            operands.append(f"        {pattern}) echo {quoted(bash_kind(operand))} ;;")
    take, begin = BASH_SUBCOMMAND if top.subcommands else BASH_PROGRAM
    text = BASH.replace("@take_word@", take).replace("@begin@", begin)
    for mark, value in (("subcommands", " ".join(name for name, _ in top.subcommands)), ("options", "\n".join(options)),
                        ("values", "\n".join(values)), ("operands", "\n".join(operands)),
                        ("head", HEAD.format(program=top.program)), ("program", top.program)):
        text = text.replace(f"@{mark}@", value)
    # A function needs a body of at least one pattern.
    return text.replace("    case \"$1 $2\" in\n\n    esac", "    :")


# ---- zsh -------------------------------------------------------------------------------------------------------------

def zsh_text(text):
    """Within "[...]" of an argument of _arguments, and in single quotes."""
    return re.sub(r"([\[\]:\\])", r"\\\1", text).replace("'", "'\\''")


def zsh_action(option):
    if option.words:
        return "(" + " ".join(option.words) + ")"
    kinds = kinds_of(option)
    if kinds == {"file", "pid"}:
        return "_csink_file_or_pid"
    return "_files" if "file" in kinds else "_pids" if "pid" in kinds else ""


def zsh_option(option):
    value = f":{zsh_text(option.argument)}:{zsh_action(option)}" if option.argument else ""
    text = f"[{zsh_text(shown(option))}]{value}"
    star = "*" if option.repeated else ""
    out = []
    for spelling in option.spellings:
        others = "" if option.repeated or len(option.spellings) == 1 else f"({' '.join(option.spellings)})"
        # "--format=": the value is the next word or follows "=". "-e+": it may be written behind the letter.
        joint = ("=" if spelling.startswith("--") else "+") if option.argument else ""
        out.append(f"'{others}{star}{spelling}{joint}{text}'")
    return out


def zsh_arguments(command, indent):
    specs = [spec for option in command.options for spec in zsh_option(option)]
    for at, operand in enumerate(command.operands):
        several = operand.repeated or operand.argument == "A B"
        place = "*" if several and at + 1 == len(command.operands) else str(at + 1)
        specs.append(f"'{place}:{zsh_text(operand.argument)}:{zsh_action(operand)}'")
    if runs_program(command):
        specs.append("'*:::program:_normal'")
    return (" \\\n" + indent).join(["_arguments -s -S"] + specs)


ZSH_CSINK = """#compdef csink
# {head}

_csink_file_or_pid() {{
    _alternative 'files:file:_files' 'processes:process:_pids'
}}

_csink() {{
    local curcontext="$curcontext" state line
    typeset -A opt_args
    _arguments -C \\
        {options} \\
        '1:subcommand:->subcommand' \\
        '*::argument:->arguments'
    case $state in
        subcommand)
            local -a subcommands=(
{subcommands}
            )
            _describe -t commands 'csink subcommand' subcommands ;;
        arguments)
            case $line[1] in
{cases}
            esac ;;
    esac
}}

# Loaded by compinit or sourced.
if [[ $funcstack[1] == _csink ]]; then _csink "$@"; else compdef _csink csink; fi
"""
ZSH_PLAIN = """#compdef {program}
# {head}

_{program}() {{
    {arguments}
}}

if [[ $funcstack[1] == _{program} ]]; then _{program} "$@"; else compdef _{program} {program}; fi
"""


def zsh(commands):
    top = commands[0]
    head = HEAD.format(program=top.program)
    if not top.subcommands:
        return ZSH_PLAIN.format(program=top.program, head=head, arguments=zsh_arguments(top, "        "))
    cases = "\n".join(f"                {command.name})\n                    {zsh_arguments(command, ' ' * 24)} ;;"
                      for command in commands[1:])
    listed = "\n".join(f"                '{zsh_text(name)}:{zsh_text(text)}'" for name, text in top.subcommands)
    options = " \\\n        ".join(spec for option in top.options for spec in zsh_option(option))
    return ZSH_CSINK.format(head=head, options=options, subcommands=listed, cases=cases)


# ---- fish ------------------------------------------------------------------------------------------------------------

def fish_option(program, condition, option):
    line = f"complete -c {program}{condition}"
    for spelling in option.spellings:
        line += f" -l {spelling[2:]}" if spelling.startswith("--") else f" -s {spelling[1:]}"
    if option.argument:
        kinds = kinds_of(option)
        line += " -r -F" if "file" in kinds else " -x"
        if option.words:
            line += f" -a {quoted(' '.join(option.words))}"
    return f"{line} -d {quoted(shown(option))}"


def fish(commands):
    top = commands[0]
    lines = [f"# fish completion of {top.program}. {HEAD.format(program=top.program)}", ""]
    if not top.subcommands:
        lines += [fish_option(top.program, "", option) for option in top.options]
        lines += [f"complete -c {top.program} -x -a '(__fish_complete_subcommand)'"]
        return "\n".join(lines) + "\n"
    lines += [f"complete -c {top.program} -n __fish_use_subcommand -f"]
    lines += [fish_option(top.program, " -n __fish_use_subcommand", option) for option in top.options]
    lines += [f"complete -c {top.program} -n __fish_use_subcommand -a {name} -d {quoted(text)}" for name, text in top.subcommands]
    for command in commands[1:]:
        condition = f" -n '__fish_seen_subcommand_from {command.name}'"
        lines.append("")
        takes_files = any("file" in kinds_of(o) for o in command.operands)
        if not takes_files and not runs_program(command):
            lines.append(f"complete -c {top.program}{condition} -f")
        lines += [fish_option(top.program, condition, option) for option in command.options]
        for operand in command.operands:
            if operand.words:
                lines.append(f"complete -c {top.program}{condition} -a {quoted(' '.join(operand.words))} -d {quoted(operand.text)}")
            if "pid" in kinds_of(operand):
                lines.append(f"complete -c {top.program}{condition} -a '(__fish_complete_pids)'")
        if runs_program(command):
            lines.append(f"complete -c {top.program}{condition} -x -a '(__fish_complete_subcommand --fcs-skip=2)'")
    return "\n".join(lines) + "\n"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--csink", help="the program; without it no completion of csink")
    options.add_argument("--atime", help="the program; without it no completion of atime")
    options.add_argument("--out", type=pathlib.Path, required=True)
    args = options.parse_args()
    sets = [command_help.csink_commands(args.csink)] if args.csink else []
    sets += [[command_help.atime_command(args.atime)]] if args.atime else []
    for shell in ("bash", "zsh", "fish"):
        (args.out / shell).mkdir(parents=True, exist_ok=True)
    for commands in sets:
        program = commands[0].program
        (args.out / "bash" / program).write_text(bash(commands))
        (args.out / "zsh" / f"_{program}").write_text(zsh(commands))
        (args.out / "fish" / f"{program}.fish").write_text(fish(commands))


if __name__ == "__main__":
    main()
