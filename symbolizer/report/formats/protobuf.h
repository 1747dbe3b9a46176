#pragma once

#include <cstdint>
#include <protozero/pbf_writer.hpp>

/// File: what the writers of pprof and OTLP add to protozero, which encodes protocol buffers.

namespace csink::report {

/// Writes a varint field unless its value is 0, which readers use for missing fields.
inline void AddNumber(protozero::pbf_writer& message, std::uint32_t field, std::uint64_t value) {
  if (value != 0) message.add_uint64(field, value);
}

}  // namespace csink::report
