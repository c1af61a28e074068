import Crypto
import Foundation
import Testing

@Suite struct RandomUUIDsTests {
    @Test func `each UUID is of version 4, of the usual variant, and new`() {
        let uuids = RandomUUIDs()
        // More than are fetched at once, several times over.
        let made = (0..<1000).map { _ in uuids.make() }
        #expect(Set(made).count == made.count)
        for uuid in made {
            let text = Array(uuid.uuidString)
            #expect(text[14] == "4" && "89AB".contains(text[19]), "\(uuid)")
        }
    }

    @Test func `every other bit is set about half of the time`() {
        let uuids = RandomUUIDs()
        let count = 4000
        var ones = [Int](repeating: 0, count: 128)
        for _ in 0..<count {
            let bytes = withUnsafeBytes(of: uuids.make().uuid) { Array($0) }
            for bit in 0..<128 where bytes[bit / 8] >> (7 - bit % 8) & 1 == 1 { ones[bit] += 1 }
        }
        // Seven standard deviations: wrong less than once in ten thousand million runs.
        let fixed = Set(48..<52).union([64, 65])
        for bit in 0..<128 where !fixed.contains(bit) { #expect(abs(ones[bit] - count / 2) < 222, "bit \(bit)") }
    }

    @Test func `threads share one without sharing a UUID`() async {
        let uuids = RandomUUIDs()
        let made = await withTaskGroup(of: [UUID].self) { group in
            for _ in 0..<4 { group.addTask { (0..<2000).map { _ in uuids.make() } } }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(made).count == 8000)
    }
}
