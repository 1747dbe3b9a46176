# Sourced by check_install: a C program with the installed libapapi ($tree, $scratch, $root, $library and
# check are the caller's).
apapi_libraries=${library%/*}
to_private_papi() { readelf -dW "$apapi_libraries/libapapi.so" | grep RUNPATH | grep -F '[$ORIGIN/countersink/papi/lib]' >/dev/null; }
check "the run path of libapapi.so leads to the private libpapi" to_private_papi
apapi_link() { [ "$(readlink -f "$apapi_libraries/libapapi.so.1")" = "$(readlink -f "$apapi_libraries/libapapi.so")" ]; }
check "libapapi.so leads to libapapi.so.1" apapi_link
check "libapapi.so needs libpapi.so.7.0, libc, libm and the loader at most" \
    needs "$apapi_libraries/libapapi.so" 'libpapi\.so\.7\.0' 'libc\.so\.6' 'libm\.so\.6' 'ld-linux.*'
finds_libpapi() { env -u LD_LIBRARY_PATH ldd "$apapi_libraries/libapapi.so" | grep -F "libpapi.so.7.0 => $apapi_libraries/countersink/papi/" >/dev/null; }
check "libapapi.so finds the libpapi of its own tree" finds_libpapi
# shellcheck disable=SC2046 # the words of pkg-config are options
apapi_program() {
    cc -Wall -Werror "$root/tests/compat/apapi/client.c" \
        $(PKG_CONFIG_PATH=$apapi_libraries/pkgconfig pkg-config --cflags --libs apapi) -o "$scratch/apapi_client"
}
check "a C program with apapi.h, by pkg-config" apapi_program
one_libpapi() { LD_LIBRARY_PATH=$apapi_libraries ldd "$scratch/apapi_client" | grep -F "libpapi.so.7.0 => " | grep -F "/countersink/papi/lib/" >/dev/null; }
check "it has the private libpapi" one_libpapi
apapi_runs() { LD_LIBRARY_PATH=$apapi_libraries "$scratch/apapi_client" >"$scratch/apapi.txt"; }
check "it measures with the default files of the moved tree" apapi_runs
check "and prints its statistics" grep -q '^  time s 1000000000.000000' "$scratch/apapi.txt"
