#include <cmath>
#include <map>
#include <set>

#include "symbolizer/report/causes/rules.h"
#include "symbolizer/report/wording/numbers.h"
#include "symbolizer/report/wording/shorten.h"

/// File: facts around a run that differ, and libraries.

namespace csink::report {
namespace {

/// The machine's speed is said from this difference on.
constexpr double kLeastDrift = 0.02;
/// Variables that say nothing of the program: where it was started, and what csink sets.
constexpr const char* kIgnored[] = {
    "env:_", "env:PWD", "env:OLDPWD", "env:SHLVL", "env:LD_PRELOAD", "env:LD_LIBRARY_PATH",
    "load",  "key"};

bool IsIgnored(const std::string& name) {
  for (const char* ignored : kIgnored) {
    if (name == ignored) return true;
  }
  return name.starts_with("input:");
}

std::string Shown(const std::string& value) {
  if (value.empty()) return "not set";
  return value.starts_with('#') ? "another value" : value;
}

/// "memmove" and "avx_unaligned_erms" of "__memmove_avx_unaligned_erms".
std::pair<std::string, std::string> VariantOf(std::string_view function) {
  while (function.starts_with('_')) function.remove_prefix(1);
  constexpr std::string_view kFamilies[] = {"mem", "str", "wcs", "wmem", "stp"};
  constexpr std::string_view kMarks[] = {"_avx", "_sse", "_evex", "_erms", "_ssse"};
  for (const std::string_view family : kFamilies) {
    if (!function.starts_with(family)) continue;
    for (const std::string_view mark : kMarks) {
      const std::size_t at = function.find(mark);
      if (at == std::string_view::npos || at == 0) continue;
      const std::string_view role = function.substr(0, at);
      const bool is_plain =
          role.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == std::string_view::npos;
      if (is_plain) return {std::string(role), std::string(function.substr(at + 1))};
    }
  }
  return {};
}

std::string Joined(const std::set<std::string>& parts, const std::string& role) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + role + "_" + part;
  return text;
}

}  // namespace

void AddSurroundings(const ChangeEvidence& evidence, Causes& causes) {
  const auto add = [&](ChangeCauseKind kind, std::string fact) {
    ChangeCause cause;
    cause.kind = kind;
    cause.fact = std::move(fact);
    Add(std::move(cause), causes);
  };
  if (const auto drift = evidence.drift(); drift && std::fabs(*drift - 1) > kLeastDrift) {
    add(ChangeCauseKind::kMachine,
        "functions with the same code ran " + FixedText(std::fabs(*drift - 1) * 100, 0) + " % " +
            (*drift > 1 ? "slower" : "faster") + " in {B}: the machine, or what they share of it");
  }
  const auto& sides = evidence.sides();
  const auto& was = sides.then[0].details.facts.surroundings;
  const auto& now = sides.now[0].details.facts.surroundings;
  const auto key = evidence.Surroundings("key");
  std::set<std::string> names;
  for (const auto& [name, value] : was) names.insert(name);
  for (const auto& [name, value] : now) names.insert(name);
  if (was.empty() || now.empty()) names.clear();
  std::string variables;
  for (const std::string& name : names) {
    const auto [a, b] = evidence.Surroundings(name);
    // Hashes of two machines cannot be compared.
    const bool is_hash = a.starts_with('#') && b.starts_with('#');
    if (a == b || IsIgnored(name) || (is_hash && key.first != key.second)) continue;
    if (!name.starts_with("env:")) {
      add(ChangeCauseKind::kSurroundings,
          name + ": " + Shown(a) + " in {A}, " + Shown(b) + " in {B}");
      continue;
    }
    const std::string variable = name.substr(4);
    if (is_hash) {
      variables += (variables.empty() ? "" : ", ") + variable;
    } else {
      add(ChangeCauseKind::kSurroundings,
          "environment: " + variable + " is " + Shown(a) + " in {A}, " + Shown(b) + " in {B}");
    }
  }
  if (!variables.empty()) {
    add(ChangeCauseKind::kSurroundings, "environment: other values of " + variables);
  }
  const std::string a = ArgumentsOf(sides.then[0].command);
  const std::string b = ArgumentsOf(sides.now[0].command);
  if (a != b) {
    add(ChangeCauseKind::kSurroundings, "arguments: " + (a.empty() ? "none" : KeepHead(a, 100)) +
                                            " in {A}, " + (b.empty() ? "none" : KeepHead(b, 100)) +
                                            " in {B}");
  }
}

void AddLibraries(const ChangeEvidence& evidence, Causes& causes) {
  // By the name in B.
  struct Module {
    std::string was;
    double added = 0;
  };
  std::map<std::string, Module> modules;
  struct Role {
    std::set<std::string> was, now;
    double added = 0;
  };
  std::map<std::string, Role> roles;
  for (const ChangeEvidence::Function& function : evidence.functions()) {
    if (!function.module.empty() && function.module.front() != '[') {
      Module& module = modules[function.module];
      if (!function.was_module.empty()) module.was = function.was_module;
      module.added += function.seconds.Added();
    }
    const auto [role, variant] = VariantOf(function.name);
    if (role.empty() || !function.module.starts_with("libc.so")) continue;
    constexpr double kLeast = 0.01;  // Seconds of a run
    if (function.seconds.was_mean > kLeast) roles[role].was.insert(variant);
    if (function.seconds.now_mean > kLeast) roles[role].now.insert(variant);
    if (std::max(function.seconds.was_mean, function.seconds.now_mean) > kLeast) {
      roles[role].added += function.seconds.Added();
    }
  }
  for (const auto& [name, module] : modules) {
    const std::string was = module.was.empty() ? name : module.was;
    if (evidence.IsProgram(name, DiffSide::kNow)) continue;
    const std::string a = evidence.BuildOf(was, DiffSide::kThen);
    const std::string b = evidence.BuildOf(name, DiffSide::kNow);
    if (a.empty() || b.empty() || a == b) continue;
    const double share = evidence.ShareOf(module.added);
    ChangeCause cause;
    cause.kind = ChangeCauseKind::kLibrary;
    cause.grade = GradeOf(share, true);
    if (evidence.is_slower()) cause.share = share;
    cause.module = name;
    cause.fact = name + " is another build (build-id " + a.substr(0, 8) + " in {A}, " +
                 b.substr(0, 8) + " in {B})";
    Add(std::move(cause), causes);
  }
  for (const auto& [name, role] : roles) {
    if (role.was.empty() || role.now.empty()) continue;
    bool is_common = false;
    for (const std::string& variant : role.was) is_common = is_common || role.now.contains(variant);
    if (is_common) continue;
    const double share = evidence.ShareOf(role.added);
    const auto [a, b] = evidence.Surroundings("env:GLIBC_TUNABLES");
    ChangeCause cause;
    cause.kind = ChangeCauseKind::kLibcVariant;
    cause.grade = GradeOf(share, true);
    if (evidence.is_slower()) cause.share = share;
    cause.module = "libc.so.6";
    cause.fact = "the C library ran " + Joined(role.was, name) + " in {A}, " +
                 Joined(role.now, name) + " in {B}" + (a != b ? "; GLIBC_TUNABLES differs" : "");
    Add(std::move(cause), causes);
  }
}

}  // namespace csink::report
