#ifndef CSINK_EVENTS_H
#define CSINK_EVENTS_H

/* What an event string of libpfm4's grammar may hold: groups of unit masks, defaults, wired values,
 * codes, and macros (CSINK_EVENT_MACROS). libcsink_events.so.0; link with -lcsink_events.
 * An event is "[pmu::]EVENT[:attribute...]". All functions may be called by any thread. */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Results. Functions that write text give its length instead of CSINK_EVENTS_OK. */
#define CSINK_EVENTS_OK 0
#define CSINK_EVENTS_EINVAL (-1)   /* a null pointer, or no event string at all */
#define CSINK_EVENTS_ENOEVENT (-2) /* no such event or PMU on this machine */
#define CSINK_EVENTS_EATTRIBUTE \
  (-3) /* a unit mask or modifier: unknown, missing, impossible, wired */
#define CSINK_EVENTS_ECOMBINATION (-4) /* attributes that exclude each other */
#define CSINK_EVENTS_ELIBRARY (-5)     /* libpfm4 cannot be loaded, or knows no such thing here */

enum csink_attribute_kind {
  CSINK_ATTRIBUTE_UNIT_MASK = 0,
  CSINK_ATTRIBUTE_MODIFIER = 1,
  CSINK_ATTRIBUTE_MACRO = 2
};

/* One attribute of an event. The texts stay valid until the process ends; none is NULL. */
struct csink_event_attribute {
  const char* name;
  const char* text;      /* what it counts or does */
  const char* modifiers; /* unit mask: what it fixes ("i=1:c=1"); modifier: its value ("c=0");
                            macro: its translation */
  const char* same_as;   /* unit mask that is a short spelling: of what */
  uint64_t code;         /* unit mask: its code; else 0 */
  int kind;              /* enum csink_attribute_kind */
  int group;             /* at least one member of each group must be given; -1: of none */
  int is_default;        /* taken when no member of its group is given */
  int is_hard_wired;     /* fixes modifiers (unit mask, macro), or cannot be changed (modifier) */
};

/* Fills at most *count elements of `out` (may be NULL when *count is 0) and sets *count to how many
 * there are. */
int csink_event_attributes(const char* event, struct csink_event_attribute* out, int* count);

/* The same as a JSON object (docs/event-macros.md has its keys), or as text for people. Writes at
 * most `size` bytes with the NUL and gives the whole length, as snprintf does. On an error the
 * sentence that explains it is written instead: as {"error": ...}, or as it is. */
int csink_event_attributes_json(const char* event, char* buffer, size_t size);
int csink_event_attributes_text(const char* event, char* buffer, size_t size);

/* Whether an event string can be used here. When it cannot, `message` (may be NULL) gets one line
 * that names the culprit and the nearest spelling. */
int csink_event_check(const char* event, char* message, size_t size);

#ifdef __cplusplus
}
#endif

#endif
