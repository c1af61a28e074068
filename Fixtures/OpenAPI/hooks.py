"""Names a served app and a known customer in most right requests, so that they reach a decision and not only a 422.

schemathesis loads this through SCHEMATHESIS_HOOKS. What is wrong on purpose stays as it is.
"""
import itertools
import os
import uuid

import schemathesis

NAMES = {
    "bundleId": os.environ["HOLDFAST_BUNDLE_ID"],
    "productId": os.environ["HOLDFAST_PRODUCT_ID"],
    "offerIdentifier": os.environ["HOLDFAST_OFFER_IDENTIFIER"],
    "originalTransactionId": os.environ["HOLDFAST_CUSTOMER"],
    "offer": os.environ["HOLDFAST_CODE_OFFER"],
    "campaign": os.environ["HOLDFAST_CAMPAIGN"],
    "grantId": os.environ["HOLDFAST_GRANT"],
    "timeZone": "Europe/Berlin",
}

COUNT = itertools.count(1)


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.meta is None or case.meta.generation.mode.is_negative:
        return
    number = next(COUNT)
    if number % 4 == 0:
        return
    for fields in (case.path_parameters, case.query):
        for field in fields or {}:
            if field in NAMES:
                fields[field] = NAMES[field]
    if not isinstance(case.body, dict) or "signedPayload" in case.body:
        return
    # The generator likes to use one id again, and all it would ever see is the conflict.
    if "requestId" in case.body:
        case.body["requestId"] = str(uuid.UUID(int=number))
    for field, name in NAMES.items():
        if field in case.body or (
            field == "originalTransactionId" and "offer" not in case.body and "outcome" not in case.body
        ):
            case.body[field] = name
    # Nobody can make up what Apple has to sign.
    for field in ("signedTransactionInfo", "signedAppTransactionInfo"):
        case.body.pop(field, None)
    if "offer" in case.body and not case.body.get("customer"):
        case.body["customer"] = f"customer {number}"
