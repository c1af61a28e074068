/// A place in a text: both numbers start at 1, and a column is a Unicode scalar, so `é` and a tab are one each.
public struct Mark: Hashable, Comparable, Sendable {
    public let line: Int
    public let column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// Where every text begins.
    public static let start = Self(line: 1, column: 1)

    public static func < (one: Self, other: Self) -> Bool {
        (one.line, one.column) < (other.line, other.column)
    }
}

extension Mark: CustomStringConvertible {
    /// `line:column`, as compilers and editors write it.
    public var description: String { "\(line):\(column)" }
}

extension Mark {
    /// The place of the byte at `offset` in `bytes`, which are UTF-8 up to there.
    init(of offset: Int, in bytes: some Collection<UInt8>) {
        var line = 1
        var column = 1
        var previous: UInt8 = 0
        for byte in bytes.prefix(offset) {
            switch byte {
            case UInt8(ascii: "\n") where previous == UInt8(ascii: "\r"): break
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                line += 1
                column = 1
            case 0x80...0xBF: break
            default: column += 1
            }
            previous = byte
        }
        self.init(line: line, column: column)
    }
}
