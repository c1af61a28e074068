"""Opens thousands of connections that send a byte a second, and measures what other clients notice of them.

Each slow client is one of four: it drips a header, a body of announced length, a body in chunks, or the second request
of a connection whose first was answered. Meanwhile a few ordinary clients ask at a steady pace, half of them on a new
connection each time. Written: one JSON object with the ordinary clients' latencies and the server's share of a core
before, during and after, its memory, and when the slow clients were cut. Exit code 1 when one was not cut, or could not connect.

usage: slow_clients.py PROGRAM [--connections N]                     starts `PROGRAM demo` and asks it for offers
       slow_clients.py --port P --pid N [--connections N] [--seconds S]  asks a running server for /health/live

Needs Python 3 alone. Connections come from 127.0.0.2, .3 and so on, so that port numbers do not run short.
"""

import argparse
import http.client
import json
import multiprocessing
import multiprocessing.connection
import os
import re
import resource
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid

CONNECTIONS_OF_AN_ADDRESS = 5_000
ORDINARY_CLIENTS = 8
REQUESTS_A_SECOND = 20
SLOTS = 20
KINDS = ("header", "body", "chunks", "second")
POST = b"POST /v1/signatures/promotional-offer HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer none\r\n"


def opening(kind):
    """What a slow client sends at once, before it begins to drip."""
    return {
        "header": b"GET /health/live HTTP/1.1\r\nHost: a\r\nX-Slow: ",
        "body": POST + b"Content-Length: 200000\r\n\r\n" + b" " * 4_000,
        "chunks": POST + b"Transfer-Encoding: chunked\r\n\r\n" + b"fa0\r\n" + b" " * 4_000 + b"\r\n",
        "second": b"GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n",
    }[kind]


def drop(kind, second):
    """The next byte; a chunk's size, its end and its byte take four turns of six bytes."""
    if kind == "chunks":
        return b"1\r\n \r\n"[second % 6 : second % 6 + 1]
    return b"x" if kind != "second" else b"G"


