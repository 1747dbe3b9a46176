#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "tests/fakes/recorded_tree.h"

namespace csink::testing {

/// While it lives, one file of a tree is its owner's alone and the caller is not the owner: root
/// becomes nobody, another user takes the permission from himself.
class AsNobody {
 public:
  AsNobody(const RecordedTree& tree, const std::string& file) {
    const SystemTree names = tree.tree();
    EXPECT_EQ(chmod(names.PathOf("").c_str(), 0755), 0);
    EXPECT_EQ(chmod(names.PathOf(file).c_str(), was_root_ ? 0400 : 0), 0);
    constexpr uid_t kNobody = 65534;
    if (!was_root_) return;
    EXPECT_EQ(seteuid(kNobody), 0);
  }
  ~AsNobody() {
    if (!was_root_) return;
    EXPECT_EQ(seteuid(0), 0);
  }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;

 private:
  const bool was_root_ = geteuid() == 0;
};

}  // namespace csink::testing
