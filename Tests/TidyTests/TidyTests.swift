import Foundation
import Testing
import TestSupport

/// One Swift file of the project with its path below the project's folder.
private struct SourceFile: CustomTestStringConvertible {
    let path: String
    let text: String
    var testDescription: String { path }

    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
}

private func files(below folder: String, endings: Set<String>) throws -> [SourceFile] {
    let root = Surroundings.project.appendingPathComponent(folder)
    let found = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
    return try found.compactMap { $0 as? URL }
        .filter { endings.contains($0.pathExtension) }
        .map {
            SourceFile(
                path: "\(folder)/\($0.path.dropFirst(root.path.count + 1))",
                text: try String(contentsOf: $0, encoding: .utf8))
        }
        .sorted { $0.path < $1.path }
}

private let sources = (try? files(below: "Sources", endings: ["swift"])) ?? []

@Test func `there are sources to look at`() {
    #expect(sources.count > 50)
}

@Test(arguments: sources)
private func `a source file has at most 500 lines`(file: SourceFile) {
    #expect(file.lines.count <= 500)
}

@Test(arguments: sources)
private func `nobody but the edge reads the clock, makes ids or prints`(file: SourceFile) {
    let isEdge = file.path == "Sources/Server/Environment.swift" || file.path.hasPrefix("Sources/holdfast/")
    guard !isEdge else { return }
    for (number, line) in file.lines.enumerated() where !line.drop(while: { $0 == " " }).hasPrefix("//") {
        for word in [" Date()", "(Date()", " UUID()", "(UUID()", " print("] {
            #expect(!line.contains(word), "\(file.path):\(number + 1) has '\(word.dropFirst())'")
        }
    }
}

@Test(arguments: sources)
private func `nothing is forced and nothing is left for later`(file: SourceFile) {
    for (number, line) in file.lines.enumerated() {
        for word in ["try!", "as!", "TODO", "FIXME"] {
            #expect(!line.contains(word), "\(file.path):\(number + 1) has '\(word)'")
        }
    }
}

@Test(arguments: sources)
private func `identifiers use the field's own words`(file: SourceFile) {
    let never = ["sku", "voucher", "coupon", "dunning", "receiptId", "receipt_id"]
    let words = Set(
        file.text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map { $0.lowercased() })
    for word in never { #expect(!words.contains(word.lowercased()), "\(file.path) says '\(word)'") }
}

@Test(arguments: [
    ("libyaml", "CYAML", "YAML"), ("OpenSSL", "COpenSSL", "Crypto"), ("SQLite", "CSQLite", "Storage"),
    ("libmicrohttpd", "CMicrohttpd", "Server"),
])
private func `each C library has one importer`(library: String, module: String, target: String) {
    let importers = sources.filter { $0.lines.contains { $0.hasSuffix("import \(module)") } }
    #expect(!importers.isEmpty, "\(library) is imported by nobody")
    for file in importers { #expect(file.path.hasPrefix("Sources/\(target)/")) }
}

@Test func `the tree names no machine, no registry and no key`() throws {
    let listed = try run("git", ["ls-files"], in: Surroundings.project)
    try #require(listed.exitCode == 0, "\(listed.errorText)")
    // Put together here, so that this file does not name them itself.
    let never = [
        "/wo" + "rk/", "/ro" + "ot/", "deb.deb" + "ian.org", "pyp" + "i.org", "BEGIN PRIV" + "ATE KEY-----\nM",
    ]
    for path in listed.text.split(separator: "\n") {
        guard
            let text = try? String(
                contentsOf: Surroundings.project.appendingPathComponent(String(path)), encoding: .utf8)
        else { continue }
        for word in never { #expect(!text.contains(word), "\(path) has '\(word)'") }
    }
}
