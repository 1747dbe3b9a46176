"""csink view: the page in a file, and the live page of a running program."""

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import stat
import subprocess
import time
import urllib.parse

from csink_e2e import (E2eTest, HANG_SECONDS, TOOL, agent_environment, main, program_path,
                       tool_environment, wait_until_burned)

DATA = re.compile(r'<script type="application/json" id="csink-data">(.*?)</script>', re.DOTALL)


def samples_in(profile):
    return sum(sum(event["samples"]) for event in profile["samples"]["events"])


class View(E2eTest):
    def setUp(self):
        super().setUp()
        self.private = os.path.join(self.folder, "private")
        os.mkdir(self.private, mode=0o700)
        self.asked_for = os.path.join(self.folder, "asked_for")
        self.script = os.path.join(self.folder, "browser.sh")
        with open(self.script, "w", encoding="utf-8") as out:
            out.write(f'printf "%s\\n" "$#" "$@" > {self.asked_for}.new; mv {self.asked_for}.new {self.asked_for}\n')

    def environment(self, **changes):
        return {"XDG_RUNTIME_DIR": self.private, "BROWSER": f"/bin/sh {self.script}"} | changes

    def view(self, *args, **changes):
        return self.run_tool("view", *args, **self.environment(**changes))

    def opened(self):
        """The only argument that the browser got."""
        self.wait_for(lambda: os.path.exists(self.asked_for), "a call of the browser")
        with open(self.asked_for, encoding="utf-8") as text:
            lines = text.read().splitlines()
        self.assertEqual(lines[0], "1", lines)
        self.assertEqual(len(lines), 2, lines)
        return lines[1]

    def kept(self):
        run = self.run_agent("split", 300, 1, CSINK_KEEP="1")
        self.assertEqual(run.status, 0, run.stderr)
        self.assertEqual(len(run.spools), 1)
        return run

    # --- a page in a file -------------------------------------------------------

    def check_page(self, address, report):
        path = urllib.parse.unquote(address.removeprefix("file://"))
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode), 0o700)
        self.assertEqual(os.path.dirname(os.path.dirname(path)), self.private)
        with open(path, encoding="utf-8") as text:
            page = text.read()
        self.assertNotIn("connect-src", page)
        self.assertNotIn("fetch(", page)
        profile = json.loads(DATA.search(page).group(1))["profiles"][0]
        self.assertEqual(samples_in(profile), report["events"][0]["samples"])
        return path

    def test_a_spool_a_folder_and_the_newest(self):
        run = self.kept()
        report = self.report_of_spool(*run.spools)
        pages = set()
        for args, changes in (([run.spools[0]], {}), ([run.spool_folder], {}), ([], {"CSINK_SPOOL_DIR": run.spool_folder}),
                              (["--", run.spools[0]], {})):
            if os.path.exists(self.asked_for):
                os.unlink(self.asked_for)
            status, out, err = self.view(*args, **changes)
            self.assertEqual((status, err), (0, ""), args)
            self.assertEqual(out.splitlines(), [self.opened()])
            pages.add(self.check_page(out.strip(), report))
        self.assertEqual(len(pages), 4, "a page for each call, which stays")

    def test_without_a_browser(self):
        spool = self.kept().spools[0]
        report = self.report_of_spool(spool)
        status, out, err = self.view("--no-browser", spool)
        self.assertEqual((status, err), (0, ""))
        self.check_page(out.strip(), report)
        for browser in ("/nonexistent/browser", "false", "/nonexistent/browser:false %s"):
            status, out, err = self.view(spool, BROWSER=browser)
            self.assertEqual(status, 0, err)
            self.check_page(out.strip(), report)
            self.assertIn("no browser could be started", err)
            self.assertEqual(len(err.splitlines()), 1)
        self.assertFalse(os.path.exists(self.asked_for))

    def test_no_place_for_the_page(self):
        spool = self.kept().spools[0]
        status, out, err = self.view(spool, XDG_RUNTIME_DIR="/nonexistent", TMPDIR="/nonexistent/too")
        self.assertEqual((status, out), (1, ""))
        self.assertEqual(len(err.splitlines()), 1, err)
        self.assertIn("cannot make a private folder in /nonexistent/too", err)
        status, out, err = self.view(spool, XDG_RUNTIME_DIR="/nonexistent", TMPDIR=self.private)
        self.assertEqual(status, 0, err)
        self.assertIn(self.private, out)

    def test_what_cannot_be_shown(self):
        empty = self.fresh_folder()
        text = os.path.join(empty, "text")
        with open(text, "w", encoding="utf-8") as out:
            out.write("no spool\n")
        for args, expected in (([text], 1), ([os.path.join(empty, "spool")], 1), ([], 1), (["/nonexistent"], 1), ([str(0x7ffffff0)], 1),
                               (["--port", "8080", text], 2), (["--tree", text], 2), (["--port", "0", "1"], 2),
                               (["--port", "70000", "1"], 2), ([text, text], 2), ([text, "--", text], 2)):
            status, out, err = self.view(*args, CSINK_SPOOL_DIR=os.path.join(empty, "spool"))
            self.assertEqual((status, out), (expected, ""), (args, err))
            self.assertEqual(len(err.splitlines()), 1, (args, err))
        self.assertEqual(os.listdir(self.private), [])
        self.assertFalse(os.path.exists(self.asked_for))

    # --- a live page ------------------------------------------------------------

    def program(self, *command):
        folder = self.fresh_folder()
        child = subprocess.Popen([program_path(command[0])] + [str(a) for a in command[1:]], env=agent_environment(folder),
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder, start_new_session=True)
        self.addCleanup(self.stop, child)
        wait_until_burned(child.pid, 0.2)
        return child

    @staticmethod
    def stop(child):
        if child.poll() is None:
            child.kill()
        child.wait()

    def live(self, pid, *options, **changes):
        """csink view of a process: (its process, port, path with the token)."""
        viewer = subprocess.Popen([TOOL, "view", *options, str(pid)], env=tool_environment(**self.environment(**changes)),
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(viewer.stderr.close)
        self.addCleanup(viewer.stdout.close)
        self.addCleanup(self.stop, viewer)
        address = viewer.stdout.readline()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)(/[0-9a-f]{32,}/)\n", address)
        self.assertTrue(found, address)
        return viewer, int(found.group(1)), found.group(2)

    def ask(self, port, path, method="GET", **headers):
        """(status, headers, body) of one request."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=HANG_SECONDS)
        try:
            connection.request(method, path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode("utf-8")
        finally:
            connection.close()

    def test_a_live_page_follows_the_program_to_its_end(self):
        child = self.program("split", 6000, 1)
        viewer, port, path = self.live(child.pid, "--no-browser")
        status, headers, page = self.ask(port, path)
        self.assertEqual((status, headers["Content-Type"]), (200, "text/html; charset=utf-8"))
        self.assertEqual(headers["Referrer-Policy"], "no-referrer")
        self.assertIn("connect-src 'self'; base-uri 'none'", page)
        self.assertIn("default-src 'none'", page)
        self.assertIn("fetch(", page)
        first = json.loads(DATA.search(page).group(1))["profiles"][0]

        seen = [samples_in(first)]
        version, ended, last = 0, False, None
        deadline = time.monotonic() + HANG_SECONDS
        while not ended:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.2)
            status, headers, text = self.ask(port, f"{path}data?after={version}")
            ended = headers["X-Csink-State"] == "ended"
            if status == 204:
                self.assertEqual(text, "")
                continue
            self.assertEqual((status, headers["Content-Type"]), (200, "application/json"))
            self.assertGreater(int(headers["X-Csink-Version"]), version)
            version = int(headers["X-Csink-Version"])
            last = json.loads(text)["profiles"][0]
            seen.append(samples_in(last))
        self.assertEqual(seen, sorted(seen))
        self.assertGreater(len(set(seen)), 2, seen)
        self.assertEqual(child.wait(), 0)
        self.assertTrue([name for name in last["names"] if "Sixty" in name], last["names"])
        self.assertTrue(last["sources"], "the last state has the source")
        self.assertEqual(first["sources"], [])
        self.assertEqual(viewer.wait(HANG_SECONDS), 0)
        self.assertEqual(viewer.stderr.read(), "")
        self.assertEqual(os.listdir(self.private), [])

    def test_only_the_page_gets_an_answer(self):
        child = self.program("split", 20000, 1)
        _, port, path = self.live(child.pid, "--no-browser")
        for wrong in ("/", "/data", path[:-1], "/" + "0" * 32 + "/", path.replace("/", "//"), path + "x", path + "../etc/passwd",
                      "/favicon.ico", path.upper().replace("/", "/x")):
            self.assertEqual(self.ask(port, wrong)[0], 404, wrong)
        for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}", f"[::1]:{port}"):
            for what in ("", "data?after=0", "alive"):
                status, headers, text = self.ask(port, path + what, Host=host)
                self.assertEqual((status, headers["X-Csink-State"]), (404, None), host)
                self.assertNotIn("csink", text)
        self.assertEqual(self.ask(port, path + "alive", Host=f"localhost:{port}")[0], 204)
        for method in ("HEAD", "POST", "PUT", "DELETE", "OPTIONS"):
            self.assertEqual(self.ask(port, path, method)[0], 501, method)
        # Half a request, and much of one, hinder nobody else.
        for text in (b"GET " + path.encode(), b"GET / HTTP/1.1\r\n" + b"X: " + b"x" * 100_000):
            other = socket.create_connection(("127.0.0.1", port))
            self.addCleanup(other.close)
            with contextlib.suppress(ConnectionError):  # refused before the end
                other.sendall(text)
            self.assertEqual(self.ask(port, path + "alive")[0], 204)
        with open(f"/proc/{child.pid}/net/tcp", encoding="ascii") as table:
            local = [row.split()[1] for row in table.readlines()[1:] if row.split()[3] == "0A"]
        self.assertIn(f"0100007F:{port:04X}", local, "it listens on 127.0.0.1 alone")

    def test_a_request_with_two_hosts_and_one_that_never_ends(self):
        child = self.program("split", 60000, 1)
        _, port, path = self.live(child.pid, "--no-browser")
        host = f"Host: 127.0.0.1:{port}\r\n"
        with socket.create_connection(("127.0.0.1", port)) as two:
            two.sendall(f"GET {path}alive HTTP/1.1\r\n{host}Host: evil.example\r\n\r\n".encode())
            self.assertTrue(two.recv(100).startswith(b"HTTP/1.1 400 "))
        with socket.create_connection(("127.0.0.1", port)) as slow:
            slow.sendall(f"GET {path}alive HTTP/1.1\r\n".encode())
            slow.settimeout(5)
            closed = False
            for _ in range(int(HANG_SECONDS / 5)):
                try:
                    slow.sendall(b"X: y\r\n")  # Something every 5 s
                    closed = slow.recv(100) == b""
                except TimeoutError:
                    continue
                except ConnectionError:
                    closed = True
                break
            self.assertTrue(closed)
        self.assertEqual(self.ask(port, path + "alive")[0], 204)

    def test_ctrl_c_ends_it(self):
        child = self.program("split", 20000, 1)
        for sign in (signal.SIGINT, signal.SIGTERM):
            if os.path.exists(self.asked_for):
                os.unlink(self.asked_for)
            viewer, port, path = self.live(child.pid)
            opened = self.opened()
            # The token is not in the browser's command line.
            self.assertNotIn(path.strip("/"), opened)
            way = opened.removeprefix("file://")
            self.assertEqual(stat.S_IMODE(os.stat(way).st_mode), 0o600)
            with open(way, encoding="utf-8") as text:
                self.assertIn(f"url=http://127.0.0.1:{port}{path}\"", text.read())
            self.assertEqual(self.ask(port, path + "data?after=0")[0], 200)
            viewer.send_signal(sign)
            self.assertEqual(viewer.wait(HANG_SECONDS), 0)
            self.assertEqual(viewer.stderr.read(), "")
            self.assertEqual(os.listdir(self.private), [])
            with self.assertRaises(ConnectionRefusedError):
                self.ask(port, path)
        self.assertIsNone(child.poll())  # the program runs on

    def test_a_port_that_is_in_use(self):
        child = self.program("split", 20000, 1)
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            port = other.getsockname()[1]
            status, out, err = self.view("--port", port, child.pid)
            self.assertEqual((status, out), (1, ""))
            self.assertEqual(len(err.splitlines()), 1, err)
            self.assertIn(f"port {port} is in use; choose another with --port", err)
        viewer, taken, path = self.live(child.pid, "--no-browser", "--port", str(port))
        self.assertEqual(taken, port)
        self.assertEqual(self.ask(port, path + "alive")[0], 204)
        viewer.send_signal(signal.SIGINT)
        self.assertEqual(viewer.wait(HANG_SECONDS), 0)

    def test_processes_that_cannot_be_watched(self):
        plain = subprocess.Popen(["/bin/sleep", "30"])
        self.addCleanup(plain.wait)
        self.addCleanup(plain.kill)
        status, out, err = self.view(plain.pid)
        self.assertEqual((status, out), (1, ""))
        self.assertIn("without libagent.so", err)
        self.assertEqual(len(err.splitlines()), 1)


if __name__ == "__main__":
    main()
