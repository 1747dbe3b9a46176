"""What programs ask a profile: digest, csink show and csink mcp answer five questions on three profiles in 20,000 bytes."""

import json
import os
import re
import shutil
import subprocess
import sys

import csink_e2e
from csink_e2e import E2eTest, program_path

PYTHON = """
import math
def inner(n):
    return sum(math.sqrt(i) for i in range(n))
for _ in range(12):
    inner(200_000)
"""
# Of all answers to the five questions about the three profiles.
MOST_BYTES = 20_000
ID = r"n[0-9a-f]{7}"

# Asks by the protocol's own client library.
CLIENT = """
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
const [tool, profile] = process.argv.slice(2);
const client = new Client({ name: "test", version: "1" });
await client.connect(new StdioClientTransport({ command: tool, args: ["mcp"] }));
const tools = (await client.listTools()).tools.map((one) => one.name);
const found = await client.callTool({ name: "findings", arguments: { profile } });
const wrong = await client.callTool({ name: "show", arguments: { profile } });
console.log(JSON.stringify({ tools, text: found.content[0].text, wrong: wrong.isError }));
await client.close();
"""


class Server:
    """A csink mcp, asked over its pipes."""

    def __init__(self, *options):
        self.process = subprocess.Popen([os.environ["CSINK_E2E_TOOL"], "mcp", *options], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=csink_e2e.tool_environment())
        self.asked = 0

    def ask(self, method, **params):
        self.asked += 1
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params}) + "\n")
        self.process.stdin.flush()
        reply = json.loads(self.process.stdout.readline())
        assert reply["id"] == self.asked, reply
        return reply["result"]

    def call(self, tool, **arguments):
        """The answer's text, and whether it is an error."""
        result = self.ask("tools/call", name=tool, arguments=arguments)
        return result["content"][0]["text"], result["isError"]

    def close(self):
        if self.process.stdin.closed:
            return self.process.returncode
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait(csink_e2e.HANG_SECONDS)


