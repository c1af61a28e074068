// swift-tools-version: 6.2
import PackageDescription

/// What every Swift target of the package is built with.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// A target of ours; the arrows between them are those of the README's picture.
func ours(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["TestSupport"], swiftSettings: settings)
}

let package = Package(
    name: "holdfast",
    products: [.executable(name: "holdfast", targets: ["holdfast"])],
    targets: [
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CMicrohttpd", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),

        ours("YAML", ["CYAML"]),
        ours("Crypto", ["COpenSSL"]),
        ours("CampaignCore", ["YAML", "Crypto"]),
        ours("AppStore", ["CampaignCore", "Crypto"]),
        ours("PrivateAppStore", ["CampaignCore", "Crypto"]),
        ours("Storage", ["CampaignCore", "Crypto", "CSQLite", "CZlib"]),
        ours("Server", ["YAML", "Crypto", "CampaignCore", "AppStore", "Storage", "CMicrohttpd"]),
        .executableTarget(
            name: "holdfast",
            dependencies: ["YAML", "Crypto", "CampaignCore", "AppStore", "PrivateAppStore", "Storage", "Server"],
            swiftSettings: settings),

        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
        tests("YAMLTests", ["YAML"]),
        tests("CryptoTests", ["Crypto"]),
        tests("CampaignCoreTests", ["CampaignCore"]),
        tests("AppStoreTests", ["AppStore", "CampaignCore", "Crypto", "PrivateAppStore"]),
        tests("PrivateAppStoreTests", ["PrivateAppStore", "AppStore", "CampaignCore", "Crypto"]),
        tests("StorageTests", ["Storage", "CampaignCore", "Crypto"]),
        tests("ServerTests", ["Server", "AppStore", "CampaignCore", "Crypto", "PrivateAppStore", "Storage"]),
        tests("HoldfastTests", ["holdfast"]),
        tests("TidyTests", []),
    ],
    swiftLanguageModes: [.v6]
)
