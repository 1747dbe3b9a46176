#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace csink::testing {

/// Compares with tests/golden/NAME; CSINK_UPDATE_GOLDEN=1 writes it anew (look at the diff).
inline void ExpectGolden(const std::string& name, const std::string& actual) {
  const std::string path = std::string(CSINK_GOLDEN_DIR) + "/" + name;
  if (std::getenv("CSINK_UPDATE_GOLDEN")) {
    std::ofstream(path) << actual;
    return;
  }
  std::ifstream file(path);
  ASSERT_TRUE(file) << path;
  std::stringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(actual, expected.str());
}

}  // namespace csink::testing
