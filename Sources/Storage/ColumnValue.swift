import CampaignCore
import FoundationEssentials

/// A type that a column can hold: how it is bound, and how it is checked when it is read again.
protocol ColumnValue {
    var sqlValue: SQL.Value { get }

    /// Nil when the column holds anything but a value of this type.
    init?(_ column: Column)
}

extension Int64: ColumnValue {
    var sqlValue: SQL.Value { .integer(self) }

    init?(_ column: Column) {
        guard let integer = column.integer else { return nil }
        self = integer
    }
}

extension Int: ColumnValue {
    var sqlValue: SQL.Value { .integer(Int64(self)) }

    init?(_ column: Column) {
        guard let integer = column.integer else { return nil }
        self.init(exactly: integer)
    }
}

extension Bool: ColumnValue {
    var sqlValue: SQL.Value { .integer(self ? 1 : 0) }

    init?(_ column: Column) {
        switch column.integer {
        case 0: self = false
        case 1: self = true
        default: return nil
        }
    }
}

extension String: ColumnValue {
    var sqlValue: SQL.Value { .text(self) }

    init?(_ column: Column) {
        guard let text = column.text else { return nil }
        self = text
    }
}

extension [UInt8]: ColumnValue {
    var sqlValue: SQL.Value { .blob(self) }

    init?(_ column: Column) {
        guard let blob = column.blob else { return nil }
        self = [UInt8](blob)
    }
}

extension UUID: ColumnValue {
    var sqlValue: SQL.Value { .uuid(self) }

    init?(_ column: Column) {
        guard let blob = column.blob, blob.count == 16 else { return nil }
        self.init(uuid: blob.loadUnaligned(as: uuid_t.self))
    }
}

extension Instant: ColumnValue {
    var sqlValue: SQL.Value { .integer(millisecondsSince1970) }

    init?(_ column: Column) {
        guard let integer = column.integer else { return nil }
        self.init(millisecondsSince1970: integer)
    }
}

/// Words and numbers with a meaning are stored raw; one that its type does not know is a corrupt row.
extension ColumnValue where Self: RawRepresentable, RawValue: ColumnValue {
    var sqlValue: SQL.Value { rawValue.sqlValue }

    init?(_ column: Column) {
        guard let rawValue = RawValue(column) else { return nil }
        self.init(rawValue: rawValue)
    }
}

extension Tagged: ColumnValue {}
extension AppStoreEnvironment: ColumnValue {}
extension OfferType: ColumnValue {}
extension ProductType: ColumnValue {}
extension InAppOwnershipType: ColumnValue {}
