# Sourced by the steps of action.yml. A run costs milliseconds, so each place where a report is wanted gets its own.
#
#   report NAME VERB ARGUMENT...
#
# prints for the log; adds a section to the summary of the job; and, where SARIF names a folder, writes NAME.sarif there.
# Its status is that of the run for the log.
report() {
  local name=$1 status=0
  shift
  "$COMMAND" "$@" --format "$FORMAT" --deny "$DENY" || status=$?
  if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ "$status" -lt 2 ]; then
    # Indented by four: a block of code that no line in it can end. A summary may have 1 MiB.
    { echo "### unskew $name"; echo; ("$COMMAND" "$@" || true) | head -c 100000 | sed 's/^/    /'; echo; } >> "$GITHUB_STEP_SUMMARY"
  fi
  if [ -n "$SARIF" ] && [ "$status" -lt 2 ]; then
    mkdir -p "$SARIF"
    "$COMMAND" "$@" --format sarif > "$SARIF/$name.sarif" || true
  fi
  return "$status"
}
