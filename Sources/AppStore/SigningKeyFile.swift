public import CampaignCore
import Crypto
import Glibc

/// Reads signing keys from where secrets may be: a file that only its owner can read, or an environment variable.
public enum SigningKeyFile {
    /// The key in the .p8 file at `path`.
    ///
    /// Refuses a file that the group or others may read or write (design section 8), and everything that is no
    /// P-256 key in PKCS #8.
    public static func load(
        path: String, keyId: KeyID, issuerId: IssuerID
    ) throws(SigningKeyError) -> SigningKey {
        let bytes = try read(path)
        do {
            return SigningKey(keyId: keyId, issuerId: issuerId, privateKey: try P256PrivateKey(pkcs8: bytes))
        } catch {
            throw .badKeyFile(path: path, error)
        }
    }

    /// The key in the environment variable `name`, whose value is the text of a .p8 file; nil when it is not set.
    public static func load(
        variable name: String, value: String?, keyId: KeyID, issuerId: IssuerID
    ) throws(SigningKeyError) -> SigningKey {
        guard let value else { throw .variableMissing(name: name) }
        do {
            return SigningKey(
                keyId: keyId, issuerId: issuerId, privateKey: try P256PrivateKey(pkcs8: Array(value.utf8)))
        } catch {
            throw .badVariable(name: name, error)
        }
    }

    /// What the name of the file at `path` says against its being the key `keyId`; nil when it says nothing.
    ///
    /// App Store Connect names the files that it gives out `SubscriptionKey_KEYID.p8`, and those of another kind of
    /// key `AuthKey_KEYID.p8`.
    public static func warning(path: String, keyId: KeyID) -> SigningKeyWarning? {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        guard name.hasSuffix(".p8") else { return nil }
        let stem = name.dropLast(3)
        if stem.hasPrefix("AuthKey_") { return .appStoreConnectAPIKey(fileName: name) }
        guard stem.hasPrefix("SubscriptionKey_") else { return nil }
        let named = KeyID(String(stem.dropFirst("SubscriptionKey_".count)))
        return named == keyId ? nil : .fileNamesOtherKey(fileName: name, named: named, configured: keyId)
    }

    /// The file is judged through its open descriptor, so that it cannot be changed for another one in between.
    private static func read(_ path: String) throws(SigningKeyError) -> [UInt8] {
        // Without O_NONBLOCK a named pipe would hold the program until someone writes to it.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { throw .missing(path: path) }
            throw .unreadable(path: path, reason: String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw .unreadable(path: path, reason: String(cString: strerror(errno)))
        }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw .folder(path: path) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
        guard status.st_mode & 0o077 == 0 else {
            throw .readableByOthers(path: path, mode: UInt16(status.st_mode & 0o7777))
        }
        return try read(descriptor, path)
    }

    private static func read(_ descriptor: Int32, _ path: String) throws(SigningKeyError) -> [UInt8] {
        // One byte more than the limit, so that the key's reader sees that there is too much.
        let capacity = CryptoLimits.keyFileBytes + 1
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            count = 0
            while count < capacity {
                let got = Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, capacity - count)
                if got < 0 && errno == EINTR { continue }
                if got < 0 { failure = errno }
                guard got > 0 else { break }
                count += got
            }
        }
        guard failure == 0 else { throw .unreadable(path: path, reason: String(cString: strerror(failure))) }
        return bytes
    }
}

/// Something about a key file that does not stop it from being used, and is most likely a mistake.
public enum SigningKeyWarning: Hashable, Sendable, CustomStringConvertible {
    case fileNamesOtherKey(fileName: String, named: KeyID, configured: KeyID)
    case appStoreConnectAPIKey(fileName: String)

    public var description: String {
        switch self {
        case .fileNamesOtherKey(let fileName, let named, let configured):
            "the file \(quoted(fileName)) is named after key \(quoted(named.rawValue)) and the configuration "
                + "says \(quoted(configured.rawValue)); set keyId to \(quoted(named.rawValue)) "
                + "or give the file of \(quoted(configured.rawValue))"
        case .appStoreConnectAPIKey(let fileName):
            "the file \(quoted(fileName)) is named like an App Store Connect API key, which cannot sign offers; "
                + "use an In-App Purchase key, 'SubscriptionKey_….p8', from Users and Access, Integrations"
        }
    }
}
