# bash completion for keyhole(1)

_keyhole()
{
	local cur=${COMP_WORDS[COMP_CWORD]} word command='' subcommand='' words='' i

	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		case $word in
		-*) ;;
		*)
			if [[ -z $command ]]; then
				command=$word
			elif [[ -z $subcommand ]]; then
				subcommand=$word
			fi
			;;
		esac
	done

	if [[ -z $command ]]; then
		words='bcp block comm fence policy screen --help --version'
	elif [[ -z $subcommand && $cur != -* ]]; then
		case $command in
		bcp) words='check validate' ;;
		block) words='parse render taint' ;;
		comm) words='check' ;;
		fence) words='unwrap wrap' ;;
		policy) words='explain' ;;
		screen) words='--batch --json --rules --help' ;;
		esac
	elif [[ $command == screen ]]; then
		words='--batch --json --rules --help'
	else
		words='--batch --json --help'
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

complete -F _keyhole keyhole
