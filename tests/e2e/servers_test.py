"""Real servers and programs from Debian: the same results as without us, and a sensible report.

Long: minutes of load. Only sockets in files and the loopback address are used.
"""

import glob
import hashlib
import os
import pwd
import random
import re
import shutil
import signal
import socket
import subprocess
import time

import csink_e2e
from csink_e2e import E2eTest, explained_seconds

START_SECONDS = 30
BENCH_SECONDS = 120  # of pgbench, which runs for 20
WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu".split()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def digest(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


class Servers(E2eTest):
    def need(self, *names):
        """The first of these programs that is there."""
        for name in names:
            found = shutil.which(name) or next(iter(sorted(glob.glob(name))[-1:]), None)
            if found:
                return found
        return self.skipTest(f"no {names[0]}")

    spools_by_default = False
    user_seconds = 0.0  # of the server that was stopped last

    def environment(self, folder, agent):
        if not agent:
            return csink_e2e.clean_environment()
        changes = {"CSINK_SPOOL_DIR": None, "XDG_RUNTIME_DIR": None} if self.spools_by_default else {}
        return csink_e2e.agent_environment(folder, CSINK_REPORT="0", CSINK_KEEP="1",
                                           CSINK_MIN_SAMPLES="1", **changes)

    def command(self, argv, folder=None, agent=False, check=True, limit=csink_e2e.HANG_SECONDS, **more):
        folder = folder or self.fresh_folder()
        done = subprocess.run([str(a) for a in argv], env=self.environment(folder, agent),
                              stdin=more.pop("stdin", subprocess.DEVNULL), capture_output=True,
                              check=False, timeout=limit, **more)
        if check:
            self.assertEqual(done.returncode, 0, done.stdout.decode()[-2000:] +
                             done.stderr.decode()[-2000:])
        return done.stdout.decode("utf-8", "replace")

    def serve(self, argv, folder, agent, ready, **more):
        """Starts a server; it is stopped by stop() or at the end of the test."""
        log = open(os.path.join(folder, "log"), "wb")  # pylint: disable=consider-using-with
        self.addCleanup(log.close)
        server = subprocess.Popen([str(a) for a in argv], env=self.environment(folder, agent),
                                  stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder,
                                  start_new_session=True, **more)
        self.addCleanup(lambda: server.poll() is None and os.killpg(server.pid, signal.SIGKILL))
        deadline = time.monotonic() + START_SECONDS
        while not ready():
            self.assertIsNone(server.poll(), self.log_of(folder))
            self.assertLess(time.monotonic(), deadline, "the server does not answer")
            time.sleep(0.05)
        return server

    def stop(self, server, sent, status=0):
        """Ends the server and waits; CPU seconds of it and the children it has waited for."""
        os.kill(server.pid, sent)
        deadline = time.monotonic() + csink_e2e.HANG_SECONDS
        pid = 0
        while pid == 0:
            self.assertLess(time.monotonic(), deadline, "the server does not end")
            pid, ended, usage = os.wait4(server.pid, os.WNOHANG)
            time.sleep(0.02)
        server.returncode = os.waitstatus_to_exitcode(ended)
        self.assertEqual(server.returncode, status, server.args)
        self.user_seconds = usage.ru_utime
        return usage.ru_utime + usage.ru_stime

    def log_of(self, folder):
        with open(os.path.join(folder, "log"), encoding="utf-8", errors="replace") as f:
            return f.read()

    def spool_report(self, folder, *modules, least_seconds=1.0, user_seconds=None):
        """One report of all processes; most of it in the named modules or the C library.
        `user_seconds`: what must be explained, where not the run's own user time."""
        report = self.report_of_spool(os.path.join(folder, "spool"))
        wanted = 0.8 * self.user_seconds - 0.1 if user_seconds is None else user_seconds
        self.assertGreater(explained_seconds(report), least_seconds)
        self.assertGreater(explained_seconds(report), wanted)
        known = sum(f["events"][0]["samples"] for f in report["functions"]
                    if any(m in f["module"] for m in modules + ("libc.so", "vdso")))
        self.assertGreater(known, 0.6 * report["events"][0]["samples"],
                           [(f["function"], f["module"]) for f in report["functions"][:10]])
        lost = report["verdict"]["lost_records"]
        self.assertLessEqual(lost, 0.01 * report["events"][0]["samples"])
        return report

    def assertCostsLittle(self, plain, agent):
        """(requests a second, CPU us a request) of both runs. Rates of wall time are told,
        not judged: these machines are shared. A server that sleeps after each request pays
        the kernel for the event at each switch: a bare one costs pgbench 1.47 on one processor, the
        agent 1.5 to 1.65 on two; docs/long-run.md has figures of one run."""
        self.assertLess(agent[1], 1.8 * plain[1])

    def tell(self, what, plain, agent, report):
        hot = ", ".join(f["function"] for f in report["functions"][:4])
        print(f"\n    {what}: plain {plain}, with the agent {agent}; "
              f"{report['events'][0]['samples']} samples, "
              f"{len(report['processes'])} processes; hottest: {hot}", flush=True)


