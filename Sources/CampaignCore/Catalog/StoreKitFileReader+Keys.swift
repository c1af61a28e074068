import YAML

extension StoreKitFileReader {
    /// Whether a key was pasted into any text of the file, each told by its place alone.
    ///
    /// Nothing else is read then, because every other finding could repeat the text. The key pair that Xcode writes for
    /// local testing has its own warning.
    mutating func holdsKeys(_ file: FileObject, _ members: [JSON.Member]) -> Bool {
        let members = members.filter { $0.key != "subscriptionOffersKeyPair" }
        // Places are made only for a file that needs them.
        guard hasKey(.object(members)) else { return false }
        var places: [String] = []
        for member in members {
            collectKeys(member, in: file, &places)
        }
        for place in places {
            error(
                place,
                "a key stands here, which is not shown; remove it, and revoke it in App Store Connect if it is private")
        }
        return true
    }

    private func hasKey(_ value: JSON) -> Bool {
        switch value {
        case .string(let text): holdsKeyMaterial(text)
        case .array(let elements): elements.contains(where: hasKey)
        case .object(let members): members.contains { holdsKeyMaterial($0.key) || hasKey($0.value) }
        case .null, .bool, .number: false
        }
    }

    private func collectKeys(_ member: JSON.Member, in object: FileObject, _ places: inout [String]) {
        let isKey = holdsKeyMaterial(member.key)
        if isKey { places.append(object.place(of: "a name")) }
        collectKeys(member.value, at: object.place(of: isKey ? "a name" : shown(member.key)), &places)
    }

    private func collectKeys(_ value: JSON, at place: String, _ places: inout [String]) {
        switch value {
        case .string(let text):
            if holdsKeyMaterial(text) { places.append(place) }
        case .array(let elements):
            for (index, element) in elements.enumerated() { collectKeys(element, at: "\(place)[\(index)]", &places) }
        case .object(let members):
            let object = FileObject(members: [], place: place)
            for member in members { collectKeys(member, in: object, &places) }
        case .null, .bool, .number: break
        }
    }
}
