#pragma once

#include <memory>
#include <string_view>

#include "core/util/result.h"
#include "symbolizer/report/formats/parts/sink.h"

/// File: compression for pprof files. zlib is used, because its output is what readers of gzip
/// expect (docs/design/symbolizer.md).

namespace csink::report {

/// Compresses bytes in gzip format (RFC 1952) and writes them to a sink, which must outlive it.
/// Owns:    zlib's state and an output buffer of 64 KiB.
/// Threads: one at a time.
class Gzip {
 public:
  /// Begins a stream. An error is reported by Finish.
  explicit Gzip(Sink& sink);
  ~Gzip();
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  /// Compresses `bytes`. Errors are kept for Finish.
  void Write(std::string_view bytes);
  /// Writes the end of the stream; nothing may be written afterwards. Errors: kSystem (zlib
  /// failed). Errors of the sink are reported by the sink.
  Result<void> Finish();

 private:
  /// zlib's structures, which only gzip.cpp includes.
  struct Stream;
  /// Compresses a piece of at most 4 GiB with zlib's flush mode.
  void Run(std::string_view bytes, int flush);
  Sink& sink_;
  std::unique_ptr<Stream> stream_;
  /// False after the first error: the rest is ignored.
  bool is_good_ = false;
};

}  // namespace csink::report
