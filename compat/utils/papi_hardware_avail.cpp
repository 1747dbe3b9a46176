/// Program: papi_hardware_avail. Layout of papi-tools 7.0's. The same code describes a device for
/// both forms (Sheet); a label of the text is the key of the object. Attributes that the library
/// does not know are left out.

#include <papi.h>

#include <cstdio>
#include <string>

#include "compat/utils/json.h"
#include "compat/utils/message.h"
#include "compat/utils/run.h"
#include "compat/utils/text.h"

namespace csink::utils {
namespace {

constexpr ExitCode kExits[] = {{0, "the devices are listed"},
                               {1, "the library does not answer, or does not describe devices"}};
constexpr const char* kSeeAlso[] = {"papi_component_avail", "papi_mem_info"};
constexpr Tool kTool = {
    .name = "papi_hardware_avail",
    .line = "list processors, their caches and memory, and accelerators",
    .description =
        "First a summary: the number of devices of each vendor, and the reason if there are none "
        "or if their driver is missing. Then each device is described: the processor with its "
        "caches, NUMA nodes and their memory; GPUs with their limits.",
    .json_text =
        "\"types\": vendor, vendor_code, count, status and devices, whose keys are the labels of "
        "the text.",
    .exits = kExits,
    .see_also = kSeeAlso};

using nlohmann::ordered_json;

/// An attribute of a GPU: a number, yes or no, or a version of two numbers.
struct Attribute {
  const char* label;
  PAPI_dev_attr_e attribute;
  enum Kind : unsigned char { kNumber, kYesNo, kVersion } kind = kNumber;
  PAPI_dev_attr_e minor = {};  ///< for kVersion: attribute of the second number
};
constexpr Attribute kCuda[] = {
    {"Warp size", PAPI_DEV_ATTR__CUDA_UINT_WARP_SIZE},
    {"Max threads per block", PAPI_DEV_ATTR__CUDA_UINT_THR_PER_BLK},
    {"Max blocks per multiprocessor", PAPI_DEV_ATTR__CUDA_UINT_BLK_PER_SM},
    {"Max shared memory per block", PAPI_DEV_ATTR__CUDA_UINT_SHM_PER_BLK},
    {"Max shared memory per multiprocessor", PAPI_DEV_ATTR__CUDA_UINT_SHM_PER_SM},
    {"Max block dim x", PAPI_DEV_ATTR__CUDA_UINT_BLK_DIM_X},
    {"Max block dim y", PAPI_DEV_ATTR__CUDA_UINT_BLK_DIM_Y},
    {"Max block dim z", PAPI_DEV_ATTR__CUDA_UINT_BLK_DIM_Z},
    {"Max grid dim x", PAPI_DEV_ATTR__CUDA_UINT_GRD_DIM_X},
    {"Max grid dim y", PAPI_DEV_ATTR__CUDA_UINT_GRD_DIM_Y},
    {"Max grid dim z", PAPI_DEV_ATTR__CUDA_UINT_GRD_DIM_Z},
    {"Multiprocessor count", PAPI_DEV_ATTR__CUDA_UINT_SM_COUNT},
    {"Multiple kernels per context", PAPI_DEV_ATTR__CUDA_UINT_MULTI_KERNEL, Attribute::kYesNo},
    {"Can map host memory", PAPI_DEV_ATTR__CUDA_UINT_MAP_HOST_MEM, Attribute::kYesNo},
    {"Can overlap compute and data transfer", PAPI_DEV_ATTR__CUDA_UINT_MEMCPY_OVERLAP,
     Attribute::kYesNo},
    {"Has unified addressing", PAPI_DEV_ATTR__CUDA_UINT_UNIFIED_ADDR, Attribute::kYesNo},
    {"Has managed memory", PAPI_DEV_ATTR__CUDA_UINT_MANAGED_MEM, Attribute::kYesNo},
    {"Compute capability", PAPI_DEV_ATTR__CUDA_UINT_COMP_CAP_MAJOR, Attribute::kVersion,
     PAPI_DEV_ATTR__CUDA_UINT_COMP_CAP_MINOR},
};
constexpr Attribute kRocm[] = {
    {"Wavefront size", PAPI_DEV_ATTR__ROCM_UINT_WAVEFRONT_SIZE},
    {"SIMD per compute unit", PAPI_DEV_ATTR__ROCM_UINT_SIMD_PER_CU},
    {"Max threads per workgroup", PAPI_DEV_ATTR__ROCM_UINT_WORKGROUP_SIZE},
    {"Max waves per compute unit", PAPI_DEV_ATTR__ROCM_UINT_WAVE_PER_CU},
    {"Max shared memory per workgroup", PAPI_DEV_ATTR__ROCM_UINT_SHM_PER_WG},
    {"Max workgroup dim x", PAPI_DEV_ATTR__ROCM_UINT_WG_DIM_X},
    {"Max workgroup dim y", PAPI_DEV_ATTR__ROCM_UINT_WG_DIM_Y},
    {"Max workgroup dim z", PAPI_DEV_ATTR__ROCM_UINT_WG_DIM_Z},
    {"Max grid dim x", PAPI_DEV_ATTR__ROCM_UINT_GRD_DIM_X},
    {"Max grid dim y", PAPI_DEV_ATTR__ROCM_UINT_GRD_DIM_Y},
    {"Max grid dim z", PAPI_DEV_ATTR__ROCM_UINT_GRD_DIM_Z},
    {"Compute unit count", PAPI_DEV_ATTR__ROCM_UINT_CU_COUNT},
    {"Compute capability", PAPI_DEV_ATTR__ROCM_UINT_COMP_CAP_MAJOR, Attribute::kVersion,
     PAPI_DEV_ATTR__ROCM_UINT_COMP_CAP_MINOR},
};

/// One type of devices: the library's handle, and the attributes that all its devices share.
class Type {
 public:
  explicit Type(void* handle) : handle_(handle) {
    // Attributes that the library does not have keep their initial values.
    PAPI_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__INT_PAPI_ID, &id);
    PAPI_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__INT_VENDOR_ID, &vendor_code);
    PAPI_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__CHAR_NAME, &vendor);
    PAPI_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__INT_COUNT, &count);
    PAPI_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__CHAR_STATUS, &status);
  }

  /// False: the library does not have this attribute of the device.
  bool Number(int device, PAPI_dev_attr_e attribute, unsigned& value) const {
    return PAPI_get_dev_attr(handle_, device, attribute, &value) == PAPI_OK;
  }
  // The next three: 0 or "" where the library does not have the attribute.
  unsigned Number(int device, PAPI_dev_attr_e attribute) const {
    unsigned value = 0;
    return Number(device, attribute, value) ? value : 0;
  }
  const char* Text(int device, PAPI_dev_attr_e attribute) const {
    const char* value = "";
    return PAPI_get_dev_attr(handle_, device, attribute, &value) == PAPI_OK ? value : "";
  }
  unsigned long Uid(int device, PAPI_dev_attr_e attribute) const {
    unsigned long value = 0;
    return PAPI_get_dev_attr(handle_, device, attribute, &value) == PAPI_OK ? value : 0;
  }

  int id = 0;
  int vendor_code = 0;
  int count = 0;
  const char* vendor = "";
  const char* status = "";

 private:
  void* handle_;
};

