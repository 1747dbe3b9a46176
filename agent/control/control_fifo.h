#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "agent/control/control.h"
#include "core/util/text.h"
#include "core/util/unique_fd.h"

/// File: the fifos of CSINK_CONTROL, as the control thread holds them.

namespace csink::agent {

/// The value of CSINK_CONTROL as an absolute path: %p is replaced by `pid`, %% by %; a relative
/// path counts from `directory`. A path that is longer than `path` is cut. Signals: safe.
void ExpandControlPath(std::string_view text, std::string_view directory, std::uint64_t pid,
                       Text<640>& path) noexcept;

/// True if `text` contains %p: each process then has a fifo of its own.
bool HasPid(std::string_view text) noexcept;

/// Gives the calling thread an empty table of descriptors of its own. The program can neither
/// close, inherit nor count what the thread opens from then on, and the program's files are not
/// held open by this thread. Only for a raw thread: libc's threads share descriptors. Signals:
/// safe.
void TakeOwnDescriptors() noexcept;

/// For a scope: the program's standard error as descriptor 2 of the calling thread's own table, for
/// a line or a report. Nothing is held open afterwards, because a copy would keep a pipe open that
/// the program has closed. Where stderr cannot be obtained, writes to descriptor 2 fail.
/// Threads: one that called TakeOwnDescriptors. Signals: safe.
class BorrowedStderr {
 public:
  BorrowedStderr() noexcept;
  ~BorrowedStderr();
  BorrowedStderr(const BorrowedStderr&) = delete;
  BorrowedStderr& operator=(const BorrowedStderr&) = delete;
};

/// PATH, from which commands are read, and PATH.ack, to which answers are written. Both are held
/// open for reading and writing, so that each fifo always has a reader and a writer: scripts never
/// block in open, neither side gets SIGPIPE, and no data is lost between two writers.
///
/// Owns:    the descriptors, in the calling thread's own table. The names are removed at the end of
///          the program by MadeFifo, if they were created here.
/// Threads: the control thread. Signals: safe.
class ControlFifos {
 public:
  /// The result of Open.
  enum class Outcome : unsigned char {
    /// Both fifos are open, and this process serves them
    kOpen,
    kTaken,    ///< Another process serves this fifo
    kRefused,  ///< The fifo cannot be used; `why` of Open says the reason
  };

  /// Creates the fifos (mode 0600) where they do not exist, opens them and locks the command fifo
  /// (flock). A path that is no fifo, and a fifo of another user, are refused. `commands` and
  /// `answers` are filled in for what is created here. `*why` is set if the result is kRefused; a
  /// string literal.
  Outcome Open(std::string_view path, MadeFifo& commands, MadeFifo& answers,
               const char** why) noexcept;
  /// After Open: makes this process responsible for removing fifos that the image before this one
  /// has created. nullptr: not that one.
  void Inherit(MadeFifo* commands, MadeFifo* answers) const noexcept;
  /// Creates the fifo again if its name is gone, and opens a new fifo that was put there. What
  /// cannot be opened now is tried again at the next call.
  void Revisit(MadeFifo& commands, MadeFifo& answers) noexcept;

  /// The descriptor of the command fifo, for poll; valid after Open has returned kOpen.
  int fd() const noexcept { return commands_.get(); }
  /// Reads without blocking. Returns the number of bytes; 0: there is nothing to read.
  std::size_t Read(char* buffer, std::size_t size) noexcept;
  /// Discards answers that were not read: an old answer must not be taken for the answer to a new
  /// command.
  void DropOldAnswers() noexcept;
  /// Writes one line without blocking, at most 1,023 bytes; a longer text is cut. If the fifo is
  /// full because no script reads, the line is dropped.
  void Answer(std::string_view text) noexcept;

 private:
  /// Identity of an opened file, to see later whether the name still leads to it.
  struct Place {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
  };

  /// Makes `made` (nullptr: nothing) responsible for the fifo at `path`.
  static void Own(MadeFifo* made, std::string_view path, const Place& place) noexcept;
  /// Creates and opens one fifo. An empty result: `*why` says the reason. `made` is filled in only
  /// if the fifo was created.
  static UniqueFd OpenFifo(const char* path, MadeFifo& made, Place& place,
                           const char** why) noexcept;

  /// Paths and identities of the two fifos
  Text<640> path_;
  Text<640> answer_path_;
  UniqueFd commands_;
  UniqueFd answers_;
  Place place_;
  Place answer_place_;
};

}  // namespace csink::agent
