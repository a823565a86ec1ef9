# shellcheck shell=bash
# Steps with one line each and a sum at the end; read by tools/lint and tools/deep, not run by itself.
#
#   begin DIR                  logs go to DIR/log
#   suite NAME COMMAND...      a runner whose last line is "N passed, N failed" (", N skipped" may follow)
#   check NAME COMMAND...      a command that passes or fails as one
#   must_have NAME FILE        FILE has to be there and be executable, else NAME failed; false then
#   finish                     prints "N passed, N failed"; the status says whether anything failed
#
# A runner that ends without its last line, or says that it passed and still exits with a failure, has failed.

steps_passed=0
steps_failed=0
steps_log=

begin() {
	steps_log=$1/log
	mkdir -p "$steps_log"
}

# steps_report NAME PASSED FAILED SECONDS LOG [NOTE]
steps_report() {
	steps_passed=$((steps_passed + $2))
	steps_failed=$((steps_failed + $3))
	local mark=ok
	[ "$3" -eq 0 ] || mark=FAILED
	printf '%-6s %-34s %6d passed, %d failed  %4d s%s\n' "$mark" "$1" "$2" "$3" "$4" "${6:+  ($6)}"
	if [ "$3" -ne 0 ]; then
		tail -n 40 "$5" | sed 's/^/       | /'
		echo "       see $5"
	fi
}

steps_file() {
	echo "$steps_log/$(echo "$1" | tr -c 'A-Za-z0-9\n' -).log"
}

suite() {
	local name=$1 log start=$SECONDS status=0 last passed=0 failed=1 note=
	shift
	log=$(steps_file "$name")
	"$@" >"$log" 2>&1 </dev/null || status=$?
	last=$(tail -n 1 "$log")
	if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
		passed=${BASH_REMATCH[1]}
		failed=${BASH_REMATCH[2]}
		[ "${BASH_REMATCH[4]:-0}" -eq 0 ] || note="${BASH_REMATCH[4]} skipped"
		if [ "$passed" -eq 0 ] && [ "$failed" -eq 0 ]; then
			echo "$name: ran no test at all" >>"$log"
			failed=1
		elif [ $status -ne 0 ] && [ "$failed" -eq 0 ]; then
			echo "$name: exit status $status" >>"$log"
			failed=1
		fi
	else
		echo "$name: exit status $status, and no last line 'N passed, N failed'" >>"$log"
	fi
	steps_report "$name" "$passed" "$failed" $((SECONDS - start)) "$log" "$note"
}

check() {
	local name=$1 log start=$SECONDS status=0
	shift
	log=$(steps_file "$name")
	"$@" >"$log" 2>&1 </dev/null || status=$?
	if [ $status -eq 0 ]; then
		steps_report "$name" 1 0 $((SECONDS - start)) "$log"
	else
		echo "$name: exit status $status" >>"$log"
		steps_report "$name" 0 1 $((SECONDS - start)) "$log"
	fi
	return 0
}

must_have() {
	local log
	[ -f "$2" ] && [ -x "$2" ] && return 0
	log=$(steps_file "$1")
	echo "$2 is missing or not executable" >"$log"
	steps_report "$1" 0 1 0 "$log"
	return 1
}

finish() {
	echo "$steps_passed passed, $steps_failed failed"
	[ $steps_failed -eq 0 ]
}
