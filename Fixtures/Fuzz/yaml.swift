// Configuration files: YAML through libyaml, then every reader of a value.
import FoundationEssentials
import YAML

@testable import Server

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let diagnostics = Diagnostics()
    let reader = ConfigurationReader(folder: "/", requiresFiles: false, diagnostics: diagnostics)
    let configuration = ValueReader(yaml: bytes, into: diagnostics)
        .flatMap { reader.configuration($0, path: "fuzz.yaml") }
    precondition(configuration != nil || diagnostics.hasErrors, "a file was refused without a word")
    for diagnostic in diagnostics.all {
        precondition(!diagnostic.line(path: "fuzz.yaml").contains("\n"), "a diagnostic has one line")
    }
    return 0
}
