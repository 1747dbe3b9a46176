"""CSINK_FOLLOW, CSINK_INCLUDE, CSINK_EXCLUDE: which processes are profiled, and which cannot be."""

import os
import re

import csink_e2e
from csink_e2e import E2eTest, samples_of


def children(run):
    """{number: {word: count}} of the lines `child N mark N ...` on stdout."""
    found = {}
    for line in run.stdout.splitlines():
        words = line.split()
        if words[:1] == ["child"]:
            found[int(words[1])] = dict(zip(words[2::2], map(int, words[3::2])))
    return found


class FollowTest(E2eTest):
    def pids(self, run):
        return sorted(r["pid"] for r in run.reports)

    def others(self, run):
        return [r for r in run.reports if r["pid"] != run.pid]


class None_(FollowTest):
    def test_forked_children_are_left_alone(self):
        run = self.profile("forks", "fork", 3, 60, CSINK_FOLLOW="none")
        self.assertEqual(run.stdout, "wrong 0\n")
        self.assertEqual(self.pids(run), [run.pid])
        self.assertEqual(samples_of(run.report, "ChildWork"), 0)

    def test_an_image_that_takes_our_place_is_left_alone(self):
        run = self.profile("forks", "exec_chain", 2, 60, CSINK_FOLLOW="none")
        self.assertEqual(run.reports, [])  # the first image was replaced, its spool stays
        self.assertEqual(len(run.spools), 1, run.spools)
        kept = self.report_of_spool(*run.spools)
        self.assertLess(samples_of(kept, "ChildWork"), 80)

    def test_shells_of_system_and_popen_are_left_alone(self):
        script = "import os; [i for i in range(1500000)]; os.system('%s 210')" % (
            csink_e2e.program_path("split"))
        run = self.profile("/usr/bin/python3", "-c", script, CSINK_FOLLOW="none")
        self.assertEqual(self.pids(run), [run.pid])


class Fork(FollowTest):
    def test_forked_children_are_profiled_and_what_they_execute_is_not(self):
        run = self.profile("forks", "exec_variants", 1, 60, CSINK_FOLLOW="fork")
        self.assertEqual(run.stdout, "wrong 0\n")
        images = run.reports + [self.report_of_spool(s) for s in run.spools]
        self.assertEqual(len(images), 9)
        for report in images:
            self.assertEqual([p["generation"] for p in report["processes"]], [0])
            self.assertGreater(samples_of(report, "ChildWork"), 40)

    def test_spawned_programs_are_left_alone(self):
        run = self.profile("follow", "attributes", 60, CSINK_FOLLOW="fork")
        self.assertEqual(run.stdout, "wrong 0\n")
        self.assertEqual(self.pids(run), [run.pid])


class Exec(FollowTest):
    def test_an_environment_without_us_is_respected(self):
        run = self.run_agent("follow", "environment", 60, CSINK_LOG="info")
        self.assertEqual(run.status, 0, run.stdout)
        shown = children(run)
        self.assertEqual(len(shown), 8, run.stdout)
        for counts in shown.values():
            self.assertEqual(counts, {"mark": 1, "preload": 0, "events": 0, "variables": 2})
        self.assertEqual(self.others(run), [])
        named = [l for l in run.own_lines if "not followed" in l]
        self.assertEqual(len(named), 8, run.stderr)
        self.assertIn("CSINK_FOLLOW=all", named[0])

    def test_spawn_attributes_and_errors_are_the_programs_own(self):
        run = self.profile("follow", "attributes", 60)
        self.assertEqual(run.stdout, "wrong 0\n")
        self.assertEqual(len(self.others(run)), 1)

    def test_fork_in_a_signal_handler(self):
        run = self.profile("follow", "handler", 60)
        self.assertEqual(run.stdout, "wrong 0\n")
        self.assertEqual(len(self.others(run)), 4)
        for child in self.others(run):
            self.assertGreater(samples_of(child, "ChildWork"), 40)
            self.assertEqual(samples_of(child, "ParentWork"), 0)
        self.assertEqual(samples_of(run.report, "ChildWork"), 0)


