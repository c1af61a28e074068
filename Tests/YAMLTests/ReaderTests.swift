import Testing
import YAML

private enum Key: String, CaseIterable {
    case name
    case every
    case count
    case status
    case codes
    case isOn
}

private enum Status: String, CaseIterable {
    case draft
    case active
    case ended
}

/// Reads `text` as a mapping with the keys of `Key` and returns what `body` made of it and every fault found.
private func reading<Value>(
    _ text: String, refusing: [String: String] = [:], _ body: (MappingReader<Key>) -> Value?
) -> (value: Value?, faults: [String]) {
    let diagnostics = Diagnostics()
    let keys = ValueReader(yaml: Array(text.utf8), into: diagnostics)?.mapping(keys: Key.self, refusing: refusing)
    let value = keys.flatMap(body)
    return (value, diagnostics.all.map { "\($0.mark): \($0.message)" })
}

@Suite struct ReaderTests {
    @Test func `every fault of a text is told at once`() {
        let (_, faults) = reading(
            """
            nmae: a
            every: 30 days
            count: many
            status: atcive
            every: 1d
            zebra: 1
            """
        ) { keys in
            _ = keys.required(.name, example: "keep-annual")?.text()
            _ = keys.optional(.every)?.spanMilliseconds()
            _ = keys.optional(.count)?.integer()
            return keys.optional(.status)?.word(of: Status.self)
        }
        #expect(
            faults == [
                "1:1: unknown key 'nmae'; did you mean 'name'?",
                "2:8: 'every' is '30 days'; write a span such as '30d', '12h' or '45m'",
                "3:8: 'count' is 'many'; write a whole number such as 10",
                "4:9: 'status' is 'atcive'; did you mean 'active'?",
                "5:1: key 'every' is already at line 2; remove one of the two",
                "6:1: unknown key 'zebra'; known here are 'name', 'every', 'count', 'status', 'codes', 'isOn'",
            ])
    }

    @Test func `a key that must not be used is refused with the cure and without its value`() {
        let (_, faults) = reading("name: a\npassword: hunter2\n", refusing: ["password": "name a file"]) { _ in true }
        #expect(faults == ["2:1: 'password' is not allowed; name a file"])
    }

    @Test func `a missing key is told where its mapping starts, unless a misspelled one tells it already`() {
        #expect(
            reading("\ncount: 1") { $0.required(.name, example: "keep-annual") }.faults
                == ["2:1: required key 'name' is missing; add for example 'name: keep-annual'"])
        #expect(
            reading("nam: a") { $0.required(.name, example: "keep-annual") }.faults
                == ["1:1: unknown key 'nam'; did you mean 'name'?"])
    }

    @Test(arguments: ["name:", "name: ~", "name: null"])
    func `null is absent where a key is optional and empty where it is required`(text: String) {
        let optional = reading(text) { $0.optional(.name)?.text() }
        #expect(optional.value == nil && optional.faults.isEmpty)
        let required = reading(text) { $0.required(.name, example: "a")?.text() }
        #expect(required.faults == ["1:1: 'name' is empty; write for example 'a'"])
    }

    @Test(arguments: [
        ("name: no", "no"), ("name: 22:00", "22:00"), ("name: 12", "12"), ("name: 'null'", "null"),
        ("name: |\n  two\n  lines\n", "two\nlines\n"),
    ])
    func `text is what stands there, whatever it looks like`(text: String, expected: String) {
        let (value, faults) = reading(text) { $0.optional(.name)?.text() }
        #expect(value == expected && faults.isEmpty)
    }

    @Test(arguments: [
        ("name: ''", "1:7: 'name' is empty; write text"), ("name: [a]", "1:7: 'name' is a list; write text"),
        ("name: {a: b}", "1:7: 'name' is a mapping; write text"),
    ])
    func `what is no text is named`(text: String, fault: String) {
        #expect(reading(text) { $0.optional(.name)?.text() }.faults == [fault])
    }

    @Test(arguments: [("0", 0), ("-7", -7), ("9223372036854775807", Int64.max), ("-9223372036854775808", .min)])
    func `whole numbers up to 64 bits are read`(text: String, expected: Int64) {
        #expect(reading("count: \(text)") { $0.optional(.count)?.integer() }.value == expected)
    }

    @Test(arguments: ["010", "+1", "1.0", "1e3", "10_000", "0x10", "-0", "9223372036854775808", "[1]", "many", "１"])
    func `other spellings of numbers are refused`(text: String) {
        let (value, faults) = reading("count: \(text)") { $0.optional(.count)?.integer() }
        #expect(value == nil && faults.count == 1)
        #expect(faults.first?.hasSuffix("; write a whole number such as 10") == true)
    }

    @Test func `a number in quotes is text, and one outside its range is told the range`() {
        #expect(
            reading("count: '5'") { $0.optional(.count)?.integer() }.faults
                == ["1:8: 'count' is the text '5'; write a whole number such as 10"])
        #expect(
            reading("count: 5") { $0.optional(.count)?.integer(in: 1...4) }.faults
                == ["1:8: 'count' is '5'; write a whole number from 1 to 4"])
    }

    @Test(arguments: [("true", true), ("false", false), ("yes", nil), ("'true'", nil), ("True", nil), ("1", nil)])
    func `only true and false are claims`(text: String, expected: Bool?) {
        let (value, faults) = reading("isOn: \(text)") { $0.optional(.isOn)?.boolean() }
        #expect(value == expected && faults.isEmpty == (expected != nil))
    }

    @Test func `a span under its minimum is told the minimum`() {
        #expect(
            reading("every: 1h") { $0.optional(.every)?.spanMilliseconds(atLeast: 86_400_000) }.faults
                == ["1:8: 'every' is '1h'; write a span of at least '1d'"])
    }

    @Test(arguments: [
        ("paused", "1:9: 'status' is 'paused'; write 'draft', 'active' or 'ended'"),
        ("Active", "1:9: 'status' is 'Active'; did you mean 'active'?"),
        ("[draft]", "1:9: 'status' is a list; write 'draft', 'active' or 'ended'"),
        ("''", "1:9: 'status' is empty; write 'draft', 'active' or 'ended'"),
    ])
    func `a word outside its table is told the nearest or all`(text: String, fault: String) {
        #expect(reading("status: \(text)") { $0.optional(.status)?.word(of: Status.self) }.faults == [fault])
    }

    @Test(arguments: [
        ("[a, b]", ["a", "b"]), ("a", ["a"]), ("[]", []), ("\n  - a\n", ["a"]), ("'[a, b]'", ["[a, b]"]),
    ])
    func `a single value stands for a list of one`(text: String, expected: [String]) {
        let (value, faults) = reading("codes: \(text)") { $0.optional(.codes)?.items().compactMap { $0.text() } }
        #expect(value == expected && faults.isEmpty)
    }

    @Test func `an item that is wrong is told at its own place`() {
        let (_, faults) = reading("codes:\n  - a\n  -\n  - [b]\n") { $0.optional(.codes)?.items().map { $0.text() } }
        #expect(faults == ["3:4: 'codes' is empty; write text", "4:5: 'codes' is a list; write text"])
    }

    @Test func `entries of a free mapping keep their order and places`() {
        let (value, faults) = reading("codes: {b: 1, a: [2]}") { keys in
            keys.optional(.codes)?.entries().map { $0.map { "\($0.key)@\($0.mark)=\($0.value.items().count)" } }
        }
        #expect(value == ["b@1:9=1", "a@1:15=1"] && faults.isEmpty)
    }

    @Test func `exactly one of several keys is asked for`() {
        let one = reading("name: a") { $0.exactlyOne(of: [.name, .count])?.key }
        #expect(one.value == .name && one.faults.isEmpty)
        let none = reading("every: 1d") { $0.exactlyOne(of: [.name, .count])?.key }
        #expect(none.faults == ["1:1: one of 'name' or 'count' is required and missing; add one"])
        let refused = reading("secret: x", refusing: ["secret": "name a file"]) {
            $0.exactlyOne(of: [.name, .count])?.key
        }
        #expect(refused.faults == ["1:1: 'secret' is not allowed; name a file"])
        let both = reading("count: 1\nname: a") { $0.exactlyOne(of: [.name, .count])?.key }
        #expect(both.faults == ["2:1: only one of 'name' or 'count' can be used; remove the other"])
    }

    @Test func `a text that is no mapping is named, and a broken one is told once`() {
        #expect(
            reading("- a") { _ in true }.faults == ["1:1: the file is a list; write a mapping with keys such as 'name'"]
        )
        #expect(
            reading("--- ~") { _ in true }.faults == [
                "1:5: the file is empty; write a mapping with keys such as 'name'"
            ])
        #expect(reading("a: *b") { _ in true }.faults.count == 1)
    }
}
