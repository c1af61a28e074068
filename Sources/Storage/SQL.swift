import FoundationEssentials

/// A statement whose interpolated values become bound parameters, never text.
///
/// Its text is made of literals of the program alone, and `\(raw:)` takes nothing else, so no value from outside can
/// become part of it. Such text lives as long as the process, so a statement is told from another by the addresses of
/// its pieces: nothing is joined, copied or hashed by content when it runs again.
struct SQL: ExpressibleByStringInterpolation {
    /// What a parameter is bound to.
    enum Value: Hashable, Sendable {
        case null
        case integer(Int64)
        case text(String)
        case blob([UInt8])
        /// Bound as a blob of 16 bytes, without an array for them.
        case uuid(UUID)
    }

    /// A stretch of text that is never freed, or the place of a parameter.
    struct Piece: Hashable {
        let start: UnsafePointer<UInt8>?
        let count: Int

        static var parameter: Piece { Piece(start: nil, count: 0) }
    }

    /// Text put together once, kept for the life of the process; only for `static let`.
    struct Fragment: @unchecked Sendable {
        // Sendable because the bytes are written before the fragment exists and never after.
        let piece: Piece

        init(_ text: String) {
            let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: text.utf8.count)
            bytes.initialize(from: Array(text.utf8), count: text.utf8.count)
            piece = Piece(start: bytes, count: text.utf8.count)
        }
    }

    /// The text by identity, as the statement cache looks it up.
    struct Key: Hashable {
        fileprivate(set) var pieces: [Piece]
        fileprivate var mixed: UInt = 0

        fileprivate mutating func append(_ piece: Piece) {
            pieces.append(piece)
            // The addresses are ours, not an attacker's, so a multiplication is hash enough.
            mixed = (mixed ^ UInt(bitPattern: piece.start) ^ UInt(bitPattern: piece.count) &<< 48)
            mixed = mixed &* 0x9e37_79b9_7f4a_7c15
        }

        static func == (one: Self, other: Self) -> Bool {
            one.mixed == other.mixed && one.pieces == other.pieces
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(mixed)
        }

        /// The statement as SQLite reads it, with `?` for each parameter.
        var text: String {
            pieces.reduce(into: "") { text, piece in
                if let start = piece.start {
                    text += String(decoding: UnsafeBufferPointer(start: start, count: piece.count), as: UTF8.self)
                } else {
                    text += "?"
                }
            }
        }
    }

    let key: Key
    let values: [Value]

    init(stringLiteral text: StaticString) {
        var interpolation = StringInterpolation(literalCapacity: 0, interpolationCount: 0)
        interpolation.appendLiteral(text)
        self.init(stringInterpolation: interpolation)
    }

    init(stringInterpolation: StringInterpolation) {
        key = stringInterpolation.key
        values = stringInterpolation.values
    }

    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var key: Key
        fileprivate var values: [Value] = []

        init(literalCapacity: Int, interpolationCount: Int) {
            key = Key(pieces: [])
            key.pieces.reserveCapacity(2 * interpolationCount + 1)
            values.reserveCapacity(interpolationCount)
        }

        mutating func appendLiteral(_ literal: StaticString) {
            key.append(Piece(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
        }

        mutating func appendInterpolation(_ value: some ColumnValue) {
            key.append(.parameter)
            values.append(value.sqlValue)
        }

        mutating func appendInterpolation(_ value: (some ColumnValue)?) {
            key.append(.parameter)
            values.append(value?.sqlValue ?? .null)
        }

        mutating func appendInterpolation(raw text: StaticString) {
            appendLiteral(text)
        }

        mutating func appendInterpolation(raw fragment: Fragment) {
            key.append(fragment.piece)
        }
    }
}
