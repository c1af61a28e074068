import Foundation
import TestSupport
import Testing

@testable import holdfast

@Suite struct InitCommandTests {
    static let files = ["CHECKLIST.txt", "Campaigns/keep-readers.yaml", "holdfast.yaml"]

    @Test func `the files are written and named`() throws {
        let folder = try TemporaryFolder()
        let result = try run(Surroundings.holdfast, ["init", "deep/reader"], in: folder.url)
        #expect(result.exitCode == 0)
        #expect(result.errorText == "")
        for file in Self.files {
            #expect(result.text.contains("wrote deep/reader/\(file)\n"))
            #expect(FileManager.default.fileExists(atPath: folder.path("deep/reader/\(file)")))
        }
    }

    @Test(arguments: files)
    func `nothing is written when a file is in the way`(file: String) throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path("Campaigns"), withIntermediateDirectories: true)
        try folder.write("mine", to: file)
        let result = try run(Surroundings.holdfast, ["init", "."], in: folder.url)
        #expect(result.exitCode == 2)
        #expect(result.text == "")
        #expect(
            result.errorText == "error: './\(file)' exists already; move it away or choose another folder\n")
        #expect(try String(contentsOfFile: folder.path(file), encoding: .utf8) == "mine")
        for other in Self.files where other != file {
            #expect(!FileManager.default.fileExists(atPath: folder.path(other)))
        }
    }

    @Test func `an empty folder is wrong usage and slashes at the end do not show`() throws {
        let folder = try TemporaryFolder()
        let empty = try run(Surroundings.holdfast, ["init", ""], in: folder.url)
        #expect(empty.exitCode == 64)
        #expect(empty.errorText.hasPrefix("error: DIR is an empty word; "))
        let result = try run(Surroundings.holdfast, ["init", "q//"], in: folder.url)
        #expect(result.exitCode == 0)
        #expect(result.text.hasPrefix("wrote q/holdfast.yaml\n"))
        #expect(!result.text.contains("//"))
    }

    @Test func `the checklist's second column is straight`() {
        let lines = InitFiles.checklist.split(separator: "\n").filter { $0.hasPrefix("[ ] ") }
        #expect(lines.count == 12)
        for line in lines { #expect(line.dropFirst(18).prefix(2) == "  " && line.dropFirst(20).first != " ") }
    }

    @Test func `a file in place of the folder is refused`() throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "reader")
        let result = try run(Surroundings.holdfast, ["init", "reader"], in: folder.url)
        #expect(result.exitCode == 1)
        #expect(result.errorText.hasPrefix("error: cannot make the folder 'reader/Campaigns': "))
    }

    @Test func `every line to paste in the checklist parses`() throws {
        let folder = try TemporaryFolder()
        _ = try run(Surroundings.holdfast, ["init", "."], in: folder.url)
        let text = try String(contentsOfFile: folder.path("CHECKLIST.txt"), encoding: .utf8)
        let lines = text.matches(of: /(?m)  holdfast (.+)$/).map { $0.output.1.split(separator: " ").map(String.init) }
        #expect(lines.count == 4)
        for line in lines {
            guard case .run = try Request(line, commands: commandTable) else {
                Issue.record("'\(line)' runs nothing")
                continue
            }
        }
    }

    @Test func `the example campaign passes its check, before there is a catalogue and with one`() throws {
        let folder = try TemporaryFolder()
        _ = try run(Surroundings.holdfast, ["init", "."], in: folder.url)
        let alone = try run(
            Surroundings.holdfast, ["campaign", "check", "Campaigns"], environment: ["HOLDFAST_CONFIG": ""],
            in: folder.url)
        #expect(alone.exitCode == 0 && alone.text == "", "\(alone.text)\(alone.errorText)")
        #expect(alone.errorText.hasSuffix("\n1 campaign checked: 0 errors, 0 warnings\n"))
        let installation = try Installation()
        let checked = try installation.holdfast("campaign", "check", "Campaigns")
        #expect(checked.exitCode == 0 && checked.errorText == "1 campaign checked: 0 errors, 0 warnings\n")
        let comments = InitFiles.campaign.replacing("# offers:", with: "offers:").replacing(
            "#   - promo", with: "  - promo")
        try installation.folder.write(comments, to: "Campaigns/keep-readers.yaml")
        let spoiled = try installation.holdfast("campaign", "check", "Campaigns")
        #expect(spoiled.exitCode == 2)
        #expect(
            spoiled.text == "Campaigns/keep-readers.yaml:34:27: error: the catalogue has no promotional offer "
                + "'save_50_3mo'; known are 'save50'\n")
    }

    @Test func `the configuration misses only the two files that are still to be fetched`() throws {
        let folder = try TemporaryFolder()
        _ = try run(Surroundings.holdfast, ["init", "."], in: folder.url)
        let before = try run(Surroundings.holdfast, ["doctor", "--config", folder.path("holdfast.yaml")])
        #expect(before.exitCode == 2)
        let expected = [("18:14", "catalog", "Reader.storekit"), ("23:23", "privateKeyFile", Installation.keyFile)]
        let lines = expected.map { place, key, file in
            "FAIL  configuration: \(folder.path("holdfast.yaml")):\(place): error: "
                + "'\(key)' names '\(folder.path(file))', which does not exist; check the path\n"
        }
        #expect(before.text == lines.joined())
        #expect(try Installation().holdfast("doctor").exitCode == 0)
    }

    @Test func `every optional key is shown and reads with the value that is shown`() throws {
        let installation = try Installation()
        let path = installation.folder.path("holdfast.yaml")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        // Taking '# ' away from a line that begins with a key is what the file tells people to do.
        let shown = text.replacing(/(?m)^( *)# ([a-zA-Z]+: .*)$/) { match in
            ["sqlite", "Who"].contains { match.output.2.hasPrefix($0) }
                ? match.output.0 : match.output.1 + match.output.2
        }
        let keys = [
            "offerCodes", "gracePeriodDays", "billingRetryAccess", "accessLevels", "winBackOffers", "deviceProofMaxAge",
        ]
        for key in keys { #expect(shown.contains("\n    \(key): ")) }
        for key in ["trust", "trustedProxies", "retention", "webhooks"] { #expect(shown.contains("\n\(key): ")) }
        try installation.folder.write(shown, to: "holdfast.yaml")
        let result = try installation.holdfast("doctor")
        #expect(result.exitCode == 0, "\(result.text)")
    }
}
