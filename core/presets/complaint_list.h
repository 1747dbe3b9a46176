#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace csink {

/// Sentences that Complaints() gives.
inline constexpr std::size_t kMaxComplaints = 64;

/// Collects what is wrong in files, so that one bad line stops nothing.
/// Threads: one at a time.
class ComplaintList {
 public:
  /// Remembers "FILE:LINE: sentence" (line 0: "FILE: sentence"), with bytes that cannot be
  /// printed as '?'. Beyond kMaxComplaints it only counts.
  void Add(std::string_view file, int line, std::string_view sentence) {
    Add(file, line, 0, sentence);
  }
  /// "FILE:LINE:COLUMN: sentence"; the column counts bytes from 1, 0: the line as a whole.
  void Add(std::string_view file, int line, int column, std::string_view sentence);

  /// The sentences; the last one counts those that were left out.
  std::vector<std::string> Sentences() const;
  std::size_t count() const noexcept { return count_; }
  /// The newest sentence that was kept, without file and line; empty: none.
  std::string_view last_sentence() const noexcept { return last_; }

 private:
  std::vector<std::string> sentences_;
  std::string last_;
  std::size_t count_ = 0;
};

/// The text with '?' for every byte that cannot be printed.
std::string Printable(std::string_view text);

/// `"token"`, cut to a readable length.
std::string Quoted(std::string_view token);

/// `; nearest: NAME`, or nothing when `nearest` is empty.
std::string NearestHint(std::string_view nearest);

}  // namespace csink
