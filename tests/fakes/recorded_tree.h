#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>

#include "core/counting/system/cpuid.h"
#include "core/counting/system/system_tree.h"

namespace csink::testing {

/// A machine out of a recording: files of /proc and /sys in a temporary folder, and the answers of
/// its cpuid.
class RecordedTree {
 public:
  struct File {
    std::string path;
    std::string text;
  };

  explicit RecordedTree(std::initializer_list<File> files = {}) {
    std::string name = (std::filesystem::temp_directory_path() / "csink-tree-XXXXXX").string();
    if (!mkdtemp(name.data())) ADD_FAILURE() << "no temporary folder " << name;
    root_ = name;
    for (const auto& [path, text] : files) Add(path, text);
  }
  RecordedTree(const RecordedTree&) = delete;
  RecordedTree& operator=(const RecordedTree&) = delete;
  ~RecordedTree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  void Add(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path, std::ios::binary) << text;
  }
  void AddCpuid(std::uint32_t leaf, std::uint32_t subleaf, const CpuidRegisters& registers) {
    leaves_[{leaf, subleaf}] = registers;
  }

  SystemTree tree() const { return SystemTree(root_); }
  CpuidFunction cpuid() const {
    return [this](std::uint32_t leaf, std::uint32_t subleaf) -> std::optional<CpuidRegisters> {
      const auto found = leaves_.find({leaf, subleaf});
      if (found == leaves_.end()) return std::nullopt;
      return found->second;
    };
  }

 private:
  std::string root_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, CpuidRegisters> leaves_;
};

}  // namespace csink::testing
