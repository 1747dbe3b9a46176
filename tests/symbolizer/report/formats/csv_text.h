#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

/// File: reads comma-separated values.

namespace csink::testing {

/// A reader by RFC 4180.
inline std::vector<std::vector<std::string>> CsvFields(const std::string& text) {
  std::vector<std::vector<std::string>> rows(1, {""});
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      rows.back().back() += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && c == ',') {
      rows.back().emplace_back();
    } else if (!quoted && c == '\r') {
      EXPECT_EQ(text.substr(i, 2), "\r\n");
      ++i;
      rows.push_back({""});
    } else {
      rows.back().back() += c;
    }
  }
  EXPECT_FALSE(quoted);
  EXPECT_EQ(rows.back(), std::vector<std::string>{""}) << "ends in a line end";
  rows.pop_back();
  return rows;
}

}  // namespace csink::testing
