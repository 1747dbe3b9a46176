#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compat/apapi/include/apapi.h"
#include "compat/apapi/include/apapi_csink.h"
#include "papi_reads.h"
#include "text_files.h"

/// An event set of the kernel's software events, which every machine has.
class ApapiTest : public testing::Test {
 protected:
  ApapiTest() { EXPECT_EQ(APAPI_init(), PAPI_VER_CURRENT); }
  ~ApapiTest() override {
    AnswerReads({});
    APAPI_destroy_timer(&timer_);
    APAPI_destroy_apapi_eventset(&set_);
    APAPI_destroy();
  }

  int MakeSet(std::vector<std::string> names, apapi_event_ops* ops = nullptr) {
    std::vector<char*> list;
    for (std::string& name : names) list.push_back(name.data());
    list.push_back(nullptr);
    return APAPI_init_apapi_eventset_cmp(&set_, Perf(), list.data(), ops);
  }
  int MakeTimer(long milliseconds, void (*measure)(void**, int) = nullptr, void** arg = nullptr) {
    return APAPI_create_timer(&timer_, milliseconds / 1000, milliseconds % 1000 * 1'000'000,
                              measure, arg, set_);
  }
  int StartTimer() {
    const int code = APAPI_initstart_timer(timer_);
    return code == PAPI_OK ? APAPI_start_timer(timer_) : code;
  }
  csink_apapi_health Health() const {
    csink_apapi_health health = {};
    EXPECT_EQ(csink_apapi_get_health(timer_, &health), PAPI_OK);
    return health;
  }
  long double Value0(int event, int field) const {
    return set_->values0[event * APAPI_FIELDS + field];
  }
  long double Value1(int event, int field) const {
    return set_->values1[event * APAPI_FIELDS + field];
  }
  static int Perf() { return csink_apapi_find_component("perf"); }

  apapi_eventset* set_ = nullptr;
  apapi_timer* timer_ = nullptr;
};

constexpr long kHour = 3'600'000;
inline const std::string kFaults = "perf::PAGE-FAULTS";
inline const std::string kClock = "perf::TASK-CLOCK";
