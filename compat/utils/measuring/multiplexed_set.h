#pragma once

namespace csink::utils {

/// A multiplexed event set that is destroyed with this object.
/// Owns:    the set.
class MultiplexedSet {
 public:
  /// `flags`: PAPI_MULTIPLEX_DEFAULT: multiplexed by the kernel; PAPI_MULTIPLEX_FORCE_SW: by the
  /// library. The set belongs to component 0. On a failure code() is negative and the set is of no
  /// use.
  explicit MultiplexedSet(int flags);
  ~MultiplexedSet();
  MultiplexedSet(const MultiplexedSet&) = delete;
  MultiplexedSet& operator=(const MultiplexedSet&) = delete;

  int code() const noexcept { return code_; }  ///< PAPI_OK, or the error of making it
  int handle() const noexcept { return set_; }
  /// Adds an event; returns PAPI's code.
  int Add(int event);

 private:
  int set_;
  int code_;
};

}  // namespace csink::utils
