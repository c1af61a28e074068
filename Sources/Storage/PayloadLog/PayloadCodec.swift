import Crypto

/// Packs signed payloads for the log, and gives back their text byte for byte.
///
/// A notification of 18.6 KB is mostly a certificate chain, three times in base64, twice of it in base64 once more. Its
/// headers are named by id, the signatures inside it are cut out of its payload and decoded, and only what is left, some
/// 1.5 KB of JSON, is deflated. Text that this would not restore exactly is kept whole.
/// It belongs to one thread at a time.
public final class PayloadCodec {
    private let deflater = Deflater(dictionary: PayloadDictionary.first)

    public init() {}

    /// Packs `signed`, a compact JWS or any other text.
    public func pack(_ signed: String) -> PackedPayload {
        var signed = signed
        return signed.withUTF8 { text in
            guard let outer = CompactJWS(text) else { return whole(text) }
            return parts(outer)
        }
    }

    /// Packs a compact JWS whose parts were decoded strictly before: `header` is its text in base64url, `payload` and
    /// `signature` are bytes. The result is that of packing its text.
    public func pack(header: [UInt8], payload: [UInt8], signature: [UInt8]) -> PackedPayload {
        parts(CompactJWS(header: header, payload: payload, signature: signature))
    }

    private func whole(_ text: UnsafeBufferPointer<UInt8>) -> PackedPayload {
        var rest: [UInt8] = []
        rest.append(number: text.count)
        rest += deflater.pack(Array(text))
        return PackedPayload(headers: [], headerOfPart: [], rest: rest, format: .whole)
    }

    private func parts(_ outer: CompactJWS) -> PackedPayload {
        let inner = outer.payload.withUnsafeBufferPointer { InnerJWS.all(in: $0, sharing: outer.header) }
        var headers = [outer.header]
        var headerOfPart = [0]
        var rest: [UInt8] = []
        rest.reserveCapacity(1024)
        rest.append(number: outer.signature.count)
        rest += outer.signature
        var text: [UInt8] = []
        text.reserveCapacity(4096)
        var copied = 0
        for (place, jws) in inner {
            text += outer.payload[copied..<place.lowerBound]
            copied = place.upperBound
            rest.append(number: place.lowerBound)
            rest.append(number: jws.payload.count)
            rest.append(number: jws.signature.count)
            rest += jws.signature
            let known = headers.firstIndex(of: jws.header)
            if known == nil { headers.append(jws.header) }
            headerOfPart.append(known ?? headers.count - 1)
        }
        text += outer.payload[copied...]
        rest.append(number: text.count)
        for (_, jws) in inner { text += jws.payload }
        rest += deflater.pack(text)
        return PackedPayload(headers: headers, headerOfPart: headerOfPart, rest: rest, format: .parts)
    }

    /// The text that was packed to `body`; `header` gives a header by its id. Nil when the body is damaged.
    func unpack<Failure: Error>(
        _ body: [UInt8], header: (Int64) throws(Failure) -> [UInt8]?
    ) throws(Failure) -> String? {
        var reader = ByteReader(body[...])
        guard let format = reader.byte().flatMap(PayloadFormat.init), let count = reader.number() else { return nil }
        var headers: [[UInt8]] = []
        for _ in 0..<count {
            guard let id = reader.number(), let header = try header(Int64(id)) else { return nil }
            headers.append(header)
        }
        switch format {
        case .whole:
            guard let length = reader.number(), length <= Limits.payloadBytes else { return nil }
            return deflater.unpack(reader.rest, count: length).flatMap { String(validating: $0, as: UTF8.self) }
        case .parts:
            return unpackParts(&reader, headers: headers)
        }
    }

    /// The JSON of a body's payloads, without signatures; nil when the body is damaged.
    func json(of body: [UInt8]) -> [UInt8]? {
        var reader = ByteReader(body[...])
        guard let format = reader.byte().flatMap(PayloadFormat.init), let count = reader.number() else { return nil }
        for _ in 0..<count where reader.number() == nil { return nil }
        switch format {
        case .whole:
            guard let length = reader.number(), length <= Limits.payloadBytes else { return nil }
            return deflater.unpack(reader.rest, count: length)
        case .parts:
            return parts(&reader, count: count)?.text
        }
    }

    /// A body that was taken apart, behind its headers.
    private struct Parts {
        struct Inner {
            let place: Int
            let payloadCount: Int
            let signature: ArraySlice<UInt8>
        }

        let signature: ArraySlice<UInt8>
        let inner: [Inner]
        /// Bytes of `text` that are the outer payload's; the inner ones follow.
        let outerCount: Int
        let text: [UInt8]
    }

    private func parts(_ reader: inout ByteReader, count: Int) -> Parts? {
        guard count > 0, let signature = reader.number().flatMap({ reader.bytes($0) }) else { return nil }
        var inner: [Parts.Inner] = []
        for _ in 1..<count {
            guard let place = reader.number(), let payloadCount = reader.number(),
                let signature = reader.number().flatMap({ reader.bytes($0) })
            else { return nil }
            inner.append(Parts.Inner(place: place, payloadCount: payloadCount, signature: signature))
        }
        guard let outerCount = reader.number() else { return nil }
        let length = inner.reduce(outerCount) { $0 + $1.payloadCount }
        guard length <= Limits.payloadBytes, let text = deflater.unpack(reader.rest, count: length) else { return nil }
        return Parts(signature: signature, inner: inner, outerCount: outerCount, text: text)
    }

    private func unpackParts(_ reader: inout ByteReader, headers: [[UInt8]]) -> String? {
        guard let parts = parts(&reader, count: headers.count) else { return nil }
        let (text, outerCount) = (parts.text, parts.outerCount)
        var payload: [UInt8] = []
        var copied = 0
        var innerStart = outerCount
        for (part, header) in zip(parts.inner, headers.dropFirst()) {
            // Places count in the whole payload, so what was put in already is taken off.
            let end = part.place - payload.count + copied
            guard end >= copied, end <= outerCount else { return nil }
            payload += text[copied..<end]
            copied = end
            let own = text[innerStart..<innerStart + part.payloadCount]
            innerStart += part.payloadCount
            payload += CompactJWS.text(header: header, payload: Array(own), signature: Array(part.signature)).utf8
        }
        payload += text[copied..<outerCount]
        return CompactJWS.text(header: headers[0], payload: payload, signature: Array(parts.signature))
    }
}
