#ifndef CSINK_EVENTS_H
#define CSINK_EVENTS_H

/* What an event string in libpfm4's grammar may contain on this machine: groups of unit masks,
 * defaults, fixed values, codes, and macros (CSINK_EVENT_MACROS). Library: libcsink_events.so.0;
 * link with -lcsink_events.
 * An event string is "[pmu::]EVENT[:attribute...]".
 * Threads:  any thread may call any function.
 * Signals:  no function is safe in a signal handler; all of them may allocate and open files. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Results. Functions that write text return its length (0 or more) instead of CSINK_EVENTS_OK. */
#define CSINK_EVENTS_OK 0
#define CSINK_EVENTS_EINVAL (-1)   /* a null pointer, a negative count, or not an event string */
#define CSINK_EVENTS_ENOEVENT (-2) /* no such event or PMU on this machine */
#define CSINK_EVENTS_EATTRIBUTE \
  (-3) /* a unit mask or modifier: unknown, missing, impossible, wired */
#define CSINK_EVENTS_ECOMBINATION (-4) /* attributes that exclude each other */
#define CSINK_EVENTS_ELIBRARY (-5) /* libpfm4 cannot be loaded or does not support the request */

enum csink_attribute_kind {
  CSINK_ATTRIBUTE_UNIT_MASK = 0,
  CSINK_ATTRIBUTE_MODIFIER = 1,
  CSINK_ATTRIBUTE_MACRO = 2
};

/* One attribute of an event. The strings stay valid until the process ends; none is NULL. */
struct csink_event_attribute {
  const char* name;
  const char* text;      /* what it counts or does */
  const char* modifiers; /* unit mask: what it fixes ("i=1:c=1"); modifier: its value ("c=0");
                            macro: its translation */
  const char* same_as;   /* unit mask that abbreviates others: their names; else "" */
  uint64_t code;         /* unit mask: its code; else 0 */
  int kind;              /* enum csink_attribute_kind */
  int group;             /* number of its group, from 0; -1: in no group */
  int is_default;        /* 1: used when no member of its group is given */
  int is_hard_wired;     /* 1: fixes modifiers (unit mask, macro) or is fixed (modifier) */
};

/* Stores at most *count attributes in `out` (may be NULL if *count is 0) and sets *count to the
 * number of all attributes. CSINK_EVENTS_OK, or an error; *count is then unchanged. */
int csink_event_attributes(const char* event, struct csink_event_attribute* out, int* count);

/* Describe the event as a JSON object (docs/event-macros.md lists the keys) or as text for people.
 * Write at most `size` bytes including the NUL and return the whole length, as snprintf does. On an
 * error they write the message instead (as {"error": ...}, or as one line) and return the error.
 * `buffer` may be NULL if `size` is 0. */
int csink_event_attributes_json(const char* event, char* buffer, size_t size);
int csink_event_attributes_text(const char* event, char* buffer, size_t size);

/* CSINK_EVENTS_OK if the event string can be counted on this machine. Otherwise an error, and
 * `message` (may be NULL if `size` is 0) gets one line that names the wrong part and the nearest
 * known spelling. */
int csink_event_check(const char* event, char* message, size_t size);

#ifdef __cplusplus
}
#endif

#endif
