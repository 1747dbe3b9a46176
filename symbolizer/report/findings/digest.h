#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "symbolizer/report/findings/findings.h"
#include "symbolizer/report/tables/report.h"

/// File: what of a report goes into a digest, as data. The formats digest and digest-json write it.
/// Names are as in the report: a writer makes them harmless and short.

namespace csink::report {

struct DigestFunction {
  std::string function;
  std::string module;
  Cell cell;         ///< Of the digest's event
  std::string file;  ///< Of the hottest line; empty: not known
  std::uint32_t line = 0;
  std::string caller;       ///< The caller with most samples; empty: not known
  double caller_share = 0;  ///< Of the function's samples
};

/// A place where threads that are not idle were blocked.
struct DigestWait {
  double seconds = 0;
  std::string threads;  ///< Name of their group
  std::string function;
  std::string file;  ///< Of the call; empty: not known
  std::uint32_t line = 0;
  std::string primitive;
  std::string lock;  ///< Its name; empty: none
};

/// A command that answers more, with FILE for the profile.
struct DigestStep {
  std::string command;
  std::string answers;
};

struct Digest {
  bool has_event = false;
  std::string event;     ///< The column of the functions
  bool is_clock = true;  ///< Its weights are ns
  std::vector<Finding> findings;
  std::vector<std::string> facts;         ///< Lines of the report's head and its verdict
  std::vector<DigestFunction> functions;  ///< By weight
  bool has_waits = false;                 ///< They were recorded
  std::vector<DigestWait> waits;          ///< By time
  std::vector<DigestStep> next;
  bool is_cut = false;  ///< DropRow has removed something
};

/// A digest has at most so many bytes, in any format and whatever is in the profile.
inline constexpr std::size_t kMostDigestBytes = 6000;

/// The digest of one column. `events`: the columns that the user chose; the first is taken.
/// `facts`: lines for Digest::facts. Threads: any.
Digest MakeDigest(const Report& report, const std::vector<std::size_t>& events,
                  const std::vector<std::string>& facts);

/// How many rows DropRow can drop.
std::size_t RowsOf(const Digest& digest);
/// Drops the last row of the longest list, but for the findings and the steps, so that a digest
/// that is too long becomes shorter. Returns false if nothing is left to drop.
bool DropRow(Digest& digest);

}  // namespace csink::report
