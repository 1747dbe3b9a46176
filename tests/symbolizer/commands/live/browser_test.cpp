#include "symbolizer/commands/live/browser.h"

#include <gmock/gmock.h>

namespace csink::tool {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Words = std::vector<std::string>;

TEST(BrowserCommands, TakesBrowserFirst) {
  EXPECT_THAT(BrowserCommands({"firefox", ":0", ""}, "file:///a"),
              ElementsAre(Words{"firefox", "file:///a"}));
  EXPECT_THAT(BrowserCommands({"lynx", "", ""}, "file:///a"),
              ElementsAre(Words{"lynx", "file:///a"}));
}

TEST(BrowserCommands, ReadsAListOfCommands) {
  EXPECT_THAT(
      BrowserCommands({"first --new-window %s -x:second a:: :--url=%s", "", ""}, "http://h"),
      ElementsAre(Words{"first", "--new-window", "http://h", "-x"},
                  Words{"second", "a", "http://h"}, Words{"--url=http://h"}));
}

TEST(BrowserCommands, NeedsADisplayForXdgOpen) {
  EXPECT_THAT(BrowserCommands({"", "", ""}, "file:///a"), IsEmpty());
  EXPECT_THAT(BrowserCommands({"", ":0", ""}, "file:///a"),
              ElementsAre(Words{"xdg-open", "file:///a"}));
  EXPECT_THAT(BrowserCommands({"", "", "wayland-0"}, "file:///a"),
              ElementsAre(Words{"xdg-open", "file:///a"}));
}

TEST(BrowserCommands, LeavesNothingToAShell) {
  EXPECT_THAT(BrowserCommands({"a$(id) ;b 'c d'", "", ""}, "file:///$(id);x y"),
              ElementsAre(Words{"a$(id)", ";b", "'c", "d'", "file:///$(id);x y"}));
}

TEST(FileAddress, EscapesWhatAnAddressCannotHave) {
  EXPECT_EQ(FileAddress("/run/user/0/csink-view.aB3/page.html"),
            "file:///run/user/0/csink-view.aB3/page.html");
  EXPECT_EQ(FileAddress("/a b%#?\n\xc3\xa4"), "file:///a%20b%25%23%3F%0A%C3%A4");
}

TEST(StartBrowser, TriesTheCommandsInTheirOrder) {
  EXPECT_FALSE(StartBrowser({}));
  EXPECT_FALSE(StartBrowser({{"/nonexistent/browser", "x"}}));
  EXPECT_FALSE(StartBrowser({{"false"}}));
  EXPECT_TRUE(StartBrowser({{"/nonexistent/browser", "x"}, {"false"}, {"true"}}));
}

TEST(StartBrowser, DoesNotWaitForABrowserThatRuns) { EXPECT_TRUE(StartBrowser({{"sleep", "5"}})); }

}  // namespace
}  // namespace csink::tool
