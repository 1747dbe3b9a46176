#include "agent/threads/libunwind_walker.h"
#include "agent/threads/stack_switch.h"

/// File: the questions of libagent-unwind.so and their answers. Memory of the stack is answered
/// from the sample's copy; code and tables are read through CodeFacts, which never faults.

namespace csink::agent {
namespace {

alignas(64) unsigned char g_walk_stack[64 * 1024];

// More than the tables of any image, and less than the gap that the kernel leaves below the main
// thread's stack.
constexpr std::uint64_t kMostTableBytes = 64u << 20;

// The `asker` of a CsinkUnwindRequest.
struct Asker {
  const StackSample* sample;
  CodeFacts* facts;
  Callers* out;
  // What was asked last without an answer; kUnknown: nothing since the last frame.
  spool::ChainEnd missing;
  // The code of the last frame, and where that code and its tables lie.
  std::uint64_t code;
  std::uint64_t image_start;
  std::uint64_t image_end;
};

// CsinkUnwindRequest::read.
int Read(void* arg, uint64_t address, uint64_t* word) {
  auto* asker = static_cast<Asker*>(arg);
  if (asker->sample->Word(address, *word)) return 1;
  // Only tables are read now. A stack has changed since the sample, at any distance from the stack
  // pointer, and a thread's stack may lie directly below the libraries.
  const bool in_image = address >= asker->image_start && address < asker->image_end;
  if (in_image && asker->facts->ReadCode(address, *word)) return 1;
  asker->missing = WhyNotCopied(*asker->sample, address);
  return 0;
}

// CsinkUnwindRequest::find: the mapping of `pc` and the tables of its image.
int FindTables(void* arg, uint64_t pc, CsinkUnwindTables* tables) {
  auto* asker = static_cast<Asker*>(arg);
  RegionIndex::Located region;
  ImageFrames::Tables found;
  if (!asker->facts->Tables(pc, region, found)) {
    asker->missing = spool::ChainEnd::kNoRows;
    asker->code = pc;
    return 0;
  }
  // The table lies in one image with the code, and the descriptions behind the table.
  const std::uint64_t begin = region.start - region.file_offset;
  asker->image_start = begin < found.header ? begin : found.header;
  asker->image_end = (region.end > found.header ? region.end : found.header) + kMostTableBytes;
  *tables = {region.start, region.end, found.header, found.table, found.entries};
  return 1;
}

// CsinkUnwindRequest::take. Ends the walk at the depth limit and at a known root.
int Take(void* arg, uint64_t address, int interrupted) {
  auto* asker = static_cast<Asker*>(arg);
  asker->missing = spool::ChainEnd::kUnknown;
  asker->code = address;
  if (!asker->out->Add(address, interrupted != 0)) return 0;
  return interrupted || !asker->facts->IsRoot(address);
}

}  // namespace

void LibunwindWalker::WalkHere() noexcept {
  Asker asker = {sample_, facts_, out_, spool::ChainEnd::kUnknown, sample_->pc, 0, 0};
  const CsinkUnwindRequest request = {&asker, sample_->registers, kStackRegisters,
                                      Read,   FindTables,         Take};
  const bool complete = walk_(&request) != 0;
  // Take ended the walk: at the limit, or at a root, which is the last caller.
  if (out_->end == spool::ChainEnd::kDepth) return;
  if (out_->count > 0 && facts_->IsRoot(out_->pc[out_->count - 1])) return;
  if (complete) return out_->EndAt(spool::ChainEnd::kOutermost, asker.code);
  const bool known = asker.missing != spool::ChainEnd::kUnknown;
  out_->EndAt(known ? asker.missing : spool::ChainEnd::kRule, asker.code);
}

bool LibunwindWalker::OnWalkStack() noexcept {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return here - reinterpret_cast<std::uintptr_t>(g_walk_stack) < sizeof g_walk_stack;
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
