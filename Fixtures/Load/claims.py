#!/usr/bin/env python3
"""Claims codes from one pool until it is empty, and kills the service with SIGKILL on the way.

    claims.py BINARY [--codes 20000] [--kills 10] [--connections 64] [--seed N]

Every connection claims for one customer after the other. Whose answer was lost with the connection is asked for again
with the same requestId after the restart, and some are asked for again although they had one. At the end every code of
the pool has exactly one customer, each answer is the same as ever, and the program's own check of the books agrees.
Ends with 0 and one line of JSON, or with 1 and the first fault.
"""
import argparse
import datetime
import http.client
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
import uuid

from service import Service

CLAIMS = "/v1/codes/claims"
OFFER, PRODUCT = "SPRING", "reader.annual"


class Claims:
    """What all clients were answered."""

    def __init__(self):
        self.lock = threading.Lock()
        self.answers, self.customers, self.codes, self.faults = {}, {}, {}, []
        self.refused, self.repeated, self.broken = 0, 0, 0

    def receive(self, request_id, customer, status, body):
        with self.lock:
            if status != 200:
                self.faults.append(f"a claim was answered with {status}: {body[:200]}")
                return
            known = self.answers.setdefault(request_id, body)
            if known != body:
                self.faults.append(f"'{request_id}' was answered twice differently")
            answer = json.loads(body)
            if answer["decision"] == "refused":
                if [reason["code"] for reason in answer["reasons"]] != ["codePoolExhausted"]:
                    self.faults.append(f"a claim was refused: {body[:200]}")
                self.refused += 1
                return
            code = answer["code"]
            if self.customers.setdefault(customer, code) != code:
                self.faults.append(f"the customer '{customer}' has two codes")
            if self.codes.setdefault(code, customer) != customer:
                self.faults.append(f"a code was given to '{self.codes[code]}' and to '{customer}'")


def client(service, number, seed, this, is_over):
    """Claims until the pool is empty, for customers that nobody else claims for."""
    chance = random.Random(seed)
    connection, turn, mine = None, 0, []
    while not is_over.is_set() and not this.faults:
        repeats = bool(mine) and chance.random() < 0.1
        if repeats:
            request_id, customer = chance.choice(mine)
        else:
            turn += 1
            request_id, customer = str(uuid.UUID(int=chance.getrandbits(128), version=4)), f"c{number}-{turn}"
            mine.append((request_id, customer))
        body = json.dumps({"requestId": request_id, "bundleId": "com.example.reader", "environment": "Production",
                           "offer": OFFER, "customer": customer})
        while True:
            try:
                connection = connection or service.connect()
                status, _, answer = service.ask(connection, (CLAIMS, body))
                break
            except (OSError, http.client.HTTPException):
                # Killed; asked for again as soon as it is back.
                if connection:
                    connection.close()
                connection = None
                with this.lock:
                    this.broken += 1
                if is_over.is_set():
                    return
                time.sleep(0.02)
        this.receive(request_id, customer, status, answer)
        if repeats:
            with this.lock:
                this.repeated += 1
        if json.loads(answer).get("decision") == "refused":
            return


def check(service, this, codes):
    """Compares what clients have with the database and with the program's own check."""
    if this.faults:
        raise SystemExit(this.faults[0])
    if len(this.codes) != codes:
        raise SystemExit(f"{len(this.codes)} of {codes} codes were given")
    stored = dict(service.rows("SELECT customer, count(*) FROM code_claim GROUP BY customer"))
    if stored != dict.fromkeys(this.customers, 1):
        raise SystemExit("the database has other customers than those who were answered")
    for request_id, answers in service.answers(this.answers).items():
        if answers != [this.answers[request_id]]:
            raise SystemExit(f"the answer to '{request_id}' is not in the database once as it was received")
    if service.rows("PRAGMA integrity_check") != [("ok",)]:
        raise SystemExit("the database is not sound")
    books = subprocess.run([service.binary, "codes", "status", "--check", "--format", "json", "--config",
                            service.configuration], capture_output=True, text=True)
    if books.returncode != 0:
        raise SystemExit(books.stderr)
    batch = next(one for one in json.loads(books.stdout)["batches"] if one["batch"] == "pool")
    if (batch["claimed"], batch["free"], batch["state"]) != (codes, 0, "exhausted"):
        raise SystemExit(f"the batch is {batch}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--codes", type=int, default=20_000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--seed", type=int, default=20261130)
    options = parser.parse_args()
    print(f"seed {options.seed}", file=sys.stderr)
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="holdfast-claims-") as folder:
        service = Service(options.binary, folder + "/demo")
        file = os.path.join(folder, "codes.csv")
        with open(file, "w") as out:
            out.writelines(f"{code}\n" for code in chance.sample(range(10**8, 10**9), options.codes))
        expires = datetime.date.today() + datetime.timedelta(days=90)
        # The demo's own codes are of the same offer.
        for (name,) in service.rows("SELECT name FROM code_batch"):
            subprocess.run([options.binary, "codes", "void", "--batch", name, "--reason", "not of this run", "--config",
                            service.configuration], check=True, capture_output=True)
        subprocess.run([options.binary, "codes", "import", file, "--batch", "pool", "--offer", OFFER, "--product", PRODUCT, "--expires",
                        str(expires), "--config", service.configuration], check=True, capture_output=True)
        service.start()
        this, is_over = Claims(), threading.Event()
        threads = [threading.Thread(target=client, daemon=True,
                                    args=(service, number, chance.getrandbits(64), this, is_over))
                   for number in range(options.connections)]
        started = time.monotonic()
        for thread in threads:
            thread.start()
        kills = 0
        try:
            # One kill in each equal part of the pool, at any moment of it.
            marks = [int(options.codes * (part + chance.random()) / options.kills) for part in range(options.kills)]
            while any(thread.is_alive() for thread in threads) and not this.faults:
                if time.monotonic() - started > 600:
                    raise SystemExit("the pool is not empty after 600 s")
                if kills < len(marks) and len(this.codes) >= marks[kills]:
                    service.kill()
                    kills += 1
                    service.start()
                time.sleep(0.005)
            check(service, this, options.codes)
        finally:
            is_over.set()
            if service.process.poll() is None:
                service.kill()
    print(json.dumps({"kills": kills, "claims": len(this.codes), "refused": this.refused, "repeated": this.repeated,
                      "unanswered": this.broken}))


main()
