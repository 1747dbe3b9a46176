#include "compat/fortran/text.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace csink::fortran {
namespace {

// Fortran fills a variable with blanks. A program may also have put a NUL after its text, as C
// expects.
std::string_view Trimmed(const char* argument, std::size_t length) noexcept {
  std::string_view text(argument, length == 0 ? 0 : strnlen(argument, length));
  text.remove_suffix(text.size() - (text.find_last_not_of(' ') + 1));
  return text;
}

}  // namespace

InText::InText(const char* argument, HiddenLength length) noexcept {
  const std::string_view text = Trimmed(argument, length);
  char* copy = short_.data();
  // Names and messages usually fit into the member; the heap is used for longer texts alone.
  if (text.size() >= short_.size()) {
    long_.reset(new (std::nothrow) char[text.size() + 1]);
    copy = long_.get();
  }
  if (copy) {
    std::copy(text.begin(), text.end(), copy);
    copy[text.size()] = '\0';
  }
  text_ = copy;
}

void OutText::Give(std::string_view text) noexcept {
  const std::size_t copied = std::min<std::size_t>(length_, text.size());
  std::copy_n(text.begin(), copied, argument_);
  std::fill(argument_ + copied, argument_ + length_, ' ');
}

OutText::~OutText() {
  if (buffer_[0] != '\0') Give(buffer_.data());
}

}  // namespace csink::fortran
