#include "core/counting/components/device/device_reader.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "core/util/futex.h"
#include "core/util/raw_log.h"
#include "core/util/signals_blocked.h"
#include "core/util/text.h"
#include "core/util/thread_id.h"

// File: the keeper sleeps on a futex for half of the shortest gap that an event of a running set
// allows, and reads what the sets themselves have not read for a quarter of it. It ends when no
// running set needs it. Join and Leave wake it when the gap changes. Every read, by a set or the
// keeper, notes its time by event; a gap beyond the allowed one is charged to the sets that count
// the event.

namespace csink {
namespace {

constexpr std::uint64_t kSecondNs = 1'000'000'000;
// Drivers of accelerators take seconds to wake up a device.
constexpr std::uint64_t kOpeningPatienceNs = 30 * kSecondNs;

// The word changes first, so a thread that is about to wait does not.
void WakeAll(std::atomic<std::uint32_t>& word) noexcept {
  word.fetch_add(1, std::memory_order_release);
  FutexWake(&word, FutexScope::kProcess, kAllWaiters);
}

// The index of an event in the client's places; their number: it does not count the event.
std::size_t IndexIn(const DeviceClient& client, std::uint32_t place) noexcept {
  const auto found = std::find(client.places.begin(), client.places.end(), place);
  return static_cast<std::size_t>(found - client.places.begin());
}

}  // namespace

DeviceReader::Holding::Holding(DeviceReader& reader, std::uint64_t patience_ns) noexcept
    : reader_(reader) {
  // The thread id is asked of the kernel: a cached one would be the parent's after a raw fork.
  const pid_t self = AskTid();
  if (reader.lock_.HeldBy(self)) {
    error_ = {Errc::kConflict, 0, "a signal handler interrupted a read of the same device"};
  } else if (!reader.lock_.Lock(self, patience_ns)) {
    error_ = {Errc::kSystem, ETIMEDOUT, "another thread still waits for the device's answer"};
  }
}

DeviceReader::Holding::~Holding() {
  if (held()) reader_.lock_.Unlock();
}

Result<void> DeviceReader::Open() {
  if (!opened()) {
    const Holding holding(*this, kOpeningPatienceNs);
    if (!holding.held()) return holding.error();
    if (!opened()) {
      // An error is kept as well: a second try would take as long, and a device does not appear
      // while a program runs.
      if (const Result<void> done = source_->Open(reason_); !done) open_error_ = done.error();
      last_read_ns_.assign(source_->events().size(), 0);
      opened_.store(true, std::memory_order_release);
    }
  }
  if (open_error_.code != Errc::kOk) return open_error_;
  return {};
}

Result<void> DeviceReader::Read(std::span<const std::uint32_t> places, std::uint64_t* bits,
                                Error* errors) noexcept {
  if (places.empty()) return {};
  const Result<void> read = source_->Read(places, bits, errors);
  if (!read) return read;
  const std::uint64_t now_ns = clock_();
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (errors[i].code == Errc::kOk) NoteGap(places[i], now_ns);
    if (errors[i].code == Errc::kLost) NoteAnew(places[i], now_ns);
  }
  return {};
}

std::uint64_t DeviceReader::GapOf(std::uint32_t place) const noexcept {
  const DeviceEvent& event = source_->events()[place];
  if (!event.accumulates) return 0;
  return event.longest_gap_ns != 0 ? event.longest_gap_ns : source_->longest_gap_ns();
}

void DeviceReader::NoteGap(std::uint32_t place, std::uint64_t now_ns) noexcept {
  const std::uint64_t before_ns = std::exchange(last_read_ns_[place], now_ns);
  const std::uint64_t gap_ns = GapOf(place);
  // before_ns 0: the first read of the event, before which no set counted it.
  if (gap_ns == 0 || before_ns == 0 || now_ns < before_ns) return;
  const std::uint64_t silent_ns = now_ns - before_ns;
  if (silent_ns <= gap_ns) return;
  bool counted = false;
  // Each gap of full length may hide one wrap at the highest power.
  const std::uint64_t wraps = silent_ns / gap_ns;
  const double range = MostIn(place, gap_ns);
  for (const auto& client : clients_) {
    const std::size_t at = IndexIn(*client, place);
    if (at == client->places.size()) continue;
    counted = true;
    client->wraps_perhaps_lost += wraps;
    client->lacks[at] += static_cast<double>(wraps) * range;
  }
  // Without a set that counts the event nothing is lost.
  if (counted) SayLost(silent_ns, gap_ns);
}

void DeviceReader::NoteAnew(std::uint32_t place, std::uint64_t now_ns) noexcept {
  const std::uint64_t before_ns = std::exchange(last_read_ns_[place], now_ns);
  const double most = MostIn(place, now_ns - std::min(now_ns, before_ns));
  for (const auto& client : clients_) {
    const std::size_t at = IndexIn(*client, place);
    if (at == client->places.size()) continue;
    client->anew[at] = true;
    client->lacks[at] += most;
  }
}

