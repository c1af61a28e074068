#!/usr/bin/env python3
"""Kills the service with SIGKILL in the middle of the App Store's deliveries, and looks for one lost or applied twice.

    deliveries.py BINARY [--deliveries 10000] [--connections 64] [--kills 10] [--seed N]

'holdfast simulate' signs the notifications of many subscribers, some twice and in disorder. 64 connections deliver
them; what was not answered with 200 is delivered again after the restart, as the App Store does. After every restart
each notification that was answered with 200 is in the log once, the facts in the database are those of the logged
notifications and no others, and every subscription is what its facts make it. At the end the database holds what an
undisturbed run leaves, what the simulated lives say of themselves, and what a replay of the log gives.
Ends with 0 and one line of JSON, or with 1 and the first fault.
"""
import argparse
import collections
import http.client
import json
import random
import subprocess
import sys
import tempfile
import threading
import time

from notifications import ROUTE, Fault, check, simulate
from service import Service

class Sender:
    """Delivers over many connections until all is answered or the service is killed."""

    def __init__(self, service, connections):
        self.service, self.connections = service, connections
        self.lock, self.waiting = threading.Lock(), collections.deque()
        self.given, self.outcomes, self.faults = collections.Counter(), collections.Counter(), []
        self.applied = collections.Counter()
        self.unanswered = 0

    def _deliver(self):
        connection = self.service.connect()
        while True:
            with self.lock:
                if not self.waiting:
                    break
                delivery = self.waiting.popleft()
            try:
                connection.request("POST", ROUTE, delivery.body, {"Content-Type": "application/json"})
                answer = connection.getresponse()
                body = answer.read()
            except (OSError, http.client.HTTPException):
                with self.lock:
                    self.unanswered += 1
                    self.waiting.appendleft(delivery)
                break
            with self.lock:
                if answer.status != 200:
                    self.faults.append(f"'{delivery.uuid}' was answered with {answer.status}: {body[:200]}")
                    break
                outcome = json.loads(body)["outcome"]
                self.given[delivery.uuid] += 1
                self.outcomes[outcome] += 1
                self.applied[delivery.uuid] += outcome != "duplicate"
        connection.close()

    def start(self):
        self.threads = [threading.Thread(target=self._deliver, daemon=True) for _ in range(self.connections)]
        for thread in self.threads:
            thread.start()

    def wait(self):
        for thread in self.threads:
            thread.join(120)
        if self.faults:
            raise Fault(self.faults[0])

    def answered(self):
        with self.lock:
            return sum(self.outcomes.values())


def state(service):
    """Everything that must not depend on when the power was cut."""
    found = {}
    for table in ("subscription", "transaction_fact", "renewal_fact"):
        # Row numbers depend on the order of arrival.
        left_out = {"id", "app_id", "subscription_id", "payload_id"}
        columns = [row[1] for row in service.rows(f"PRAGMA table_info({table})") if row[1] not in left_out]
        source = "subscription AS t" if table == "subscription" else (
            f"{table} AS t JOIN subscription AS s ON s.id = t.subscription_id")
        name = "t.original_transaction_id" if table == "subscription" else "s.original_transaction_id"
        found[table] = sorted(map(repr, service.rows(
            f"SELECT {name}, {', '.join('t.' + column for column in columns)} FROM {source}")))
    found["log"] = sorted(map(repr, service.rows(
        "SELECT notification_uuid, notification_type, subtype, signed_date FROM signed_payload")))
    return found


def check_end(service, truth, undisturbed):
    ours, theirs = state(service), state(undisturbed)
    for part in ours:
        if ours[part] != theirs[part]:
            other = set(ours[part]) ^ set(theirs[part])
            raise Fault(f"'{part}' differs from the undisturbed run in {len(other)} rows, as {next(iter(other))}")
    rows = {row[0]: row[1:] for row in service.rows(
        "SELECT original_transaction_id, product_id, expires_date, auto_renew_status FROM subscription")}
    for life in truth:
        expected = (life["productId"], int(life["expiresDate"]), {"on": 1, "off": 0}[life["autoRenewStatus"]])
        if rows.get(life["originalTransactionId"]) != expected:
            raise Fault(f"'{life['originalTransactionId']}' is {rows.get(life['originalTransactionId'])}, "
                        f"really {expected}")
    replay = subprocess.run(
        [service.binary, "notifications", "replay", "--format", "json", "--config", service.configuration],
        capture_output=True, text=True)
    if replay.returncode != 0 or json.loads(replay.stdout).get("differences"):
        raise Fault(f"the replay differs: {replay.stdout[:500]}{replay.stderr[:500]}")
    if service.rows("PRAGMA integrity_check") != [("ok",)]:
        raise Fault("the database is not sound")


def deliver_undisturbed(service, deliveries, connections):
    service.start()
    sender = Sender(service, connections)
    sender.waiting.extend(deliveries)
    started = time.monotonic()
    sender.start()
    sender.wait()
    seconds = time.monotonic() - started
    service.stop()
    return seconds


def deliver_with_kills(service, deliveries, options, chance):
    by_uuid = {delivery.uuid: delivery for delivery in deliveries}
    sender = Sender(service, options.connections)
    sender.waiting.extend(deliveries)
    total = {"deliveries": len(deliveries), "notifications": len(by_uuid), "kills": 0, "loggedUnanswered": 0}
    service.start()
    for number in range(options.kills):
        mark = (number + 0.3 + 0.6 * chance.random()) * len(deliveries) / options.kills
        sender.start()
        while sender.answered() < mark and any(thread.is_alive() for thread in sender.threads):
            time.sleep(0.0005)
        time.sleep(chance.uniform(0, 0.005))
        service.kill()
        sender.wait()
        service.start()
        logged = check(service, by_uuid, sender.given)
        total["kills"] += 1
        total["loggedUnanswered"] += logged - len(sender.given)
    sender.start()
    sender.wait()
    logged = check(service, by_uuid, sender.given)
    if logged != len(by_uuid) or len(sender.given) != len(by_uuid):
        raise Fault(f"{logged} of {len(by_uuid)} notifications are logged at the end")
    twice = [name for name, count in sender.applied.items() if count > 1]
    if twice:
        raise Fault(f"'{twice[0]}' was applied twice")
    total.update(unanswered=sender.unanswered, outcomes=dict(sender.outcomes))
    return total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--deliveries", type=int, default=10_000)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=20261130)
    options = parser.parse_args()
    print(f"seed {options.seed}", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="holdfast-deliveries-") as folder:
        service = Service(options.binary, folder + "/killed")
        deliveries, truth = simulate(
            service, options.deliveries, options.seed, "--delays", "--repeats", "10", "--reorder")
        undisturbed = service.copied(folder + "/undisturbed")
        try:
            total = deliver_with_kills(service, deliveries, options, random.Random(options.seed))
            service.stop()
            total["secondsUndisturbed"] = round(
                deliver_undisturbed(undisturbed, deliveries, options.connections), 2)
            check_end(service, truth, undisturbed)
        except Fault as fault:
            print(fault, file=sys.stderr)
            sys.exit(1)
        finally:
            for one in (service, undisturbed):
                if one.process and one.process.poll() is None:
                    one.kill()
    print(json.dumps(total))


main()
