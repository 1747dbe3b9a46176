#include "tests/bench/programs/bare_event.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static void Die(const char* what) {
  perror(what);
  exit(3);
}

static struct perf_event_attr TaskClock(uint64_t period_ns) {
  struct perf_event_attr attr;
  memset(&attr, 0, sizeof attr);
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_TASK_CLOCK;
  attr.sample_period = period_ns;
  attr.sample_type = PERF_SAMPLE_IP;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  return attr;
}

static int OpenOrDie(struct perf_event_attr* attr, unsigned long flags) {
  const int fd = (int)syscall(SYS_perf_event_open, attr, 0, -1, -1, flags);
  if (fd < 0) Die("perf_event_open");
  return fd;
}

void InterruptTree(uint64_t period_ns) {
  struct perf_event_attr attr = TaskClock(period_ns);
  attr.inherit = 1;
  attr.disabled = 1;
  attr.enable_on_exec = 1;
  OpenOrDie(&attr, 0);  // left open over exec: it ends with the tree
}

struct BareEvent OpenBareEvent(uint64_t period_ns, size_t ring_pages) {
  struct perf_event_attr attr = TaskClock(period_ns);
  struct BareEvent event = {-1, NULL, 0};
  event.fd = OpenOrDie(&attr, PERF_FLAG_FD_CLOEXEC);
  if (ring_pages > 0) {
    event.ring_bytes = (ring_pages + 1) * (size_t)sysconf(_SC_PAGESIZE);
    event.ring = mmap(NULL, event.ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, event.fd, 0);
    if (event.ring == MAP_FAILED) Die("mmap of the ring");
  }
  return event;
}

uint64_t BareEventSamples(const struct BareEvent* event, uint64_t period_ns) {
  if (event->ring) {
    const struct perf_event_mmap_page* page = event->ring;
    return __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE) / 16;
  }
  uint64_t counted_ns = 0;
  if (read(event->fd, &counted_ns, sizeof counted_ns) != sizeof counted_ns) Die("read");
  return counted_ns / period_ns;
}

void CloseBareEvent(struct BareEvent* event) {
  if (event->ring) munmap(event->ring, event->ring_bytes);
  close(event->fd);
}