class Postgresql(Servers):
    def setUp(self):
        super().setUp()
        self.need_root()
        self.bin = os.path.dirname(self.need("/usr/lib/postgresql/*/bin/postgres"))
        try:
            self.user = pwd.getpwnam("postgres")
        except KeyError:
            self.skipTest("no user postgres")
        os.chmod(self.folder, 0o755)

    def as_user(self, *argv):
        return [self.need("setpriv"), "--reuid", str(self.user.pw_uid), "--regid",
                str(self.user.pw_gid), "--clear-groups", "--"] + [str(a) for a in argv]

    def bench(self, agent):
        folder = self.fresh_folder()
        for path in (folder, folder + "/spool"):
            os.chown(path, self.user.pw_uid, self.user.pw_gid)
        data = folder + "/data"
        self.command(self.as_user(self.bin + "/initdb", "-D", data, "-A", "trust", "-N",
                                  "--locale=C"), folder, agent, cwd=folder)
        answers = lambda: subprocess.run(
            [self.bin + "/pg_isready", "-q", "-h", folder, "-U", "postgres"], check=False).returncode == 0
        server = self.serve(self.as_user(
            self.bin + "/postgres", "-D", data, "-k", folder, "-c", "listen_addresses=",
            "-c", "fsync=off"), folder, agent, answers)
        self.command([self.bin + "/pgbench", "-h", folder, "-U", "postgres", "-i", "-q", "-s", "5",
                      "postgres"])
        text = self.command([self.bin + "/pgbench", "-h", folder, "-U", "postgres", "-c", "4",
                             "-T", "20", "postgres"], limit=BENCH_SECONDS)
        checks = self.command([self.bin + "/psql", "-h", folder, "-U", "postgres", "-At", "-c",
                               "select count(*) from pgbench_accounts; select (select sum(abalance)"
                               " from pgbench_accounts) = (select sum(delta) from pgbench_history);",
                               "postgres"])
        cpu = self.stop(server, signal.SIGINT)
        self.assertIn("number of failed transactions: 0 ", text)
        self.assertIn("duration: 20 s", text)
        # What comes of asking whether it answers already, and of ending it, is no fault.
        log = [l for l in re.findall(r"(?:(?:ERROR|FATAL|PANIC|WARNING): |csink:).*",
                                     self.log_of(folder))
               if "starting up" not in l and "administrator command" not in l]
        count = int(re.search(r"transactions actually processed: (\d+)", text).group(1))
        rate = float(re.search(r"tps = ([0-9.]+)", text).group(1))
        self.transactions = count
        return folder, (round(rate), round(cpu / count * 1e6)), checks, log

    def test_postgresql(self):
        _, plain_tps, plain_checks, plain_log = self.bench(False)
        plain_user = self.user_seconds / self.transactions
        folder, tps, checks, log = self.bench(True)
        self.assertEqual((checks, log), (plain_checks, plain_log))
        self.assertTrue(checks.endswith("t\n"), checks)
        # It switches 30,000 times a second, and much of what an event costs the kernel at each
        # switch is user time to the kernel's clock (136 us of it a transaction became 215). So the
        # samples are held against what a transaction takes without the agent.
        report = self.spool_report(folder, "postgres", user_seconds=0.95 * plain_user * self.transactions)
        self.assertGreater(len(report["processes"]), 5)
        self.assertGreater(report["verdict"]["switches"], 2 * self.transactions)
        self.tell("pgbench, (transactions/s, CPU us of each)", plain_tps, tps, report)
        self.assertCostsLittle(plain_tps, tps)


