# shellcheck shell=bash disable=SC2154
# Sourced by check_install: atime and libms_common_apapi.so from the moved tree ($tree, $scratch, $root,
# $library and check are the caller's).
libraries=${library%/*}
for name in apapi ms_common_apapi; do check "lib$name.so is installed" [ -e "$libraries/lib$name.so" ]; done
ms_soname() { readelf -dW "$libraries/libms_common_apapi.so" | grep -F 'soname: [libms_common_apapi.so.1]' >/dev/null; }
check "libms_common_apapi.so leads to a library with a version" ms_soname
own_libraries() { # FILE: nothing of it is found elsewhere
    local found
    found=$(env -u LD_LIBRARY_PATH ldd "$1" | grep -E 'lib(papi|apapi)\.so')
    [ -n "$found" ] && ! grep -v "=> .*$(basename "$tree")/" <<<"$found"
}
for file in "$tree/bin/atime" "$libraries/libms_common_apapi.so"; do
    check "$(basename "$file") uses the tree's own libraries" own_libraries "$file"
done
no_shared_cpp() { ! readelf -d "$1" | grep 'NEEDED.*libstdc++' >/dev/null; }
for file in "$tree/bin/atime" "$libraries/libms_common_apapi.so"; do
    check "$(basename "$file") needs no libstdc++" no_shared_cpp "$file"
done

atime_status() { "$tree/bin/atime" -o "$scratch/atime.txt" sh -c 'exit 5' 2>/dev/null; [ $? = 5 ]; }
check "atime passes the status on" atime_status
phases_of_python() {
    "$tree/bin/atime" --phases python3 -c 'import ctypes; ctypes.CDLL(None).csink_mark(b"here")' 2>"$scratch/err" |
        grep -q '^ATIME: phase here: '
}
check "atime finds libcsink-marks.so" phases_of_python
check "atime's report" grep -q '^ATIME: done$' "$scratch/atime.txt"
memory_of_machine() {
    APAPI_CMPLIST=load "$tree/bin/atime" --format csv true 2>"$scratch/err" |
        grep -q "^load,load:::MEM_TOTAL,$(awk '/^MemTotal/ { print $2 }' /proc/meminfo),"
}
check "atime reads the default events, found from the library" memory_of_machine

cat >"$scratch/ms_user.c" <<'END'
#include <ms_common_apapi.h>
#include <stdio.h>
int main(void) {
  MS_VERSION version = {0, 8, 0};
  MS_SYSTEM* ms = ms_init(&version, CPU_GOVERNOR_ONDEMAND, 0, 0, GPU_FREQUENCY_CUR, IPMI_SET_TIMEOUT,
                          SKIP_PERIODIC, VARIANT_FULL);
  MS_LIST* list = ms ? ms_alloc_measurement(ms) : NULL;
  if (!ms) return 1;
  ms_init_measurement(ms, list, ALL);
  ms_start_measurement(ms);
  ms_stop_measurement(ms);
  ms_join_measurement(ms);
  printf("%u\n", cpu_memory_total(list));
  ms_free_measurement(list);
  ms_fini(ms);
  return 0;
}
END
# The stand-in for libmeasure's own library: the program was linked against it, ours is preloaded.
ms_preloaded() {
    sed -n 's/^ *\([a-zA-Z0-9_]*\);$/int \1(void) { return 0; }/p' "$root/compat/ms_common/libms_common_apapi.map" >"$scratch/stub.c"
    cc -shared -fPIC -Wl,-soname,libms_common.so "$scratch/stub.c" -o "$scratch/libms_common.so" &&
        cc "$scratch/ms_user.c" -I"$tree/include" -L"$scratch" -lms_common -o "$scratch/ms_user" &&
        [ "$(LD_LIBRARY_PATH=$scratch LD_PRELOAD=$libraries/libms_common_apapi.so "$scratch/ms_user" 2>"$scratch/err")" = \
            "$(awk '/^MemTotal/ { print $2 }' /proc/meminfo)" ]
}
check "a program built for libms_common measures by LD_PRELOAD" ms_preloaded
