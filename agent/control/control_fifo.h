#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "agent/control/control.h"
#include "core/util/text.h"
#include "core/util/unique_fd.h"

/// File: the fifos of CSINK_CONTROL, as the control thread holds them.

namespace csink::agent {

/// CSINK_CONTROL as an absolute path: %p is the pid, %% a %; a relative one counts from
/// `directory`. Signals: safe.
void ExpandControlPath(std::string_view text, std::string_view directory, std::uint64_t pid,
                       Text<640>& path) noexcept;

/// True when `text` has a %p: then each process has a fifo of its own.
bool HasPid(std::string_view text) noexcept;

/// Gives the calling thread a table of descriptors of its own, empty. What it opens from then on
/// cannot be closed, inherited or counted by the program, and the program's files are not held
/// open. Signals: safe.
void TakeOwnDescriptors() noexcept;

/// The program's standard error in the calling thread's own table, for a line or a report; nothing
/// is held afterwards. After TakeOwnDescriptors only. Signals: safe.
class BorrowedStderr {
 public:
  BorrowedStderr() noexcept;
  ~BorrowedStderr();
  BorrowedStderr(const BorrowedStderr&) = delete;
  BorrowedStderr& operator=(const BorrowedStderr&) = delete;
};

/// PATH, from which commands are read, and PATH.ack, into which answers are written. Both are held
/// open for reading and writing, so that scripts never find them without a partner: no open of
/// theirs blocks, no write of theirs or ours ends in SIGPIPE, nothing is lost between two writers.
///
/// Owns:    the descriptors, in the calling thread's own table; the names are removed at the end of
///          the program by MadeFifo, when they were made here.
/// Threads: the control thread. Signals: safe.
class ControlFifos {
 public:
  enum class Outcome : unsigned char {
    kOpen,
    kTaken,    ///< Another process serves this fifo
    kRefused,  ///< See why
  };

  /// `commands` and `answers` are filled in for what is made here.
  Outcome Open(std::string_view path, MadeFifo& commands, MadeFifo& answers,
               const char** why) noexcept;
  /// After Open: fifos that the image before this one has made are this one's to remove.
  void Inherit(MadeFifo* commands, MadeFifo* answers) const noexcept;
  /// Makes the fifo again when its name is gone, and takes a new one that somebody put there.
  void Revisit(MadeFifo& commands, MadeFifo& answers) noexcept;

  int fd() const noexcept { return commands_.get(); }
  /// Bytes, 0: nothing there.
  std::size_t Read(char* buffer, std::size_t size) noexcept;
  /// Takes away what nobody has read: an old answer is not the answer to a new command.
  void DropOldAnswers() noexcept;
  /// One line. Nobody reads and the fifo is full: it is dropped.
  void Answer(std::string_view text) noexcept;

 private:
  struct Place {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
  };

  static void Own(MadeFifo* made, std::string_view path, const Place& place) noexcept;
  static UniqueFd OpenFifo(const char* path, MadeFifo& made, Place& place,
                           const char** why) noexcept;

  Text<640> path_;
  Text<640> answer_path_;
  UniqueFd commands_;
  UniqueFd answers_;
  Place place_;
  Place answer_place_;
};

}  // namespace csink::agent
