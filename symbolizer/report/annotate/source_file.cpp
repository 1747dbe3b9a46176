#include "symbolizer/report/annotate/source_file.h"

#include <grp.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "symbolizer/names/bytes/object_bytes.h"
#include "symbolizer/report/annotate/md5.h"
#include "symbolizer/report/wording/shorten.h"

namespace csink::annotate {
namespace {

/// As terminals and docs/annotate.md have them.
constexpr std::size_t kTabColumns = 8;

std::atomic<bool> g_public_only{false};

/// No user: the kernel refuses it as an id, too.
constexpr std::uint32_t kNobody = 0xffffffff;
std::atomic<std::uint32_t> g_reader{kNobody};

/// This thread's rights at opening files, as long as the object lives: those of one user without
/// groups. By the file system ids of setfsuid(2), because a child process for each file would cost
/// more than reading it, and faccessat(2) followed by open(2) could be raced by the user. The
/// kernel also takes the capabilities that ignore modes of files while the id is not root's.
class RightsOf {
 public:
  explicit RightsOf(std::uint32_t user) {
    if (user == kNobody) return;
    groups_.resize(static_cast<std::size_t>(std::max(0, ::getgroups(0, nullptr))));
    const int count = ::getgroups(static_cast<int>(groups_.size()), groups_.data());
    is_changed_ = true;
    // The system call: glibc's setgroups changes all threads.
    constexpr std::uint32_t kNoGroup = 65534;
    const bool without_groups = count >= 0 && ::syscall(SYS_setgroups, 0, nullptr) == 0;
    (void)::setfsgid(kNoGroup);
    (void)::setfsuid(user);
    // An invalid id changes nothing and returns the present one.
    is_good_ = without_groups && ::setfsgid(kNobody) == static_cast<int>(kNoGroup) &&
               ::setfsuid(kNobody) == static_cast<int>(user);
  }
  RightsOf(const RightsOf&) = delete;
  RightsOf& operator=(const RightsOf&) = delete;
  ~RightsOf() {
    if (!is_changed_) return;
    (void)::setfsuid(::geteuid());
    (void)::setfsgid(::getegid());
    (void)::syscall(SYS_setgroups, groups_.size(), groups_.data());
  }
  explicit operator bool() const { return is_good_; }

 private:
  std::vector<gid_t> groups_;
  bool is_changed_ = false;
  bool is_good_ = true;
};

/// Whether every user may read the file and search the folders of its path.
bool MayEverybodyRead(const std::string& path) {
  struct stat status;
  // By the real path: a link of a public folder may lead into a private one.
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  if (!real || ::stat(real.get(), &status) != 0 || (status.st_mode & S_IROTH) == 0) return false;
  std::string folder = real.get();
  for (auto slash = folder.rfind('/'); slash != std::string::npos && slash > 0;
       slash = folder.rfind('/')) {
    folder.resize(slash);
    if (::stat(folder.c_str(), &status) != 0 || (status.st_mode & S_IXOTH) == 0) return false;
  }
  return true;
}

}  // namespace

void SourceFile::ReadPublicFilesOnly() { g_public_only.store(true); }

void SourceFile::ReadWithRightsOf(std::uint32_t user) { g_reader.store(user); }

Result<SourceFile> SourceFile::Open(const std::string& path) {
  if (g_public_only.load() && ::access(path.c_str(), F_OK) == 0 && !MayEverybodyRead(path)) {
    return Error{Errc::kPermission, 0,
                 "is not shown: the profile has processes of other users, and not every user may "
                 "read this file"};
  }
  const RightsOf rights(g_reader.load());
  if (!rights) return Error{Errc::kPermission, 0, "is not shown: root's rights cannot be given up"};
  auto object = symbolizer::ObjectBytes::Open(path);
  if (!object) return object.error();
  if (object->size() > kMostBytes) return Error{Errc::kLimit, 0, "larger than 64 MiB"};
  SourceFile file(object->Read(0, object->size()));
  const symbolizer::Bytes bytes = file.bytes_.bytes();
  // The file was truncated between open(2) and the end of pread(2).
  if (bytes.size() != object->size()) return Error{Errc::kSystem, 0, "truncated while it was read"};
  // A NUL byte marks a binary file, for instance if --source-prefix leads to an object file.
  if (!bytes.empty() && std::memchr(bytes.data(), 0, bytes.size()) != nullptr) {
    return Error{Errc::kInvalid, 0, "not a text file: contains NUL bytes"};
  }
  struct stat status = {};
  if (::stat(path.c_str(), &status) == 0) file.changed_ = status.st_mtime;
  // A newline at the end of the file begins no further line.
  for (std::size_t at = 0; at < bytes.size();) {
    file.starts_.push_back(at);
    const void* end = std::memchr(bytes.data() + at, '\n', bytes.size() - at);
    if (end == nullptr) break;
    at = static_cast<std::size_t>(static_cast<const std::uint8_t*>(end) - bytes.data()) + 1;
  }
  return file;
}

std::string_view SourceFile::Line(std::size_t number) const {
  if (number == 0 || number > starts_.size()) return {};
  const std::size_t begin = starts_[number - 1];
  const std::size_t end = number < starts_.size() ? starts_[number] : bytes_.size();
  std::string_view line(reinterpret_cast<const char*>(bytes_.bytes().data()) + begin, end - begin);
  if (line.ends_with('\n')) line.remove_suffix(1);
  // Files with the line ends of Windows.
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// MD5, because line tables of DWARF 5 have the MD5 of their source files.
std::array<std::uint8_t, 16> SourceFile::Digest() const { return Md5(bytes_.bytes()); }

std::string ShownLine(std::string_view line) {
  std::string text;
  std::size_t column = 0;
  for (const char c : line.substr(0, kMostLineBytes)) {
    if (c == '\t') {
      const std::size_t blanks = kTabColumns - column % kTabColumns;
      text.append(blanks, ' ');
      column += blanks;
    } else {
      text += c;
      // Continuation bytes of UTF-8 take no column. Wide characters count as one here, which may
      // move a tab stop by a column.
      if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) ++column;
    }
  }
  return report::Printable(text);
}

}  // namespace csink::annotate
