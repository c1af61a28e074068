public import Crypto

/// Why a private App Store could not be made, stored or read.
public enum PrivateAppStoreError: Error, Hashable, Sendable {
    case certificate(CertificateFault)
    case key(file: String, KeyFault)
    case unreadableFile(String)
    case unwritableFile(String)
    /// Some of its files are there and some are not.
    case missingFile(String)
    case unsafePermissions(file: String)
    /// No leaf was valid at that instant, in milliseconds since 1970.
    case noCertificate(at: Int64)
    case payloadNotEncoded
}

extension PrivateAppStoreError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .certificate(let fault): "the private App Store has no certificate: \(fault)"
        case .key(let file, let fault): "the key in '\(file)' cannot be used: \(fault)"
        case .unreadableFile(let file): "'\(file)' cannot be read; check its permissions"
        case .unwritableFile(let file): "'\(file)' cannot be written; check the folder's permissions and its space"
        case .missingFile(let file): "'\(file)' is missing; remove the whole folder to have a new one made"
        case .unsafePermissions(let file): "others may read the key in '\(file)'; run 'chmod 600 \(file)'"
        case .noCertificate(let date):
            "no certificate of the private App Store is valid at '\(date)'; sign with a date within its years"
        case .payloadNotEncoded: "a payload cannot be written as JSON; use numbers that are finite"
        }
    }
}
