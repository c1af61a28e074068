import CampaignCore
import FoundationEssentials
import YAML

extension ConfigurationReader {
    /// The file or folder that `value` names, when it is there or need not be.
    func existing(_ wanted: PathKind, _ value: ValueReader) -> Configuration.NamedFile? {
        guard let text = value.text(wanted: wanted == .folder ? "the path of a folder" : "the path of a file") else {
            return nil
        }
        let path = absolute(text, in: folder)
        let kind = PathKind(at: path)
        if kind == wanted || (kind == .absent && !requiresFiles) {
            return Configuration.NamedFile(path: path, mark: value.mark)
        }
        let shown = quoted(path, limit: ConfigurationLimits.pathCharacters)
        switch kind {
        case .absent: value.error("\(value.subject) names \(shown), which does not exist; check the path")
        case .folder: value.error("\(value.subject) names the folder \(shown); name a file")
        case .other where wanted == .file:
            value.error("\(value.subject) names \(shown), which is a pipe or device; name a regular file")
        case .file, .other: value.error("\(value.subject) names \(shown), which is no folder; name a folder")
        }
        return nil
    }

    func signing(_ value: ValueReader?) -> [Configuration.SigningKeySource] {
        guard let value else { return [] }
        let items = value.items()
        if items.isEmpty { value.error("'signing' is an empty list; add at least one key") }
        let refusing = [
            "privateKey": "a key is never written here; save it to a file and name that as 'privateKeyFile'"
        ]
        var known = Unique<String>(name: "keyId")
        return items.compactMap { item in
            guard let keys = item.mapping(keys: SigningEntryKey.self, refusing: refusing) else { return nil }
            let keyId = keys.required(.keyId, example: "ABC123DEFG").flatMap { self.keyId($0, among: &known) }
            let issuerId = keys.required(.issuerId, example: "57246542-96fe-1a63-e053-0824d011072a")
                .flatMap(self.issuerId)
            let source = keys.exactlyOne(of: [.privateKeyFile, .privateKeyEnv]).flatMap { key, value in
                key == .privateKeyFile ? secretFile(value) : secretVariable(value)
            }
            guard let keyId, let issuerId, let source else { return nil }
            return Configuration.SigningKeySource(keyId: keyId, issuerId: issuerId, privateKey: source)
        }
    }

    /// Apple documents no shape, so another one is only a warning as long as it is plain text.
    private func keyId(_ value: ValueReader, among known: inout Unique<String>) -> KeyID? {
        guard let text = identifier(value, wanted: "the key's identifier such as 'ABC123DEFG'") else { return nil }
        let isUsual =
            text.count == 10
            && text.utf8.allSatisfy {
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
        if !isUsual {
            value.warning("'keyId' is \(quoted(text)), not ten of A-Z and 0-9; compare it with App Store Connect")
        }
        known.check(text, value)
        return KeyID(text)
    }

    private func issuerId(_ value: ValueReader) -> IssuerID? {
        let wanted = "the issuer's UUID such as '57246542-96fe-1a63-e053-0824d011072a'"
        guard let text = value.text(wanted: wanted) else { return nil }
        guard UUID(strict: text) != nil else {
            value.wrong(wanted: wanted)
            return nil
        }
        return IssuerID(text)
    }

    /// Text that names something: of bounded length, without invisible characters, and no key.
    ///
    /// U+2063 separates the fields of a V1 signature, so one inside an identifier could make one signature fit another.
    func identifier(_ value: ValueReader, wanted: String) -> String? {
        guard let text = value.text(wanted: wanted) else { return nil }
        if holdsKeyMaterial(text) {
            value.error("\(value.subject) holds a key, which is not shown; write \(wanted)")
        } else if text.utf8.count > ConfigurationLimits.identifierBytes {
            value.error("\(value.subject) is longer than \(ConfigurationLimits.identifierBytes) bytes; write \(wanted)")
        } else if text.unicodeScalars.contains(where: \.isInvisible) {
            value.error("\(value.subject) holds an invisible character: \(quoted(text)); type it again")
        } else {
            return text
        }
        return nil
    }

    func webhook(_ value: ValueReader) -> Configuration.Webhook? {
        let cure = "a secret is never written here; save it to a file and name that as 'secretFile'"
        guard let keys = value.mapping(keys: WebhookKey.self, refusing: ["secret": cure]) else { return nil }
        let address = keys.required(.url, example: "https://crm.example.com/hooks/holdfast")
        let url = address.flatMap(webhookURL)
        let secrets = keys.exactlyOne(of: [.secretFile, .secretEnv]).map { key, value in
            let items = value.items()
            if !ConfigurationLimits.webhookSecrets.contains(items.count) {
                value.error("\(value.subject) has \(items.count) values; write one, or two while they change over")
            }
            return items.compactMap(key == .secretFile ? secretFile : secretVariable)
        }
        let isDryRun = keys.optional(.dryRun)?.boolean() ?? false
        guard let address, let url, let secrets else { return nil }
        return Configuration.Webhook(url: url, mark: address.mark, secrets: secrets, isDryRun: isDryRun)
    }

    private func webhookURL(_ value: ValueReader) -> URL? {
        let wanted = "an address that starts with 'https://'"
        guard let text = value.text(wanted: wanted) else { return nil }
        guard let url = URL(string: text, encodingInvalidCharacters: false), url.scheme?.lowercased() == "https",
            let host = url.host(), !host.isEmpty
        else {
            // The address is not shown: it may carry a password or a token.
            value.error("'url' is no https address; write \(wanted)")
            return nil
        }
        guard url.user() == nil, url.password() == nil else {
            value.error("'url' holds a user name or password; take it out, since the signature proves who sends")
            return nil
        }
        return url
    }

    private func secretFile(_ value: ValueReader) -> Configuration.SecretSource? {
        if case .scalar(let scalar) = value.node.content, scalar.text.contains("\n") || holdsKeyMaterial(scalar.text) {
            value.error("\(value.subject) holds a key itself; save it to a file and write the path")
            return nil
        }
        return existing(.file, value).map { .file($0) }
    }

    private func secretVariable(_ value: ValueReader) -> Configuration.SecretSource? {
        guard let name = value.text(wanted: "the name of an environment variable") else { return nil }
        let isName =
            name.utf8.count <= ConfigurationLimits.environmentVariableNameBytes
            && name.first?.isNumber == false
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        guard isName else {
            // What is there may be the secret itself, so it is not shown.
            value.error(
                "\(value.subject) is no name of an environment variable; write a name such as 'HOLDFAST_SECRET'")
            return nil
        }
        return .environmentVariable(name: name, mark: value.mark)
    }
}
