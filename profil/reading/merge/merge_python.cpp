#include "profil/reading/merge/merge_python.h"

#include <algorithm>

#include "profil/reading/model/saturating.h"

/// File: a sample of Python has two places, of which a report's rows show one: the function, or the
/// machine code.

namespace csink {

std::vector<std::uint32_t> PythonTable::Add(const spool::Spool& spool) {
  std::vector<std::uint32_t> new_index;
  new_index.reserve(spool.python_code.size());
  for (const spool::PythonCode& code : spool.python_code) {
    Key key{std::string(code.name), std::string(code.file), code.first_line,
            std::string(code.lines)};
    const auto [it, is_new] =
        index_.emplace(std::move(key), static_cast<std::uint32_t>(rows_.size()));
    if (is_new) {
      rows_.push_back({std::string(code.name), std::string(code.file), std::string(code.lines),
                       code.first_line, code.units});
    }
    new_index.push_back(it->second);
  }
  for (const spool::PythonStateRecord& state : spool.python_states) {
    sums_.versions.push_back(state.version);
    AddTo(sums_.named, state.named);
    AddTo(sums_.nameless, state.nameless);
    AddTo(sums_.cut, state.cut);
    AddTo(sums_.outside, state.outside);
  }
  return new_index;
}

PythonSums PythonTable::TakeSums() {
  std::sort(sums_.versions.begin(), sums_.versions.end());
  sums_.versions.erase(std::unique(sums_.versions.begin(), sums_.versions.end()),
                       sums_.versions.end());
  return std::move(sums_);
}

SpoolPython::SpoolPython(const spool::Spool& spool, PythonTable& table, ModuleTable& modules,
                         PythonView view)
    : spool_(spool), view_(view), functions_(table.Add(spool)) {
  if (spool.python_code.empty() || view == PythonView::kNative) return;
  Module module;
  module.path = kPythonModule;
  module.is_python = true;
  module_ = modules.IndexOf(std::move(module));
}

CodeAddress SpoolPython::AddressOf(const spool::Chain& chain) const {
  const std::uint32_t code = spool::PythonCodeOf(chain.pc);
  if (code >= functions_.size()) return {};
  return {module_, spool::PythonPc(functions_[code], static_cast<std::uint32_t>(chain.pc))};
}

SpoolPython::Sample SpoolPython::Of(std::uint32_t region, std::uint64_t pc, std::uint32_t chain,
                                    SpoolCode& code) const {
  Sample sample{code.AddressOrUnknown(region, pc), {}, chain, false};
  if (module_ != kNoModule && sample.address.module == module_) {
    // Of a merged file that has only the functions.
    const std::uint32_t function = spool::PythonCodeOf(pc);
    if (function < functions_.size()) {
      sample.address.offset = spool::PythonPc(functions_[function], static_cast<std::uint32_t>(pc));
    }
  }
  if (chain == 0) return sample;
  const spool::Chain& node = spool_.chains[chain - 1];
  if (!LeavesOut(node)) return sample;
  sample.chain = node.parent;
  const CodeAddress function = view_ == PythonView::kFunctions ? AddressOf(node) : CodeAddress{};
  if (function.module == kNoModule) return sample;
  if ((node.flags & spool::kChainInC) != 0) sample.native = sample.address;
  sample.address = function;
  sample.is_python = true;
  // The callers within the interpreter, up to its loop, are the function's own.
  for (std::uint32_t own = node.flags >> spool::kChainCallersShift; own > 0 && sample.chain != 0;
       --own) {
    sample.chain = spool_.chains[sample.chain - 1].parent;
  }
  return sample;
}

}  // namespace csink
