/// JSON text that was checked as a whole, and whose values are read only when they are asked for.
///
/// A notification has some fifty values, and few of them stay strings; making a tree of strings of all of
/// them first would cost more than everything else that is read.
public struct JSONText: Sendable {
    /// The text, and behind its end the strings that had escapes, without them.
    let bytes: [UInt8]
    /// Every value in the order of the text, an object or array right before what it holds.
    let entries: [Entry]

    /// What is known of one value.
    struct Entry: Sendable {
        var kind: Kind
        /// The key of a member, without its quotes; empty for all other values.
        let key: Stretch
        /// A string without its quotes, or the spelling of a number; empty for all other values.
        var stretch = Stretch.empty
        /// The first entry that is not part of this value.
        var next: UInt32
    }

    enum Kind: UInt8, Sendable {
        case null, `true`, `false`, number, string, array, object
    }

    /// A part of `bytes`.
    struct Stretch: Sendable {
        let start: UInt32
        let end: UInt32

        init(_ range: Range<Int>) {
            start = UInt32(range.lowerBound)
            end = UInt32(range.upperBound)
        }

        static let empty = Stretch(0..<0)

        var count: Int { Int(end) - Int(start) }
        var range: Range<Int> { Int(start)..<Int(end) }
    }

    /// The one value that the whole text is.
    public var root: Value { Value(source: self, index: 0) }
}

extension JSONText {
    func string(_ stretch: Stretch) -> String {
        withBytes(of: stretch) { String(decoding: $0, as: UTF8.self) }
    }

    func withBytes<Result>(of stretch: Stretch, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[stretch.range])) }
    }
}
