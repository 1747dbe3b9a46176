#pragma once

#include <memory>
#include <string_view>

#include "core/util/result.h"
#include "symbolizer/report/formats/sink.h"

namespace csink::report {

/// Compresses bytes in gzip format (RFC 1952) and writes them to a sink, which must outlive it.
class Gzip {
 public:
  explicit Gzip(Sink& sink);
  ~Gzip();
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  void Write(std::string_view bytes);
  /// Writes the end of the stream. Errors: kSystem (zlib failed).
  Result<void> Finish();

 private:
  struct Stream;
  void Run(std::string_view bytes, int flush);
  Sink& sink_;
  std::unique_ptr<Stream> stream_;
  bool is_good_ = false;
};

}  // namespace csink::report
