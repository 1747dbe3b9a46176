# Sourced by check_install: a C program with the installed libcsink_events ($tree, $scratch, $library and
# check are the caller's).
events_libraries=${library%/*}
cat >"$scratch/events_user.c" <<'END'
#include <csink_events.h>
#include <stdio.h>
int main(void) {
  char message[200] = "";
  const int good = csink_event_check("perf::TASK-CLOCK", message, sizeof message);
  const int bad = csink_event_check("perf::TASK-CLOK", message, sizeof message);
  printf("%d %d %s\n", good, bad != CSINK_EVENTS_OK, message);
  return 0;
}
END
events_link() { [ "$(readlink -f "$events_libraries/libcsink_events.so.0")" = "$(readlink -f "$events_libraries/libcsink_events.so")" ]; }
check "libcsink_events.so leads to libcsink_events.so.0" events_link
events_program() {
    # shellcheck disable=SC2046 # the words of pkg-config are options
    cc "$scratch/events_user.c" $(PKG_CONFIG_PATH=$events_libraries/pkgconfig pkg-config --cflags --libs csink_events) -o "$scratch/events_user"
}
check "a C program with csink_events.h, by pkg-config" events_program
names_the_nearest() { LD_LIBRARY_PATH=$events_libraries "$scratch/events_user" | grep -iE '^0 1 .*TASK-CLOCK' >/dev/null; }
check "it knows a good event, and the nearest to a bad one" names_the_nearest
explained() { "$papi_prefix/bin/papi_native_avail" -e perf::TASK-CLOCK | grep '^modifiers:$' >/dev/null; }
check "papi_native_avail finds libcsink_events in the tree" explained
