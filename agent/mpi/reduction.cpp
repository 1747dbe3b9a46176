#include "agent/mpi/reduction.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cstring>
#include <limits>
#include <string_view>

#include "agent/control/rank_calls.h"
#include "agent/mpi/rank_tree.h"
#include "core/util/raw_log.h"
#include "core/util/text.h"
#include "core/util/unique_fd.h"

/// File: one rank's part of the reduction. No call of MPI that blocks is used: a rank that waits
/// polls and sleeps, because its partner may never come, and because csink needs the processor.

namespace csink::mpi {
namespace {

// A rank merges the profiles of its children and its own.
static_assert(kChildren + 1 <= agent::kMostRankProfiles);

// "CSINKMP1": another version of this library speaks differently.
constexpr std::uint64_t kMagic = 0x31504d4b4e495343;
// Tags in MPI_COMM_WORLD. A communicator of our own would be a collective call, which hangs if a
// rank runs without this library. Every implementation has tags up to 32,767.
constexpr int kHelloTag = 31'901;
constexpr int kGoTag = 31'902;
constexpr int kProfileTag = 31'903;
constexpr int kResultTag = 31'904;

// Ranks may come to MPI_Finalize late: one writes the results of all. Five minutes.
constexpr std::uint64_t kPartnerNs = 300'000'000'000;
// The transfer of a profile that the partner takes.
constexpr std::uint64_t kTransferNs = 60'000'000'000;
// Between two looks: from 20 us, doubled up to 2 ms, so that waiting ranks leave the processor to
// csink.
constexpr long kShortestNapNs = 20'000;
constexpr long kLongestNapNs = 2'000'000;
// As profil/reading/reader/reader.h; below 2^31, the largest count of MPI.
constexpr std::uint64_t kMaxProfileBytes = 1ull << 30;

std::uint64_t Now() noexcept {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

/// The message of a parent: Go, or the Result.
struct Answer {
  std::uint64_t magic;
  std::uint64_t yes;
};

/// Bytes in memory that csink can open by a descriptor. Not given back by a destructor: all are
/// static, and after exit MPI may still read or write what a call that was given up named.
class ProfileBytes {
 public:
  /// Room for a message. 0 or an errno: the memory is allocated now, so that no page fails later.
  int Make(std::uint64_t bytes) noexcept {
    if (const int error = MakeFile(); error != 0) return error;
    if (fallocate(fd_, 0, 0, static_cast<off_t>(bytes)) != 0) return errno;
    return Map(bytes, PROT_READ | PROT_WRITE);
  }
  /// An empty file, which the agent or csink writes.
  int MakeFile() noexcept {
    Reset();
    const UniqueFd made(memfd_create("csink-ranks", MFD_CLOEXEC));
    if (!made) return errno;
    // csink gets 0 to 2 for other purposes, and a program may have closed them.
    fd_ = fcntl(made.get(), F_DUPFD_CLOEXEC, 3);
    return fd_ >= 0 ? 0 : errno;
  }
  /// What was written to the file.
  int MapWritten() noexcept {
    struct stat status = {};
    if (fstat(fd_, &status) != 0) return errno;
    if (status.st_size <= 0 || static_cast<std::uint64_t>(status.st_size) > kMaxProfileBytes) {
      return EFBIG;
    }
    return Map(static_cast<std::uint64_t>(status.st_size), PROT_READ);
  }
  void Reset() noexcept {
    if (data_) munmap(data_, bytes_);
    data_ = nullptr;
    bytes_ = 0;
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }
  int fd() const noexcept { return fd_; }
  void* data() const noexcept { return data_; }
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  int Map(std::uint64_t bytes, int protection) noexcept {
    // Shared, so that csink reads through the descriptor what MPI writes to the memory.
    void* at = mmap(nullptr, bytes, protection, MAP_SHARED, fd_, 0);
    if (at == MAP_FAILED) return errno;
    data_ = at;
    bytes_ = bytes;
    return 0;
  }

  int fd_ = -1;
  void* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

/// Messages of one rank. Every function returns 0 or an errno.
class Messages {
 public:
  explicit Messages(const MpiCalls& mpi) noexcept : mpi_(mpi) {}

  /// Sizes are at most kMaxProfileBytes, so that they fit the int of MPI.
  int StartReceive(void* data, std::uint64_t bytes, std::uint32_t from, int tag,
                   Request& request) const noexcept {
    const int error = mpi_.Irecv(data, static_cast<int>(bytes), mpi_.byte, static_cast<int>(from),
                                 tag, mpi_.world, &request);
    return error == 0 ? 0 : EIO;
  }
  int StartSend(const void* data, std::uint64_t bytes, std::uint32_t to, int tag,
                Request& request) const noexcept {
    const int error = mpi_.Isend(data, static_cast<int>(bytes), mpi_.byte, static_cast<int>(to),
                                 tag, mpi_.world, &request);
    return error == 0 ? 0 : EIO;
  }
  /// EAGAIN: not yet.
  int Look(Request& request) const noexcept {
    int done = 0;
    if (mpi_.Test(&request, &done, mpi_.no_status) != 0) return EIO;
    return done != 0 ? 0 : EAGAIN;
  }
  /// ETIMEDOUT after `limit_ns`.
  int Wait(Request& request, std::uint64_t limit_ns) const noexcept {
    const std::uint64_t end = Now() + limit_ns;
    long nap = kShortestNapNs;
    for (;;) {
      const int error = Look(request);
      if (error != EAGAIN) return error;
      if (Now() >= end) return ETIMEDOUT;
      Nap(nap);
    }
  }
  /// Gives up a receive without an answer.
  void Forget(Request& request) const noexcept {
    // MPI releases the request when the receive has ended or was cancelled.
    if (mpi_.Cancel(&request) == 0) mpi_.RequestFree(&request);
  }
  int Receive(void* data, std::uint64_t bytes, std::uint32_t from, int tag,
              std::uint64_t limit_ns) const noexcept {
    Request request = {};
    int error = StartReceive(data, bytes, from, tag, request);
    if (error != 0) return error;
    error = Wait(request, limit_ns);
    if (error == ETIMEDOUT) Forget(request);
    return error;
  }
  int Send(const void* data, std::uint64_t bytes, std::uint32_t to, int tag,
           std::uint64_t limit_ns) const noexcept {
    Request request = {};
    const int error = StartSend(data, bytes, to, tag, request);
    // A send that is given up is not cancelled: its bytes are static and stay valid.
    return error != 0 ? error : Wait(request, limit_ns);
  }
  /// Sleeps, and doubles the next nap. A blocking call of MPI would spin on the processor instead.
  static void Nap(long& ns) noexcept {
    const timespec time = {0, ns};
    nanosleep(&time, nullptr);
    ns = ns * 2 < kLongestNapNs ? ns * 2 : kLongestNapNs;
  }

 private:
  const MpiCalls& mpi_;
};

/// A child while its profile comes.
struct Child {
  Hello hello;
  Request request;
  ProfileBytes profile;
  bool came = false;  ///< Its Hello is here
  bool sent = false;  ///< And its profile
};

// Static: 16 of them are too much for a small stack, and MPI_Finalize is called once.
Child g_children[kChildren];
// Of this rank as it was at MPI_Finalize. Static also because a send that was given up may still
// read it.
ProfileBytes g_own;
Hello g_hello;
Answer g_go;
Answer g_result;
char g_spool[1024];

/// The words of the errors that have a meaning here.
const char* WordsFor(int error) noexcept {
  switch (error) {
    case ENOSYS:
      return "libagent.so is not loaded";
    case ENOENT:
      return "the csink program was not found (CSINK_REPORTER)";
    case ETIMEDOUT:
      return "the rank did not answer within five minutes; is libcsink-mpi.so preloaded in all "
             "ranks?";
    case EPROTO:
      return "the rank has another version of libcsink-mpi.so";
    case ENOTSUP:
      return "it runs under csink run, which makes its report";
    case EPERM:
      return "the program is in a sandbox";
    case EIO:
      return "csink or MPI has failed";
    case ENOSPC:
    case ENOMEM:
      return "no memory or disk space for the profile";
    default:
      return "the profile cannot be read";
  }
}

/// The steps of one rank, in the order of the messages (reduction.h).
class Reduction {
 public:
  Reduction(const MpiCalls& mpi, const AgentCalls& agent, std::uint32_t rank,
            std::uint32_t ranks) noexcept
      : messages_(mpi),
        agent_(agent),
        rank_(rank),
        children_(ChildrenOf(rank, ranks)),
        first_child_(static_cast<std::uint32_t>(FirstChildOf(rank))) {}

  /// Rank 0 writes the file, the others send. Returns whether the file was written.
  bool Run(int settled) noexcept {
    settled_ = settled;
    ReceiveHellos();
    for (std::uint32_t i = 0; i < children_; ++i) ReceiveProfile(i);
    const bool written = rank_ == 0 ? WriteFile() : SendUp();
    TellChildren(written);
    if (written && settled_ == 0) agent_.Delivered();
    return written;
  }
  const Outcome& outcome() const noexcept { return outcome_; }

 private:
  /// Waits for all children at once: a child that does not answer costs its five minutes only once.
  void ReceiveHellos() noexcept {
    for (std::uint32_t i = 0; i < children_; ++i) {
      Child& child = g_children[i];
      child.hello = {};
      child.profile.Reset();
      child.came = child.sent = false;
      if (messages_.StartReceive(&child.hello, sizeof child.hello, first_child_ + i, kHelloTag,
                                 child.request) != 0) {
        child.came = true;  // As one without a profile
      }
    }
    const std::uint64_t end = Now() + kPartnerNs;
    long nap = kShortestNapNs;
    std::uint32_t waiting = children_;
    while (waiting > 0) {
      waiting = 0;
      for (std::uint32_t i = 0; i < children_; ++i) {
        Child& child = g_children[i];
        if (child.came) continue;
        const int error = messages_.Look(child.request);
        if (error == EAGAIN) {
          ++waiting;
        } else {
          child.came = true;
          if (error != 0) child.hello = {};
        }
      }
      if (waiting > 0 && Now() >= end) break;
      if (waiting > 0) Messages::Nap(nap);
    }
    for (std::uint32_t i = 0; i < children_; ++i) {
      Child& child = g_children[i];
      const std::uint32_t rank = first_child_ + i;
      if (!child.came) {
        messages_.Forget(child.request);
        outcome_.Fail(rank, 1, ETIMEDOUT);
      } else if (child.hello.magic != kMagic) {
        outcome_.Fail(rank, 1, EPROTO);
        child.hello = {};
      } else if (child.hello.failed > 0) {
        outcome_.Fail(child.hello.first_failed, child.hello.failed, child.hello.error);
      }
    }
  }

  /// One child after the other: a child waits with its profile until it is told to go on.
  void ReceiveProfile(std::uint32_t i) noexcept {
    Child& child = g_children[i];
    const std::uint32_t rank = first_child_ + i;
    if (!child.came || child.hello.bytes == 0) return;
    int error =
        child.hello.bytes > kMaxProfileBytes ? EFBIG : child.profile.Make(child.hello.bytes);
    g_go = {kMagic, error == 0 ? 1u : 0u};
    // Also where the answer is no: the child waits for it.
    const int told = messages_.Send(&g_go, sizeof g_go, rank, kGoTag, kTransferNs);
    if (error == 0) error = told;
    if (error == 0) {
      error = messages_.Receive(child.profile.data(), child.profile.bytes(), rank, kProfileTag,
                                kTransferNs);
    }
    if (error == 0) {
      child.sent = true;
      outcome_.Add(child.hello.ranks);
    } else {
      // A receive that was given up may still be written to: the memory stays.
      if (error != ETIMEDOUT) child.profile.Reset();
      outcome_.Fail(rank, child.hello.ranks, error);
    }
  }

  /// Adds the own profile and the received ones up; `output` as csink_agent_rank_merge has it.
  int Merge(int output) noexcept {
    int profiles[kChildren + 1] = {g_own.fd()};
    std::size_t count = 1;
    for (std::uint32_t i = 0; i < children_; ++i) {
      if (g_children[i].sent) profiles[count++] = g_children[i].profile.fd();
    }
    // Descriptor and mapping are given back at once: the sum of a large job's subtree takes memory,
    // too.
    const int error = agent_.Merge(profiles, count, output);
    g_own.Reset();
    for (std::uint32_t i = 0; i < children_; ++i) {
      if (g_children[i].sent) g_children[i].profile.Reset();
    }
    return error;
  }

  /// Notes whether the samples of this rank are in the sum.
  void SettleSelf() noexcept {
    if (settled_ == 0) {
      outcome_.Add(1);
    } else {
      outcome_.Fail(rank_, 1, settled_);
    }
  }

  /// On rank 0: csink writes the file of the job beside the rank's spool.
  bool WriteFile() noexcept {
    SettleSelf();
    // Without a spool of its own this rank has no place for the file.
    const int error = settled_ != 0 ? settled_ : Merge(-1);
    if (error == 0) return true;
    outcome_.LoseAll(rank_, error);
    return false;
  }

  /// Maps the profile of this rank and those below it. A rank without children has it in g_own;
  /// otherwise `profile` is empty, and the sum is written to it.
  int MakeProfile(ProfileBytes& profile) noexcept {
    if (settled_ != 0) return settled_;
    if (children_ > 0) {
      int error = profile.MakeFile();
      if (error == 0) error = Merge(profile.fd());
      if (error != 0) return error;
    }
    return profile.MapWritten();
  }

  /// Sends the sum to the parent and waits for the result.
  bool SendUp() noexcept {
    const std::uint32_t parent = ParentOf(rank_);
    SettleSelf();
    static ProfileBytes sum;  // As g_own
    sum.Reset();
    ProfileBytes& profile = children_ > 0 ? sum : g_own;
    if (const int error = MakeProfile(profile); error != 0) {
      profile.Reset();
      outcome_.LoseAll(rank_, error);
    }
    // A rank without a profile says so, too: its parent would wait for it for five minutes.
    g_hello = {kMagic,
               profile.bytes(),
               outcome_.ranks(),
               outcome_.failed(),
               outcome_.first_failed(),
               outcome_.error()};
    if (messages_.Send(&g_hello, sizeof g_hello, parent, kHelloTag, kPartnerNs) != 0) return false;
    if (profile.bytes() != 0) {
      if (messages_.Receive(&g_go, sizeof g_go, parent, kGoTag, kPartnerNs) != 0 ||
          g_go.magic != kMagic || g_go.yes == 0) {
        return false;
      }
      if (messages_.Send(profile.data(), profile.bytes(), parent, kProfileTag, kTransferNs) != 0) {
        return false;
      }
      profile.Reset();
    }
    // The result decides whether this rank's spool may be removed.
    return messages_.Receive(&g_result, sizeof g_result, parent, kResultTag, kPartnerNs) == 0 &&
           g_result.magic == kMagic && g_result.yes != 0;
  }

  /// Passes the result on to the children, which wait for it.
  void TellChildren(bool written) noexcept {
    // Static, because a send that was given up may still read them.
    static Answer results[kChildren];
    for (std::uint32_t i = 0; i < children_; ++i) {
      Child& child = g_children[i];
      // These have sent no Hello of this version, so they expect no result.
      if (!child.came || child.hello.magic != kMagic) continue;
      // A child without a profile waits for the result as well: ranks below it may have theirs in
      // the file.
      const bool taken = child.sent || child.hello.bytes == 0;
      results[i] = {kMagic, written && taken ? 1u : 0u};
      messages_.Send(&results[i], sizeof results[i], first_child_ + i, kResultTag, kTransferNs);
    }
  }

  Messages messages_;
  const AgentCalls& agent_;
  std::uint32_t rank_;
  std::uint32_t children_;
  std::uint32_t first_child_;
  int settled_ = 0;
  Outcome outcome_;
};

/// One line on rank 0: how many ranks are missing, the reason of the first, and where their spools
/// are.
void SayWhatIsMissing(const Outcome& outcome, bool written, bool has_spool) noexcept {
  Text<1400> line;
  if (written) {
    line.Add("the profiles of ").Number(outcome.failed()).Add(" of ");
    line.Number(outcome.failed() + outcome.ranks()).Add(" ranks are not in the job's report");
  } else {
    line.Add("the ranks' profiles could not be reduced");
  }
  line.Add(" (rank ").Number(outcome.first_failed()).Add(": ");
  line.Add(WordsFor(outcome.error())).Add("); their spools are left: csink merge -o job.csink ");
  std::string_view folder(g_spool);
  folder = folder.substr(0, folder.rfind('/') + 1);
  line.Add(has_spool && !folder.empty() ? folder : std::string_view("FOLDER"));
  RawLog(LogLevel::kWarn, line.view());
}

/// Stores a function of libagent.so. Returns false if the process has no agent.
template <class Function>
bool Find(const char* name, Function& function) noexcept {
  function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  return function != nullptr;
}

}  // namespace

bool AgentCalls::Load() noexcept {
  return Find("csink_agent_rank_begin", Begin) && Find("csink_agent_rank_settle", Settle) &&
         Find("csink_agent_rank_merge", Merge) && Find("csink_agent_rank_delivered", Delivered) &&
         Find("csink_agent_rank_report", Report) && Find("csink_agent_resume", Resume);
}

bool Reduce(const MpiCalls& mpi, const AgentCalls& agent, bool has_agent) noexcept {
  int rank = -1;
  int ranks = 0;
  if (mpi.CommRank(mpi.world, &rank) != 0 || mpi.CommSize(mpi.world, &ranks) != 0 || rank < 0) {
    return false;
  }
  // By default an error of MPI ends the job, and the profile is not worth that.
  mpi.SetErrorHandler(mpi.world, mpi.errors_return);
  int settled = has_agent ? g_own.MakeFile() : ENOSYS;
  if (settled == 0) {
    settled = agent.Settle(static_cast<std::uint32_t>(rank), g_spool, sizeof g_spool, g_own.fd());
  }
  if (settled != 0) g_own.Reset();
  Reduction reduction(mpi, agent, static_cast<std::uint32_t>(rank),
                      static_cast<std::uint32_t>(ranks));
  const bool written = reduction.Run(settled);
  // The spool stays, so it may as well have the rest.
  if (!written && settled == 0) agent.Resume();
  if (rank != 0) return false;
  const Outcome& outcome = reduction.outcome();
  // csink run makes the report of all of them.
  if (outcome.ranks() == 0 && outcome.error() == ENOTSUP) return false;
  if (outcome.failed() > 0) SayWhatIsMissing(outcome, written, settled == 0);
  return written;
}

}  // namespace csink::mpi
