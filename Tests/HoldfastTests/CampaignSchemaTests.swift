import Foundation
import TestSupport
import Testing

@Suite struct CampaignSchemaTests {
    /// A validator that is not ours, over YAML 1.2 as editors read it: `off` is text, and so is a date.
    private static let program = """
        import json, re, sys, yaml, jsonschema_rs
        class Core(yaml.SafeLoader): yaml_implicit_resolvers = {}
        for tag, pattern, first in [
            ("bool", "^(true|false)$", "tf"), ("int", "^-?(0|[1-9][0-9]*)$", "-0123456789"), ("null", "^(|~|null)$", "~n"),
        ]: Core.add_implicit_resolver("tag:yaml.org,2002:" + tag, re.compile(pattern), list(first))
        schema = json.load(open(sys.argv[1]))
        jsonschema_rs.meta.validate(schema)
        answers = {}
        for path in sys.argv[2:]:
            own = dict(schema["$defs"]["messages"]) if path.endswith("messages.yaml") else schema
            errors = jsonschema_rs.Draft202012Validator(own).iter_errors(yaml.load(open(path), Loader=Core))
            answers[path] = ["/".join(str(part) for part in error.instance_path) for error in errors]
        json.dump(answers, sys.stdout)
        """

    private static func schema() throws -> Data {
        let result = try run(Surroundings.holdfast, ["campaign", "schema"])
        try #require(result.exitCode == 0 && result.errorText == "")
        return result.output
    }

    private static func faults(_ files: [URL]) throws -> [String: [String]] {
        let folder = try TemporaryFolder()
        try Self.schema().write(to: folder.url.appendingPathComponent("schema.json"))
        let result = try run(
            Surroundings.python, ["-c", program, folder.path("schema.json")] + files.map(\.path))
        try #require(result.exitCode == 0, "'./setup test' installs the validator: \(result.errorText)")
        return try JSONDecoder().decode([String: [String]].self, from: result.output)
    }

    private static func files(_ folder: URL) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "yaml" }.sorted { $0.path < $1.path }
    }

    @Test func `what the reader takes is valid, the shipped examples too`() throws {
        let files =
            try Self.files(CampaignFolder.fixtures.appendingPathComponent("valid")) + Self.files(CampaignFolder.shipped)
        let faults = try Self.faults(files)
        #expect(files.count >= 10 && faults.count == files.count)
        for (path, places) in faults { #expect(places == [], "\(path)") }
    }

    @Test func `what has a wrong shape is invalid`() throws {
        let names = ["keys", "missing", "values", "spoiled", "newer", "older"]
        let folder = CampaignFolder.fixtures.appendingPathComponent("invalid")
        let faults = try Self.faults(names.map { folder.appendingPathComponent("\($0).yaml") })
        for (path, places) in faults { #expect(!places.isEmpty, "\(path)") }
        #expect(faults.count == names.count)
    }

    /// The names in `properties`, of every object in the schema, in alphabetical order.
    private static func keySets(_ value: Any) -> Set<[String]> {
        if let list = value as? [Any] { return Set(list.flatMap(keySets)) }
        guard let object = value as? [String: Any] else { return [] }
        var sets = Set(object.filter { $0.key != "properties" }.flatMap { keySets($0.value) })
        if let properties = object["properties"] as? [String: Any] {
            sets.insert(properties.keys.sorted())
            for (_, property) in properties { sets.formUnion(keySets(property)) }
        }
        return sets
    }

    @Test func `the keys are those that the reader names when it meets another`() throws {
        let place = CampaignFolder.fixtures.appendingPathComponent("invalid")
        var named: Set<[String]> = []
        for (folder, file) in [("invalid", "keys.yaml"), ("messages", "messages.yaml")] {
            let place = place.deletingLastPathComponent().appendingPathComponent(folder)
            for match in try CampaignFolder().check([file], in: place).text.matches(of: /known here are (.+)\n/) {
                named.insert(match.1.matches(of: /'(\w+)'/).map { String($0.1) }.sorted())
            }
        }
        let schema = try JSONSerialization.jsonObject(with: Self.schema())
        #expect(named == Self.keySets(schema))
        #expect(named.count == 14)
    }
}
