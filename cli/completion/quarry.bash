# bash completion for quarry
_quarry() {
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]}
    local launch="--no-bytes --under --witness --require --quiet --help" i
    COMPREPLY=()

    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "run env doctor completion help --help --version" -- "$word")
        return
    fi
    # Behind `--` stands another command: complete it as such.
    for ((i = 2; i < COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[i]} == -- && $verb =~ ^(run|doctor)$ ]]; then
            if declare -F _command_offset >/dev/null; then
                _command_offset $((i + 1))
            elif ((COMP_CWORD == i + 1)); then
                mapfile -t COMPREPLY < <(compgen -c -- "$word")
            else
                mapfile -t COMPREPLY < <(compgen -f -- "$word")
            fi
            return
        fi
    done
    case $previous in
        --witness) mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
        --shell) mapfile -t COMPREPLY < <(compgen -W "sh csh fish" -- "$word"); return ;;
        --under) mapfile -t COMPREPLY < <(compgen -W "native pass_through" -- "$word"); return ;;
    esac
    case $verb in
        run) mapfile -t COMPREPLY < <(compgen -W "$launch --" -- "$word") ;;
        env) mapfile -t COMPREPLY < <(compgen -W "$launch --shell" -- "$word") ;;
        doctor) mapfile -t COMPREPLY < <(compgen -W "--json --help --" -- "$word") ;;
        completion) mapfile -t COMPREPLY < <(compgen -W "bash zsh --help" -- "$word") ;;
        help) mapfile -t COMPREPLY < <(compgen -W "run env doctor completion" -- "$word") ;;
    esac
}
complete -F _quarry quarry
