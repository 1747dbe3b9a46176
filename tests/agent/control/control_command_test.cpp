#include "agent/control/control_command.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "agent/control/control_fifo.h"

namespace csink::agent {
namespace {

using Kind = ControlCommand::Kind;

std::string Argument(std::string_view line) {
  return std::string(ParseControlCommand(line).argument);
}
std::string Complaint(std::string_view line) {
  const ControlCommand command = ParseControlCommand(line);
  EXPECT_EQ(command.kind, Kind::kBad) << line;
  return std::string(command.complaint.view());
}

TEST(ControlCommand, KnowsEveryWord) {
  EXPECT_EQ(ParseControlCommand("pause").kind, Kind::kPause);
  EXPECT_EQ(ParseControlCommand("resume").kind, Kind::kResume);
  EXPECT_EQ(ParseControlCommand("reset").kind, Kind::kReset);
  EXPECT_EQ(ParseControlCommand("status").kind, Kind::kStatus);
  EXPECT_EQ(ParseControlCommand("stop").kind, Kind::kStop);
  EXPECT_EQ(ParseControlCommand("snapshot").kind, Kind::kSnapshot);
  EXPECT_EQ(ParseControlCommand("mark x").kind, Kind::kMark);
}

TEST(ControlCommand, BlanksAndCarriageReturnsDoNotCount) {
  EXPECT_EQ(ParseControlCommand(" \tpause \r").kind, Kind::kPause);
  EXPECT_EQ(Argument("mark   two words \r"), "two words");
  EXPECT_EQ(Argument("snapshot /tmp/a b.json"), "/tmp/a b.json");
}

TEST(ControlCommand, EmptyLinesAndCommentsAreNothing) {
  for (const char* line : {"", "  ", "\r", "# pause"}) {
    EXPECT_EQ(ParseControlCommand(line).kind, Kind::kNone) << line;
  }
}

TEST(ControlCommand, NamesTheNearestWord) {
  EXPECT_EQ(Complaint("paus"), "unknown command 'paus' (did you mean pause?)");
  EXPECT_EQ(Complaint("Resume"), "unknown command 'Resume' (did you mean resume?)");
  EXPECT_EQ(Complaint("quit now"),
            "unknown command 'quit' (pause, resume, snapshot, reset, mark, status, stop)");
}

TEST(ControlCommand, SaysWhatAnArgumentIs) {
  EXPECT_EQ(Complaint("pause 5"), "pause does not accept an argument");
  EXPECT_EQ(Complaint("mark"), "mark needs an argument");
  EXPECT_EQ(Complaint("mark a\x01"
                      "b"),
            "mark: the argument must not contain control characters");
  EXPECT_EQ(Complaint(std::string_view("snapshot a\0b", 12)),
            "snapshot: the argument must not contain control characters");
}

TEST(ControlCommand, ShowsNoBytesThatATerminalWouldObey) {
  EXPECT_EQ(Complaint(std::string_view("\x1b[2J\xff\0", 6)).find('\x1b'), std::string::npos);
  EXPECT_EQ(Complaint(std::string(5000, 'x')),
            "unknown command '" + std::string(40, 'x') +
                "...' (pause, resume, snapshot, reset, mark, status, stop)");
}

std::vector<std::string> Lines(const std::vector<std::string>& pieces) {
  ControlLines lines;
  std::vector<std::string> seen;
  for (const std::string& piece : pieces) {
    lines.Feed(piece, [&](std::string_view line, bool too_long) {
      seen.push_back(too_long ? "(too long)" : std::string(line));
    });
  }
  return seen;
}

TEST(ControlLines, PutsPiecesTogether) {
  EXPECT_EQ(Lines({"pa", "use\nres", "ume\n", "rest"}),
            (std::vector<std::string>{"pause", "resume"}));
}

TEST(ControlLines, OneLineTooLongIsOneMistake) {
  const std::string longest(ControlLines::kMaxLine, 'a');
  EXPECT_EQ(Lines({longest + "\n"}), (std::vector<std::string>{longest}));
  EXPECT_EQ(Lines({longest, longest, longest + "\nstatus\n"}),
            (std::vector<std::string>{"(too long)", "status"}));
}

std::string Expanded(std::string_view text) {
  Text<640> path;
  ExpandControlPath(text, "/start", 42, path);
  return std::string(path.view());
}

TEST(ControlPath, FillsInThePid) {
  EXPECT_EQ(Expanded("/run/ctl.%p"), "/run/ctl.42");
  EXPECT_EQ(Expanded("ctl"), "/start/ctl");
  EXPECT_EQ(Expanded("/a%%p%x%"), "/a%p%x%");
  EXPECT_TRUE(HasPid("a%p"));
  EXPECT_FALSE(HasPid("a%%p"));
  EXPECT_FALSE(HasPid("%"));
}

}  // namespace
}  // namespace csink::agent
