import AppStore
import CampaignCore

/// `holdfast verify`: whether a signature is good, and if not, what to change.
enum VerifyCommand {
    static let jws = Argument("JWS", .optional, help: "a compact JWS")

    static let jwsFile = Option.text("jws", "FILE", help: "a file with a compact JWS; '-' is standard input")
    static let reply = Option.text("reply", "FILE", help: "a JSON reply of the service, or of 'sign --format json'")
    static let signature = Option.text("signature", "BASE64", help: "a V1 signature; the five below belong to it")
    static let keyId = Option.text("key-id", "KEYID", help: "the keyIdentifier that is passed to StoreKit")
    static let nonce = Option.text("nonce", "UUID", help: "the nonce that is passed")
    static let timestamp = Option.text("timestamp", "MILLISECONDS", help: "the timestamp that is passed")
    static let product = Option.text("product", "PRODUCTID", help: "the product that is bought")
    static let offer = Option.text("offer", "OFFERID", help: "the promotional offer")
    static let token = Option.text("token", "UUID", help: "the appAccountToken that is passed, if any")
    static let bundle = Option.text("bundle", "BUNDLEID", help: "the app; may be left out when one is configured")
    static let key = Option.text(
        "key", "FILE", help: "check with this key, public or private PEM, beside the configured ones", isRepeated: true)
    static let root = Option.text(
        "root", "FILE", help: "trust these root certificates, PEM or DER, instead of Apple's", isRepeated: true)

    static let command = Command(
        "verify",
        summary: "Check a signature or a signed payload, and say what is wrong with it",
        details: """
            Takes one of: a compact JWS that the App Store signed (its kind, fields and verdict are told), a compact \
            JWS that was signed for StoreKit, a reply of the service, or the parts of a V1 signature. Every fault is \
            told with what to change: key, case, separator, token, encoding, time, product or offer. The exit code is \
            2 when anything is not valid.

            The configuration is read when '--config' or HOLDFAST_CONFIG names one, or when ./holdfast.yaml is there \
            and neither '--key' nor '--root' is given. Without one, '--key' and '--bundle' are what a signature \
            is checked with, and the App Store's payloads are checked without comparing the app.

            A file SubscriptionKey_KEYID.p8 is the key of that id. Any other '--key' is taken for the key of the passed \
            id; when another key is known under that id, it only tells whether it is the wrong key that signed.
            """,
        arguments: [jws],
        options: [
            jwsFile, reply, signature, keyId, nonce, timestamp, product, offer, token, bundle, key, root, .at,
            .format(.text, .json),
        ],
        examples: [
            Example("holdfast verify --jws payload.jws", "a payload of the App Store"),
            Example(
                "holdfast verify --reply reply.json --key public.pem --bundle com.example.reader",
                "a reply, with nothing but the public key"),
            Example(
                "holdfast verify --signature \"$SIGNATURE\" --key-id ABC123DEFG --nonce \"$NONCE\" --timestamp \"$TIME\""
                    + " --product reader.monthly --offer save50",
                "the parts of a V1 signature, as the client got them"),
        ],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        let shapes = [arguments[jws] != nil] + [jwsFile, reply, signature].map(arguments.isGiven)
        guard shapes.count(where: \.self) == 1 else {
            throw arguments.wrongUsage("'verify' needs one of JWS, '--jws', '--reply' and '--signature'")
        }
        let sources = try VerificationSources(arguments)
        let verdict = try verdict(arguments, sources)
        switch arguments.format {
        case .json: output.write(verdict.json)
        case .text, .csv: output.write(verdict.text(output))
        }
        return verdict.isValid ? .done : .refused
    }

    private static func verdict(
        _ arguments: Arguments, _ sources: VerificationSources
    ) throws(CommandError) -> Verdict {
        if let file = arguments.text(reply) { return try SignatureVerdict.ofReply(file, arguments, sources) }
        if arguments.isGiven(signature) { return try SignatureVerdict.ofParts(arguments, sources) }
        let text = try compactJWS(arguments)
        let unproven = UnprovenJWS(text)
        return unproven.isForStoreKit
            ? try SignatureVerdict.ofCompactJWS(text, arguments, sources)
            : try PayloadVerdict.of(text, unproven, sources)
    }

    /// The JWS itself, from the line or a file; JSON with a `signedPayload`, as the App Store posts it, is opened.
    private static func compactJWS(_ arguments: Arguments) throws(CommandError) -> String {
        if let text = arguments[jws] { return text }
        let bytes = try readFile(arguments.requiredText(jwsFile), limit: Limits.payloadFileBytes)
        if case .string(let payload) = JSON.read(bytes)?["signedPayload"] { return payload }
        // A file ends with a line break, which is no part of the JWS.
        var text = Substring(String(decoding: bytes, as: UTF8.self)).drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}

/// What `verify` found out.
struct Verdict {
    let isValid: Bool
    /// The first line, without `valid:` or `not valid:`.
    let headline: String
    /// What follows, a line each.
    let lines: [String]
    let json: JSON

    func text(_ output: Output) -> String {
        let word = isValid ? output.coloured("valid", .green) : output.coloured("not valid", .red)
        return (["\(word): \(headline)"] + lines).map { $0 + "\n" }.joined()
    }
}
