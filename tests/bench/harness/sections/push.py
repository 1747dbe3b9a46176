"""The price of sending a large profile to a collector on this machine."""

import http.server
import os
import threading

from ..figures import Figure, Section
from ..stats import median, quartiles

NAME = "push"
TITLE = "csink push of a large profile to a collector"
PLACES = 50_000
LIMIT_S = 0.2


class _Collector:
    """Takes every request as OTLP wants it, and counts bytes."""

    def __init__(self):
        collector = self
        self.received = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                collector.received.append(len(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(200)
                self.send_header("Content-Type", "application/x-protobuf")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *args):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05})
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def measure(ctx):
    products = ctx.products
    section = Section(NAME, TITLE, ["", "CPU s", "sent, KiB"])
    if not products.csink or not os.path.exists(products.many_places):
        section.notes = ["no csink or bench_many_places in this build"]
        return section
    spool = products.path("many.places.csink")
    ctx.run([products.many_places, spool, products.csink, str(PLACES)])
    collector = _Collector()
    command = [products.csink, "push", collector.url, spool]
    cold = {"no_proxy": "*", "CSINK_CACHE": "0"}
    variants = {"csink push": cold, "csink push, names kept on disk": cold | {"CSINK_CACHE": products.path("names")},
                "csink push, not compressed": cold | {"OTEL_EXPORTER_OTLP_COMPRESSION": "none"}}
    sent = {}

    def push(name, env):
        cpu_s = ctx.run(command, env).cpu_s
        sent[name] = collector.received[-1]
        return cpu_s

    try:
        push("", variants["csink push, names kept on disk"])  # now they are kept
        columns = ctx.rounds(ctx.pick(15, 3), {n: lambda n=n, env=env: push(n, env) for n, env in variants.items()}, NAME)
    finally:
        collector.close()
    for name, values in columns.items():
        low, middle, high = quartiles(values)
        section.rows.append((name, f"{middle:.3f} [{low:.3f}..{high:.3f}]", f"{sent[name] / 1024:.0f}"))
    value = median(columns["csink push"])
    section.figures = [Figure(f"csink push of {PLACES:,} places", f"<= {LIMIT_S} s of CPU", f"{value:.3f} s", value <= LIMIT_S)]
    section.notes = [f"{ctx.pick(15, 3)} rounds; {PLACES:,} addresses of csink itself ({os.path.getsize(products.csink) / 2**20:.0f} MiB) in "
                     "two threads, without callers; the collector is a thread of this harness, and is not measured."]
    return section
