#include <fcntl.h>

#include "core/machine/maps.h"
#include "core/util/raw_syscall.h"
#include "core/util/text.h"
#include "core/util/unique_fd.h"

// MapsReader collects text in a buffer of one line. Commit looks for newlines in the new bytes,
// hands each complete line to Line, and moves the unfinished rest to the front. A line that fills
// the buffer is visited with the part of its path that is there, and the rest of the line is
// skipped up to its newline. Line remembers the last mapping of offset 0 and derives each
// image_start from it.

namespace csink {
namespace {

constexpr int kEintr = 4;
bool EndsWith(std::string_view text, std::string_view end) noexcept {
  return text.size() >= end.size() &&
         std::string_view(text.data() + (text.size() - end.size()), end.size()) == end;
}

// Inode numbers are unique within one device only.
bool SameFile(const MapsLine& a, const MapsLine& b) noexcept {
  return a.inode == b.inode && a.dev_major == b.dev_major && a.dev_minor == b.dev_minor;
}

}  // namespace

// Returns false if the visitor has ended the walk. A line that is not a mapping is ignored.
bool MapsReader::Line(char* text, std::size_t bytes) noexcept {
  MapsLine line;
  if (!ParseMapsLine(std::string_view(text, bytes), line)) return true;
  line.path_cut = skipping_;
  const std::size_t at = bytes - line.path.size();
  const NamedFile file = {line.inode, line.dev_major, line.dev_minor, /*escaped=*/true};
  const DecodedName name = DecodeFileName(text + at, line.path.size(), file, root_);
  line.path = std::string_view(text + at, name.bytes);
  line.deleted = name.deleted;
  // Anonymous memory (the .bss of an image, padding between segments) may lie inside an image.
  const bool anonymous = line.inode == 0 && line.path.empty();
  if (!anonymous) {
    if (line.offset == 0) {
      // lld maps the first page of a file twice inside one image. Such a second mapping follows the
      // first one directly and does not begin another image.
      const bool continues = image_.end == line.start && SameFile(image_, line) && line.inode != 0;
      if (!continues) image_.start = line.start;
      image_.inode = line.inode;
      image_.dev_major = line.dev_major;
      image_.dev_minor = line.dev_minor;
      image_.end = line.end;
      line.image_start = image_.start;
    } else if (image_.end != 0 && line.inode != 0 && SameFile(image_, line)) {
      line.image_start = image_.start;
    } else {
      // A mapping of another file ends the image: a later mapping of the first file is not known to
      // belong to the same load of it.
      image_ = MapsLine{};
    }
  }
  stopped_ = !visitor_(line, arg_);
  return !stopped_;
}

bool MapsReader::Commit(std::size_t size_bytes) noexcept {
  // The bytes before `used_` hold no newline: an earlier call has searched them.
  std::size_t scan = used_;
  used_ += size_bytes;
  std::size_t line_start = 0;
  for (; scan < used_ && !stopped_; ++scan) {
    if (buffer_[scan] != '\n') continue;
    // After a cut line, the text before the next newline is the remainder of that line.
    if (skipping_) {
      skipping_ = false;
    } else {
      Line(buffer_ + line_start, scan - line_start);
    }
    line_start = scan + 1;
  }
  const std::size_t rest = used_ - line_start;
  for (std::size_t i = 0; i < rest && line_start != 0; ++i) buffer_[i] = buffer_[line_start + i];
  used_ = rest;
  // The buffer is emptied whenever it would be full, so space_bytes() is never 0.
  if (used_ == kMaxLine || (skipping_ && used_ != 0)) {
    const bool first_piece = !skipping_;
    skipping_ = true;
    if (first_piece && !stopped_) Line(buffer_, used_);
    used_ = 0;
  }
  return !stopped_;
}

bool MapsReader::Feed(std::string_view piece) noexcept {
  while (!piece.empty() && !stopped_) {
    const std::size_t take = piece.size() < space_bytes() ? piece.size() : space_bytes();
    for (std::size_t i = 0; i < take; ++i) space()[i] = piece[i];
    piece.remove_prefix(take);
    Commit(take);
  }
  return !stopped_;
}

bool MapsReader::Finish() noexcept {
  if (!stopped_ && !skipping_ && used_ != 0) Line(buffer_, used_);
  used_ = 0;
  skipping_ = false;
  return !stopped_;
}

Result<void> ForEachMapping(const char* proc_path, MapsVisitor visitor, void* arg) noexcept {
  MapsReader reader(visitor, arg);
  constexpr std::string_view kMaps = "/maps";
  const std::string_view path(proc_path);
  Text<256> root;
  if (EndsWith(path, kMaps) && path != "/proc/self/maps" && path != "/proc/thread-self/maps") {
    root.Add(std::string_view(path.data(), path.size() - kMaps.size())).Add("/root");
    reader.set_root(root.c_str());
  }
  return ForEachMapping(proc_path, reader);
}

Result<void> ForEachMapping(const char* proc_path, MapsReader& reader) noexcept {
  const long opened = RawSyscall(SYS_openat, AT_FDCWD, SyscallArg(proc_path), O_RDONLY | O_CLOEXEC);
  if (opened < 0) {
    const int number = static_cast<int>(-opened);
    return Error{ErrcFromErrno(number), number, "cannot open the list of mappings"};
  }
  const UniqueFd fd(static_cast<int>(opened));
  for (;;) {
    const long got = RawSyscall(SYS_read, fd.get(), SyscallArg(reader.space()),
                                static_cast<long>(reader.space_bytes()));
    // The kernel returns at most about a page of text at a time, so the file is read until read(2)
    // returns 0.
    if (got == -kEintr) continue;
    if (got < 0) {
      const int number = static_cast<int>(-got);
      return Error{ErrcFromErrno(number), number, "cannot read the list of mappings"};
    }
    if (got == 0) break;
    if (!reader.Commit(static_cast<std::size_t>(got))) return {};
  }
  reader.Finish();
  return {};
}

}  // namespace csink
