import CampaignCore
import Crypto

/// What may have been signed for V1, put together in a way that can be varied.
struct SigningInputGuess {
    /// The places of the fields in Apple's order.
    enum Field: Int, CaseIterable {
        case bundleId
        case keyId
        case productId
        case offerIdentifier
        case token
        case nonce
        case timestamp
    }

    enum Form {
        case text
        case digest
        case hexadecimalDigest
        case utf16(bigEndian: Bool)
    }

    /// The seven fields in the order in which they are joined.
    var fields: [String]
    /// Whether the token's field is left out together with its separator.
    var omitsToken = false
    var separator = signingInputSeparator
    var prefix = ""
    var suffix = ""
    var form = Form.text
    /// Which of the known keys may have signed.
    var keyIndices: [Int]

    /// As StoreKit puts it together from the passed fields.
    init(_ received: ReceivedSignature, keyIndices: [Int]) {
        fields = [
            received.bundleId, received.keyIdentifier, received.productId, received.offerIdentifier,
            received.appAccountToken?.lowercased() ?? "", received.nonce.lowercased(), received.timestamp,
        ]
        self.keyIndices = keyIndices
    }

    subscript(field: Field) -> String {
        get { fields[field.rawValue] }
        set { fields[field.rawValue] = newValue }
    }

    var bytes: [UInt8] {
        var joined = fields
        if omitsToken { joined.remove(at: Field.token.rawValue) }
        let text = prefix + joined.joined(separator: separator) + suffix
        switch form {
        case .text: return Array(text.utf8)
        case .digest: return SHA256.digest(Array(text.utf8))
        case .hexadecimalDigest: return Array(SHA256.hex(Array(text.utf8)).utf8)
        case .utf16(let bigEndian):
            return text.utf16.flatMap { unit in
                let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
                return bigEndian ? bytes : bytes.reversed()
            }
        }
    }
}

/// One mistake that an implementer may have made, and how it changes what was signed.
struct SigningInputVariation {
    /// Two variations of one part cannot have happened together.
    enum Part {
        case separator
        case token
        case nonce
        case timestamp
        case bundleId
        case key
        case product
        case offer
        case order
        case form
    }

    let parts: Set<Part>
    let faults: [SigningInputFault]
    let apply: (inout SigningInputGuess) -> Void

    init(_ parts: Set<Part>, _ faults: [SigningInputFault], _ apply: @escaping (inout SigningInputGuess) -> Void) {
        self.parts = parts
        self.faults = faults
        self.apply = apply
    }
}
