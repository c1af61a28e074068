import FoundationEssentials

/// Reads JSON into Apple's terms; a fault names the field and never its value.
struct PayloadDecoder: Sendable {
    /// Made once, because a new decoder costs as much as a small payload.
    static let shared = PayloadDecoder()

    /// Where decoding failed; `field` is nil when the text is no JSON object.
    struct Fault: Error {
        let field: String?
    }

    private let decoder = JSONDecoder()

    func decode<Value: Decodable>(_: Value.Type, from json: [UInt8]) throws(Fault) -> Value {
        do {
            return try decoder.decode(Value.self, from: Data(json))
        } catch let error as DecodingError {
            throw Fault(field: Self.field(of: error))
        } catch {
            throw Fault(field: nil)
        }
    }

    private static func field(of error: DecodingError) -> String? {
        let path: [any CodingKey] =
            switch error {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                context.codingPath
            case .keyNotFound(let key, let context): context.codingPath + [key]
            @unknown default: []
            }
        return path.isEmpty ? nil : path.map(\.stringValue).joined(separator: ".")
    }
}