class Redis(Servers):
    def bench(self, agent):
        folder = self.fresh_folder()
        sock = folder + "/socket"
        client = [self.need("redis-cli"), "-s", sock]
        server = self.serve([self.need("redis-server"), "--port", "0", "--unixsocket", sock,
                             "--save", "", "--dir", folder], folder, agent,
                            lambda: os.path.exists(sock) and self.command(
                                client + ["ping"], check=False) == "PONG\n")
        dice = random.Random(5)
        commands = "".join(f"SET key{dice.randrange(5000)} {dice.choice(WORDS)}{i}\n"
                           f"LPUSH list{i % 50} {i}\nZADD sorted {dice.randrange(99999)} m{i}\n"
                           for i in range(30000))
        path = folder + "/commands"
        with open(path, "w", encoding="ascii") as f:
            f.write(commands)
        with open(path, "rb") as f:
            self.command(client + ["--pipe"], stdin=f)
        state = self.command(client + ["debug", "digest"]) + self.command(client + ["dbsize"])
        text = self.command([self.need("redis-benchmark"), "-s", sock, "-q", "-n", "100000", "-t",
                             "set,get,lpush,zadd"])
        rates = [float(r) for r in re.findall(r"([0-9.]+) requests per second", text)]
        self.assertEqual(len(rates), 4, text)
        cpu = self.stop(server, signal.SIGTERM)
        log = [l for l in self.log_of(folder).splitlines() if "# " in l or "csink" in l]
        return folder, (round(sum(rates) / 4), round(cpu / 0.49, 2)), state, [re.sub(r"\d+", "N", l) for l in log]

    def test_redis(self):
        _, plain_rate, plain_state, plain_log = self.bench(False)
        folder, rate, state, log = self.bench(True)
        self.assertEqual((state, log), (plain_state, plain_log))
        report = self.spool_report(folder, "redis", "libjemalloc", least_seconds=0.3)
        self.tell("redis-benchmark, (requests/s, CPU us of each)", plain_rate, rate, report)
        self.assertCostsLittle(plain_rate, rate)


class Nginx(Servers):
    # Its worker is another user, who cannot use the folder of the one that started it.
    spools_by_default = True

    CONFIGURATION = """
worker_processes 1;
pid {folder}/pid;
error_log {folder}/errors warn;
events {{ worker_connections 64; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  gzip on; gzip_types *; gzip_min_length 10; gzip_http_version 1.0;
  server {{ listen 127.0.0.1:{port}; root {folder}/pages; }}
}}
"""

    def bench(self, agent):
        folder = self.fresh_folder()
        os.chmod(self.folder, 0o755)
        os.chmod(folder, 0o755)
        os.mkdir(folder + "/pages")
        page = folder + "/pages/page.txt"
        with open(page, "w", encoding="ascii") as f:
            f.write(" ".join(random.Random(1).choices(WORDS, k=3000)))
        port = free_port()
        with open(folder + "/conf", "w", encoding="ascii") as f:
            f.write(self.CONFIGURATION.format(folder=folder, port=port))

        def answers():
            with socket.socket() as s:
                return s.connect_ex(("127.0.0.1", port)) == 0
        server = self.serve([self.need("nginx", "/usr/sbin/nginx"), "-c", folder + "/conf", "-g",
                             "daemon off;"], folder, agent, answers)
        url = f"http://127.0.0.1:{port}/page.txt"
        text = self.command([self.need("ab"), "-q", "-n", "6000", "-c", "8", "-H",
                             "Accept-Encoding: gzip", url])
        self.assertRegex(text, r"Failed requests: +0\n")
        self.assertRegex(text, r"Complete requests: +6000\n")
        content = self.command([self.need("curl"), "-sS", "--noproxy", "*", url])
        cpu = self.stop(server, signal.SIGQUIT)
        with open(folder + "/errors", encoding="utf-8") as f:
            errors = f.read()
        rate = float(re.search(r"Requests per second: +([0-9.]+)", text).group(1))
        return (folder, (round(rate), round(cpu / 0.006, 1)),
                hashlib.sha256(content.encode()).hexdigest(), errors + self.log_of(folder))

    def test_nginx(self):
        _, plain_rate, plain_content, plain_log = self.bench(False)
        folder, rate, content, log = self.bench(True)
        self.assertEqual((content, log), (plain_content, plain_log))
        for path in glob.glob("/dev/shm/csink-*/nginx.*.csink"):
            shutil.move(path, os.path.join(folder, "spool"))
        report = self.spool_report(folder, "nginx", "libz", least_seconds=0.1)
        self.tell("nginx, (requests/s, CPU us of each)", plain_rate, rate, report)
        self.assertCostsLittle(plain_rate, rate)


