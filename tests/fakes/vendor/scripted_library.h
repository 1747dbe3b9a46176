#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace csink::testing {

/// One of the fake vendor libraries, opened in the test's own process and told what to answer. Its
/// soname being the real one, sources find it by that name from then on.
class ScriptedLibrary {
 public:
  explicit ScriptedLibrary(const char* path) {
    void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library)
      script_ = reinterpret_cast<void (*)(const char*)>(dlsym(library, "csink_fake_script"));
    if (!script_) ADD_FAILURE() << path << " is no fake library";
  }
  /// The statements of tests/fakes/vendor/fake_script.h; answers begin anew.
  void Say(const char* statements) const {
    if (script_) script_(statements);
  }

 private:
  void (*script_)(const char*) = nullptr;
};

}  // namespace csink::testing
