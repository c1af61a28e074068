import CampaignCore

/// The mistakes that a diagnosis tries, the most frequent first.
struct SigningInputVariations {
    private let check: SignatureCheck
    private let received: ReceivedSignature

    init(_ check: SignatureCheck, _ received: ReceivedSignature) {
        self.check = check
        self.received = received
    }

    /// Mistakes that need no catalogue; their number does not grow with it.
    var plain: [SigningInputVariation] {
        letterCases + separators + tokens + timestamps + keys + bundleIds + forms + orders
    }

    /// Token and nonce of languages that print UUIDs in capitals. Both at once are one habit, so one step.
    private var letterCases: [SigningInputVariation] {
        let nonce = received.nonce
        var variations: [SigningInputVariation] = []
        if let token = received.appAccountToken {
            variations.append(
                .init([.token, .nonce], [.tokenSignedInOtherCase, .nonceSignedInOtherCase]) {
                    $0[.token] = token.uppercased()
                    $0[.nonce] = nonce.uppercased()
                })
            for spelled in [token.uppercased(), token] {
                variations.append(.init([.token], [.tokenSignedInOtherCase]) { $0[.token] = spelled })
            }
        }
        for spelled in [nonce.uppercased(), nonce] {
            variations.append(.init([.nonce], [.nonceSignedInOtherCase]) { $0[.nonce] = spelled })
        }
        let bare = nonce.lowercased().filter { $0 != "-" }
        variations.append(.init([.nonce], [.nonceSignedWithoutHyphens]) { $0[.nonce] = bare })
        return variations
    }

    private var separators: [SigningInputVariation] {
        let separators = [
            ("a line break", "\n"), ("a space", " "), ("U+2062 INVISIBLE TIMES", "\u{2062}"),
            ("U+200B ZERO WIDTH SPACE", "\u{200B}"), ("the six characters '\\u2063'", "\\u2063"), ("nothing", ""),
            ("U+2064 INVISIBLE PLUS", "\u{2064}"), ("U+2061 FUNCTION APPLICATION", "\u{2061}"),
            ("the eight characters '\\u{2063}'", "\\u{2063}"), ("the seven characters '\\\\u2063'", "\\\\u2063"),
            ("U+2063 in UTF-8 read as Latin-1", "\u{E2}\u{81}\u{A3}"),
            ("U+2063 in UTF-8 read as Windows-1252", "\u{E2}\u{FFFD}\u{A3}"), ("'&#8291;'", "&#8291;"),
            ("'&#x2063;'", "&#x2063;"), ("'%E2%81%A3'", "%E2%81%A3"), ("'U+2063'", "U+2063"), ("'u2063'", "u2063"),
            ("U+2060 WORD JOINER", "\u{2060}"), ("U+200C ZERO WIDTH NON-JOINER", "\u{200C}"),
            ("U+200D ZERO WIDTH JOINER", "\u{200D}"), ("U+FEFF BYTE ORDER MARK", "\u{FEFF}"),
            ("U+00AD SOFT HYPHEN", "\u{AD}"), ("a carriage return and line break", "\r\n"), ("a tab", "\t"),
            ("a zero byte", "\0"), ("U+001F UNIT SEPARATOR", "\u{1F}"), ("'|'", "|"), ("','", ","), ("':'", ":"),
            ("';'", ";"), ("'.'", "."), ("'-'", "-"), ("'_'", "_"), ("'&'", "&"), ("'?'", "?"), ("'+'", "+"),
            ("'/'", "/"),
        ]
        return separators.map { name, separator in
            .init([.separator], [.wrongSeparator(name: name)]) { $0.separator = separator }
        }
    }

    private var tokens: [SigningInputVariation] {
        var variations: [SigningInputVariation] = []
        let passed = received.appAccountToken?.lowercased()
        if passed != nil {
            variations.append(.init([.token], [.tokenPassedNotSigned]) { $0[.token] = "" })
            variations.append(.init([.token], [.tokenPassedNotSigned, .emptyFieldMissing]) { $0.omitsToken = true })
        } else {
            variations.append(.init([.token], [.emptyFieldMissing]) { $0.omitsToken = true })
        }
        let other: SigningInputFault = passed == nil ? .tokenSignedNotPassed : .otherTokenSigned
        for token in check.appAccountTokens where token.lowercased() != passed && !token.isEmpty {
            variations.append(.init([.token], [other]) { $0[.token] = token.lowercased() })
            let upper = token.uppercased()
            variations.append(.init([.token], [other, .tokenSignedInOtherCase]) { $0[.token] = upper })
            let upperNonce = received.nonce.uppercased()
            variations.append(
                .init([.token, .nonce], [other, .tokenSignedInOtherCase, .nonceSignedInOtherCase]) {
                    $0[.token] = upper
                    $0[.nonce] = upperNonce
                })
        }
        let placeholders = [
            "appAccountToken", "appaccounttoken", "null", "nil", "undefined", "None", "none", "(null)", "NULL",
            "Optional()", "\"\"", "00000000-0000-0000-0000-000000000000", "applicationUsername", "false", "0",
        ]
        for word in placeholders where word.lowercased() != passed {
            variations.append(.init([.token], [.tokenPlaceholderSigned(word)]) { $0[.token] = word })
        }
        return variations
    }

