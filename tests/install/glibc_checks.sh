# shellcheck shell=bash disable=SC2154
# Sourced by check_install: what is preloaded into programs needs no newer C library than README names, whatever the build
# machine has ($tree, $root and check are the caller's).
oldest=$(sed -n 's/.*glibc \([0-9.]*\) or newer.*/\1/p' "$root/README.md" | head -n 1)
check "README names the oldest glibc" [ -n "$oldest" ]
no_newer_glibc() { # prints the files that need a newer one, with its version
    local file newest wrong=0
    while read -r file; do
        newest=$(readelf -VW "$file" 2>/dev/null | grep -o 'GLIBC_[0-9][0-9.]*' | sort -uV | tail -n 1)
        newest=${newest#GLIBC_}
        [ -n "$newest" ] || continue
        [ "$(printf '%s\n%s\n' "$newest" "$oldest" | sort -V | tail -n 1)" = "$oldest" ] || { echo "$file needs glibc $newest"; wrong=1; }
    done < <(find "$tree" -type f \( -name 'libagent*.so' -o -name 'libcsink-mpi.so' -o -name 'libcsink-critical.so' \))
    return $wrong
}
check "no preloaded library needs a glibc newer than $oldest" no_newer_glibc
