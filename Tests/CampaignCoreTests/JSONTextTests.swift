import Foundation
import TestSupport
import Testing

@testable import CampaignCore

@Suite struct JSONTextTests {
    /// Strings are skipped eight bytes at a time, so whatever ends that must be seen at every place of the eight.
    @Test(arguments: 0..<24)
    func `text with something special at any place is read as Foundation reads it`(place: Int) throws {
        for special in ["\"", "\\", "\u{1f}", "é", "\u{7f}", "😀", "\u{80}"] {
            let text = String(repeating: "a", count: place) + special + String(repeating: "b", count: 23 - place)
            let json = try JSONSerialization.data(withJSONObject: [text], options: .withoutEscapingSlashes)
            #expect(try JSON.parse(Array(json)) == .array([.string(text)]))
        }
    }

    @Test(arguments: 0..<24)
    func `a control character is refused at any place`(place: Int) {
        for control in 0..<UInt8(0x20) {
            var bytes = Array("\"\(String(repeating: "a", count: 24))\"".utf8)
            bytes[place + 1] = control
            #expect(throws: JSONSyntaxError.self) { try JSON.parse(bytes) }
        }
    }
}
