#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// File: mistakes in event files, as sentences for the user.

namespace csink {

/// The largest number of sentences that are kept, the one about left-out sentences included. A file
/// of another kind would otherwise give one for each of its lines.
inline constexpr std::size_t kMaxComplaints = 64;

/// Collects mistakes in files, so that one bad line does not stop the reading of the rest.
///   complaints.Add("events.csv", 3, "a name is missing");  // "events.csv:3: a name is missing"
/// Owns: the sentences. Threads: one at a time. Signals: not safe (heap).
class ComplaintList {
 public:
  /// Adds "FILE:LINE: sentence" (line 0: "FILE: sentence"), with '?' for unprintable bytes. Lines
  /// count from 1. After kMaxComplaints - 1 sentences only the number is counted.
  void Add(std::string_view file, int line, std::string_view sentence) {
    Add(file, line, 0, sentence);
  }
  /// Adds "FILE:LINE:COLUMN: sentence". The column counts bytes from 1; 0: the line as a whole.
  /// Without a line the column is not shown.
  void Add(std::string_view file, int line, int column, std::string_view sentence);

  /// The sentences, in the order of Add; the last one states how many were left out.
  std::vector<std::string> Sentences() const;
  /// The number of calls of Add. A reader compares it before and after a file to see whether that
  /// file has mistakes.
  std::size_t count() const noexcept { return count_; }

 private:
  std::vector<std::string> sentences_;
  std::size_t count_ = 0;
};

/// `text` with '?' for each byte that is not printable ASCII: file names and tokens come from
/// users, and a message is to stay one line.
std::string Printable(std::string_view text);

/// The token in double quotes, cut to 60 bytes with "..." behind them. Unprintable bytes stay:
/// ComplaintList::Add replaces them.
std::string Quoted(std::string_view token);

/// "; nearest: NAME", or "" where `nearest` is "". For the end of a sentence.
std::string NearestHint(std::string_view nearest);

}  // namespace csink
