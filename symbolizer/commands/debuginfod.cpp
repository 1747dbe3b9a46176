#include "symbolizer/commands/debuginfod.h"

#include <dlfcn.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "symbolizer/commands/output.h"

/// File: loads libdebuginfod at the first request. Fetcher serialises requests and remembers what
/// is missing; Library has the functions.

namespace csink::tool {
namespace {

using symbolizer::FetchKind;

/// The functions of libdebuginfod.so.1 (elfutils/debuginfod.h, debuginfod_find_debuginfo(3)). Only
/// the prototypes are declared here, so that csink is built without elfutils.
class Library {
 public:
  Library() {
    void* library = ::dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    const auto take = [library](auto& function, const char* name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
      return function != nullptr;
    };
    Begin begin = nullptr;
    // The library is not closed: it uses libcurl, which does not support that well.
    if (take(begin, "debuginfod_begin") && take(debug_info_, "debuginfod_find_debuginfo") &&
        take(executable_, "debuginfod_find_executable")) {
      client_ = begin();
    }
  }
  bool ok() const { return client_ != nullptr; }

  /// The path of the file. Empty if there is none; then `error` is an errno.
  std::string Find(const std::vector<std::uint8_t>& build_id, FetchKind kind, int& error) const {
    char* path = nullptr;
    const Search search = kind == FetchKind::kDebugInfo ? debug_info_ : executable_;
    const int fd = search(client_, build_id.data(), static_cast<int>(build_id.size()), &path);
    const std::unique_ptr<char, void (*)(void*)> owned(path, std::free);
    error = fd < 0 ? -fd : 0;
    // The function returns a negative errno.
    if (fd < 0) return {};
    // The symbolizer opens the file by its path.
    ::close(fd);
    return path == nullptr ? std::string() : std::string(path);
  }

 private:
  // debuginfod_begin, and the two functions debuginfod_find_*: client, build-id, its length, path
  // of the result (to be freed). They return a descriptor or a negative errno.
  using Begin = void* (*)();
  using Search = int (*)(void*, const unsigned char*, int, char**);
  void* client_ = nullptr;
  Search debug_info_ = nullptr;
  Search executable_ = nullptr;
};

/// Asks for files; for a missing one only once. Stops after the first other error.
/// Owns: the library's client. Threads: any; one request at a time.
class Fetcher {
 public:
  std::string Fetch(const std::vector<std::uint8_t>& build_id, FetchKind kind) {
    // All requests use one client of the library.
    const std::lock_guard guard(mutex_);
    if (gave_up_ || missing_.contains({build_id, kind})) return {};
    if (!library_) library_ = std::make_unique<Library>();
    if (!library_->ok()) {
      GiveUp(
          "DEBUGINFOD_URLS is set, but libdebuginfod.so.1 cannot be loaded: install "
          "libdebuginfod1");
      return {};
    }
    int error = 0;
    std::string path = library_->Find(build_id, kind, error);
    if (path.empty()) missing_.emplace(build_id, kind);
    if (error != 0 && error != ENOENT) {
      GiveUp(std::string("debuginfod: ") + std::strerror(error) +
             "; no further files are requested, and only local files are used for names");
    }
    return path;
  }

 private:
  /// Disables further requests: otherwise each module would wait for a server that does not answer.
  void GiveUp(const std::string& why) {
    gave_up_ = true;
    Complain(why);
  }

  std::mutex mutex_;
  std::unique_ptr<Library> library_;
  std::set<std::pair<std::vector<std::uint8_t>, FetchKind>> missing_;
  bool gave_up_ = false;
};

/// Whether a program waits for this report: `csink run`, or a report at exit.
bool SomebodyWaits(int argc, const char* const* argv) {
  if (argc > 1 && std::string_view(argv[1]) == "run") return true;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--at-exit") return true;
  }
  return false;
}

}  // namespace

symbolizer::FetchFile DebuginfodFetcher(int argc, const char* const* argv) {
  const char* urls = std::getenv("DEBUGINFOD_URLS");
  // AT_SECURE: a program with more rights than its user must not follow the user's URLs.
  if (urls == nullptr || *urls == '\0' || ::getauxval(AT_SECURE) != 0 ||
      SomebodyWaits(argc, argv)) {
    return {};
  }
  return [fetcher = std::make_shared<Fetcher>()](const std::vector<std::uint8_t>& build_id,
                                                 FetchKind kind) {
    return fetcher->Fetch(build_id, kind);
  };
}

}  // namespace csink::tool