    private var timestamps: [SigningInputVariation] {
        guard let number = Int64(received.timestamp) else { return [] }
        if SignatureClock.isInSeconds(number) {
            // That seconds were passed is told by the field itself.
            return [.init([.timestamp], []) { $0[.timestamp] = String(number * 1000) }]
        }
        var seconds = [number / 1000]
        if number % 1000 >= 500 { seconds.append(number / 1000 + 1) }
        return seconds.map { value in
            .init([.timestamp], [.timestampSignedInSeconds]) { $0[.timestamp] = String(value) }
        }
    }

    private var keys: [SigningInputVariation] {
        let passed = received.keyIdentifier
        var variations = check.candidates.enumerated().map { index, candidate in
            // A search numbers the candidates behind the known keys.
            SigningInputVariation([.key], [.signedByOtherKey(.candidate(name: candidate.name))]) {
                [index = check.keys.count + index] in $0.keyIndices = [index]
            }
        }
        for (index, key) in check.keys.enumerated() where key.keyId.rawValue != passed {
            let name = key.keyId.rawValue
            let isPassedInOtherCase = isSameButForCase(name, passed)
            variations.append(
                .init([.key], isPassedInOtherCase ? [] : [.otherKeyNamed(key.keyId)]) {
                    $0.keyIndices = [index]
                    $0[.keyId] = name
                })
            if !isPassedInOtherCase {
                variations.append(.init([.key], [.signedByOtherKey(.known(key.keyId))]) { $0.keyIndices = [index] })
            }
        }
        for spelled in [passed.lowercased(), passed.uppercased()] where spelled != passed {
            variations.append(.init([.key], [.keyIdSignedInOtherCase(spelled)]) { $0[.keyId] = spelled })
        }
        return variations
    }

    private var bundleIds: [SigningInputVariation] {
        let passed = received.bundleId
        let isKnown = check.bundleIds.contains { $0.rawValue == passed }
        var variations: [SigningInputVariation] = []
        for bundleId in check.bundleIds where bundleId.rawValue != passed {
            // The field itself already tells of a known app in other letters.
            let isReported = !isKnown && isSameButForCase(bundleId.rawValue, passed)
            variations.append(
                .init([.bundleId], isReported ? [] : [.otherBundleIdSigned(bundleId)]) {
                    $0[.bundleId] = bundleId.rawValue
                })
        }
        for spelled in [passed.lowercased(), passed.uppercased()] where spelled != passed {
            variations.append(.init([.bundleId], [.bundleIdSignedInOtherCase(spelled)]) { $0[.bundleId] = spelled })
        }
        return variations
    }

    private var forms: [SigningInputVariation] {
        [
            .init([.form], [.hashedTwice]) { $0.form = .digest },
            .init([.form], [.hashedTwice]) { $0.form = .hexadecimalDigest },
            .init([.form], [.textAroundFields(name: "a line break at the end")]) { $0.suffix = "\n" },
            .init([.form], [.textAroundFields(name: "a separator at the end")]) { $0.suffix = $0.separator },
            .init([.form], [.textAroundFields(name: "a separator at the beginning")]) { $0.prefix = $0.separator },
            .init([.form], [.textAroundFields(name: "a zero byte at the end")]) { $0.suffix = "\0" },
            .init([.form], [.signedAsUTF16]) { $0.form = .utf16(bigEndian: false) },
            .init([.form], [.signedAsUTF16]) { $0.form = .utf16(bigEndian: true) },
        ]
    }

    /// Neighbours in each other's place.
    private var orders: [SigningInputVariation] {
        let names = ["bundle", "key", "product", "offer", "token", "nonce", "timestamp"]
        return (0..<names.count - 1).map { first in
            .init([.order], [.fieldsInOtherOrder("'\(names[first])' and '\(names[first + 1])'")]) {
                $0.fields.swapAt(first, first + 1)
            }
        }
    }

    /// Another product or offer of the catalogue: those nearest to what was passed first.
    var catalog: [SigningInputVariation] {
        let near = check.products.filter { product in
            product.productId.rawValue == received.productId
                || product.offerIdentifiers.contains(OfferIdentifier(received.offerIdentifier))
        }
        var offers: Set<OfferIdentifier> = [OfferIdentifier(received.offerIdentifier)]
        var variations: [SigningInputVariation] = []
        for product in near + check.products {
            for offer in product.offerIdentifiers where offers.insert(offer).inserted {
                variations.append(
                    .init([.offer], [.otherOfferSigned(offer)]) { $0[.offerIdentifier] = offer.rawValue })
            }
        }
        for product in check.products where product.productId.rawValue != received.productId {
            let other = product.productId
            variations.append(.init([.product], [.otherProductSigned(other)]) { $0[.productId] = other.rawValue })
        }
        for product in check.products where product.productId.rawValue != received.productId {
            for offer in product.offerIdentifiers where offer.rawValue != received.offerIdentifier {
                variations.append(
                    .init([.product, .offer], [.otherProductSigned(product.productId), .otherOfferSigned(offer)]) {
                        $0[.productId] = product.productId.rawValue
                        $0[.offerIdentifier] = offer.rawValue
                    })
            }
        }
        return variations
    }

    /// When seconds were passed, the milliseconds that may have been signed within that second.
    var millisecondsOfPassedSecond: [SigningInputVariation] {
        guard let seconds = Int64(received.timestamp), SignatureClock.isInSeconds(seconds) else { return [] }
        return (1..<1000).map { millisecond in
            .init([.timestamp], []) { $0[.timestamp] = String(seconds * 1000 + millisecond) }
        }
    }
}
