"""csink push, CSINK_PUSH and csink run --push against a receiver in this process: what it gets, how csink
takes its answers, and that nothing is lost when it fails."""

import glob
import gzip
import http.server
import json
import os
import re
import ssl
import subprocess
import sys
import threading
import time
import unittest
import urllib.parse

import csink_e2e
from csink_e2e import E2eTest, main, program_path

PATH = "/v1development/profiles"
CURL = csink_e2e.TOOL and subprocess.run([csink_e2e.TOOL, "push", "http://127.0.0.1:1", "/nowhere"], check=False,
                                         capture_output=True, text=True,
                                         env=csink_e2e.tool_environment()).stderr


def fields(message):
    """The fields of a protobuf message as (number, value): an int, or bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    found = []
    while at < len(message):
        key = varint()
        if key & 7 == 0:
            found.append((key >> 3, varint()))
        else:
            size = {1: 8, 5: 4}.get(key & 7) or (varint() if key & 7 == 2 else None)
            if size is None or at + size > len(message):
                raise AssertionError(f"no protobuf at byte {at}")
            found.append((key >> 3, message[at:at + size]))
            at += size
    return found


def only(message, number):
    return [value for n, value in fields(message) if n == number]


def varints(packed):
    value, shift, numbers = 0, 0, []
    for byte in packed:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(value)
            value = shift = 0
    return numbers


def weight_of(request):
    """The sum of all samples of the first profile of each process (ExportProfilesServiceRequest)."""
    total = 0
    for resource in only(request, 1):
        for scope in only(resource, 2):
            for sample in only(only(scope, 2)[0], 2):
                for values in only(sample, 4):
                    total += sum(varints(values))
    return total


def weights_by_process(request):
    """The sum of the samples of each process's first profile."""
    return [weight_of(b"\x0a" + length(resource) + resource) for resource in only(request, 1)]


def length(message):
    size, text = len(message), b""
    while True:
        text += bytes([size & 127 | (128 if size > 127 else 0)])
        size >>= 7
        if not size:
            return text


def partial_success(rejected, message):
    inside = b"\x08" + bytes([rejected]) + b"\x12" + bytes([len(message)]) + message
    return b"\x0a" + bytes([len(inside)]) + inside


class Receiver:
    """A server that gives the answers of a list, the last one again and again, and keeps what it got.

    An answer is (status, headers, body), "hang", "close", "late" (the good one, half a second later) or "drip" (a
    byte of the body every 0.2 s, without end).
    """

    def __init__(self, answers, tls=None):
        self.answers = list(answers)
        self.got = []  # (path, headers, body)
        self.released = threading.Event()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append((self.path, self.headers, body))
                answer = receiver.answers.pop(0) if len(receiver.answers) > 1 else receiver.answers[0]
                if answer == "hang":
                    receiver.released.wait(60)
                if answer == "drip":
                    self.drip()
                if answer == "late":
                    time.sleep(0.5)
                    answer = OK
                if isinstance(answer, str):
                    self.close_connection = True
                    return
                status, headers, body = answer
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def drip(self):
                self.send_response(200)
                self.send_header("Content-Type", "application/x-protobuf")
                self.send_header("Content-Length", "1000")
                self.end_headers()
                while not receiver.released.wait(0.2):
                    try:
                        self.wfile.write(b"\x0a")
                    except OSError:  # the client has hung up
                        return

            def log_message(self, *args):
                pass

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, request, client_address):
                pass  # a client that hangs up

        self.server = Server(("127.0.0.1", 0), Handler)
        if tls:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        self.url = f"http{'s' if tls else ''}://localhost:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05})
        self.thread.start()

    def close(self):
        self.released.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


OK = (200, {"Content-Type": "application/x-protobuf"}, b"")


