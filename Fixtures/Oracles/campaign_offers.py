"""Verifies promotional offers that campaigns gave, over the bytes of Apple's own library.

Reads lines of JSON, each the answer of POST /v1/offers beside the appAccountToken that was asked with.
"""
import json
import sys
import tempfile

from promotional_offers import Checker


def main():
    key_file, key_id, issuer_id, bundle_id = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(key_file, key_id, issuer_id, bundle_id, folder)
        count = 0
        for line in filter(str.strip, sys.stdin):
            told = json.loads(line)
            answer = told["answer"]
            asked = {name: answer[name] for name in ("productId", "offerIdentifier")}
            if told["appAccountToken"]:
                asked["appAccountToken"] = told["appAccountToken"]
            checker.check(asked, answer, True)
            count += 1
    print(f"{count} verified")


main()
