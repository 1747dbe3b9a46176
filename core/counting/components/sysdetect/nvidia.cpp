#include <functional>
#include <memory>
#include <utility>

#include "core/counting/components/sysdetect/devices.h"
#include "core/counting/components/vendor/bounded_source.h"
#include "core/counting/components/vendor/nvml_library.h"

// File: NVML lists the GPUs with names and UUIDs; CUDA's driver adds the numbers that only it
// knows. Each library is asked on a thread of its own with a deadline (bounded_source.h). The
// threads write into objects that they share with this code, and that they keep alive: a library
// that comes back after its deadline writes into an object that is no longer read.

namespace csink::sysdetect {
namespace {

using nvml::Answer;
using nvml::Device;
using nvml::kMaxDevices;
using nvml::kTextBytes;

// The number in the first 16 hexadecimal digits of a UUID "GPU-01234567-89ab-cdef-...".
std::uint64_t NumberOf(const std::string& uuid) noexcept {
  std::uint64_t number = 0;
  int digits = 0;
  for (std::size_t i = uuid.starts_with("GPU-") ? 4 : 0; i < uuid.size() && digits < 16; ++i) {
    const char c = uuid[i];
    const int value = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (value < 0) continue;
    number = number << 4 | static_cast<unsigned>(value);
    ++digits;
  }
  return number;
}

// Values that the card does not report stay unknown.
Gpu Describe(const nvml::Library& nvml, Device device) {
  Gpu gpu;
  char text[kTextBytes + 1] = {};
  if (nvml.name(device, text, kTextBytes) == 0) gpu.name = text;
  text[0] = 0;
  if (nvml.uuid && nvml.uuid(device, text, kTextBytes) == 0) gpu.uuid = text;
  gpu.uid = NumberOf(gpu.uuid);
  int major = 0, minor = 0;
  if (nvml.capability && nvml.capability(device, &major, &minor) == 0 && major >= 0 && minor >= 0) {
    gpu.numbers[GpuNumber::kCapabilityMajor] = static_cast<unsigned>(major);
    gpu.numbers[GpuNumber::kCapabilityMinor] = static_cast<unsigned>(minor);
  }
  return gpu;
}

// `what` and NVML's own text for the error.
std::string Complaint(const nvml::Library& nvml, const char* what, Answer answer) {
  const char* text = nvml.error_text ? nvml.error_text(answer) : nullptr;
  return std::string(what) + (text ? text : "error " + std::to_string(answer));
}

// A question to a vendor's library, as a reader without events: its Open is the question.
class Question final : public VendorReader {
 public:
  using Body = std::function<void(VendorSteps&)>;
  explicit Question(Body body) : body_(std::move(body)) {}

  Result<void> Look(std::string&) override { return {}; }
  Result<void> Open(VendorSteps& steps, std::string&) override {
    body_(steps);
    return {};
  }
  const std::vector<DeviceEvent>& events() const noexcept override { return none_; }
  // Without events nothing is read, and without reads nothing connects again.
  Result<void> Read(VendorSteps&, std::span<const std::uint32_t>, std::uint64_t*, Error*) override {
    return {};
  }
  Result<void> Reconnect(VendorSteps&) override { return {}; }

 private:
  const Body body_;
  const std::vector<DeviceEvent> none_;
};

// Runs `body` on a thread with a deadline for each step. After an error `body` may still run, so
// what it writes must be shared with it.
Result<void> AskInTime(Question::Body body, const VendorPatience& patience) {
  std::string reason;
  return MakeBoundedSource(std::make_unique<Question>(std::move(body)), patience)->Open(reason);
}

// Lists the GPUs by NVML in `type`, whose status says how that went.
void List(const nvml::Library& nvml, DeviceType& type, VendorSteps& steps) {
  if (const Answer answer = nvml.init()) {
    type.status = Complaint(nvml, "NVML cannot be initialized: ", answer);
    return;
  }
  steps.Step();
  unsigned count = 0;
  if (const Answer answer = nvml.count(&count)) {
    type.status = Complaint(nvml, "NVML does not report the number of devices: ", answer);
    return;
  }
  for (unsigned index = 0; index < count && index < kMaxDevices; ++index) {
    Device device = nullptr;
    // A GPU that this user may not use, or that fell off the bus, is left out.
    if (nvml.handle(index, &device) == 0) type.gpus.push_back(Describe(nvml, device));
    steps.Step();
  }
  type.count = static_cast<unsigned>(type.gpus.size());
  type.status = type.count ? "ready" : "the NVIDIA driver reports no GPU";
}

}  // namespace

DeviceType FindNvidiaGpus(const char* nvml_name, const char* cuda_name,
                          const GpuPatience& patience) {
  const DeviceType none{DeviceKind::kNvidiaGpu, 0x10de, "NVIDIA", "", 0, {}};
  const auto type = std::make_shared<DeviceType>(none);
  // Loaded in this thread, although dlopen may hang, too: a thread that is given up inside of
  // dlopen would keep the loader's lock, for which the program's exit waits. The library stays
  // loaded when this object ends (VendorLibrary).
  const nvml::Library nvml({nvml_name});
  if (!nvml.library) {
    type->status = "no NVIDIA driver: libnvidia-ml.so.1 cannot be opened";
    return *type;
  }
  if (!nvml.complete()) {
    type->status = "libnvidia-ml.so.1 does not have all functions of NVML version 2";
    return *type;
  }
  const VendorPatience for_nvml{
      patience.nvml_ns, 0,
      "sysdetect: NVIDIA's library NVML does not answer; no NVIDIA GPU is listed (check whether "
      "nvidia-smi also hangs)"};
  const Result<void> listed =
      AskInTime([nvml, type](VendorSteps& steps) { List(nvml, *type, steps); }, for_nvml);
  if (!listed) {
    DeviceType lost = none;
    lost.status = listed.error().what;
    return lost;
  }
  if (type->count == 0) return *type;

  // CUDA's driver fills in a copy, so that the list of NVML remains if the driver hangs.
  struct Asked {
    std::vector<Gpu> gpus;
    bool found = false;
  };
  const auto asked = std::make_shared<Asked>(Asked{type->gpus, false});
  const VendorPatience for_cuda{
      patience.cuda_ns, 0,
      "sysdetect: NVIDIA's CUDA driver does not answer; only names and capabilities of GPUs are "
      "listed (check whether nvidia-smi also hangs)"};
  const Result<void> answered = AskInTime(
      [asked, name = std::string(cuda_name)](VendorSteps& steps) {
        asked->found = AskCuda(name.c_str(), asked->gpus, steps);
      },
      for_cuda);
  if (!answered) {
    type->status =
        "ready, but libcuda.so.1 does not answer: only names and capabilities are "
        "available";
  } else if (!asked->found) {
    // Without CUDA's driver the GPUs are still listed.
    type->status = "ready, but without libcuda.so.1 only names and capabilities are available";
  } else {
    type->gpus = asked->gpus;
  }
  return *type;
}

}  // namespace csink::sysdetect
