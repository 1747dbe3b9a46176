#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "profil/reading/model/profile.h"

/// File: the object that a futex word belongs to. The agent knows mutexes, rwlocks with a holder
/// and joins by their memory. All others are known by the function of the C library that waits, and
/// the library's layout of its objects says where the object of such a word begins. Nothing is
/// guessed: without the function, or with an unknown library, the word stands for itself.

namespace csink::report {

/// What a futex word belongs to.
struct WaitObject {
  /// Of the object if `is_known`; else of the word, or of the first of the words that belong to the
  /// same object
  std::uint64_t address = 0;
  bool is_known = false;
  /// Each waiter of the object has a word of its own, on its stack, which does not tell the object
  bool is_waiters_word = false;
};

/// The object of `lock`, whose kind is `kind` because threads wait for it in `function` of the
/// module with the base name `module` ("" and "": the stack does not tell).
WaitObject ObjectOf(const WaitLock& lock, spool::WaitKind kind, std::string_view function,
                    std::string_view module);

/// All addresses that ObjectOf may give for a lock, so that their names can be asked for.
std::vector<std::uint64_t> PossibleObjects(const WaitLock& lock);

}  // namespace csink::report
