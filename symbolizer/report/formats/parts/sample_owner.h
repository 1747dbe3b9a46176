#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "symbolizer/report/tables/report.h"

/// File: whose samples the places of a report are, for formats that have a list of samples for each
/// thread or process.

namespace csink::report {

/// A thread as other programs' formats have it.
struct SampleOwner {
  /// Index into Profile::threads; kNoThread if the report did not keep threads: all samples then
  /// have one owner, the first process.
  std::uint32_t thread = kNoThread;
  std::size_t process = 0;  ///< Index into Profile::processes; 0 also if there are none
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;  ///< The pid for a sum of threads without a record of their own
  std::string name;       ///< Of the thread; else of the program. Not cleaned; may be empty
  std::string program;    ///< Of the process. Not cleaned; may be empty
  std::vector<std::uint32_t> places;  ///< Its places, as indices into Profile::places
};

/// The owner of the places of a thread (index into Profile::threads, or kNoThread); without places.
SampleOwner OwnerOf(const Report& report, std::uint32_t thread);

/// The owners with places, in the order of processes and then of threads. Every place has one.
std::vector<SampleOwner> SampleOwners(const Report& report);

}  // namespace csink::report