/// The description of a device: printed line by line, or collected for --json.
class Sheet {
 public:
  explicit Sheet(bool json) : json_(json) {}

  // Labels are padded to the longest of them, as in papi-tools.
  void Add(const std::string& label, const std::string& text) {
    if (json_) {
      object_[label] = text;
    } else {
      std::printf("%-37s : %s\n", label.c_str(), text.c_str());
    }
  }
  void Add(const std::string& label, unsigned long number) {
    if (json_) {
      object_[label] = number;
    } else {
      std::printf("%-37s : %lu\n", label.c_str(), number);
    }
  }
  ordered_json& object() noexcept { return object_; }

 private:
  const bool json_;
  ordered_json object_ = ordered_json::object();
};

/// The attributes of a cache. PAPI has four caches; what a processor lacks has size 0.
struct CacheLabel {
  const char* label;
  PAPI_dev_attr_e size, line, lines, ways;
};
constexpr CacheLabel kCaches[] = {
    {"L1i Cache", PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_SIZE,
     PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_LINE_SIZE, PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_LINE_COUNT,
     PAPI_DEV_ATTR__CPU_UINT_L1I_CACHE_ASSOC},
    {"L1d Cache", PAPI_DEV_ATTR__CPU_UINT_L1D_CACHE_SIZE,
     PAPI_DEV_ATTR__CPU_UINT_L1D_CACHE_LINE_SIZE, PAPI_DEV_ATTR__CPU_UINT_L1D_CACHE_LINE_COUNT,
     PAPI_DEV_ATTR__CPU_UINT_L1D_CACHE_ASSOC},
    {"L2 Cache", PAPI_DEV_ATTR__CPU_UINT_L2U_CACHE_SIZE,
     PAPI_DEV_ATTR__CPU_UINT_L2U_CACHE_LINE_SIZE, PAPI_DEV_ATTR__CPU_UINT_L2U_CACHE_LINE_COUNT,
     PAPI_DEV_ATTR__CPU_UINT_L2U_CACHE_ASSOC},
    {"L3 Cache", PAPI_DEV_ATTR__CPU_UINT_L3U_CACHE_SIZE,
     PAPI_DEV_ATTR__CPU_UINT_L3U_CACHE_LINE_SIZE, PAPI_DEV_ATTR__CPU_UINT_L3U_CACHE_LINE_COUNT,
     PAPI_DEV_ATTR__CPU_UINT_L3U_CACHE_ASSOC},
};