double DeviceReader::MostIn(std::uint32_t place, std::uint64_t ns) const noexcept {
  const double most = source_->events()[place].most_per_second;
  if (!(most > 0)) return std::numeric_limits<double>::infinity();
  return most * static_cast<double>(ns) / static_cast<double>(kSecondNs);
}

void DeviceReader::SayLost(std::uint64_t silent_ns, std::uint64_t gap_ns) noexcept {
  if (std::exchange(said_lost_, true)) return;
  Text<400> line;
  line.Add(name_).Add(" was not read for ").Fixed(silent_ns, kSecondNs, 1);
  line.Add(" s, and its counters may wrap every ").Fixed(gap_ns, kSecondNs, 1);
  line.Add(" s at full power: up to ").Number(silent_ns / gap_ns);
  line.Add(" wraps for each counter may be lost, and the values are a lower bound; the measuring ");
  line.Add("process must not be stopped or starved of CPU time");
  RawLog(LogLevel::kWarn, line.view());
}

void DeviceReader::DropGone() noexcept {
  std::erase_if(clients_, [](const auto& client) { return client->gone.load(); });
}

std::uint64_t DeviceReader::ShortestGap() noexcept {
  DropGone();
  std::uint64_t shortest = 0;
  for (const auto& client : clients_) {
    for (const std::uint32_t place : client->places) {
      const std::uint64_t gap = GapOf(place);
      if (gap != 0 && (shortest == 0 || gap < shortest)) shortest = gap;
    }
  }
  return shortest;
}

void DeviceReader::Join(std::shared_ptr<DeviceClient> client) {
  // The set has just read its events, so their gaps begin now.
  clients_.push_back(std::move(client));
  if (ShortestGap() == 0) return;
  if (keeper_runs_) {
    WakeAll(keeper_word_);  // the time to the next read may have become shorter
  } else {
    StartKeeper();
  }
}

void DeviceReader::Leave(DeviceClient& client) noexcept {
  client.gone.store(true);
  DropGone();
  // The keeper sees that it is not needed and ends.
  if (keeper_runs_ && ShortestGap() == 0) WakeAll(keeper_word_);
}

void DeviceReader::StartKeeper() noexcept {
  const SignalsBlocked blocked;  // inherited by the new thread, which must not take signals
  try {
    // Detached, and holding the reader: if the device never answers, nothing waits for the thread.
    std::thread([self = shared_from_this()] { self->Keep(); }).detach();
    keeper_runs_ = true;
  } catch (const std::exception&) {
    Text<200> line;
    line.Add(name_).Add(
        ": the thread that reads the counters could not be started; read the counters ");
    line.Add("at least every ").Fixed(ShortestGap() / 2, kSecondNs, 1).Add(" s");
    RawLog(LogLevel::kWarn, line.view());
  }
}

void DeviceReader::Keep() noexcept {
  while (true) {
    // Before the sets are looked at: a Join after that changes the word, and the wait returns at
    // once.
    const std::uint32_t word = keeper_word_.load(std::memory_order_acquire);
    std::uint64_t wait_ns = 0;
    try {
      if (!KeepOnce(&wait_ns)) return;
    } catch (const std::bad_alloc&) {
      wait_ns = kSecondNs / 10;  // memory may be free then; too long a gap is noticed by NoteGap
    }
    // Returns at once if the word has changed since it was loaded.
    FutexWait(&keeper_word_, word, wait_ns);
  }
}

bool DeviceReader::KeepOnce(std::uint64_t* wait_ns) {
  // Without limit: the keeper has no caller that waits.
  const Holding holding(*this, 0);
  const std::uint64_t gap_ns = ShortestGap();
  if (gap_ns == 0) {
    keeper_runs_ = false;
    return false;
  }
  // Half of the gap: a late wake-up still comes in time.
  *wait_ns = gap_ns / 2;
  // Events that the sets themselves have read recently are not read here.
  const std::uint64_t now_ns = clock_();
  std::vector<std::uint32_t> due;
  for (const auto& client : clients_) {
    for (const std::uint32_t place : client->places) {
      // Each by its own gap: others are not asked as often as the fastest one.
      const std::uint64_t own_ns = GapOf(place);
      if (own_ns == 0) continue;
      const std::uint64_t age_ns = now_ns - std::min(now_ns, last_read_ns_[place]);
      if (age_ns < own_ns / 4) {
        *wait_ns = std::min(*wait_ns, own_ns / 2 - age_ns);
      } else {
        due.push_back(place);
      }
    }
  }
  std::sort(due.begin(), due.end());
  due.erase(std::unique(due.begin(), due.end()), due.end());
  std::vector<std::uint64_t> bits(due.size());
  std::vector<Error> errors(due.size());
  (void)Read(due, bits.data(), errors.data());
  return true;
}

void DeviceReader::ForgetAfterFork() noexcept {
  // The keeper is not in the child; the next Join starts another. The events' times are the
  // parent's reads.
  lock_.ResetAfterFork();
  clients_.clear();
  keeper_runs_ = false;
  std::fill(last_read_ns_.begin(), last_read_ns_.end(), 0);
  source_->ForgetAfterFork();
}

}  // namespace csink
