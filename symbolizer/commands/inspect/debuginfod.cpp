#include "symbolizer/commands/inspect/debuginfod.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "symbolizer/commands/console/messages.h"

/// File: loads libdebuginfod at the first request. Fetcher serialises requests and remembers what
/// is missing; Library has the functions.

namespace csink::tool {
namespace {

using symbolizer::FetchKind;

/// The time that requests may wait without an answer, all together. A server that does not answer
/// at all is found out by the first request; a large file may take longer while data arrives.
class Patience {
 public:
  void Begin() {
    last_ = Clock::now();
    bytes_ = 0;
  }
  /// Notes what the library says of a request. Returns false if it has waited for too long.
  bool GoesOn(long bytes) {
    const Clock::time_point now = Clock::now();
    // Without a server that answers, the library counts its own rounds there, one by one.
    if (bytes <= bytes_ + 1) waited_ += now - last_;
    bytes_ = bytes;
    last_ = now;
    return waited_ < kMost;
  }
  bool is_over() const { return waited_ >= kMost; }
  static constexpr std::chrono::seconds kMost{10};

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_;
  Clock::duration waited_{};
  long bytes_ = 0;
};

/// One for the process, as Fetcher is. Only the thread of a request uses it.
Patience& ThePatience() {
  static Patience patience;
  return patience;
}

/// For debuginfod_set_progressfn.
int GoesOn(void* /*client*/, long a, long /*b*/) { return ThePatience().GoesOn(a) ? 0 : 1; }

/// Ctrl-C ends the process while it waits for a server, also where the signal is only noted for
/// later (csink view). A signal that is ignored stays so.
class InterruptEnds {
 public:
  InterruptEnds() {
    ::sigaction(SIGINT, nullptr, &before_);
    if (before_.sa_handler != SIG_IGN) ::signal(SIGINT, SIG_DFL);
  }
  InterruptEnds(const InterruptEnds&) = delete;
  InterruptEnds& operator=(const InterruptEnds&) = delete;
  ~InterruptEnds() { ::sigaction(SIGINT, &before_, nullptr); }

 private:
  struct sigaction before_ = {};
};

/// The functions of libdebuginfod.so.1 (elfutils/debuginfod.h, debuginfod_find_debuginfo(3)). Only
/// the prototypes are declared here, so that csink is built without elfutils.
class Library {
 public:
  Library() {
    // The library's own limit, 90 s unless the user has set it: the error of this one is not
    // remembered as "no such file" in the cache on disk, as that of GoesOn is.
    ::setenv("DEBUGINFOD_TIMEOUT", "9", 0);
    void* library = ::dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    const auto take = [library](auto& function, const char* name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
      return function != nullptr;
    };
    Begin begin = nullptr;
    // The library is not closed: it uses libcurl, which does not support that well.
    SetProgress set_progress = nullptr;
    if (take(begin, "debuginfod_begin") && take(set_progress, "debuginfod_set_progressfn") &&
        take(debug_info_, "debuginfod_find_debuginfo") &&
        take(executable_, "debuginfod_find_executable")) {
      client_ = begin();
      if (client_ != nullptr) set_progress(client_, GoesOn);
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
  // debuginfod_set_progressfn: the function is called about once a second and for each piece of
  // data, and ends the request with another result than 0.
  using SetProgress = void (*)(void*, int (*)(void*, long, long));
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
    std::string path;
    {
      const InterruptEnds interrupt;
      ThePatience().Begin();
      path = library_->Find(build_id, kind, error);
    }
    if (path.empty()) missing_.emplace(build_id, kind);
    if (path.empty() && (error == ETIME || ThePatience().is_over())) {
      GiveUp("debuginfod: no answer within " + std::to_string(Patience::kMost.count()) +
             " s from the servers of DEBUGINFOD_URLS; only local files are used for names");
    } else if (error != 0 && error != ENOENT) {
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