/// Caches are those of device 0: the library describes one processor for the machine.
void DescribeCaches(const Type& type, Sheet& sheet) {
  for (const CacheLabel& cache : kCaches) {
    const unsigned bytes = type.Number(0, cache.size);
    if (bytes == 0) continue;
    sheet.Add(cache.label, "Size/LineSize/Lines/Assoc " + std::to_string(bytes >> 10) + "KB/" +
                               std::to_string(type.Number(0, cache.line)) + "B/" +
                               std::to_string(type.Number(0, cache.lines)) + '/' +
                               std::to_string(type.Number(0, cache.ways)));
  }
}

/// The CPUs of a node are found by asking each CPU for its node: PAPI has no list of them. CPUs are
/// assumed to be numbered from 0 without gaps.
void DescribeNodes(const Type& type, Sheet& sheet) {
  const unsigned nodes = type.Number(0, PAPI_DEV_ATTR__CPU_UINT_NUMA_COUNT);
  const unsigned cpus = type.Number(0, PAPI_DEV_ATTR__CPU_UINT_THREAD_COUNT);
  for (unsigned node = 0; node < nodes; ++node) {
    const std::string label = "Numa Node " + std::to_string(node);
    // MiB (PAPI_DEV_ATTR__CPU_UINT_NUMA_MEM_SIZE).
    const unsigned mega =
        type.Number(static_cast<int>(node), PAPI_DEV_ATTR__CPU_UINT_NUMA_MEM_SIZE);
    sheet.Add(label + " Memory", std::to_string(mega) + "MB");
    std::string members;
    for (unsigned cpu = 0; cpu < cpus; ++cpu) {
      unsigned its = 0;
      if (type.Number(static_cast<int>(cpu), PAPI_DEV_ATTR__CPU_UINT_THR_NUMA_AFFINITY, its) &&
          its == node) {
        members += std::to_string(cpu) + ' ';
      }
    }
    sheet.Add(label + " Threads", members);
  }
}

/// Labels and their order are those of papi-tools 7.0. Totals are divided here, because the library
/// has cores of a socket and threads of the machine.
void DescribeCpu(const Type& type, Sheet& sheet) {
  char text[80];
  std::snprintf(text, sizeof text, " (%u,0x%x)", static_cast<unsigned>(type.vendor_code),
                static_cast<unsigned>(type.vendor_code));
  sheet.Add("Vendor", type.vendor + std::string(text));
  // All processors are one device.
  sheet.Add("Id", 0);
  sheet.Add("Name", type.Text(0, PAPI_DEV_ATTR__CPU_CHAR_NAME));
  // Decimal and hexadecimal, as papi-tools prints them.
  const unsigned family = type.Number(0, PAPI_DEV_ATTR__CPU_UINT_FAMILY);
  const unsigned model = type.Number(0, PAPI_DEV_ATTR__CPU_UINT_MODEL);
  const unsigned stepping = type.Number(0, PAPI_DEV_ATTR__CPU_UINT_STEPPING);
  std::snprintf(text, sizeof text, "Family/Model/Stepping %u/%u/%u 0x%02x/0x%02x/0x%02x", family,
                model, stepping, family, model, stepping);
  sheet.Add("CPUID", text);
  const unsigned sockets = type.Number(0, PAPI_DEV_ATTR__CPU_UINT_SOCKET_COUNT);
  const unsigned nodes = type.Number(0, PAPI_DEV_ATTR__CPU_UINT_NUMA_COUNT);
  const unsigned cores = type.Number(0, PAPI_DEV_ATTR__CPU_UINT_CORE_COUNT);
  const unsigned threads = type.Number(0, PAPI_DEV_ATTR__CPU_UINT_THREAD_COUNT);
  sheet.Add("Sockets", sockets);
  sheet.Add("Numa regions", nodes);
  sheet.Add("Cores per socket", cores);
  // An average; nodes may differ.
  if (nodes) sheet.Add("Cores per NUMA region", cores * sockets / nodes);
  if (cores * sockets != 0) sheet.Add("SMT threads per core", threads / (cores * sockets));
  DescribeCaches(type, sheet);
  DescribeNodes(type, sheet);
}

