#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/presets/definition_builder.h"
#include "core/presets/event_index.h"
#include "core/presets/preset_columns.h"
#include "core/presets/preset_request.h"

namespace csink {

/// Why events were not defined.
struct DefineFailure {
  enum class Kind : std::uint8_t {
    kInvalid,  ///< Something in the request itself
    kExists,   ///< It has a definition, and replacing was not asked for
    kInUse,    ///< It is in an event set
    kFull,     ///< The table has no room
  };
  Kind kind = Kind::kInvalid;
  Error error = {Errc::kInvalid, 0, "an event cannot be defined"};
  std::size_t request = 0;  ///< Which one, from 0
  std::size_t column = 0;   ///< Which of its values, by PresetColumn
  std::string sentence;
};

/// Whether there is a native event of that name anywhere; otherwise `why` may say what is wrong.
using KnowsNative = bool (*)(std::string_view native_name, std::string& why, void* context);

/// Definitions that come together or not at all. Drafts are made of each request first; nothing
/// that others can see has changed until all are good.
/// Borrows: everything it is given. Threads: under the table's lock.
class DefinitionBatch {
 public:
  /// Whether a definition counts on this machine.
  using Counts = std::function<bool(const PresetDefinition& definition)>;

  DefinitionBatch(const EventIndex& index, DefinitionBuilder& builder,
                  std::span<const std::size_t> pmus, bool replace, Counts counts)
      : index_(index),
        builder_(builder),
        pmus_(pmus),
        replace_(replace),
        counts_(std::move(counts)) {}

  /// Every draft in the order of names. Empty, too, when the requests say nothing new; false:
  /// refused.
  bool Make(std::span<const PresetRequest> requests, KnowsNative knows, void* context,
            std::vector<PresetDraft>& drafts, DefineFailure& failure);

 private:
  bool Check(const PresetRequest& request, DefineFailure& failure) const;
  bool Take(const PresetRequest& request, DefineFailure& failure);
  /// A new event must not hide a native one: names of user events are looked up first.
  bool CheckName(const PresetRequest& request, KnowsNative knows, void* context,
                 DefineFailure& failure) const;
  bool CheckRoom(const std::vector<PresetDraft>& drafts, DefineFailure& failure) const;
  bool CheckNatives(std::span<const PresetRequest> requests, KnowsNative knows, void* context,
                    std::vector<PresetDraft>& drafts, DefineFailure& failure) const;

  const EventIndex& index_;
  DefinitionBuilder& builder_;
  std::span<const std::size_t> pmus_;
  bool replace_;
  Counts counts_;
  std::vector<std::string_view> taken_;
};

}  // namespace csink
