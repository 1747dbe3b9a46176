"""What a program becomes by exec is steered on: paused stays paused, and the fifo is served and removed."""

import fcntl
import os
import subprocess
import threading

import csink_e2e
from csink_e2e import E2eTest, program_path, total_samples
from control_test import Steered

# A shell that says where it is, waits for a line and then becomes `controlled`.
BECOMES = 'echo "step 0"; read x; exec "$0" "$@"'


class Exec(E2eTest):
    def shell(self, *args, script=BECOMES, **env):
        program = Steered(self, "-c", script, *args, program="/bin/sh", **env)
        program.step()
        return program

    def become(self, program, pid_of_shell=True):
        """Past the exec, to the new image's first step, when it serves the fifo."""
        program.go_on()
        program.step()
        if pid_of_shell:
            self.wait_for(lambda: not os.path.exists(program.fifo + ".next"), "the new image")
        return self.wait_for(lambda: self.status(program), "an answer of the new image")

    def status(self, program):
        code, out, _ = self.run_tool("ctl", "--timeout", 5, program.fifo, "status")
        return out if code == 0 else None

    def controlled(self, steps=2):
        return (program_path("controlled"), "steps", 120, steps)

    def finish(self, program, steps):
        for i in range(steps):
            if i:
                program.step()
            program.go_on()
        run = program.end()
        self.assertEqual((run.status, run.stderr), (0, ""))
        left = [f for f in os.listdir(program.folder) if f.startswith("ctl")]
        self.assertEqual(left, [], "the fifos are removed by the image that ends")
        return run

    def test_paused_by_hand_stays_paused(self):
        program = self.shell(*self.controlled(2))
        self.assertEqual(program.ctl("pause"), "ok paused")
        self.assertIn("ok paused samples 0 ", self.become(program))
        self.assertEqual(program.ctl("resume"), "ok running")
        run = self.finish(program, 2)
        self.assertTrue(80 < total_samples(run.report) < 180, total_samples(run.report))

    def test_resumed_by_hand_runs_on_though_it_was_to_start_paused(self):
        program = self.shell(*self.controlled(1), CSINK_START_PAUSED="1", CSINK_DELAY=None)
        self.assertEqual(program.ctl("resume"), "ok running")
        self.assertIn("ok running", self.become(program))
        self.assertGreater(total_samples(self.finish(program, 1).report), 80)

    def test_stopped_stays_stopped(self):
        program = self.shell(*self.controlled(1), CSINK_MIN_SAMPLES="1")
        self.assertEqual(program.ctl("stop"), "ok stopped")
        self.assertIn("ok stopped", self.become(program))
        program.ctl("resume", status=1)
        program.go_on()
        run = program.end()
        self.assertEqual((run.status, run.stderr), (0, ""))
        self.assertLessEqual(sum(map(total_samples, run.reports)), 10)  # of the shell's start

    def test_what_nobody_touched_starts_as_the_settings_say(self):
        paused = self.shell(*self.controlled(1), CSINK_START_PAUSED="1")
        self.assertIn("ok paused", self.become(paused))
        self.finish(paused, 1)
        running = self.shell(*self.controlled(1))
        self.assertIn("ok running", self.become(running))
        self.finish(running, 1)

    def test_through_two_images(self):
        script = 'echo "step 0"; read x; exec sh -c \'exec "$0" "$@"\' "$0" "$@"'
        program = self.shell(*self.controlled(1), script=script)
        self.assertEqual(program.ctl("pause"), "ok paused")
        self.assertIn("ok paused", self.become(program))
        self.finish(program, 1)

    def test_a_quick_chain_of_images_leaves_nothing_behind(self):
        # The images live about as long as the control thread needs to make the fifos.
        script = 'exec sh -c \'exec sh -c "exec $0 $*" "$0" "$@"\' "$0" "$@"'
        for start_paused in ("0", "1") * 6:
            folder = self.fresh_folder()
            env = csink_e2e.agent_environment(folder, CSINK_CONTROL="ctl", CSINK_START_PAUSED=start_paused)
            run = self.run_command(["/bin/sh", "-c", script, program_path("loop"), "plain", "30"], env, folder)
            self.assertEqual(run.status, 0)
            self.assertEqual([f for f in os.listdir(folder) if f.startswith("ctl")], [])

    def test_a_look_at_the_fifo_does_not_keep_an_image_from_serving_it(self):
        folder = self.fresh_folder()
        fifo = folder + "/ctl"
        os.mkfifo(fifo, 0o600)
        # A shared lock, as csink ctl takes it to see whether the fifo is served; here for longer.
        look = open(fifo, "r+b", buffering=0)
        fcntl.flock(look, fcntl.LOCK_SH)
        threading.Timer(0.2, look.close).start()
        child = subprocess.Popen([program_path("controlled"), "steps", "120", "1"], cwd=folder, text=True,
                                 env=csink_e2e.agent_environment(folder, CSINK_CONTROL="ctl"),
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(child.kill)
        self.wait_for(lambda: self.run_tool("ctl", "--timeout", 5, fifo, "status")[0] == 0, "an answer")
        child.communicate("\n", timeout=csink_e2e.HANG_SECONDS)
        self.assertEqual(child.returncode, 0)

    def test_an_exec_that_fails_leaves_nothing_behind(self):
        script = 'echo "step 0"; read x; exec /nowhere/at/all; '
        # dash ends when exec fails: a subshell of its own would be another process.
        program = self.shell(script=script)
        self.assertEqual(program.ctl("pause"), "ok paused")
        program.go_on()
        run = program.end()
        self.assertEqual(run.status, 127)
        self.assertEqual([f for f in os.listdir(program.folder) if f.startswith("ctl")], [])

    def test_a_child_is_a_process_of_its_own(self):
        script = 'echo "step 0"; read x; "$0" "$@" </dev/null >/dev/null; echo "step 1"; read x'
        program = self.shell(program_path("loop"), "plain", 150, script=script)
        self.assertEqual(program.ctl("pause"), "ok paused")
        program.go_on()
        program.step()
        program.go_on()
        run = program.end()
        self.assertEqual((run.status, run.stderr), (0, ""))
        self.assertEqual([r["processes"][-1]["program"] for r in run.reports], ["loop"])

    def test_a_word_for_another_process_is_not_taken(self):
        folder = self.fresh_folder()
        with open(folder + "/ctl.next", "w", encoding="ascii") as f:
            f.write("csink 1 1 paused ca\n")
        env = csink_e2e.agent_environment(folder, CSINK_CONTROL="ctl")
        run = self.run_command([program_path("loop"), "plain", "100"], env, folder)
        self.assertEqual((run.status, run.stderr), (0, ""))
        self.assertGreater(total_samples(run.report), 60)
        self.assertTrue(os.path.exists(folder + "/ctl.next"))


if __name__ == "__main__":
    csink_e2e.main()
