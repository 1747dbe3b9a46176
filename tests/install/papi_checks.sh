# Sourced by check_install: programs built against the installed libpapi, from the moved tree ($tree,
# $papi_prefix, $scratch, $root and check are the caller's).
papi_libraries=$papi_prefix/lib
papi_flags=()
if grep -qx PAPI_library_init "$root/tests/abi/exports_pending.txt"; then
    echo "libpapi counts nothing yet: its programs only link and ask for a sentence"
    papi_flags=(-DERRORS_ONLY)
fi
user=$root/tests/install/papi_user.c
build=$scratch/papi
mkdir -p "$build"
from_tree() { PKG_CONFIG_PATH=$papi_libraries/pkgconfig pkg-config "$@"; }
prints_counted() { [ "$(LD_LIBRARY_PATH=$papi_libraries "$1" 2>&1)" = counted ]; }
# The library that a program really gets, not one of the system.
uses_ours() { LD_LIBRARY_PATH=$papi_libraries ldd "$1" | grep "libpapi.so.7.0 => $papi_libraries/" >/dev/null; }
needs_no_papi() { ! readelf -d "$1" | grep 'NEEDED.*libpapi' >/dev/null; }
links_of() { [ "$(readlink -f "$papi_libraries/$1")" = "$papi_libraries/libpapi.so.7.0.0.0" ]; }

for link in libpapi.so libpapi.so.7.0; do check "$link leads to libpapi.so.7.0.0.0" links_of $link; done
check "papi.pc says 7.0.0.0" [ "$(from_tree --modversion papi)" = 7.0.0.0 ]
check "and PAPI's own name of it too" [ "$(from_tree --modversion papi-7.0.0.0)" = 7.0.0.0 ]
headers_of_tree() { [ "$(readlink -f "$(from_tree --cflags-only-I papi | sed 's/^-I//; s/ *$//')")" = "$(readlink -f "$papi_prefix/include")" ]; }
check "pkg-config gives the moved tree's headers" headers_of_tree

# shellcheck disable=SC2046 # the words of pkg-config are options
by_pkg_config() { cc "${papi_flags[@]}" "$user" $(from_tree --cflags --libs papi) -o "$build/shared"; }
check "a C program by pkg-config" by_pkg_config
check "it runs" prints_counted "$build/shared"
check "with the library of the tree" uses_ours "$build/shared"

# libpapi.a by its name: with both in one folder the linker takes the shared one.
static_flags() { from_tree --cflags --libs --static papi | sed 's/-lpapi/-l:libpapi.a/'; }
# shellcheck disable=SC2046
by_static() { cc "${papi_flags[@]}" "$user" $(static_flags) -o "$build/static"; }
check "a C program with libpapi.a" by_static
check "it runs" prints_counted "$build/static"
check "without a libpapi" needs_no_papi "$build/static"
# shellcheck disable=SC2046
by_all_static() { cc -static "${papi_flags[@]}" "$user" $(static_flags) -o "$build/all_static" 2>"$build/warnings"; }
check "a C program without any shared library" by_all_static
check "it runs" prints_counted "$build/all_static"

cat >"$build/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.21)
project(user LANGUAGES C)
find_package(papi 7.0 REQUIRED CONFIG)
foreach(library papi papi_static)
  add_executable(user_of_${library} ${USER_SOURCE})
  target_compile_definitions(user_of_${library} PRIVATE ${USER_FLAGS})
  target_link_libraries(user_of_${library} PRIVATE papi::${library})
endforeach()
END
by_find_package() {
    cmake -S "$build" -B "$build/cmake" -DCMAKE_PREFIX_PATH="$papi_prefix" -DUSER_SOURCE="$user" \
        -DUSER_FLAGS="${papi_flags[*]}" >"$build/log" 2>&1 && cmake --build "$build/cmake" >>"$build/log" 2>&1 ||
        { cat "$build/log"; false; }
}
check "C programs by find_package" by_find_package
check "papi::papi runs" prints_counted "$build/cmake/user_of_papi"
check "with the library of the tree" uses_ours "$build/cmake/user_of_papi"
check "papi::papi_static runs" prints_counted "$build/cmake/user_of_papi_static"
check "without a libpapi" needs_no_papi "$build/cmake/user_of_papi_static"

