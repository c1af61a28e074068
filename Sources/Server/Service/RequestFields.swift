import CampaignCore
import Crypto
import FoundationEssentials
import YAML

/// The fields of a request body, read one by one while every fault is collected.
///
/// Shape faults (a missing field, a number where a string belongs, a field nobody knows) are 400; values that cannot be
/// are 422. A field that is `null` counts as absent, since many clients write absent values so.
struct RequestFields {
    private let members: Members
    /// What `digest` is made of.
    let digested: [UInt8]
    private var known = KnownFields()
    private(set) var shapeFaults: [Fault] = []
    private(set) var valueFaults: [Fault] = []

    /// One field with what is wrong with it.
    struct Fault: Hashable {
        let field: String
        let detail: String
    }

    /// Reads the body of `route`; fails when it is not a JSON object.
    init(_ body: [UInt8], of route: String) throws(Problem) {
        let value: JSON
        do throws(JSONSyntaxError) {
            value = try JSON.parse(body)
        } catch {
            throw Problem(.notJSON, "\(error); send a JSON object in UTF-8")
        }
        guard case .object(let all) = value else {
            throw Problem(.wrongShape, "the body is \(value.kind); send an object")
        }
        members = Members(all: all.filter { $0.value != .null })
        digested = members.digested(of: route, capacity: body.count)
    }

    /// Takes the parameters of a request's query as fields of text; fails for one that is there twice.
    ///
    /// - Parameter route: whose requests are told from one another by their digest; nil when none is needed.
    init(_ query: [QueryParameter], digestedFor route: String? = nil) throws(Problem) {
        var all: [JSON.Member] = []
        for parameter in query {
            guard let (name, value) = parameter.decoded else {
                throw Problem(
                    .wrongShape,
                    "the parameter \(quoted(parameter.name, limit: Limits.quotedValue)) has a '%' that encodes nothing")
            }
            guard !all.contains(where: { $0.key == name }) else {
                throw Problem(
                    .wrongShape, "the parameter \(quoted(name, limit: Limits.quotedValue)) is there more than once",
                    fields: [name])
            }
            all.append(JSON.Member(name, .string(value)))
        }
        members = Members(all: all)
        digested = route.map { [members] in members.digested(of: $0, capacity: 0) } ?? []
    }

    /// The fields that are there; about eight, which are compared one by one faster than they are hashed.
    private struct Members {
        let all: [JSON.Member]

        subscript(field: String) -> JSON? { all.first { $0.key == field }?.value }

        var keys: [String] { all.map(\.key) }

        /// The route and the fields in sorted order.
        func digested(of route: String, capacity: Int) -> [UInt8] {
            // The requestId is what the digest is looked up by, and its case makes no other request.
            let compared = all.filter { $0.key != "requestId" }.sorted { $0.key < $1.key }
            var text: [UInt8] = []
            text.reserveCapacity(capacity + route.utf8.count)
            text.append(contentsOf: route.utf8)
            text.append(UInt8(ascii: "\n"))
            JSON.object(compared).append(to: &text)
            return text
        }
    }

    /// The fields that the route has asked for.
    private struct KnownFields {
        private var names: [String] = []

        mutating func insert(_ field: String) {
            if !contains(field) { names.append(field) }
        }

        func contains(_ field: String) -> Bool { names.contains(field) }
    }

    /// SHA-256 of the route and the fields in sorted order, so that spacing and key order make no other body.
    var digest: [UInt8] { SHA256.digest(digested) }

    /// The text of a field that may be asked for before the whole shape is judged; nil when it is not a string.
    func peek(_ field: String) -> String? {
        guard case .string(let text)? = members[field] else { return nil }
        return text
    }

    /// Whether the field is there and not `null`, whatever it holds.
    func has(_ field: String) -> Bool { members[field] != nil }

    mutating func optionalText(_ field: String) -> String? {
        known.insert(field)
        switch members[field] {
        case nil: return nil
        case .string(let text): return text
        case .some(let other):
            shapeFaults.append(Fault(field: field, detail: "'\(field)' is \(other.kind); send text"))
            return nil
        }
    }

    mutating func text(_ field: String) -> String? {
        if members[field] == nil {
            known.insert(field)
            shapeFaults.append(Fault(field: field, detail: "'\(field)' is missing"))
            return nil
        }
        return optionalText(field)
    }

    /// An identifier as Apple issues it: neither empty nor absurdly long nor with control characters.
    mutating func identifier(_ field: String) -> String? {
        checked(text(field), field)
    }

    mutating func optionalIdentifier(_ field: String) -> String? {
        checked(optionalText(field), field)
    }

    /// A transaction's id as Apple issues it: printable ASCII without blanks.
    mutating func transactionId(_ field: String) -> String? {
        checkedTransactionId(text(field), field)
    }

    mutating func optionalTransactionId(_ field: String) -> String? {
        checkedTransactionId(optionalText(field), field)
    }

