#pragma once

#include <unistd.h>

#include <fstream>
#include <string>

namespace csink::testing {

/// How much of the processors' time the host of this virtual machine took away since the
/// construction: "steal" of proc_stat(5). While it is away no timer fires, and a clock's samples of
/// that time never come, though the clock counts it.
class StolenTime {
 public:
  StolenTime() : before_(Ticks()) {}

  /// In milliseconds, at most. 0 where nothing was taken.
  long MostMs() const {
    const long taken = Ticks() - before_;
    return taken > 0 ? (taken + 1) * 1000 / sysconf(_SC_CLK_TCK) : 0;
  }

 private:
  static long Ticks() {
    std::ifstream in("/proc/stat");
    std::string cpu;
    long ticks = 0;
    in >> cpu;
    for (int field = 0; field < 8 && in >> ticks; ++field) {
    }
    return in ? ticks : 0;
  }
  long before_;
};

}  // namespace csink::testing
