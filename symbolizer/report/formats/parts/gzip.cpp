#include "symbolizer/report/formats/parts/gzip.h"

#include <zlib.h>

#include <array>
#include <limits>

namespace csink::report {
namespace {

constexpr int kWithGzipHeader = 15 + 16;  // zlib.h: largest window; 16 asks for gzip
constexpr int kMemory = 8;                // zlib.h: the default

}  // namespace

struct Gzip::Stream {
  z_stream z = {};
  std::array<char, 1 << 16> out;
};

Gzip::Gzip(Sink& sink) : sink_(sink), stream_(std::make_unique<Stream>()) {
  is_good_ = deflateInit2(&stream_->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kWithGzipHeader, kMemory,
                          Z_DEFAULT_STRATEGY) == Z_OK;
}

Gzip::~Gzip() { deflateEnd(&stream_->z); }

void Gzip::Write(std::string_view bytes) {
  // zlib counts a piece in 32 bits.
  constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
  for (; bytes.size() > kMost; bytes.remove_prefix(kMost)) Run(bytes.substr(0, kMost), Z_NO_FLUSH);
  if (!bytes.empty()) Run(bytes, Z_NO_FLUSH);
}

void Gzip::Run(std::string_view bytes, int flush) {
  if (!is_good_) return;
  z_stream& z = stream_->z;
  // zlib does not write to it
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  int result = Z_OK;
  do {
    z.next_out = reinterpret_cast<Bytef*>(stream_->out.data());
    z.avail_out = static_cast<uInt>(stream_->out.size());
    result = deflate(&z, flush);
    sink_ << std::string_view(stream_->out.data(), stream_->out.size() - z.avail_out);
    // A full output buffer means that there may be more output.
  } while (result == Z_OK && z.avail_out == 0);
  // Z_BUF_ERROR only says that there was nothing to do: the output ended exactly at the end of the
  // buffer.
  is_good_ = flush == Z_FINISH ? result == Z_STREAM_END : result == Z_OK || result == Z_BUF_ERROR;
}

Result<void> Gzip::Finish() {
  Run({}, Z_FINISH);
  if (!is_good_) return Error{Errc::kSystem, 0, "zlib cannot compress it"};
  return {};
}

}  // namespace csink::report
