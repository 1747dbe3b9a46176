"""The databases of docs/tables.md, each with one way to be asked: engine.ask(SQL) returns rows as lists of values.

Each reads a folder with fleet/*.csv and fleet/*.ndjson as the page says, with the page's own texts."""

import csv
import glob
import json
import os
import re
import shutil
import socket
import sqlite3
import subprocess
import time

import csink_e2e
import npm_package

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs")


def _text(*path):
    with open(os.path.join(DOCS, *path), encoding="utf-8") as f:
        return f.read()


class Page:
    """docs/tables.md and docs/sql: `columns` {name: type}, `views`, `queries` {name: SQL}, `tables` {engine: SQL}, `shell` {engine: commands}."""

    ENGINES = ("sqlite", "duckdb", "clickhouse")

    def __init__(self):
        text = _text("tables.md")
        table = text[text.index("## Columns"):text.index("## Databases")]
        self.columns = dict(re.findall(r"(?m)^\| `(\w+)` \| (\w+)", table))
        self.tables = {engine: _text("sql", f"samples.{engine}.sql") for engine in self.ENGINES}
        parts = re.split(r"(?m)^-- (view|query (\w+): .*)\n", _text("sql", "fleet.sql"))
        kinds, names, codes = parts[1::3], parts[2::3], parts[3::3]
        self.views = [code for kind, code in zip(kinds, codes) if kind == "view"]
        self.queries = {name: code for name, code in zip(names, codes) if name}
        self.shell = {}
        for heading, engine in (("### SQLite", "sqlite"), ("### ClickHouse", "clickhouse")):
            part = text[text.index(heading):]
            self.shell[engine] = re.search(r"(?ms)^```sh\n(.*?)^```$", part).group(1)


class Missing(Exception):
    """The engine is not on this machine; the reason."""


def run(command, folder, stdin=None, **environment):
    done = subprocess.run(command, cwd=folder, input=stdin, capture_output=True, check=False, text=True,
                          env=csink_e2e.clean_environment() | {"HOME": folder} | environment,
                          timeout=csink_e2e.HANG_SECONDS)
    if done.returncode:
        raise AssertionError(f"{command}: {done.stderr or done.stdout}")
    return done.stdout


class Sqlite:
    """The library of Python; with the program sqlite3 the files are loaded by the page's commands."""

    def __init__(self, folder, page):
        self.path = os.path.join(folder, "fleet.db")
        with open(os.path.join(folder, "samples.sqlite.sql"), "w", encoding="utf-8") as f:
            f.write(page.tables["sqlite"])
        if shutil.which("sqlite3"):
            run(["bash", "-e", "-c", page.shell["sqlite"]], folder)
            self.base = sqlite3.connect(self.path)
        else:
            self.base = sqlite3.connect(self.path)
            self.base.executescript(page.tables["sqlite"])
            marks = ",".join("?" * len(page.columns))
            for path in sorted(glob.glob(os.path.join(folder, "fleet", "*.csv"))):
                with open(path, newline="", encoding="utf-8") as f:
                    rows = csv.reader(f, strict=True)
                    next(rows)
                    self.base.executemany(f"INSERT INTO samples VALUES ({marks})", rows)
        try:
            self.base.execute("SELECT sqrt(2.0)")
        except sqlite3.OperationalError as e:
            raise Missing(f"Python's SQLite has no mathematical functions: {e}") from e
        for view in page.views:
            self.base.execute(view)

    def ask(self, sql):
        # .import has no NULL: the page says so.
        return [[None if v == "" else v for v in row] for row in self.base.execute(sql).fetchall()]

    def close(self):
        self.base.close()


