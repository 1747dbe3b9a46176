#include "symbolizer/commands/show/annotate_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "symbolizer/commands/console/exit_codes.h"
#include "symbolizer/commands/console/messages.h"
#include "symbolizer/commands/console/usage.h"
#include "symbolizer/commands/load/load_profile.h"
#include "symbolizer/commands/load/spool_files.h"
#include "symbolizer/commands/load/targets.h"
#include "symbolizer/report/annotate/annotation_json.h"
#include "symbolizer/report/annotate/function_choice.h"
#include "symbolizer/report/text/text.h"

/// File: `csink annotate`: loads the spools, builds a report with all addresses and inlined
/// functions, chooses the function by name, annotates it and writes the result. Problems of modules
/// are printed before the error about the name, because a module without symbols may be the reason
/// why the name is not found.

namespace csink::tool {
namespace {

/// Text behind the options in --help.
constexpr char kNotes[] =
    "FUNCTION is a name, the end or a part of a name, or MODULE:FUNCTION. Without FILE, FOLDER or "
    "PID:\n"
    "the newest spool. CSINK_SOURCE_PREFIX=FROM=TO[:FROM=TO...] works like --source-prefix.\n"
    "Exit status: 0; 1 nothing to show, or no such function; 2 wrong use.\n"
    "Example: csink annotate lzma_code /tmp/spools";

/// The layout of --show; the option's check has refused other words.
annotate::Layout LayoutOf(const AnnotateChoices& choices) {
  if (choices.show == "mixed") return annotate::Layout::kMixed;
  if (choices.show == "source") return annotate::Layout::kSource;
  if (choices.show == "code") return annotate::Layout::kCode;
  return annotate::Layout::kBoth;
}

/// Prints why no function was chosen, with the names that come into question.
void ExplainChoice(const annotate::Choice& choice, const std::string& wanted) {
  std::string list;
  for (const std::string& candidate : choice.candidates) {
    list += (list.empty() ? "" : ", ") + candidate;
  }
  if (choice.is_ambiguous) {
    Complain(wanted + " is ambiguous: " + list);
  } else {
    Complain("no samples in a function named " + wanted +
             (list.empty() ? "; csink report lists the functions with samples"
                           : "; did you mean " + list + "?"));
  }
}

/// Reports why the modules of the chosen functions have no names or lines; for all modules with
/// samples if no function was found.
void TellModuleProblems(const report::Report& report,
                        const std::vector<annotate::SampledFunction>& functions,
                        const std::vector<std::size_t>& chosen) {
  for (const report::ModuleProblem& module : report.verdict.modules_without_symbols) {
    const bool is_meant =
        chosen.empty() || std::any_of(chosen.begin(), chosen.end(), [&](std::size_t i) {
          return functions[i].module == module.module;
        });
    if (is_meant && !module.problem.empty()) Warn(module.module + ": " + module.problem);
  }
}

/// The annotations as text, with an empty line between them.
std::string WriteAll(const report::Report& report,
                     const std::vector<annotate::Annotation>& annotations, annotate::Layout layout,
                     const report::TextStyle& style) {
  std::string text;
  for (const auto& annotation : annotations) {
    if (!text.empty()) text += "\n";
    text += annotate::WriteAnnotation(report, annotation, layout, style);
  }
  return text;
}

}  // namespace

// Prefixes of the command line come before those of the variable, so that they are tried first.
annotate::Settings SettingsOf(const AnnotateChoices& choices) {
  annotate::Settings settings;
  settings.syntax = choices.syntax == "intel" ? annotate::Syntax::kIntel : annotate::Syntax::kAtt;
  settings.context = choices.context;
  settings.show_all = choices.all;
  settings.with_code = choices.show != "source";
  for (const std::string& text : choices.prefixes) {
    if (auto map = annotate::ParsePrefixMap(text)) settings.prefixes.push_back(std::move(*map));
  }
  std::vector<std::string> bad;
  const char* variable = std::getenv("CSINK_SOURCE_PREFIX");
  auto more = annotate::ParsePrefixMaps(variable != nullptr ? variable : "", bad);
  for (const std::string& text : bad) {
    Warn("CSINK_SOURCE_PREFIX: " + text + " is ignored: expected FROM=TO");
  }
  settings.prefixes.insert(settings.prefixes.end(), more.begin(), more.end());
  return settings;
}

void AddSourcePrefix(CLI::App& command, AnnotateChoices& choices) {
  command
      .add_option("--source-prefix", choices.prefixes,
                  "Source files whose recorded path begins with FROM are below TO")
      ->check([](const std::string& text) {
        return annotate::ParsePrefixMap(text) ? std::string()
                                              : text + " is not of the form FROM=TO";
      })
      // One value each time, so that FUNCTION may follow.
      ->allow_extra_args(false)
      ->type_name("FROM=TO");
}

void AddAnnotateChoices(CLI::App& command, AnnotateChoices& choices) {
  command
      .add_option("--syntax", choices.syntax,
                  "Syntax of x86-64 instructions: att (default) or intel")
      ->check(CLI::IsMember({"att", "intel"}))
      ->type_name("SYNTAX");
  command
      .add_option("--show", choices.show,
                  "both (default): sources, then instructions; mixed: instructions below their\n"
                  "lines; source; code")
      ->check(CLI::IsMember({"both", "mixed", "source", "code"}))
      ->type_name("WHAT");
  AddSourcePrefix(command, choices);
  command
      .add_option("--context", choices.context,
                  "Rows before and after hot rows of a long function (4)")
      ->check(CLI::Range(0, 1000))
      ->type_name("N");
  command.add_flag("--all", choices.all, "Show all rows of a long function");
}

void AddAnnotate(CLI::App& app, std::string& format, AnnotateOptions& options) {
  CLI::App& annotate = *app.add_subcommand(
      "annotate", "Show the samples of a function by source line and instruction");
  AddAnnotateChoices(annotate, options.choices);
  annotate.add_option("--format", format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT");
  annotate.add_option("--phase", options.view.phase, "Only samples after the mark of this name")
      ->type_name("NAME");
  annotate.add_option("-o,--output", options.output.file, "Output file, as for csink report")
      ->type_name("FILE");
  annotate.add_option("function", options.function, "The function")
      ->required()
      ->type_name("FUNCTION");
  annotate.add_option("targets", options.targets, "Spools, folders of spools, process numbers")
      ->type_name("FILE|FOLDER|PID");
  annotate.formatter(std::make_shared<Usage>(" FUNCTION [FILE|FOLDER|PID...]"));
  annotate.footer(kNotes);
}

int RunAnnotate(const AnnotateOptions& options, const report::Resolver& resolve) {
  std::size_t failed = 0;
  const std::vector<std::string> paths =
      options.targets.empty() ? NewestSpools() : SpoolsOfAll(options.targets, failed);
  if (options.targets.empty() && paths.empty()) {
    Complain("no spool was found; usage: csink annotate FUNCTION FILE|FOLDER|PID");
    return kExitNothing;
  }
  // Callers and threads do not matter here, so places are not divided by them.
  Profile profile = LoadProfile(paths, failed,
                                {.keep_callers = false,
                                 .keep_phases = !options.view.phase.empty(),
                                 .keep_threads = false,
                                 .only_phase = options.view.phase});
  if (profile.processes.empty() || !HasSamples(profile, options.view, paths[0])) {
    return kExitNothing;
  }
  const report::Report report =
      report::BuildReport(std::move(profile), resolve,
                          {.keep_addresses = true, .detail = symbolizer::Detail::kInlines});
  const auto functions = annotate::SampledFunctions(report);
  const auto choice = annotate::ChooseFunction(functions, options.function);
  // An ambiguous name has been found, so that missing symbols are not the reason.
  if (!choice.is_ambiguous) TellModuleProblems(report, functions, choice.functions);
  if (choice.functions.empty()) {
    ExplainChoice(choice, options.function);
    return kExitNothing;
  }
  const annotate::Settings settings = SettingsOf(options.choices);
  std::vector<annotate::Annotation> annotations;
  // Several functions: static ones of one name in one module (ChooseFunction).
  for (const std::size_t i : choice.functions) {
    annotations.push_back(annotate::Annotate(report, functions[i], resolve, settings));
  }
  const bool written =
      WriteMade(report.profile, options.output, [&](const report::TextStyle& style) {
        if (options.output.format == ReportFormat::kJson) {
          return annotate::WriteAnnotationsJson(report, annotations);
        }
        return WriteAll(report, annotations, LayoutOf(options.choices), style);
      });
  return written && failed == 0 ? 0 : kExitNothing;
}

// The functions are sorted by weight, so that the first ones are the hottest.
bool WriteAnnotatedReport(const report::Report& report, std::size_t count,
                          const AnnotateChoices& choices, const OutputOptions& output,
                          const report::Resolver& resolve) {
  const auto functions = annotate::SampledFunctions(report);
  const annotate::Settings settings = SettingsOf(choices);
  std::vector<annotate::Annotation> annotations;
  for (std::size_t i = 0; i < std::min(count, functions.size()); ++i) {
    annotations.push_back(annotate::Annotate(report, functions[i], resolve, settings));
  }
  return WriteMade(report.profile, output, [&](const report::TextStyle& style) {
    if (output.format == ReportFormat::kJson) {
      return annotate::WriteReportWithAnnotations(report, annotations);
    }
    return report::WriteText(report, style) + "\n" +
           WriteAll(report, annotations, LayoutOf(choices), style);
  });
}

}  // namespace csink::tool
