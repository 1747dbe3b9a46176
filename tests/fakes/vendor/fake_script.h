#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// File: what the fake vendor libraries of this folder answer.
///
/// The libraries have the real names (libnvidia-ml.so.1, libmaxeleros.so, libmicmgmt.so.0,
/// librocm_smi64.so.5, libze_loader.so.1) and
/// export the real functions. Give a program this build folder by LD_LIBRARY_PATH and one of
///   FAKE_NVML, FAKE_MAXELER, FAKE_MIC, FAKE_ROCM_SMI, FAKE_LEVEL_ZERO
///                                       the script: a file, or the statements themselves when
///                                       there is a '=' in it; unset: one card with plain values
/// A script has statements, one a line or separated by ';', '#' begins a comment:
///   devices = 2
///   0.name = Tesla K20c               a text (nvml)
///   0.power = 25000 26000 block       what reads of device 0 answer, one after the other; the last
///                                     one stays
///   *.temperature = 40+5              of any device without a line of its own: 40, 45, 50, ...
///   0.energy = 1000~50000             1000 + 50000 for each second since the library was loaded
///   1.power = 100 error:15            fails with the vendor's error 15
///   init = block:200 0                first waits 200 ms, then as usual; `block` waits for ever
///   0.power = 25000 exit:3            the second read calls exit(3); `abort` calls abort()
/// What a key is called stands at the top of each library's file. A key that no line names:
/// "not supported" there.
///
/// FAKE_VENDOR_LOG names a file to which each question adds a line, "0.power".
/// A test in whose process the library is open calls its function
///   void csink_fake_script(const char* statements);   nullptr: by the environment again
///
/// Threads: any; a blocked question holds no lock.
namespace csink::fakes {

struct Answer {
  bool given = false;  ///< Some line names the key
  int error = 0;       ///< The vendor's error, or 0
  double number = 0;
  std::string text;  ///< The statement's right side as it stands
};

/// Reads the script the first time. `variable`: FAKE_NVML and so on; `plain`: its default.
void UseScript(const char* variable, const char* plain);
/// Statements in place of the environment's; nullptr: those again. Answers begin anew.
void SetScript(const char* statements);

/// The next answer to `key` ("init", "count") or to `device`.`key`. Blocks where it says so.
Answer Ask(std::string_view key);
Answer Ask(unsigned device, std::string_view key);
/// A text such as a name: the whole right side, never counted as a read.
std::string Text(unsigned device, std::string_view key, std::string_view otherwise);
/// `devices = N`.
unsigned Devices();

}  // namespace csink::fakes

#define FAKE_VENDOR_API extern "C" __attribute__((visibility("default")))
