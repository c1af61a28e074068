"""A holdfast of its own for the load scripts: made by the demo, served from its files, asked over HTTP.

Nothing here is ours but the program under test: HTTP is Python's, and the database is read by Python's SQLite.
"""
import copy
import http.client
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import time
import uuid

OFFERS = "/v1/offers"
PROMOTIONAL = "/v1/signatures/promotional-offer"
INTRODUCTORY = "/v1/signatures/introductory-offer-eligibility"
START_SECONDS = 60


class Service:
    """The files of one demo in `folder`, and the process that serves them now."""

    def __init__(self, binary, folder, environment=None):
        self.binary, self.folder = binary, folder
        self.configuration = os.path.join(folder, "holdfast.yaml")
        self.database = os.path.join(folder, "holdfast.sqlite")
        self.environment = dict(os.environ, SWIFT_BACKTRACE="enable=no", **(environment or {}))
        self.process = None
        self.port = 0
        demo = self._spawn(["demo", "--directory", folder, "--subscribers", "50", "--listen", "127.0.0.1:0"])
        self._line(demo, "Holdfast serves")
        demo.terminate()
        demo.wait(START_SECONDS)
        made = subprocess.run(
            [binary, "key", "create", "--role", "client", "--name", "load", "--format", "json",
             "--config", self.configuration], check=True, capture_output=True, text=True)
        self.key = json.loads(made.stdout)["key"]
        self.customers = [row[0] for row in self.rows(
            "SELECT original_transaction_id FROM subscription JOIN app ON app.id = app_id"
            " WHERE environment = 'Production'")]
        # What the demo itself took in.
        self.demo_payload = self.rows("SELECT coalesce(max(id), 0) FROM signed_payload")[0][0]

    def copied(self, folder):
        """Another service with the same files; this one must not run."""
        shutil.copytree(self.folder, folder)
        other = copy.copy(self)
        other.folder = folder
        other.configuration = os.path.join(folder, "holdfast.yaml")
        other.database = os.path.join(folder, "holdfast.sqlite")
        return other

    def _spawn(self, arguments):
        # Python ignores SIGXFSZ, and a child that keeps that gets an error for a file that is too large.
        return subprocess.Popen(
            [self.binary, *arguments], env=self.environment, stdout=subprocess.PIPE,
            stderr=open(os.path.join(self.folder + ".log"), "ab"), text=True, restore_signals=False)

    @staticmethod
    def _line(process, words):
        for line in process.stdout:
            if words in line:
                return line
        raise SystemExit(f"the program ended before it said '{words}'")

    def start(self):
        self.process = self._spawn(["serve", "--config", self.configuration, "--listen", "127.0.0.1:0"])
        self.port = int(self._line(self.process, "serving on").rsplit(":", 1)[1])

    def kill(self):
        """Ends it as a power cut would; nothing of it runs on."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(START_SECONDS)
        self.process.stdout.close()

    def stop(self):
        self.process.terminate()
        code = self.process.wait(START_SECONDS)
        self.process.stdout.close()
        return code

    def connect(self, timeout=30):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def ask(self, connection, request):
        """The status, the headers and the body of the answer to one request of `request()`."""
        path, body = request
        connection.request("POST", path, body, {"Authorization": "Bearer " + self.key})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()

    def request(self, random):
        """A requestId with a request of one of three routes that nobody has made yet."""
        request_id = str(uuid.UUID(int=random.getrandbits(128), version=4))
        customer = random.choice(self.customers)
        fields = {"requestId": request_id, "bundleId": "com.example.reader", "environment": "Production",
                  "productId": "reader.monthly", "originalTransactionId": customer}
        if random.random() < 0.25:
            del fields["productId"]
            return request_id, (OFFERS, json.dumps(dict(fields, via="app")))
        if random.random() < 0.75:
            return request_id, (PROMOTIONAL, json.dumps(dict(fields, offerIdentifier="save_50_3mo")))
        fields.update(transactionId=customer, allowIntroductoryOffer=random.random() < 0.5)
        return request_id, (INTRODUCTORY, json.dumps(fields))

    def rows(self, query, *values):
        connection = sqlite3.connect(self.database, timeout=30)
        try:
            return connection.execute(query, values).fetchall()
        finally:
            connection.close()

    def answers(self, request_ids):
        """Every stored answer of the given ids, as a list for each id."""
        found = {request_id: [] for request_id in request_ids}
        for request_id, answer in self.rows("SELECT request_id, answer FROM offer_grant"):
            request_id = str(uuid.UUID(bytes=request_id))
            if request_id in found:
                found[request_id].append(answer)
        return found


def wait_until(condition, seconds, what):
    """Waits for `condition`; the seconds that took."""
    started = time.monotonic()
    while time.monotonic() - started < seconds:
        if condition():
            return time.monotonic() - started
        time.sleep(0.05)
    raise SystemExit(f"after {seconds} s still not: {what}")
