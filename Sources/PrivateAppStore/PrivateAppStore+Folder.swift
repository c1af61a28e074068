public import CampaignCore
import Crypto
import FoundationEssentials
import Glibc

extension PrivateAppStore {
    /// The file in the folder that a verifier must trust.
    public static let rootCertificateFile = "root.pem"

    /// Reads the private App Store of `folder`; makes one there first when the folder is empty or not there.
    ///
    /// So a folder keeps its root, and what it once signed keeps being believed.
    public static func open(folder: String, now: Instant) throws(PrivateAppStoreError) -> PrivateAppStore {
        if access(path(folder, rootCertificateFile), F_OK) == 0 { return try PrivateAppStore(folder: folder) }
        let made = try PrivateAppStore(now: now)
        try made.save(in: folder)
        return made
    }

    /// Reads what `save` wrote; refuses keys that others may read.
    public init(folder: String) throws(PrivateAppStoreError) {
        let root = try Self.authority("root", in: folder)
        let intermediate = try Self.authority("intermediate", in: folder)
        self.init(
            root: root, intermediate: intermediate, leaf: try Self.identity("leaf", in: folder),
            expired: try Self.identity("expired-leaf", in: folder))
    }

    /// Writes certificates as PEM, and keys as PKCS #8 in PEM that only their owner may read.
    ///
    /// The root goes last: a folder without it is not finished, and `open` makes it anew.
    public func save(in folder: String) throws(PrivateAppStoreError) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .unwritableFile(folder)
        }
        let files: [(name: String, text: String, isSecret: Bool)] = [
            ("expired-leaf.key", expiredLeaf.privateKey.exportSecretPEM(), true),
            ("expired-leaf.pem", expiredLeaf.certificate.pem, false),
            ("leaf.key", leaf.privateKey.exportSecretPEM(), true),
            ("leaf.pem", leaf.certificate.pem, false),
            ("intermediate.key", intermediate.exportSecretPEM(), true),
            ("intermediate.pem", intermediate.certificate.pem, false),
            ("root.key", root.exportSecretPEM(), true),
            (Self.rootCertificateFile, rootCertificatePEM, false),
        ]
        for file in files {
            try Self.write(file.text, to: Self.path(folder, file.name), mode: file.isSecret ? 0o600 : 0o644)
        }
    }

    private static func path(_ folder: String, _ name: String) -> String { "\(folder)/\(name)" }

    private static func authority(
        _ name: String, in folder: String
    ) throws(PrivateAppStoreError) -> CertificateAuthority {
        let certificate = try certificate(path(folder, "\(name).pem"))
        let secret = try readSecret(path(folder, "\(name).key"))
        do {
            return try CertificateAuthority(certificate: certificate, secretPEM: secret)
        } catch {
            throw .certificate(error)
        }
    }

    private static func identity(_ name: String, in folder: String) throws(PrivateAppStoreError) -> SigningIdentity {
        let keyFile = path(folder, "\(name).key")
        let certificate = try certificate(path(folder, "\(name).pem"))
        let secret = try readSecret(keyFile)
        do throws(KeyFault) {
            let key = try P256PrivateKey(pkcs8: secret)
            guard try certificate.publicKey() == key.publicKey else { throw KeyFault.inconsistent }
            return SigningIdentity(certificate: certificate, privateKey: key)
        } catch {
            throw .key(file: keyFile, error)
        }
    }

    private static func certificate(_ file: String) throws(PrivateAppStoreError) -> Certificate {
        let bytes = try read(file)
        do throws(CertificateFault) {
            let certificates = try Certificate.all(in: bytes)
            guard certificates.count == 1 else { throw CertificateFault.wrongLength(certificates.count) }
            return certificates[0]
        } catch {
            throw .certificate(error)
        }
    }

    private static func readSecret(_ file: String) throws(PrivateAppStoreError) -> [UInt8] {
        var status = stat()
        guard stat(file, &status) == 0 else { throw .missingFile(file) }
        guard status.st_mode & 0o077 == 0 else { throw .unsafePermissions(file: file) }
        return try read(file)
    }

    private static func read(_ file: String) throws(PrivateAppStoreError) -> [UInt8] {
        guard access(file, F_OK) == 0 else { throw .missingFile(file) }
        guard let data = try? Data(contentsOf: URL(filePath: file)) else { throw .unreadableFile(file) }
        return Array(data)
    }

    /// The file has its mode from its first moment, so that a key is never readable by others.
    private static func write(_ text: String, to file: String, mode: mode_t) throws(PrivateAppStoreError) {
        let unfinished = "\(file).unfinished"
        unlink(unfinished)
        let descriptor = Glibc.open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw .unwritableFile(file) }
        var isWritten = Array(text.utf8).withUnsafeBytes {
            Glibc.write(descriptor, $0.baseAddress, $0.count) == $0.count
        }
        isWritten = isWritten && fsync(descriptor) == 0
        isWritten = close(descriptor) == 0 && isWritten
        guard isWritten, rename(unfinished, file) == 0 else { throw .unwritableFile(file) }
    }
}
