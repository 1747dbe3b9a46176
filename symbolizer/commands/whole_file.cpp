#include "symbolizer/commands/whole_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "core/util/unique_fd.h"
#include "symbolizer/commands/output.h"

namespace csink::tool {
namespace {

Error Failed() { return Error{ErrcFromErrno(errno), errno, "cannot be written"}; }

/// Opens the file and writes to it, for files that cannot be replaced.
Result<void> WriteInPlace(const std::string& path, std::string_view bytes, int flags) {
  const UniqueFd fd(open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC | flags, 0666));
  if (!fd) return Failed();
  return WriteAll(fd.get(), bytes);
}

/// Writes PATH.part and renames it. O_NOFOLLOW: in a folder of several users PATH.part might be a
/// link to another file. After an error PATH.part is removed.
Result<void> Replace(const std::string& path, std::string_view bytes) {
  const std::string part = path + ".part";
  const UniqueFd fd(
      open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!fd) return Failed();
  Result<void> written = WriteAll(fd.get(), bytes);
  if (written && rename(part.c_str(), path.c_str()) != 0) written = Failed();
  if (!written) unlink(part.c_str());
  return written;
}

/// The target of a chain of symbolic links. Empty if it does not exist, or cannot be determined.
std::string Resolved(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(realpath(path.c_str(), nullptr), free);
  return real ? real.get() : "";
}

}  // namespace

Result<void> WriteWholeFile(const std::string& path, std::string_view bytes) {
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    return WriteInPlace(path, bytes, 0);
  }
  if (lstat(path.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) return Replace(path, bytes);
  // The target is replaced, not the link: rename(2) onto the link would replace the link by a file.
  const std::string target = Resolved(path);
  // A link without a target cannot be resolved; open(2) with O_CREAT creates the target.
  return target.empty() ? WriteInPlace(path, bytes, O_CREAT | O_TRUNC) : Replace(target, bytes);
}

}  // namespace csink::tool
