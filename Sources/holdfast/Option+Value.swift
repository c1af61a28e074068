import CampaignCore
import FoundationEssentials

extension Option {
    /// A value that was read from the line.
    enum Value: Sendable, Hashable {
        case given
        case text(String)
        case integer(Int)
        case instant(Instant)
        case uuid(UUID)
    }

    /// `text` as this option's kind of value, or nil when it is none.
    func value(_ text: String) -> Value? {
        switch kind {
        case .flag:
            nil
        case .text:
            text.isEmpty ? nil : .text(text)
        case .integer(let range):
            Int(text).flatMap { range.contains($0) ? .integer($0) : nil }
        case .instant:
            Instant(rfc3339: text).map(Value.instant)
        case .uuid:
            UUID(strict: text).map(Value.uuid)
        case .choice(let words):
            words.contains(text) ? .text(text) : nil
        }
    }

    /// What is wrong with `text`, which `value(_:)` did not accept.
    func complaint(about text: String) -> String {
        switch kind {
        case .flag:
            return "'--\(name)' takes no value, but has '\(text)'"
        case .text:
            return "'--\(name)' needs a value: \(usage)"
        case .integer(let range):
            return "'--\(name)' needs a whole number from \(range.lowerBound) to \(range.upperBound), not '\(text)'"
        case .instant:
            return "'--\(name)' needs an instant such as '2026-09-05T12:00:00Z', not '\(text)'"
        case .uuid:
            return "'--\(name)' needs a UUID such as '6f1e2a4c-0b7d-4c53-9a58-3d1f0a2b4c5d', not '\(text)'"
        case .choice(let words):
            let list = words.map { "'\($0)'" }.joined(separator: ", ")
            return "'--\(name)' needs one of \(list), not '\(text)'" + didYouMean(text, among: words)
        }
    }
}