class All(FollowTest):
    def test_every_exec_function_gets_us_back(self):
        run = self.run_agent("follow", "environment", 60, CSINK_FOLLOW="all")
        self.assertEqual((run.status, run.stderr), (0, ""), run.stdout)
        shown = children(run)
        self.assertEqual(len(shown), 8, run.stdout)
        for counts in shown.values():
            self.assertEqual((counts["mark"], counts["preload"], counts["events"]), (1, 1, 1))
        self.assertEqual(len(self.others(run)), 8)
        for child in self.others(run):
            self.assertGreater(samples_of(child, "ChildWork"), 40)

    def test_what_is_there_is_not_put_in_twice(self):
        run = self.profile("forks", "exec_variants", 1, 30, CSINK_FOLLOW="all")
        self.assertEqual(run.stdout, "wrong 0\n")

    def test_an_environment_at_a_wrong_address_is_refused_as_ever(self):
        for follow in ("all", "fork", "exec"):
            with self.subTest(follow):
                run = self.run_agent("follow", "wrong", 1, CSINK_FOLLOW=follow, CSINK_LOG="info")
                self.assertEqual((run.status, run.stdout), (0, "wrong 0\n"), run.stderr)

    def test_a_program_of_another_users_rights_gets_nothing(self):
        self.need_root()
        program = os.path.join(self.folder, "printenv")
        with open("/usr/bin/printenv", "rb") as f, open(program, "wb") as out:
            out.write(f.read())
        os.chown(program, 65534, 65534)
        os.chmod(program, 0o4755)
        script = "import os; [i for i in range(1500000)]; os.execve('%s', ['printenv'], {'A': 'b'})"
        run = self.run_agent("/usr/bin/python3", "-c", script % program, CSINK_FOLLOW="all",
                             CSINK_LOG="info")
        self.assertEqual((run.status, run.stdout), (0, "A=b\n"))
        self.assertTrue(any("is setuid" in l for l in run.own_lines), run.stderr)


class Lists(FollowTest):
    SHELL = "split 210; true; loop plain 60; sh -c 'loop plain 60; :'; :"

    def programs(self, **env):
        path = csink_e2e.PROGRAMS + ":/usr/bin:/bin"
        run = self.profile("sh", "-c", self.SHELL, PATH=path, **env)
        return sorted(r["command"].split()[0] for r in run.reports)

    def test_by_name(self):
        self.assertEqual(self.programs(CSINK_INCLUDE="split"), ["split"])
        self.assertEqual(self.programs(CSINK_INCLUDE="sp.*;lo+p"), ["loop", "loop", "split"])
        self.assertEqual(self.programs(CSINK_EXCLUDE="name:loop"), ["split"])
        self.assertEqual(self.programs(CSINK_INCLUDE="spli"), [])

    def test_by_path_and_arguments(self):
        self.assertEqual(self.programs(CSINK_INCLUDE="path:/programs/s"), ["split"])
        self.assertEqual(self.programs(CSINK_EXCLUDE=r"args:^split\s2\d0$"), ["loop", "loop"])

    def test_by_depth(self):
        self.assertEqual(self.programs(CSINK_INCLUDE="depth:1"), ["loop", "split"])
        self.assertEqual(self.programs(CSINK_INCLUDE="depth:2-9"), ["loop"])
        self.assertEqual(self.programs(CSINK_EXCLUDE="depth:1-2"), [])

    def test_what_is_left_out_still_hands_us_on(self):
        self.assertEqual(self.programs(CSINK_EXCLUDE="dash;sh"), ["loop", "loop", "split"])

    def test_only_leaves(self):
        busy = "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; "
        path = csink_e2e.PROGRAMS + ":/usr/bin:/bin"
        run = self.profile("sh", "-c", busy + "loop plain 60; :", PATH=path)
        self.assertEqual(len(run.reports), 2)
        run = self.profile("sh", "-c", busy + "loop plain 60; :", PATH=path, CSINK_INCLUDE="leaf")
        self.assertEqual([r["command"].split()[0] for r in run.reports], ["loop"])
        self.assertEqual(run.spools, [])
        run = self.profile("sh", "-c", busy + "loop plain 60; :", PATH=path, CSINK_EXCLUDE="leaf")
        self.assertEqual([r["command"].split()[0] for r in run.reports], ["sh"])

    def test_a_mistake_is_one_line_that_names_the_item(self):
        path = csink_e2e.PROGRAMS + ":/usr/bin:/bin"
        run = self.run_agent("sh", "-c", self.SHELL, PATH=path, CSINK_EXCLUDE="lo(op depth:x")
        self.assertEqual(run.status, 0)
        self.assertEqual(len(run.own_lines), 1, run.stderr)
        self.assertTrue(re.search(r"CSINK_EXCLUDE: 'lo\(op: not a regular", run.own_lines[0]))
        self.assertEqual(len(run.reports), 3)


if __name__ == "__main__":
    csink_e2e.main()
