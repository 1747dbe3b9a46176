#include "symbolizer/commands/mcp/tools.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <utility>

#include "core/util/text_file.h"
#include "symbolizer/commands/mcp/own_command.h"
#include "symbolizer/report/wording/shorten.h"

/// File: each tool is a command of csink, run as a child.

namespace csink::tool::mcp {
namespace {

constexpr double kReadSeconds = 300;  ///< Names of a large program may take long
constexpr double kRunSeconds = 60;
constexpr double kMostRunSeconds = 3600;
/// Of what a program printed, and of csink's own messages
constexpr std::size_t kMostMessageBytes = 1500;

/// The first or last bytes of a text, in whole lines where there are any.
std::string Bounded(const std::string& text, std::size_t most, bool is_end = false) {
  if (text.size() <= most) return text;
  if (is_end) {
    const std::string end = text.substr(text.size() - most);
    const std::size_t line = end.find('\n');
    return "[cut]\n" + (line == std::string::npos ? end : end.substr(line + 1));
  }
  const std::string begin = text.substr(0, most);
  return begin.substr(0, begin.rfind('\n')) + "\n[cut]\n";
}

Json Property(const char* type, const char* description) {
  Json property = {{"type", type}, {"description", description}};
  if (std::string_view(type) == "array") property["items"] = {{"type", "string"}};
  return property;
}
Json Schema(Json properties, std::initializer_list<const char*> required) {
  Json names = Json::array();
  for (const char* name : required) names.push_back(name);
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(names)},
          {"additionalProperties", false}};
}

/// A file whose name looks like an option is no option.
std::string FileWord(const Json& arguments, const char* name) {
  const std::string file = arguments.at(name);
  return file.starts_with('-') ? "./" + file : file;
}

/// What the command printed; what it complained of where it failed.
Answer AnswerOf(const OwnOutput& output) {
  std::string text = Bounded(output.out, kMostAnswerBytes);
  if (output.is_late) text += "[ended: it took too long]\n";
  if (output.status == 0 && !text.empty()) return {text, false};
  text += Bounded(output.err, kMostMessageBytes, true);
  if (output.status < 0) text += "the command could not be started\n";
  return {text.empty() ? "nothing was printed; exit status " + std::to_string(output.status) : text,
          output.status != 0};
}

Answer Own(std::vector<std::string> arguments) {
  return AnswerOf(RunOwn({std::move(arguments), {}, kReadSeconds}));
}

Tool ListTool() {
  return {"list", "The profiles in csink's folder of spools: process, program, state, file.",
          Schema(Json::object(), {}), true, [](const Json&) { return Own({"report"}); }};
}

constexpr char kProfile[] =
    "A spool, a folder of spools, a merged file, or the number of a process under csink";

Tool FindingsTool() {
  return {"findings",
          "What a profile says, in at most 6,000 bytes of Markdown: findings, verdict, ten "
          "functions with caller and hottest line, waits. An id stands before each name.",
          Schema({{"profile", Property("string", kProfile)}}, {"profile"}), true,
          [](const Json& arguments) {
            return Own({"report", "--format", "digest", FileWord(arguments, "profile")});
          }};
}

Tool ShowTool() {
  return {"show",
          "What a profile knows of one name, in at most 4,000 bytes: shares, callers, callees, "
          "lines, the code around the hottest line, waits, holders of a lock.",
          Schema({{"profile", Property("string", kProfile)},
                  {"id", Property("string", "The id of findings, or the name itself")}},
                 {"profile", "id"}),
          true, [](const Json& arguments) {
            const std::string id = arguments.at("id");
            if (id.starts_with('-')) return Answer{"an id is needed for such a name", true};
            return Own({"show", FileWord(arguments, "profile"), id});
          }};
}

Tool DiffTool() {
  return {
      "diff", "What changed between two profiles of the same program, with intervals.",
      Schema({{"before", Property("string", kProfile)}, {"after", Property("string", kProfile)}},
             {"before", "after"}),
      true, [](const Json& arguments) {
        return Own(
            {"diff", "--quiet", FileWord(arguments, "before"), FileWord(arguments, "after")});
      }};
}

/// Profiles the program. The answer is the digest, with the profile's folder and the end of what
/// was printed.
Answer Run(const Json& arguments, const std::string& folder) {
  const double seconds = arguments.value("seconds", kRunSeconds);
  if (!(seconds > 0 && seconds <= kMostRunSeconds)) return {"seconds must be in 0 to 3600", true};
  const auto command = arguments.at("command").get<std::vector<std::string>>();
  if (command.empty()) return {"command is empty", true};
  std::error_code error;
  std::filesystem::path place;
  for (int i = 1; place.empty(); ++i) {
    const auto next = std::filesystem::path(folder) / ("run" + std::to_string(i));
    if (std::filesystem::create_directory(next, error)) place = next;
    if (error) return {folder + ": " + error.message(), true};
  }
  std::filesystem::permissions(place, std::filesystem::perms::owner_all, error);
  const std::string digest = place / "digest.md";
  OwnCommand own{{"run", "--quiet", "--keep", "--format", "digest", "-o", digest},
                 {{"CSINK_SPOOL_DIR", place}},
                 seconds};
  if (arguments.value("stacks", true))
    own.arguments.insert(own.arguments.end(), {"--stacks", "unwind"});
  if (arguments.value("waits", true)) own.arguments.emplace_back("--wait");
  if (arguments.value("critical", false)) own.arguments.emplace_back("--critical");
  own.arguments.emplace_back("--");
  own.arguments.insert(own.arguments.end(), command.begin(), command.end());
  const OwnOutput output = RunOwn(own);
  const std::string report = ReadTextFile(digest);
  std::string text =
      report.empty() ? "No profile was made.\n" : "Profile: " + place.string() + "\n";
  text +=
      "Exit status: " + std::to_string(output.status) +
      (output.is_late ? ", ended after " + std::to_string(static_cast<int>(seconds)) + " s" : "") +
      "\n\n" + report;
  if (!output.out.empty()) {
    text += "\n## End of standard output\n\n" + Bounded(output.out, kMostMessageBytes, true);
  }
  if (!output.err.empty()) {
    text += "\n## End of standard error\n\n" + Bounded(output.err, kMostMessageBytes, true);
  }
  return {text, report.empty()};
}

Tool RunTool(const std::string& folder) {
  return {
      "run",
      "Runs a program to its end under csink and answers with its findings. The program gets no "
      "standard input.",
      Schema(
          {{"command", Property("array", "The program and its arguments; no shell")},
           {"seconds", Property("number", "It is ended after so much time (60)")},
           {"stacks", Property("boolean", "Record callers (true)")},
           {"waits", Property("boolean", "Record where threads are blocked (true)")},
           {"critical", Property("boolean", "Record what a faster function would save (false)")}},
          {"command"}),
      false, [folder](const Json& arguments) { return Run(arguments, folder); }};
}

}  // namespace

std::vector<Tool> MakeTools(const std::string& run_folder) {
  std::vector<Tool> tools = {ListTool(), FindingsTool(), ShowTool(), DiffTool()};
  if (!run_folder.empty()) tools.push_back(RunTool(run_folder));
  return tools;
}

}  // namespace csink::tool::mcp
