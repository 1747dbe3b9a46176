#include "core/counting/components/vendor/separate_source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>
#include <set>

#include "core/counting/components/vendor/vendor_message.h"
#include "core/machine/clocks.h"
#include "core/util/raw_log.h"
#include "core/util/signals_blocked.h"
#include "core/util/unique_fd.h"

// File: this process and the serving one have a socket pair and a shared page with the time of the
// reader's last step. A request is a job and the places; the reply is the result, and the events or
// the values with their errors. Each message begins with its length.

namespace csink {
namespace {

enum class Job : std::uint8_t { kOpen, kRead };

// An end is waited for this long: a process that hangs in the kernel cannot be reaped.
constexpr std::uint64_t kEndPatienceNs = 200'000'000;

// Error::what must live as long as the process. There are few different texts.
const char* Keep(const std::string& text) {
  static std::mutex mutex;
  static auto* const texts = new std::set<std::string>;
  const std::lock_guard lock(mutex);
  return texts->insert(text).first->c_str();
}

bool Send(int fd, const std::string& body) {
  MessageWriter message;
  message.AddText(body);
  std::string_view rest = message.bytes();
  while (!rest.empty()) {
    const ssize_t sent = send(fd, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) return false;
    if (sent > 0) rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void AddError(MessageWriter& message, const Error& error) {
  message.Add(error.code);
  message.Add(error.sys_errno);
  message.AddText(error.code == Errc::kOk ? "" : error.what);
}

Error TakeError(MessageReader& message) {
  const auto code = message.Take<Errc>();
  const int sys_errno = message.Take<int>();
  const std::string what = message.TakeText();
  if (code == Errc::kOk) return {};
  return {code, sys_errno, Keep(what)};
}

// Appends what has arrived to `bytes`. False: the other side has ended.
bool Receive(int fd, std::string& bytes) {
  char part[4096];
  const ssize_t got = recv(fd, part, sizeof part, 0);
  if (got < 0) return errno == EINTR;
  bytes.append(part, static_cast<std::size_t>(got));
  return got > 0;
}

// The body of the message that `bytes` holds. False: a part of it has not arrived.
bool TakeMessage(const std::string& bytes, std::string& body) {
  MessageReader message(bytes);
  body = message.TakeText();
  return message.complete();
}

// One job in the serving process. No exception may leave it.
std::string Work(VendorReader& reader, VendorSteps& steps, MessageReader request) {
  Result<void> result;
  std::string reason;
  const auto job = request.Take<Job>();
  const auto places = request.TakeNumbers<std::uint32_t>();
  std::vector<std::uint64_t> bits(places.size());
  std::vector<Error> errors(places.size());
  try {
    if (job == Job::kRead) {
      result = reader.Read(steps, places, bits.data(), errors.data());
    } else if (result = reader.Look(reason); result) {
      result = reader.Open(steps, reason);
    }
  } catch (const std::bad_alloc&) {
    result = Error{Errc::kLimit, ENOMEM, "not enough memory for a device's answers"};
  } catch (...) {
    result = Error{Errc::kSystem, 0, "a device's library threw an exception"};
  }
  MessageWriter reply;
  AddError(reply, result.error());
  reply.AddText(reason);
  if (job == Job::kRead) {
    reply.AddNumbers(std::span<const std::uint64_t>(bits));
    for (const Error& error : errors) AddError(reply, error);
    return reply.bytes();
  }
  const bool opened = result.has_value();
  reply.AddText(opened ? reader.version() : "");
  reply.Add(opened ? static_cast<std::uint32_t>(reader.events().size()) : 0u);
  if (opened) {
    for (const DeviceEvent& event : reader.events()) reply.AddEvent(event);
  }
  return reply.bytes();
}

// Closes all descriptors but `kept`. The standard ones become /dev/null, so that a library cannot
// write into a file of its own.
void KeepOnly(int kept) noexcept {
  const int null = open("/dev/null", O_RDWR);
  for (int standard = 0; standard < 3 && null >= 0; ++standard) dup2(null, standard);
  syscall(SYS_close_range, 3u, static_cast<unsigned>(kept) - 1, 0u);
  syscall(SYS_close_range, static_cast<unsigned>(kept) + 1, ~0u, 0u);
}

// `bound`: the process is killed when the thread that forked it ends.
[[noreturn]] void Serve(VendorReader& reader, VendorSteps& steps, int fd, pid_t parent,
                        bool bound) {
  // The driver may hang, and then the socket's end is not read.
  if (bound) prctl(PR_SET_PDEATHSIG, SIGKILL);
  KeepOnly(fd);
  prctl(PR_SET_NAME, "csink-device");
  if (getppid() != parent) _exit(0);
  try {
    for (std::string bytes, body;; bytes.clear()) {
      while (!TakeMessage(bytes, body)) {
        if (!Receive(fd, bytes)) _exit(0);
      }
      if (!Send(fd, Work(reader, steps, MessageReader(body)))) _exit(0);
    }
  } catch (...) {
    _exit(1);  // not enough memory for a message
  }
}

class SeparateSource final : public DeviceSource {
 public:
  SeparateSource(std::unique_ptr<VendorReader> reader, const VendorPatience& patience)
      : reader_(std::move(reader)), patience_(patience) {}

  ~SeparateSource() override {
    // exit in a serving process destroys copies of the sources of its parent.
    if (owner_ == getpid()) End();
    if (steps_) munmap(steps_, sizeof(VendorSteps));
  }

  Result<void> Open(std::string& reason) override {
    std::string said;
    const Result<void> opened = OpenDevice(events_, said);
    if (opened) {
      missing_ = said;
      return opened;
    }
    reason = said.empty() ? opened.error().what : said;
    if (owner_ == getpid()) End();
    return opened;
  }

  const std::vector<DeviceEvent>& events() const noexcept override { return events_; }

  Result<void> Read(std::span<const std::uint32_t> places, std::uint64_t* bits,
                    Error* errors) noexcept override {
    try {
      return ReadAll(places, bits, errors);
    } catch (...) {
      return Error{Errc::kLimit, ENOMEM, "not enough memory for a device's answers"};
    }
  }

  std::string missing() const override { return missing_; }
  std::string support_version() const override { return version_; }

  // The next read starts a process of this one's own.
  void ForgetAfterFork() noexcept override {
    fd_ = {};
    process_ = 0;
    again_ = true;
  }

 private:
  Result<void> ReadAll(std::span<const std::uint32_t> places, std::uint64_t* bits, Error* errors) {
    if (again_) {
      std::vector<DeviceEvent> events;
      std::string said;
      if (Result<void> opened = OpenDevice(events, said); !opened) return opened;
      if (events.size() != events_.size()) {
        return Error{Errc::kNoEvent, ENODEV, "the devices have changed since they were listed"};
      }
      again_ = false;
    }
    std::string body;
    if (Result<void> asked = Ask(Job::kRead, places, patience_.read_ns, body); !asked) return asked;
    MessageReader reply(body);
    std::string said;
    if (Result<void> read = TakeResult(reply, said); !read) return read;
    const auto values = reply.TakeNumbers<std::uint64_t>();
    for (std::size_t i = 0; i < places.size() && reply.complete(); ++i) {
      errors[i] = TakeError(reply);
    }
    if (values.size() != places.size() || !reply.complete()) {
      return Error{Errc::kCorrupt, EPROTO, "the process that asks a device answered wrongly"};
    }
    std::copy(values.begin(), values.end(), bits);
    return {};
  }

  Result<void> OpenDevice(std::vector<DeviceEvent>& events, std::string& said) {
    if (Result<void> started = Start(); !started) return started;
    std::string body;
    if (Result<void> asked = Ask(Job::kOpen, {}, patience_.open_ns, body); !asked) return asked;
    MessageReader reply(body);
    if (Result<void> opened = TakeResult(reply, said); !opened) return opened;
    version_ = reply.TakeText();
    const auto count = reply.Take<std::uint32_t>();
    for (std::uint32_t i = 0; i < count && reply.complete(); ++i) {
      events.push_back(reply.TakeEvent());
    }
    if (reply.complete()) return {};
    events.clear();
    return Error{Errc::kCorrupt, EPROTO, "the process that asks a device answered wrongly"};
  }

  static Result<void> TakeResult(MessageReader& reply, std::string& said) {
    const Error error = TakeError(reply);
    said = reply.TakeText();
    return error;
  }

  Result<void> Start() {
    if (!steps_) {
      void* const page = mmap(nullptr, sizeof(VendorSteps), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
      if (page == MAP_FAILED) return Error{Errc::kLimit, errno, "not enough memory"};
      steps_ = new (page) VendorSteps;
    }
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
      return Error{Errc::kLimit, errno, "no socket for the process that asks a device"};
    }
    UniqueFd own(ends[0]);
    const UniqueFd served(ends[1]);
    const pid_t parent = getpid();
    // A thread that opens a device and ends does not end the reading of it.
    const bool bound = gettid() == parent;
    // A library that calls exit writes out the copies of our buffers, too.
    std::fflush(nullptr);
    const SignalsBlocked signals;  // inherited
    const pid_t pid = fork();
    if (pid < 0)
      return Error{Errc::kLimit, errno, "the process that asks a device could not be created"};
    if (pid == 0) {
      // Otherwise the serving process would not see that this end is closed.
      own = {};
      Serve(*reader_, *steps_, served.get(), parent, bound);
    }
    process_ = pid;
    owner_ = parent;
    fd_ = std::move(own);
    return {};
  }

  // Sends a request and waits for the reply, as long as the reader makes steps in time.
  Result<void> Ask(Job job, std::span<const std::uint32_t> places, std::uint64_t patience_ns,
                   std::string& body) {
    if (lost_) return Error{Errc::kSystem, lost_errno_, lost_};
    MessageWriter request;
    request.Add(job);
    request.AddNumbers(places);
    steps_->Step();  // The time begins with the question.
    if (!Send(fd_.get(), request.bytes())) return LoseEnded();
    for (std::string bytes;;) {
      if (TakeMessage(bytes, body)) return {};
      const std::uint64_t now = MonotonicNs(), until = steps_->last_ns() + patience_ns;
      if (now >= until) {
        kill(process_, SIGKILL);
        End();
        return Lose(ETIMEDOUT, patience_.lost);
      }
      // Rounded up, so that the last millisecond is not polled in a loop.
      pollfd answer = {fd_.get(), POLLIN, 0};
      const int ready = poll(&answer, 1, static_cast<int>((until - now) / 1'000'000 + 1));
      if (ready > 0 && !Receive(fd_.get(), bytes)) return LoseEnded();
    }
  }

  // The process has closed its end of the socket: it has ended.
  Error LoseEnded() {
    const int status = End();
    std::string what = "a vendor's library ended the process that asks the device: ";
    if (status >= 0 && WIFSIGNALED(status)) {
      what += std::string("killed by signal ") + std::to_string(WTERMSIG(status)) + " (" +
              strsignal(WTERMSIG(status)) + ")";
    } else if (status >= 0) {
      what += "exit status " + std::to_string(WEXITSTATUS(status));
    } else {
      what += "it does not say how";
    }
    return Lose(EIO, Keep(what));
  }

  Error Lose(int sys_errno, const char* what) {
    lost_ = what;
    lost_errno_ = sys_errno;
    RawLog(LogLevel::kWarn, what);
    return {Errc::kSystem, sys_errno, what};
  }

  // Ends the process. Its wait status; -1: not known.
  int End() noexcept {
    fd_ = {};
    if (process_ == 0) return -1;
    int status = -1;
    bool ended = AwaitEnd(status);
    if (!ended) {
      kill(process_, SIGKILL);
      ended = AwaitEnd(status);
    }
    process_ = 0;
    return ended ? status : -1;
  }

  bool AwaitEnd(int& status) const noexcept {
    const std::uint64_t until = MonotonicNs() + kEndPatienceNs;
    // Doubled pauses: a process without a library ends within 0.2 ms, and atime starts three of
    // them one after the other before it starts the program.
    for (useconds_t pause_us = 50;; pause_us = std::min<useconds_t>(2 * pause_us, 1000)) {
      const pid_t got = waitpid(process_, &status, WNOHANG);
      if (got == process_) return true;
      // ECHILD: the program has reaped it, or SIGCHLD is ignored.
      if (got < 0 && errno != EINTR) {
        status = -1;
        return true;
      }
      if (MonotonicNs() >= until) return false;
      usleep(pause_us);
    }
  }

  const std::unique_ptr<VendorReader> reader_;
  const VendorPatience patience_;
  std::vector<DeviceEvent> events_;
  std::string version_, missing_;
  /// In memory shared with the process; nullptr: not mapped yet
  VendorSteps* steps_ = nullptr;
  UniqueFd fd_;
  pid_t process_ = 0;  ///< 0: none
  pid_t owner_ = 0;    ///< The process that forked it
  // Used by the caller's side only, under DeviceReader's lock.
  const char* lost_ = nullptr;  ///< Why the source is lost; nullptr: it is not
  int lost_errno_ = 0;
  bool again_ = false;  ///< This process was forked: it has no serving process of its own
};

/// A source of files as a reader, for SeparateSource. Threads: as VendorReader.
class FileReader final : public VendorReader {
 public:
  explicit FileReader(std::unique_ptr<DeviceSource> source) : source_(std::move(source)) {}
  Result<void> Look(std::string&) override { return {}; }
  Result<void> Open(VendorSteps& steps, std::string& reason) override {
    const Result<void> opened = source_->Open(reason);
    steps.Step();
    if (opened) reason = source_->missing();
    return opened;
  }
  const std::vector<DeviceEvent>& events() const noexcept override { return source_->events(); }
  Result<void> Read(VendorSteps& steps, std::span<const std::uint32_t> places, std::uint64_t* bits,
                    Error* errors) override {
    const Result<void> read = source_->Read(places, bits, errors);
    steps.Step();
    return read;
  }
  Result<void> Reconnect(VendorSteps&) override { return {}; }
  std::string version() const override { return source_->support_version(); }

 private:
  const std::unique_ptr<DeviceSource> source_;
};

// secure_getenv: a set-user-ID program must not fork because its caller says so.
bool AreSeparate() noexcept {
  const char* const wanted = secure_getenv("CSINK_VENDOR_PROCESS");
  return wanted && std::strcmp(wanted, "1") == 0;
}

}  // namespace

std::unique_ptr<DeviceSource> MakeFileSource(std::unique_ptr<DeviceSource> source) {
  if (!AreSeparate()) return source;
  // Long: a busy machine is no device that hangs, and nobody's end waits for a read.
  constexpr std::uint64_t kPatienceNs = 10'000'000'000;
  return MakeSeparateSource(
      std::make_unique<FileReader>(std::move(source)),
      {kPatienceNs, kPatienceNs, "a driver does not answer: its files are not read any more"});
}

std::unique_ptr<DeviceSource> MakeSeparateSource(std::unique_ptr<VendorReader> reader,
                                                 const VendorPatience& patience) {
  return std::make_unique<SeparateSource>(std::move(reader), patience);
}

std::unique_ptr<DeviceSource> MakeVendorSource(std::unique_ptr<VendorReader> reader,
                                               const VendorPatience& patience) {
  if (AreSeparate()) return MakeSeparateSource(std::move(reader), patience);
  return MakeBoundedSource(std::move(reader), patience);
}

}  // namespace csink
