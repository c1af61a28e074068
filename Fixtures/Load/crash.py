#!/usr/bin/env python3
"""Kills the service with SIGKILL under load, again and again, and looks for an answer that was lost or changed.

    crash.py BINARY [--rounds 50] [--connections 64] [--seed N]

In each round 64 connections ask for signatures until the process is killed. After the restart every answer that a
client received must be in the database byte for byte and once, the same requestId must return it again, and a request
whose answer was lost with the connection must get the answer that the database has, when it has one.
Ends with 0 and one line of JSON, or with 1 and the first fault.
"""
import argparse
import http.client
import json
import random
import sys
import tempfile
import threading
import time

from service import Service


class Fault(Exception):
    pass


class Round:
    """What the clients of one round sent and received."""

    def __init__(self):
        self.lock = threading.Lock()
        self.requests, self.sent, self.answers, self.faults = {}, [], {}, []

    def receive(self, request_id, body):
        with self.lock:
            if self.answers.setdefault(request_id, body) != body:
                self.faults.append(f"'{request_id}' was answered twice differently")


def client(service, seed, this):
    """Asks until the connection breaks; one request in eight is a repetition, perhaps of one that is on its way."""
    chance = random.Random(seed)
    connection = service.connect()
    try:
        while True:
            with this.lock:
                if this.sent and chance.random() < 0.125:
                    request_id, request = chance.choice(this.sent[-100:])
                else:
                    request_id, request = service.request(chance)
                    this.requests[request_id] = request
                    this.sent.append((request_id, request))
            status, _, body = service.ask(connection, request)
            if status != 200:
                with this.lock:
                    this.faults.append(f"'{request_id}' was answered with {status}: {body[:200]}")
                return
            this.receive(request_id, body)
    except (OSError, http.client.HTTPException):
        return
    finally:
        connection.close()


def in_parallel(connections, work):
    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(connections)]
    for thread in threads:
        thread.start()
    return threads


def check(service, this, connections):
    """Compares what clients have with what the database and the restarted service have; how many were unanswered."""
    stored = service.answers(this.requests)
    for request_id, answers in stored.items():
        if len(answers) > 1:
            raise Fault(f"'{request_id}' was decided {len(answers)} times")
        if request_id in this.answers and answers != [this.answers[request_id]]:
            raise Fault(f"the answer to '{request_id}' is not in the database as it was received")
    waiting = list(this.requests.items())
    share = [waiting[number::connections] for number in range(connections)]

    def repeat(number):
        connection = service.connect()
        try:
            for request_id, request in share[number]:
                status, _, body = service.ask(connection, request)
                if status != 200:
                    raise OSError(f"status {status}")
                if stored[request_id] and stored[request_id] != [body]:
                    with this.lock:
                        this.faults.append(f"'{request_id}' has another answer after the restart")
                this.receive(request_id, body)
        except (OSError, http.client.HTTPException) as error:
            with this.lock:
                this.faults.append(f"no answer after the restart: {error}")
        finally:
            connection.close()

    unanswered = sum(request_id not in this.answers for request_id in this.requests)
    kept = sum(bool(stored[request_id]) for request_id in this.requests if request_id not in this.answers)
    for thread in in_parallel(connections, repeat):
        thread.join(120)
    if this.faults:
        raise Fault(this.faults[0])
    return unanswered, kept


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--seed", type=int, default=20261130)
    options = parser.parse_args()
    print(f"seed {options.seed}", file=sys.stderr)
    chance = random.Random(options.seed)
    total = {"kills": 0, "answers": 0, "unanswered": 0, "unansweredYetKept": 0}
    with tempfile.TemporaryDirectory(prefix="holdfast-crash-") as folder:
        service = Service(options.binary, folder + "/demo")
        service.start()
        try:
            for _ in range(options.rounds):
                this = Round()
                seeds = [chance.getrandbits(64) for _ in range(options.connections)]
                threads = in_parallel(options.connections, lambda number: client(service, seeds[number], this))
                # Long enough for a first answer on a slow machine, then at any moment of a batch.
                started = time.monotonic()
                while not this.answers and not this.faults and time.monotonic() - started < 60:
                    time.sleep(0.002)
                time.sleep(chance.uniform(0.0, 0.6))
                service.kill()
                for thread in threads:
                    thread.join(60)
                if this.faults:
                    raise Fault(this.faults[0])
                if not this.answers:
                    raise Fault("no answer before the kill")
                total["answers"] += len(this.answers)
                service.start()
                unanswered, kept = check(service, this, options.connections)
                total["kills"] += 1
                total["unanswered"] += unanswered
                total["unansweredYetKept"] += kept
            sound = service.rows("PRAGMA integrity_check")
            if sound != [("ok",)]:
                raise Fault(f"the database is not sound: {sound}")
        except Fault as fault:
            print(f"after {total['kills']} kills: {fault}", file=sys.stderr)
            sys.exit(1)
        finally:
            if service.process.poll() is None:
                service.kill()
    print(json.dumps(total))


main()
