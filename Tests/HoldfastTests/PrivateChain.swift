import Foundation
import TestSupport
import Testing

/// A chain in Apple's shape and payloads signed with it, made by Python's `cryptography` and PyJWT.
struct PrivateChain {
    private let folder: TemporaryFolder

    /// The root certificate as PEM.
    var root: String { folder.path("root.pem") }

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Self.script, to: "chain.py")
        let made = try run(Surroundings.python, [folder.path("chain.py"), "make", folder.url.path])
        try #require(made.exitCode == 0, "\(made.errorText)")
    }

    /// A compact JWS over `payload`, a JSON object, with the three certificates in its header.
    func sign(_ payload: String) throws -> String {
        let made = try run(
            Surroundings.python, [folder.path("chain.py"), "sign", folder.url.path], input: Data(payload.utf8))
        try #require(made.exitCode == 0, "\(made.errorText)")
        return made.text
    }

    private static let script = """
        import base64, datetime, json, sys
        import jwt
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec

        start, end = datetime.datetime(2026, 1, 1), datetime.datetime(2036, 1, 1)

        def certificate(name, key, issuer_name, issuer_key, authority, oid, hash):
            subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
            issuer = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, issuer_name)])
            builder = (x509.CertificateBuilder().subject_name(subject).issuer_name(issuer)
                .public_key(key.public_key()).serial_number(x509.random_serial_number())
                .not_valid_before(start).not_valid_after(end)
                .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
                .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
                .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()),
                               critical=False)
                .add_extension(x509.KeyUsage(not authority, False, False, False, False, authority, authority,
                                             False, False), critical=True))
            if oid:
                value = x509.UnrecognizedExtension(x509.ObjectIdentifier(oid), bytes([5, 0]))
                builder = builder.add_extension(value, critical=False)
            return builder.sign(issuer_key, hash)

        mode, folder = sys.argv[1:]
        if mode == "make":
            root_key, middle_key = ec.generate_private_key(ec.SECP384R1()), ec.generate_private_key(ec.SECP384R1())
            leaf_key = ec.generate_private_key(ec.SECP256R1())
            sha = hashes.SHA384()
            root = certificate("Root", root_key, "Root", root_key, True, None, sha)
            middle = certificate("Middle", middle_key, "Root", root_key, True, "1.2.840.113635.100.6.2.1", sha)
            leaf = certificate("Leaf", leaf_key, "Middle", middle_key, False, "1.2.840.113635.100.6.11.1", sha)
            pem = serialization.Encoding.PEM
            open(folder + "/root.pem", "wb").write(root.public_bytes(pem))
            open(folder + "/leaf.key", "wb").write(leaf_key.private_bytes(
                pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
            ders = [c.public_bytes(serialization.Encoding.DER) for c in (leaf, middle, root)]
            json.dump([base64.b64encode(der).decode() for der in ders], open(folder + "/x5c.json", "w"))
        else:
            key = open(folder + "/leaf.key").read()
            headers = {"x5c": json.load(open(folder + "/x5c.json"))}
            print(jwt.encode(json.load(sys.stdin), key, algorithm="ES256", headers=headers), end="")
        """
}
