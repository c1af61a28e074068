import Crypto
import FoundationEssentials
import Server

/// What one P-256 signature and one verification cost on this machine.
struct SignatureYardstick: Sendable {
    /// Who measured it.
    let name: String
    let signatureMicroseconds: Double
    let verificationMicroseconds: Double

    /// `openssl speed ecdsap256` when that program is there, else this program's own code.
    static func measure(seconds: Double) -> SignatureYardstick {
        byOpenSSL(seconds: seconds) ?? byOurselves(seconds: seconds)
    }

    static func mean(of several: [SignatureYardstick]) -> SignatureYardstick {
        let count = Double(max(1, several.count))
        return SignatureYardstick(
            name: several.first?.name ?? "",
            signatureMicroseconds: several.map(\.signatureMicroseconds).reduce(0, +) / count,
            verificationMicroseconds: several.map(\.verificationMicroseconds).reduce(0, +) / count)
    }

    /// Reads the program's lines for machines: `+F4:number:256:signatures a second:verifications a second`.
    private static func byOpenSSL(seconds: Double) -> SignatureYardstick? {
        let whole = String(Int(max(1, seconds.rounded())))
        let speed = ["openssl", "speed", "-mr", "-seconds", whole, "ecdsap256"]
        guard let child = ChildProgram.start(speed), case let text = child.readAll(), child.wait() == 0,
            let line = text.split(separator: "\n").last(where: { $0.hasPrefix("+F4:") })
        else { return nil }
        let fields = line.split(separator: ":")
        guard fields.count == 5, let signatures = Double(fields[3]), let verifications = Double(fields[4]),
            signatures > 0, verifications > 0
        else { return nil }
        return SignatureYardstick(
            name: "openssl speed ecdsap256", signatureMicroseconds: 1e6 / signatures,
            verificationMicroseconds: 1e6 / verifications)
    }

    private static func byOurselves(seconds: Double) -> SignatureYardstick {
        let measured = SignatureBench.measure(seconds: seconds)
        return SignatureYardstick(
            name: "this program's own signer", signatureMicroseconds: measured.signatureMicroseconds,
            verificationMicroseconds: measured.verificationMicroseconds)
    }
}
