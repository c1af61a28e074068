import CampaignCore
import Crypto
import Glibc

extension Store {
    /// The number of a JWS header, kept once for every payload that was signed by the same chain; inside a transaction.
    func headerId(_ header: [UInt8]) throws(StorageError) -> Int64 {
        refreshKnownRows()
        let known = known.headers.last {
            $0.header.count == header.count && memcmp($0.header, header, header.count) == 0
        }
        if let known { return known.id }
        let digest = SHA256.digest(header)
        let text = String(decoding: header, as: UTF8.self)
        let found: Int64? = try connection.value("SELECT id FROM jws_header WHERE digest = \(digest)")
        let made: Int64? =
            if found == nil {
                try connection.value("INSERT INTO jws_header (digest, header) VALUES (\(digest), \(text)) RETURNING id")
            } else {
                found
            }
        guard let id = made else { throw .corruptRow(table: "jws_header", column: "id") }
        remember(header, id)
        return id
    }

    /// The text of a header; nil when there is none of that number.
    func header(_ id: Int64) throws(StorageError) -> [UInt8]? {
        refreshKnownRows()
        if let known = known.headers.last(where: { $0.id == id }) { return known.header }
        let text: String? = try connection.value("SELECT header FROM jws_header WHERE id = \(id)")
        guard let header = text.map({ Array($0.utf8) }) else { return nil }
        remember(header, id)
        return header
    }

    private func remember(_ header: [UInt8], _ id: Int64) {
        if known.headers.count >= Limits.knownHeaders { known.headers.removeFirst() }
        known.headers.append((header, id))
    }

    func body(of payload: PackedPayload) throws(StorageError) -> [UInt8] {
        var ids: [Int64] = []
        for header in payload.headers { ids.append(try headerId(header)) }
        return payload.body(headerIds: ids)
    }

    func text(ofBody body: [UInt8]) throws(StorageError) -> String {
        let text = try codec.unpack(body) { id throws(StorageError) in try header(id) }
        guard let text else { throw .corruptRow(table: "signed_payload", column: "body") }
        return text
    }

    /// The text of a logged payload, byte for byte as Apple signed it.
    ///
    /// Errors: `corruptRow` when the body is damaged.
    public func text(of payload: LoggedPayload) throws(StorageError) -> String {
        try text(ofBody: payload.body)
    }
}