class Answers(E2eTest):
    def server(self, *options):
        server = Server(*options)
        self.addCleanup(server.close)
        return server

    def kept(self, *command, options=()):
        """The folder of spools of a run."""
        folder = self.fresh_folder()
        status, _, err = self.run_tool("run", *options, "--keep", "-o", os.path.join(folder, "report.txt"), "--", *map(str, command),
                                       CSINK_SPOOL_DIR=folder)
        self.assertEqual(status, 0, err)
        return folder

    def id_of(self, name, text):
        """The id before a name of a digest."""
        found = re.search(f"({ID}) (?:\\| )?`{re.escape(name)}", text)
        self.assertTrue(found, f"{name} in {text}")
        return found[1]

    def test_five_questions_on_three_profiles(self):
        read = 0
        server = self.server()

        def ask(tool, **arguments):
            nonlocal read
            text, is_error = server.call(tool, **arguments)
            self.assertFalse(is_error, text)
            read += len(text.encode())
            return text

        locks = self.kept(program_path("critical_paths"), "convoy", options=("--stacks", "unwind", "--wait", "--critical"))
        calls = self.kept(program_path("callers"), "frames", 300, options=("--stacks", "fp"))
        python = self.kept(sys.executable, "-c", PYTHON, options=("--stacks", "unwind"))
        # 1 What holds the run up, and what would it save?
        digest = ask("findings", profile=locks)
        self.assertRegex(digest, r"1\. `Locked\(\).* holds the run up")
        # 2 Who called the hottest function, and in which line is it?
        shown = ask("show", profile=locks, id=self.id_of("Locked()", digest))
        self.assertIn("Callers", shown)
        self.assertRegex(shown, r"Lines, by share of the samples in it:\n- .*critical_paths\.cpp:\d+`")
        # 3 Which code is that?
        self.assertRegex(shown, r"    \d+\.\d%  \d+  .*g_sink")
        # 4 Where is a program that is not ours hot, and below what?
        digest = ask("findings", profile=python)
        hottest = re.search(rf"\| ({ID}) \| `([^`]+)`", digest)
        self.assertIn("module", ask("show", profile=python, id=hottest[1]).replace("A function in", "module"))
        # 5 What changed between two runs?
        digest = ask("findings", profile=calls)
        self.assertRegex(ask("diff", before=calls, after=calls), r"B/A +1\.000 times as much")
        print(f"{read} bytes were read")
        self.assertLessEqual(read, MOST_BYTES)
        self.assertEqual(server.close(), 0)

    def test_a_wait_is_in_the_programs_function_with_the_hooks_of_the_path(self):
        folder = self.kept(program_path("held_locks"), 1000, options=("--stacks", "unwind", "--wait", "--critical"))
        status, out, err = self.run_tool("report", "--format", "json", folder)
        self.assertEqual(status, 0, err)
        rows = [row for group in json.loads(out)["waits"]["groups"] for row in group["rows"]]
        self.assertTrue(rows)
        for row in rows:
            self.assertNotIn("csink::", row["function"])
            self.assertNotIn(row["module"], ("libagent.so", "libcsink-critical.so"), row)

    def test_json_has_the_same_ids(self):
        folder = self.kept(program_path("callers"), "frames", 300, options=("--stacks", "fp"))
        status, out, err = self.run_tool("report", "--format", "digest-json", folder)
        self.assertEqual(status, 0, err)
        digest = json.loads(out)
        hottest = digest["functions"][0]
        status, out, err = self.run_tool("show", "--format", "json", folder, hottest["id"])
        self.assertEqual(status, 0, err)
        names = json.loads(out)["names"]
        self.assertEqual([one["name"] for one in names], [hottest["name"]])
        self.assertAlmostEqual(names[0]["self"]["share"], hottest["share"], delta=0.0001)
        self.assertGreaterEqual(names[0]["total"]["share"], names[0]["self"]["share"] - 0.0001)

    def test_bad_input(self):
        folder = self.kept(program_path("callers"), "frames", 300)
        for arguments, words in ((("show",), "usage: csink show"), (("show", folder), "usage: csink show")):
            status, _, err = self.run_tool(*arguments)
            self.assertEqual(status, 2, err)
            self.assertIn(words, err)
        status, out, err = self.run_tool("show", folder, "no\x1b[31msuch")
        self.assertEqual((status, out), (1, ""))
        self.assertNotIn("\x1b", err)
        spool = next(os.path.join(place, file) for place, _, files in os.walk(folder) for file in files
                     if file.endswith(".csink") and "tree" not in file)
        with open(spool, "r+b") as file:
            file.truncate(os.path.getsize(spool) // 3)
        for command in (("report", "--format", "digest", spool), ("show", spool, "main")):
            status, out, err = self.run_tool(*command)
            self.assertIn(status, (0, 1), err)
            self.assertLessEqual(len(out.encode()), 6000)

    def test_programs_start_only_where_that_is_allowed(self):
        server = self.server()
        self.assertNotIn("run", [tool["name"] for tool in server.ask("tools/list")["tools"]])
        server.process.stdin.write('{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"run","arguments":'
                                   '{"command":["true"]}}}\n')
        server.process.stdin.flush()
        self.assertIn("unknown tool", json.loads(server.process.stdout.readline())["error"]["message"])
        self.assertEqual(server.close(), 0)

    def test_a_run_is_answered_and_leaves_nothing(self):
        server = self.server("--allow-run")
        text, is_error = server.call("run", command=[program_path("callers"), "frames", "300"])
        self.assertFalse(is_error, text)
        self.assertIn("Exit status: 0", text)
        profile = re.search("^Profile: (.+)$", text, re.M)[1]
        shown, is_error = server.call("show", profile=profile, id=re.search(ID, text)[0])
        self.assertFalse(is_error, shown)
        # What takes too long is ended with all that it started.
        text, _ = server.call("run", command=["sh", "-c", "echo begun; sleep 987"], seconds=1)
        self.assertIn("ended after 1 s", text)
        self.assertIn("begun", text)
        self.assertEqual(subprocess.run(["pgrep", "-f", "^sleep 987"], check=False, stdout=subprocess.DEVNULL).returncode, 1)
        text, is_error = server.call("run", command=["/no/such/program"])
        self.assertTrue(is_error)
        self.assertIn("Exit status: 127", text)
        self.assertEqual(server.close(), 0)
        self.assertFalse(os.path.exists(os.path.dirname(profile)))

    def test_the_protocols_own_client_is_answered(self):
        if not shutil.which("npm") or not shutil.which("node"):
            self.skipTest("npm or node is not installed")
        folder = self.fresh_folder()
        try:
            installed = subprocess.run(
                ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "@modelcontextprotocol/sdk@1"], cwd=folder,
                check=False, capture_output=True, stdin=subprocess.DEVNULL, timeout=csink_e2e.HANG_SECONDS)
        except subprocess.TimeoutExpired:
            self.skipTest("the registry of npm does not answer")
        if installed.returncode:
            self.skipTest("the registry of npm cannot be reached")
        script = os.path.join(folder, "client.mjs")
        with open(script, "w", encoding="utf-8") as file:
            file.write(CLIENT)
        profile = self.kept(program_path("callers"), "frames", 300)
        done = subprocess.run(["node", script, os.environ["CSINK_E2E_TOOL"], profile], cwd=folder, check=False,
                              capture_output=True, text=True, timeout=csink_e2e.HANG_SECONDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["tools"], ["list", "findings", "show", "diff"])
        self.assertIn("# csink digest", answer["text"])
        self.assertIs(answer["wrong"], True)


if __name__ == "__main__":
    csink_e2e.main()
