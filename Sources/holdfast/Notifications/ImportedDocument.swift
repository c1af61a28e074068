import CampaignCore
import YAML

/// The notifications in one line, or in a file that is one JSON document.
enum ImportedDocument {
    case payloads([String])
    /// What it is instead.
    case refused(String)

    /// The line as it is: a bare JWS or JSON; nil for an empty line.
    init?(line: [UInt8]) {
        let text = line.drop(while: Self.isSpace)
        guard let first = text.first else { return nil }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
            self.init(json: Array(text))
        } else if let jws = String(validating: text.reversed().drop(while: Self.isSpace).reversed(), as: UTF8.self) {
            self = .payloads([jws])
        } else {
            self = .refused("the line is not UTF-8")
        }
    }

    /// The file as one JSON document; nil when it is none, and so is to be read line by line.
    ///
    /// - Parameter bytes: the size of the file; nil for standard input, which is read by lines.
    init?(_ path: String, bytes: Int64?) throws(CommandError) {
        guard let bytes, bytes <= Limits.wholeFileBytes else { return nil }
        let text = try readFile(path, limit: Int(Limits.wholeFileBytes)).drop(while: Self.isSpace)
        guard let first = text.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return nil }
        // Whoever writes one object a line does not leave its bracket alone on the first.
        let isSpread = text.dropFirst().first { $0 == 10 || !Self.isSpace($0) } == 10
        guard isSpread || JSON.read(Array(text)) != nil else { return nil }
        self.init(json: Array(text))
    }

    private init(json bytes: [UInt8]) {
        do throws(JSONSyntaxError) {
            if let found = Self.payloads(in: try JSON.parse(bytes)) {
                self = .payloads(found)
            } else {
                self = .refused("it has no text 'signedPayload'; give what the App Store posted, or a history of it")
            }
        } catch {
            self = .refused("\(error)")
        }
    }

    /// Of an object as the App Store posts it, of a page of its notification history, or of a list of either.
    private static func payloads(in json: JSON) -> [String]? {
        if let jws = json["signedPayload"]?.string { return [jws] }
        if case .array(let items) = json["notificationHistory"] ?? json {
            let found = items.map(payloads)
            return found.contains(nil) ? nil : found.flatMap { $0 ?? [] }
        }
        return json.string.map { [$0] }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [9, 10, 13, 32].contains(byte) }
}
