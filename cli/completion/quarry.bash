# bash completion for quarry
_quarry() {
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]}
    local launch="--trace --task --level --max-size --no-files --no-trace --no-bytes --under --witness --require --quiet --help" i
    local verbs="run env ls summary live report advise what-if carve explain verify pack unpack diff export doctor completion"
    COMPREPLY=()

    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$verbs help --help --version" -- "$word")
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
        --granularity) mapfile -t COMPREPLY < <(compgen -W "object chunk" -- "$word"); return ;;
        --trace | --witness | --carved | --directory | -C) mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
        --level) mapfile -t COMPREPLY < <(compgen -W "objects accesses io" -- "$word"); return ;;
        --missing) mapfile -t COMPREPLY < <(compgen -W "error original" -- "$word"); return ;;
        --writes) mapfile -t COMPREPLY < <(compgen -W "refuse copy" -- "$word"); return ;;
        --format) mapfile -t COMPREPLY < <(compgen -W "jsonl csv chrome sqlite json dot graphml prov ro-crate" -- "$word"); return ;;
        --output | --junit | --thresholds | --file) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
        --group-by) mapfile -t COMPREPLY < <(compgen -W "family stage host window: file pattern directory" -- "$word"); return ;;
        --by) mapfile -t COMPREPLY < <(compgen -W "task file object" -- "$word"); return ;;
        --shell) mapfile -t COMPREPLY < <(compgen -W "sh csh fish" -- "$word"); return ;;
        --under) mapfile -t COMPREPLY < <(compgen -W "native pass_through" -- "$word"); return ;;
    esac
    case $verb in
        run) mapfile -t COMPREPLY < <(compgen -W "$launch --carved --missing --paranoid --grow --writes --in-place --" -- "$word") ;;
        env) mapfile -t COMPREPLY < <(compgen -W "$launch --shell" -- "$word") ;;
        ls | summary | live | report | advise | what-if | carve | pack | diff | export)
            mapfile -t COMPREPLY < <(compgen -d -- "$word")
            local options="--json --help"
            [[ $verb == summary ]] && options+=" --by --top"
            [[ $verb == advise ]] && options+=" --top --fail-on --max-amplification --thresholds --show-thresholds --junit"
            [[ $verb == diff ]] && options+=" --top"
            [[ $verb == what-if ]] && options+=" --object --file --chunks --contiguous --cache --paged --page-buffer"
            [[ $verb == carve ]] && options+=" --output --task --file --granularity --keep --drop --keep-below --jobs --no-verify --checksums --dry-run"
            [[ $verb == pack ]] && options+=" --output --task --file --granularity --keep --drop --keep-below --jobs --outputs-below --dry-run"
            [[ $verb == export ]] && options="--format --group-by --regions --output --help"
            [[ $verb == live ]] && options="--interval --once --help"
            [[ $verb == report ]] && options+=" --output --group-by --regions --thresholds --text"
            [[ $word == -* ]] && mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
            ;;
        explain)
            mapfile -t COMPREPLY < <(compgen -d -- "$word")
            [[ $word == -* ]] && mapfile -t COMPREPLY < <(compgen -W "--left-out --json --help" -- "$word")
            ;;
        verify)
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            [[ $word == -* ]] && mapfile -t COMPREPLY < <(compgen -W "--trace --json --help" -- "$word")
            ;;
        unpack)
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            [[ $word == -* ]] && mapfile -t COMPREPLY < <(compgen -W "--directory --max-size --run --overwrite --json --help" -- "$word")
            ;;
        doctor) mapfile -t COMPREPLY < <(compgen -W "--json --help --" -- "$word") ;;
        completion) mapfile -t COMPREPLY < <(compgen -W "bash zsh --help" -- "$word") ;;
        help) mapfile -t COMPREPLY < <(compgen -W "$verbs" -- "$word") ;;
    esac
}
complete -F _quarry quarry
