# bash completion for keyhole(1).  What stands between at-signs is put in by the build: tools/embed-completion.

_keyhole()
{
	local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} word command='' subcommand='' words='' i

	# What stands after the options of `sandbox run` is a program and its own arguments.
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		case $word in
		--profile | --read | --write | --work | --cache | --network | --bytes-out | --env | --secret | --idle | --rate | --time | --memory | --processes | --files | --disk | --output | \
			--allow | --ca | --url | --header | --post | --max-bytes | --timeout | --redirects | \
			--page | --count | --shown | --note | --text | --file | --home | --token-file | --bits | --source | --task | --context | \
			--wait | --reason | --declaration | @options@ | --parameters | --host | --uses | --value | --role | --expires | --out | --listen | --socket | --user | --root | \
			--reader | --model | --key-file | --key-environment | --driver | --internal | --approve | --tool | --describe)
			((i++))
			;;
		-*) ;;
		*)
			if [[ -z $command ]]; then
				command=$word
			elif [[ -z $subcommand ]]; then
				subcommand=$word
			elif [[ $command == sandbox && $subcommand == run ]]; then
				mapfile -t COMPREPLY < <(compgen -f -- "$cur")
				return
			fi
			;;
		esac
	done

	case $previous in
	--profile)
		mapfile -t COMPREPLY < <(compgen -W 'http resolve run server' -- "$cur")
		return
		;;
	--reader)
		mapfile -t COMPREPLY < <(compgen -W 'none' -- "$cur")
		return
		;;
	--driver)
		mapfile -t COMPREPLY < <(compgen -W 'openai anthropic' -- "$cur")
		return
		;;
	--internal)
		mapfile -t COMPREPLY < <(compgen -W 'yes no' -- "$cur")
		return
		;;
	--role)
		mapfile -t COMPREPLY < <(compgen -W 'controller reader supervisor host reviewer admin hook' -- "$cur")
		return
		;;
	--read | --write | --ca | --post | --file | --token-file | --out | --socket | --key-file)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
		;;
	# @choices@
	--work | --cache | --home | --root)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -d -- "$cur")
		return
		;;
	--network | --bytes-out | --env | --secret | --idle | --rate | --time | --memory | --processes | --files | --disk | --output | --allow | --url | --header | --max-bytes | --timeout | --redirects | \
		--page | --count | --shown | --note | --text | --bits | --source | --task | --wait | --expires | --listen | \
		--reason | --declaration | @texts@ | --parameters | --host | --uses | --until | --value | --model | --key-environment | --approve | --tool | --describe)
		return
		;;
	--user)
		mapfile -t COMPREPLY < <(compgen -u -- "$cur")
		return
		;;
	esac

	local home='--home --token-file --json --help'
	if [[ -z $command ]]; then
		words='approvals audit bcp block comm context demo doctor fence go init mcp policy prompt query sandbox screen serve stop task token upstream --help --version'
	elif [[ $command == sandbox && $subcommand == run ]]; then
		if [[ $cur != -* ]]; then
			mapfile -t COMPREPLY < <(compgen -c -- "$cur")
			return
		fi
		words='--profile --read --write --work --cache --network --allow --bytes-out --env --secret --idle --rate --time --memory --processes --files --disk --output --raw --json --help'
	elif [[ $command == sandbox && $subcommand == fetch ]]; then
		words='--allow --http --ca --header --post --max-bytes --timeout --redirects --include --raw --json --help'
	elif [[ $command == approvals && -n $subcommand && $cur == -* ]]; then
		case $subcommand in
		list) words='--all' ;;
		watch) words='--count' ;;
		show) words='--page' ;;
		tries) words='--try --page' ;;
		approve) words='--shown --note --host --uses --until --value' ;;
		reject) words='--shown --note' ;;
		edit) words='--shown --note --text --parameters --file' ;;
		esac
		words+=' --url --ca --home --token-file --json --help'
	elif [[ $command == doctor ]]; then
		words='--home --json --help'
	elif [[ $command == stop ]]; then
		words="--all $home"
	elif [[ $command == go ]]; then
		words=$home
	elif [[ $command == demo ]]; then
		words='--keep --help'
	elif [[ $command == init ]]; then
		words='--home --system --user --root --reader --model --key-file --key-environment --driver --internal --json --help'
	elif [[ $command == serve ]]; then
		words='--listen --socket --print-clients --home --json --help'
	elif [[ $command == mcp ]]; then
		words='--socket --relay --print --home --token-file --help'
	elif [[ $command == policy && $subcommand == test && $cur == -* ]]; then
		words='--policy --json --help'
	elif [[ $command == policy && $subcommand == test ]]; then
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
	elif [[ $command == prompt ]]; then
		words="controller reader supervisor verifier security-policy --json --help"
	elif [[ $command == query && $cur == -* ]]; then
		words="--task --wait $home"
	elif [[ $command == query ]]; then
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur"; compgen -W wait -- "$cur")
		return
	elif [[ $command == comm && $subcommand =~ ^(declare|@files@)$ && $cur != -* ]]; then
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
	elif [[ $command == comm && -n $subcommand && $subcommand != check ]]; then
		words="--task --reason --declaration --fenced --wait $home"
		case $subcommand in
		declare | list | show) words=$home ;;
		# @commands@
		esac
	elif [[ $command =~ ^(task|context)$ && $subcommand =~ ^(add|execute)$ && $cur != -* ]]; then
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
	elif [[ $command == upstream && $subcommand == import && $cur != -* ]]; then
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
	elif [[ $command =~ ^(task|token|context|approvals|audit|upstream)$ && -n $subcommand ]]; then
		case $command-$subcommand in
		task-open) words="--bits $home" ;;
		task-add) words="--source $home" ;;
		context-add) words="--source --tool $home" ;;
		context-call) words="--reason --call --wait $home" ;;
		context-result) words="--failed $home" ;;
		task-list) words="--all $home" ;;
		task-graph) words="--dot --svg $home" ;;
		token-create) words="--role --context --expires --bits --out $home" ;;
		context-assemble) words="--xml $home" ;;
		upstream-review) words="--approve --tool --describe --timeout $home" ;;
		upstream-test) words="--timeout --rules $home" ;;
		upstream-logs) words="--lines $home" ;;
		upstream-import) words="--write --name --replace --keep-arguments $home" ;;
		upstream-add) words="--replace --keep-arguments --rules $home" ;;
		audit-verify) words="--state --witness --key --progress $home" ;;
		audit-show) words="--url --ca $home" ;;
		audit-tail) words="--lines --follow --task --principal --kind --since --until --url --ca $home" ;;
		audit-export) words="--format --task --principal --kind --since --until --url --ca $home" ;;
		*) words=$home ;;
		esac
	elif [[ -z $subcommand && $cur != -* ]]; then
		case $command in
		approvals) words='approve edit list reject show tries watch' ;;
		audit) words='checkpoint export show tail verify' ;;
		bcp) words='check validate' ;;
		block) words='parse render taint' ;;
		comm) words='check declare list show @names@' ;;
		context) words='add assemble reset show' ;;
		fence) words='unwrap wrap' ;;
		policy) words='explain test' ;;
		sandbox) words='fetch run' ;;
		screen) words='--batch --json --rules --help' ;;
		task) words='add close execute graph list open show' ;;
		token) words='create list revoke' ;;
		upstream) words='add import list logs remove review test' ;;
		esac
	elif [[ $command == screen ]]; then
		words='--batch --json --rules --help'
	else
		words='--batch --json --help'
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

complete -F _keyhole keyhole
