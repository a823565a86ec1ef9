# fish completion for keyhole(1)

set -l commands bcp block comm fence policy screen

complete -c keyhole -f
complete -c keyhole -n "not __fish_seen_subcommand_from $commands" -l version -d 'Print the version'
complete -c keyhole -l help -d 'Print how to use the command'

complete -c keyhole -n "not __fish_seen_subcommand_from $commands" -a bcp -d 'Queries and answers'
complete -c keyhole -n "not __fish_seen_subcommand_from $commands" -a block -d 'Blocks and taint'
complete -c keyhole -n "not __fish_seen_subcommand_from $commands" -a comm -d 'Declarations'
complete -c keyhole -n "not __fish_seen_subcommand_from $commands" -a fence -d 'Fenced content'
complete -c keyhole -n "not __fish_seen_subcommand_from $commands" -a policy -d 'Decisions'
complete -c keyhole -n "not __fish_seen_subcommand_from $commands" -a screen -d 'Find instructions and hidden text'

complete -c keyhole -n "__fish_seen_subcommand_from $commands" -l batch -d 'Read JSON Lines, write one line for each'
complete -c keyhole -n "__fish_seen_subcommand_from $commands" -l json -d 'Write JSON, as always'
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
