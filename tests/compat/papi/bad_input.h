#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "compat/papi/include/papi.h"

/// Table-driven tests of what PAPI's functions answer to bad input: the documented code, and
/// nothing changed. They see papi.h alone, so that the same rows run against our library and (built
/// with CSINK_PEER) against PAPI's, which is the oracle where the manual is silent.
///
/// Each row runs in a process of its own: a crash is that row's failure, and every row begins from
/// nothing.
namespace csink::papi_test {

/// What is there when the call is made.
enum class State {
  kBeforeInit,   ///< PAPI_library_init was not called
  kInit,         ///< no event set
  kEmpty,        ///< `set` is empty and has no component
  kBound,        ///< `set` is empty and belongs to component 0
  kStopped,      ///< `set` holds two software events, `other` a third one
  kRunning,      ///< the same, `set` is counting
  kMultiplexed,  ///< kStopped, `set` multiplexed
  kAttached,     ///< kStopped, `set` attached to a child of ours
  kOverflow,     ///< kStopped, the first event of `set` armed by PAPI_overflow
  kProfiling,    ///< kStopped, the first event of `set` armed by PAPI_profil
};

/// Everything that a call may write to. It begins filled with a pattern.
struct Outputs {
  long long values[8];
  long long cycles;
  int codes[8];
  int number;
  int code;
  unsigned long tids[8];
  void* pointer;
  char name[PAPI_MAX_STR_LEN];
  PAPI_event_info_t info;
  PAPI_dmem_info_t memory;
  PAPI_option_t option;
  PAPI_sprofil_t regions[2];
  alignas(8) unsigned char buckets[64];
};

/// What calls work with.
struct Scene {
  int set = PAPI_NULL;
  int other = PAPI_NULL;
  int task_clock = 0;   ///< perf::TASK-CLOCK, the first event of `set`
  int page_faults = 0;  ///< perf::PAGE-FAULTS, the second
  int cpu_clock = 0;    ///< perf::CPU-CLOCK, the event of `other`
  pid_t child = 0;
  Outputs out;

  /// Remembers Outputs as they are now, so that what a failing call wrote is seen. The runner calls
  /// it before the row; a row that first writes inputs there calls it again.
  void Ready();
};

/// PAPI 7.0's answer when it is no code.
enum PeerAnswer {
  kPeerSame = 100,
  kPeerCrashes,
  kPeerHangs,    ///< no answer within seconds
  kPeerChanges,  ///< our code, but it leaves something changed, or the set does not work on
  kPeerVaries,   ///< another one, by machine
};

// Why we answer otherwise than PAPI 7.0.
constexpr const char* kNotInitialized = "PAPI does not ask whether it is initialized";
constexpr const char* kNotChecked = "PAPI does not look at this argument or state";
constexpr const char* kManualsCode = "the manual's code, which fits better than PAPI's";
constexpr const char* kAnotherComponent = "PAPI gives the error of a component nobody asked for";
constexpr const char* kHardwareProbe = "PAPI first wants to open a hardware event";
constexpr const char* kLeavesDescriptors = "PAPI leaves descriptors of vendor libraries open";

struct Row {
  State state;
  const char* call;
  int (*run)(Scene&);
  int expected;
  int peer = kPeerSame;
  const char* why = nullptr;  ///< why ours is another answer than PAPI's
};

void PrintTo(const Row& row, std::ostream* out);

/// For rows with a failure expected: runs the row; then nothing has changed, and sets work on.
class BadInput : public ::testing::TestWithParam<Row> {};

std::string RowName(const ::testing::TestParamInfo<Row>& info);

/// PAPI_ENOEVST if `call` answers that for every handle that is none, else another answer.
int ForEachWrongHandle(Scene& scene, int (*call)(Scene& scene, int handle));

/// PAPI_set_opt or PAPI_get_opt with an option that `fill` wrote into.
int SetOption(Scene& scene, int option, void (*fill)(Scene& scene, PAPI_option_t& options));
int GetOption(Scene& scene, int option, void (*fill)(Scene& scene, PAPI_option_t& options));

/// An overflow handler that counts its calls.
void CountOverflow(int set, void* address, long long vector, void* context);

}  // namespace csink::papi_test

// A row: the state without its k, the call, our code. BAD_PEER: and PAPI's, and why ours is
// another.
#define BAD(state, call, code)                    \
  ::csink::papi_test::Row {                       \
    ::csink::papi_test::State::k##state, #call,   \
        [](::csink::papi_test::Scene& s) -> int { \
          (void)s;                                \
          return call;                            \
        },                                        \
        code                                      \
  }
#define BAD_PEER(state, call, code, peer, why)    \
  ::csink::papi_test::Row {                       \
    ::csink::papi_test::State::k##state, #call,   \
        [](::csink::papi_test::Scene& s) -> int { \
          (void)s;                                \
          return call;                            \
        },                                        \
        code, peer, why                           \
  }
