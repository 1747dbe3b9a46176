#include "core/counting/components/device/device_counter_set.h"

#include <algorithm>
#include <utility>
#include <vector>

// File: a set is a DeviceValues, which computes what is shown, and a DeviceClient, by which the
// reader knows that the set runs. Both are in a State that is shared with the call in progress:
// Stop can leave the State to a thread that hangs in the device and give the set a new one.
// Everything in a State is used while the reader is held.

namespace csink {
namespace {

using Holding = DeviceReader::Holding;

// How long Stop waits: a program that ends must not wait for a device that does not answer.
constexpr std::uint64_t kStopPatienceNs = 200'000'000;

Error Running() { return {Errc::kInvalid, 0, "the counters are running"}; }
Error NotRunning() { return {Errc::kInvalid, 0, "the counters are not running"}; }

// What a reading of a whole device cannot do is refused here, so that it does not silently count
// something else.
Result<void> CheckOptions(std::span<const CounterRequest> requests,
                          const CountingOptions& options) {
  if (options.target.kind == CountingTarget::Kind::kThread || options.target.inherit) {
    return Error{Errc::kUnsupported, 0,
                 "devices can only be measured as a whole, not for a thread"};
  }
  if (options.multiplex != CountingOptions::Multiplex::kOff) {
    return Error{Errc::kUnsupported, 0, "device readings cannot be multiplexed"};
  }
  for (const CounterRequest& request : requests) {
    if (request.sampling.delivery != SamplingRequest::Delivery::kNone) {
      return Error{Errc::kUnsupported, 0, "device readings cannot overflow"};
    }
  }
  return {};
}

}  // namespace

DeviceCounterSet::DeviceCounterSet(std::shared_ptr<DeviceReader> reader)
    : state_(std::make_shared<State>()) {
  state_->reader = std::move(reader);
}

DeviceCounterSet::~DeviceCounterSet() {
  // An unsuccessful stop has left the state to the thread that hangs.
  if (running_) (void)Stop();
}

Result<void> DeviceCounterSet::State::Refresh() noexcept {
  if (!client) return {};
  const Result<void> read = reader->Read(values.places(), values.answer(), values.errors());
  if (!read) return read;
  // Half of a reading would look like a measurement; ReadEach says which half it is.
  const Error first = values.FirstError();
  if (first.code != Errc::kOk) return first;
  TakeAnswer();
  return {};
}

void DeviceCounterSet::State::TakeAnswer() noexcept {
  Error* const errors = values.errors();
  for (std::size_t i = 0; i < client->anew.size(); ++i) {
    if (errors[i].code != Errc::kOk && errors[i].code != Errc::kLost) continue;
    errors[i] = client->anew[i] ? kBegunAnew : Error{};
    anew = anew || client->anew[i];
    client->anew[i] = false;
  }
  values.TakeAnswer();
}

void DeviceCounterSet::State::Restart(const long long* from) noexcept {
  values.Restart(from);
  if (client) std::fill(client->lacks.begin(), client->lacks.end(), 0);
}

Result<void> DeviceCounterSet::State::TakeLoss() noexcept {
  if (!client) return {};
  // Reported once.
  const bool has_begun_anew = std::exchange(anew, false);
  const bool has_wrapped = std::exchange(client->wraps_perhaps_lost, 0) != 0;
  if (has_begun_anew) return kBegunAnew;
  if (!has_wrapped) return {};
  return Error{
      Errc::kLost, 0,
      "the device's counters may have wrapped between two reads: the values are a lower bound"};
}

Result<void> DeviceCounterSet::Configure(std::span<const CounterRequest> requests,
                                         const CountingOptions& options) {
  if (running_) return Running();
  if (const Result<void> possible = CheckOptions(requests, options); !possible) return possible;
  // A new state: another thread may still use the old one.
  auto fresh = std::make_shared<State>();
  fresh->reader = state_->reader;
  std::vector<std::uint32_t> numbers;
  if (!requests.empty()) {
    if (const Result<void> opened = fresh->reader->Open(); !opened) return opened;
    for (const CounterRequest& request : requests) numbers.push_back(request.event);
    const Result<void> chosen = fresh->values.Choose(fresh->reader->events(), numbers);
    if (!chosen) return chosen;
  }
  state_ = std::move(fresh);
  numbers_ = std::move(numbers);
  ran_ns_ = 0;
  return {};
}

Result<void> DeviceCounterSet::Start() {
  if (running_) return Running();
  // A copy: Stop may replace state_ while another call waits for the device.
  const std::shared_ptr<State> state = state_;
  auto client = std::make_shared<DeviceClient>(state->values.places());
  // What a stopped set was told to show by Write.
  std::vector<long long> from(size());
  // From here to the end no other thread reads the device.
  const Holding holding(*state->reader);
  if (!holding.held()) return holding.error();
  state->values.Give(from.data());
  DeviceValues& shown = state->values;
  if (const Result<void> read = state->reader->Read(shown.places(), shown.answer(), shown.errors());
      !read) {
    return read;
  }
  for (std::size_t i = 0; i < client->places.size(); ++i) {
    // A value that cannot be is one failed reading: the event begins with the next one.
    client->anew[i] = shown.errors()[i].code == Errc::kCorrupt;
    if (client->anew[i]) continue;
    if (shown.errors()[i].code == Errc::kLost) shown.errors()[i] = {};
    if (shown.errors()[i].code != Errc::kOk) return shown.errors()[i];
  }
  state->client = std::move(client);
  state->anew = false;
  shown.TakeAnswer();
  state->Restart(state->written ? from.data() : nullptr);
  state->written = false;
  // After the read: a gap is measured from the last read of each event.
  state->reader->Join(state->client);
  started_ns_ = state->reader->Now();
  running_ = true;
  return {};
}

Result<void> DeviceCounterSet::Stop() {
  if (!running_) return NotRunning();
  const std::shared_ptr<State> state = state_;
  running_ = false;
  ran_ns_ = state->reader->Now() - started_ns_;
  const Holding holding(*state->reader, kStopPatienceNs);
  if (!holding.held()) {
    // Another thread is reading the device and may never return. The state that it uses is left to
    // it, and this set gets a new one. The reader drops the client when it is next held.
    state->client->gone.store(true);
    state_ = std::make_shared<State>();
    state_->reader = state->reader;
    (void)state_->values.Choose(state->reader->events(), numbers_);
    return holding.error();
  }
  // A last read, so that a stopped set shows the values at its stop.
  const Result<void> read = state->Refresh();
  const Result<void> kept = read ? state->TakeLoss() : read;
  state->reader->Leave(*state->client);
  state->lacks = std::move(state->client->lacks);
  state->client.reset();
  return kept;
}

Result<void> DeviceCounterSet::ReadInto(long long* values, Afterwards afterwards) noexcept {
  if (numbers_.empty()) return {};
  const std::shared_ptr<State> state = state_;
  const Holding holding(*state->reader);
  if (!holding.held()) return holding.error();
  if (const Result<void> read = state->Refresh(); !read) return read;
  // Before the loss is reported: the values of a read with kLost are valid.
  if (values) state->values.Give(values);
  const Result<void> kept = state->TakeLoss();
  if (afterwards == Afterwards::kRestart) {
    state->Restart(nullptr);
    state->written = false;
  }
  return kept;
}

Result<void> DeviceCounterSet::Read(long long* values) noexcept {
  return ReadInto(values, Afterwards::kGoOn);
}

Result<void> DeviceCounterSet::ReadEach(long long* values, Error* errors) noexcept {
  if (numbers_.empty()) return {};
  const std::shared_ptr<State> state = state_;
  const Holding holding(*state->reader);
  if (!holding.held()) return holding.error();
  DeviceValues& shown = state->values;
  if (state->client) {
    const Result<void> read = state->reader->Read(shown.places(), shown.answer(), shown.errors());
    if (!read) return read;
    state->TakeAnswer();
    state->anew = false;  // the errors say it
    shown.GiveErrors(errors);
  } else {
    std::fill(errors, errors + size(), Error{});  // the values of the stop
  }
  shown.Give(values);
  return state->TakeLoss();
}

void DeviceCounterSet::Lacks(double* most) noexcept {
  const std::shared_ptr<State> state = state_;
  const Holding holding(*state->reader);
  std::fill(most, most + size(), 0.0);
  if (!holding.held()) return;
  state->values.Spread(state->client ? state->client->lacks : state->lacks, most);
}

Result<void> DeviceCounterSet::Reset() noexcept {
  const Result<void> reset = ReadInto(nullptr, Afterwards::kRestart);
  // The lost counts are no longer wanted.
  return reset.error().code == Errc::kLost ? Result<void>() : reset;
}

Result<void> DeviceCounterSet::ReadAndReset(long long* values) noexcept {
  return ReadInto(values, Afterwards::kRestart);
}

Result<void> DeviceCounterSet::Write(const long long* values) noexcept {
  if (numbers_.empty()) return {};
  const std::shared_ptr<State> state = state_;
  const Holding holding(*state->reader);
  if (!holding.held()) return holding.error();
  if (const Result<void> read = state->Refresh(); !read) return read;
  state->Restart(values);
  // Only a stopped set starts from the values; a running one goes on from them at once.
  state->written = state->client == nullptr;
  return {};
}

void DeviceCounterSet::Times(std::size_t, std::uint64_t* enabled_ns,
                             std::uint64_t* running_ns) const noexcept {
  *enabled_ns = *running_ns = running_ ? state_->reader->Now() - started_ns_ : ran_ns_;
}

void DeviceCounterSet::ForgetAfterFork() noexcept {
  // No allocation: other threads may have held the heap's lock when the process was forked. Values
  // that a read had half updated are not used again: the next Configure makes new ones.
  state_->client.reset();
  numbers_.clear();
  running_ = false;
  ran_ns_ = 0;
}

}  // namespace csink
