#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>

#include "compat/papi/include/papi.h"

namespace csink::fortran {

/// How long a CHARACTER argument is. gfortran passes it by value behind the last argument, as
/// size_t, before version 8 as int. The lower half is right for both, and never more than there is.
using HiddenLength = unsigned;

/// A CHARACTER argument that is read: its text ends before the blanks that fill it, or at a NUL.
/// Owns: a copy with an end; long texts lie in the heap.
class InText {
 public:
  InText(const char* argument, HiddenLength length) noexcept;
  InText(const InText&) = delete;
  InText& operator=(const InText&) = delete;

  /// False where there was no memory for it.
  bool ok() const noexcept { return text_ != nullptr; }
  const char* c_str() const noexcept { return text_; }

 private:
  std::array<char, PAPI_2MAX_STR_LEN> short_;
  std::unique_ptr<char[]> long_;
  const char* text_;
};

/// A CHARACTER argument that is written: what does not fit is cut, blanks fill the rest. Where
/// nothing was given it stays as it was. Owns: a buffer; `argument` stays the caller's, and is
/// written by the destructor.
class OutText {
 public:
  OutText(char* argument, HiddenLength length) noexcept : argument_(argument), length_(length) {}
  OutText(const OutText&) = delete;
  OutText& operator=(const OutText&) = delete;
  ~OutText();

  /// For a C function that writes a text with an end: kRoom bytes.
  char* buffer() noexcept { return buffer_.data(); }
  void Give(std::string_view text) noexcept;

  static constexpr std::size_t kRoom = PAPI_HUGE_STR_LEN;

 private:
  char* argument_;
  HiddenLength length_;
  std::array<char, kRoom> buffer_{};
};

}  // namespace csink::fortran
