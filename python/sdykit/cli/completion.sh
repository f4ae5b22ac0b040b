# Completion for sdykit, sdy-opt, mpmd-opt and hlo-opt, in bash and zsh.
# Made by `sdykit completion`; make it again after an update.

# _sdykit_candidates PROGRAM PREVIOUS-WORD WORD: what the word may become, one a line. None: files.
_sdykit_candidates() {
  local program=$1 previous=$2 word=$3 dashes=-- name head value inner item
  case $word in
    -*=*) ;;
    -*)
      case $word in -[!-]*) dashes=- ;; esac
      for item in $(_sdykit_flags "$program"); do echo "$dashes${item#--}"; done
      for item in $(_sdykit_passes "$program"); do echo "$dashes$item"; done
      return ;;
    *)
      case "${program##* }" in "${previous##*/}") previous= ;; esac
      for item in $(_sdykit_values "$program" "$previous"); do echo "$item"; done
      return ;;
  esac
  head=${word%%=*}=
  name=--$(echo "${word%%=*}" | sed 's/^--*//; s/_/-/g')
  value=${word#*=}
  case $value in
    \'* | \"*)
      inner=${value#?}
      head=$head${value%"$inner"}
      value=$inner ;;
  esac
  case $name in
    --pass-pipeline) _sdykit_pipeline "$program" "$head" "$value" ;;
    --mlir-print-ir-before | --mlir-print-ir-after)
      inner=${value##*,}
      for item in $(_sdykit_passes "$program"); do echo "$head${value%"$inner"}$item"; done ;;
    *)
      for item in $(_sdykit_values "$program" "$name"); do echo "$head$item"; done
      inner=${value##* }
      for item in $(_sdykit_options "${name#--}"); do echo "$head${value%"$inner"}$item="; done ;;
  esac
}

# _sdykit_pipeline PROGRAM HEAD TEXT: the passes, or the options of one, at the end of a pipeline.
_sdykit_pipeline() {
  local program=$1 head=$2 text=$3 last item
  # What sdykit does with pipelines it does with those of sdy-opt.
  case $program in sdykit*) program=sdy-opt ;; esac
  case ${text##*\}} in
    *\{*)
      last=${text##*[\{ ]}
      item=${text%\{*}
      for item in $(_sdykit_options "$(echo "$item" | sed 's/.*[,(]//')"); do
        echo "$head${text%"$last"}$item="
      done ;;
    *)
      last=$(echo "$text" | sed 's/.*[,(]//')
      for item in $(_sdykit_passes "$program") "builtin.module(" "func.func("; do
        echo "$head${text%"$last"}$item"
      done ;;
  esac
}

# _sdykit_program WORD WORD: the program, with the subcommand of sdykit.
_sdykit_program() {
  local program=${1##*/}
  case $program in
    sdykit)
      case " $(_sdykit_values sdykit) " in *" $2 "*) program="$program $2" ;; esac
      echo "$program" ;;
    *) echo "$program" | sed 's/_/-/g' ;;
  esac
}

if [ -n "${ZSH_VERSION-}" ]; then
  _sdykit_zsh() {
    local word=${words[CURRENT]} program
    local -a found
    program=$(_sdykit_program "${words[1]}" "${words[2]}")
    found=(${(f)"$(emulate sh; _sdykit_candidates "$program" "${words[CURRENT - 1]}" "$word")"})
    if (( $#found )); then
      compadd -Q -S '' -- ${(M)found:#*[=(]}
      compadd -Q -- ${found:#*[=(]}
    else
      compset -P '*='
      _files
    fi
  }
  compdef _sdykit_zsh sdykit sdy-opt sdy_opt mpmd-opt mpmd_opt hlo-opt hlo_opt
else
  _sdykit_bash() {
    local at=$COMP_CWORD word=${COMP_WORDS[COMP_CWORD]} tail program item
    tail=$word
    [[ $tail == = ]] && tail=
    # bash cuts words at equals signs.
    while ((at > 1)) && [[ ${COMP_WORDS[at]} == = || ${COMP_WORDS[at - 1]} == = ]]; do
      at=$((at - 1))
      word=${COMP_WORDS[at]}$word
    done
    tail=${tail#[\'\"]}
    program=$(_sdykit_program "$1" "${COMP_WORDS[1]}")
    COMPREPLY=()
    while IFS= read -r item; do
      [[ $item == "$word"* ]] && COMPREPLY+=("${item#"${word%"$tail"}"}")
    done < <(_sdykit_candidates "$program" "${COMP_WORDS[at - 1]}" "$word")
    # No blank ends a word that goes on. Nor does a quote, which readline would put after the
    # only way to go on.
    if [[ $word == *[\'\"]* ]]; then
      [[ ${#COMPREPLY[@]} == 1 ]] && COMPREPLY+=("${COMPREPLY[0]}...")
    elif [[ ${COMPREPLY[0]} == *[=\(] ]]; then
      compopt -o nospace 2> /dev/null
    fi
    return 0
  }
  complete -o default -F _sdykit_bash sdykit sdy-opt sdy_opt mpmd-opt mpmd_opt hlo-opt hlo_opt
fi
