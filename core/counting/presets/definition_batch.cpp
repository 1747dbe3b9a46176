#include "core/counting/presets/definition_batch.h"

#include <algorithm>
#include <utility>

#include "core/counting/presets/standard_presets.h"

// File: each request is checked alone, then passed to the builder, which resolves bases that are
// events of this batch. When all requests are drafts, their natives and the room in the table are
// checked. Nothing has been installed until then, so a refusal needs no undoing.

namespace csink {
namespace {

constexpr std::size_t At(PresetColumn column) noexcept { return static_cast<std::size_t>(column); }

// Fills in a failure and returns false.
bool Refuse(DefineFailure& failure, DefineFailure::Kind kind, Error error, PresetColumn column,
            std::string sentence) {
  failure.kind = kind;
  failure.error = error;
  failure.column = At(column);
  failure.sentence = std::move(sentence);
  return false;
}

/// The column of the value of `request` that `culprit` points into. Compared by address, because
/// two values may have the same text. kName if the culprit is none of the values.
std::size_t ColumnOf(const PresetRequest& request, std::string_view culprit) {
  for (std::size_t i = 0; i < request.bases.size(); ++i) {
    if (request.bases[i].data() == culprit.data()) return At(PresetColumn::kNative) + i;
  }
  const std::pair<const std::string&, PresetColumn> texts[] = {
      {request.formula, PresetColumn::kPostfix},
      {request.short_description, PresetColumn::kShort},
      {request.long_description, PresetColumn::kLong},
      {request.note, PresetColumn::kNote}};
  for (const auto& [text, column] : texts) {
    if (text.data() == culprit.data()) return At(column);
  }
  return At(PresetColumn::kName);
}

}  // namespace

bool DefinitionBatch::Make(std::span<const PresetRequest> requests, KnowsNative knows,
                           void* context, std::vector<PresetDraft>& drafts,
                           DefineFailure& failure) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    failure.request = i;
    if (!Check(requests[i], failure) || !Take(requests[i], failure) ||
        !CheckName(requests[i], knows, context, failure)) {
      return false;
    }
  }
  // The natives of all requests are known only now: a base may be an event of another request.
  drafts = builder_.Finish();
  // A full table is the fault of no single request; the last one is named.
  failure.request = requests.empty() ? 0 : requests.size() - 1;
  return CheckNatives(requests, knows, context, drafts, failure) && CheckRoom(drafts, failure);
}

bool DefinitionBatch::Check(const PresetRequest& request, DefineFailure& failure) const {
  // Look-ups see only what was installed before this batch.
  const PresetDefinition* existing = index_.ByCode(index_.CodeOf(request.name));
  // papi_decode prints such lines for presets that a machine does not count. They are accepted only
  // where the preset does not count here either: otherwise the line would delete a definition.
  if (request.bases.empty()) {
    const bool is_preset = StandardPresetIndex(request.name) != kStandardPresetCount;
    if (is_preset && (!existing || !counts_(*existing))) return true;
    return Refuse(failure, DefineFailure::Kind::kInvalid,
                  {Errc::kInvalid, 0, "an event without a native event"}, PresetColumn::kName,
                  Quoted(request.name) + " has no native event");
  }
  // In one batch a name may be there twice only if replacing was asked for.
  const bool twice = std::find(taken_.begin(), taken_.end(), request.name) != taken_.end();
  if (!replace_ && (existing || twice)) {
    return Refuse(failure, DefineFailure::Kind::kExists,
                  {Errc::kConflict, 0, "event is defined already"}, PresetColumn::kName,
                  Quoted(request.name) + " is defined already, and replacing was not requested");
  }
  // Refused also with `replace`: the event set counts by the definition that it was given.
  if (existing && existing->in_use()) {
    return Refuse(
        failure, DefineFailure::Kind::kInUse, {Errc::kConflict, 0, "event is in an event set"},
        PresetColumn::kName,
        Quoted(request.name) + " is in an event set; remove the event from the set first");
  }
  return true;
}

bool DefinitionBatch::Take(const PresetRequest& request, DefineFailure& failure) {
  if (request.bases.empty()) return true;  // a preset that this machine does not count
  PresetStatement statement = StatementOf(request);
  std::string_view culprit;
  // CheckStatement and Add name the value that is wrong, for the column.
  Result<void> ok = CheckStatement(statement, failure.sentence, &culprit);
  if (ok) {
    culprit = statement.bases.front();
    ok = builder_.Add(statement, pmus_, failure.sentence, &culprit);
  }
  if (!ok) {
    failure.kind = DefineFailure::Kind::kInvalid;
    failure.error = ok.error();
    failure.column = ColumnOf(request, culprit);
    return false;
  }
  taken_.push_back(request.name);
  return true;
}

bool DefinitionBatch::CheckName(const PresetRequest& request, KnowsNative knows, void* context,
                                DefineFailure& failure) const {
  // The name of an event that exists already is not checked again.
  const bool has_code = index_.CodeOf(request.name) != 0;  // a preset, or defined before
  std::string ignored;
  if (!knows || has_code || !knows(request.name, ignored, context)) return true;
  return Refuse(
      failure, DefineFailure::Kind::kInvalid, {Errc::kInvalid, 0, "this is a native event's name"},
      PresetColumn::kName,
      Quoted(request.name) + " is a native event; a user event needs a name that is not in use");
}

bool DefinitionBatch::CheckNatives(std::span<const PresetRequest> requests, KnowsNative knows,
                                   void* context, std::vector<PresetDraft>& drafts,
                                   DefineFailure& failure) const {
  // Without `knows` an unknown native is found when the event is added to an event set.
  if (!knows) return true;
  for (PresetDraft& draft : drafts) {
    for (PresetNative& native : draft.natives) {
      std::string why;
      if (knows(native.qualified, why, context)) continue;
      const std::string shown(native.shown());
      std::string ignored;
      // "pmu::NAME" is unknown; NAME as the caller wrote it may be an event of another component.
      if (native.shown_from != 0 && knows(shown, ignored, context)) {
        native = {shown, 0};  // an event of another PMU than the processor's
        continue;
      }
      // The last request of that name: it replaced the earlier ones.
      const auto named =
          std::find_if(requests.rbegin(), requests.rend(),
                       [&](const PresetRequest& request) { return request.name == draft.name; });
      failure.request = static_cast<std::size_t>(requests.rend() - named) - 1;
      Refuse(failure, DefineFailure::Kind::kInvalid, {Errc::kNoEvent, 0, "unknown native event"},
             PresetColumn::kNative, why.empty() ? Quoted(shown) + " is not a native event" : why);
      const auto base = std::find(named->bases.begin(), named->bases.end(), shown);
      if (base != named->bases.end()) {
        failure.column += static_cast<std::size_t>(base - named->bases.begin());
      }
      return false;
    }
  }
  return true;
}

bool DefinitionBatch::CheckRoom(const std::vector<PresetDraft>& drafts,
                                DefineFailure& failure) const {
  // Only names without a code need room.
  const auto fresh = std::count_if(drafts.begin(), drafts.end(), [&](const PresetDraft& draft) {
    return index_.CodeOf(draft.name) == 0;
  });
  if (index_.user_event_count() + static_cast<std::size_t>(fresh) <= kMaxUserEvents) return true;
  return Refuse(failure, DefineFailure::Kind::kFull,
                {Errc::kLimit, 0, "the table of user events is full"}, PresetColumn::kName,
                "there can be at most " + std::to_string(kMaxUserEvents) + " user events");
}

}  // namespace csink
