# shellcheck shell=bash disable=SC2154
# Sourced by check_install: libpapi and PAPI's utilities are where nobody finds them by accident, and `csink papi` runs
# programs with them ($tree, $papi_prefix, $scratch, $library and check are the caller's).
nothing_of_papi() { # FOLDER...
    ! find "$@" -maxdepth 1 \( -name 'libpapi.*' -o -name 'libcsink_papi.*' -o -name 'libcsink_appio.*' -o -name 'papi*' -o -name 'fpapi.h' \) | grep .
}
check "no libpapi in the folder of libraries" nothing_of_papi "${library%/*}"
check "no papi_* in the folder of programs" nothing_of_papi "$tree/bin"
check "no papi.h in the folder of headers" nothing_of_papi "$tree/include"
check "no papi.pc of ours" nothing_of_papi "${library%/*}/pkgconfig"
check "the installation says where libpapi is" grep -q "csink papi -- ./app" "$scratch/log"

loads_ours() {
    "$tree/bin/csink" papi -- ldd "$build/shared_without_run_path" | grep -F "libpapi.so.7.0 => $papi_prefix/lib/" >/dev/null
}
cc "$root/tests/install/papi_user.c" -I"$papi_prefix/include" "$papi_prefix/lib/libpapi.so" -o "$build/shared_without_run_path"
check "csink papi gives a program our libpapi" loads_ours
check "it counts" [ "$("$tree/bin/csink" papi -- "$build/shared_without_run_path")" = counted ]
ours_by_name() { [ "$("$tree/bin/csink" papi -- sh -c 'command -v papi_avail')" = "$papi_prefix/bin/papi_avail" ]; }
check "and our papi_avail by its name" ours_by_name
under_the_agent() { "$tree/bin/csink" run -o "$scratch/papi_run.txt" -- "$tree/bin/csink" papi -- papi_cost -t 2000 >/dev/null &&
    grep -q papi_cost "$scratch/papi_run.txt"; }
check "csink run profiles what csink papi starts" under_the_agent
counts_reads() {
    "$tree/bin/csink" papi -- env LD_PRELOAD=libcsink_appio.so papi_component_avail | grep -A1 '^Name:   appio' | grep 'Native: 45' >/dev/null
}
check "libcsink_appio.so is preloaded by its name" counts_reads
