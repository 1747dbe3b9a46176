# shellcheck shell=bash disable=SC2154
# Sourced by check_packages and check_rpm: what a user does with the installed packages. The caller has `inside`,
# `check`, `scratch`, and `pages_of_ours`, which lists the files of the packages.
version=$(sed -n 's/^#define CSINK_VERSION "\(.*\)"/\1/p' "$root/core/version/number.h")
says() { local words=$1; shift; "$@" >"$scratch/out" 2>&1; grep -F -- "$words" "$scratch/out" >/dev/null || { head -n 20 "$scratch/out"; false; }; }
check "csink --version says $version" says "csink $version" inside csink --version
check "atime --version" says "$version" inside atime --version
check "csink doctor" says "perf_event_open" inside csink doctor

check "the example compiles" inside g++ -O2 -g /tmp/shares.cpp -o /tmp/shares
# libagent.so by its bare name: the loader's cache knows it.
check "a report by LD_PRELOAD" says "Simulate(unsigned int, long)" inside env LD_PRELOAD=libagent.so /tmp/shares 2000
check "a report by csink run" says "Simulate(unsigned int, long)" inside csink run -- /tmp/shares 2000
check "of a program of Debian" says "verdict" inside csink run -- sh -c 'head -c 20000000 /dev/zero | bzip2 -c >/dev/null; sleep 0'
as_nobody() { inside setpriv --reuid=65534 --regid=65534 --clear-groups env LD_PRELOAD=libagent.so /tmp/shares 2000; }
check "for a user without privileges" says "Simulate(unsigned int, long)" as_nobody

for page in csink csink-run csink-report libagent.so atime apapi PAPI_add_event; do
    check "man $page" says "NAME" inside sh -c "man $page | col -b || man $page"
done
no_warnings() { # every page of ours
    pages_of_ours | grep -E '/man[1-9]/.*[0-9](\.gz)?$' >"$scratch/pages"
    [ -s "$scratch/pages" ] || { echo "no pages"; return 1; }
    # shellcheck disable=SC2046
    inside sh -c 'for page in "$@"; do man --warnings -E UTF-8 -l "$page" 2>&1 >/dev/null; done' sh $(cat "$scratch/pages") >"$scratch/out"
    [ ! -s "$scratch/out" ] || { head "$scratch/out"; false; }
}
check "man pages without warnings" no_warnings
completes() {
    inside bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader csink
        COMP_WORDS=(csink rep) COMP_CWORD=1 COMP_LINE="csink rep" COMP_POINT=9
        "$(complete -p csink | sed "s/.*-F \([^ ]*\).*/\1/")" csink rep csink; printf "%s\n" "${COMPREPLY[@]}"'
}
check "bash completes csink rep" says "report" completes

# libpapi is where `csink papi` finds it, and nowhere else.
check "csink papi gives our papi_avail" says "countersink/papi" inside csink papi -- sh -c 'command -v papi_avail'
check "papi_component_avail works" says "perf_event" inside csink papi -- papi_component_avail
# The output is compared, not the status: with pipefail a command that ends with 1 would hide what it printed.
silent() { local said; said=$("$@" 2>&1); [ -z "$said" ] || { echo "$said"; false; }; }
not_in_the_way() { silent inside sh -c 'ldconfig -p | grep libpapi; command -v papi_avail'; }
check "no libpapi for programs that do not ask for it" not_in_the_way
atime_runs() { inside env APAPI_CMPLIST=perf atime /tmp/shares 500; }
check "atime measures a program" says "ATIME" atime_runs
