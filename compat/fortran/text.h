#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>

#include "compat/papi/include/papi.h"

namespace csink::fortran {

/// The length of a CHARACTER argument. Compilers pass it by value after the last argument: gfortran
/// as size_t, before version 8 as int. The lower 32 bits are right for both, and never larger than
/// the real length.
using HiddenLength = unsigned;

/// A CHARACTER argument that is read. Its text ends before the trailing blanks or at a NUL.
/// Owns: a NUL-terminated copy; texts of PAPI_2MAX_STR_LEN bytes and more are on the heap.
class InText {
 public:
  InText(const char* argument, HiddenLength length) noexcept;
  InText(const InText&) = delete;
  InText& operator=(const InText&) = delete;

  /// False: no memory for the copy.
  bool ok() const noexcept { return text_ != nullptr; }
  const char* c_str() const noexcept { return text_; }

 private:
  std::array<char, PAPI_2MAX_STR_LEN> short_;
  std::unique_ptr<char[]> long_;
  const char* text_;
};

/// A CHARACTER argument that is written by the destructor. A text that does not fit is cut; blanks
/// fill the rest. The argument is unchanged if no text was given.
/// Owns: a buffer. The argument stays the caller's and must outlive this object.
class OutText {
 public:
  OutText(char* argument, HiddenLength length) noexcept : argument_(argument), length_(length) {}
  OutText(const OutText&) = delete;
  OutText& operator=(const OutText&) = delete;
  ~OutText();

  /// Buffer of kRoom bytes for a C function that writes a NUL-terminated text.
  char* buffer() noexcept { return buffer_.data(); }
  /// Stores a text in the argument at once.
  void Give(std::string_view text) noexcept;

  static constexpr std::size_t kRoom = PAPI_HUGE_STR_LEN;  ///< Bytes, with the NUL

 private:
  char* argument_;
  HiddenLength length_;
  std::array<char, kRoom> buffer_{};
};

}  // namespace csink::fortran
