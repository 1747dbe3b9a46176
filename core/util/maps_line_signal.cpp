#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "core/util/maps_line.h"
#include "core/util/parse.h"
#include "core/util/raw_syscall.h"
#include "core/util/unique_fd.h"

// Sources: the kernel's fs/proc/task_mmu.c (show_vma_header_prefix), seq_path, and d_path.

namespace csink {
namespace {

constexpr std::string_view kDeleted = " (deleted)";
constexpr std::string_view kNewline = "\\012";

// Parses a hexadecimal number into `value`. Returns false if the token is not a number.
bool TakeHex(std::string_view token, std::uint64_t& value) noexcept {
  const Result<std::uint64_t> parsed = ParseHex(token);
  if (parsed) value = *parsed;
  return parsed.has_value();
}

bool TakeHex32(std::string_view token, std::uint32_t& value) noexcept {
  std::uint64_t wide = 0;
  if (!TakeHex(token, wide) || wide > UINT32_MAX) return false;
  value = static_cast<std::uint32_t>(wide);
  return true;
}

bool EndsWith(std::string_view text, std::string_view end) noexcept {
  return text.size() >= end.size() &&
         std::string_view(text.data() + (text.size() - end.size()), end.size()) == end;
}

bool Contains(std::string_view text, std::string_view part) noexcept {
  for (std::size_t i = 0; i + part.size() <= text.size(); ++i) {
    if (std::string_view(text.data() + i, part.size()) == part) return true;
  }
  return false;
}

// Replaces \012 by a newline, in place. Returns the new length.
std::size_t Unescape(char* text, std::size_t bytes) noexcept {
  std::size_t to = 0;
  for (std::size_t from = 0; from < bytes; ++to) {
    const bool newline = bytes - from >= kNewline.size() &&
                         std::string_view(text + from, kNewline.size()) == kNewline;
    text[to] = newline ? '\n' : text[from];
    from += newline ? kNewline.size() : 1;
  }
  text[to] = 0;
  return to;
}

// The reverse. There is room: the text was as long before Unescape.
void Escape(char* text, std::size_t bytes, std::size_t to) noexcept {
  text[to] = 0;
  for (std::size_t from = bytes; from > 0; --from) {
    if (text[from - 1] != '\n') {
      text[--to] = text[from - 1];
      continue;
    }
    to -= kNewline.size();
    for (std::size_t i = 0; i < kNewline.size(); ++i) text[to + i] = kNewline[i];
  }
}

// What stands at a path.
enum class At : unsigned char {
  kNothing,
  kAnother,  // A file that may be another one: its device is not the kernel's
  kOther,    // Certainly another file
  kTheFile,
};

// Looks for files below one root.
class Names {
 public:
  Names(const NamedFile& file, const char* root) noexcept
      : file_(file), has_root_(root != nullptr) {
    if (!has_root_) return;
    const long fd =
        RawSyscall(SYS_openat, AT_FDCWD, SyscallArg(root), O_PATH | O_DIRECTORY | O_CLOEXEC);
    root_ = UniqueFd(fd < 0 ? -1 : static_cast<int>(fd));
  }

  // `path` is absolute and ends with NUL.
  At Look(const char* path) const noexcept {
    if (has_root_ && !root_) return At::kNothing;
    struct stat64 status = {};
    // The kernel's names have no symbolic links in them.
    const long r = RawSyscall(SYS_newfstatat, has_root_ ? root_.get() : AT_FDCWD,
                              SyscallArg(path + (has_root_ ? 1 : 0)), SyscallArg(&status),
                              AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT);
    if (r < 0) return At::kNothing;
    if (file_.inode == 0) return At::kAnother;
    if (status.st_ino == file_.inode) return At::kTheFile;
    // Some file systems (btrfs, overlayfs) show another device and inode in maps than in stat(2).
    const bool same_device =
        major(status.st_dev) == file_.dev_major && minor(status.st_dev) == file_.dev_minor;
    return same_device ? At::kOther : At::kAnother;
  }

 private:
  NamedFile file_;
  bool has_root_;
  UniqueFd root_;
};

}  // namespace

bool ParseMapsLine(std::string_view text, MapsLine& line) noexcept {
  line = MapsLine{};
  std::string_view range = NextToken(text, ' ');
  const std::string_view start = NextToken(range, '-');
  const std::string_view perms = NextToken(text, ' ');
  const std::string_view offset = NextToken(text, ' ');
  std::string_view device = NextToken(text, ' ');
  const std::string_view major = NextToken(device, ':');
  const std::string_view inode = NextToken(text, ' ');
  if (!TakeHex(start, line.start) || !TakeHex(range, line.end) || line.end <= line.start ||
      perms.size() != 4 || !TakeHex(offset, line.offset) || !TakeHex32(major, line.dev_major) ||
      !TakeHex32(device, line.dev_minor)) {
    return false;
  }
  const Result<std::uint64_t> inode_number = ParseUnsigned(inode);
  if (!inode_number) return false;
  line.inode = *inode_number;
  // proc(5): the fourth letter is 'p' for a private and 's' for a shared mapping.
  line.readable = perms[0] == 'r';
  line.writable = perms[1] == 'w';
  line.executable = perms[2] == 'x';
  line.shared = perms[3] == 's';
  // The kernel pads with spaces up to a column. A path never begins with a space.
  while (!text.empty() && text[0] == ' ') text.remove_prefix(1);
  line.path = text;
  return true;
}

DecodedName DecodeFileName(char* text, std::size_t bytes, const NamedFile& file,
                           const char* root) noexcept {
  text[bytes] = 0;
  const std::string_view whole(text, bytes);
  const bool escaped = file.escaped && Contains(whole, kNewline);
  const bool ends = bytes > kDeleted.size() && EndsWith(whole, kDeleted);
  if (!escaped && !ends) return {bytes, false};
  // "/memfd:name (deleted)" and "/SYSV00000000 (deleted)" never have a file, "[...]" is no path.
  const Names names(file, root);
  const bool is_path = text[0] == '/';
  const At literal = is_path ? names.Look(text) : At::kNothing;
  if (literal == At::kTheFile) return {bytes, false};
  At unescaped = At::kNothing;
  std::size_t length = bytes;
  if (escaped) {
    // From here on the text is unescaped.
    length = Unescape(text, bytes);
    unescaped = is_path ? names.Look(text) : At::kNothing;
    if (unescaped == At::kTheFile) return {length, false};
  }
  const bool may_be_literal = literal == At::kAnother;
  const bool may_be_unescaped = escaped && unescaped == At::kAnother;
  // A file is at the literal name only, and nothing says that it is another one.
  const auto restore = [&] {
    if (escaped) Escape(text, length, bytes);
    return DecodedName{bytes, false};
  };
  if (!ends) {
    if (may_be_literal && unescaped == At::kNothing) return restore();
    return {length, false};
  }
  const std::size_t cut = length - kDeleted.size();
  text[cut] = 0;
  const bool has_short_name = names.Look(text) != At::kNothing;
  text[cut] = kDeleted[0];
  // Where the inode proves nothing: a file that was deleted has left no file with its name and the
  // kernel's words.
  if (!has_short_name && may_be_unescaped) return {length, false};
  if (!has_short_name && may_be_literal) return restore();
  text[cut] = 0;
  return {cut, true};
}

}  // namespace csink
