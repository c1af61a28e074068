import CMicrohttpd

#if canImport(Glibc)
    import Glibc
#endif

/// The headers that every request is judged by, found in one pass because every request pays for it.
///
/// The values are the library's, and live as long as the request.
struct RequestHeaders {
    private var contentLength = SingleHeader("Content-Length")
    private var transferEncoding = SingleHeader("Transfer-Encoding")
    private var host = SingleHeader("Host")
    private var authorizations = SingleHeader("Authorization")

    init(of connection: OpaquePointer) {
        withUnsafeMutablePointer(to: &self) {
            _ = MHD_get_connection_values(connection, .HEADER_KIND, noteHeader, $0)
        }
    }

    var authorization: String? { authorizations.text }

    /// What the client says the body has; zero when it says nothing that is a number.
    var announcedBytes: Int { contentLength.text.flatMap { Int($0) } ?? 0 }

    fileprivate mutating func note(_ key: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>?) {
        _ =
            contentLength.note(key, value) || host.note(key, value) || authorizations.note(key, value)
            || transferEncoding.note(key, value)
    }

    /// The first of the names that came more than once.
    private var repeated: StaticString? {
        if contentLength.isRepeated { return contentLength.name }
        if transferEncoding.isRepeated { return transferEncoding.name }
        if host.isRepeated { return host.name }
        return authorizations.isRepeated ? authorizations.name : nil
    }

    /// Why the headers alone make a request unacceptable; nil when they do not.
    ///
    /// The library takes the first of two differing values, so a request that names its length or host twice, or both a
    /// length and chunks, could be read differently by a proxy in front of us.
    func refusal(version: UnsafePointer<CChar>?, bodyLimit: Int) -> Response? {
        if let name = repeated {
            return Problem(.ambiguousHeaders, "the header '\(name)' is there more than once").response
        }
        if host.value == nil, let version, strcmp(version, "HTTP/1.1") == 0 {
            return Problem(.ambiguousHeaders, "the header 'Host' is missing").response
        }
        let encoding = transferEncoding.text
        // The library would read on until the client closes.
        if let encoding, encoding.lowercased() != "chunked" {
            return Problem(.ambiguousHeaders, "'Transfer-Encoding' is not 'chunked', the only one that is read")
                .response
        }
        guard let length = contentLength.text else { return nil }
        if encoding != nil {
            return Problem(.ambiguousHeaders, "'Content-Length' and 'Transfer-Encoding' are both there").response
        }
        guard let bytes = Int(length) else {
            return Problem(.ambiguousHeaders, "'Content-Length' is no number").response
        }
        guard bytes <= bodyLimit else {
            return Problem(.bodyTooLarge, "the body has \(bytes) bytes; at most \(bodyLimit) are read").response
        }
        return nil
    }
}

/// A header that may come once, with its first value.
private struct SingleHeader {
    let name: StaticString
    private(set) var value: UnsafePointer<CChar>?
    private(set) var isRepeated = false
    private var isThere = false

    init(_ name: StaticString) {
        self.name = name
    }

    var text: String? { value.map { String(cString: $0) } }

    /// Whether `key` is this header's name; then its value is noted.
    mutating func note(_ key: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>?) -> Bool {
        // Static text ends with a zero byte.
        guard strcasecmp(key, UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)) == 0 else {
            return false
        }
        if isThere { isRepeated = true } else { self.value = value }
        isThere = true
        return true
    }
}

private func noteHeader(
    _ context: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ key: UnsafePointer<CChar>?,
    _ value: UnsafePointer<CChar>?
) -> MHD_Result {
    guard let context, let key else { return .NO }
    context.assumingMemoryBound(to: RequestHeaders.self).pointee.note(key, value)
    return .YES
}

/// Every value of the header `name`, in the order in which they were sent.
func headers(_ name: String, of connection: OpaquePointer) -> [String] {
    var search = HeaderSearch(name: name)
    withUnsafeMutablePointer(to: &search) {
        _ = MHD_get_connection_values(connection, .HEADER_KIND, collectHeader, $0)
    }
    return search.found
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
