import Crypto
import FoundationEssentials
import Server

/// One P-256 signature and one verification in this process, as the server makes them.
enum SignatureBench {
    static let bench = Bench(name: "signature", summary: "one signature and one verification, without a server") {
        session throws(CommandError) in
        session.progress("signatures")
        let measured = measure(seconds: session.seconds(0.05))
        session.add(
            BenchFigure(
                bench: "signature", what: "one signature in this process", value: measured.signatureMicroseconds,
                unit: .microseconds, yardstick: .signature))
        session.add(
            BenchFigure(
                bench: "signature", what: "one verification in this process",
                value: measured.verificationMicroseconds, unit: .microseconds, yardstick: .verification))
    }

    /// Signs and verifies a text of the length of an offer, for `seconds` each.
    static func measure(seconds: Double) -> (signatureMicroseconds: Double, verificationMicroseconds: Double) {
        let key = P256PrivateKey.generate()
        let signer = P256Signer(key)
        let message = [UInt8](repeating: 0x61, count: 150)
        let signature = signer.derSignature(over: message)
        return (
            microseconds(seconds) { _ = signer.derSignature(over: message) },
            microseconds(seconds) {
                precondition(key.publicKey.isValid(derSignature: signature, over: message), "it was just signed")
            }
        )
    }

    /// CPU of this process for each call of `body`, which is called for `seconds`.
    static func microseconds(_ seconds: Double, _ body: () -> Void) -> Double {
        let began = processMicroseconds()
        let end = Server.Environment.systemMonotonicNanoseconds() + UInt64(seconds * 1e9)
        var count = 0
        while Server.Environment.systemMonotonicNanoseconds() < end {
            for _ in 0..<50 { body() }
            count += 50
        }
        return (processMicroseconds() - began) / Double(count)
    }
}
