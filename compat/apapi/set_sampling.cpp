#include "compat/apapi/set_sampling.h"

#include <csink_papi.h>
#include <time.h>

#include <algorithm>

#include "compat/apapi/settings.h"

/// File: the work of a timer's thread. Read may hang in a vendor's library, so it touches only what
/// this object owns; Take runs only where the read has returned in time, and may use the event set.

namespace csink::apapi {

namespace {

bool HasValue(int code) noexcept { return code == PAPI_OK || code == PAPI_ECLOST; }

// The clock of upstream's structures.
long long NowNs() noexcept {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<long long>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

SetSampling::SetSampling(EventSetObject* set, void (*measure)(void**, int), void** measure_arg)
    : set_(set),
      measure_(measure),
      measure_arg_(measure_arg),
      handle_(set ? set->open.EventSet : PAPI_NULL),
      raw_(set ? static_cast<std::size_t>(set->open.num_events) : 0),
      codes_(raw_.size(), PAPI_OK),
      lacks_(raw_.size(), 0),
      said_(raw_.size(), false) {
  // Shares are read only where events take turns: the others are counted all of the time.
  if (!raw_.empty() && PAPI_get_multiplex(handle_) > 0) shares_.resize(raw_.size(), 1);
}

bool SetSampling::Read() noexcept {
  const long long before_ns = NowNs();
  if (!raw_.empty()) {
    error_ = csink_papi_read_each(handle_, raw_.data(), codes_.data());
    // A card that fails does not take the measurements of other cards with it.
    if (error_ != PAPI_OK) {
      // Before the next call to PAPI, which replaces the message.
      if (csink_papi_last_message(why_, sizeof why_) != PAPI_OK) why_[0] = 0;
      csink_papi_lacks(handle_, lacks_.data());
    }
    if (std::none_of(codes_.begin(), codes_.end(), HasValue)) return false;
    if (!shares_.empty()) csink_papi_counted_shares(handle_, shares_.data());
  }
  // The middle of the read, not its end: the events of a set are read one after the other, and a
  // read that takes longer than the one before would lengthen the interval by all of the
  // difference.
  now_ns_ = before_ns + (NowNs() - before_ns) / 2;
  return true;
}

void SetSampling::NotePartial() noexcept {
  // Read by csink_apapi_get_health in other threads.
  partial_.fetch_add(1, std::memory_order_relaxed);
  std::size_t first = codes_.size(), others = 0;
  for (std::size_t i = 0; i < codes_.size(); ++i) {
    if (HasValue(codes_[i]) || said_[i]) continue;
    // One line names the first event: a card that is lost takes all of its events with it.
    said_[i] = true;
    first == codes_.size() ? void(first = i) : void(++others);
  }
  if (first == codes_.size()) return;
  AtEdge([&] {
    const std::string more = others == 0 ? "" : " and " + std::to_string(others) + " more events";
    Warn(std::string("event ") + set_->open.event_ops[first].event_name + more +
         " could not be read: " + PapiError(error_, why_) +
         "; measurements that fail are omitted, and the other events are measured");
    return 0;
  });
}

void SetSampling::Take(bool good, bool last) noexcept {
  if (good && set_ != nullptr) {
    set_->Measured(raw_.data(), codes_.data(), now_ns_);
    for (std::size_t i = 0; i < shares_.size(); ++i) set_->times[i].counted_share = shares_[i];
    for (std::size_t i = 0; i < lacks_.size(); ++i) set_->losses[i].lacks = lacks_[i];
    if (!std::all_of(codes_.begin(), codes_.end(), HasValue)) NotePartial();
  }
  if (!good && set_ != nullptr) set_->Failed();
  const bool loses =
      std::any_of(lacks_.begin(), lacks_.end(), [](double most) { return most > 0; });
  if (good && (error_ == PAPI_ECLOST || loses) &&
      !lost_.exchange(true, std::memory_order_relaxed)) {
    // Messages allocate; this function must not throw.
    AtEdge([&] {
      Warn(std::string("component ") + set_->open.cmp_name + ": the values are a lower bound: " +
           PapiError(PAPI_ECLOST, error_ == PAPI_ECLOST ? why_ : ""));
      return 0;
    });
  }
  if (!good && !warned_) {
    warned_ = true;
    AtEdge([&] {
      Warn(std::string("component ") + set_->open.cmp_name + " could not be read: " +
           PapiError(error_, why_) + "; measurements that fail are omitted");
      return 0;
    });
  }
  // The call with `last` is made in any case, because clients complete their results in it.
  if (measure_ != nullptr && (good || last)) measure_(measure_arg_, last ? 1 : 0);
}

}  // namespace csink::apapi