    /// The same for an argument of the path, which counts as a field of the name `field`.
    mutating func transactionId(inPath argument: String, named field: String) -> String? {
        guard let text = percentDecoded(argument) else {
            refuse(field, "'\(field)' has a '%' that encodes nothing")
            return nil
        }
        return checkedTransactionId(text, field)
    }

    private mutating func checkedTransactionId(_ text: String?, _ field: String) -> String? {
        guard let text = checked(text, field) else { return nil }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            valueFaults.append(
                Fault(
                    field: field,
                    detail: "'\(field)' is \(quoted(text, limit: Limits.quotedValue)), which no id of a transaction is")
            )
            return nil
        }
        return text
    }

    mutating func optionalBool(_ field: String) -> Bool? {
        known.insert(field)
        switch members[field] {
        case nil: return nil
        case .bool(let value): return value
        case .some(let other):
            shapeFaults.append(Fault(field: field, detail: "'\(field)' is \(other.kind); send true or false"))
            return nil
        }
    }

    mutating func uuid(_ field: String) -> UUID? {
        parsed(text(field), field)
    }

    mutating func optionalUUID(_ field: String) -> UUID? {
        parsed(optionalText(field), field)
    }

    /// A list of words out of `words`; nil when the field is absent.
    mutating func optionalWords(_ field: String, outOf words: [String]) -> [String]? {
        known.insert(field)
        guard let value = members[field] else { return nil }
        // Put together only for a fault.
        var wanted: String { words.map { "\"\($0)\"" }.joined(separator: ", ") }
        guard case .array(let elements) = value else {
            shapeFaults.append(Fault(field: field, detail: "'\(field)' is \(value.kind); send an array of \(wanted)"))
            return nil
        }
        var found: [String] = []
        for element in elements {
            guard case .string(let word) = element else {
                shapeFaults.append(
                    Fault(field: field, detail: "'\(field)' holds \(element.kind); send an array of \(wanted)"))
                return nil
            }
            guard words.contains(word) else {
                valueFaults.append(
                    Fault(
                        field: field,
                        detail: "'\(field)' holds \(quoted(word, limit: Limits.quotedValue)); it may hold \(wanted)"))
                return nil
            }
            if !found.contains(word) { found.append(word) }
        }
        if found.isEmpty {
            valueFaults.append(Fault(field: field, detail: "'\(field)' is empty; leave it out or name \(wanted)"))
        }
        return found
    }

    /// Adds a fault of value that a route finds by itself.
    mutating func refuse(_ field: String, _ detail: String) {
        valueFaults.append(Fault(field: field, detail: detail))
    }

    /// Adds a fault of shape that a route finds by itself.
    mutating func misshapen(_ field: String, _ detail: String) {
        shapeFaults.append(Fault(field: field, detail: detail))
    }

    /// The 400 for all faults of shape, unknown fields included; nil when the shape is right.
    func shapeProblem(requestId: UUID?) -> Problem? {
        let unknown = members.keys.filter { !known.contains($0) }.sorted().map { field in
            Fault(field: field, detail: "\(quoted(field, limit: Limits.quotedValue)) is no field of this route")
        }
        var problem = Self.problem(.wrongShape, shapeFaults + unknown, requestId)
        problem?.unknownFields = unknown.map(\.field)
        return problem
    }

    /// The 422 for all values that cannot be; nil when there is none.
    func valueProblem(requestId: UUID?) -> Problem? {
        Self.problem(.invalidValue, valueFaults, requestId)
    }

    private static func problem(_ code: ProblemCode, _ faults: [Fault], _ requestId: UUID?) -> Problem? {
        guard !faults.isEmpty else { return nil }
        return Problem(
            code, faults.map(\.detail).joined(separator: "; "), fields: faults.map(\.field), requestId: requestId)
    }

    private mutating func checked(_ text: String?, _ field: String) -> String? {
        guard let text else { return nil }
        guard !text.isEmpty else {
            valueFaults.append(Fault(field: field, detail: "'\(field)' is empty"))
            return nil
        }
        // A blank or an invisible character around an identifier was copied along by mistake.
        let blank = UInt8(ascii: " ")
        guard text.utf8.count <= Limits.identifierLength, Self.isVisible(text), text.utf8.first != blank,
            text.utf8.last != blank
        else {
            valueFaults.append(
                Fault(
                    field: field,
                    detail: "'\(field)' is \(quoted(text, limit: Limits.quotedValue)), which no identifier can be; "
                        + "look for blanks and invisible characters"))
            return nil
        }
        return text
    }

    private static func isVisible(_ text: String) -> Bool {
        // Nearly every identifier is plain ASCII, which needs no look into the tables of Unicode.
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return true }
        return text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }

    private mutating func parsed(_ text: String?, _ field: String) -> UUID? {
        guard let text else { return nil }
        guard let uuid = UUID(strict: text) else {
            valueFaults.append(
                Fault(
                    field: field,
                    detail: "'\(field)' is \(quoted(text, limit: Limits.quotedValue)); send a UUID such as "
                        + "'0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e'"))
            return nil
        }
        return uuid
    }
}
