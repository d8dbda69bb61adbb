// Answers and payloads consist of these values, so users of the client need no further import.
@_exported import AppStoreTypes

#if !Server && !AppStoreServer
#error("AppStoreServer needs a trait: .package(…, traits: [\"AppStoreServer\"])")
#endif
