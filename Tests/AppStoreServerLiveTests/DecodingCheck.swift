import Foundation
import Testing
import TillJSON

@testable import AppStoreServer

/// Compares objects of the client with what the server sent: all keys, and each typed property.
struct DecodingCheck {
    /// The keys that occurred, by the section of docs/operating/payload-profiles.md.
    private(set) var seen: [String: Set<String>] = [:]
    /// The keys without a property.
    private(set) var unknown: Set<String> = []
    /// The number of objects so far.
    private(set) var objects = 0

    /// Checks an answer with everything in it.
    ///
    /// - Parameter body: the bytes that the server sent.
    mutating func check<Object: KnownObject>(_ answer: Answer<Object>, sent body: [UInt8]) throws {
        #expect(try JSONTree.parse(body, limits: .depthOnly, keepsNull: true) == answer.value.raw.tree)
        try check(answer.value)
    }

    /// Checks an object with everything in it.
    mutating func check<Object: KnownObject>(_ object: Object) throws {
        objects += 1
        let tree = object.raw.tree
        if try JSONTree(encoding: object) != tree {
            Issue.record("\(Object.self) loses something on the way: \(object)")
        }
        for member in tree.members {
            guard let property = Object.properties[member.key] else {
                unknown.insert(member.key)
                continue
            }
            seen[Object.section, default: []].insert(member.key)
            try compare(property(object), member.value, at: "\(Object.section).\(member.key)")
        }
    }

    private mutating func compare(_ value: Any?, _ sent: JSONTree, at place: String) throws {
        switch value {
        case let list as [Any]:
            guard case .array(let elements) = sent, elements.count == list.count else {
                Issue.record("\(place): \(list) is not \(sent.summary)")
                return
            }
            for (value, element) in zip(list, elements) { try compare(value, element, at: place) }
        case let object as any KnownObject:
            if object.raw.tree != sent { Issue.record("\(place): \(object)") }
            try check(object)
        case let value?:
            if Self.text(value) != sent.text { Issue.record("\(place): \(value) is not \(sent.summary)") }
            try checkPayload(of: value)
        case nil:
            Issue.record("\(place): \(sent.summary) is not read")
        }
    }

    private mutating func checkPayload(of value: Any) throws {
        switch value {
        case let signed as SignedTransaction: try check(signed.unverifiedPayload())
        case let signed as SignedRenewalInfo: try check(signed.unverifiedPayload())
        case let signed as SignedAppTransaction: try check(signed.unverifiedPayload())
        case let signed as SignedNotification: try check(signed.unverifiedPayload())
        default: break
        }
    }

    /// The value as the server sends it.
    private static func text(_ value: Any) -> String {
        switch value {
        case let date as Timestamp: String(date.milliseconds)
        case let id as UUID: id.uuidString.lowercased()
        case let value as any EnumerationValue: value.wireText
        default: "\(value)"
        }
    }
}

/// A value of an enumeration, whose description may contain the name of the case.
private protocol EnumerationValue {
    var wireText: String { get }
}

extension OpenValue: EnumerationValue {
    fileprivate var wireText: String { "\(rawValue)" }
}
