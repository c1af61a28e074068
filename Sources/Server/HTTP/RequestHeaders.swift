import CMicrohttpd

#if canImport(Glibc)
    import Glibc
#endif

/// Why the headers alone make a request unacceptable; nil when they do not.
///
/// The library takes the first of two differing values, so a request that names its length or host twice, or both a
/// length and chunks, could be read differently by a proxy in front of us.
func refusalByHeaders(of connection: OpaquePointer, version: UnsafePointer<CChar>?) -> Response? {
    var singles = SingleHeaders()
    withUnsafeMutablePointer(to: &singles) {
        _ = MHD_get_connection_values(connection, .HEADER_KIND, countSingleHeader, $0)
    }
    if let name = singles.repeated {
        return Problem(.ambiguousHeaders, "the header '\(name)' is there more than once").response
    }
    if header("Host", of: connection) == nil, let version, strcmp(version, "HTTP/1.1") == 0 {
        return Problem(.ambiguousHeaders, "the header 'Host' is missing").response
    }
    let encoding = header("Transfer-Encoding", of: connection)
    // The library would read on until the client closes.
    if let encoding, encoding.lowercased() != "chunked" {
        return Problem(.ambiguousHeaders, "'Transfer-Encoding' is not 'chunked', the only one that is read").response
    }
    guard let length = header("Content-Length", of: connection) else { return nil }
    if encoding != nil {
        return Problem(.ambiguousHeaders, "'Content-Length' and 'Transfer-Encoding' are both there").response
    }
    guard let bytes = Int(length) else {
        return Problem(.ambiguousHeaders, "'Content-Length' is no number").response
    }
    guard bytes <= Limits.bodyBytes else {
        return Problem(.bodyTooLarge, "the body has \(bytes) bytes; at most \(Limits.bodyBytes) are read").response
    }
    return nil
}

/// The first value of the header `name`.
func header(_ name: String, of connection: OpaquePointer) -> String? {
    MHD_lookup_connection_value(connection, .HEADER_KIND, name).map { String(cString: $0) }
}

/// Every value of the header `name`, in the order in which they were sent.
func headers(_ name: String, of connection: OpaquePointer) -> [String] {
    var search = HeaderSearch(name: name)
    withUnsafeMutablePointer(to: &search) {
        _ = MHD_get_connection_values(connection, .HEADER_KIND, collectHeader, $0)
    }
    return search.found
}

/// How often each header came that may come once; all are counted in one pass, because every request pays for it.
private struct SingleHeaders {
    static let names = ["Content-Length", "Transfer-Encoding", "Host", "Authorization"]
    private var seen: UInt8 = 0
    private var twice: UInt8 = 0

    mutating func count(_ key: UnsafePointer<CChar>) {
        for (index, name) in Self.names.enumerated() where strcasecmp(key, name) == 0 {
            twice |= seen & (1 << UInt8(index))
            seen |= 1 << UInt8(index)
        }
    }

    /// The first of the names that came more than once.
    var repeated: String? {
        Self.names.enumerated().first { twice & (1 << UInt8($0.offset)) != 0 }?.element
    }
}

private func countSingleHeader(
    _ context: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ key: UnsafePointer<CChar>?,
    _ value: UnsafePointer<CChar>?
) -> MHD_Result {
    guard let context, let key else { return .NO }
    context.assumingMemoryBound(to: SingleHeaders.self).pointee.count(key)
    return .YES
}

private struct HeaderSearch {
    let name: String
    var found: [String] = []
}

private func collectHeader(
    _ context: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ key: UnsafePointer<CChar>?,
    _ value: UnsafePointer<CChar>?
) -> MHD_Result {
    guard let context, let key else { return .NO }
    let search = context.assumingMemoryBound(to: HeaderSearch.self)
    if strcasecmp(key, search.pointee.name) == 0 {
        search.pointee.found.append(value.map { String(cString: $0) } ?? "")
    }
    return .YES
}