presets=$tree/share/csink/presets-software.csv
check "the preset file with software events" [ -s "$presets" ]
cat >"$build/preset.c" <<'END'
#include <papi.h>
#include <stdio.h>
int main(void) {
  int set = PAPI_NULL;
  long long value = 0;
  volatile unsigned spin;
  if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) return 1;
  if (PAPI_create_eventset(&set) != PAPI_OK || PAPI_add_event(set, PAPI_TOT_CYC) != PAPI_OK) return 2;
  if (PAPI_start(set) != PAPI_OK) return 3;
  for (spin = 0; spin < 1000000; ++spin) {
  }
  if (PAPI_stop(set, &value) != PAPI_OK || value <= 0) return 4;
  puts("counted");
  return 0;
}
END
# shellcheck disable=SC2046
by_preset() {
    cc "$build/preset.c" $(from_tree --cflags --libs papi) -o "$build/preset" &&
        PAPI_CSV_EVENT_FILE=$presets prints_counted "$build/preset"
}
check "a preset counts by it" by_preset

# PAPI 7.1, 7.2 and 7.3: a library and headers each, over the core in libpapi.so.7.0.
for minor in 1 2 3; do
    file=libpapi.so.7.$minor
    abi_leads() { [ "$(readlink -f "$papi_libraries/$file")" = "$papi_libraries/$file.0.0" ]; }
    check "$file leads to $file.0.0" abi_leads
    for name in papi-7.$minor papi-7.$minor.0.0; do
        check "$name.pc says 7.$minor.0.0" [ "$(from_tree --modversion $name)" = 7.$minor.0.0 ]
    done
    # shellcheck disable=SC2046
    by_abi() { cc -Wl,--fatal-warnings "$user" $(from_tree --cflags --libs papi-7.$minor) -o "$build/abi$minor"; }
    check "a C program of PAPI 7.$minor" by_abi
    check "it runs" prints_counted "$build/abi$minor"
    gets_abi() { LD_LIBRARY_PATH=$papi_libraries ldd "$build/abi$minor" | grep "$file => $papi_libraries/" >/dev/null; }
    check "with the library of its version" gets_abi
    # The ABI library alone leads to the core: no other libpapi is asked for, also without LD_LIBRARY_PATH.
    gets_core() { ldd "$papi_libraries/$file" | grep "libcsink_papi.so.0 => $papi_libraries/" >/dev/null; }
    check "which finds the core beside it" gets_core
    fortran_of_abi() { grep -x "#define PAPI_VER_CURRENT $((7 << 24 | minor << 16))" "$papi_prefix/include/papi-7.$minor/fpapi.h" >/dev/null; }
    check "and Fortran's constants of its version" fortran_of_abi
done
core_is_70() { [ "$(readlink -f "$papi_libraries/libcsink_papi.so.0")" = "$papi_libraries/libpapi.so.7.0.0.0" ]; }
check "the core is libpapi.so.7.0" core_is_70

# PAPI 3.5's interface: papi35.h, and its examples by the switch.
# shellcheck disable=SC2046
by_35() { # by_35 NAME COMPILER...
    local name=$1
    shift
    "$@" "$root/tests/install/papi35_user.c" -x none $(from_tree --cflags --libs papi) -o "$build/$name" &&
        PAPI_CSV_EVENT_FILE=$presets prints_counted "$build/$name"
}
check "a C program of PAPI 3.5" by_35 c35 cc -x c
check "and as C++" by_35 cxx35 c++ -x c++
check "with the library of the tree" uses_ours "$build/c35"
examples_of_35() {
    python3 "$root/tests/manual35/check_manual35.py" --include "$papi_prefix/include" --library "$papi_libraries" --only "$1" \
        >"$build/log" || { cat "$build/log"; false; }
}
check "the 3.5 manual's example of PAPI_perror" examples_of_35 perror
check "and of PAPI_start" examples_of_35 start_stop

# What else an archive defines could clash with the program's own names; nlohmann's carry their version.
foreign=$(nm --defined-only -g "$papi_libraries/libpapi.a" 2>/dev/null |
    awk 'NF == 3 && $2 ~ /[TDBRVWu]/ { print $3 }' | grep -vE '^(PAPI_|papi_|PAPIF_|papif_|_Z(Thn[0-9]+_|GVZ|Z)?N?K?(5csink|St)|_ZT[VISH]|DW\.ref\.)' |
    grep -vE '^_ZN?[A-Z]*N?K?8nlohmann[0-9]+json_abi_' | sort -u)
check "libpapi.a defines PAPI's names and our own namespace alone" [ -z "$foreign" ]
[ -z "$foreign" ] || echo "$foreign"
