#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/counting/presets/definition_builder.h"
#include "core/counting/presets/event_index.h"
#include "core/counting/presets/preset_columns.h"
#include "core/counting/presets/preset_request.h"

/// File: definitions made by a program (PAPI_encode_events, PAPI_set_event_info) or by a file in
/// PAPI 3.5's format. For files in PAPI 7.0's format see DefinitionBuilder.

namespace csink {

/// Why a batch of definitions was refused. Names the first request that is wrong.
struct DefineFailure {
  enum class Kind : std::uint8_t {
    kInvalid,  ///< The request itself is wrong
    kExists,   ///< The event is defined already, and replacing was not asked for
    kInUse,    ///< The event is in an event set
    kFull,     ///< The table of user events is full
  };
  Kind kind = Kind::kInvalid;
  /// For callers that report one error code (PresetTable::Define).
  Error error = {Errc::kInvalid, 0, "an event cannot be defined"};
  std::size_t request = 0;  ///< Index of the request in the batch
  /// Which of its values is wrong, as a PresetColumn; kNative + i is its native event number i.
  std::size_t column = 0;
  /// A sentence for the user, without file and line.
  std::string sentence;
};

/// Whether any component has a native event of that name. If not, `why` may get a sentence. Called
/// under the table's lock, so it must not call the table.
using KnowsNative = bool (*)(std::string_view native_name, std::string& why, void* context);

/// Makes definitions that take effect all together or not at all. Drafts are made for all requests
/// first; nothing visible to others changes before all of them are valid. Made for one batch: the
/// requests that were taken are remembered.
/// Owns:    nothing; everything passed must outlive it. Threads: under the table's lock. Signals:
/// not safe.
class DefinitionBatch {
 public:
  /// Whether a definition can be counted on this machine (PresetTable::IsAvailable).
  using Counts = std::function<bool(const PresetDefinition& definition)>;

  /// `pmus`: the core PMUs (indices in the builder's list of PMUs), to which natives without
  /// "pmu::" belong. `replace`: existing definitions may be replaced.
  DefinitionBatch(const EventIndex& index, DefinitionBuilder& builder,
                  std::span<const std::size_t> pmus, bool replace, Counts counts)
      : index_(index),
        builder_(builder),
        pmus_(pmus),
        replace_(replace),
        counts_(std::move(counts)) {}

  /// Makes the drafts, in the order of names, for the caller to install. There may be none:
  /// requests for presets that this machine cannot count define nothing. `knows` may be null: every
  /// name may be a native event. Returns false if the batch is refused; `failure` states why.
  bool Make(std::span<const PresetRequest> requests, KnowsNative knows, void* context,
            std::vector<PresetDraft>& drafts, DefineFailure& failure);

 private:
  /// Checks that the event may be defined: the event is new or may be replaced, and is not in use.
  bool Check(const PresetRequest& request, DefineFailure& failure) const;
  /// Checks the request and passes it to the builder. A request without a native event is skipped.
  bool Take(const PresetRequest& request, DefineFailure& failure);
  /// A new event must not have the name of a native event: user events are looked up first, so the
  /// native one would be hidden.
  bool CheckName(const PresetRequest& request, KnowsNative knows, void* context,
                 DefineFailure& failure) const;
  /// Checks that the table has room for the new user events.
  bool CheckRoom(const std::vector<PresetDraft>& drafts, DefineFailure& failure) const;
  /// Checks that all natives exist. A native that the core PMUs lack may be another component's:
  /// its name is then used without the PMU's.
  bool CheckNatives(std::span<const PresetRequest> requests, KnowsNative knows, void* context,
                    std::vector<PresetDraft>& drafts, DefineFailure& failure) const;

  const EventIndex& index_;
  DefinitionBuilder& builder_;
  std::span<const std::size_t> pmus_;
  bool replace_;
  Counts counts_;
  /// The names of the requests that were taken, to find a second definition of one name in the
  /// batch.
  std::vector<std::string_view> taken_;
};

}  // namespace csink
