# fish completion for keyhole(1)

set -l offline bcp block comm fence policy screen
set -l commands $offline doctor sandbox

complete -c keyhole -f
complete -c keyhole -n "not __fish_seen_subcommand_from $commands" -l version -d 'Print the version'
complete -c keyhole -l help -d 'Print how to use the command'

complete -c keyhole -n "not __fish_seen_subcommand_from $commands" -a bcp -d 'Queries and answers'
complete -c keyhole -n "not __fish_seen_subcommand_from $commands" -a block -d 'Blocks and taint'
complete -c keyhole -n "not __fish_seen_subcommand_from $commands" -a comm -d 'Declarations'
complete -c keyhole -n "not __fish_seen_subcommand_from $commands" -a fence -d 'Fenced content'
complete -c keyhole -n "not __fish_seen_subcommand_from $commands" -a policy -d 'Decisions'
complete -c keyhole -n "not __fish_seen_subcommand_from $commands" -a sandbox -d 'Run a program, fetch a URL'
complete -c keyhole -n "not __fish_seen_subcommand_from $commands" -a doctor -d 'What a sandbox needs here'
complete -c keyhole -n "not __fish_seen_subcommand_from $commands" -a screen -d 'Find instructions and hidden text'

complete -c keyhole -n "__fish_seen_subcommand_from $offline" -l batch -d 'Read JSON Lines, write one line for each'
complete -c keyhole -n "__fish_seen_subcommand_from $commands" -l json -d 'Write JSON'
complete -c keyhole -n '__fish_seen_subcommand_from screen' -l rules -d 'List the rules'

complete -c keyhole -n '__fish_seen_subcommand_from bcp' -a check -d 'Check a query and count its bits'
complete -c keyhole -n '__fish_seen_subcommand_from bcp' -a validate -d 'Validate a response'
complete -c keyhole -n '__fish_seen_subcommand_from block' -a render -d 'Blocks to XML'
complete -c keyhole -n '__fish_seen_subcommand_from block' -a parse -d 'XML to blocks'
complete -c keyhole -n '__fish_seen_subcommand_from block' -a taint -d 'What influenced a block'
complete -c keyhole -n '__fish_seen_subcommand_from comm' -a check -d 'Check a declaration'
complete -c keyhole -n '__fish_seen_subcommand_from fence' -a wrap -d 'Fence content'
complete -c keyhole -n '__fish_seen_subcommand_from fence' -a unwrap -d 'Take content out of its fence'
complete -c keyhole -n '__fish_seen_subcommand_from policy' -a explain -d 'Decide a request and say why'

set -l run '__fish_seen_subcommand_from sandbox; and __fish_seen_subcommand_from run'
set -l fetch '__fish_seen_subcommand_from sandbox; and __fish_seen_subcommand_from fetch'

complete -c keyhole -n '__fish_seen_subcommand_from sandbox; and not __fish_seen_subcommand_from run fetch' -a run -d 'Run a program in the sandbox'
complete -c keyhole -n '__fish_seen_subcommand_from sandbox; and not __fish_seen_subcommand_from run fetch' -a fetch -d 'Fetch a URL through the sandbox'
complete -c keyhole -n $run -l profile -x -a 'run http resolve' -d 'What the program may do'
complete -c keyhole -n $run -l read -r -F -d 'Show, read-only'
complete -c keyhole -n $run -l write -r -F -d 'Show, writable'
complete -c keyhole -n $run -l work -x -a '(__fish_complete_directories)' -d 'The folder that is /work'
complete -c keyhole -n $run -l cache -x -a '(__fish_complete_directories)' -d 'The folder that is /cache'
complete -c keyhole -n $run -l time -x -d 'Wall-clock limit, seconds'
complete -c keyhole -n $run -l memory -x -d 'Memory limit, bytes'
complete -c keyhole -n $run -l processes -x -d 'Processes and threads at once'
complete -c keyhole -n $run -l disk -x -d 'Size of the private /tmp'
complete -c keyhole -n $run -l output -x -d 'How much may be written'
complete -c keyhole -n $run -l raw -d 'Show output on a terminal as it is'
complete -c keyhole -n $run -a '(__fish_complete_subcommand)'
complete -c keyhole -n $fetch -l allow -x -d 'A host that may have a private address'
complete -c keyhole -n $fetch -l http -d 'Plain http is fine, too'
complete -c keyhole -n $fetch -l ca -r -F -d 'Trust these certificates'
complete -c keyhole -n $fetch -l header -x -d 'Send this header'
complete -c keyhole -n $fetch -l post -r -F -d 'POST this file'
complete -c keyhole -n $fetch -l max-bytes -x -d 'How long the body may be'
complete -c keyhole -n $fetch -l timeout -x -d 'Wall-clock limit, seconds'
complete -c keyhole -n $fetch -l redirects -x -d 'Follow so many within the host'
complete -c keyhole -n $fetch -l include -d 'Write the headers before the body'
complete -c keyhole -n $fetch -l raw -d 'Show the body on a terminal as it is'
