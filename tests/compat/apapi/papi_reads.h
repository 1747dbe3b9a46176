#pragma once

#include <functional>

/// csink_papi_read_each as libapapi sees it in this test program, whose PAPI_get_opt comes first: a
/// script in place of libpapi's. Threads: any.
using PapiRead = std::function<int(int event_set, long long* values)>;
using PapiReadEach = std::function<int(int event_set, long long* values, int* codes)>;

/// Answers all reads from now on; {} gives them back to libpapi. With AnswerReads all events of a
/// set have the result of the read.
void AnswerReads(PapiRead answer);
void AnswerEach(PapiReadEach answer);

/// While it exists, PAPI_add_named_event refuses the event after the first `count` ones of a set
/// that is not multiplexed, as if the machine had `count` counters, and each event of a multiplexed
/// set was counted for the part `share` of the time.
struct Counters {
  Counters(int count, double share);
  ~Counters();
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;
};

/// A read that does not come back until Release.
class HangingRead {
 public:
  HangingRead();
  ~HangingRead();  ///< Releases, and waits until the read is back
  HangingRead(const HangingRead&) = delete;
  HangingRead& operator=(const HangingRead&) = delete;

  /// Waits until somebody reads.
  void WaitForReader();
  void Release();
};
