import CampaignCore
import Crypto
import Foundation
import Server
import TestSupport
import Testing

@Suite struct ConfigurationFileTests {
    @Test(arguments: [
        (option: "a.yaml", variable: "b.yaml", expected: "a.yaml"),
        (option: nil, variable: "b.yaml", expected: "b.yaml"),
        (option: nil, variable: "", expected: "holdfast.yaml"), (option: nil, variable: nil, expected: "holdfast.yaml"),
    ])
    func `the option goes before the variable, and that before the current folder`(
        option: String?, variable: String?, expected: String
    ) {
        var environment = ["PATH": "/bin"]
        environment["HOLDFAST_CONFIG"] = variable
        #expect(Configuration.locate(option: option, environment: environment) == expected)
    }

    @Test func `no message shows a key that stands for an identifier or a path`() throws {
        let folder = try configurationFolder()
        let pem = P256PrivateKey.generate().exportSecretPEM()
        let key = pem.split(separator: "\n").dropFirst().dropLast().joined()
        for value in [
            "com.example.reader", "6400000001", "Production", "Reader.storekit", "ABC123DEFG",
            "57246542-96fe-1a63-e053-0824d011072a", "SUBSCRIPTION_KEY", "privateKeyEnv",
        ] {
            let text = smallest.replacingOccurrences(of: value, with: key)
            try folder.write(text, to: "holdfast.yaml")
            let error = #expect(throws: ConfigurationError.self) {
                try Configuration.read(path: folder.path("holdfast.yaml"))
            }
            #expect(error?.description.contains("MIGH") == false, "\(value)")
        }
        try folder.write("\(smallest)database: \(key)\n", to: "holdfast.yaml")
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration.read(path: folder.path("holdfast.yaml"))
        }
        #expect(error?.description.contains("MIGH") == false)
    }

    @Test func `a file that cannot be read is told with the next step`() throws {
        let folder = try TemporaryFolder()
        let missing = #expect(throws: ConfigurationError.self) {
            try Configuration.read(path: "none.yaml", currentFolder: folder.url.path)
        }
        #expect(
            missing?.description == "cannot read the configuration 'none.yaml': no such file or directory; "
                + "name it with '--config PATH' or write one with 'holdfast init DIR'")
        let directory = #expect(throws: ConfigurationError.self) { try Configuration.read(path: folder.url.path) }
        #expect(directory?.description.contains("is a directory") == true)
    }

    @Test func `relative paths start at the folder of the file, wherever the program runs`() throws {
        let folder = try configurationFolder()
        try folder.write(smallest, to: "holdfast.yaml")
        let parent = folder.url.deletingLastPathComponent().path
        let path = "\(folder.url.lastPathComponent)/holdfast.yaml"
        let configuration = try Configuration.read(path: path, currentFolder: parent)
        #expect(configuration.path == path)
        #expect(configuration.apps[0].catalog.path == folder.path("Reader.storekit"))
        #expect(configuration.database == .sqlite(path: folder.path("holdfast.sqlite")))
    }

    @Test func `a pipe or device is refused at once, and a link leads to its file`() throws {
        let folder = try configurationFolder()
        let pipe = folder.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        for path in [pipe, "/dev/zero"] {
            let error = #expect(throws: ConfigurationError.self) { try Configuration.read(path: path) }
            #expect(
                error?.description == "cannot read the configuration '\(path)': it is a pipe or device, no regular "
                    + "file; name it with '--config PATH' or write one with 'holdfast init DIR'")
        }
        for named in [
            smallest.replacingOccurrences(of: "Reader.storekit", with: "pipe"),
            smallest.replacingOccurrences(of: "privateKeyEnv: SUBSCRIPTION_KEY", with: "privateKeyFile: pipe"),
            "trust: { rootCertificates: pipe }\n\(smallest)",
        ] {
            try folder.write(named, to: "holdfast.yaml")
            let error = #expect(throws: ConfigurationError.self) {
                try Configuration.read(path: folder.path("holdfast.yaml"))
            }
            #expect(
                error?.description.hasSuffix("names '\(pipe)', which is a pipe or device; name a regular file") == true)
        }
        try folder.write(String(repeating: "#", count: 1 << 20) + "\n", to: "long.yaml")
        let long = #expect(throws: ConfigurationError.self) { try Configuration.read(path: folder.path("long.yaml")) }
        #expect(long?.description.hasSuffix("1:1: error: the text has more than 1048576 bytes; split the file") == true)
        let link = folder.path("linked.yaml")
        try folder.write(smallest, to: "real.yaml")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path("real.yaml"))
        #expect(try Configuration.read(path: link).apps.count == 1)
    }

    @Test(arguments: [
        ("", "1:1: error: the file is empty; write its keys or name another file"),
        ("- a\n", "1:1: error: the file is a list; write a mapping with keys such as 'listen'"),
        (
            "listen: 127.0.0.1:1\n",
            "1:1: error: required key 'apps' is missing; "
                + "add for example 'apps: [{ bundleId: com.example.reader, … }]'"
        ),
        ("apps: []\n", "1:7: error: 'apps' is an empty list; add at least one app"),
        ("apps: reader\n", "1:7: error: 'apps' is 'reader'; write a mapping with keys such as 'bundleId'"),
    ])
    func `a file without apps is refused`(text: String, expected: String) throws {
        let folder = try configurationFolder()
        try folder.write(text, to: "holdfast.yaml")
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration.read(path: "holdfast.yaml", currentFolder: folder.url.path)
        }
        #expect(error?.description == "holdfast.yaml:\(expected)")
    }

    @Test func `a campaign folder that is named must be there, the default need not`() throws {
        let folder = try configurationFolder()
        try FileManager.default.removeItem(atPath: folder.path("Campaigns"))
        try folder.write(smallest, to: "holdfast.yaml")
        #expect(try Configuration.read(path: folder.path("holdfast.yaml")).campaigns.mark == nil)
        for (name, fault) in [
            ("Campaigns", "which does not exist; check the path"), ("Root.pem", "which is no folder; name a folder"),
        ] {
            try folder.write("campaigns: \(name)\n\(smallest)", to: "holdfast.yaml")
            let error = #expect(throws: ConfigurationError.self) {
                try Configuration.read(path: folder.path("holdfast.yaml"))
            }
            #expect(
                error?.description.hasSuffix("1:12: error: 'campaigns' names '\(folder.path(name))', \(fault)") == true)
        }
    }

    @Test func `one number of the App Store belongs to one app`() throws {
        let folder = try configurationFolder()
        let second = smallest.replacingOccurrences(of: "apps:\n", with: "")
            .replacingOccurrences(of: "com.example.reader", with: "com.example.writer")
        try folder.write(smallest + second, to: "holdfast.yaml")
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration.read(path: folder.path("holdfast.yaml"))
        }
        #expect(
            error?.description.hasSuffix(
                "8:17: error: appAppleId '6400000001' is already at line 3; each is written once") == true)
    }

    @Test func `no message shows a secret that was written where its place belongs`() throws {
        let secret = "hunter2-MIGTAgEAMBMGByqGSM49"
        let places = [
            "database: mysql://u:\(secret)@host/name", "database: sqlite://u:\(secret)@host/name",
            "database: postgresql:u:\(secret)@host/name", "database: host=h password=\(secret)",
            "database: postgresql://u:\(secret)@host/name", "database: postgres://host/name?password=\(secret)",
            "webhooks: { url: 'https://u:\(secret)@host/', secretEnv: A }",
            "webhooks: { url: 'http://host/\(secret)', secretEnv: A }",
            "webhooks: { url: https://host/, secret: \(secret) }",
            "webhooks: { url: https://host/, secretEnv: \(secret) }",
            "webhooks: { url: https://host/, secretFile: \"-----BEGIN PRIVATE KEY-----\\n\(secret)\" }",
            "webhooks: { url: https://host/, secretFile: \"\(secret)\\n\" }",
        ]
        let folder = try configurationFolder()
        for place in places {
            try folder.write("\(smallest)\(place)\n", to: "holdfast.yaml")
            let error = #expect(throws: ConfigurationError.self) {
                try Configuration.read(path: folder.path("holdfast.yaml"))
            }
            #expect(error?.description.contains(secret) == false, "\(place)")
        }
    }

    @Test func `files that are named may be absent for what needs none of them`() throws {
        let folder = try TemporaryFolder()
        let text =
            "campaigns: none\ntrust: { rootCertificates: none.pem }\n"
            + smallest.replacingOccurrences(of: "privateKeyEnv: SUBSCRIPTION_KEY", with: "privateKeyFile: none.p8")
        try folder.write(text, to: "holdfast.yaml")
        let path = folder.path("holdfast.yaml")
        let configuration = try Configuration.read(path: path, requiringFiles: false)
        #expect(configuration.apps.map(\.bundleId.rawValue) == ["com.example.reader"])
        #expect(configuration.apps[0].catalog.path == folder.path("Reader.storekit"))
        let error = #expect(throws: ConfigurationError.self) { try Configuration.read(path: path) }
        #expect(error?.description.split(separator: "\n").count == 4)
        try FileManager.default.createDirectory(
            atPath: folder.path("Reader.storekit"), withIntermediateDirectories: false)
        #expect(throws: ConfigurationError.self) { try Configuration.read(path: path, requiringFiles: false) }
    }

    @Test func `null is as good as absent`() throws {
        let folder = try configurationFolder()
        for null in ["", "~", "null"] {
            let keys = [
                "listen", "database", "campaigns", "trust", "trustedProxies", "retention", "webhooks",
                "    offerCodes", "    gracePeriodDays", "    billingRetryAccess", "    accessLevels",
                "    deviceProofMaxAge",
            ]
            let nulls = keys.map { "\($0): \(null)\n" }
            try folder.write(smallest + nulls.reversed().joined(), to: "holdfast.yaml")
            let configuration = try Configuration.read(path: folder.path("holdfast.yaml"))
            try folder.write(smallest, to: "holdfast.yaml")
            let absent = try Configuration.read(path: folder.path("holdfast.yaml"))
            #expect(String(describing: configuration) == String(describing: absent))
        }
    }

    /// U+2063 is the separator of what a V1 signature covers.
    @Test(arguments: ["\\u2063", "\\0", "\\n", "\\u200B", "\\u202E", "\\u3164", "\\uFE0F", "\\u2028", "\\x7f"])
    func `an identifier with an invisible character is refused`(escape: String) throws {
        let folder = try configurationFolder()
        for (key, value, place) in [
            ("keyId: ", "ABC123DEFG", "keyId"), ("issuerId: ", "57246542-96fe-1a63-e053-0824d011072a", "issuerId"),
            ("bundleId: ", "com.example.reader", "bundleId"),
        ] {
            for spoiled in [value + escape, escape + value, value.prefix(4) + escape + value.dropFirst(4)] {
                let text = smallest.replacingOccurrences(of: key + value, with: "\(key)\"\(spoiled)\"")
                try folder.write(text, to: "holdfast.yaml")
                let error = #expect(throws: ConfigurationError.self) {
                    try Configuration.read(path: folder.path("holdfast.yaml"))
                }
                #expect(error?.description.contains("error: '\(place)' ") == true, "\(spoiled)")
            }
        }
        for levels in ["{ basic: [\"a\(escape)\"] }", "{ \"basic\(escape)\": [a] }"] {
            try folder.write("\(smallest)    accessLevels: \(levels)\n", to: "holdfast.yaml")
            let error = #expect(throws: ConfigurationError.self) {
                try Configuration.read(path: folder.path("holdfast.yaml"))
            }
            #expect(error?.description.contains("holds an invisible character") == true)
        }
    }

    private let smallest = """
        apps:
          - bundleId: com.example.reader
            appAppleId: 6400000001
            environments: Production
            catalog: Reader.storekit
            signing: { keyId: ABC123DEFG, issuerId: 57246542-96fe-1a63-e053-0824d011072a, privateKeyEnv: SUBSCRIPTION_KEY }

        """
}
