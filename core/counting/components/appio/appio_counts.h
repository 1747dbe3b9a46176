#pragma once

/// File: what libcsink_appio.so counts for the component appio: an array of numbers for each
/// thread, and the functions by which it is found (dlsym). Both sides are of one build.

namespace csink::appio {

/// The places of a thread's numbers. Times are in ns; "asked" are the bytes that successful calls
/// asked for, "good" those calls.
enum Place : unsigned {
  kReadBytes,
  kReadCalls,
  kReadErrors,
  kReadInterrupted,
  kReadWouldBlock,
  kReadShort,
  kReadEof,
  kReadAsked,
  kReadGood,
  kReadNs,
  kWriteBytes,
  kWriteCalls,
  kWriteErrors,
  kWriteShort,
  kWriteInterrupted,
  kWriteWouldBlock,
  kWriteAsked,
  kWriteGood,
  kWriteNs,
  kOpenCalls,
  kOpenErrors,
  kOpenDescriptors,
  kSelectNs,
  kReceiveBytes,
  kReceiveCalls,
  kReceiveErrors,
  kReceiveInterrupted,
  kReceiveWouldBlock,
  kReceiveShort,
  kReceiveEof,
  kReceiveAsked,
  kReceiveGood,
  kReceiveNs,
  kSocketReadBytes,
  kSocketReadCalls,
  kSocketReadErrors,
  kSocketReadShort,
  kSocketReadWouldBlock,
  kSocketReadNs,
  kSocketWriteBytes,
  kSocketWriteCalls,
  kSocketWriteErrors,
  kSocketWriteShort,
  kSocketWriteWouldBlock,
  kSocketWriteNs,
  kSeekCalls,
  kSeekBytes,
  kSeekNs,
  kPlaces
};

/// csink_appio_counts: the calling thread's numbers, kPlaces of them, which only grow but for
/// kOpenDescriptors. They grow only while at least one set counts. Valid as long as the thread.
using CountsFunction = const long long*() noexcept;
inline constexpr char kCountsName[] = "csink_appio_counts";
/// csink_appio_counting: +1 when a set starts, -1 when it stops.
using CountingFunction = void(int) noexcept;
inline constexpr char kCountingName[] = "csink_appio_counting";

}  // namespace csink::appio
