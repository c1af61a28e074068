"""Asks a running server for promotional offers and checks every signature without any code of Holdfast.

The bytes that must be signed come from Apple's own library: its signature creator is given a key that only records
what it is asked to sign. Each signature is then verified over those bytes, a sample also by the openssl command line.

usage: promotional_offers.py PORT APIKEY PRIVATEKEY.p8 KEYID ISSUERID BUNDLEID PRODUCT OFFER COUNT < subscribers
Standard input holds one JSON object a line: {"originalTransactionId": …, "appAccountToken": … or null}.
"""

import base64
import http.client
import json
import subprocess
import sys
import tempfile
import threading
import uuid
from pathlib import Path

import jwt
from appstoreserverlibrary.jws_signature_creator import PromotionalOfferV2SignatureCreator
from appstoreserverlibrary.promotional_offer import PromotionalOfferSignatureCreator
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
from cryptography.hazmat.primitives.hashes import SHA256

CONNECTIONS = 16
OPENSSL_SAMPLE = 40


class Recorder:
    """Stands where Apple's library keeps its private key, and keeps what it would sign."""

    def sign(self, message, algorithm):
        self.message = message
        return b""


class Checker:
    def __init__(self, key_file, key_id, issuer_id, bundle_id, folder):
        pem = Path(key_file).read_bytes()
        self.key_id, self.issuer_id, self.bundle_id = key_id, issuer_id, bundle_id
        self.public_key = serialization.load_pem_private_key(pem, None).public_key()
        self.creator = PromotionalOfferSignatureCreator(pem, key_id, bundle_id)
        self.creator._signing_key = self.recorder = Recorder()
        self.apples_claims = jwt.decode(
            PromotionalOfferV2SignatureCreator(pem, key_id, issuer_id, bundle_id).create_signature("p", "o", "t"),
            options={"verify_signature": False},
        ).keys()
        self.folder = Path(folder)
        self.public_pem = self.folder / "public.pem"
        self.public_pem.write_bytes(
            self.public_key.public_bytes(
                serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
            )
        )
        self.nonces = set()
        self.lock = threading.Lock()

    def apples_bytes(self, product, offer, token, nonce, timestamp):
        self.creator.create_signature(product, offer, token or "", uuid.UUID(nonce), timestamp)
        return self.recorder.message

    def check(self, asked, answer, by_command_line):
        assert answer["decision"] == "offered", answer
        v1, token = answer["v1"], asked.get("appAccountToken")
        assert v1["appAccountToken"] == (token.lower() if token else None), (token, v1)
        assert v1["nonce"] == v1["nonce"].lower() and v1["keyIdentifier"] == self.key_id, v1
        assert answer["expiresDate"] == v1["timestamp"] + 24 * 60 * 60 * 1000, answer
        signature = base64.b64decode(v1["signature"], validate=True)
        with self.lock:
            message = self.apples_bytes(
                asked["productId"], asked["offerIdentifier"], token, v1["nonce"], v1["timestamp"]
            )
        try:
            self.public_key.verify(signature, message, ECDSA(SHA256()))
        except InvalidSignature:
            raise AssertionError(f"V1 does not verify: {asked} {answer}") from None
        if by_command_line:
            self.check_by_openssl(signature, message)
        nonce = self.check_v2(asked, answer["v2"]["compactJWS"])
        with self.lock:
            assert not self.nonces & {nonce, v1["nonce"]}, "a nonce came twice"
            self.nonces |= {nonce, v1["nonce"]}

    def check_by_openssl(self, signature, message):
        name = uuid.uuid4().hex
        (self.folder / f"{name}.der").write_bytes(signature)
        (self.folder / f"{name}.bin").write_bytes(message)
        said = subprocess.run(
            ["openssl", "dgst", "-sha256", "-verify", self.public_pem, "-signature", f"{name}.der", f"{name}.bin"],
            cwd=self.folder, capture_output=True, text=True,
        )
        assert said.stdout.strip() == "Verified OK", (said.stdout, said.stderr)

    def check_v2(self, asked, compact):
        header = jwt.get_unverified_header(compact)
        assert header == {"alg": "ES256", "kid": self.key_id, "typ": "JWT"}, header
        claims = jwt.decode(compact, self.public_key, algorithms=["ES256"], audience="promotional-offer")
        assert claims.keys() == self.apples_claims, claims
        assert claims["iss"] == self.issuer_id and claims["bid"] == self.bundle_id, claims
        assert claims["productId"] == asked["productId"], claims
        assert claims["offerIdentifier"] == asked["offerIdentifier"], claims
        return claims["nonce"]


def ask(connection, key, body):
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    connection.request("POST", "/v1/signatures/promotional-offer", json.dumps(body), headers)
    answer = connection.getresponse()
    text = answer.read()
    assert answer.status == 200, (answer.status, text)
    return json.loads(text)


def main():
    port, key, key_file, key_id, issuer_id, bundle_id, product, offer, count = sys.argv[1:]
    count, port = int(count), int(port)
    subscribers = [json.loads(line) for line in sys.stdin if line.strip()]
    faults, done = [], []

    def work(first, checker):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            for number in range(first, count, CONNECTIONS):
                subscriber = subscribers[number % len(subscribers)]
                body = {
                    "requestId": str(uuid.uuid4()),
                    "bundleId": bundle_id,
                    "environment": "Production",
                    "productId": product,
                    "offerIdentifier": offer,
                    "originalTransactionId": subscriber["originalTransactionId"],
                }
                if subscriber["appAccountToken"]:
                    token = subscriber["appAccountToken"]
                    body["appAccountToken"] = token.upper() if number % 3 == 0 else token
                checker.check(body, ask(connection, key, body), number < OPENSSL_SAMPLE)
                done.append("appAccountToken" in body)
        except Exception as fault:
            faults.append(repr(fault))

    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(key_file, key_id, issuer_id, bundle_id, folder)
        threads = [threading.Thread(target=work, args=(first, checker)) for first in range(CONNECTIONS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if faults or len(done) != count:
        sys.exit("\n".join([f"{len(done)} of {count} verified", *faults[:3]]))
    print(f"{len(done)} verified, {sum(done)} with a token, {min(count, OPENSSL_SAMPLE)} also by the openssl command line")


if __name__ == "__main__":
    main()
