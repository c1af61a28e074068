public import AppStore

extension Configuration.SigningKeySource {
    /// Reads the key from where the configuration says it is kept.
    ///
    /// Errors: what is wrong with the file, the variable or the key in it.
    ///
    /// - Parameter variables: the process environment.
    public func load(variables: [String: String]) throws(SigningKeyError) -> SigningKey {
        switch privateKey {
        case .file(let file):
            try SigningKeyFile.load(path: file.path, keyId: keyId, issuerId: issuerId)
        case .environmentVariable(let name, _):
            try SigningKeyFile.load(variable: name, value: variables[name], keyId: keyId, issuerId: issuerId)
        }
    }
}
