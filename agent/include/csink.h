#ifndef CSINK_H
#define CSINK_H

/*
 * csink.h: how a program that may be profiled by Countersink tells it what to sample.
 *
 *     csink_mark("solve");      samples from here on are those of the phase "solve"
 *     csink_pause();            nothing is sampled ...
 *     csink_resume();           ... until here
 *     csink_snapshot(0);        a report of what was sampled so far
 *
 * Nothing has to be linked. Without libagent.so in LD_PRELOAD each function is one test of a
 * pointer, and returns ENOSYS. The state is the process's, not the calling thread's.
 *
 * All return 0, or an error of errno.h by its number; errno itself is left alone:
 *     ENOSYS     there is no agent, or CSINK_ENABLE=0
 *     EPERM      sampling was stopped for good (resume); a child made by vfork or clone;
 *                a seccomp sandbox
 *     ESHUTDOWN  the program is ending, its report is being made
 *     EBUSY      an earlier call on this thread was interrupted, or has taken too long
 *
 * Threads: any number, at any time. Signals: all are safe in handlers.
 */

#include <errno.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What csink_status returns; negative: minus one of the errors above. */
#define CSINK_RUNNING 0
#define CSINK_PAUSED 1
#define CSINK_STOPPED 2

/*
 * The agent's own functions, looked up through the table of addresses that the loader fills in. A
 * plain weak reference does not do: in a program that is not position-independent the linker
 * settles it for good, with "not there".
 */
#if defined(__x86_64__) && defined(__ELF__)
#define CSINK_ADDRESS_OF_(name, to) \
  __asm__(".weak " #name "\n\tmovq " #name "@GOTPCREL(%%rip), %0" : "=r"(to))
#elif defined(__aarch64__) && defined(__ELF__)
#define CSINK_ADDRESS_OF_(name, to)                                                         \
  __asm__(".weak " #name "\n\tadrp %0, :got:" #name "\n\tldr %0, [%0, :got_lo12:" #name "]" \
          : "=r"(to))
#else
#define CSINK_ADDRESS_OF_(name, to) ((to) = 0)
#endif

/* From here on nothing is sampled, in all threads. Paused twice is paused once. CPU time of pauses
 * is shown by the report and counted neither as explained nor as lost. Children that are forked
 * meanwhile begin paused. Costs a few us a thread, and 1.5 % of the paused time for 100 ms at
 * most, then nothing. */
static inline int csink_pause(void) {
  int (*agent)(void);
  CSINK_ADDRESS_OF_(csink_agent_pause, agent);
  return agent ? agent() : ENOSYS;
}

/* Sampling goes on. EPERM after `stop` or when CSINK_DURATION is over. */
static inline int csink_resume(void) {
  int (*agent)(void);
  CSINK_ADDRESS_OF_(csink_agent_resume, agent);
  return agent ? agent() : ENOSYS;
}

/* Samples from here on belong to the phase `name`: UTF-8, no control characters, copied. A name
 * that was there before continues its phase. EINVAL: no name, or not a text; E2BIG: longer than 200
 * bytes, or more than 1,024 names; ENOSPC: no room for a spool. */
static inline int csink_mark(const char* name) {
  int (*agent)(const char*);
  CSINK_ADDRESS_OF_(csink_agent_mark, agent);
  return agent ? agent(name) : ENOSYS;
}

/* Writes a report of what was sampled so far to `file`, or with 0 to the usual place: CSINK_OUTPUT
 * with the snapshot's number for %n (or behind it), else standard error. Returns when it is
 * written: as long as the csink program takes. ENODATA: nothing was sampled yet; ENOENT: no csink
 * program; EIO: it failed; EACCES: this user cannot read the profile; E2BIG: the name is too long.
 */
static inline int csink_snapshot(const char* file) {
  int (*agent)(const char*);
  CSINK_ADDRESS_OF_(csink_agent_snapshot, agent);
  return agent ? agent(file) : ENOSYS;
}

/* CSINK_RUNNING, CSINK_PAUSED or CSINK_STOPPED; -ENOSYS without the agent, -ESHUTDOWN at the end.
 */
static inline int csink_status(void) {
  int (*agent)(void);
  CSINK_ADDRESS_OF_(csink_agent_status, agent);
  return agent ? agent() : -ENOSYS;
}

#ifdef __cplusplus
}
#endif

#endif /* CSINK_H */
