#!/usr/bin/env python3
"""Takes the disk or the database away from the service under load, and gives it back.

    faults.py BINARY [full|fileLimit|readOnly|locked ...] [--notifications] [--connections 16] [--seed N]

full       a small tmpfs is filled; for who may not mount one, the same as fileLimit
fileLimit  no file may grow (RLIMIT_FSIZE)
readOnly   every write fails with EROFS (refuse-writes.c, built here with clang)
locked     another process holds the database for ten seconds

The load asks for signatures; with --notifications it delivers the App Store's, and what was refused comes again.
While it lasts, every answer is a 503 with 'Retry-After' and leaves nothing behind, and '/health/ready' is a 503; as
soon as it is over, the service answers 200 again by itself, also to the requests that it had refused. What was
answered with 200 at any time is in the database byte for byte. Ends with 0 and a line of JSON for each, or with 1.
"""
import argparse
import collections
import http.client
import json
import os
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

from notifications import ROUTE, Fault, check, simulate
from service import Service, wait_until

HERE = os.path.dirname(os.path.abspath(__file__))
# Room for the write-ahead log, which is cut back at 4 MiB or later when readers are busy.
TMPFS_BYTES = 64 * 1024 * 1024


# What a load delivers before, between and after: it is refused most of the time.
DELIVERIES = 3000


class Signatures:
    """Requests for signatures, each with a requestId of its own."""

    pause = 0

    def __init__(self, service, _seed):
        self.service = service

    def next(self, chance):
        return self.service.request(chance)

    def again(self, request_id, request):
        """A refused one is asked for when all is right again."""

    def faults(self, released, refused):
        """What the database has that it should not, and what it lacks."""
        stored = self.service.answers([*released, *refused])
        kept = sum(bool(stored[request_id]) for request_id in refused)
        wrong = sum(stored[request_id] != [body] for request_id, body in released.items())
        return ([f"{kept} refused requests left something behind"] if kept else []) + (
            [f"{wrong} answers are not in the database as they were received"] if wrong else [])


class Deliveries:
    """The App Store's notifications, which it sends again while it is refused."""

    pause = 0.02

    def __init__(self, service, seed):
        self.service = service
        notifications, _ = simulate(service, DELIVERIES, seed)
        self.by_uuid = {notification.uuid: notification for notification in notifications}
        self.waiting = collections.deque(notifications)

    def next(self, _chance):
        notification = self.waiting.popleft()
        return notification.uuid, (ROUTE, notification.body)

    def again(self, request_id, _request):
        self.waiting.appendleft(self.by_uuid[request_id])

    def faults(self, released, refused):
        try:
            # Whatever is stored belongs to a whole notification in the log, and none of those was refused.
            logged = check(self.service, self.by_uuid, released)
            return [] if logged == len(released) else [
                f"{logged} notifications are in the log, {len(released)} were taken in and {len(refused)} refused"]
        except Fault as fault:
            return [str(fault)]


class Load:
    """Connections that ask or deliver until they are told to stop, and all that they were answered."""

    def __init__(self, service, traffic, connections, seed):
        self.service, self.lock, self.ends = service, threading.Lock(), False
        self.traffic = traffic
        self.released, self.refused, self.faults = {}, {}, []
        self.last = {}
        chance = random.Random(seed)
        self.threads = [threading.Thread(target=self._ask, args=(number, chance.getrandbits(64)), daemon=True)
                        for number in range(connections)]
        for thread in self.threads:
            thread.start()

    def _ask(self, number, seed):
        chance = random.Random(seed)
        connection = self.service.connect()
        while not self.ends:
            with self.lock:
                request_id, request = self.traffic.next(chance)
            try:
                status, headers, body = self.service.ask(connection, request)
            except (OSError, http.client.HTTPException) as error:
                self.faults.append(f"a connection was lost: {error!r}")
                return
            with self.lock:
                self.last[number] = status
                if status == 200:
                    self.released[request_id] = body
                elif status == 503 and "Retry-After" in headers:
                    self.refused[request_id] = request
                    self.traffic.again(request_id, request)
                else:
                    self.faults.append(f"status {status}: {body[:200]}")
            time.sleep(0.05 if status != 200 else self.traffic.pause)

    def all_have(self, status):
        with self.lock:
            return len(self.last) == len(self.threads) and set(self.last.values()) == {status}

    def stop(self):
        self.ends = True
        for thread in self.threads:
            thread.join(60)


