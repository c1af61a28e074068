/// Between DER and OpenSSL's structures.
enum DER {
    /// Runs one of OpenSSL's `d2i` functions over all of `der`; gives what it made and how many bytes it left.
    static func decode<Parsed>(
        _ der: [UInt8], _ read: (inout UnsafePointer<UInt8>?, Int) -> Parsed?
    ) -> (parsed: Parsed?, bytesLeft: Int) {
        der.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            let parsed = read(&position, buffer.count)
            guard let start = buffer.baseAddress, let position else { return (parsed, buffer.count) }
            return (parsed, buffer.count - start.distance(to: position))
        }
    }

    /// Runs one of OpenSSL's `i2d` functions; empty when it fails.
    static func encode(_ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8] {
        let length = write(nil)
        guard length > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, count in
            var position = buffer.baseAddress
            count = Int(max(0, write(&position)))
        }
    }
}
