#pragma once

/// File: how this project reports failure without exceptions.
///
/// Error is trivial and owns nothing, so a signal handler may make one and return it by value.
/// Result<T> holds either a value or an Error. Code of this project throws no exceptions.

#include <new>
#include <type_traits>
#include <utility>

namespace csink {

/// The kinds of failure. Callers decide by these.
enum class Errc : unsigned char {
  kOk = 0,
  kPermission,   ///< The kernel refused (perf_event_paranoid, seccomp, file mode).
  kNoEvent,      ///< The event does not exist on this machine.
  kConflict,     ///< No counter is free, or another user has the device exclusively.
  kLimit,        ///< A limit was reached: descriptors, locked memory, memory, table size.
  kInvalid,      ///< The caller asked for something impossible.
  kNotFound,     ///< No such file, symbol or key.
  kCorrupt,      ///< Input that violates its format.
  kAttribute,    ///< A unit mask or modifier of an event is unknown, missing, impossible or fixed.
  kCombination,  ///< Parts of an event exclude each other.
  kUnsupported,  ///< This kernel or this build cannot do it.
  kLost,         ///< Counts were lost between two reads; the value read is a lower bound.
  kSystem,       ///< Any other error of a system call; see Error::sys_errno.
};

/// A failure. Owns nothing, so it is returned by value.
struct Error {
  Errc code = Errc::kOk;
  /// The errno of the system call that failed, positive; 0 where no system call failed.
  int sys_errno = 0;
  /// What failed, as a part of a message ("cannot open the list of mappings"). A static string, so
  /// that an Error owns nothing and outlives everything.
  const char* what = "";
};

/// The Errc for a positive errno, for callers that know nothing more specific. ENOENT is kNoEvent
/// as for perf_event_open(2), also where the caller opened a file. Written with numbers so that no
/// header of libc is needed here. Signals: safe.
constexpr Errc ErrcFromErrno(int e) noexcept {
  switch (e) {
    case 1:   // EPERM
    case 13:  // EACCES
      return Errc::kPermission;
    case 2:   // ENOENT
    case 19:  // ENODEV
      return Errc::kNoEvent;
    case 12:  // ENOMEM
    case 23:  // ENFILE
    case 24:  // EMFILE
    case 28:  // ENOSPC
      return Errc::kLimit;
    case 16:  // EBUSY
      return Errc::kConflict;
    case 22:  // EINVAL
      return Errc::kInvalid;
    case 38:  // ENOSYS
    case 95:  // EOPNOTSUPP
      return Errc::kUnsupported;
    default:
      return Errc::kSystem;
  }
}

/// A value of type T, or an Error. Dereferencing without a value, and error() with one, are
/// undefined: check with operator bool first. Movable, not copyable; a moved-from Result still has
/// its (moved-from) value.
///   const Result<std::uint64_t> number = ParseUnsigned(text);
///   if (!number) return number.error();
///   Use(*number);
/// Owns: the value. Why not std::expected: it is C++23. Threads: as T. Signals: safe when T is.
template <class T>
class [[nodiscard]] Result {
 public:
  /// A success with this value.
  Result(T value) noexcept : has_value_(true) { new (&value_) T(std::move(value)); }
  /// A failure. Not explicit, so that a function can return an Error directly.
  Result(Error error) noexcept : has_value_(false), error_(error) {}
  Result(Result&& other) noexcept : has_value_(other.has_value_) {
    if (has_value_) {
      new (&value_) T(std::move(other.value_));
    } else {
      error_ = other.error_;
    }
  }
  /// Replaces value or Error by those of `other`.
  Result& operator=(Result&& other) noexcept {
    // Destroys and constructs anew, because either side may hold a value or an Error. Moves do not
    // throw here.
    if (this != &other) {
      this->~Result();
      new (this) Result(std::move(other));
    }
    return *this;
  }
  ~Result() {
    if (has_value_) value_.~T();
  }

  /// Whether there is a value.
  explicit operator bool() const noexcept { return has_value_; }
  bool has_value() const noexcept { return has_value_; }
  /// The value; only where there is one. An rvalue Result gives up its value by move.
  T& operator*() & noexcept { return value_; }
  const T& operator*() const& noexcept { return value_; }
  T&& operator*() && noexcept { return std::move(value_); }
  /// For members of the value; only where there is one.
  T* operator->() noexcept { return &value_; }
  const T* operator->() const noexcept { return &value_; }
  /// The failure; only where there is no value.
  const Error& error() const noexcept { return error_; }

 private:
  bool has_value_;
  /// A union, so that T needs no default constructor. Only the member that has_value_ names is
  /// alive.
  union {
    T value_;
    Error error_;
  };
};

/// Success without a value, or an Error whose code is not kOk. Signals: safe.
template <>
class [[nodiscard]] Result<void> {
 public:
  /// Success.
  Result() noexcept = default;
  Result(Error error) noexcept : error_(error) {}
  /// Whether the call succeeded.
  explicit operator bool() const noexcept { return error_.code == Errc::kOk; }
  bool has_value() const noexcept { return error_.code == Errc::kOk; }
  const Error& error() const noexcept { return error_; }

 private:
  Error error_;
};

}  // namespace csink