class DuckDb:
    """DuckDB's package for node, of npm."""

    ASK = """
import { DuckDBInstance } from '@duckdb/node-api';
import { readFileSync } from 'node:fs';
const connection = await (await DuckDBInstance.create(':memory:')).connect();
const answers = [];
const plain = (key, value) => typeof value === 'bigint' ? Number(value) : value;
for (const sql of JSON.parse(readFileSync(0, 'utf8'))) answers.push((await connection.runAndReadAll(sql)).getRows());
console.log(JSON.stringify(answers, plain));
"""

    def __init__(self, folder, page, modules=None):
        if not shutil.which("node"):
            raise Missing("node is not installed (nodejs)")
        self.folder = folder
        self.before = [page.tables["duckdb"]] + page.views
        self.modules = modules or self.fetch(folder)
        with open(os.path.join(folder, "ask.mjs"), "w", encoding="utf-8") as f:
            f.write(self.ASK)
        link = os.path.join(folder, "node_modules")  # node looks for it beside the script
        if not os.path.exists(link):
            os.symlink(self.modules, link)

    @staticmethod
    def fetch(folder):
        """The folder node_modules with the package and what it needs."""
        modules = os.path.join(folder, "node_modules")
        os.makedirs(os.path.join(modules, "@duckdb"))
        wanted = "@duckdb/node-api@1.5.6-r.1"  # its versions have a suffix, so that "@1" finds none
        machine = {"x86_64": "x64", "aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
        for needs in ("@duckdb/node-bindings", f"@duckdb/node-bindings-linux-{machine}", None):
            package = npm_package.unpacked(wanted, folder, csink_e2e.HANG_SECONDS)
            if not package:
                raise Missing(f"{wanted} cannot be had (npm)")
            with open(os.path.join(package, "package.json"), encoding="utf-8") as f:
                facts = json.load(f)
            os.rename(package, os.path.join(modules, facts["name"]))
            if needs:
                known = facts.get("dependencies", {}) | facts.get("optionalDependencies", {})
                if needs not in known:
                    raise Missing(f"{facts['name']} has no {needs}")
                wanted = needs + "@" + known[needs]
        return modules

    def ask_all(self, statements):
        out = run(["node", "ask.mjs"], self.folder, json.dumps(self.before + statements))
        return json.loads(out)[len(self.before):]

    def ask(self, sql):
        return self.ask_all([sql])[0]

    def close(self):
        pass


class ClickHouse:
    """Debian's clickhouse-server as a process of its own with a folder of its own, asked by clickhouse-client."""

    CONFIG = """<yandex><logger><level>warning</level><console>1</console></logger>
<tcp_port>{port}</tcp_port><listen_host>127.0.0.1</listen_host><path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path>
<user_files_path>{folder}/files/</user_files_path><users_config>users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>5368709</mark_cache_size></yandex>"""
    USERS = """<yandex><profiles><default><max_memory_usage>1000000000</max_memory_usage></default></profiles>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile>
<quota>default</quota></default></users><quotas><default></default></quotas></yandex>"""

    def __init__(self, folder, page):
        places = os.environ.get("PATH", "") + os.pathsep + "/usr/sbin"
        server = shutil.which("clickhouse-server", path=places)
        if not server or not shutil.which("clickhouse-client"):
            raise Missing("clickhouse-server and clickhouse-client are not installed")
        self.folder = os.path.join(folder, "clickhouse")
        for inside in ("data", "tmp", "files"):
            os.makedirs(os.path.join(self.folder, inside))
        with socket.socket() as s:  # a free port; another process may take it before the server does
            s.bind(("127.0.0.1", 0))
            self.port = str(s.getsockname()[1])
        for name, text in (("config.xml", self.CONFIG), ("users.xml", self.USERS)):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as f:
                f.write(text.format(port=self.port, folder=self.folder))
        with open(os.path.join(self.folder, "client.xml"), "w", encoding="utf-8") as f:
            f.write(f"<config><host>127.0.0.1</host><port>{self.port}</port></config>")
        with open(os.path.join(self.folder, "log"), "wb") as log:
            self.server = subprocess.Popen([server, "--config-file=" + os.path.join(self.folder, "config.xml")],
                                           stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder)
        try:
            self.wait()
            self.query(page.tables["clickhouse"])
            # The page's command, with the address of this server.
            commands = page.shell["clickhouse"].replace("clickhouse-client", "clickhouse-client --config-file=" +
                                                        os.path.join(self.folder, "client.xml"))
            run(["bash", "-e", "-c", commands], folder)
            for view in page.views:
                self.query(view)
        except BaseException:
            self.close()
            raise

    def wait(self):
        deadline = time.monotonic() + csink_e2e.HANG_SECONDS
        while True:
            if self.server.poll() is not None or time.monotonic() > deadline:
                with open(os.path.join(self.folder, "log"), encoding="utf-8", errors="replace") as f:
                    raise AssertionError("clickhouse-server does not answer: " + f.read()[-2000:])
            try:
                with socket.create_connection(("127.0.0.1", int(self.port)), 1):
                    return
            except OSError:
                time.sleep(0.1)

    def query(self, sql):
        return run(["clickhouse-client", "--config-file=" + os.path.join(self.folder, "client.xml"),
                    "--query", sql.strip().rstrip(";")], self.folder)

    def ask(self, sql):
        answer = json.loads(self.query(sql.strip().rstrip(";") + " FORMAT JSONCompact"))
        whole = [column["type"].replace("Nullable(", "").startswith(("UInt", "Int")) for column in answer["meta"]]
        # 64-bit numbers are texts in this form.
        return [[int(v) if is_whole and v is not None else v for v, is_whole in zip(row, whole)] for row in answer["data"]]

    def close(self):
        self.server.terminate()
        try:
            self.server.wait(20)
        except subprocess.TimeoutExpired:
            self.server.kill()
            self.server.wait()