class Tools(Servers):
    def test_git(self):
        git = self.need("git")
        source = self.fresh_folder() + "/source"
        dice = random.Random(7)
        os.mkdir(source)
        who = ["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "gc.auto=0"]
        self.command([git, "init", "-q", source])
        for commit in range(12):
            for i in range(60):
                with open(f"{source}/file{i}", "a", encoding="ascii") as f:
                    f.write("\n".join(dice.choices(WORDS, k=150)) + f" {commit}\n")
            self.command([git, "-C", source, *who, "add", "."])
            self.command([git, "-C", source, *who, "commit", "-q", "-m", f"commit {commit}"])

        def clone(agent):
            folder = self.fresh_folder()
            self.command([git, "clone", "-q", "--no-local", source, folder + "/clone"], folder, agent)
            self.command([git, "-C", folder + "/clone", "-c", "pack.threads=1", "gc", "-q",
                          "--aggressive"], folder, agent)
            self.command([git, "-C", folder + "/clone", "fsck", "--full"], folder, agent)
            packs = sorted(os.path.basename(p) for p in
                           glob.glob(folder + "/clone/.git/objects/pack/*.pack"))
            return folder, (self.command([git, "-C", folder + "/clone", "rev-parse", "HEAD"]), packs)
        _, plain = clone(False)
        folder, result = clone(True)
        self.assertEqual(result, plain)
        self.tell("git clone, gc, fsck", "done", "the same",
                  self.spool_report(folder, "git", "libz", "libcrypto", least_seconds=0.2))

    def test_gcc(self):
        gxx = self.need("g++")
        source = os.path.join(self.folder, "a.cpp")
        with open(source, "w", encoding="ascii") as f:
            f.write("#include <regex>\n#include <map>\n#include <iostream>\nint main(int c, char** v)"
                    " { std::map<std::string, int> m; std::cout << std::regex_match(v[0], "
                    "std::regex(\"a+\")) + m.size() + c; }\n")

        def compile_it(agent):
            folder = self.fresh_folder()
            self.command([gxx, "-O2", "-c", source, "-o", folder + "/a.o"], folder, agent)
            return folder, digest(folder + "/a.o")
        _, plain = compile_it(False)
        folder, result = compile_it(True)
        self.assertEqual(result, plain)
        self.tell("g++", "object", "the same", self.spool_report(folder, "cc1plus", "as"))

    def test_imagemagick(self):
        convert = self.need("/usr/bin/convert", "/usr/bin/convert-im6.q16")

        def draw(agent):
            folder = self.fresh_folder()
            self.command([convert, "-seed", "5", "-size", "900x900", "gradient:red-blue", "-swirl",
                          "200", "-gaussian-blur", "0x6", "-resize", "60%", folder + "/a.ppm"],
                         folder, agent)
            return folder, digest(folder + "/a.ppm")
        _, plain = draw(False)
        folder, result = draw(True)
        self.assertEqual(result, plain)
        self.tell("convert", "picture", "the same",
                  self.spool_report(folder, "libMagickCore", "libgomp", "libm"))

    def test_ffmpeg(self):
        ffmpeg = self.need("ffmpeg")
        encode = [ffmpeg, "-nostdin", "-v", "error", "-f", "lavfi", "-i",
                  "testsrc2=size=640x360:rate=25:duration=12", "-f", "lavfi", "-i",
                  "sine=frequency=440:duration=12", "-c:v", "libx264", "-threads", "4", "-c:a", "aac",
                  "-fflags", "+bitexact", "-flags", "+bitexact"]  # no random ids, no versions

        def film(agent):
            folder = self.fresh_folder()
            self.command([*encode, folder + "/a.mkv"], folder, agent)
            frames = self.command([ffmpeg, "-nostdin", "-v", "error", "-i", folder + "/a.mkv", "-f",
                                   "framemd5", "-"], self.fresh_folder(), agent)
            return folder, (digest(folder + "/a.mkv"), frames)
        _, plain = film(False)
        folder, result = film(True)
        self.assertEqual(result, plain)
        self.assertEqual(plain[1].count("\n0,"), 300)
        report = self.spool_report(folder, "libx264", "libav", "libsw", "libm")
        self.assertGreater(len(report["threads"]), 4)
        self.tell("ffmpeg, x264 with 4 threads", "film", "the same", report)


if __name__ == "__main__":
    csink_e2e.main()
