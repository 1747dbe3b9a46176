# shellcheck shell=bash disable=SC2154
# Sourced by check_install: projects of somebody else that use csink.h, libcsink_events and libapapi by the installed
# CMake and pkg-config packages; licence texts and SBOM ($tree, $papi_prefix, $scratch, $root, $library and check are the
# caller's).
consumer=$scratch/consumer
mkdir -p "$consumer"
cat >"$consumer/marks.c" <<'END'
#include <csink.h>
#include <stdio.h>
int main(void) {
  printf("%s\n", csink_status() >= 0 ? "profiled" : "plain");
  return 0;
}
END
cat >"$consumer/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.21)
project(consumer LANGUAGES C)
find_package(countersink 1.0 REQUIRED CONFIG)
find_package(papi 7.0 REQUIRED CONFIG HINTS ${countersink_PAPI_PREFIX})
add_executable(marks marks.c)
target_link_libraries(marks PRIVATE countersink::csink)
add_executable(events ${EVENTS_SOURCE})
target_link_libraries(events PRIVATE countersink::csink_events)
add_executable(statistics ${APAPI_SOURCE})
target_link_libraries(statistics PRIVATE countersink::apapi)
add_executable(counts ${PAPI_SOURCE})
target_link_libraries(counts PRIVATE papi::papi)
file(WRITE "${CMAKE_BINARY_DIR}/agent" "${countersink_AGENT}")
END
consumer_builds() {
    cmake -S "$consumer" -B "$consumer/build" -DCMAKE_PREFIX_PATH="$tree" -DEVENTS_SOURCE="$scratch/events_user.c" \
        -DAPAPI_SOURCE="$root/tests/compat/apapi/client.c" -DPAPI_SOURCE="$root/tests/install/papi_user.c" >"$consumer/log" 2>&1 &&
        cmake --build "$consumer/build" >>"$consumer/log" 2>&1 || { cat "$consumer/log"; false; }
}
check "a CMake project with find_package(countersink)" consumer_builds
check "csink.h without the agent" [ "$("$consumer/build/marks")" = plain ]
with_agent() { [ "$(LD_PRELOAD=$(cat "$consumer/build/agent") "$consumer/build/marks" 2>/dev/null)" = profiled ]; }
check "csink.h with the agent that the package names" with_agent
consumer_events() { "$consumer/build/events" | grep -iE '^0 1 .*TASK-CLOCK' >/dev/null; }
check "countersink::csink_events runs" consumer_events
consumer_statistics() { "$consumer/build/statistics" | grep '^  time s 1000000000.000000' >/dev/null; }
check "countersink::apapi runs" consumer_statistics
check "papi::papi beside them counts" [ "$("$consumer/build/counts")" = counted ]
too_new() {
    printf 'cmake_minimum_required(VERSION 3.21)\nproject(t NONE)\nfind_package(countersink 99 REQUIRED CONFIG)\n' >"$consumer/too_new.txt"
    mkdir -p "$consumer/too_new" && mv "$consumer/too_new.txt" "$consumer/too_new/CMakeLists.txt"
    ! cmake -S "$consumer/too_new" -B "$consumer/too_new/build" -DCMAKE_PREFIX_PATH="$tree" >/dev/null 2>&1
}
check "a version that is not there is refused" too_new
# shellcheck disable=SC2046 # the words of pkg-config are options
by_csink_pc() { cc "$consumer/marks.c" $(PKG_CONFIG_PATH=${library%/*}/pkgconfig pkg-config --cflags --libs countersink) -o "$consumer/marks"; }
check "csink.h by pkg-config" by_csink_pc

licenses=$tree/share/doc/countersink/licenses
for package in libcli11-dev nlohmann-json3-dev libdeflate-dev libmd-dev libisal-dev libiberty-dev libevent-dev; do
    ! dpkg-query -W "$package" >/dev/null 2>&1 || check "the licence text of $package" [ -s "$licenses/$package" ]
done
sbom_is_good() {
    python3 - "$tree/share/doc/countersink/countersink.spdx.json" "$licenses" <<'PY'
import json, os, sys
document = json.load(open(sys.argv[1]))
assert document["spdxVersion"] == "SPDX-2.3" and document["SPDXID"] == "SPDXRef-DOCUMENT"
known = {package["SPDXID"] for package in document["packages"]} | {"SPDXRef-DOCUMENT"}
for relation in document["relationships"]:
    assert relation["spdxElementId"] in known and relation["relatedSpdxElement"] in known, relation
names = {package["name"] for package in document["packages"]}
assert set(os.listdir(sys.argv[2])) - {"README"} <= names
PY
}
check "the SBOM names each of them" sbom_is_good