def ready(service):
    connection = service.connect()
    try:
        connection.request("GET", "/health/ready")
        return connection.getresponse().status
    finally:
        connection.close()


def play(name, service, options, begin, end, lasts=2.0):
    """One fault from its beginning to its end under load."""
    traffic = Deliveries(service, options.seed) if options.notifications else Signatures(service, options.seed)
    load = Load(service, traffic, options.connections, options.seed)
    wait_until(lambda: load.all_have(200), 60, "every connection answered")
    begin()
    seconds_to_503 = wait_until(lambda: load.all_have(503), 30, "every connection refused")
    time.sleep(lasts)
    while_it_lasts = ready(service)
    with load.lock:
        # Between the first refusal and the last answer some were refused and then taken.
        refused = [request_id for request_id in load.refused if request_id not in load.released]
        faults = traffic.faults(dict(load.released), refused)
    end()
    seconds_to_200 = wait_until(lambda: load.all_have(200), 30, "every connection answered again")
    load.stop()
    faults += load.faults
    if while_it_lasts != 503:
        faults.append(f"ready was {while_it_lasts} while nothing could be written")
    faults += traffic.faults(load.released, [])
    connection = service.connect()
    for request_id, request in load.refused.items():
        status, _, body = service.ask(connection, request)
        if status != 200:
            faults.append(f"'{request_id}' was refused and is now answered with {status}: {body[:200]}")
    if ready(service) != 200:
        faults.append("not ready again")
    if faults:
        raise SystemExit(f"{name}: {len(faults)} faults; the first: {faults[0]}")
    print(json.dumps({"fault": name, "answered": len(load.released), "refused": len(load.refused),
                      "secondsToRefusal": round(seconds_to_503, 2), "secondsToRecovery": round(seconds_to_200, 2)}),
          flush=True)


def full(binary, folder, options):
    if os.geteuid() == 0 and mount(folder):
        try:
            full_volume(binary, folder, options)
        finally:
            subprocess.run(["umount", folder], check=True)
    else:
        file_limit(binary, folder, options)


def mount(folder):
    """A container may forbid it even to root."""
    return subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={TMPFS_BYTES}", "holdfast-full", folder],
                          capture_output=True).returncode == 0


def full_volume(binary, folder, options):
    filler = folder + "/filler"

    def fill():
        with open(filler, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass

    served(Service(binary, folder + "/demo"), "full volume", options, fill, lambda: os.remove(filler))


def file_limit(binary, folder, options):
    service = Service(binary, folder + "/demo")

    def limit(bytes_):
        resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, (bytes_, resource.RLIM_INFINITY))

    served(service, "a limit of file size", options, lambda: limit(1), lambda: limit(
        resource.RLIM_INFINITY))


def read_only(binary, folder, options):
    library, switch = folder + "/refuse-writes.so", folder + "/refuse"
    subprocess.run(["clang", "-shared", "-fPIC", "-O1", "-o", library, HERE + "/refuse-writes.c", "-ldl"], check=True)
    service = Service(binary, folder + "/demo", {"LD_PRELOAD": library, "REFUSE_WRITES": switch})
    served(service, "read-only", options, lambda: open(switch, "w").close(), lambda: os.remove(switch))


def locked(binary, folder, options):
    service = Service(binary, folder + "/demo")
    holder = sqlite3.connect(service.database, isolation_level=None, timeout=30, check_same_thread=False)
    started = []

    def begin():
        holder.execute("BEGIN IMMEDIATE")
        started.append(time.monotonic())

    def end():
        time.sleep(max(0.0, started[0] + 10 - time.monotonic()))
        holder.execute("ROLLBACK")

    served(service, "locked for ten seconds", options, begin, end, lasts=0)
    holder.close()


def served(service, name, options, begin, end, **more):
    service.start()
    try:
        play(name, service, options, begin, end, **more)
        if service.stop() != 0:
            raise SystemExit(f"{name}: the service did not stop as it should")
    finally:
        if service.process.poll() is None:
            service.kill()


FAULTS = {"full": full, "fileLimit": file_limit, "readOnly": read_only, "locked": locked}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("faults", nargs="*", choices=[*FAULTS, []], default=[])
    parser.add_argument("--notifications", action="store_true")
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--seed", type=int, default=20261130)
    options = parser.parse_args()
    for name in options.faults or FAULTS:
        with tempfile.TemporaryDirectory(prefix="holdfast-fault-") as folder:
            FAULTS[name](options.binary, folder, options)


main()
