#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <string>

/// A file with a text for the time of a test; a variable may name it.
class TextFile {
 public:
  explicit TextFile(const std::string& text, const char* variable = nullptr) : variable_(variable) {
    char name[] = "/tmp/apapi_test.XXXXXX";
    close(mkstemp(name));
    path_ = name;
    std::ofstream(path_, std::ios::binary) << text;
    if (variable_) setenv(variable_, name, 1);
  }
  ~TextFile() {
    unlink(path_.c_str());
    if (variable_) unsetenv(variable_);
  }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  const char* variable_;
};

/// A variable of the environment for the time of a test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};
