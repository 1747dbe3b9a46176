# Sourced by check_install after papi_checks.sh: Fortran programs built against the installed libpapi, in
# each of the documented ways ($tree, $scratch, $root, check, from_tree and prints_counted are given).
for header in fpapi.h f77papi.h f90papi.h papi.f90; do
    check "$header is installed" [ -s "$papi_prefix/include/$header" ]
done
if command -v gfortran >/dev/null; then
    fortran=$scratch/fortran
    mkdir -p "$fortran"
    cp "$root/tests/install/fortran_user.F90" "$root/tests/install/fortran_module_user.f90" "$fortran"
    # shellcheck disable=SC2046 # the words of pkg-config are options
    by_header() { gfortran "$fortran/fortran_user.F90" $(from_tree --cflags --libs papi) -o "$fortran/by_header"; }
    check "a Fortran program by pkg-config" by_header
    check "it counts" prints_counted "$fortran/by_header"
    check "with the library of the tree" uses_ours "$fortran/by_header"
    # shellcheck disable=SC2046
    by_static_header() { gfortran "$fortran/fortran_user.F90" $(static_flags) -o "$fortran/by_archive"; }
    check "the same with libpapi.a" by_static_header
    check "it counts" prints_counted "$fortran/by_archive"
    check "without a libpapi" needs_no_papi "$fortran/by_archive"
    # shellcheck disable=SC2046
    by_module() {
        (cd "$fortran" && gfortran "$(from_tree --variable=fortran_module papi)" fortran_module_user.f90 \
            $(from_tree --cflags --libs papi) -o by_module)
    }
    check "a program with the module" by_module
    check "it counts" prints_counted "$fortran/by_module"
    cat >"$fortran/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.21)
project(user LANGUAGES C Fortran)
find_package(papi 7.0 REQUIRED CONFIG)
add_executable(user fortran_module_user.f90 ${papi_FORTRAN_MODULE})
target_link_libraries(user PRIVATE papi::papi)
END
    module_by_find_package() {
        cmake -S "$fortran" -B "$fortran/cmake" -DCMAKE_PREFIX_PATH="$papi_prefix" >"$fortran/log" 2>&1 &&
            cmake --build "$fortran/cmake" >>"$fortran/log" 2>&1 || { cat "$fortran/log"; false; }
    }
    check "the module by find_package" module_by_find_package
    check "it counts" prints_counted "$fortran/cmake/user"
else
    echo "skipped: no gfortran (package gfortran), so no Fortran program"
fi
