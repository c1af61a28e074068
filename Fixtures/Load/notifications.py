"""Notifications of simulated subscribers, and what a database that took them in must hold."""
import base64
import collections
import csv
import json
import subprocess
import uuid

ROUTE = "/v1/app-store/notifications"
# Types that tell nothing of a subscription; the second is none of Apple's.
WITHOUT_FACTS = {"TEST", "SUBSCRIPTION_GREETED"}
# Of these a subscriber causes about so many in a year, repeats among them.
DELIVERIES_A_LIFE = 5.2


class Fault(Exception):
    pass


def decoded(jws):
    part = jws.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


class Notification:
    """One line of the simulation, and what it says."""

    def __init__(self, line):
        self.body = line.strip()
        outer = decoded(json.loads(line)["signedPayload"])
        self.uuid = outer["notificationUUID"].lower()
        data = outer.get("data", {})
        has_facts = outer["notificationType"] not in WITHOUT_FACTS and "signedTransactionInfo" in data
        self.transaction = decoded(data["signedTransactionInfo"]) if has_facts else None
        self.renewal = decoded(data["signedRenewalInfo"]) if has_facts else None


def simulate(service, count, seed, *options):
    """The deliveries in the order of their arrival, and what is true at their end."""
    lines, truth = service.folder + ".jsonl", service.folder + ".csv"
    subprocess.run(
        [service.binary, "simulate", "--subscribers", str(max(1, round(count / DELIVERIES_A_LIFE))), "--seed", str(seed),
         *options, "--output", lines, "--truth", truth,
         "--config", service.configuration], check=True, capture_output=True)
    with open(lines) as file:
        deliveries = [Notification(line) for line in file]
    with open(truth) as file:
        return deliveries, list(csv.DictReader(file))


def told(transactions, renewals):
    """What the facts of one subscription make it, in the fields that need no clock."""
    newest = {}
    for fact in sorted(transactions, key=lambda fact: fact["signedDate"]):
        newest[fact["transactionId"]] = fact
    period = max(newest.values(), key=lambda fact: fact["purchaseDate"])
    begins = min([period["purchaseDate"]] + [
        fact["signedDate"] for fact in transactions if fact["transactionId"] == period["transactionId"]])
    known = [fact for fact in sorted(renewals, key=lambda fact: fact["signedDate"]) if fact["signedDate"] >= begins]
    return (period["transactionId"], period["productId"], period["expiresDate"],
            known[-1]["autoRenewStatus"] if known else None,
            max(fact["signedDate"] for fact in transactions + renewals))


def check(service, by_uuid, given):
    """Compares the database with what was answered; how many notifications are logged."""
    rows = service.rows(
        f"SELECT notification_uuid FROM signed_payload WHERE source = 'notification' AND id > {service.demo_payload}")
    logged = collections.Counter(str(uuid.UUID(bytes=row[0])) for row in rows)
    if any(count > 1 for count in logged.values()):
        raise Fault("a notification is in the log twice")
    lost = [name for name in given if name not in logged]
    if lost:
        raise Fault(f"{len(lost)} notifications that were answered with 200 are not in the log, as '{lost[0]}'")
    facts = {"transaction": [], "renewal": []}
    by_subscription = collections.defaultdict(lambda: ([], []))
    for notification in (by_uuid[name] for name in logged):
        if notification.transaction:
            name = notification.transaction["originalTransactionId"]
            facts["transaction"].append(
                (name, notification.transaction["transactionId"], notification.transaction["signedDate"]))
            facts["renewal"].append((name, notification.renewal["signedDate"]))
            by_subscription[name][0].append(notification.transaction)
            by_subscription[name][1].append(notification.renewal)
    for table, column in (("transaction", "f.transaction_id,"), ("renewal", "")):
        stored = service.rows(
            f"SELECT s.original_transaction_id, {column} f.signed_date FROM {table}_fact AS f"
            " JOIN subscription AS s ON s.id = f.subscription_id JOIN signed_payload AS p ON p.id = f.payload_id"
            f" WHERE p.source = 'notification' AND p.id > {service.demo_payload}")
        if sorted(stored) != sorted(facts[table]):
            raise Fault(f"{len(stored)} {table} facts are stored, the log tells {len(facts[table])}")
    for row in service.rows(
            "SELECT original_transaction_id, transaction_id, product_id, expires_date, auto_renew_status,"
            " newest_signed_date FROM subscription"):
        if row[0] in by_subscription and row[1:] != told(*by_subscription[row[0]]):
            raise Fault(f"subscription '{row[0]}' is {row[1:]}, its facts say {told(*by_subscription[row[0]])}")
    missing = set(by_subscription) - {row[0] for row in service.rows(
        "SELECT original_transaction_id FROM subscription WHERE transaction_id IS NOT NULL")}
    if missing:
        raise Fault(f"{len(missing)} subscriptions are missing")
    return len(logged)
