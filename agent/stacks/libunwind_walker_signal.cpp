#include "agent/stacks/libunwind_walker.h"
#include "agent/stacks/stack_switch.h"

/// File: the questions of libagent-unwind.so and their answers. Memory of the stack is answered
/// from the sample's copy; code and tables are read through CodeFacts, which never faults.

namespace csink::agent {
namespace {

alignas(64) unsigned char g_walk_stack[64 * 1024];

// Addresses less than 64 MiB above the stack pointer are the stack, which has changed since the
// sample: what was not copied counts as unknown.
constexpr std::uint64_t kStackReach = 64u << 20;

// The `asker` of a CsinkUnwindRequest.
struct Asker {
  const StackSample* sample;
  CodeFacts* facts;
  Callers* out;
};

// CsinkUnwindRequest::read.
int Read(void* arg, uint64_t address, uint64_t* word) {
  auto* asker = static_cast<Asker*>(arg);
  if (asker->sample->Word(address, *word)) return 1;
  if (address - asker->sample->stack_pointer() < kStackReach) return 0;
  return asker->facts->ReadCode(address, *word);
}

// CsinkUnwindRequest::find: the mapping of `pc` and the tables of its image.
int FindTables(void* arg, uint64_t pc, CsinkUnwindTables* tables) {
  auto* asker = static_cast<Asker*>(arg);
  RegionIndex::Located region;
  ImageFrames::Tables found;
  if (!asker->facts->Tables(pc, region, found)) return 0;
  *tables = {region.start, region.end, found.header, found.table, found.entries};
  return 1;
}

// CsinkUnwindRequest::take. Ends the walk at the depth limit and at a known root.
int Take(void* arg, uint64_t address, int interrupted) {
  auto* asker = static_cast<Asker*>(arg);
  asker->out->Add(address, interrupted != 0);
  if (asker->out->deep) return 0;
  return interrupted || !asker->facts->IsRoot(address);
}

}  // namespace

void LibunwindWalker::WalkHere() noexcept {
  Asker asker = {sample_, facts_, out_};
  const CsinkUnwindRequest request = {&asker, sample_->registers, kStackRegisters,
                                      Read,   FindTables,         Take};
  out_->complete = walk_(&request) != 0;
}

bool LibunwindWalker::Walk(const StackSample& sample, CodeFacts& facts, Callers& out) noexcept {
  if (!walk_ || !sample.has_registers) return false;
  // Passed by members, because RunOnStack passes one pointer.
  sample_ = &sample;
  facts_ = &facts;
  out_ = &out;
  out.Clear();
  // Set around the walk, so that a forked child can tell whether libunwind was interrupted.
  inside_ = true;
  RunOnStack([](void* self) { static_cast<LibunwindWalker*>(self)->WalkHere(); }, this,
             g_walk_stack + sizeof g_walk_stack);
  inside_ = false;
  return true;
}

}  // namespace csink::agent
