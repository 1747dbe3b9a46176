#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "profil/reading/model/profile.h"
#include "symbolizer/report/tables/names.h"

/// File: where blocked threads stand: the stacks of Profile::waits, in functions.

namespace csink::report {

/// A function on a stack. The pointers are valid as long as the profile and its names.
struct WaitFrame {
  const symbolizer::Location* location = nullptr;
  const Module* module = nullptr;  ///< nullptr: the stack could not be followed further
  std::string function;
};

/// The stacks of Profile::waits. Refers to a profile and its names, which must outlive it.
class WaitStacks {
 public:
  WaitStacks(const Profile& profile, const Names& names) : profile_(profile), names_(names) {}

  /// The functions from `inner` outwards; `caller` is an index into Waits::callers.
  std::vector<WaitFrame> Of(const CodeAddress& inner, std::uint32_t caller) const;

  /// The index of the program's own nearest named function; without one, of the first frame outside
  /// the runtime, else of the innermost. frames.size() without any frame.
  static std::size_t OwnOf(const std::vector<WaitFrame>& frames);

 private:
  WaitFrame FrameAt(const CodeAddress& address) const;

  const Profile& profile_;
  const Names& names_;
};

/// Where and for what a thread waits.
struct WaitPlace {
  WaitFrame own;  ///< The program's own function (OwnOf); "[unknown]" without any frame
  spool::WaitKind kind = spool::WaitKind::kUnknown;
  std::string call;  ///< Name of the system call; "" without one, or if the machine is unknown
  /// The function that tells the kind of a futex, and the base name of its module; empty: none does
  std::string told_by;
  std::string told_in;
  std::string primitive;          ///< What it waits for, in words (WaitWords)
  std::vector<std::string> path;  ///< Callers of `own`; direct recursion is one step
  /// The function of MPI that the program called and in which it waits; empty: none, or a profile
  /// of less than two ranks
  std::string mpi_call;
};

/// The place of each of Waits::sites, in their order.
std::vector<WaitPlace> PlacesOfWaits(const Profile& profile, const Names& names);

}  // namespace csink::report
