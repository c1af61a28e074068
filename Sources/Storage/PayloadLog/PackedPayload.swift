/// A signed payload, packed for the log; it can be made away from the database and on any thread.
public struct PackedPayload: Hashable, Sendable {
    /// The headers that the body names by their place here, each as base64url wrote it.
    let headers: [[UInt8]]
    /// For each part its header, as a place in `headers`.
    let headerOfPart: [Int]
    /// All that follows the headers in the body.
    let rest: [UInt8]
    let format: PayloadFormat

    /// The body as it is stored once the headers have their ids.
    func body(headerIds: [Int64]) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(rest.count + 8)
        body.append(format.rawValue)
        body.append(number: headerOfPart.count)
        for header in headerOfPart { body.append(number: Int(headerIds[header])) }
        body += rest
        return body
    }
}

/// The first byte of a stored body.
enum PayloadFormat: UInt8 {
    /// The text as it came, deflated.
    case whole = 0
    /// Taken apart: the ids of its headers, signatures, the places of inner signatures, then all payloads, deflated.
    case parts = 1
}
