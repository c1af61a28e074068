public import Crypto

/// Why a signing key could not be loaded. No case holds bytes of the key.
public enum SigningKeyError: Error, Hashable, Sendable {
    case missing(path: String)
    case folder(path: String)
    case notAFile(path: String)
    case unreadable(path: String, reason: String)
    case readableByOthers(path: String, mode: UInt16)
    case badKeyFile(path: String, KeyFault)
    case variableMissing(name: String)
    case badVariable(name: String, KeyFault)
}

extension SigningKeyError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missing(let path): "no key file at '\(path)'; check privateKeyFile or copy the file there"
        case .folder(let path): "'\(path)' is a folder; give the .p8 file in it"
        case .notAFile(let path): "'\(path)' is not a regular file; give the .p8 file itself"
        case .unreadable(let path, let reason):
            "the key file '\(path)' cannot be read (\(reason)); check its owner and mode"
        case .readableByOthers(let path, let mode):
            "the key file '\(path)' is open to others (mode '\(Self.octal(mode))'); run chmod 600 \(Self.quoted(path))"
        case .badKeyFile(let path, let fault): "key file '\(path)': \(fault)"
        case .variableMissing(let name):
            "the environment variable '\(name)' is not set; set it to the text of the .p8 file"
        case .badVariable(let name, let fault): "environment variable '\(name)': \(fault)"
        }
    }

    private static func octal(_ mode: UInt16) -> String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// A shell's single quotes, so that the line can be pasted as it is.
    private static func quoted(_ path: String) -> String {
        "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
