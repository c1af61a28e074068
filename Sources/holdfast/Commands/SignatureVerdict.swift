import AppStore
import CampaignCore

/// The verdict on signatures that a server made for StoreKit.
enum SignatureVerdict {
    /// The parts of a V1 signature, as the line gives them.
    static func ofParts(_ arguments: Arguments, _ sources: VerificationSources) throws(CommandError) -> Verdict {
        let needed = [
            VerifyCommand.keyId, VerifyCommand.nonce, VerifyCommand.timestamp, VerifyCommand.product,
            VerifyCommand.offer,
        ]
        for option in needed where !arguments.isGiven(option) {
            throw arguments.wrongUsage("'--signature' needs '\(option.usage)'")
        }
        let bundleId = try sources.bundleId()
        let received = ReceivedSignature(
            bundleId: bundleId.rawValue, keyIdentifier: arguments.requiredText(VerifyCommand.keyId),
            productId: arguments.requiredText(VerifyCommand.product),
            offerIdentifier: arguments.requiredText(VerifyCommand.offer),
            appAccountToken: arguments.text(VerifyCommand.token), nonce: arguments.requiredText(VerifyCommand.nonce),
            timestamp: arguments.requiredText(VerifyCommand.timestamp),
            signature: arguments.requiredText(VerifyCommand.signature))
        let check = try sources.signatureCheck(bundleId: bundleId, keyId: received.keyIdentifier)
        return verdict([Checked(form: "v1", faults: check.faults(of: received))])
    }

    /// A compact JWS; what the line names beside it is compared with its claims.
    static func ofCompactJWS(
        _ text: String, _ arguments: Arguments, _ sources: VerificationSources
    ) throws(CommandError) -> Verdict {
        let bundle = arguments.text(VerifyCommand.bundle).map { BundleID($0) }
        let expected = SignatureCheck.ExpectedRequest(
            bundleId: bundle, productId: arguments.text(VerifyCommand.product).map { ProductID($0) },
            offerIdentifier: arguments.text(VerifyCommand.offer).map { OfferIdentifier($0) })
        return verdict([try checked(text, form: "v2", expected, sources)])
    }

    /// A reply of the service: both signatures of a promotional offer, or the one of an introductory offer.
    static func ofReply(
        _ path: String, _ arguments: Arguments, _ sources: VerificationSources
    ) throws(CommandError) -> Verdict {
        let bytes = try readFile(path, limit: Limits.payloadFileBytes)
        guard let reply = JSON.read(bytes), case .object = reply else {
            throw .refused("'\(path)' is no JSON object; save the whole reply of the service in it")
        }
        if reply["decision"]?.string == "refused" {
            throw .refused("'\(path)' is a refusal, so nothing is signed in it; its 'reasons' say why")
        }
        let bundleId = try sources.bundleId()
        let product = reply["productId"]?.text ?? ""
        let offer = reply["offerIdentifier"]?.text ?? ""
        var checks: [Checked] = []
        if let v1 = reply["v1"], v1 != .null {
            let received = ReceivedSignature(
                bundleId: bundleId.rawValue, keyIdentifier: v1["keyIdentifier"]?.text ?? "", productId: product,
                offerIdentifier: offer, appAccountToken: v1["appAccountToken"]?.text, nonce: v1["nonce"]?.text ?? "",
                timestamp: v1["timestamp"]?.text ?? "", signature: v1["signature"]?.text ?? "")
            let check = try sources.signatureCheck(bundleId: bundleId, keyId: received.keyIdentifier)
            checks.append(Checked(form: "v1", faults: check.faults(of: received)))
        }
        if let jws = reply["v2"]?["compactJWS"]?.string {
            let expected = SignatureCheck.ExpectedRequest(
                bundleId: bundleId, productId: ProductID(product), offerIdentifier: OfferIdentifier(offer))
            checks.append(try checked(jws, form: "v2", expected, sources))
        }
        if let jws = reply["compactJWS"]?.string {
            let expected = SignatureCheck.ExpectedRequest(bundleId: bundleId, productId: ProductID(product))
            checks.append(try checked(jws, form: "introductoryOfferEligibility", expected, sources))
        }
        guard !checks.isEmpty else {
            throw .refused("'\(path)' has no 'v1', 'v2' or 'compactJWS'; save the whole reply of the service in it")
        }
        return verdict(checks)
    }

    /// One signature with what is wrong with it.
    private struct Checked {
        let form: String
        let faults: [SignatureFault]
        var notes: [SignatureNote] = []
    }

    private static func checked(
        _ jws: String, form: String, _ expected: SignatureCheck.ExpectedRequest, _ sources: VerificationSources
    ) throws(CommandError) -> Checked {
        let unproven = UnprovenJWS(jws)
        let bundleId = expected.bundleId ?? unproven.payload?["bid"]?.string.map { BundleID($0) }
        let check = try sources.signatureCheck(bundleId: bundleId, keyId: unproven.header?["kid"]?.string ?? "")
        return Checked(
            form: form, faults: check.faults(ofCompactJWS: jws, expected: expected),
            notes: check.notes(onCompactJWS: jws))
    }

    private static func verdict(_ checks: [Checked]) -> Verdict {
        let faults = checks.flatMap { checked in checked.faults.map { (checked.form, $0) } }
        let notes = checks.flatMap { checked in checked.notes.map { (checked.form, $0) } }
        let forms = checks.map(\.form).joined(separator: " and ")
        let count = "\(faults.count) fault\(faults.count == 1 ? "" : "s")"
        return Verdict(
            isValid: faults.isEmpty, headline: faults.isEmpty ? forms : "\(count) in \(forms)",
            lines: faults.map { "  \($0): \($1.code): \($1)" } + notes.map { "  \($0): note: \($1)" },
            json: [
                "valid": .bool(faults.isEmpty),
                "signatures": .array(
                    checks.map { checked in
                        [
                            "form": .string(checked.form), "valid": .bool(checked.faults.isEmpty),
                            "faults": .array(
                                checked.faults.map { ["code": .string($0.code), "detail": .string("\($0)")] }),
                            "notes": .array(
                                checked.notes.map { ["code": .string($0.code), "detail": .string("\($0)")] }),
                        ]
                    }),
            ])
    }
}

extension JSON {
    /// The string, when it is one.
    fileprivate var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value as it was written, so that a number in quotes and a plain one are told alike; nil for `null`.
    fileprivate var text: String? {
        switch self {
        case .null: nil
        case .string(let text): text
        default: prettyText
        }
    }
}
