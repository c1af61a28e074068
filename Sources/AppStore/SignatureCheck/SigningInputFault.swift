public import CampaignCore

/// How what was signed for V1 differs from what StoreKit puts together, or who signed it.
public enum SigningInputFault: Hashable, Sendable {
    /// No public key is at hand.
    case noKeys
    /// None of `keys` made the signature over any of the `tried` texts.
    case nothingVerifies(tried: Int, keys: [String])
    /// Another key signed a text that names the passed key.
    case signedByOtherKey(OtherKey)
    /// Another key signed a text that names that other key.
    case otherKeyNamed(KeyID)
    case keyIdSignedInOtherCase(String)
    case bundleIdSignedInOtherCase(String)
    case otherBundleIdSigned(BundleID)
    case otherProductSigned(ProductID)
    case otherOfferSigned(OfferIdentifier)
    /// `name` says what stood between the fields.
    case wrongSeparator(name: String)
    /// The token's field was left out together with its separator.
    case emptyFieldMissing
    case tokenSignedInOtherCase
    case tokenSignedNotPassed
    case tokenPassedNotSigned
    case otherTokenSigned
    /// A word such as `null` was signed in place of a token.
    case tokenPlaceholderSigned(String)
    case nonceSignedInOtherCase
    case nonceSignedWithoutHyphens
    case timestampSignedInSeconds
    case fieldsInOtherOrder(String)
    case textAroundFields(name: String)
    case hashedTwice
    case signedAsUTF16

    public var code: String {
        switch self {
        case .noKeys: "noKeys"
        case .nothingVerifies: "nothingVerifies"
        case .signedByOtherKey: "signedByOtherKey"
        case .otherKeyNamed: "otherKeyNamed"
        case .keyIdSignedInOtherCase: "keyIdSignedInOtherCase"
        case .bundleIdSignedInOtherCase: "bundleIdSignedInOtherCase"
        case .otherBundleIdSigned: "otherBundleIdSigned"
        case .otherProductSigned: "otherProductSigned"
        case .otherOfferSigned: "otherOfferSigned"
        case .wrongSeparator: "wrongSeparator"
        case .emptyFieldMissing: "emptyFieldMissing"
        case .tokenSignedInOtherCase: "tokenSignedInOtherCase"
        case .tokenSignedNotPassed: "tokenSignedNotPassed"
        case .tokenPassedNotSigned: "tokenPassedNotSigned"
        case .otherTokenSigned: "otherTokenSigned"
        case .tokenPlaceholderSigned: "tokenPlaceholderSigned"
        case .nonceSignedInOtherCase: "nonceSignedInOtherCase"
        case .nonceSignedWithoutHyphens: "nonceSignedWithoutHyphens"
        case .timestampSignedInSeconds: "timestampSignedInSeconds"
        case .fieldsInOtherOrder: "fieldsInOtherOrder"
        case .textAroundFields: "textAroundFields"
        case .hashedTwice: "hashedTwice"
        case .signedAsUTF16: "signedAsUTF16"
        }
    }
}

extension SigningInputFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noKeys: "no public key is known here; configure the signing key or name its file"
        case .nothingVerifies(let tried, let keys):
            "none of the known keys (\(listed(keys, OtherKey.shown))) made this signature over these fields, nor over "
                + "any of \(tried) texts with up to \(SignatureCheckLimits.mistakesTogether) known mistakes in them; most likely "
                + "another key signed, so \(OtherKey.test); else check that every field is the one returned with this "
                + "signature"
        case .signedByOtherKey(.known(let keyId)):
            "key \(quoted(keyId.rawValue)) signed where the passed key id is another; "
                + "sign with the private key file of the passed id, or name and pass \(quoted(keyId.rawValue))"
        case .signedByOtherKey(.candidate(let name)):
            "the wrong key signed, the one in \(OtherKey.shown(name)), which is not the key of the passed key id; "
                + "sign with the private key file of the passed id"
        case .otherKeyNamed(let keyId):
            "key \(quoted(keyId.rawValue)) signed and is named in the signed text; pass its id"
        case .keyIdSignedInOtherCase(let signed):
            "the key id was signed as \(quoted(signed)); sign it in the case of App Store Connect"
        case .bundleIdSignedInOtherCase(let signed):
            "the bundle id was signed as \(quoted(signed)); sign it in the case of App Store Connect"
        case .otherBundleIdSigned(let signed):
            "the bundle id that was signed is '\(signed)'; sign for the app in which the purchase is made"
        case .otherProductSigned(let signed):
            "the product that was signed is '\(signed)'; sign for the product that is bought"
        case .otherOfferSigned(let signed):
            "the offer that was signed is '\(signed)'; pass the offer that was signed, or sign the one passed"
        case .wrongSeparator(let name):
            "the fields were joined with \(name); join them with U+2063 INVISIBLE SEPARATOR, in UTF-8 'E2 81 A3'"
        case .emptyFieldMissing:
            "the field of the appAccountToken was left out; without a token leave it empty and keep all six separators"
        case .tokenSignedInOtherCase: "the appAccountToken was not signed in lower case; lowercase it before signing"
        case .tokenSignedNotPassed:
            "an appAccountToken was signed and none is passed; pass the same token to StoreKit, or sign without one"
        case .tokenPassedNotSigned:
            "an appAccountToken is passed and none was signed; sign the token as well, or do not pass it"
        case .otherTokenSigned: "the appAccountToken that was signed is another one; sign and pass the same token"
        case .tokenPlaceholderSigned(let word):
            "the word \(quoted(word)) was signed as appAccountToken; sign an empty field when there is no token"
        case .nonceSignedInOtherCase: "the nonce was not signed in lower case; lowercase it before signing"
        case .nonceSignedWithoutHyphens: "the nonce was signed without its hyphens; sign it as it is passed"
        case .timestampSignedInSeconds:
            "the timestamp was signed in seconds; sign the milliseconds that are passed to StoreKit"
        case .fieldsInOtherOrder(let names):
            "the fields \(names) were signed in each other's place; "
                + "the order is bundle, key, product, offer, token, nonce, timestamp"
        case .textAroundFields(let name): "\(name) was signed as well; sign the seven fields and nothing else"
        case .hashedTwice:
            "the SHA-256 of the text was signed as a message; give the text itself to ECDSA with SHA-256"
        case .signedAsUTF16: "the text was signed in UTF-16; sign its UTF-8 bytes"
        }
    }
}
