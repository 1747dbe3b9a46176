#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "agent/settings/config.h"
#include "tests/fakes/captured_stderr.h"

namespace csink::agent::testing {

/// NULL-terminated, as the C library has it.
class FakeEnvironment {
 public:
  explicit FakeEnvironment(std::vector<std::string> variables) : variables_(std::move(variables)) {
    for (std::string& variable : variables_) pointers_.push_back(variable.data());
    pointers_.push_back(nullptr);
  }
  char* const* data() { return pointers_.data(); }
  /// Programs overwrite their environment to set their title.
  void Overwrite() {
    for (std::string& variable : variables_) variable.assign(variable.size(), '#');
  }

 private:
  std::vector<std::string> variables_;
  std::vector<char*> pointers_;
};

class ConfigTest : public ::testing::Test {
 protected:
  void SetUp() override { SetLogLevel(LogLevel::kWarn); }
  void TearDown() override { SetLogLevel(LogLevel::kWarn); }

  /// Reads these variables; the warnings, one a line.
  std::vector<std::string> Read(std::vector<std::string> variables) {
    FakeEnvironment environment(std::move(variables));
    config_ = std::make_unique<Config>();
    csink::testing::CapturedStderr captured;
    ReadConfig(environment.data(), *config_);
    environment.Overwrite();
    return captured.lines();
  }
  Config& config() const { return *config_; }

 private:
  std::unique_ptr<Config> config_;
};

}  // namespace csink::agent::testing
