#pragma once

#include <papi.h>

#include <deque>
#include <string>
#include <vector>

#include "compat/apapi/include/apapi.h"

namespace csink::ms {

/// An event set as libapapi would hold it after a measurement, with values of the test's choice.
class FakeSet {
 public:
  /// What one event has, undivided.
  struct Event {
    std::string name;
    double prefix0 = 1, prefix1 = 1;
    long long last0 = 0;
    long double last1 = 0;
    long double values0[APAPI_FIELDS] = {}, values1[APAPI_FIELDS] = {};
    int data_type = PAPI_DATATYPE_UINT64;
  };

  explicit FakeSet(std::deque<Event> events) : events_(std::move(events)) {
    for (Event& event : events_) {
      apapi_event_ops ops = {};
      ops.event_name = event.name.data();
      ops.value0_prefix = event.prefix0;
      ops.value1_prefix = event.prefix1;
      ops.data_type = event.data_type;
      ops_.push_back(ops);
      samples_.push_back(event.last0);
      last1_.push_back(event.last1);
      values0_.insert(values0_.end(), event.values0, event.values0 + APAPI_FIELDS);
      values1_.insert(values1_.end(), event.values1, event.values1 + APAPI_FIELDS);
    }
    set_.num_events = static_cast<int>(ops_.size());
    set_.event_ops = ops_.data();
    set_.current_samples = samples_.data();
    set_.last_values1 = last1_.data();
    set_.values0 = values0_.data();
    set_.values1 = values1_.data();
  }
  FakeSet(const FakeSet&) = delete;
  FakeSet& operator=(const FakeSet&) = delete;

  apapi_eventset* get() noexcept { return &set_; }

 private:
  std::deque<Event> events_;
  std::vector<apapi_event_ops> ops_;
  std::vector<long long> samples_;
  std::vector<long double> last1_, values0_, values1_;
  apapi_eventset set_ = {};
};

}  // namespace csink::ms