/// Attributes are asked one by one; a label is left out with its attribute.
void DescribeGpu(const Type& type, int device, Sheet& sheet) {
  const bool cuda = type.id == PAPI_DEV_TYPE_ID__CUDA;
  sheet.Add("Vendor", type.vendor);
  sheet.Add("Id", static_cast<unsigned long>(device));
  sheet.Add("UID",
            type.Uid(device, cuda ? PAPI_DEV_ATTR__CUDA_ULONG_UID : PAPI_DEV_ATTR__ROCM_ULONG_UID));
  sheet.Add("Name", type.Text(device, cuda ? PAPI_DEV_ATTR__CUDA_CHAR_DEVICE_NAME
                                           : PAPI_DEV_ATTR__ROCM_CHAR_DEVICE_NAME));
  for (const Attribute& attribute : cuda ? std::span<const Attribute>(kCuda) : kRocm) {
    unsigned value = 0;
    // False: the driver does not report the attribute.
    if (!type.Number(device, attribute.attribute, value)) continue;
    switch (attribute.kind) {
      case Attribute::kNumber:
        sheet.Add(attribute.label, value);
        break;
      case Attribute::kYesNo:
        sheet.Add(attribute.label, value ? "yes" : "no");
        break;
      case Attribute::kVersion:
        sheet.Add(attribute.label, std::to_string(value) + '.' +
                                       std::to_string(type.Number(device, attribute.minor)));
        break;
    }
  }
}

/// Calls `use` with each type of devices. False: there is none.
template <class F>
bool ForEachType(F use) {
  void* handle = nullptr;
  bool any = false;
  // The enumeration ends with an error and then starts again at the next call.
  while (PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__ALL, &handle) == PAPI_OK) {
    use(Type(handle));
    any = true;
  }
  return any;
}

/// Fills the sheet of one device of any type.
void Describe(const Type& type, int device, Sheet& sheet) {
  if (type.id == PAPI_DEV_TYPE_ID__CPU) {
    DescribeCpu(type, sheet);
  } else {
    DescribeGpu(type, device, sheet);
  }
}

/// False: the library describes no device.
bool PrintText() {
  std::printf("\nDevice Summary %.65s\nVendor           DevCount \n",
              "-----------------------------------------------------------------");
  // The summary, then the same types again in detail.
  if (!ForEachType([](const Type& type) {
        std::printf("%-18s (%d)\n \\-> Status: %s%s%s\n\n", type.vendor, type.count,
                    type.count ? Colour().good : Colour().dim, type.status, Colour().off);
      })) {
    return false;
  }
  std::puts(
      "\nDevice Information "
      "-------------------------------------------------------------");
  ForEachType([](const Type& type) {
    for (int device = 0; device < type.count; ++device) {
      // Prints while it is filled.
      Sheet sheet(false);
      Describe(type, device, sheet);
      std::putchar('\n');
    }
  });
  std::puts("--------------------------------------------------------------------------------");
  return true;
}

/// The same descriptions, collected by type.
bool ListJson() {
  ordered_json object = JsonHead(kTool);
  ordered_json& types = object["types"] = ordered_json::array();
  const bool any = ForEachType([&types](const Type& type) {
    ordered_json one = {{"vendor", type.vendor},
                        {"vendor_code", type.vendor_code},
                        {"count", type.count},
                        {"status", type.status}};
    ordered_json& devices = one["devices"] = ordered_json::array();
    for (int device = 0; device < type.count; ++device) {
      Sheet sheet(true);
      Describe(type, device, sheet);
      devices.push_back(std::move(sheet.object()));
    }
    types.push_back(std::move(one));
  });
  PrintJson(object);
  return any;
}

int Run(const Arguments& arguments) {
  if (!StartLibrary(kTool)) return kFailed;
  if (arguments.json() ? ListJson() : PrintText()) return kFine;
  Say(kTool, "the library does not describe devices");
  return kFailed;
}

}  // namespace
}  // namespace csink::utils

int main(int argc, char** argv) {
  return csink::utils::RunTool(csink::utils::kTool, argc, argv, csink::utils::Run);
}
