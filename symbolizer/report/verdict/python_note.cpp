#include "symbolizer/report/verdict/python_note.h"

#include "symbolizer/report/wording/numbers.h"

namespace csink::report {
namespace {

std::string VersionText(std::uint32_t version) {
  return std::to_string(version >> 24) + "." + std::to_string((version >> 16) & 0xff);
}

}  // namespace

std::string PythonNote(const Profile& profile) {
  const PythonSums& python = profile.python;
  const std::uint64_t all = python.named + python.nameless + python.cut + python.outside;
  if (all == 0) return "";
  std::string versions;
  for (const std::uint32_t version : python.versions) {
    versions += (versions.empty() ? " " : ", ") + VersionText(version);
  }
  const auto part = [&](std::uint64_t samples) {
    return Percent(static_cast<double>(samples) / static_cast<double>(all));
  };
  std::string text =
      "Python" + versions + ": " + part(python.named) + " of the samples have a Python function";
  if (python.nameless != 0) text += "; none was found for " + part(python.nameless);
  if (python.cut != 0) {
    text += "; " + part(python.cut) + " have a stack that could not be followed";
  }
  if (python.outside != 0) {
    text += "; " + part(python.outside) + " have a stack without the interpreter";
  }
  return text + ". The time of a call or a return may count for either function";
}

}  // namespace csink::report
