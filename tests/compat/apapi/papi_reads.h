#pragma once

#include <functional>

/// PAPI_read as libapapi sees it in this test program, whose own comes first: a script in place of
/// libpapi's. Threads: any.
using PapiRead = std::function<int(int event_set, long long* values)>;

/// Answers all reads from now on; {} gives them back to libpapi.
void AnswerReads(PapiRead answer);

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
