# Sourced by check_install: a C program with the installed libapapi ($tree, $scratch, $root, $library and
# check are the caller's).
apapi_libraries=${library%/*}
own_folder() { readelf -dW "$apapi_libraries/libapapi.so" | grep RUNPATH | grep -F '[$ORIGIN]' >/dev/null; }
check "the run path of libapapi.so is its own folder" own_folder
check "libapapi.so needs libpapi.so.7.0, libc, libm and the loader at most" \
    needs "$apapi_libraries/libapapi.so" 'libpapi\.so\.7\.0' 'libc\.so\.6' 'libm\.so\.6' 'ld-linux.*'
finds_libpapi() { env -u LD_LIBRARY_PATH ldd "$apapi_libraries/libapapi.so" | grep -F "libpapi.so.7.0 => $apapi_libraries/" >/dev/null; }
check "libapapi.so finds the libpapi of its own tree" finds_libpapi
apapi_program() {
    cc -Wall -Werror "$root/tests/compat/apapi/client.c" -I"$tree/include" -L"$apapi_libraries" -lapapi -lpapi -o "$scratch/apapi_client"
}
check "a C program with apapi.h" apapi_program
apapi_runs() { LD_LIBRARY_PATH=$apapi_libraries "$scratch/apapi_client" >"$scratch/apapi.txt"; }
check "it measures with the default files of the moved tree" apapi_runs
check "and prints its statistics" grep -q '^  time s 1000000000.000000' "$scratch/apapi.txt"
