#pragma once

#include <cstddef>

#include "compat/ms_common/include/ms_common_apapi.h"

namespace csink::ms {

/// The resource of a structure type.
template <class Measurement>
inline constexpr int kResourceOf = 0;
template <>
inline constexpr int kResourceOf<MS_MEASUREMENT_CPU> = CPU;
template <>
inline constexpr int kResourceOf<MS_MEASUREMENT_GPU> = GPU;
template <>
inline constexpr int kResourceOf<MS_MEASUREMENT_FPGA> = FPGA;
template <>
inline constexpr int kResourceOf<MS_MEASUREMENT_MIC> = MIC;
template <>
inline constexpr int kResourceOf<MS_MEASUREMENT_SYS> = SYSTEM;

/// The structure of this type in a list; nullptr: the list has none.
template <class Measurement>
Measurement* MeasurementIn(MS_LIST* list) noexcept {
  return static_cast<Measurement*>(getMeasurement(&list, kResourceOf<Measurement>));
}

/// A field of a structure; 0 if the list has no such structure. Complete after ms_join_measurement.
template <class Measurement, class Value>
Value ResultOf(MS_LIST* list, Value Measurement::*field) noexcept {
  const Measurement* measurement = MeasurementIn<Measurement>(list);
  return measurement ? measurement->*field : Value{};
}

/// An element of an array field; 0 also if there is no such element.
template <class Measurement, class Value, std::size_t kSize>
Value ResultOf(MS_LIST* list, Value (Measurement::*field)[kSize], int i) noexcept {
  const Measurement* measurement = MeasurementIn<Measurement>(list);
  const auto place = static_cast<std::size_t>(i);  // a negative index becomes too large
  return measurement && place < kSize ? (measurement->*field)[place] : Value{};
}

template <class Measurement, class Value, std::size_t kRows, std::size_t kColumns>
Value ResultOf(MS_LIST* list, Value (Measurement::*field)[kRows][kColumns], int i, int j) noexcept {
  const Measurement* measurement = MeasurementIn<Measurement>(list);
  const auto row = static_cast<std::size_t>(i), column = static_cast<std::size_t>(j);
  const bool there = measurement && row < kRows && column < kColumns;
  return there ? (measurement->*field)[row][column] : Value{};
}

}  // namespace csink::ms
