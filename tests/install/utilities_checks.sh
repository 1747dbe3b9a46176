# shellcheck shell=bash disable=SC2154
# Sourced by check_install: PAPI's utilities from the moved tree ($papi_prefix, $tree, $scratch, $library and check
# are the caller's).
utilities=$(find "$papi_prefix/bin" -name 'papi_*' -exec basename {} \; | sort)
for name in avail clockres command_line component_avail cost decode error_codes event_chooser hardware_avail \
    hl_output_writer mem_info multiplex_cost native_avail version xml_event_info; do
    check "papi_$name is installed" [ -x "$papi_prefix/bin/papi_$name" ]
done
own_papi() { env -u LD_LIBRARY_PATH ldd "$1" | grep "libpapi\.so.*=> .*$(basename "$tree")/" >/dev/null; }
lean_program() { ! readelf -d "$1" | grep 'NEEDED.*libstdc++' >/dev/null; }
man_page() { [ -s "$papi_prefix/share/man/man1/$1.1" ] && grep "^\.TH $1 1" "$papi_prefix/share/man/man1/$1.1" >/dev/null; }
for name in $utilities; do
    check "$name has a man page" man_page "$name"
    [ "$name" != papi_hl_output_writer ] || continue # A script
    check "$name uses the tree's own libpapi" own_papi "$papi_prefix/bin/$name"
    check "$name needs no libstdc++" lean_program "$papi_prefix/bin/$name"
done
measures() { "$papi_prefix/bin/papi_cost" -t 100 >"$scratch/cost.txt" && grep '^mean ns ' "$scratch/cost.txt" >/dev/null; }
check "papi_cost measures from the tree" measures
counts_faults() { "$papi_prefix/bin/papi_command_line" perf::PAGE-FAULTS | grep -P '^perf::PAGE-FAULTS : \t[1-9]' >/dev/null; }
check "papi_command_line counts from the tree" counts_faults
software_presets() {
    PAPI_CSV_EVENT_FILE=$tree/share/csink/presets-software.csv "$papi_prefix/bin/papi_decode" -a | grep '^PAPI_TOT_CYC,.*,perf::CPU-CLOCK$' >/dev/null
}
check "papi_decode writes the presets of the installed file" software_presets
for name in $utilities; do
    [ "$name" = papi_hl_output_writer ] || check "no run path in $name" no_path "$papi_prefix/bin/$name"
done
lists_components() { "$papi_prefix/bin/papi_component_avail" | grep '^Name:   perf_event ' >/dev/null; }
check "papi_component_avail from the tree" lists_components
