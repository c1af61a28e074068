import FoundationEssentials
public import YAML

/// `messages.yaml`: what each retention message is at the App Store, by name and locale.
public struct MessagesFile: Sendable {
    public let messages: RetentionMessages

    /// The file's name in the folder of campaigns.
    public static let name = "messages.yaml"

    /// Reads the file; every fault is noted in `diagnostics`, and nil is a file of which nothing could be read.
    public init?(yaml bytes: [UInt8], into diagnostics: Diagnostics) {
        guard let root = ValueReader(yaml: bytes, into: diagnostics) else { return nil }
        let reader = CampaignFileReader(diagnostics: diagnostics) { _ in .missing(cure: "") }
        guard reader.isReadable(root), let keys = root.mapping(keys: MessagesKey.self)
        else { return nil }
        _ = keys.required(.schema, example: "1")
        let example = "{ stay: { en-US: 0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e } }"
        var identifiers: [MessageName: [String: String]] = [:]
        let entries =
            keys.required(.messages, example: example)?.entries(wanted: "a mapping such as '\(example)'") ?? []
        if entries.count > CampaignLimits.messages {
            diagnostics.error(
                "'messages' has \(entries.count) entries; Apple keeps \(CampaignLimits.messages) an app",
                at: entries[CampaignLimits.messages].mark)
        }
        for entry in entries.prefix(CampaignLimits.messages) {
            guard let name = reader.key(entry.key, at: entry.mark) else { continue }
            identifiers[MessageName(name)] = reader.locales(entry.value)
        }
        messages = RetentionMessages(messageIdentifiers: identifiers)
    }
}

extension CampaignFileReader {
    /// A key that is a name of ours.
    fileprivate func key(_ key: String, at mark: Mark) -> String? {
        name(
            ValueReader(
                Node(.scalar(Scalar(key, isQuoted: true)), at: mark), subject: "the message's name", into: diagnostics))
    }

    /// Apple's identifier of one message by locale.
    fileprivate func locales(_ value: ValueReader) -> [String: String] {
        let wanted = "a mapping such as '{ en-US: 0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e }'"
        guard let entries = value.entries(wanted: wanted) else { return [:] }
        if entries.isEmpty { value.error("\(value.subject) has no locale; write at least one") }
        var identifiers: [String: String] = [:]
        for entry in entries.prefix(CampaignLimits.listValues) {
            if !isLocale(entry.key) {
                diagnostics.error(
                    "\(quoted(entry.key)) is no locale; write one such as 'en-US'", at: entry.mark)
            }
            let wanted = "the message's identifier, a UUID"
            guard let text = entry.value.text(wanted: wanted) else { continue }
            guard let identifier = UUID(strict: text) else {
                entry.value.wrong(wanted: wanted)
                continue
            }
            identifiers[entry.key] = identifier.lowercaseString
        }
        return identifiers
    }

    /// Language, perhaps script and region, as Apple's list of locales has them: `de`, `en-US`, `zh-Hans`, `es-419`.
    private func isLocale(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let letters = { (part: Substring) in part.utf8.allSatisfy { Character(Unicode.Scalar($0)).isLetter } }
        guard let language = parts.first, (2...3).contains(language.utf8.count), letters(language) else { return false }
        return parts.count <= 3
            && parts.dropFirst().allSatisfy { part in
                (2...4).contains(part.utf8.count)
                    && part.utf8.allSatisfy {
                        $0 < 0x80 && Character(Unicode.Scalar($0)).isLetter || (0x30...0x39).contains($0)
                    }
            }
    }
}
