#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace csink::testing {

/// Descriptor 2 leads into memory while this lives: raw_log goes past stdio.
class CapturedStderr {
 public:
  CapturedStderr() : saved_(dup(2)), memory_(memfd_create("stderr", MFD_CLOEXEC)) {
    EXPECT_GE(dup2(memory_, 2), 0);
  }
  ~CapturedStderr() {
    dup2(saved_, 2);
    close(saved_);
    close(memory_);
  }
  CapturedStderr(const CapturedStderr&) = delete;

  std::string text() const {
    std::string all(static_cast<std::size_t>(lseek(memory_, 0, SEEK_END)), '\0');
    EXPECT_EQ(pread(memory_, all.data(), all.size(), 0), static_cast<ssize_t>(all.size()));
    return all;
  }
  /// Without their newlines; an unfinished last line counts.
  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    std::string rest = text();
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      lines.push_back(rest.substr(0, end));
      rest.erase(0, end == std::string::npos ? end : end + 1);
    }
    return lines;
  }

 private:
  int saved_;
  int memory_;
};

}  // namespace csink::testing
