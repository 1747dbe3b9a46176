#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "symbolizer/report/html/page.h"
#include "tests/symbolizer/report/formats/written.h"

/// File: pages as text, and their data.

namespace csink::testing {

inline std::string WrittenPage(const report::Report& report,
                               const std::vector<annotate::Annotation>& annotations = {}) {
  std::string text;
  report::Sink sink([&](std::string_view bytes) -> Result<void> {
    text += bytes;
    return {};
  });
  const auto written = report::WritePage(report, annotations, sink);
  EXPECT_TRUE(written) << written.error().what;
  return text;
}

/// The text between two marks; the first mark must be there.
inline std::string Between(const std::string& text, const std::string& from,
                           const std::string& to) {
  const std::size_t begin = text.find(from);
  EXPECT_NE(begin, text.npos) << from;
  if (begin == text.npos) return "";
  const std::size_t end = text.find(to, begin + from.size());
  return text.substr(begin + from.size(), end - begin - from.size());
}

/// The block of data, as a browser finds it: it ends at the first end of a script element.
inline std::string DataOf(const std::string& page) {
  return Between(page, "id=\"csink-data\">", "</script>");
}

/// The profile in the block of data.
inline nlohmann::json ProfileOf(const std::string& page) {
  const auto data = nlohmann::json::parse(DataOf(page));
  EXPECT_EQ(data["format"], "csink-page");
  return data["profiles"][0];
}

}  // namespace csink::testing