@unittest.skipIf("libcurl" in (CURL or ""), "csink has no libcurl here")
class Push(E2eTest):
    spool = None

    @classmethod
    def setUpClass(cls):
        # One spool for all: the tests are about sending.
        maker = cls("make_spool")
        maker.setUp()
        cls.addClassCleanup(maker.doCleanups)
        cls.spool = maker.make_spool()

    def make_spool(self):
        run = self.run_agent("split", 200, 1, CSINK_REPORT="0")
        self.assertEqual(len(run.spools), 1, run.stderr)
        return run.spools[0]

    def receiver(self, *answers, tls=None):
        receiver = Receiver(answers or [OK], tls)
        self.addCleanup(receiver.close)
        return receiver

    def push(self, *args, status=0, **env):
        got, out, err = self.run_tool("push", *args, no_proxy="*", **env)
        self.assertEqual(got, status, err)
        self.assertEqual(out, "")
        self.assertTrue(os.path.exists(self.spool))
        return err

    def assertOneLine(self, err, words):
        self.assertRegex(err, r"\Acsink: (error|warn): [^\n]*\n\Z")
        self.assertRegex(err, words)

    def test_a_collector_gets_the_exported_profile(self):
        receiver = self.receiver()
        headers = "authorization=Bearer%20x%2Cy, tenant=7"
        self.assertEqual(self.push(receiver.url + "/base", self.spool, OTEL_EXPORTER_OTLP_HEADERS=headers), "")
        (path, got, body), = receiver.got
        self.assertEqual(path, "/base" + PATH)
        self.assertEqual(got["Content-Type"], "application/x-protobuf")
        self.assertEqual(got["Content-Encoding"], "gzip")
        self.assertEqual((got["authorization"], got["tenant"]), ("Bearer x,y", "7"))
        self.assertTrue(got["User-Agent"].startswith("csink/"))
        exported = os.path.join(self.folder, "x.otlp")
        self.assertEqual(self.run_tool("export", "--format", "otlp", "-o", exported, self.spool)[0], 0)
        request = gzip.decompress(body)
        with open(exported, "rb") as file:
            self.assertEqual(weight_of(request), weight_of(file.read()))
        self.assertGreater(weight_of(request), 0)
        self.assertTrue(any(b"Sixty" in text or b"main" in text for text in only(only(request, 2)[0], 5)))

    def test_the_variables_name_the_receiver(self):
        receiver = self.receiver()
        self.push(self.spool, OTEL_EXPORTER_OTLP_ENDPOINT=receiver.url, OTEL_EXPORTER_OTLP_COMPRESSION="none")
        self.push(self.spool, OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:1",
                  OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT=receiver.url + "/mine")
        self.assertEqual([path for path, _, _ in receiver.got], [PATH, "/mine"])
        self.assertIsNone(receiver.got[0][1]["Content-Encoding"])
        self.assertGreater(weight_of(receiver.got[0][2]), 0)

    def test_what_may_pass_is_tried_again(self):
        receiver = self.receiver((429, {"Retry-After": "1"}, b""), "close", OK)
        begin = time.monotonic()
        self.assertEqual(self.push(receiver.url, self.spool), "")
        self.assertEqual(len(receiver.got), 3)
        self.assertGreaterEqual(time.monotonic() - begin, 1)
        bodies = {body for _, _, body in receiver.got}
        self.assertEqual(len(bodies), 1)

    def test_the_attempts_are_bounded(self):
        receiver = self.receiver((503, {"Content-Type": "text/plain"}, b"busy"))
        err = self.push(receiver.url, "--timeout", "2", self.spool, status=4)
        self.assertOneLine(err, r"HTTP 503: busy \(\d attempts\)")
        self.assertIn(len(receiver.got), (2, 3, 4))

    def test_refusals_are_final(self):
        status = b"\x08\x03\x12\x0bbad profile"
        for answer, words in (((400, {"Content-Type": "application/x-protobuf"}, status), "HTTP 400: bad profile"),
                              ((401, {"Content-Type": "text/plain"}, b"no token\n"), "HTTP 401: no token"),
                              ((500, {"Content-Type": "text/plain"}, b"out of disk"), "HTTP 500: out of disk"),
                              ((302, {"Location": "http://127.0.0.1:1/"}, b""), "HTTP 302"),
                              ((429, {"Retry-After": "3600"}, b""), "asks to wait 3600 s")):
            with self.subTest(words=words):
                receiver = self.receiver(answer)
                self.assertOneLine(self.push(receiver.url, self.spool, status=4), words)
                self.assertEqual(len(receiver.got), 1)

    def test_rejected_profiles_are_counted(self):
        kind = {"Content-Type": "application/x-protobuf"}
        receiver = self.receiver((200, kind, partial_success(2, b"too old")))
        self.assertOneLine(self.push(receiver.url, self.spool, status=4), "rejected 2 profiles: too old")
        self.assertEqual(len(receiver.got), 1)
        receiver = self.receiver((200, kind, partial_success(0, b"be nice")))
        self.assertOneLine(self.push(receiver.url, self.spool), "warn: .*be nice")

    def test_garbage_is_no_success(self):
        for kind, body in (("text/html", b"<html>It works</html>"), ("application/x-protobuf", b"\xff" * 40),
                           ("application/x-protobuf", b"x" * 200000)):
            with self.subTest(kind=kind, size=len(body)):
                receiver = self.receiver((200, {"Content-Type": kind}, body))
                self.assertOneLine(self.push(receiver.url, self.spool, status=4), "no answer of OTLP|longer than 64 KiB")
                self.assertEqual(len(receiver.got), 1)

    def test_a_receiver_that_hangs_costs_the_timeout(self):
        receiver = self.receiver("hang")
        err = self.push(receiver.url, self.spool, status=4, OTEL_EXPORTER_OTLP_TIMEOUT="700")
        self.assertOneLine(err, "no answer in time")

    def test_a_slow_receiver(self):
        receiver = self.receiver("late")
        self.assertEqual(self.push(receiver.url, self.spool), "")
        self.assertEqual(len(receiver.got), 1)
        # Bytes that come one by one do not prolong the timeout.
        receiver = self.receiver("drip")
        begin = time.monotonic()
        err = self.push(receiver.url, "--timeout", "1", self.spool, status=4)
        self.assertOneLine(err, "no answer in time")
        self.assertLess(time.monotonic() - begin, 20)
        self.assertEqual(len(receiver.got), 1)

    def test_nobody_is_there(self):
        err = self.push("http://user:secret@127.0.0.1:1", "--timeout", "1", self.spool, status=4)
        self.assertOneLine(err, "was not sent to http://127.0.0.1:1/")
        self.assertNotIn("secret", err)

    def test_wrong_use(self):
        for args, env, words in (((), {}, "no profile was given"),
                                 (("ftp://x", self.spool), {}, "no URL"),
                                 (("--header", "x", "http://x", self.spool), {}, "--header: .*'='"),
                                 (("--to", "pyroscope", self.spool), {}, "needs a URL"),
                                 (("--interval", "1", "http://x", self.spool), {}, "needs one process number"),
                                 ((self.spool,), {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "http/protobuf alone")):
            with self.subTest(args=args):
                self.assertOneLine(self.push(*args, status=2, **env), words)

    def test_certificates(self):
        key, certificate = (os.path.join(self.folder, name) for name in ("key.pem", "certificate.pem"))
        try:
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key,
                            "-out", certificate, "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
                           check=True, capture_output=True)
        except FileNotFoundError:
            self.skipTest("needs openssl")
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate, key)
        receiver = self.receiver(tls=tls)
        self.assertOneLine(self.push(receiver.url, self.spool, status=4), "certificate is refused")
        self.assertEqual(receiver.got, [])
        trusted = {"OTEL_EXPORTER_OTLP_CERTIFICATE": certificate}
        self.assertEqual(self.push(receiver.url, self.spool, **trusted), "")
        self.assertEqual(len(receiver.got), 1)
        other_host = receiver.url.replace("localhost", "127.0.0.1")
        self.assertOneLine(self.push(other_host, self.spool, status=4, **trusted), "certificate is refused")
        # The receiver wants a certificate of the client.
        tls.verify_mode = ssl.CERT_REQUIRED
        tls.load_verify_locations(certificate)
        own = {"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE": certificate, "OTEL_EXPORTER_OTLP_CLIENT_KEY": key}
        self.assertEqual(self.push(receiver.url, self.spool, **trusted, **own), "")
        self.assertEqual(len(receiver.got), 2)
        missing = {"OTEL_EXPORTER_OTLP_CERTIFICATE": "/nowhere.pem"}
        self.assertOneLine(self.push(receiver.url, self.spool, status=4, **missing), "trusted certificates")

    def test_pyroscope_gets_a_form(self):
        receiver = self.receiver((200, {}, b""))
        self.push("--to", "pyroscope", "--name", "my app", "--header", "X-Scope-OrgID=t", receiver.url, self.spool,
                  OTEL_EXPORTER_OTLP_HEADERS="secret=1")
        (path, headers, body), = receiver.got
        url = urllib.parse.urlsplit(path)
        query = dict(urllib.parse.parse_qsl(url.query))
        self.assertEqual((url.path, query["name"], query["format"]), ("/ingest", "my app", "pprof"))
        self.assertLess(int(query["from"]), int(query["until"]))
        self.assertLess(abs(int(query["from"]) - time.time()), 3600)
        self.assertEqual((headers["X-Scope-OrgID"], headers["secret"]), ("t", None))
        boundary = re.fullmatch(r"multipart/form-data; boundary=(\S+)", headers["Content-Type"]).group(1).encode()
        parts = body.split(b"--" + boundary)
        self.assertEqual((len(parts), parts[0], parts[2]), (3, b"", b"--\r\n"))
        head, _, profile = parts[1].partition(b"\r\n\r\n")
        self.assertIn(b'name="profile"', head)
        self.assertGreater(len(only(gzip.decompress(profile[:-2]), 2)), 0)

    def test_a_program_pushes_at_its_end(self):
        receiver = self.receiver()
        run = self.run_agent("split", 200, 1, CSINK_PUSH=receiver.url, no_proxy="*")
        self.assertEqual((run.status, run.stderr), (0, ""))
        self.assertEqual(run.spools, [])
        self.assertEqual(len(receiver.got), 1)
        self.assertGreater(weight_of(gzip.decompress(receiver.got[0][2])), 0)
        self.assertGreater(run.report["events"][0]["samples"], 0)

    def test_a_program_that_cannot_push_leaves_its_spool(self):
        run = self.run_agent("split", 200, 1, CSINK_PUSH="http://127.0.0.1:1", OTEL_EXPORTER_OTLP_TIMEOUT="300",
                             no_proxy="*")
        self.assertEqual(run.status, 0)
        self.assertEqual(len(run.spools), 1)
        self.assertOneLine(run.stderr, "was not sent to .*csink push URL " + re.escape(run.spools[0]))
        self.assertGreater(run.report["events"][0]["samples"], 0)
        receiver = self.receiver()
        self.push(receiver.url, run.spools[0])
        self.assertEqual(len(receiver.got), 1)

    def run_tree(self, *args, **env):
        spools = os.path.join(self.fresh_folder(), "spool")
        status, _, err = self.run_tool("run", "-e", "task-clock", *args, CSINK_SPOOL_DIR=spools, no_proxy="*", **env)
        return status, err, spools

    def test_a_tree_is_one_push(self):
        receiver = self.receiver()
        split = program_path("split")
        status, err, spools = self.run_tree("--push", receiver.url, "--", "sh", "-c", f"{split} 200 1; {split} 200 1")
        self.assertEqual(status, 0, err)
        self.assertEqual(os.listdir(spools), [])
        self.assertEqual(len(receiver.got), 1)
        self.assertGreaterEqual(len(only(gzip.decompress(receiver.got[0][2]), 1)), 2)

    def test_a_tree_that_cannot_be_pushed_is_kept(self):
        status, err, spools = self.run_tree("--", program_path("split"), 200, 1, CSINK_PUSH="http://127.0.0.1:1",
                                            OTEL_EXPORTER_OTLP_TIMEOUT="300")
        self.assertEqual(status, 0, err)
        folder, = glob.glob(os.path.join(spools, "tree.*"))
        self.assertIn("csink push URL " + folder, err)
        receiver = self.receiver()
        self.push(receiver.url, folder)
        self.assertEqual(len(receiver.got), 1)
        status, err, _ = self.run_tree("--push", "nonsense", "--", "true")
        self.assertEqual(status, 2)
        self.assertOneLine(err, "no URL")

    def test_parts_add_up_to_the_whole(self):
        receiver = self.receiver(OK, (400, {}, b""), OK)
        report = os.path.join(self.folder, "whole.json")
        status, err, spools = self.run_tree("--push", receiver.url, "--push-interval", "0.4", "--stacks", "fp",
                                            "--format", "json", "-o", report, "--", program_path("split"), 1600, 1)
        self.assertEqual(status, 0, err)
        self.assertIn("a part of the profile was not sent to", err)
        self.assertEqual(os.listdir(spools), [])
        self.assertGreaterEqual(len(receiver.got), 3)
        bodies = [gzip.decompress(body) for _, _, body in receiver.got]
        sent = sum(weight_of(body) for i, body in enumerate(bodies) if i != 1)
        whole = csink_e2e._load(report)["events"][0]["weight"]
        self.assertEqual(sent, whole)

    def test_a_part_has_what_is_new_and_nothing_else(self):
        receiver = self.receiver()
        report = os.path.join(self.folder, "whole.json")
        split = program_path("split")
        # Spools, records of short processes, and a process that calls exec.
        script = f"for i in 1 2 3 4 5 6; do {split} 150 1; {split} 5 1; (exec {split} 30 1); true; done"
        status, err, _ = self.run_tree("--push", receiver.url, "--push-interval", "0.25", "--format", "json", "-o",
                                       report, "--", "sh", "-c", script)
        self.assertEqual(status, 0, err)
        bodies = [gzip.decompress(body) for _, _, body in receiver.got]
        self.assertGreaterEqual(len(bodies), 2)
        for body in bodies:
            self.assertNotIn(0, weights_by_process(body))
        self.assertEqual(sum(map(weight_of, bodies)), csink_e2e._load(report)["events"][0]["weight"])

    def test_a_part_without_an_answer_is_sent_again_as_it_was(self):
        receiver = self.receiver("hang", "hang", OK)
        report = os.path.join(self.folder, "whole.json")
        status, err, spools = self.run_tree("--push", receiver.url, "--push-interval", "0.2", "--format", "json", "-o",
                                            report, "--", program_path("split"), 2500, 1,
                                            OTEL_EXPORTER_OTLP_TIMEOUT="1500")
        self.assertEqual(status, 0, err)
        self.assertIn("no answer in time; it is sent again", err)
        self.assertEqual(os.listdir(spools), [])
        bodies = [gzip.decompress(body) for _, _, body in receiver.got]
        self.assertEqual(bodies[:3], [bodies[0]] * 3)
        # What a receiver has that drops what it knows.
        self.assertEqual(sum(map(weight_of, set(bodies))), csink_e2e._load(report)["events"][0]["weight"])

    def test_a_receiver_that_asks_to_wait_is_left_alone(self):
        for wait in ("3600", "99999999999999999999", "Fri, 06 Nov 2999 08:49:37 GMT"):
            with self.subTest(wait=wait):
                receiver = self.receiver((503, {"Retry-After": wait}, b""))
                status, err, spools = self.run_tree("--push", receiver.url, "--push-interval", "0.2", "--",
                                                    program_path("split"), 2000, 1)
                self.assertEqual(status, 0, err)
                self.assertEqual(len(receiver.got), 1)
                self.assertEqual(len(re.findall("asks to wait", err)), 2, err)
                file, = os.listdir(spools)
                second = self.receiver()
                self.push(second.url, os.path.join(spools, file))
                self.assertGreater(weight_of(gzip.decompress(second.got[0][2])),
                                   weight_of(gzip.decompress(receiver.got[0][2])))

    def test_what_is_said_of_many_failures_is_bounded(self):
        location = {"Location": "/again"}
        for answer in ("close", (302, location, b""), (500, {"Retry-After": "-7"}, b""), (200, {}, b"x" * 200000)):
            with self.subTest(answer=str(answer)[:30]):
                receiver = self.receiver(answer)
                status, err, spools = self.run_tree("--push", receiver.url, "--push-interval", "0.2", "--",
                                                    program_path("split"), 2500, 1, OTEL_EXPORTER_OTLP_TIMEOUT="100")
                self.assertEqual(status, 0, err)
                failures = len(re.findall("was not sent to", err))
                self.assertGreaterEqual(failures, 2, err)
                # The 1st, 2nd, 4th, ... and the last.
                times = [int(n) for n in re.findall(r"\((\d+) times so far\)", err)]
                self.assertEqual([n for n in times[:-1] if n & (n - 1)], [], err)
                self.assertEqual(failures, len(times) + 1)
                self.assertRegex(" ".join(os.listdir(spools)), r"^unsent\.tree\.")

    def test_a_last_part_that_nobody_takes_is_a_file(self):
        receiver = self.receiver(OK, (400, {}, b""))
        report = os.path.join(self.folder, "whole.json")
        status, err, spools = self.run_tree("--push", receiver.url, "--push-interval", "0.5", "--format", "json", "-o",
                                            report, "--", program_path("split"), 1200, 1)
        self.assertEqual(status, 0, err)
        file, = os.listdir(spools)
        self.assertRegex(file, r"^unsent\.tree\.[0-9a-f]+\.csink$")
        self.assertIn("kept for csink push in", err)
        second = self.receiver()
        self.push(second.url, os.path.join(spools, file))
        parts = [gzip.decompress(receiver.got[0][2]), gzip.decompress(second.got[0][2])]
        self.assertEqual(sum(map(weight_of, parts)), csink_e2e._load(report)["events"][0]["weight"])

    def test_a_running_program_is_pushed_from_outside(self):
        receiver = self.receiver()
        pushed = []

        def watch(child):
            self.wait_for(lambda: glob.glob(os.path.join(spool, "*.csink")), "a spool")
            pushed.append(self.run_tool("push", "--interval", "0.4", receiver.url, child.pid, no_proxy="*"))

        folder = self.fresh_folder()
        spool = os.path.join(folder, "spool")
        env = csink_e2e.agent_environment(folder)
        run = self.run_command([program_path("split"), "1500", "1"], env, folder, watch)
        self.assertEqual(run.status, 0, run.stderr)
        self.assertEqual(pushed, [(0, "", "")])
        self.assertGreaterEqual(len(receiver.got), 2)
        sent = sum(weight_of(gzip.decompress(body)) for _, _, body in receiver.got)
        self.assertEqual(sent, run.report["events"][0]["weight"])

    TREE = """
import os, subprocess, sys, time
def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: pass
burn(0.3)
if len(sys.argv) > 1:
    time.sleep(3)
else:
    while not os.path.exists("asked"): time.sleep(0.05)
    subprocess.run([sys.executable, "-S", __file__, "child"])
    open("ended", "w").close()
"""

    def test_processes_that_come_while_nobody_answers_are_pushed(self):
        receiver = self.receiver("hang", OK)
        pushed = []
        folder = self.fresh_folder()
        spools = os.path.join(folder, "spool")
        with open(os.path.join(folder, "tree.py"), "w", encoding="ascii") as f:
            f.write(self.TREE)

        def answer():  # a child begins and ends while the first part waits for its answer
            self.wait_for(lambda: receiver.got, "a part")
            with open(os.path.join(folder, "asked"), "w", encoding="ascii"):
                pass
            self.wait_for(lambda: os.path.exists(os.path.join(folder, "ended")), "the child's end")
            receiver.released.set()

        def watch(child):
            self.wait_for(lambda: glob.glob(os.path.join(spools, "*.csink")), "a spool")
            answers = threading.Thread(target=answer)
            answers.start()
            pushed.append(self.run_tool("push", "--interval", "0.3", "--tree", receiver.url, child.pid, no_proxy="*",
                                        OTEL_EXPORTER_OTLP_TIMEOUT="60000"))
            answers.join()

        env = csink_e2e.agent_environment(folder, CSINK_REPORT="0", CSINK_KEEP="1")
        run = self.run_command([sys.executable, "-S", "tree.py"], env, folder, watch)
        self.assertEqual(run.status, 0, run.stderr)
        self.assertEqual(pushed, [(0, "", "")])
        _, out, _ = self.run_tool("report", "--format", "json", spools)
        # The same part twice is one to a receiver that looks at its id.
        parts = {gzip.decompress(body) for _, _, body in receiver.got}
        self.assertEqual(sum(map(weight_of, parts)), json.loads(out)["events"][0]["weight"])


if __name__ == "__main__":
    sys.exit(main())
