import CampaignCore
import Crypto

/// Looks for the text that a V1 signature covers, among everything that one or two known mistakes would have signed.
struct SigningInputSearch {
    struct Finding {
        let encoding: [SignatureEncodingFault]
        let input: [SigningInputFault]
    }

    private struct Trial: Hashable {
        let text: [UInt8]
        let key: Int
    }

    /// How many texts were verified with how many keys.
    var tried: Int { trials.count }

    private let check: SignatureCheck
    /// The known keys, then the candidates.
    private let keys: [P256PublicKey]
    private let signatures: [SignatureText.Candidate]
    private let guess: SigningInputGuess
    private let variations: SigningInputVariations
    private let isKeyKnown: Bool
    private var trials: Set<Trial> = []

    init(_ check: SignatureCheck, _ received: ReceivedSignature, _ signatures: [SignatureText.Candidate]) {
        self.check = check
        keys = check.keys.map(\.publicKey) + check.candidates.map(\.publicKey)
        self.signatures = signatures
        let named = check.keys.indices.filter { index in
            let known = check.keys[index].keyId.rawValue
            return known == received.keyIdentifier || isSameButForCase(known, received.keyIdentifier)
        }
        isKeyKnown = !named.isEmpty
        guess = SigningInputGuess(received, keyIndices: isKeyKnown ? named : Array(check.keys.indices))
        variations = SigningInputVariations(check, received)
    }

    /// What explains the signature with the fewest mistakes; nil when nothing does within the limits.
    mutating func run() -> Finding? {
        if let finding = attempt([]) { return finding }
        let plain = variations.plain
        let catalog = variations.catalog
        if let finding = singles(plain) ?? pairs(plain, with: plain) { return finding }
        if let finding = singles(catalog) ?? singles(variations.millisecondsOfPassedSecond) { return finding }
        return pairs(catalog, with: plain)
    }

    private mutating func singles(_ variations: [SigningInputVariation]) -> Finding? {
        for variation in variations {
            if let finding = attempt([variation]) { return finding }
        }
        return nil
    }

    private mutating func pairs(
        _ firsts: [SigningInputVariation], with seconds: [SigningInputVariation]
    ) -> Finding? {
        for first in firsts {
            for second in seconds where first.parts.isDisjoint(with: second.parts) {
                guard trials.count < SignatureCheckLimits.verifications else { return nil }
                if let finding = attempt([first, second]) { return finding }
            }
        }
        return nil
    }

    private mutating func attempt(_ variations: [SigningInputVariation]) -> Finding? {
        var guess = guess
        // Order is changed last, because the others find their field by its place; the separator is known before it
        // is put around the text.
        for variation in variations.sorted(by: { Self.turn($0) < Self.turn($1) }) { variation.apply(&guess) }
        let text = guess.bytes
        for key in guess.keyIndices {
            guard trials.count < SignatureCheckLimits.verifications,
                trials.insert(Trial(text: text, key: key)).inserted
            else { continue }
            for signature in signatures
            where keys[key].isValid(derSignature: signature.der, over: text) {
                var faults = variations.flatMap(\.faults)
                if !isKeyKnown && !variations.contains(where: { $0.parts.contains(.key) }) {
                    faults.append(.signedByOtherKey(.known(check.keys[key].keyId)))
                }
                return Finding(encoding: signature.faults, input: faults)
            }
        }
        return nil
    }

    private static func turn(_ variation: SigningInputVariation) -> Int {
        if variation.parts.contains(.order) { return 2 }
        return variation.parts.contains(.form) ? 1 : 0
    }
}
