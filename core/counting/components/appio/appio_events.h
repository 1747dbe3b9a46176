#pragma once

#include <cstdint>

#include "core/counting/components/appio/appio_counts.h"

/// File: the events of the component appio, with PAPI 7's names in PAPI's order (appio of
/// PAPI 7.3).

namespace csink::appio {

/// How an event's value comes from a thread's numbers.
enum class Kind : std::uint8_t {
  kGrowth,        ///< What the number grew by since the start
  kMicroseconds,  ///< The same of a time in ns, in us
  kMean,          ///< Growth of `place` divided by that of `of`; 0: that did not grow
  kOpen,          ///< Growth of a number that also falls; below 0 it is 0
};

struct Event {
  const char* name;
  const char* description;
  Kind kind;
  Place place;
  Place of;  ///< Of kMean
};

inline constexpr Event kEvents[] = {
    {"READ_BYTES", "Bytes read", Kind::kGrowth, kReadBytes, kPlaces},
    {"READ_CALLS", "Calls of read and fread", Kind::kGrowth, kReadCalls, kPlaces},
    {"READ_ERR", "Reads that failed", Kind::kGrowth, kReadErrors, kPlaces},
    {"READ_INTERRUPTED", "Reads that a signal interrupted", Kind::kGrowth, kReadInterrupted,
     kPlaces},
    {"READ_WOULD_BLOCK", "Reads that had nothing to read when they began", Kind::kGrowth,
     kReadWouldBlock, kPlaces},
    {"READ_SHORT", "Reads of fewer bytes than asked for", Kind::kGrowth, kReadShort, kPlaces},
    {"READ_EOF", "Reads at the end of a file", Kind::kGrowth, kReadEof, kPlaces},
    {"READ_BLOCK_SIZE", "Mean of the bytes that reads asked for", Kind::kMean, kReadAsked,
     kReadGood},
    {"READ_USEC", "Time in reads", Kind::kMicroseconds, kReadNs, kPlaces},
    {"WRITE_BYTES", "Bytes written", Kind::kGrowth, kWriteBytes, kPlaces},
    {"WRITE_CALLS", "Calls of write and fwrite", Kind::kGrowth, kWriteCalls, kPlaces},
    {"WRITE_ERR", "Writes that failed", Kind::kGrowth, kWriteErrors, kPlaces},
    {"WRITE_SHORT", "Writes of fewer bytes than asked for", Kind::kGrowth, kWriteShort, kPlaces},
    {"WRITE_INTERRUPTED", "Writes that a signal interrupted", Kind::kGrowth, kWriteInterrupted,
     kPlaces},
    {"WRITE_WOULD_BLOCK", "Writes that had no room when they began", Kind::kGrowth,
     kWriteWouldBlock, kPlaces},
    {"WRITE_BLOCK_SIZE", "Mean of the bytes that writes were given", Kind::kMean, kWriteAsked,
     kWriteGood},
    {"WRITE_USEC", "Time in writes", Kind::kMicroseconds, kWriteNs, kPlaces},
    {"OPEN_CALLS", "Calls of open", Kind::kGrowth, kOpenCalls, kPlaces},
    {"OPEN_ERR", "Opens that failed", Kind::kGrowth, kOpenErrors, kPlaces},
    {"OPEN_FDS", "Descriptors that the thread has opened since the start and not closed",
     Kind::kOpen, kOpenDescriptors, kPlaces},
    {"SELECT_USEC", "Time in select", Kind::kMicroseconds, kSelectNs, kPlaces},
    {"RECV_BYTES", "Bytes received by recv", Kind::kGrowth, kReceiveBytes, kPlaces},
    {"RECV_CALLS", "Calls of recv", Kind::kGrowth, kReceiveCalls, kPlaces},
    {"RECV_ERR", "Calls of recv that failed", Kind::kGrowth, kReceiveErrors, kPlaces},
    {"RECV_INTERRUPTED", "Calls of recv that a signal interrupted", Kind::kGrowth,
     kReceiveInterrupted, kPlaces},
    {"RECV_WOULD_BLOCK", "Calls of recv that had nothing to receive when they began", Kind::kGrowth,
     kReceiveWouldBlock, kPlaces},
    {"RECV_SHORT", "Calls of recv that got fewer bytes than asked for", Kind::kGrowth,
     kReceiveShort, kPlaces},
    {"RECV_EOF", "Calls of recv after the peer's end", Kind::kGrowth, kReceiveEof, kPlaces},
    {"RECV_BLOCK_SIZE", "Mean of the bytes that recv asked for", Kind::kMean, kReceiveAsked,
     kReceiveGood},
    {"RECV_USEC", "Time in recv", Kind::kMicroseconds, kReceiveNs, kPlaces},
    {"SOCK_READ_BYTES", "Bytes read from sockets by read", Kind::kGrowth, kSocketReadBytes,
     kPlaces},
    {"SOCK_READ_CALLS", "Reads of sockets", Kind::kGrowth, kSocketReadCalls, kPlaces},
    {"SOCK_READ_ERR", "Reads of sockets that failed", Kind::kGrowth, kSocketReadErrors, kPlaces},
    {"SOCK_READ_SHORT", "Reads of sockets of fewer bytes than asked for", Kind::kGrowth,
     kSocketReadShort, kPlaces},
    {"SOCK_READ_WOULD_BLOCK", "Reads of sockets that had nothing to read when they began",
     Kind::kGrowth, kSocketReadWouldBlock, kPlaces},
    {"SOCK_READ_USEC", "Time in reads of sockets", Kind::kMicroseconds, kSocketReadNs, kPlaces},
    {"SOCK_WRITE_BYTES", "Bytes written to sockets by write", Kind::kGrowth, kSocketWriteBytes,
     kPlaces},
    {"SOCK_WRITE_CALLS", "Writes to sockets", Kind::kGrowth, kSocketWriteCalls, kPlaces},
    {"SOCK_WRITE_ERR", "Writes to sockets that failed", Kind::kGrowth, kSocketWriteErrors, kPlaces},
    {"SOCK_WRITE_SHORT", "Writes to sockets of fewer bytes than asked for", Kind::kGrowth,
     kSocketWriteShort, kPlaces},
    {"SOCK_WRITE_WOULD_BLOCK", "Writes to sockets that had no room when they began", Kind::kGrowth,
     kSocketWriteWouldBlock, kPlaces},
    {"SOCK_WRITE_USEC", "Time in writes to sockets", Kind::kMicroseconds, kSocketWriteNs, kPlaces},
    {"SEEK_CALLS", "Calls of lseek", Kind::kGrowth, kSeekCalls, kPlaces},
    {"SEEK_ABS_STRIDE_SIZE", "Mean of the absolute offsets that lseek was given", Kind::kMean,
     kSeekBytes, kSeekCalls},
    {"SEEK_USEC", "Time in lseek", Kind::kMicroseconds, kSeekNs, kPlaces},
};
inline constexpr int kEventCount = sizeof(kEvents) / sizeof(kEvents[0]);
static_assert(kEventCount == 45);

}  // namespace csink::appio
