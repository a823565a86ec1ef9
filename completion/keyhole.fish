# fish completion for keyhole(1)

set -l offline bcp block comm fence policy screen
set -l home approvals audit context query task token
set -l commands $offline $home demo doctor init prompt sandbox

complete -c keyhole -f
complete -c keyhole -n "not __fish_seen_subcommand_from $commands" -l version -d 'Print the version'
complete -c keyhole -l help -d 'Print how to use the command'

complete -c keyhole -n "not __fish_seen_subcommand_from $commands" -a approvals -d 'What waits for a human'
complete -c keyhole -n "not __fish_seen_subcommand_from $commands" -a bcp -d 'Queries and answers'
complete -c keyhole -n "not __fish_seen_subcommand_from $commands" -a block -d 'Blocks and taint'
complete -c keyhole -n "not __fish_seen_subcommand_from $commands" -a comm -d 'Declarations'
complete -c keyhole -n "not __fish_seen_subcommand_from $commands" -a fence -d 'Fenced content'
complete -c keyhole -n "not __fish_seen_subcommand_from $commands" -a policy -d 'Decisions'
complete -c keyhole -n "not __fish_seen_subcommand_from $commands" -a sandbox -d 'Run a program, fetch a URL'
complete -c keyhole -n "not __fish_seen_subcommand_from $commands" -a doctor -d 'What a sandbox needs here'
complete -c keyhole -n "not __fish_seen_subcommand_from $commands" -a screen -d 'Find instructions and hidden text'

for pair in 'demo:A guided tour' 'init:Make a home folder' 'task:Tasks' 'query:Ask a Reader' 'approvals:What waits for a human' \
        'audit:The record' 'token:Who may call' 'context:What an agent has seen' 'prompt:What agents are told'
    set -l word (string split -m 1 : $pair)
    complete -c keyhole -n "not __fish_seen_subcommand_from $commands" -a $word[1] -d $word[2]
end

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

set -l decision list watch show approve reject edit
set -l undecided "__fish_seen_subcommand_from approvals; and not __fish_seen_subcommand_from $decision"
complete -c keyhole -n $undecided -a list -d 'What waits'
complete -c keyhole -n $undecided -a watch -d 'What waits, as it comes'
complete -c keyhole -n $undecided -a show -d 'What is to be decided'
complete -c keyhole -n $undecided -a approve -d 'Approve what was shown'
complete -c keyhole -n $undecided -a reject -d 'Reject what was shown'
complete -c keyhole -n $undecided -a edit -d 'Deliver another answer'
set -l approvals '__fish_seen_subcommand_from approvals; and __fish_seen_subcommand_from'
complete -c keyhole -n "$approvals list" -l all -d 'Also those that no longer wait'
complete -c keyhole -n "$approvals watch" -l count -x -d 'End after so many'
complete -c keyhole -n "$approvals show" -l page -x -d 'This page alone'
complete -c keyhole -n "$approvals approve reject edit" -l shown -x -d 'Digest of what was displayed'
complete -c keyhole -n "$approvals approve reject edit" -l note -x -d 'Words for the record'
complete -c keyhole -n "$approvals edit" -l text -x -d 'The answer'
complete -c keyhole -n "$approvals edit" -l file -r -F -d 'A file that holds the answer'
complete -c keyhole -n "__fish_seen_subcommand_from $home init" -l home -x -a '(__fish_complete_directories)' -d 'The home folder'
complete -c keyhole -n "__fish_seen_subcommand_from $home" -l token-file -r -F -d 'The token to call with'
complete -c keyhole -n '__fish_seen_subcommand_from demo' -l keep -d 'Leave the temporary folder'
complete -c keyhole -n '__fish_seen_subcommand_from task; and not __fish_seen_subcommand_from open add show list execute close' -a 'open add show list execute close'
complete -c keyhole -n '__fish_seen_subcommand_from token; and not __fish_seen_subcommand_from create list revoke' -a 'create list revoke'
complete -c keyhole -n '__fish_seen_subcommand_from context; and not __fish_seen_subcommand_from show reset add assemble' -a 'show reset add assemble'
complete -c keyhole -n '__fish_seen_subcommand_from audit; and not __fish_seen_subcommand_from verify tail show export' -a 'verify tail show export'
complete -c keyhole -n '__fish_seen_subcommand_from prompt' -a 'controller reader security-policy'
complete -c keyhole -n '__fish_seen_subcommand_from query' -a wait -d 'Wait for a query that was left open'
complete -c keyhole -n '__fish_seen_subcommand_from query' -F
complete -c keyhole -n '__fish_seen_subcommand_from query' -l task -x -d 'The task'
complete -c keyhole -n '__fish_seen_subcommand_from query' -l wait -x -d 'How long to wait, seconds'
complete -c keyhole -n '__fish_seen_subcommand_from task token; and __fish_seen_subcommand_from open create' -l bits -x -d 'A smaller budget'
complete -c keyhole -n '__fish_seen_subcommand_from task context; and __fish_seen_subcommand_from add' -l source -x -d 'Where it came from'
complete -c keyhole -n '__fish_seen_subcommand_from task context; and __fish_seen_subcommand_from add execute' -F
complete -c keyhole -n '__fish_seen_subcommand_from task; and __fish_seen_subcommand_from list' -l all -d 'Also those that have ended'
complete -c keyhole -n '__fish_seen_subcommand_from token; and __fish_seen_subcommand_from create' -l role -x -a 'controller reader supervisor host reviewer admin' -d 'Its role'
complete -c keyhole -n '__fish_seen_subcommand_from token; and __fish_seen_subcommand_from create' -l expires -x -d 'Valid so long, seconds'
complete -c keyhole -n '__fish_seen_subcommand_from token; and __fish_seen_subcommand_from create' -l out -r -F -d 'Write it into a new file'
complete -c keyhole -n '__fish_seen_subcommand_from context; and __fish_seen_subcommand_from assemble' -l xml -d 'As XML'
