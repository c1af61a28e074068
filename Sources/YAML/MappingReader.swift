/// Reads a mapping whose keys are known: the cases of `Key`, which are also the table that documents them.
///
/// Keys that are not in the table are reported when the reader is made, with "did you mean".
public struct MappingReader<Key: RawRepresentable<String> & CaseIterable> {
    /// Where the mapping starts; a missing key is reported here.
    public let mark: Mark
    private let diagnostics: Diagnostics
    private var entries: [String: (mark: Mark, value: ValueReader)] = [:]
    /// Keys that were meant by a misspelled one: to call them missing as well would tell one fault twice.
    private var misspelled: Set<String> = []
    private var hasRefused = false

    init(
        _ entries: [(key: String, mark: Mark, value: ValueReader)], at mark: Mark, refusing: [String: String],
        into diagnostics: Diagnostics
    ) {
        self.mark = mark
        self.diagnostics = diagnostics
        for (key, mark, value) in entries {
            if let cure = refusing[key] {
                diagnostics.error("'\(key)' is not allowed; \(cure)", at: mark)
                hasRefused = true
            } else if Key(rawValue: key) == nil {
                reportUnknown(key, at: mark)
            } else {
                self.entries[key] = (mark, value)
            }
        }
    }

    private mutating func reportUnknown(_ key: String, at mark: Mark) {
        let known = Key.allCases.map(\.rawValue)
        if let near = closestMatch(to: key, among: known) {
            misspelled.insert(near)
            diagnostics.error("unknown key \(quoted(key)); did you mean '\(near)'?", at: mark)
        } else {
            let list = known.map { "'\($0)'" }.joined(separator: ", ")
            diagnostics.error("unknown key \(quoted(key)); known here are \(list)", at: mark)
        }
    }

    /// The value of `key`; nil when the key is absent or its value is null.
    public func optional(_ key: Key) -> ValueReader? {
        guard let value = entries[key.rawValue]?.value, !value.node.isNull else { return nil }
        return value
    }

    /// The value of `key`; its absence is reported, with `example` to go by, unless a misspelled key tells it already.
    public func required(_ key: Key, example: String) -> ValueReader? {
        if let value = optional(key) { return value }
        if let entry = entries[key.rawValue] {
            diagnostics.error("'\(key.rawValue)' is empty; write for example '\(example)'", at: entry.mark)
        } else if !misspelled.contains(key.rawValue) {
            let message = "required key '\(key.rawValue)' is missing; add for example '\(key.rawValue): \(example)'"
            diagnostics.error(message, at: mark)
        }
        return nil
    }

    /// Where `key` stands; nil when it is absent.
    public func mark(of key: Key) -> Mark? {
        entries[key.rawValue]?.mark
    }

    /// Whether a misspelled key stands in the place of `key`, which has been reported.
    public func isMisspelled(_ key: Key) -> Bool { misspelled.contains(key.rawValue) }

    /// The one of `keys` that is written; none and more than one are reported, none only where no refused or misspelled
    /// key stands in its place.
    public func exactlyOne(of keys: [Key]) -> (key: Key, value: ValueReader)? {
        let written = keys.compactMap { key in optional(key).map { (key: key, value: $0) } }
        let names = alternatives(keys.map(\.rawValue))
        guard let first = written.first else {
            if !hasRefused, misspelled.isDisjoint(with: keys.map(\.rawValue)) {
                diagnostics.error("one of \(names) is required and missing; add one", at: mark)
            }
            return nil
        }
        if written.count > 1 {
            let last = written.compactMap { self.mark(of: $0.key) }.max() ?? mark
            diagnostics.error("only one of \(names) can be used; remove the other", at: last)
            return nil
        }
        return first
    }
}
