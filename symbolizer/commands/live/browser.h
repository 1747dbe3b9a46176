#pragma once

#include <string>
#include <vector>

/// File: shows an address in the user's browser.

namespace csink::tool {

/// The variables that decide about the browser. Empty: not set.
struct BrowserSettings {
  /// BROWSER: commands separated by colons, the best first. "%s" stands for the address, which
  /// otherwise becomes the last argument.
  std::string browser;
  /// DISPLAY and WAYLAND_DISPLAY.
  std::string display;
  std::string wayland;
};

/// The settings of this process.
BrowserSettings BrowserSettingsOfEnvironment();

/// The commands to try, the best first, as argument vectors: those of BROWSER, which are divided at
/// blanks and otherwise used as they are; without BROWSER `xdg-open`, if there is a display. Empty:
/// there is no browser to start.
std::vector<std::vector<std::string>> BrowserCommands(const BrowserSettings& settings,
                                                      const std::string& address);

/// "file:///tmp/a%20b" of an absolute path.
std::string FileAddress(const std::string& path);

/// Starts the first command that can be started, without a shell, with /dev/null as its stdin,
/// stdout and stderr, in a session of its own: Ctrl-C does not reach it. Returns whether a command
/// was started that did not fail within a second. Does not wait longer: a browser may run for
/// hours.
bool StartBrowser(const std::vector<std::vector<std::string>>& commands);

}  // namespace csink::tool
