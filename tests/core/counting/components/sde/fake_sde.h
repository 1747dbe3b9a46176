#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "core/counting/components/sde/sde_library.h"

namespace csink::testing {

/// A libsde whose answers tests choose. One at a time.
struct FakeSde {
  struct Event {
    std::string name;
    long long value = 0;
    long long base = 0;
    int simple = 1;
    int overflow_answer = 255;  ///< As libsde 7.0.0 answers for what it does not count itself
    bool set_before = false;
    bool gone = false;
    bool writable = true;
    int threshold = 0;
  };
  static inline std::vector<Event> events;
  static inline bool present = true;

  static const sde::Functions* Find() noexcept {
    static const sde::Functions functions = Table();
    return present ? &functions : nullptr;
  }
  static std::uint32_t Add(Event event) {
    events.push_back(std::move(event));
    return static_cast<std::uint32_t>(events.size());
  }
  static void Clear() {
    events.clear();
    present = true;
  }

 private:
  static Event* At(std::uint32_t number) {
    return number < events.size() && !events[number].gone ? &events[number] : nullptr;
  }
  static sde::Functions Table() {
    sde::Functions f;
    f.event_count = [] { return static_cast<int>(events.size()); };
    f.name = [](int number) -> char* {
      Event* event = At(static_cast<std::uint32_t>(number));
      return event ? event->name.data() : nullptr;
    };
    f.description = f.name;
    f.number_of = [](const char* name, std::uint32_t* number) {
      for (std::uint32_t i = 0; i < events.size(); ++i) {
        if (events[i].name == name) return *number = i, 0;
      }
      return -7;
    };
    f.read = [](std::uint32_t number, long long* value) {
      Event* event = At(number);
      if (event) *value = event->value - event->base;
      return event ? 0 : -1;
    };
    f.reset = [](std::uint32_t number) {
      if (Event* event = At(number)) event->base = event->value;
      return 0;
    };
    f.write = [](std::uint32_t number, long long value) {
      Event* event = At(number);
      if (!event || !event->writable) return -1;
      event->value = value;
      return 0;
    };
    f.is_simple = [](std::uint32_t number) { return events.at(number).simple; };
    f.set_overflow = [](std::uint32_t number, int threshold) {
      events.at(number).threshold =
          threshold;  // a number that is none ends the test, as libsde does
      return events.at(number).overflow_answer;
    };
    f.is_set_to_overflow = [](std::uint32_t number) { return int{events.at(number).set_before}; };
    return f;
  }
};

}  // namespace csink::testing
