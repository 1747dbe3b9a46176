#pragma once

#include <memory>
#include <string_view>

#include "core/util/result.h"
#include "symbolizer/report/formats/sink.h"

namespace csink::report {

/// Compresses what is written to it (RFC 1952) into a sink.
class Gzip {
 public:
  explicit Gzip(Sink& sink);
  ~Gzip();
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  void Write(std::string_view bytes);
  /// Errors: kSystem, zlib fails.
  Result<void> Finish();

 private:
  struct Stream;
  void Run(std::string_view bytes, int flush);
  Sink& sink_;
  std::unique_ptr<Stream> stream_;
  bool is_good_ = false;
};

}  // namespace csink::report