class SlowClients:
    """All slow clients of one process."""

    def __init__(self, port, first, count, pipe):
        self.pipe, self.epoll = pipe, select.epoll()
        self.open, self.cut_after, self.refused = {}, [], 0
        for number in range(first, first + count):
            kind = KINDS[number % len(KINDS)]
            client = socket.socket()
            client.settimeout(30)
            try:
                client.bind((f"127.0.0.{2 + number // CONNECTIONS_OF_AN_ADDRESS}", 0))
                client.connect(("127.0.0.1", port))
                client.sendall(opening(kind))
            except OSError:
                self.refused += 1
                client.close()
                continue
            client.setblocking(False)
            self.open[client.fileno()] = (client, kind, time.monotonic())
            self.epoll.register(client.fileno(), select.EPOLLIN)

    def forget(self, descriptor, now):
        client, _, since = self.open.pop(descriptor)
        if not self.cut_after:
            self.pipe.send("cutting")
        self.cut_after.append(now - since)
        client.close()

    def read(self, wait):
        for descriptor, _ in self.epoll.poll(wait):
            if descriptor not in self.open:
                continue
            try:
                ended = self.open[descriptor][0].recv(4_096) == b""
            except BlockingIOError:
                continue
            except OSError:
                ended = True
            if ended:
                self.forget(descriptor, time.monotonic())

    def run(self, until):
        turn = 0
        while self.open and time.monotonic() < until:
            began = time.monotonic()
            for descriptor in [d for d in self.open if d % SLOTS == turn % SLOTS]:
                client, kind, _ = self.open[descriptor]
                try:
                    client.send(drop(kind, turn // SLOTS))
                except BlockingIOError:
                    pass
                except OSError:
                    self.forget(descriptor, time.monotonic())
            turn += 1
            while True:
                left = began + 1 / SLOTS - time.monotonic()
                self.read(max(left, 0))
                if left <= 0 or not self.open:
                    break


def drip(port, first, count, seconds, pipe):
    slow = SlowClients(port, first, count, pipe)
    pipe.send("connected")
    slow.run(time.monotonic() + seconds)
    pipe.send({"cut": slow.cut_after, "left": len(slow.open), "refused": slow.refused})


class OrdinaryClients:
    """Clients at a steady pace; each answer's time from the moment it was due, so that a stall counts in full."""

    def __init__(self, port, request):
        self.port, self.request = port, request
        self.times, self.failures, self.phase = {}, 0, "before"
        self.lock, self.ended = threading.Lock(), threading.Event()
        self.threads = [threading.Thread(target=self.work, args=(n,)) for n in range(ORDINARY_CLIENTS)]
        for thread in self.threads:
            thread.start()

    def work(self, number):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        due = time.monotonic() + number / ORDINARY_CLIENTS / REQUESTS_A_SECOND
        while not self.ended.wait(max(due - time.monotonic(), 0)):
            phase = self.phase
            try:
                status = self.request(connection)
                if number % 2 == 0:
                    connection.close()
            except (OSError, http.client.HTTPException):
                status = 0
                connection.close()
            with self.lock:
                self.failures += status != 200
                self.times.setdefault(phase, []).append(time.monotonic() - due)
            due = max(due + 1 / REQUESTS_A_SECOND, time.monotonic())

    def end(self):
        self.ended.set()
        for thread in self.threads:
            thread.join()
        return {phase: summary(times) for phase, times in self.times.items()}


def summary(times):
    times = sorted(times)
    at = lambda share: round(times[min(int(len(times) * share), len(times) - 1)] * 1_000, 2)
    return {"requests": len(times), "p50_ms": at(0.5), "p99_ms": at(0.99), "max_ms": at(1)}


def measure(port, asked, commands, results):
    """The ordinary clients, in a process of their own, so that Python's lock does not slow them."""

    def live(connection):
        connection.request("GET", "/health/live")
        answer = connection.getresponse()
        answer.read()
        return answer.status

    def offer(connection):
        body = dict(asked["body"], requestId=str(uuid.uuid4()))
        connection.request("POST", asked["path"], json.dumps(body), {"Authorization": asked["key"]})
        answer = connection.getresponse()
        answer.read()
        return answer.status

    clients = OrdinaryClients(port, offer if asked else live)
    while (phase := commands.recv()) != "end":
        clients.phase = phase
    results.send({"latency": clients.end(), "failures": clients.failures})


def memory_kib(pid, what="VmRSS"):
    with open(f"/proc/{pid}/status") as status:
        return int(re.search(rf"{what}:\s+(\d+)", status.read())[1])


class Phases:
    """Tells the ordinary clients what is going on, and what share of a core the server used in each phase."""

    def __init__(self, pid, commands):
        self.pid, self.commands, self.shares, self.name = pid, commands, {}, None

    def begin(self, name):
        with open(f"/proc/{self.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        used, now = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), time.monotonic()
        if self.name:
            self.shares[self.name] = round((used - self.used) / (now - self.since), 3)
        self.name, self.used, self.since = name, used, now
        self.commands.send(name)


def load(port, pid, asked, count, calm, wait):
    """The whole run: calm, slow clients until all are cut or `wait` is over, calm."""
    commands, results = multiprocessing.Pipe(), multiprocessing.Pipe()
    measuring = multiprocessing.Process(target=measure, args=(port, asked, commands[1], results[1]), daemon=True)
    measuring.start()
    phases = Phases(pid, commands[0])
    time.sleep(1)
    phases.begin("calm")
    time.sleep(calm)
    memory = {"before": memory_kib(pid)}
    phases.begin("opening")
    pipes, processes = [], []
    for first in range(0, count, CONNECTIONS_OF_AN_ADDRESS):
        pipe, other = multiprocessing.Pipe()
        share = min(CONNECTIONS_OF_AN_ADDRESS, count - first)
        processes.append(multiprocessing.Process(target=drip, args=(port, first, share, wait, other), daemon=True))
        processes[-1].start()
        pipes.append(pipe)
    for pipe in pipes:
        pipe.recv()
    phases.begin("dripping")
    memory["dripping"] = memory_kib(pid)
    reports = []
    while pipes:
        for pipe in multiprocessing.connection.wait(pipes):
            message = pipe.recv()
            if message != "cutting":
                reports.append(message)
                pipes.remove(pipe)
            elif phases.name == "dripping":
                phases.begin("cutting")
    phases.begin("afterwards")
    time.sleep(calm)
    phases.begin("end")
    report = results[0].recv()
    for process in processes + [measuring]:
        process.join()
    memory["after"], memory["highest"] = memory_kib(pid), memory_kib(pid, "VmHWM")
    cut = sorted(second for one in reports for second in one["cut"])
    report.update(
        connections=count, cut=len(cut), left=sum(one["left"] for one in reports),
        refused=sum(one["refused"] for one in reports),
        cut_after_seconds={"first": round(cut[0], 1), "last": round(cut[-1], 1)} if cut else None, memory_kib=memory,
        server_cores=phases.shares)
    return report


def main():
    options = argparse.ArgumentParser()
    options.add_argument("program", nargs="?")
    options.add_argument("--port", type=int)
    options.add_argument("--pid", type=int)
    options.add_argument("--connections", type=int, default=10_000)
    options.add_argument("--calm", type=float, default=10, help="seconds measured before and after")
    options.add_argument("--seconds", type=float, default=120, help="how long slow clients stay at most")
    options = options.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if min(options.connections, CONNECTIONS_OF_AN_ADDRESS) + 100 > hard:
        sys.exit(f"only {hard} open files are allowed; raise the hard limit ('ulimit -Hn')")

    demo = None
    port, pid, asked = options.port, options.pid, None
    if options.program:
        page, log = tempfile.TemporaryFile("w+"), tempfile.TemporaryFile("w+")
        demo = subprocess.Popen([options.program, "demo", "--listen", "127.0.0.1:0"], stdout=page, stderr=log)
        text = ""
        for _ in range(600):
            time.sleep(0.1)
            page.seek(0)
            text = page.read()
            if "Stop with Ctrl-C" in text:
                break
        key = re.search(r"-H 'Authorization: (Bearer [^']+)'", text)
        body = re.search(r"-d '(\{[^']+\})'", text)
        port, pid = int(re.search(r"http://127\.0\.0\.1:(\d+)", text)[1]), demo.pid
        asked = {"key": key[1], "body": json.loads(body[1]), "path": "/v1/signatures/promotional-offer"}
    try:
        report = load(port, pid, asked, options.connections, options.calm, options.seconds)
    finally:
        if demo:
            demo.send_signal(signal.SIGTERM)
            demo.wait()
    print(json.dumps(report))
    sys.exit(0 if report["cut"] == options.connections else 1)


if __name__ == "__main__":
    main()
