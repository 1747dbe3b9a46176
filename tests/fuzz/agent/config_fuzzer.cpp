#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "agent/settings/config_lines.h"
#include "agent/start/batch_job.h"

namespace {

using namespace csink;
using namespace csink::agent;

void Require(bool holds) {
  if (!holds) std::abort();
}

std::unique_ptr<Config> Read(std::vector<std::string> variables) {
  std::vector<char*> environment;
  for (std::string& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  auto config = std::make_unique<Config>();
  SetLogLevel(LogLevel::kError);
  (void)IsEnabled(environment.data());
  ReadConfig(environment.data(), *config);
  SettleOutputPath(*config, "/start", environment.data());
  SettleSpoolDir(*config, "/start");
  BatchJob job;
  ReadBatchJob(environment.data(), job);
  return config;
}

std::string Lines(const Config& config) {
  auto lines = std::make_unique<ConfigLines>();
  EventList events;
  WriteConfig(config, events, "ring", /*with_levels=*/true, *lines);
  return std::string(lines->view());
}

// What a shell makes of the lines.
std::vector<std::string> Sourced(const std::string& lines) {
  std::vector<std::string> variables;
  for (std::size_t at = 0; at < lines.size();) {
    std::string variable;
    while (lines[at] != '=') variable += lines[at++];
    variable += lines[at++];
    while (lines[at] != '\n') {
      Require(lines[at] == '\'');
      for (++at; lines[at] != '\''; ++at) variable += lines[at];
      if (lines[++at] == '\\') {
        variable += '\'';
        at += 2;
      }
    }
    ++at;
    // Not of a user's: without events the list is empty.
    if (variable.rfind("CSINK_EVENTS=", 0) != 0) variables.push_back(variable);
  }
  return variables;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Variables end at a NUL. The first is CSINK_OPTIONS, the others "TOP=7" and the like.
  std::vector<std::string> variables;
  std::string text = "CSINK_OPTIONS=";
  for (std::size_t i = 0; i <= size; ++i) {
    if (i < size && data[i] != 0) {
      text += static_cast<char>(data[i]);
      continue;
    }
    variables.push_back(text);
    text = "CSINK_";
  }
  variables.push_back("CSINK_LOG=error");  // the complaints are not looked at
  const auto config = Read(variables);
  const std::string lines = Lines(*config);
  // What was written down, read again, is the same.
  std::vector<std::string> again = Sourced(lines);
  again.push_back("CSINK_TREE=" + std::to_string(config->tree));
  const std::string second = Lines(*Read(again));
  Require(second == lines);
  return 0;
}
