import Testing

@testable import YAML

/// What `text` is refused for, one `line:column: …` a fault.
private func refusals(_ text: String) -> String {
    do {
        _ = try parse(yaml: text)
        return "accepted"
    } catch {
        return error.description
    }
}

@Suite struct ParserTests {
    @Test func `a tree keeps the order of its keys, the place of each key and value, and what was quoted`() throws {
        let tree = try parse(yaml: "zeta: [é, \"no\"]\nalpha:\n  b: 22:00\n")
        let expected = Node(
            .mapping([
                Entry(
                    key: "zeta", at: Mark(line: 1, column: 1),
                    value: Node(
                        .sequence([
                            Node(.scalar(Scalar("é")), at: Mark(line: 1, column: 8)),
                            Node(.scalar(Scalar("no", isQuoted: true)), at: Mark(line: 1, column: 11)),
                        ]), at: Mark(line: 1, column: 7))),
                Entry(
                    key: "alpha", at: Mark(line: 2, column: 1),
                    value: Node(
                        .mapping([
                            Entry(
                                key: "b", at: Mark(line: 3, column: 3),
                                value: Node(.scalar(Scalar("22:00")), at: Mark(line: 3, column: 6)))
                        ]), at: Mark(line: 3, column: 3))),
            ]), at: Mark(line: 1, column: 1))
        #expect(tree == expected)
    }

    @Test(arguments: [
        ("a: &x b\n", "1:4: error: anchors are not allowed; write the value out"),
        ("a: &x [b]\n", "1:4: error: anchors are not allowed; write the value out"),
        ("a: *x\n", "1:4: error: aliases are not allowed; write the value out, or in quotes when it is text"),
        ("a: !!str b\n", "1:4: error: tags are not allowed; write the value alone"),
        ("a: ! b\n", "1:4: error: tags are not allowed; write the value alone"),
        ("a: ! 'b'\n", "1:4: error: tags are not allowed; write the value alone"),
        ("a: !x {b: c}\n", "1:4: error: tags are not allowed; write the value alone"),
        ("%TAG ! tag:example.com,2000:\n---\na: b\n", "1:1: error: tags are not allowed; remove the '%TAG' line"),
        ("a: 1\nb: 2\n\"a\": 3\n", "3:1: error: key 'a' is already at line 1; remove one of the two"),
        ("b: {c: 1, c: 2}\n", "1:11: error: key 'c' is already at line 1; remove one of the two"),
        ("a: b\n---\nc: d\n", "2:1: error: a second document starts here; keep one document a file"),
        ("? [a]\n: b\n", "1:3: error: a key must be text; this one is a list or a mapping"),
        ("a:\n\tb: c\n", "2:1: error: a tab cannot indent or separate here; use spaces"),
        ("a: @b\n", "1:4: error: a value cannot start with '@'; put it in quotes"),
        ("a: >#1 reader\n", "1:4: error: a comment needs a space before '#'; add one, or put the value in quotes"),
        ("a: |2-#b\n", "1:4: error: a comment needs a space before '#'; add one, or put the value in quotes"),
        ("a: \u{1}\n", "1:4: error: a control character is not text; remove it"),
        ("é: b\r\nç: \u{7f}\n", "2:4: error: a control character is not text; remove it"),
        ("a: b\nç: d\u{FEFF}\n", "2:5: error: an invisible byte-order mark stands here; remove it"),
        (
            #"a: "\ud83d\ude00""#,
            "1:7: error: this escape is half of a character; write the character itself"
        ),
        (
            "a: [b\nc: d\n",
            "2:2: error: not valid YAML: did not find expected ',' or ']' while parsing a flow sequence"
                + " that starts at 1:4; check indentation, quotes and brackets"
        ),
        (
            "key: value: other\n",
            "1:11: error: not valid YAML: mapping values are not allowed in this context;"
                + " check indentation, quotes and brackets"
        ),
    ])
    func `what we refuse is refused at its place`(text: String, expected: String) {
        #expect(refusals(text) == expected)
    }

    @Test func `faults that leave the tree whole are all told at once, in the order of the text`() {
        let text = "b: &x 1\na: !y 2\nb: 3\nc: *x\n---\n"
        #expect(
            refusals(text) == """
                1:4: error: anchors are not allowed; write the value out
                2:4: error: tags are not allowed; write the value alone
                3:1: error: key 'b' is already at line 1; remove one of the two
                4:4: error: aliases are not allowed; write the value out, or in quotes when it is text
                5:1: error: a second document starts here; keep one document a file
                """)
    }

    @Test(arguments: ["", "\n\n", "# only a comment\n", "\u{FEFF}"])
    func `a text without content is refused as empty`(text: String) {
        #expect(refusals(text) == "1:1: error: the file is empty; write its keys or name another file")
    }

    @Test func `bytes that are not UTF-8 are refused where they are`() {
        let texts: [([UInt8], String)] = [
            (Array("é: b\nc: ".utf8) + [0xFF], "2:4"), (Array("a: ".utf8) + [0xC3], "1:4"),
            ([0xFF, 0xFE, 0x61, 0x00], "1:1"), (Array("a: ".utf8) + [0xED, 0xA0, 0x80], "1:4"),
        ]
        for (bytes, place) in texts {
            let error = #expect(throws: YAMLError.self) { try parse(yaml: bytes) }
            #expect(error?.description == "\(place): error: the text is not UTF-8; save the file as UTF-8")
        }
    }

    @Test func `a byte-order mark at the start is skipped and does not move columns`() throws {
        #expect(try parse(yaml: "\u{FEFF}a: b") == parse(yaml: "a: b"))
    }

    @Test func `line ends of Windows count as one`() throws {
        #expect(try parse(yaml: "a: b\r\nc: d\r\n") == parse(yaml: "a: b\nc: d\n"))
    }

    @Test func `a text over the limit is refused and one at the limit is read`() throws {
        let atLimit = "a: " + String(repeating: "b", count: YAMLLimits.fileBytes - 3)
        _ = try parse(yaml: atLimit)
        #expect(
            refusals(atLimit + "b")
                == "1:1: error: the text has more than 1048576 bytes; split the file")
    }

    @Test func `nesting is read up to the limit and refused one level deeper, where it happens`() throws {
        let deepest = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
        _ = try parse(yaml: deepest)
        #expect(refusals("[\(deepest)]") == "1:33: error: nested deeper than 32 levels; check the brackets")
    }

    @Test(arguments: ["[", "{", "- ", "? ", "[{a: "])
    func `two hundred thousand levels end at once`(opening: String) {
        let text = String(repeating: opening, count: 200_000)
        let elapsed = ContinuousClock().measure {
            #expect(refusals(String(text.utf8.prefix(YAMLLimits.fileBytes))!).contains("nested deeper than 32 levels"))
        }
        #expect(elapsed < .seconds(10))
    }

    @Test(arguments: [
        ("", false, true), ("~", false, true), ("null", false, true), ("", true, false), ("null", true, false),
        ("Null", false, false), ("no", false, false), ("0", false, false),
    ])
    func `null is a plain empty, tilde or null scalar and nothing else`(text: String, quoted: Bool, isNull: Bool) {
        #expect(Node(.scalar(Scalar(text, isQuoted: quoted)), at: .start).isNull == isNull)
    }
}
